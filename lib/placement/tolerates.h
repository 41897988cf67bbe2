// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "model/scheduling.h"
#include "placement/feature_gates.h"

namespace dsdoctor::placement {

/// The first test that a toleration fails against a taint. The effect is compared first, then the
/// key, then the value as the operator requires.
enum class TolerationMiss {
  Key,       // names another key
  Effect,    // names another effect
  Operator,  // an operator that Kubernetes does not know
  Value,     // Equal (or no operator), and the value differs
  Integer,   // Lt or Gt: not a canonical integer on one side
  Number,    // Lt or Gt: the comparison is false
  Gate,      // Lt or Gt that would match if TaintTolerationComparisonOperators were on
};

/// Why `toleration` does not tolerate `taint`; absent when it does. Compares bytes and ignores
/// tolerationSeconds. An empty key matches every key, whatever the operator. Source of truth:
/// Toleration.ToleratesTaint, kubernetes v1.36.2, staging/src/k8s.io/api/core/v1/toleration.go.
[[nodiscard]] std::optional<TolerationMiss> toleration_miss(const model::Toleration& toleration,
                                                            const model::Taint& taint,
                                                            FeatureGates gates);

[[nodiscard]] inline bool tolerates(const model::Toleration& toleration, const model::Taint& taint,
                                    FeatureGates gates) {
  return !toleration_miss(toleration, taint, gates);
}

/// The first toleration that matches the taint, which is the one that counts; null if none does.
[[nodiscard]] const model::Toleration* first_tolerating(
    const std::vector<model::Toleration>& tolerations, const model::Taint& taint,
    FeatureGates gates);

/// Whether the taint's effect is NoSchedule or NoExecute; every other effect is ignored.
[[nodiscard]] bool is_blocking(const model::Taint& taint);

/// The tolerations that the DaemonSet controller adds by itself, in its order; the last one only
/// with `host_network`. Source of truth: AddOrUpdateDaemonPodTolerations,
/// pkg/controller/daemon/util/daemonset_util.go; constant since 1.18.
[[nodiscard]] std::vector<model::Toleration> automatic_tolerations(bool host_network);

/// The template's list with the automatic ones merged in as the controller does: an automatic one
/// replaces an entry with the same key, operator, effect and value, else it is appended.
[[nodiscard]] std::vector<model::Toleration> effective_tolerations(
    const std::vector<model::Toleration>& of_template, bool host_network);

}  // namespace dsdoctor::placement
