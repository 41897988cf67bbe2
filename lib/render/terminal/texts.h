#pragma once

#include <string>
#include <vector>

#include "advice/cures.h"
#include "advice/explanation.h"
#include "diagnosis/views/daemon_set_comparison.h"
#include "diagnosis/views/node_diff.h"
#include "diagnosis/views/node_history.h"
#include "diagnosis/views/taint_matrix.h"
#include "model/cluster.h"
#include "render/words/envelope.h"
#include "render/words/style.h"

/// The answers as text, for a terminal.
namespace dsdoctor::render {

/// The report that a person reads: facts first, the odd one out first, the fix at the end.
/// One DaemonSet is shown whole; of several, those without anything wrong take one line each.
[[nodiscard]] std::string explanation_text(const advice::Explanation& explanation,
                                           const model::SourceInfo& source,
                                           const std::vector<model::Omission>& omissions,
                                           const Presentation& style);

/// What is wrong with all DaemonSets, by what is to be fixed, what needs action first; on one
/// screen, unless `style` lists every node.
[[nodiscard]] std::string check_text(const advice::Explanation& explanation,
                                     const model::SourceInfo& source,
                                     const std::vector<model::Omission>& omissions,
                                     const Presentation& style);

/// Of which DaemonSets details are told: of every one, or where nodes are listed.
enum class Detailed { Every, WithNodes };

/// The grouped nodes of each DaemonSet, by verdict, with what decides, and what happened when;
/// empty where `style` lists no node and there is no timeline.
[[nodiscard]] std::string detail_text(const advice::Explanation& explanation, Detailed detailed,
                                      const Presentation& style);

/// The same facts, seen from one node: what is true of it, its problems, and a row a DaemonSet.
/// REQUIRES: every DaemonSet of `explanation` reports on just `node`.
[[nodiscard]] std::string node_explanation_text(const advice::Explanation& explanation,
                                                const model::Node& node,
                                                const diagnosis::NodeLoad& load,
                                                const model::SourceInfo& source,
                                                const std::vector<model::Omission>& omissions,
                                                const Presentation& style);

/// The answer to `check --alert`: the DaemonSets for which the condition holds, and the problems
/// behind it; the others in a line. `named`: the user asked for these DaemonSets, so each gets a
/// line of its own.
/// REQUIRES: every DaemonSet has its `alert`.
[[nodiscard]] std::string alert_text(const advice::Explanation& explanation, bool named,
                                     const model::SourceInfo& source,
                                     const std::vector<model::Omission>& omissions,
                                     const Presentation& style);

/// Only what differs: the problems behind it, and a table; one line when nothing does. `diffs` are
/// of the DaemonSets of `explanation`, whose problems are only those of the differences.
[[nodiscard]] std::string diff_text(const advice::Explanation& explanation,
                                    const std::vector<diagnosis::PlacementDiff>& diffs,
                                    const model::SourceInfo& source,
                                    const std::vector<model::Omission>& omissions,
                                    const Presentation& style);

[[nodiscard]] std::string comparison_text(const diagnosis::NodeComparison& comparison,
                                          const std::vector<model::Omission>& omissions,
                                          const Presentation& style);

/// Where two DaemonSets differ, by which of them the node is eligible for, and what excludes the
/// other.
[[nodiscard]] std::string comparison_text(const diagnosis::DaemonSetComparison& comparison,
                                          const model::SourceInfo& source,
                                          const std::vector<model::Omission>& omissions,
                                          const Presentation& style);

/// Flips first, then the nodes; the same change on many nodes is one block. Where that is more than
/// a screen, a flip of several DaemonSets is one, too, and the rest is counted.
[[nodiscard]] std::string history_text(const diagnosis::NodeHistory& history, const Envelope& then,
                                       const Envelope& now, const Style& style);

/// The taints, numbered, a row each, values of a key and effect in one; then a matrix whose columns
/// have these numbers. DaemonSets that take every taint alike share a line. Where every node is to
/// be listed, each value and each DaemonSet has its own, with the toleration; a matrix too broad
/// for `style.width` then continues below itself.
[[nodiscard]] std::string taints_text(const diagnosis::TaintMatrix& matrix,
                                      const model::SourceInfo& source,
                                      const std::vector<model::Omission>& omissions,
                                      const Presentation& style);

/// Fixes as a script for `style.address.shell`: the commands, and everything about them as
/// comments. Ends with what could not be read.
[[nodiscard]] std::string suggest_text(const std::vector<advice::CureAnswer>& answers,
                                       const model::SourceInfo& source,
                                       const std::vector<model::Omission>& omissions,
                                       const Presentation& style);

}  // namespace dsdoctor::render
