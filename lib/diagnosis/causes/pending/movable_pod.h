// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnosis/catalogue/findings/scheduling.h"
#include "diagnosis/causes/pending/pending_case.h"
#include "model/related_objects.h"

namespace dsdoctor::diagnosis {

/// A pod that can be deleted to make room for another one, because its controller recreates it on
/// another node.
struct MovablePod {
  const model::Pod* pod = nullptr;                        // null: there is none
  const model::PodDisruptionBudget* forbidden = nullptr;  // forbids its eviction now; null: none
  bool budgets_known = false;
};

/// The best pod with at most the priority of the pending pod: first those that no
/// PodDisruptionBudget protects, then those whose controller has other ready pods.
/// Source of truth for budgets: kubernetes v1.36.2 pkg/registry/core/pod/storage/eviction.go, which
/// rejects an eviction if the budget is used up or if two budgets select the pod.
[[nodiscard]] MovablePod movable_pod(const PendingCase& the_case);

/// The finding that the node is at its pod limit, with fixes.
[[nodiscard]] FindingKind too_many_pods_with(const MovablePod& movable, parameter::Phrases what);

}  // namespace dsdoctor::diagnosis
