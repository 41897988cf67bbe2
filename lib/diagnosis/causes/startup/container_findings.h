#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Why a container does not run although its image is there: refused by kubelet or runtime,
/// crashing, out of memory. None for one that runs and is ready.
[[nodiscard]] std::vector<Finding> container_findings(const NodeCase& c, const model::Pod& pod,
                                                      const model::ContainerStatus& status,
                                                      const Facts::Events& events);

}  // namespace dsdoctor::diagnosis
