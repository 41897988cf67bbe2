#pragma once

#include <cstddef>
#include <vector>

#include "advice/explanation.h"

namespace dsdoctor::advice {

/// The nodes on which something is wrong, as indices into `report.nodes`.
[[nodiscard]] std::vector<std::size_t> wrong_nodes(const diagnosis::DaemonSetReport& report);

/// Leaves the groups, causes and cures of these nodes alone, and has only them listed. The report
/// stays whole, so that its nodes can still be counted. `nodes` is ascending.
void keep_nodes(DaemonSetAnswer& answer, std::vector<std::size_t> nodes);

}  // namespace dsdoctor::advice
