// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/evidence/status.h"

namespace dsdoctor::diagnosis {

void count_node(model::DaemonSetCounts& counts, placement::Decision decision,
                const CountedPod* pod) {
  if (!placement::should_run(decision)) {
    if (pod != nullptr) ++counts.number_misscheduled;
    return;
  }
  ++counts.desired_number_scheduled;
  if (pod == nullptr) return;
  ++counts.current_number_scheduled;
  if (pod->ready) ++counts.number_ready;
  if (pod->available) ++counts.number_available;
  if (pod->updated) ++counts.updated_number_scheduled;
}

std::optional<std::vector<CountDifference>> differences(const model::DaemonSetCounts& reported,
                                                        const EvaluatedCounts& evaluated) {
  if (!evaluated.nodes_known) return std::nullopt;
  std::vector<CountDifference> result;
  const auto compare = [&](const char* field, std::int64_t model::DaemonSetCounts::*member) {
    const std::int64_t there = reported.*member;
    const std::int64_t here = evaluated.counts.*member;
    const bool of_other_nodes = !evaluated.all_nodes_known && there > here;
    if (there != here && !of_other_nodes) result.push_back({field, there, here});
  };
  using Counts = model::DaemonSetCounts;
  compare("desiredNumberScheduled", &Counts::desired_number_scheduled);
  const auto partial = [&] { return result.empty() ? std::nullopt : std::optional(result); };
  // If only this counter is known and agrees, the others may still differ.
  if (!evaluated.pods_known) return partial();
  compare("currentNumberScheduled", &Counts::current_number_scheduled);
  compare("numberMisscheduled", &Counts::number_misscheduled);
  compare("numberReady", &Counts::number_ready);
  compare("numberAvailable", &Counts::number_available);
  if (evaluated.revision_known) {
    compare("updatedNumberScheduled", &Counts::updated_number_scheduled);
  }
  return evaluated.all_nodes_known ? std::optional(result) : partial();
}

}  // namespace dsdoctor::diagnosis
