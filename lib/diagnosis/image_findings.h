#pragma once

#include <vector>

#include "diagnosis/cases.h"
#include "diagnosis/finding.h"

namespace dsdoctor::diagnosis {

/// Why a container's image is not there: pull failures by what the registry says, bad names,
/// a policy that forbids pulling.
[[nodiscard]] std::vector<Finding> image_findings(const NodeCase& c, const model::Pod& pod,
                                                  const model::ContainerStatus& status,
                                                  const Facts::Events& events);

}  // namespace dsdoctor::diagnosis
