// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Reports that the device taint eviction controller deletes the DaemonSet's pods on the node, with
/// the taint of the device. Cheap for pods without ResourceClaims.
[[nodiscard]] std::vector<Finding> device_eviction_findings(const NodeCase& c);

}  // namespace dsdoctor::diagnosis
