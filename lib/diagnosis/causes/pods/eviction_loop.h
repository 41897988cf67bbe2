#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// The node has a NoExecute taint that the DaemonSet controller takes for tolerated, while the
/// taint controller deletes the pod after tolerationSeconds: it comes and goes for ever. Costs
/// nothing on a node without NoExecute taints.
[[nodiscard]] std::vector<Finding> eviction_loop_findings(const NodeCase& c);

}  // namespace dsdoctor::diagnosis
