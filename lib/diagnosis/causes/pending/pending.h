#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"
#include "model/pod.h"
#include "scheduling/pod_requests.h"

/// Why a pod waits for its node: the scheduler's filters recomputed for the one node that a daemon
/// pod can go to, and what the scheduler itself says. Unlike the scheduler's message, which names
/// the first filter that fails, everything in the way is named.
namespace dsdoctor::diagnosis {

/// Of an unbound pod that is made for the node: all that keeps it off, what no eviction can help
/// first, then in the order of the scheduler's plugins; at last what explains it. A pod that waits
/// for less than threshold::pending, or whose node is new, yields info only.
[[nodiscard]] std::vector<Finding> pending_findings(const NodeCase& the_case,
                                                    const model::Pod& pod);

/// The pods of a DaemonSet that are still to be created.
class PodPrediction {
 public:
  explicit PodPrediction(const DaemonSetCase& of);

  /// What would keep the pod off the node, from the template. Basis is Predicted, severity info: it
  /// is not the reason why the pod is missing. `the_case` is of that DaemonSet.
  [[nodiscard]] std::vector<Finding> findings(const NodeCase& the_case);
  /// Sees immediately that there is none on this node of the cluster, which should run the pod.
  /// False: it takes `findings` to tell.
  [[nodiscard]] bool has_none(const model::Node& on);

 private:
  const Facts& facts_;
  model::Pod pod_;  // for the node that was asked about last
  scheduling::PodRequests requests_;
  bool asks_for_amounts_only_ = false;
  std::unordered_map<const scheduling::NodeRoom*, bool> fits_;
  const scheduling::NodeRoom* last_room_ = nullptr;  // that was asked about: most nodes are alike
  bool fits_last_ = false;
};

/// Of the DaemonSet's unbound pods that are made for nodes which are not in the cluster. Empty
/// where no nodes were read.
[[nodiscard]] std::vector<Finding> lost_target_findings(const DaemonSetCase& the_case);

/// The place of a finding among those of this family: blockers that no eviction helps, then the
/// others, each in the order of the scheduler's plugins, then the scheduler's own troubles and
/// preemption. Larger than all of these for any other id.
[[nodiscard]] int plugin_rank(FindingId id);

}  // namespace dsdoctor::diagnosis
