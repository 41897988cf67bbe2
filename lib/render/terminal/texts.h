// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "diagnosis/views/daemon_set_comparison.h"
#include "diagnosis/views/node_diff.h"
#include "diagnosis/views/node_history.h"
#include "diagnosis/views/taint_matrix.h"
#include "fixes/explanation.h"
#include "fixes/fixes.h"
#include "model/cluster.h"
#include "render/words/envelope.h"
#include "render/words/style.h"

/// The answers as text, for a terminal.
namespace dsdoctor::render {

/// The report of `explain`: facts first, unusual verdicts first, the fix at the end. A single
/// DaemonSet is shown in full; otherwise those without a problem have a line each.
[[nodiscard]] std::string explanation_text(const fixes::Explanation& explanation,
                                           const model::SourceInfo& source,
                                           const std::vector<model::Omission>& omissions,
                                           const Presentation& style);

/// The problems of all DaemonSets, those that need action first; limited to one screen, unless
/// `style` lists every node.
[[nodiscard]] std::string check_text(const fixes::Explanation& explanation,
                                     const model::SourceInfo& source,
                                     const std::vector<model::Omission>& omissions,
                                     const Presentation& style);

/// Which DaemonSets get details: every one, or only those whose nodes are listed.
enum class Detailed { Every, WithNodes };

/// The grouped nodes of each DaemonSet, by verdict, with reasons and timelines; empty if `style`
/// lists no nodes and there is no timeline.
[[nodiscard]] std::string detail_text(const fixes::Explanation& explanation, Detailed detailed,
                                      const Presentation& style);

/// The same facts for one node: its state, its problems, and a row for each DaemonSet.
/// REQUIRES: every DaemonSet of `explanation` reports on just `node`.
[[nodiscard]] std::string node_explanation_text(const fixes::Explanation& explanation,
                                                const model::Node& node,
                                                const diagnosis::NodeLoad& load,
                                                const model::SourceInfo& source,
                                                const std::vector<model::Omission>& omissions,
                                                const Presentation& style);

/// The answer to `check --alert`: the DaemonSets for which the condition holds, and the problems
/// that cause it; the others on one line. `named`: the user named the DaemonSets, so each gets its
/// own line.
/// REQUIRES: every DaemonSet has its `alert`.
[[nodiscard]] std::string alert_text(const fixes::Explanation& explanation, bool named,
                                     const model::SourceInfo& source,
                                     const std::vector<model::Omission>& omissions,
                                     const Presentation& style);

/// The problems that cause differences, and a table of these; one line if there is none. `diffs`
/// are in the order of the DaemonSets of `explanation`, whose problems cause the differences.
[[nodiscard]] std::string diff_text(const fixes::Explanation& explanation,
                                    const std::vector<diagnosis::PlacementDiff>& diffs,
                                    const model::SourceInfo& source,
                                    const std::vector<model::Omission>& omissions,
                                    const Presentation& style);

[[nodiscard]] std::string comparison_text(const diagnosis::NodeComparison& comparison,
                                          const std::vector<model::Omission>& omissions,
                                          const Presentation& style);

/// The nodes that are eligible for only one of two DaemonSets, by DaemonSet, and what excludes the
/// other one.
[[nodiscard]] std::string comparison_text(const diagnosis::DaemonSetComparison& comparison,
                                          const model::SourceInfo& source,
                                          const std::vector<model::Omission>& omissions,
                                          const Presentation& style);

/// Flips first, then nodes; the same change on many nodes is one block. If that does not fit on a
/// screen, flips of several DaemonSets are merged as well, and the rest is counted.
[[nodiscard]] std::string history_text(const diagnosis::NodeHistory& history, const Envelope& then,
                                       const Envelope& now, const Style& style);

/// A numbered row for each key and effect of a taint, then a matrix whose columns have these
/// numbers. DaemonSets that treat all taints alike share a line. If `style` lists every node, each
/// value and each DaemonSet has a line, with the toleration; a matrix wider than `style.width` is
/// split into several blocks.
[[nodiscard]] std::string taints_text(const diagnosis::TaintMatrix& matrix,
                                      const model::SourceInfo& source,
                                      const std::vector<model::Omission>& omissions,
                                      const Presentation& style);

/// How much `suggest` prints of each DaemonSet.
enum class Extent {
  Whole,
  Short,  // at most 60 lines: fixes that are not recommended are rows of a table
};

/// Fixes as a script for `style.address.shell`: the commands, with explanations as comments. Ends
/// with the omissions. Whole if `style` lists every node.
[[nodiscard]] std::string suggest_text(const std::vector<fixes::FixAnswer>& answers,
                                       const model::SourceInfo& source,
                                       const std::vector<model::Omission>& omissions, Extent extent,
                                       const Presentation& style);

}  // namespace dsdoctor::render
