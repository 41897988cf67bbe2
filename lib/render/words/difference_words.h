// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "diagnosis/views/daemon_set_comparison.h"
#include "diagnosis/views/node_diff.h"
#include "diagnosis/views/node_history.h"
#include "render/words/envelope.h"
#include "render/words/style.h"

/// Parts of the text about differences: between pods and rules, nodes, DaemonSets, or times.
namespace dsdoctor::render {

/// A key that differs between two maps; `<none>` if a side does not have it.
struct MapRow {
  std::string key;
  std::string first;
  std::string second;
};
/// Sorted by key.
[[nodiscard]] std::vector<MapRow> map_rows(const diagnosis::MapDiff& diff);

/// "3 missing, 1 unexpected, 23 as they should be"
[[nodiscard]] std::string diff_counts(const diagnosis::PlacementDiff& diff);

/// The nodes that lack a pod, then those with an unexpected one.
[[nodiscard]] std::vector<model::Text> differing_nodes(const diagnosis::PlacementDiff& diff);
/// The name at index `at` of differing_nodes.
[[nodiscard]] const model::Text& differing_node(const diagnosis::PlacementDiff& diff,
                                                std::size_t at);

/// "24 pods are missing and 3 unexpected, in 5 of 64 DaemonSets"
[[nodiscard]] std::string differences_summary(const std::vector<diagnosis::PlacementDiff>& diffs);

/// "of the pods in place, 1 is not bound and 2 are not ready"; empty if all are.
/// "ops/agent lost node n2: node selector ..." for each node that a label excluded lately; after
/// the first few, "and 12 more nodes".
[[nodiscard]] std::vector<std::string> lost_clauses(
    const std::vector<diagnosis::PlacementDiff>& diffs);
[[nodiscard]] std::string unwell_clause(const std::vector<diagnosis::PlacementDiff>& diffs);

/// Whether enough was read to say "no difference".
[[nodiscard]] bool is_compared(const std::vector<diagnosis::PlacementDiff>& diffs);

/// The number of nodes.
[[nodiscard]] std::size_t looked_at(const diagnosis::PlacementDiff& diff);

/// Nodes that are eligible for only one of two DaemonSets, with the same reasons for the other.
struct ContrastGroup {
  std::vector<std::string> clauses;  // why they are not eligible for the other
  std::vector<model::Text> nodes;
};
/// `first`: nodes that are eligible only for the first DaemonSet; else only for the second.
[[nodiscard]] std::vector<ContrastGroup> contrast_groups(
    const diagnosis::DaemonSetComparison& comparison, bool first);

/// Nodes with the same text.
struct HistoryBlock {
  std::string title;               // for flips "running → excluded", else the kind of change
  std::string daemon_set;          // "ns/name", or a number; for flips only
  std::vector<std::string> lines;  // without values that vary from node to node
  std::vector<std::string> exact;  // the lines of the first node, with all values
  std::vector<model::Text> nodes;
  std::size_t changes = 1;  // of verdicts, or of nodes
  bool is_exact = true;     // `exact` holds for every node

  [[nodiscard]] const std::vector<std::string>& shown() const { return is_exact ? exact : lines; }
};

[[nodiscard]] std::vector<HistoryBlock> flip_blocks(const diagnosis::NodeHistory& history,
                                                    const Style& style);
/// Merges `blocks` of flips that differ only in the DaemonSet; most flips first.
[[nodiscard]] std::vector<HistoryBlock> joined_blocks(const std::vector<HistoryBlock>& blocks);
/// The most frequent change first.
[[nodiscard]] std::vector<HistoryBlock> change_blocks(const diagnosis::NodeHistory& history);

/// Further lines: verdicts that changed because of pods, DaemonSets and nodes that could not be
/// compared, and kinds that only one input has.
/// A line that belongs to the one before it is indented.
[[nodiscard]] std::vector<std::string> beside_history(const diagnosis::NodeHistory& history,
                                                      const Style& style);

/// The time of the earlier state; for files with their names, "(time unknown)" if they have no
/// time.
[[nodiscard]] std::string since_words(const Envelope& then);

/// "3 verdicts flipped; 2 nodes changed, 0 added, 1 removed"
[[nodiscard]] std::string history_counts(const diagnosis::NodeHistory& history);

}  // namespace dsdoctor::render
