// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Reports why the control plane does not act on the DaemonSet at all: kube-controller-manager, its
/// RBAC permissions, the scheduler. Most certain cause first.
[[nodiscard]] std::vector<Finding> control_findings(const DaemonSetCase& of);

}  // namespace dsdoctor::diagnosis
