// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Reports why a container whose image is present does not run: rejected by the kubelet or the
/// runtime, crashing, out of memory. Empty for a container that runs and is ready.
[[nodiscard]] std::vector<Finding> container_findings(const NodeCase& c, const model::Pod& pod,
                                                      const model::ContainerStatus& status,
                                                      const Facts::Events& events);

}  // namespace dsdoctor::diagnosis
