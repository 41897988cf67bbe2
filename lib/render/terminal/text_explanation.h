#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advice/explanation.h"
#include "diagnosis/evidence/timeline_entry.h"
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

/// The findings of the DaemonSet as a whole that are worth saying beside those of its nodes: what
/// is said of the nodes is not repeated, and mere notes are left out unless `all` are wanted.
[[nodiscard]] std::vector<const diagnosis::Finding*> findings_to_say(
    const advice::DaemonSetAnswer& answer, bool all);

/// What happened on the one node, each once, whichever DaemonSet it concerns; absent where nobody
/// asked. REQUIRES: as node_explanation_text.
[[nodiscard]] std::optional<diagnosis::Timeline> timeline_of_node(
    const advice::Explanation& explanation);

}  // namespace dsdoctor::render
