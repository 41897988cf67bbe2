#pragma once

#include <vector>

#include "diagnosis/cases.h"
#include "diagnosis/finding.h"
#include "diagnosis/report.h"
#include "model/cluster.h"

namespace dsdoctor::diagnosis {

/// What is known about a node beyond the reasons of its verdict. `report` has its verdict, pods and
/// reasons already.
[[nodiscard]] std::vector<Finding> node_findings(const model::Node& node, const NodeReport& report);

/// What is the matter with the DaemonSet as a whole, gravest first. `report` is complete but for
/// its findings.
[[nodiscard]] std::vector<Finding> daemon_set_findings(const DaemonSetCase& the_case);

}  // namespace dsdoctor::diagnosis
