// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "diagnosis/problems/problem.h"
#include "fixes/explanation.h"
#include "render/words/style.h"
#include "render/words/text_parts.h"

/// Problems as text.
namespace dsdoctor::render {

/// "2,312": digits in groups of three.
[[nodiscard]] std::string grouped_digits(std::size_t number);
/// "1 node", "2,312 pods".
[[nodiscard]] std::string grouped_count(std::size_t count, std::string_view noun);

/// Whether the request covers only some of the cluster's nodes.
[[nodiscard]] bool is_selection(const fixes::Explanation& explanation);

/// "27 nodes", "4 of 27 nodes" for a selection, "nodes unknown"
[[nodiscard]] std::string nodes_clause(const fixes::Explanation& explanation);

/// "prod  Kubernetes v1.36.2  112 nodes  64 DaemonSets  2,312 pods", within the width of a screen
/// without the counts of other objects.
[[nodiscard]] std::string scope_line(const fixes::Explanation& explanation,
                                     const model::SourceInfo& source, const Style& style);

/// "2 problems need action, 3 resolve without action: 118 of 3,420 placements affected"
[[nodiscard]] std::string problems_summary(const diagnosis::Problems& problems,
                                           const Style& style = {});

/// "for 36h, overdue since 2026-11-20 02:36:11 UTC"; empty if unknown.
[[nodiscard]] std::string lasting_clause(const diagnosis::Problem& problem,
                                         const fixes::Explanation& explanation);
/// "36h, overdue since 2026-11-20 02:36:11 UTC"; empty if unknown.
[[nodiscard]] std::string since_clause(const diagnosis::Problem& problem,
                                       const fixes::Explanation& explanation);

/// "logging/fluent-bit, 1 node: ip-10-0-1-3"; "18 DaemonSets, 3 nodes: a, b, c". Names only the
/// first few of many nodes, unless `style` lists every node.
[[nodiscard]] std::string affected_clause(const diagnosis::Problem& problem,
                                          const fixes::Explanation& explanation,
                                          const Style& style);
/// The same with as many names of nodes as fit into `columns`; none if there is too little room.
[[nodiscard]] std::string affected_clause_within(const diagnosis::Problem& problem,
                                                 const fixes::Explanation& explanation,
                                                 std::size_t columns);

/// The actions for each verdict of the DaemonSets, which are indexes into the reports.
[[nodiscard]] std::map<diagnosis::NodeVerdict, ActionCounts> actions_by_verdict(
    const fixes::Explanation& explanation, const std::vector<std::size_t>& daemon_sets);

/// The indexes of all DaemonSets, by their most urgent problem.
[[nodiscard]] std::vector<std::size_t> by_urgency(const fixes::Explanation& explanation);

/// "2, 3": the problems of a DaemonSet numbered from one; "-" if it has none.
[[nodiscard]] std::vector<std::string> problem_numbers(const fixes::Explanation& explanation);

/// "4 DaemonSets: the containers request nothing": each note once, the most frequent first. Without
/// the number if there is only one DaemonSet.
[[nodiscard]] std::vector<std::string> remark_clauses(const fixes::Explanation& explanation);

}  // namespace dsdoctor::render
