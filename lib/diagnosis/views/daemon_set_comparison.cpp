// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/views/daemon_set_comparison.h"

#include "diagnosis/reporter.h"

namespace dsdoctor::diagnosis {

DaemonSetComparison compare_daemon_sets(const Reporter& reporter, const model::DaemonSet& first,
                                        const model::DaemonSet& second,
                                        const std::function<bool(const model::Node&)>& selects) {
  const DaemonSetReport one = reporter.verdicts(first, selects);
  const DaemonSetReport other = reporter.verdicts(second, selects);
  DaemonSetComparison result;
  result.first = {one.ns, one.name};
  result.second = {other.ns, other.name};
  if (!one.evaluated.nodes_known) return result;  // each report has only the nodes of its pods
  // Both list the same nodes in the same order.
  for (std::size_t i = 0; i < one.nodes.size(); ++i) {
    const bool wants = placement::should_run(one.nodes[i].decision());
    if (wants != placement::should_run(other.nodes[i].decision())) {
      result.nodes.push_back({one.nodes[i], other.nodes[i]});
    } else {
      ++(wants ? result.both : result.neither);
    }
  }
  return result;
}

}  // namespace dsdoctor::diagnosis
