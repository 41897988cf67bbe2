#pragma once

#include <string>
#include <string_view>

#include "diagnosis/report/cases.h"

/// DaemonSets whose pods take a startup taint off their node.
namespace dsdoctor::diagnosis {

/// Why no pod of the agent takes its taint off this node: "; DaemonSet cilium has no pod here".
/// Empty where nothing is known to be in the way.
[[nodiscard]] std::string hindrance_of_agent(const NodeCase& of, std::string_view agent);

}  // namespace dsdoctor::diagnosis
