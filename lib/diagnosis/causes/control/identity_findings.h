// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Reports why the controller does nothing lasting for the DaemonSet: it is being deleted, or its
/// selector is wrong.
[[nodiscard]] std::vector<Finding> identity_causes(const DaemonSetCase& of);

/// Reports other problems of the DaemonSet itself, mainly which nodes it selects. REQUIRES:
/// `of.report` has the findings of its nodes.
[[nodiscard]] std::vector<Finding> identity_findings(const DaemonSetCase& of);

/// Reports nodes whose clock is ahead of the report's time; ages computed from their times are off
/// by the same amount.
[[nodiscard]] std::vector<Finding> clock_findings(const DaemonSetCase& of);

/// Reports a DaemonSet that does not exist although its pods or revisions do; if `ns` is empty, in
/// any namespace. Empty if nothing is left.
[[nodiscard]] std::vector<Finding> absence_findings(const model::Cluster& cluster,
                                                    std::string_view ns, std::string_view name);

}  // namespace dsdoctor::diagnosis
