#pragma once

#include "diagnosis/catalogue/findings/scheduling.h"
#include "diagnosis/causes/pending/pending_case.h"
#include "model/related_objects.h"

namespace dsdoctor::diagnosis {

/// A pod on a node that can make room for another one, because its controller creates it again on
/// another node.
struct MovablePod {
  const model::Pod* pod = nullptr;                        // null: there is none
  const model::PodDisruptionBudget* forbidden = nullptr;  // by this, now; null: by none
  bool budgets_known = false;
};

/// Of no higher priority than the pod of the case; one that no PodDisruptionBudget keeps from being
/// evicted comes first, then one whose controller has other ready pods.
/// Source of truth for budgets: kubernetes v1.36.2 pkg/registry/core/pod/storage/eviction.go, which
/// refuses where none is left, and where two budgets select the pod.
[[nodiscard]] MovablePod movable_pod(const PendingCase& the_case);

/// The node is at its pod limit, with what can be done about it.
[[nodiscard]] FindingKind too_many_pods_with(const MovablePod& movable, parameter::Phrases what);

}  // namespace dsdoctor::diagnosis
