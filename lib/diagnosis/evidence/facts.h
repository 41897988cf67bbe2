// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "diagnosis/evidence/daemon_pods.h"
#include "model/cluster.h"
#include "model/release.h"
#include "scheduling/fit.h"
#include "scheduling/neighbourhood.h"

namespace dsdoctor::diagnosis {

[[nodiscard]] inline bool is_terminating(const model::Namespace& ns) {
  return ns.phase == "Terminating" || ns.meta.deleted.has_value();
}

/// Whether a PodGroup lets the scheduler queue its pods.
enum class PodGroupHold : std::uint8_t {
  None,     // it does
  Missing,  // the PodGroup does not exist
  Short,    // it has fewer pods than its minCount
  Unknown,  // it was not read, or not all of its pods, or it is part of a larger group
};

struct PodGroupState {
  PodGroupHold hold = PodGroupHold::None;
  const model::PodGroup* group = nullptr;  // null: not read
  std::size_t pods = 0;                    // of the PodGroup, as far as they were read
};

/// A cluster with the indexes that findings need. Keeps pointers: the cluster must outlive it
/// unchanged. Lookups return null or an empty list if there is no such object. Functions marked
/// "Cached" store their results.
class Facts {
 public:
  /// `is_earliest`: the state was saved at `now` or later.
  Facts(const model::Cluster& cluster, model::Time now, bool is_earliest = false);
  Facts(const Facts&) = delete;
  Facts& operator=(const Facts&) = delete;

  [[nodiscard]] const model::Cluster& cluster() const { return cluster_; }
  /// The time of the diagnosis, from which ages are measured.
  [[nodiscard]] model::Time now() const { return now_; }
  /// Whether ages are lower bounds: nothing is known to be young.
  [[nodiscard]] bool is_now_earliest() const { return is_now_earliest_; }
  /// The cluster's release. Remembers it.
  [[nodiscard]] const model::ClusterRelease& release() const;
  /// As model::is_known_to_apply().
  [[nodiscard]] bool is_known_to_apply(model::ReleaseRule rule) const;
  /// How this release counts a pod that occupies a node.
  [[nodiscard]] scheduling::CountedBy counted_by() const;

  using Pods = std::vector<const model::Pod*>;
  using Events = std::vector<const model::Event*>;

  /// All pods that are bound to the node and neither Succeeded nor Failed, of any owner, including
  /// terminating ones. Complete only if knows_all_pods_on.
  [[nodiscard]] const Pods& pods_on(std::string_view node) const;
  [[nodiscard]] bool knows_all_pods_on(std::string_view node) const;
  /// Whether an input that is possibly incomplete has only pods of one namespace, as with `kubectl
  /// get --namespace`. If the cluster's own components report more pods, they are right. Cached.
  [[nodiscard]] bool has_pods_of_one_namespace() const;
  /// Whether pods_on() is complete. If false, a pod that is missing in it may exist.
  [[nodiscard]] bool has_every_pod_on(std::string_view node) const;
  /// The node's resources and their use by pods_on(); the same object for nodes with equal values.
  /// Cached for nodes of the cluster.
  [[nodiscard]] const scheduling::NodeRoom& room_on(const model::Node& node) const;
  /// Properties of a node that matter for a pod that only requests resources and tolerates the
  /// node's taints.
  struct PlainNode {
    bool is_sized = false;                       // it has status.allocatable
    const scheduling::NodeRoom* room = nullptr;  // null: something else may also block pods
  };
  /// Cached. REQUIRES: `node` is an element of cluster().nodes.
  [[nodiscard]] const PlainNode& plain_node(const model::Node& node) const;
  /// The pods of all nodes by topology. Cached.
  [[nodiscard]] scheduling::Neighbourhood& neighbourhood() const { return neighbourhood_; }
  /// Whether no bound pod has required anti-affinity.
  [[nodiscard]] bool no_pod_excludes_others() const { return anti_affine_pods_.empty(); }
  /// Number of ready pods with the same controller, as far as they were read; 0 for a pod without a
  /// controller. Cached.
  [[nodiscard]] std::size_t ready_replicas(const model::Pod& pod) const;
  /// Whether a scheduler of that name has processed a pod, as far as pods were read. Cached.
  [[nodiscard]] bool has_scheduled(const model::Text& scheduler) const;
  /// When the DaemonSet controller created a pod or tried to, at the latest: the newest pod of any
  /// DaemonSet, or event of a creation. Absent if nothing shows one.
  [[nodiscard]] model::OptionalTime last_creation() const;
  /// Whether the controller has processed the DaemonSet, but neither created a pod for it nor tried
  /// to, although it had the time. Pods must have been read.
  [[nodiscard]] bool was_left_without_pods(const model::DaemonSet& ds) const;
  /// The number of these DaemonSets.
  [[nodiscard]] std::int64_t left_without_pods() const;
  /// All labels of nodes: for each key its values, each with the first node that has it. Cached.
  using LabelsOfNodes =
      std::unordered_map<std::string_view,
                         std::unordered_map<std::string_view, const model::Node*>>;
  [[nodiscard]] const LabelsOfNodes& labels_of_nodes() const;
  /// The DaemonSets that set up the network of nodes and are not being deleted. Cached.
  [[nodiscard]] const std::vector<const model::DaemonSet*>& network_plugins() const;
  /// The revisions of the cluster by their DaemonSets. Cached.
  [[nodiscard]] const RevisionIndex& revisions() const;
  /// The static pods and DaemonSets of the cluster by their programs. Cached.
  [[nodiscard]] const ProgramIndex& programs() const;
  /// Unbound pods for which the scheduler preempts pods on the node.
  [[nodiscard]] const Pods& nominated_to(std::string_view node) const;

