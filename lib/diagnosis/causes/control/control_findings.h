#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Whether the control plane acts on the DaemonSet at all: the controller manager, its permissions,
/// the scheduler. The surest cause first.
[[nodiscard]] std::vector<Finding> control_findings(const DaemonSetCase& of);

}  // namespace dsdoctor::diagnosis
