// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "render/fleet/fleet.h"
#include "render/terminal/table.h"

/// Sentences that the text and the document share.
namespace dsdoctor::render {

/// "31 clusters  2,312 nodes  640 DaemonSets  23,120 pods"
[[nodiscard]] std::string fleet_scope(const Fleet& fleet);
/// "4 clusters need action, 24 need no action, 1 was read in part, 2 gave no answer"
[[nodiscard]] std::string fleet_states(const Fleet& fleet);
/// The problems with their numbers of placements: see problems_summary.
[[nodiscard]] std::string fleet_summary(const Fleet& fleet, const Style& style = {});

/// The number of clusters with an answer.
[[nodiscard]] std::size_t answered_clusters(const Fleet& fleet);
/// The names of the problem's clusters, those with most placements first.
[[nodiscard]] std::vector<std::string> clusters_of(const fixes::FleetProblem& problem,
                                                   const Fleet& fleet);
/// "4 of 29 clusters"
[[nodiscard]] std::string share_clause(const fixes::FleetProblem& problem, const Fleet& fleet);
/// "logging/fluent-bit, 23 placements"; empty for a problem of no DaemonSet.
[[nodiscard]] std::string affected_clause(const fixes::FleetProblem& problem, const Fleet& fleet);
/// "for up to 36h, overdue"; empty if it is not known.
[[nodiscard]] std::string lasting_clause(const fixes::FleetProblem& problem, const Fleet& fleet);

/// The table of the clusters with a problem, or of `all`, the worst first.
[[nodiscard]] Grid cluster_grid(const Fleet& fleet, bool all);

/// Names of clusters by a text that they share.
struct SharedText {
  std::string text;
  std::vector<std::string> clusters;
};
/// Why clusters were not read, and errors of a part of an answer; the most frequent first.
[[nodiscard]] std::vector<SharedText> failures_of(const Fleet& fleet);
/// The omissions as sentences that name the clusters; the most frequent first.
[[nodiscard]] std::vector<std::string> omission_sentences(const Fleet& fleet);
/// The names of the clusters in this state.
[[nodiscard]] std::vector<std::string> clusters_in(fixes::ClusterAnswer::State state,
                                                   const Fleet& fleet);
/// The style of commands about one of the clusters.
[[nodiscard]] Presentation style_of(std::size_t cluster, const Fleet& fleet,
                                    const Presentation& style);
/// The command that explains the most important problem; empty if there is none.
[[nodiscard]] std::string next_command(const Fleet& fleet);

}  // namespace dsdoctor::render
