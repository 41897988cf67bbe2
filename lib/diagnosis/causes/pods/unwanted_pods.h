// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Reports a pod on an ineligible node, or created for one: either the controller leaves it there,
/// or it should have deleted it. Empty for a pod on an eligible node.
[[nodiscard]] std::vector<Finding> unwanted_pod_findings(const NodeCase& c, const model::Pod& pod);

}  // namespace dsdoctor::diagnosis
