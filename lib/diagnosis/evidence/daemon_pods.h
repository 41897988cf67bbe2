// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
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
    std::vector<const model::Pod*> released;   // owned by reference, but the labels do not match
  };
  [[nodiscard]] Claimed claimed_by(const model::DaemonSet& ds) const;

 private:
  using Groups = std::unordered_map<std::string_view, std::vector<const model::Pod*>>;

  [[nodiscard]] std::vector<const model::Pod*> referring_to(const model::DaemonSet& ds) const;

  Groups by_owner_uid_;
  Groups by_owner_name_;  // only owners of kind DaemonSet
  Groups by_other_name_;  // owners of other projects' kinds
  Groups ownerless_;      // by namespace
  ControllerBehaviour behaviour_;
};

/// Whether the controller neither creates nor deletes pods of the DaemonSet, because it is being
/// deleted or its selector is empty.
[[nodiscard]] bool is_inactive(const model::DaemonSet& ds);

/// Whether a patch of the template has the effect that is predicted: the controller is Kubernetes'
/// own, and is active.
[[nodiscard]] inline bool takes_patches(const model::DaemonSet& ds) {
  return !ds.other_kind && !is_inactive(ds);
}

/// The name of the node that a daemon pod is bound to or was created for; the node need not exist.
/// Null if the controller cannot determine it and so neither counts nor deletes the pod. Valid as
/// long as `pod` is. Source of truth: GetTargetNodeName,
/// pkg/controller/daemon/util/daemonset_util.go.
[[nodiscard]] const model::Text* target_node(const model::Pod& pod);

/// The only DaemonSet for which `passes` is true; null if there are several or none.
[[nodiscard]] const model::DaemonSet* only_one(const std::vector<const model::DaemonSet*>& of,
                                               auto&& passes) {
  const model::DaemonSet* result = nullptr;
  for (const model::DaemonSet* ds : of) {
    if (!passes(*ds)) continue;
    if (result != nullptr) return nullptr;
    result = ds;
  }
  return result;
}

/// Whether a DaemonSet with this namespace and name controls the pod, whatever its UID.
[[nodiscard]] bool is_named_owner(const model::DaemonSet& ds, const model::Pod& pod);

[[nodiscard]] inline bool is_bound(const model::Pod& pod) { return !pod.node_name.empty(); }
[[nodiscard]] inline bool is_terminating(const model::Pod& pod) {
  return pod.meta.deleted.has_value();
}
/// Whether the phase is Failed or Succeeded.
[[nodiscard]] bool is_terminal(const model::Pod& pod);
/// Whether the first condition of type Ready is True, whatever the phase.
[[nodiscard]] bool is_ready(const model::Pod& pod);
/// spec.minReadySeconds as a duration, clamped to the API's int32, because files may have larger
/// values.
[[nodiscard]] std::chrono::seconds min_ready_time(std::int64_t min_ready_seconds);
/// Whether the pod has been ready for at least `min_ready_seconds` at `now`.
[[nodiscard]] bool is_available(const model::Pod& pod, std::int64_t min_ready_seconds,
                                model::Time now, const ControllerBehaviour& behaviour);

/// Order of the pods on a node, of which the first represents all: bound pods first, then older
/// ones, then by name.
[[nodiscard]] bool stands_before(const model::Pod& a, const model::Pod& b);

/// Whether the pod is not terminating and neither Failed nor Succeeded.
[[nodiscard]] bool is_live(const model::Pod& pod);

/// The pod's label controller-revision-hash; empty if it has none.
[[nodiscard]] std::string_view revision_hash(const model::Pod& pod);
/// The same label of a pod or of a ControllerRevision.
[[nodiscard]] std::string_view revision_hash(const model::ObjectMeta& meta);

/// Whether a DaemonSet of that name created the pod: by its owner reference, or, if `kubectl delete
/// --cascade=orphan` removed that, by its own name and a label that only such controllers set.
[[nodiscard]] bool was_made_by(const model::Pod& pod, std::string_view name);

/// Whether the live pods of a node are two pods of different revisions, as in a rollout with surge.
/// The current revision need not be known.
[[nodiscard]] bool is_surge_pair(const std::vector<const model::Pod*>& live);

