#pragma once

#include <cstdint>
#include <vector>

#include "model/pod.h"
#include "placement/feature_gates.h"
#include "scheduling/surroundings.h"

namespace dsdoctor::scheduling {

/// One hard constraint (DoNotSchedule) on one node.
struct SpreadResult {
  Judgement judgement = Judgement::Passes;
  std::size_t constraint = 0;  // into topologySpreadConstraints
  bool lacks_label = false;    // no pod's leaving helps
  std::int64_t here = 0;       // pods that match in the node's domain
  std::int64_t self = 0;       // 1 if the pod matches its own selector
  std::int64_t least = 0;      // of all domains; 0 if there are too few of them
  std::int64_t domains = 0;
};

/// Every hard constraint of the pod. Counts are meaningful only if the judgement is not Unknown and
/// the node has the label.
/// Source of truth: kubernetes v1.36.2, pkg/scheduler/framework/plugins/podtopologyspread/
/// filtering.go and common.go.
[[nodiscard]] std::vector<SpreadResult> topology_spread(const model::Pod& pod,
                                                        const Surroundings& around,
                                                        placement::FeatureGates gates);

}  // namespace dsdoctor::scheduling
