// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "model/pod.h"
#include "scheduling/surroundings.h"

namespace dsdoctor::scheduling {

/// spec.priority; 0 if the pod has none.
[[nodiscard]] inline std::int64_t priority_of(const model::Pod& pod) {
  return pod.spec->priority.value_or(0);
}

/// Only system-cluster-critical and system-node-critical have a higher priority.
inline constexpr std::int64_t highest_user_priority = 1'000'000'000;

struct PreemptionEstimate {
  std::size_t candidates = 0;  // pods of lower priority
  bool helps = false;          // the pod would fit without all candidates
  /// Pods that the scheduler would evict, ignoring PodDisruptionBudgets; empty unless `helps`.
  Pods victims;
  /// The lowest priority with which preemption would succeed; absent if there is none.
  std::optional<std::int64_t> needed;
};

/// Whether the pod fits if only these pods are left on the node.
using FitsBeside = std::function<bool(const Pods& left)>;

/// Whether evicting pods of lower priority from the pod's only node helps. REQUIRES: the pod does
/// not fit beside `here`.
/// Source of truth: kubernetes v1.36.2, pkg/scheduler/framework/plugins/defaultpreemption/
/// default_preemption.go: SelectVictimsOnNode.
[[nodiscard]] PreemptionEstimate estimate_preemption(std::int64_t priority, const Pods& here,
                                                     const FitsBeside& fits);

}  // namespace dsdoctor::scheduling
