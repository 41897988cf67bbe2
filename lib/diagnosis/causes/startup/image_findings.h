// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Reports why a container's image is missing: pull failures by the registry's message, invalid
/// names, a policy that forbids pulling.
[[nodiscard]] std::vector<Finding> image_findings(const NodeCase& c, const model::Pod& pod,
                                                  const model::ContainerStatus& status,
                                                  const Facts::Events& events);

}  // namespace dsdoctor::diagnosis