  /// The pods of the PodGroup that have not ended. Cached.
  [[nodiscard]] const Pods& pods_of_group(std::string_view ns, std::string_view name) const;
  /// The state of the pod's PodGroup; nothing holds a pod without one. The scheduler counts the
  /// pods that have not ended, also bound and terminating ones. Source of truth: kubernetes v1.36.3
  /// to v1.38.0-beta.0, pkg/scheduler/framework/plugins/gangscheduling/gangscheduling.go:
  /// PreEnqueue.
  [[nodiscard]] PodGroupState pod_group_of(const model::Pod& pod) const;
  /// The first unbound pod of the PodGroup that the scheduler rejects by itself, or, if there is
  /// none, whose requests do not fit on its node; null if there is none either. Cached.
  [[nodiscard]] const model::Pod* first_rejected_of_group(std::string_view ns,
                                                          std::string_view name) const;

  /// Events about an object, oldest first: by UID if the event has one, else by kind, namespace and
  /// name; never by UID for nodes.
  [[nodiscard]] Events events_of(std::string_view kind, std::string_view ns, std::string_view name,
                                 const model::UniqueText& uid) const;
  /// Events about pods of `ns` whose name begins with `prefix`; the pods may be deleted.
  [[nodiscard]] Events events_of_pods(std::string_view ns, std::string_view prefix) const;
  /// Events about pods whose name was generated from exactly `prefix`: for "agent-" those of
  /// agent-x7x2k, not those of agent-eu-x7x2k. Oldest first; the pods may be deleted.
  [[nodiscard]] Events events_of_generated_pods(std::string_view ns, std::string_view prefix) const;

  /// The time when the node's kubelet last stopped containers of a pod, by the events that were
  /// read. Cached.
  [[nodiscard]] model::OptionalTime last_killing_on(std::string_view node) const;
  /// The result of controller_manager_silence() for this cluster. Cached.
  [[nodiscard]] std::optional<model::Time::duration> controller_manager_silence() const;
  /// Whether the DaemonSet controller has not processed the spec of any DaemonSet for a while.
  /// False if there is only one. Several that were changed together may wait for a new leader.
  /// Cached.
  [[nodiscard]] bool is_controller_behind_on_all() const;
  /// The number of DaemonSets whose spec the controller has processed. Cached.
  [[nodiscard]] std::size_t processed_daemon_sets() const;
  /// The DaemonSets of the namespace. Cached.
  [[nodiscard]] const std::vector<const model::DaemonSet*>& daemon_sets_in(
      std::string_view ns) const;

