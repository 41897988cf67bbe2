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
    if (there != here) result.push_back({field, there, here});
  };
  using Counts = model::DaemonSetCounts;
  compare("desiredNumberScheduled", &Counts::desired_number_scheduled);
  // That of all counters this one agrees tells nothing of the others.
  if (!evaluated.pods_known) return result.empty() ? std::nullopt : std::optional(result);
  compare("currentNumberScheduled", &Counts::current_number_scheduled);
  compare("numberMisscheduled", &Counts::number_misscheduled);
  compare("numberReady", &Counts::number_ready);
  compare("numberAvailable", &Counts::number_available);
  if (!evaluated.revision_known) return result;
  compare("updatedNumberScheduled", &Counts::updated_number_scheduled);
  return result;
}

}  // namespace dsdoctor::diagnosis
