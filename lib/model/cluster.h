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

/// The API server's version. Vendors append to `minor` and `git_version`; the numbers do not.
struct ServerVersion {
  int major = 0;
  int minor = 0;
  int patch = 0;
  std::string git_version;  // "v1.36.2-gke.100"

  friend bool operator==(const ServerVersion&, const ServerVersion&) = default;
};

/// Which kinds were listed in full, as far as they are needed: read from the API, or a list of that
/// kind in a file. True: an object of that kind that was needed and is not there does not exist.
/// False: what is there is true, what is not there proves nothing.
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
  bool disruption_budgets = false;
  bool leases = false;
  bool roles = false;  // ClusterRoles and their bindings
  bool revisions = false;
  bool daemon_sets = false;
  bool every_daemon_set = false;  // of all namespaces, whatever was asked for

  friend bool operator==(const Known&, const Known&) = default;
};

/// All that was read. Objects are sorted by (namespace, name) and unique.
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
  std::vector<PodDisruptionBudget> disruption_budgets = {};
  std::vector<Lease> leases = {};
  std::vector<ClusterRole> cluster_roles = {};
  std::vector<ClusterRoleBinding> cluster_role_bindings = {};

  /// False: nothing is known about that kind of object, which is not the same as "there is none".
  bool nodes_known = true;
  bool pods_known = true;
  bool revisions_known = true;
  /// False: there are more nodes than those that were read, and one that is not here may exist.
  bool all_nodes_known = true;
  /// Namespaces of DaemonSets whose pods were not read, or not all of them: that one is not here
  /// proves nothing. Sorted.
  std::vector<Text> namespaces_without_pods = {};
  Known known = {};
  /// Pods of every owner are here, so that what a node runs can be summed up. Else those of
  /// `crowded_nodes` only, by name, sorted.
  bool all_pods_known = false;
  bool all_pods_assumed = false;  // that is not sure: a list does not say of which namespaces it is
  std::vector<Text> crowded_nodes = {};

  friend bool operator==(const Cluster&, const Cluster&) = default;
};

/// Whether a pod of the namespace that is not in `cluster` does not exist.
[[nodiscard]] inline bool knows_pods_of(const Cluster& cluster, std::string_view ns) {
  return cluster.pods_known &&
         !std::ranges::binary_search(cluster.namespaces_without_pods, ns, {}, &Text::view);
}

/// Null if there is no such DaemonSet. Valid until `cluster.daemon_sets` changes.
[[nodiscard]] inline const DaemonSet* find_daemon_set(const Cluster& cluster, std::string_view ns,
                                                      std::string_view name) {
  const auto key = [](const DaemonSet& ds) {
    return std::pair(ds.meta.ns.view(), ds.meta.name.view());
  };
  const std::pair wanted(ns, name);
  const auto at = std::ranges::lower_bound(cluster.daemon_sets, wanted, {}, key);
  return at != cluster.daemon_sets.end() && key(*at) == wanted ? &*at : nullptr;
}

/// Null if there is no such node. Valid until `cluster.nodes` changes.
[[nodiscard]] inline const Node* find_node(const Cluster& cluster, std::string_view name) {
  const auto at = std::ranges::lower_bound(cluster.nodes, name, {},
                                           [](const Node& node) { return node.meta.name.view(); });
  return at != cluster.nodes.end() && at->meta.name == name ? &*at : nullptr;
}

/// The same, faster where it is the one at `hint`.
[[nodiscard]] inline const Node* find_node(const Cluster& cluster, const Text& name,
                                           std::size_t hint) {
  const bool is_there = hint < cluster.nodes.size() && cluster.nodes[hint].meta.name == name;
  return is_there ? &cluster.nodes[hint] : find_node(cluster, name.view());
}

/// By namespace and name; null where there is none. REQUIRES: pods are sorted, as in every cluster
/// that was read.
[[nodiscard]] inline const Pod* find_pod(const Cluster& cluster, std::string_view ns,
                                         std::string_view name) {
  const auto key = [](const Pod& pod) {
    return std::tuple(pod.meta.ns.view(), pod.meta.name.view());
  };
  const auto at = std::ranges::lower_bound(cluster.pods, std::tuple(ns, name), {}, key);
  return at != cluster.pods.end() && key(*at) == std::tuple(ns, name) ? &*at : nullptr;
}

/// Something that could not be read, and what the answer lacks because of it.
struct Omission {
  std::string resource;  // plural, as in a URL: "pods"
  std::string ns;        // empty: cluster-wide
  std::string reason;    // "Forbidden", "NotInInput", "Truncated", ...
  std::string message;
  std::string consequence;

  friend bool operator==(const Omission&, const Omission&) = default;
};

/// A field that was read, but that no API server would accept. Evaluated as the controller would.
struct Warning {
  std::string where;  // "nodes.yaml Node/gpu-1 spec.taints[0].effect"
  std::string what;

  friend bool operator==(const Warning&, const Warning&) = default;
};

/// Where an answer comes from.
struct SourceInfo {
  std::string kind;                // "cluster", "files", "demo" or "snapshot"
  std::string context;             // of the kubeconfig; empty for files
  std::string server;              // URL without credentials; empty for files
  std::vector<std::string> paths;  // of the files; empty for a cluster
  std::string server_version;      // "v1.36.2"; empty where unknown
  Time read_at;                    // of a snapshot: when the state was read that it holds
  std::string saved_from = {};     // of a snapshot: the kind of what it was saved from; else empty
  /// The moment that the answer is about, where it is not `read_at`: files have their own clock.
  OptionalTime as_of = {};

  [[nodiscard]] Time moment() const { return as_of.value_or(read_at); }

  friend bool operator==(const SourceInfo&, const SourceInfo&) = default;
};

}  // namespace dsdoctor::model