/// On how many nodes the containers of a DaemonSet start. Results are stored.
class ContainerStarts {
 public:
  struct Count {
    std::int64_t started = 0;                          // pods in which the container has started
    std::map<std::string, std::int64_t> refused = {};  // pods, by the reason of the refusal
  };
  /// Why the container does not start, in words that do not differ between nodes; empty if it is
  /// not refused.
  using ReasonOf = std::string (*)(const model::Pod& pod, const model::ContainerStatus& status);

  /// The count for a container in the live pods of the revision of `pod`. `owned`: the pods of the
  /// DaemonSet; in all calls the same, as `reason_of`.
  [[nodiscard]] const Count& of(const std::vector<const model::Pod*>& owned, const model::Pod& pod,
                                std::string_view container, ReasonOf reason_of) const;

 private:
  using ByRevision = std::map<std::string_view, Count>;
  mutable std::map<std::string, ByRevision, std::less<>> by_container_;
};

/// The revisions of a cluster by the DaemonSet that controls them. Keeps pointers into the list.
class RevisionIndex {
 public:
  using Revisions = std::vector<const model::ControllerRevision*>;

  explicit RevisionIndex(const std::vector<model::ControllerRevision>& revisions);

  /// Those whose controller is a DaemonSet of this name, in the order of the list; also if it is an
  /// earlier one with another UID.
  [[nodiscard]] const Revisions& of(std::string_view ns, std::string_view name) const;

 private:
  std::map<std::pair<std::string_view, std::string_view>, Revisions> by_owner_;
};

/// Static pods and DaemonSets by the programs that they run. Keeps pointers into the cluster.
class ProgramIndex {
 public:
  struct Users {
    std::vector<const model::Pod*> static_pods;  // live ones
    std::vector<const model::DaemonSet*> daemon_sets;
  };
  using PodsByNode = std::map<std::string_view, const model::Pod*>;

  explicit ProgramIndex(const model::Cluster& cluster);

  /// Those with an image of that program, as program_of() names it, in the order of the cluster.
  [[nodiscard]] const Users& of(std::string_view program) const;
  /// The live, bound pods of a DaemonSet by their nodes, if another DaemonSet runs one of its
  /// programs; empty otherwise.
  [[nodiscard]] const PodsByNode& pods_of(const model::DaemonSet& ds) const;

 private:
  std::map<std::string_view, Users> by_program_;
  std::map<std::pair<std::string_view, std::string_view>, PodsByNode> pods_;  // of shared programs
};

/// "kube-proxy" for "registry.example/team/kube-proxy:v1@sha256:...". With a digest alone both name
/// and digest: such a repository can have the images of many programs, as OpenShift's release.
/// Points into `image`.
[[nodiscard]] std::string_view program_of(std::string_view image);

/// Distinguishes up-to-date pods from outdated ones. Source of truth: IsPodUpdated,
/// pkg/controller/daemon/util/daemonset_util.go; constructHistory.
class TemplateRevision {
 public:
  /// `owned`: the pods of the DaemonSet.
  TemplateRevision(const model::DaemonSet& ds, const model::Cluster& cluster,
                   const std::vector<const model::Pod*>& owned = {});
  /// The same, faster. `revisions`: those of the DaemonSet's name; it is Kubernetes' own kind.
  TemplateRevision(const model::DaemonSet& ds, const model::Cluster& cluster,
                   const RevisionIndex::Revisions& revisions,
                   const std::vector<const model::Pod*>& owned);

  /// By revision hash or by template generation.
  [[nodiscard]] bool is_current(const model::Pod& pod) const;
  /// By revision hash alone, as surge decides.
  [[nodiscard]] bool has_current_hash(const model::Pod& pod) const;
  /// False if neither hash nor generation is known: no pod can be classified then.
  [[nodiscard]] bool is_known() const { return !hash_.empty() || generation_.has_value(); }
  /// Empty if no revision of the current template was read.
  [[nodiscard]] const model::Text& hash() const { return hash_; }

 private:
  [[nodiscard]] bool has_current_generation(const model::Pod& pod) const;

  model::Text hash_;
  std::optional<std::string> generation_;
};

}  // namespace dsdoctor::diagnosis
