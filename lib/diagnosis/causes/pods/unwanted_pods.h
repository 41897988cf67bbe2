#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// That the pod is on a node, or made for one, where the controller wants none: one that it leaves
/// there, or one that it should have deleted. None for a pod on an eligible node.
[[nodiscard]] std::vector<Finding> unwanted_pod_findings(const NodeCase& c, const model::Pod& pod);

}  // namespace dsdoctor::diagnosis
