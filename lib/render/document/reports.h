// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnosis/views/daemon_set_comparison.h"
#include "diagnosis/views/node_diff.h"
#include "diagnosis/views/node_history.h"
#include "diagnosis/views/node_load.h"
#include "diagnosis/views/taint_matrix.h"
#include "fixes/explanation.h"
#include "fixes/fixes.h"
#include "model/cluster.h"
#include "render/data/json.h"
#include "render/document/document.h"
#include "render/what_if/what_if_text.h"
#include "render/words/style.h"

/// The answers as documents, for Markdown or HTML, with the same content as the text for a
/// terminal. `style` only sets the flags of commands and whether every node is listed.
namespace dsdoctor::render {

[[nodiscard]] Document explanation_document(const fixes::Explanation& explanation,
                                            const Envelope& envelope, const Presentation& style);

/// The parts of the answer about one DaemonSet.
struct AnswerBlocks {
  std::vector<Block> counts;  // counts, what its template keeps out, findings about all of it
  std::vector<Block> groups;  // a table of its nodes by verdict; empty without groups
  std::vector<Block> suggestions;
};
/// `in_brief`: of suggestions only their effects, and the command that prints them.
[[nodiscard]] AnswerBlocks answer_blocks(const fixes::DaemonSetAnswer& answer, bool in_brief,
                                         const Presentation& style);
[[nodiscard]] std::vector<Block> alert_blocks(const diagnosis::AlertReport& alert);

/// "Nothing wrong", "No action needed", or that not everything could be read.
[[nodiscard]] std::string_view title_of_quiet(const fixes::Explanation& explanation);

/// REQUIRES: each report covers only this node.
[[nodiscard]] Document node_document(const fixes::Explanation& explanation,
                                     const diagnosis::NodeLoad& load, const Envelope& envelope,
                                     const Presentation& style);

/// Shows the DaemonSets of `explanation` that have a problem, or for which the alert's condition
/// holds.
[[nodiscard]] Document check_document(const fixes::Explanation& explanation,
                                      const Envelope& envelope, const Presentation& style);

[[nodiscard]] Document diff_document(const fixes::Explanation& explanation,
                                     const std::vector<diagnosis::PlacementDiff>& diffs,
                                     const Envelope& envelope, const Presentation& style);
[[nodiscard]] Document comparison_document(const diagnosis::NodeComparison& comparison,
                                           const Envelope& envelope, const Style& style);
[[nodiscard]] Document comparison_document(const diagnosis::DaemonSetComparison& comparison,
                                           const Envelope& envelope, const Style& style);
[[nodiscard]] Document history_document(const diagnosis::NodeHistory& history, const Envelope& then,
                                        const Envelope& now, const Style& style);

[[nodiscard]] Document taints_document(const diagnosis::TaintMatrix& matrix,
                                       const Envelope& envelope, const Style& style);

[[nodiscard]] Document suggest_document(const std::vector<fixes::FixAnswer>& answers,
                                        const Envelope& envelope, const Presentation& style);

/// The what-if changes and their consequences.
[[nodiscard]] std::vector<Block> what_if_blocks(const fixes::Changed& changed, const Style& style);
/// Inserts them at the beginning.
void prepend(Document& document, const fixes::Changed& changed, const Style& style);

}  // namespace dsdoctor::render
