#pragma once

#include <string>
#include <vector>

#include "diagnosis/views/node_history.h"
#include "render/data/json.h"
#include "render/words/style.h"

/// Pieces of what is said of changes over time.
namespace dsdoctor::render {

/// Nodes of which the same is to be said.
struct HistoryBlock {
  std::string title;               // of flips "running → excluded", else the kind of change
  std::string daemon_set;          // "ns/name"; of flips only
  std::vector<std::string> lines;  // without what is another on each node
  std::vector<std::string> exact;  // of the first node
  std::vector<model::Text> nodes;

  [[nodiscard]] const std::vector<std::string>& shown() const {
    return nodes.size() == 1 ? exact : lines;
  }
};

[[nodiscard]] std::vector<HistoryBlock> flip_blocks(const diagnosis::NodeHistory& history,
                                                    const Style& style);
/// The most frequent change first.
[[nodiscard]] std::vector<HistoryBlock> change_blocks(const diagnosis::NodeHistory& history);

/// When the earlier state was read; of files, which never tell, their names.
[[nodiscard]] std::string since_words(const Envelope& then);

/// "3 verdicts flipped; 2 nodes changed, 0 added, 1 removed"
[[nodiscard]] std::string history_counts(const diagnosis::NodeHistory& history);

}  // namespace dsdoctor::render
