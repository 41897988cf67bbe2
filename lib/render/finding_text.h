#pragma once

#include <string>
#include <vector>

#include "diagnosis/groups.h"
#include "diagnosis/report.h"
#include "render/style.h"

/// Findings as a person reads them.
namespace dsdoctor::render {

/// A finding about a DaemonSet as a whole.
[[nodiscard]] std::string finding_lines(const diagnosis::Finding& finding, const Style& style);

/// The findings of one node: the primary cause first with what to do, then what else is in the way,
/// then what explains it.
[[nodiscard]] std::string finding_lines(const diagnosis::NodeReport& node, std::size_t indent,
                                        const Style& style);

/// The findings of a group's nodes, each once, with the number of nodes where it is not all.
[[nodiscard]] std::string finding_lines(const diagnosis::NodeGroup& group,
                                        const std::vector<diagnosis::NodeReport>& nodes,
                                        std::size_t indent, const Style& style);

}  // namespace dsdoctor::render
