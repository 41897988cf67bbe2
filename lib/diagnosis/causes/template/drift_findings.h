#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

/// Pods that are not what their template says, and who adds to them.
namespace dsdoctor::diagnosis {

/// Selectors that a namespace or a RuntimeClass adds to the pods, tolerations that come too late to
/// count, and pods of the present revision that something else has changed.
[[nodiscard]] std::vector<Finding> drift_findings(const DaemonSetCase& c);

}  // namespace dsdoctor::diagnosis
