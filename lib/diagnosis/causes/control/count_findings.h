#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Where the reported counters differ from the evaluated ones, and why they may. `of.report` has
/// the findings of its nodes already.
[[nodiscard]] std::vector<Finding> count_findings(const DaemonSetCase& of);

/// What the controller itself counted, where no node or no pod could be read.
[[nodiscard]] std::vector<Finding> reported_findings(const DaemonSetCase& of);

}  // namespace dsdoctor::diagnosis
