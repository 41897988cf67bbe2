#pragma once

#include <string>
#include <vector>

#include "advice/explanation.h"
#include "diagnosis/views/node_load.h"
#include "model/cluster.h"
#include "render/words/style.h"

namespace dsdoctor::render {

/// The report that a person reads: facts first, the odd one out first, the cure at the end.
/// One DaemonSet is shown whole; of several, those without anything wrong take one line each.
[[nodiscard]] std::string explanation_text(const advice::Explanation& explanation,
                                           const model::SourceInfo& source,
                                           const std::vector<model::Omission>& omissions,
                                           const Style& style);

/// The same facts, seen from one node: which DaemonSets belong on it, and what they ask of it.
/// REQUIRES: every DaemonSet of `explanation` reports on just that node.
[[nodiscard]] std::string node_explanation_text(const advice::Explanation& explanation,
                                                const diagnosis::NodeLoad& load,
                                                const model::SourceInfo& source,
                                                const std::vector<model::Omission>& omissions,
                                                const Style& style);

}  // namespace dsdoctor::render
