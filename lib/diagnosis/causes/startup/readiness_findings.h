// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Reports why a pod whose containers run is not ready.
[[nodiscard]] std::vector<Finding> readiness_findings(const NodeCase& c, const model::Pod& pod,
                                                      const Facts::Events& events);

/// Reports for a ready pod that it is not available yet or has restarted often.
[[nodiscard]] std::vector<Finding> ready_pod_findings(const NodeCase& c, const model::Pod& pod);

}  // namespace dsdoctor::diagnosis
