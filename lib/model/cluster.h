// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "model/daemon_set.h"
#include "model/node.h"
#include "model/pod.h"
#include "model/related_objects.h"

namespace dsdoctor::model {

/// The API server's version. Vendors append text to the API's `minor` and `gitVersion`; the numbers
/// here are without it.
struct ServerVersion {
  int major = 0;
  int minor = 0;
  int patch = 0;
  std::string git_version;  // "v1.36.2-gke.100"

  friend bool operator==(const ServerVersion&, const ServerVersion&) = default;
};

/// The kinds that were listed in full, as far as they are needed: read from the API, or from a list
/// of that kind in a file. True: a needed object of that kind that is missing here does not exist.
/// False: a missing object may exist.
struct Known {
  bool events = false;
  bool namespaces = false;
  bool resource_quotas = false;
  bool limit_ranges = false;
  bool priority_classes = false;
  bool runtime_classes = false;
  bool service_accounts = false;
  bool claims = false;  // PersistentVolumeClaims and the volumes they are bound to
  bool storage_classes = false;
  bool csi_nodes = false;
  bool device_classes = false;
  bool device_taints = false;  // DeviceTaintRules, ResourceClaims and ResourceSlices
  bool disruption_budgets = false;
  bool pod_groups = false;
  bool pod_group_members = false;  // the pods of their namespaces
  bool leases = false;
  bool roles = false;  // ClusterRoles and their bindings
  bool revisions = false;
  bool daemon_sets = false;
  bool every_daemon_set = false;  // of all namespaces, also those not requested
  /// `daemon_sets` is true because of a list of DaemonSets only, which was requested as such.
  bool own_daemon_set_list = false;

  friend bool operator==(const Known&, const Known&) = default;
};

/// All objects that were read, unique and sorted by (namespace, name).
struct Cluster {
  std::vector<Node> nodes;
  std::vector<DaemonSet> daemon_sets;
  std::vector<Pod> pods;
  std::vector<ControllerRevision> revisions;
  std::optional<ServerVersion> version;

  std::vector<Event> events = {};
  std::vector<Namespace> namespaces = {};
  std::vector<ResourceQuota> resource_quotas = {};
  std::vector<LimitRange> limit_ranges = {};
  std::vector<PriorityClass> priority_classes = {};
  std::vector<RuntimeClass> runtime_classes = {};
  std::vector<ServiceAccount> service_accounts = {};
  std::vector<PersistentVolumeClaim> claims = {};
  std::vector<PersistentVolume> volumes = {};
  std::vector<StorageClass> storage_classes = {};
  std::vector<CsiNode> csi_nodes = {};
  std::vector<DeviceClass> device_classes = {};
  std::vector<DeviceTaintRule> device_taint_rules = {};
  std::vector<ResourceClaim> resource_claims = {};
  std::vector<ResourceSlice> resource_slices = {};
  std::vector<PodDisruptionBudget> disruption_budgets = {};
  std::vector<PodGroup> pod_groups = {};
  std::vector<Lease> leases = {};
  std::vector<ClusterRole> cluster_roles = {};
  std::vector<ClusterRoleBinding> cluster_role_bindings = {};

  /// False: objects of that kind were not read; it is unknown whether any exist.
  bool nodes_known = true;
  bool pods_known = true;
  bool revisions_known = true;
  /// False: not all nodes were read; a node that is missing here may exist.
  bool all_nodes_known = true;
  /// Namespaces of DaemonSets whose pods were not read, or not all of them: a pod that is missing
  /// here may exist. Sorted.
  std::vector<Text> namespaces_without_pods = {};
  Known known = {};
  /// True: pods of all owners were read, so the usage of each node can be summed up. False: only
  /// for the nodes in `crowded_nodes`, which are names, sorted.
  bool all_pods_known = false;
  bool all_pods_assumed = false;  // all_pods_known is assumed: a list does not name its namespaces
  std::vector<Text> crowded_nodes = {};

