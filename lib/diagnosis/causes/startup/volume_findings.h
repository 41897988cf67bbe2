// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// The volume that the pod waits for, from the newest event that shows the cause; absent if the pod
/// got past it.
[[nodiscard]] std::optional<Finding> volume_finding(const NodeCase& c, const model::Pod& pod,
                                                    const Facts::Events& events);

}  // namespace dsdoctor::diagnosis
