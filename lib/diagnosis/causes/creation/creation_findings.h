// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

/// Pods that the API server does not let the controller create.
namespace dsdoctor::diagnosis {

/// Reports the newest rejection that the controller recorded, checked against the objects it names.
/// At most one finding, which explains every missing pod immediately. Empty if no node is missing a
/// pod or a pod was created after the rejection.
[[nodiscard]] std::vector<Finding> creation_findings(const DaemonSetCase& c);

/// Reports what would reject the next pod, from the objects alone. Empty if no node is missing a
/// pod.
[[nodiscard]] std::vector<Finding> predicted_creation_findings(const DaemonSetCase& c);

}  // namespace dsdoctor::diagnosis