  friend bool operator==(const Cluster&, const Cluster&) = default;
};

/// Reports whether all pods of the namespace were read: one that is not in `cluster` does not
/// exist.
[[nodiscard]] inline bool knows_pods_of(const Cluster& cluster, std::string_view ns) {
  return cluster.pods_known &&
         !std::ranges::binary_search(cluster.namespaces_without_pods, ns, {}, &Text::view);
}

/// Kubernetes' own DaemonSet of that name; null if there is none. Valid until
/// `cluster.daemon_sets` changes.
[[nodiscard]] inline const DaemonSet* find_daemon_set(const Cluster& cluster, std::string_view ns,
                                                      std::string_view name) {
  const auto key = [](const DaemonSet& ds) {
    return std::tuple(ds.meta.ns.view(), ds.meta.name.view(), ds.other_kind.has_value());
  };
  const std::tuple wanted(ns, name, false);
  const auto at = std::ranges::lower_bound(cluster.daemon_sets, wanted, {}, key);
  return at != cluster.daemon_sets.end() && key(*at) == wanted ? &*at : nullptr;
}

/// Null if there is no such node. Valid until `cluster.nodes` changes.
[[nodiscard]] inline const Node* find_node(const Cluster& cluster, std::string_view name) {
  const auto at = std::ranges::lower_bound(cluster.nodes, name, {},
                                           [](const Node& node) { return node.meta.name.view(); });
  return at != cluster.nodes.end() && at->meta.name == name ? &*at : nullptr;
}

/// The same, faster if the node is the one at index `hint`.
[[nodiscard]] inline const Node* find_node(const Cluster& cluster, const Text& name,
                                           std::size_t hint) {
  const bool is_there = hint < cluster.nodes.size() && cluster.nodes[hint].meta.name == name;
  return is_there ? &cluster.nodes[hint] : find_node(cluster, name.view());
}

/// The pod of that namespace and name; null if there is none. REQUIRES: pods are sorted, as in
/// every cluster that was read.
[[nodiscard]] inline const Pod* find_pod(const Cluster& cluster, std::string_view ns,
                                         std::string_view name) {
  const auto key = [](const Pod& pod) {
    return std::tuple(pod.meta.ns.view(), pod.meta.name.view());
  };
  const auto at = std::ranges::lower_bound(cluster.pods, std::tuple(ns, name), {}, key);
  return at != cluster.pods.end() && key(*at) == std::tuple(ns, name) ? &*at : nullptr;
}

/// A resource that could not be read, and the consequence for the answer.
struct Omission {
  std::string resource;  // plural, as in a URL: "pods"
  std::string ns;        // empty: cluster-wide
  std::string reason;    // "Forbidden", "NotInInput", "Truncated", ...
  std::string message;
  std::string consequence;

  friend bool operator==(const Omission&, const Omission&) = default;
};

/// Whether the input lacks objects that could show a problem: DaemonSets, or events while pods are
/// missing for an unknown reason. Then nothing can be called healthy.
[[nodiscard]] inline bool may_hide_problems(const std::vector<Omission>& omissions) {
  return std::ranges::any_of(omissions, [](const Omission& omission) {
    const bool is_lacking = omission.reason == "NotInInput";
    return (omission.resource == "daemonsets" && (is_lacking || omission.reason == "Truncated")) ||
           (omission.resource == "events" && is_lacking);
  });
}

/// A field that was read, but that no API server would accept. Evaluated as the controller would.
struct Warning {
  std::string where;  // "nodes.yaml Node/gpu-1 spec.taints[0].effect"
  std::string what;

  friend bool operator==(const Warning&, const Warning&) = default;
};

/// How many objects of one kind were read.
struct KindCount {
  std::string_view resource;           // plural, as in a URL: "pods"
  std::optional<std::size_t> objects;  // absent: not asked for, not readable, or not in the input

  friend bool operator==(const KindCount&, const KindCount&) = default;
};

/// The source of an answer.
struct SourceInfo {
  std::string kind;                // "cluster", "files", "demo" or "snapshot"
  std::string context;             // of the kubeconfig; empty for files
  std::string server;              // URL without credentials; empty for files
  std::vector<std::string> paths;  // of the files; empty for a cluster
  std::string server_version;      // "v1.36.2"; empty if unknown
  Time read_at;                    // of a snapshot: the time at which its state was read
  std::string saved_from = {};     // of a snapshot: the kind of its source; else empty
  /// The moment that the answer describes if it is not `read_at`: files have their own clock.
  OptionalTime as_of = {};
  std::vector<KindCount> read = {};  // see source::kind_counts; empty in a snapshot

  [[nodiscard]] Time moment() const { return as_of.value_or(read_at); }

  friend bool operator==(const SourceInfo&, const SourceInfo&) = default;
};

}  // namespace dsdoctor::model