  [[nodiscard]] const model::Namespace* ns(std::string_view name) const;
  [[nodiscard]] const model::PriorityClass* priority_class(std::string_view name) const;
  [[nodiscard]] const model::RuntimeClass* runtime_class(std::string_view name) const;
  [[nodiscard]] const model::ServiceAccount* service_account(std::string_view ns,
                                                             std::string_view name) const;
  [[nodiscard]] const model::PersistentVolumeClaim* claim(std::string_view ns,
                                                          std::string_view name) const;
  [[nodiscard]] const model::PersistentVolume* volume(std::string_view name) const;
  [[nodiscard]] const model::StorageClass* storage_class(std::string_view name) const;
  [[nodiscard]] const model::CsiNode* csi_node(std::string_view name) const;
  [[nodiscard]] const model::Lease* lease(std::string_view ns, std::string_view name) const;

 private:
  const model::Cluster& cluster_;
  model::Time now_;
  bool is_now_earliest_;
  std::unordered_map<std::string_view, Pods> pods_by_node_;
  std::unordered_map<std::string_view, Pods> nominated_;
  Pods anti_affine_pods_;
  mutable std::unordered_map<std::string, scheduling::NodeRoom> rooms_;  // by content
  mutable std::vector<const scheduling::NodeRoom*> rooms_by_node_;       // last: any other node
  mutable std::vector<std::optional<PlainNode>> plain_nodes_;            // by index in the cluster
  mutable scheduling::Neighbourhood neighbourhood_;
  mutable std::optional<std::unordered_map<std::string, std::size_t>> ready_by_controller_;
  mutable std::optional<std::vector<const model::DaemonSet*>> network_plugins_;
  mutable std::optional<RevisionIndex> revisions_;
  mutable std::optional<ProgramIndex> programs_;
  mutable std::optional<std::unordered_set<std::string_view>> schedulers_;
  mutable std::optional<LabelsOfNodes> labels_of_nodes_;
  mutable std::optional<model::OptionalTime> last_creation_;
  mutable std::optional<std::int64_t> without_pods_;
  mutable std::optional<bool> has_pods_of_one_namespace_;
  mutable std::optional<std::unordered_map<std::string_view, model::Time>> killings_;  // by node
  mutable std::optional<model::ClusterRelease> release_;
  mutable std::optional<std::optional<model::Time::duration>> silence_;
  mutable std::optional<bool> is_behind_on_all_;
  mutable std::optional<std::size_t> processed_;
  mutable std::unordered_map<std::string_view, std::vector<const model::DaemonSet*>> daemon_sets_;
  struct PodGroupMembers {
    Pods pods;
    std::optional<const model::Pod*> first_rejected;
  };
  [[nodiscard]] PodGroupMembers& members_of(std::string_view ns, std::string_view name) const;
  /// By namespace and name.
  mutable std::optional<std::map<std::pair<std::string_view, std::string_view>, PodGroupMembers>>
      pod_groups_;
  std::unordered_map<std::string_view, Events> events_by_name_;        // name of the object
  std::unordered_map<std::string_view, Events> pod_events_by_prefix_;  // generated names only
};

/// Whether the controller has processed the spec, as far as its generation shows.
[[nodiscard]] inline bool is_processed(const model::DaemonSet& ds) {
  return ds.generation > 0 && ds.generation == ds.observed_generation;
}

/// Time in which a working controller processes a new spec.
inline constexpr std::chrono::seconds observing_slack{60};
/// Time in which a working controller creates a pod.
inline constexpr std::chrono::seconds creating_slack{120};
/// Time in which a new leader is elected.
inline constexpr std::chrono::seconds slack_of_all{15};

/// Sorts by time, oldest first, and events of the same time in the cluster's order. Removes
/// duplicates.
void sort_by_time(Facts::Events& events);

}  // namespace dsdoctor::diagnosis
