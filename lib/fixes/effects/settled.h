// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "diagnosis/report/report.h"
#include "model/cluster.h"
#include "placement/feature_gates.h"

/// The counts of a DaemonSet after all controllers are done.
namespace dsdoctor::fixes {

/// A node after a change: its decision, and the pods that are on it now.
struct Place {
  diagnosis::NodeReport today;        // its pods
  const model::Node* node = nullptr;  // after the change; never null
  placement::Decision decision = placement::Decision::Run;
  bool gained = false;  // becomes eligible
};

struct Settled {
  std::int64_t desired = 0;
  std::int64_t current = 0;
  std::int64_t misscheduled = 0;
  std::size_t replaced = 0;          // pods that the rolling update deletes and creates again
  std::vector<model::Text> deletes;  // nodes whose pod is deleted and not created again
  std::vector<model::Text> ending;   // nodes that are not eligible and whose pod is terminating now
  /// Nodes where a deletion is never confirmed, because the kubelet does not report: the pod stays
  /// Terminating, and counts.
  std::vector<model::Text> unconfirmed;
  /// Nodes without an available pod that use up the budget of the rolling update, and the budget:
  /// "maxUnavailable 1". Empty if the rollout continues.
  std::vector<model::Text> waits_for;
  std::string budget;
};

/// The budget of a rolling update, as the controller computes it.
struct Budget {
  std::int64_t amount = 0;
  bool surge = false;
};
/// `desired`: the number of eligible nodes.
[[nodiscard]] Budget budget_of(const model::DaemonSet& ds, std::int64_t desired);
/// "maxUnavailable 1"
[[nodiscard]] std::string text_of(const Budget& budget);

/// The end of the pods of a node.
enum class Outcome {
  Stay,         // or there are none
  Deleted,      // and not created again
  Ending,       // as Deleted, and terminating now
  Unconfirmed,  // deleted, and the deletion is never confirmed
};

/// The part of a node in Settled.
struct Share {
  bool current = false;
  bool misscheduled = false;
  bool replaced = false;
  Outcome outcome = Outcome::Stay;
};

/// The rules by which a node's part follows from its place and from a few values of the whole.
class Settling {
 public:
  /// With `new_template` the rollout replaces every pod. Keeps references.
  Settling(const model::DaemonSet& ds, const model::Cluster& cluster, placement::FeatureGates gates,
           bool new_template);

  /// Whether pods of older revisions are replaced without action.
  [[nodiscard]] bool rolls() const { return rolls_; }
  /// Whether the rolling update would replace or delete a pod there if its budget allowed it.
  [[nodiscard]] bool waits_its_turn(const Place& place) const;
  /// An eligible node without an available pod uses a unit; with maxSurge only if it has an old
  /// pod. A node that is not eligible uses one as long as it has an unavailable pod: permanently,
  /// if no kubelet confirms the deletion.
  [[nodiscard]] bool uses_budget(const Place& place, const Budget& budget) const;

  struct Whole {
    Budget budget;
    bool pauses = false;      // the rolling update waits for nodes that use up its budget
    bool lacks_pods = false;  // now, on an eligible node
  };
  [[nodiscard]] Share share_of(const Place& place, const Whole& whole) const;

 private:
  [[nodiscard]] bool is_old(const diagnosis::PodReport& pod) const;
  [[nodiscard]] Share share_of_other(const Place& place, const Whole& whole) const;
  [[nodiscard]] bool is_deleted(const diagnosis::PodReport& pod, const Place& place,
                                const Whole& whole) const;
  [[nodiscard]] bool is_evicted(const diagnosis::PodReport& pod, const model::Node& node) const;
  [[nodiscard]] bool is_replaced_for_good(const diagnosis::PodReport& pod,
                                          const Whole& whole) const;

  const model::DaemonSet& ds_;
  const model::Cluster& cluster_;
  placement::FeatureGates gates_;
  bool rolls_;
  bool new_template_;
};

/// Whether no kubelet confirms that a pod has ended, because it does not report. With the taint
/// out-of-service the pod garbage collector deletes the pod instead.
[[nodiscard]] bool confirms_no_deletion(const model::Node& node);

/// Whether the taint controller deletes a pod with these tolerations: for each NoExecute taint the
/// first matching toleration decides, and one with tolerationSeconds ends.
[[nodiscard]] bool is_evicted(const std::vector<model::Toleration>& tolerations,
                              const model::Node& node, placement::FeatureGates gates);

/// The counts after creations, evictions, deletions and, with `new_template`, the rollout are done.
/// With strategy OnDelete no pod is replaced. A rolling update deletes pods on nodes that are not
/// eligible, too, and does not create them again.
/// Source of truth: podsShouldBeOnNode and rollingUpdate, kubernetes v1.36.2,
/// pkg/controller/daemon; evictions: pkg/controller/tainteviction.
[[nodiscard]] Settled settle(const model::DaemonSet& ds, const std::vector<Place>& places,
                             const model::Cluster& cluster, placement::FeatureGates gates,
                             bool new_template);

}  // namespace dsdoctor::fixes
