// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Reports information about a template that works now, but not after a later event: the next
/// rolling update, a node that is not Ready, a node that its autoscaler removes, a controller that
/// changes a label. `found`: the other findings of the DaemonSet; those that report the event as it
/// happens omit the information.
[[nodiscard]] std::vector<Finding> ahead_findings(const DaemonSetCase& c,
                                                  const std::vector<Finding>& found);

}  // namespace dsdoctor::diagnosis
