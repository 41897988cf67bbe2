// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

/// Pods that differ from their template, and the causes of the difference.
namespace dsdoctor::diagnosis {

/// Reports node selectors that a namespace or a RuntimeClass adds to the pods, tolerations that are
/// added too late to count, and pods of the current revision that something else has changed.
[[nodiscard]] std::vector<Finding> drift_findings(const DaemonSetCase& c);

}  // namespace dsdoctor::diagnosis
