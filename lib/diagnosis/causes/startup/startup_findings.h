// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Reports why the containers of a bound, live pod that its kubelet has accepted do not all run.
/// Init containers come in order, and the first unfinished one has the cause; then the whole pod's
/// preparation (volumes, sandbox, network, devices, images); then each container.
[[nodiscard]] std::vector<Finding> startup_findings(const NodeCase& c, const model::Pod& pod,
                                                    const Facts::Events& events);

}  // namespace dsdoctor::diagnosis
