#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Why the containers of a bound, live pod that the kubelet has taken up do not all run: init
/// containers in order, the first unfinished one has the cause; then what all containers wait for
/// (volumes, sandbox, network, devices, images); then each container by itself.
[[nodiscard]] std::vector<Finding> startup_findings(const NodeCase& c, const model::Pod& pod,
                                                    const Facts::Events& events);

}  // namespace dsdoctor::diagnosis
