#pragma once

#include <string>
#include <vector>

#include "diagnosis/views/daemon_set_comparison.h"
#include "model/cluster.h"
#include "render/words/style.h"

namespace dsdoctor::render {

/// Nodes that only one of two DaemonSets wants, for the same reasons of the other.
struct ContrastGroup {
  std::vector<std::string> clauses;  // what keeps the other out
  std::vector<model::Text> nodes;
};
/// `first`: those that the first one has to itself, else the second.
[[nodiscard]] std::vector<ContrastGroup> contrast_groups(
    const diagnosis::DaemonSetComparison& comparison, bool first);

/// Where two DaemonSets differ, by which of them is wanted and by what keeps the other out.
[[nodiscard]] std::string comparison_text(const diagnosis::DaemonSetComparison& comparison,
                                          const model::SourceInfo& source,
                                          const std::vector<model::Omission>& omissions,
                                          const Style& style);

}  // namespace dsdoctor::render
