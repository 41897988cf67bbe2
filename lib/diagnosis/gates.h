// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "diagnosis/controller/gate_setting.h"
#include "diagnosis/reporter.h"

namespace dsdoctor::diagnosis {

/// The setting of TaintTolerationComparisonOperators in kube-controller-manager, by the strongest
/// evidence: `given` on the command line, a release without the gate, counters of DaemonSets that
/// fit one setting only, events about rejected pods, an object that was stored with operator Gt or
/// Lt, the default. Absent: nothing is given, and no DaemonSet has such an operator. `options`:
/// of the reports; their gates are ignored. Source of truth: kubernetes v1.37.2,
/// pkg/apis/core/validation/validation.go (ValidateTolerations), pkg/api/pod/util.go
/// (allowTaintTolerationComparisonOperators), the same in v1.36.3 and v1.38.0-beta.0.
[[nodiscard]] std::optional<GateSetting> comparison_gate(const model::Cluster& cluster,
                                                         const ReportOptions& options,
                                                         std::optional<bool> given);

/// Sets the gates in `options` by comparison_gate().
void set_gates(const model::Cluster& cluster, std::optional<bool> given, ReportOptions& options);

/// The rules that the reports of `reporter` are based on.
[[nodiscard]] RulesTaken rules_taken(const Reporter& reporter);

}  // namespace dsdoctor::diagnosis
