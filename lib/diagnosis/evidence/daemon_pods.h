#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "diagnosis/controller/controller_behaviour.h"
#include "model/cluster.h"

namespace dsdoctor::diagnosis {

/// Finds the pods of a DaemonSet as the controller does.
/// Source of truth: getDaemonPods and ClaimPods, kubernetes v1.36.2, pkg/controller/daemon/
/// daemon_controller.go and pkg/controller/controller_ref_manager.go.
class PodIndex {
 public:
  /// Keeps pointers into `cluster.pods`: the cluster must outlive the index and stay unchanged.
  PodIndex(const model::Cluster& cluster, const ControllerBehaviour& behaviour);

  struct Claimed {
    std::vector<const model::Pod*> owned;
    std::vector<const model::Pod*> adoptable;  // no controller reference, labels match: counted too
    std::vector<const model::Pod*> released;   // ours by reference, but the labels do not match
  };
  [[nodiscard]] Claimed claimed_by(const model::DaemonSet& ds) const;

 private:
  using Groups = std::unordered_map<std::string_view, std::vector<const model::Pod*>>;

  [[nodiscard]] std::vector<const model::Pod*> referring_to(const model::DaemonSet& ds) const;

  Groups by_owner_uid_;
  Groups by_owner_name_;  // of owners of kind DaemonSet
  Groups ownerless_;      // by namespace
  ControllerBehaviour behaviour_;
};

/// The controller creates and deletes no pods of it: it is being deleted, or its selector is empty.
[[nodiscard]] bool is_inactive(const model::DaemonSet& ds);

/// The node that a daemon pod is bound to or made for; null where the controller cannot tell, and
/// so neither counts nor deletes the pod. It need not exist. Valid as long as `pod` is.
/// Source of truth: GetTargetNodeName, pkg/controller/daemon/util/daemonset_util.go.
[[nodiscard]] const model::Text* target_node(const model::Pod& pod);

[[nodiscard]] inline bool is_bound(const model::Pod& pod) { return !pod.node_name.empty(); }
[[nodiscard]] inline bool is_terminating(const model::Pod& pod) {
  return pod.meta.deleted.has_value();
}
/// Failed or Succeeded.
[[nodiscard]] bool is_terminal(const model::Pod& pod);
/// The first condition of type Ready is True; the phase plays no part.
[[nodiscard]] bool is_ready(const model::Pod& pod);
/// spec.minReadySeconds as a time; an int32 in the API, files may have more.
[[nodiscard]] std::chrono::seconds min_ready_time(std::int64_t min_ready_seconds);
/// Ready for at least `min_ready_seconds` at `now`.
[[nodiscard]] bool is_available(const model::Pod& pod, std::int64_t min_ready_seconds,
                                model::Time now, const ControllerBehaviour& behaviour);

/// Which of several pods on a node stands for them: bound ones first, then older, then by name.
[[nodiscard]] bool stands_before(const model::Pod& a, const model::Pod& b);

/// Not terminating, and neither Failed nor Succeeded.
[[nodiscard]] bool is_live(const model::Pod& pod);

/// The pod's label controller-revision-hash; empty where it has none.
[[nodiscard]] std::string_view revision_hash(const model::Pod& pod);
/// The same label of a pod or of a ControllerRevision.
[[nodiscard]] std::string_view revision_hash(const model::ObjectMeta& meta);

/// Made by a DaemonSet of that name: its owner reference says so, or, where `kubectl delete
/// --cascade=orphan` took that away, its own name and the label that only such controllers set.
[[nodiscard]] bool was_made_by(const model::Pod& pod, std::string_view name);

/// Two live pods of one node that a rollout with surge explains: they are of two revisions. Which
/// of them is the present one need not be known.
[[nodiscard]] bool is_surge_pair(const std::vector<const model::Pod*>& live);

/// Tells pods of the current template from outdated ones.
/// Source of truth: IsPodUpdated, pkg/controller/daemon/util/daemonset_util.go; constructHistory.
class TemplateRevision {
 public:
  /// `owned`: the pods of the DaemonSet.
  TemplateRevision(const model::DaemonSet& ds, const model::Cluster& cluster,
                   const std::vector<const model::Pod*>& owned = {});

  /// By revision hash or by template generation.
  [[nodiscard]] bool is_current(const model::Pod& pod) const;
  /// By revision hash alone, as surge decides.
  [[nodiscard]] bool has_current_hash(const model::Pod& pod) const;
  /// False where neither was read: then no pod can be told from another.
  [[nodiscard]] bool is_known() const { return !hash_.empty() || generation_.has_value(); }
  /// Empty where no revision of the current template was read.
  [[nodiscard]] const model::Text& hash() const { return hash_; }

 private:
  [[nodiscard]] bool has_current_generation(const model::Pod& pod) const;

  model::Text hash_;
  std::optional<std::string> generation_;
};

}  // namespace dsdoctor::diagnosis
