// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Reports differences between the reported and the evaluated counters, with possible causes.
/// REQUIRES: `of.report` has the findings of its nodes.
[[nodiscard]] std::vector<Finding> count_findings(const DaemonSetCase& of);

/// Reports the controller's own counters if no node or no pod could be read.
[[nodiscard]] std::vector<Finding> reported_findings(const DaemonSetCase& of);

}  // namespace dsdoctor::diagnosis
