// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Reports pods of another template that the controller counts as up to date and never replaces:
/// their label pod-template-generation is that of the DaemonSet, their controller-revision-hash is
/// not. A DaemonSet that is deleted with --cascade=orphan and created again adopts such pods.
/// Source of truth: kubernetes v1.37.2, pkg/controller/daemon/util/daemonset_util.go: IsPodUpdated.
[[nodiscard]] std::optional<Finding> adopted_pod_finding(const DaemonSetCase& c);

}  // namespace dsdoctor::diagnosis
