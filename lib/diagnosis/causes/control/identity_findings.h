#pragma once

#include <string_view>
#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Why the controller does nothing for the DaemonSet, or nothing that lasts: it is being deleted,
/// or its selector is wrong.
[[nodiscard]] std::vector<Finding> identity_causes(const DaemonSetCase& of);

/// What else is the matter with the DaemonSet itself, above all its reach. `of.report` has the
/// findings of its nodes already.
[[nodiscard]] std::vector<Finding> identity_findings(const DaemonSetCase& of);

/// Nodes whose clock is ahead of the answer's moment: ages that come from them are off as much.
[[nodiscard]] std::vector<Finding> clock_findings(const DaemonSetCase& of);

/// About a DaemonSet that does not exist, whose pods or revisions do; with `ns` empty, in any
/// namespace. Empty where nothing is left.
[[nodiscard]] std::vector<Finding> absence_findings(const model::Cluster& cluster,
                                                    std::string_view ns, std::string_view name);

}  // namespace dsdoctor::diagnosis
