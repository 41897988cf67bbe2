#pragma once

#include <vector>

#include "advice/alternatives.h"

namespace dsdoctor::advice {

/// Labels and taints of nodes that were asked about, where one command makes them eligible. Whoever
/// keeps a taint would set it again: those, and affinities, which can be met in many ways, have
/// none.
void add_node_changes(const Patient& patient, const NodeFilter& is_asked,
                      std::vector<Alternative>& into);

}  // namespace dsdoctor::advice
