// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/pod.h"
#include "placement/feature_gates.h"
#include "scheduling/surroundings.h"

namespace dsdoctor::scheduling {

/// The result of a hard constraint (DoNotSchedule) on a node.
struct SpreadResult {
  Judgement judgement = Judgement::Passes;
  std::size_t constraint = 0;  // into topologySpreadConstraints
  bool lacks_label = false;    // removing pods does not help
  std::int64_t here = 0;       // matching pods in the node's domain
  std::int64_t self = 0;       // 1 if the pod matches its own selector
  std::int64_t least = 0;      // minimum of all domains; 0 with fewer domains than minDomains
  std::int64_t domains = 0;
};

/// The results of all hard constraints of the pod. The counts are meaningful only if the judgement
/// is not Unknown and the node has the label. Source of truth: kubernetes v1.36.2,
/// pkg/scheduler/framework/plugins/podtopologyspread/ filtering.go and common.go.
[[nodiscard]] std::vector<SpreadResult> topology_spread(const model::Pod& pod,
                                                        const Surroundings& around,
                                                        placement::FeatureGates gates);

}  // namespace dsdoctor::scheduling
