// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Reports pods that belong to no node of the cluster or not completely to this DaemonSet: on
/// deleted nodes, without a known target, without an owner, with another owner, released.
[[nodiscard]] std::vector<Finding> stray_pod_findings(const DaemonSetCase& c);

}  // namespace dsdoctor::diagnosis
