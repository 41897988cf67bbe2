#pragma once

#include <string>
#include <vector>

#include "diagnosis/views/daemon_set_comparison.h"
#include "diagnosis/views/node_diff.h"
#include "diagnosis/views/node_history.h"
#include "render/words/envelope.h"
#include "render/words/style.h"

/// Pieces of what is said of differences: of pods and places, of nodes, of DaemonSets, over time.
namespace dsdoctor::render {

/// One key that differs between two maps; `<none>` where a side has none.
struct MapRow {
  std::string key;
  std::string first;
  std::string second;
};
/// By key.
[[nodiscard]] std::vector<MapRow> map_rows(const diagnosis::MapDiff& diff);

/// "3 missing, 1 unexpected, 23 as they should be"
[[nodiscard]] std::string diff_counts(const diagnosis::PlacementDiff& diff);

/// Those that miss a pod, then those that have one too many.
[[nodiscard]] std::vector<model::Text> differing_nodes(const diagnosis::PlacementDiff& diff);
/// One of them.
[[nodiscard]] const model::Text& differing_node(const diagnosis::PlacementDiff& diff,
                                                std::size_t at);

/// "24 pods are missing and 3 unexpected, in 5 of 64 DaemonSets"
[[nodiscard]] std::string differences_summary(const std::vector<diagnosis::PlacementDiff>& diffs);

/// "of the pods in place, 1 is not bound and 2 are not ready"; empty where all are well.
[[nodiscard]] std::string unwell_clause(const std::vector<diagnosis::PlacementDiff>& diffs);

/// Enough was read for "no difference" to be true.
[[nodiscard]] bool is_compared(const std::vector<diagnosis::PlacementDiff>& diffs);

/// Nodes.
[[nodiscard]] std::size_t looked_at(const diagnosis::PlacementDiff& diff);

/// Nodes that only one of two DaemonSets wants, for the same reasons of the other.
struct ContrastGroup {
  std::vector<std::string> clauses;  // what keeps the other out
  std::vector<model::Text> nodes;
};
/// `first`: those that the first one has to itself, else the second.
[[nodiscard]] std::vector<ContrastGroup> contrast_groups(
    const diagnosis::DaemonSetComparison& comparison, bool first);

/// Nodes of which the same is to be said.
struct HistoryBlock {
  std::string title;               // of flips "running → excluded", else the kind of change
  std::string daemon_set;          // "ns/name", or how many; of flips only
  std::vector<std::string> lines;  // without what is another on each node
  std::vector<std::string> exact;  // of the first node
  std::vector<model::Text> nodes;
  std::size_t changes = 1;  // of verdicts, or of nodes

  [[nodiscard]] const std::vector<std::string>& shown() const {
    return nodes.size() == 1 ? exact : lines;
  }
};

[[nodiscard]] std::vector<HistoryBlock> flip_blocks(const diagnosis::NodeHistory& history,
                                                    const Style& style);
/// `blocks` of flips, those that differ in the DaemonSet alone as one; most flips first.
[[nodiscard]] std::vector<HistoryBlock> joined_blocks(const std::vector<HistoryBlock>& blocks);
/// The most frequent change first.
[[nodiscard]] std::vector<HistoryBlock> change_blocks(const diagnosis::NodeHistory& history);

/// What is told beside them: verdicts that changed with their pods, and DaemonSets that could not
/// be compared; a line each, indented where one belongs to the line before.
[[nodiscard]] std::vector<std::string> beside_history(const diagnosis::NodeHistory& history,
                                                      const Style& style);

/// When the earlier state was read; of files, which never tell, their names.
[[nodiscard]] std::string since_words(const Envelope& then);

/// "3 verdicts flipped; 2 nodes changed, 0 added, 1 removed"
[[nodiscard]] std::string history_counts(const diagnosis::NodeHistory& history);

}  // namespace dsdoctor::render
