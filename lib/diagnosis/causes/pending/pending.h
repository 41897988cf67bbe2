// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"
#include "model/pod.h"
#include "scheduling/pod_requests.h"

/// Explains why a pod is pending: recomputes the scheduler's filters for the only node that a
/// daemon pod can run on, and reads the scheduler's own messages. The scheduler's message names
/// only the first filter that fails; this reports all of them.
namespace dsdoctor::diagnosis {

/// Reports everything that excludes an unbound pod from its node: first the problems that no
/// eviction resolves, then the others, each in the order of the scheduler's plugins, and last what
/// explains them. Info only if the pod is younger than threshold::pending, and nothing is in its
/// way that remains until somebody acts, or if its node is new.
[[nodiscard]] std::vector<Finding> pending_findings(const NodeCase& the_case,
                                                    const model::Pod& pod);

/// The pods of a DaemonSet that are still to be created.
class PodPrediction {
 public:
  explicit PodPrediction(const DaemonSetCase& of);

  /// Reports what would exclude the pod from the node, according to the template. Basis is
  /// Predicted and severity info, because it is not the reason why the pod is missing. `the_case`
  /// is of that DaemonSet.
  [[nodiscard]] std::vector<Finding> findings(const NodeCase& the_case);
  /// Returns true if a quick check shows that there are no findings on this node of the cluster,
  /// which should run the pod. If false, call `findings`.
  [[nodiscard]] bool has_none(const model::Node& on);

 private:
  const Facts& facts_;
  model::Pod pod_;  // for the node of the last query
  scheduling::PodRequests requests_;
  bool asks_for_amounts_only_ = false;
  std::unordered_map<const scheduling::NodeRoom*, bool> fits_;
  const scheduling::NodeRoom* last_room_ = nullptr;  // of the last query; most nodes are alike
  bool fits_last_ = false;
};

/// Reports the DaemonSet's unbound pods whose target nodes are not in the cluster. Empty if no
/// nodes were read.
[[nodiscard]] std::vector<Finding> lost_target_findings(const DaemonSetCase& the_case);

/// The rank of a finding within this family: blockers that no eviction resolves, then the others,
/// each in the order of the scheduler's plugins, then problems of the scheduler itself and
/// preemption. Larger than all of these for any other id.
[[nodiscard]] int plugin_rank(FindingId id);

}  // namespace dsdoctor::diagnosis
