// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/printable.h"
#include "render/terminal/problem_lines.h"
#include "render/terminal/texts.h"
#include "render/words/difference_words.h"
#include "render/words/problem_words.h"
#include "render/words/text_parts.h"

namespace dsdoctor::render {
namespace {

using diagnosis::NodeHistory;
using Blocks = std::vector<HistoryBlock>;

std::string names_clause(const std::vector<model::Text>& nodes, const Style& style) {
  std::string names;
  if (style.lists_every_node()) {
    for (const model::Text& node : nodes) {
      names += fmt::format("{}{}", names.empty() ? "" : ", ", base::printable_line(node));
    }
  } else {
    names = name_list(nodes);
  }
  return fmt::format("{}: {}", counted(nodes.size(), "node"), names);
}

std::string heading_of(const HistoryBlock& block, const Style& style) {
  return fmt::format("{}{}{}    {}", block.daemon_set, block.daemon_set.empty() ? "" : "    ",
                     block.title, names_clause(block.nodes, style));
}

Lines whole_block(const HistoryBlock& block, const Style& style) {
  std::string result = wrapped(style, 2, heading_of(block, style));
  for (const std::string& line : block.shown()) result += wrapped(style, 6, line);
  return lines_of_text(result);
}

/// The block in a few lines; omitted lines are counted.
Lines folded_block(const HistoryBlock& block, const Style& style) {
  constexpr std::size_t most = 3;
  const std::vector<std::string>& all = block.shown();
  const std::size_t shown = all.size() > most ? most - 1 : all.size();
  std::string result = one_line(style, 2, heading_of(block, style));
  for (std::size_t i = 0; i < shown; ++i) result += one_line(style, 6, all[i]);
  if (all.size() > shown) result += fmt::format("      and {} more\n", all.size() - shown);
  return lines_of_text(result);
}

Lines whole_part(std::string_view title, const Blocks& blocks, const Style& style) {
  if (blocks.empty()) return {};
  Lines result = {paint(style, Color::Bold, title)};
  for (const HistoryBlock& block : blocks) append(result, whole_block(block, style));
  return result;
}

/// The blocks that fit into `room` lines; the rest is counted as `what`.
Lines folded_part(std::string_view title, const Blocks& blocks, std::size_t room,
                  std::string_view what, const Style& style) {
  if (blocks.empty()) return {};
  Lines result = {paint(style, Color::Bold, title)};
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    Lines block = folded_block(blocks[i], style);
    const std::size_t kept =
        i + 1 < blocks.size() ? 1 : 0;  // for the line with the number of omitted blocks
    if (i != 0 && result.size() + block.size() + kept > room) {
      const std::size_t rest = std::accumulate(
          blocks.begin() + static_cast<std::ptrdiff_t>(i), blocks.end(), std::size_t(0),
          [](std::size_t sum, const HistoryBlock& each) { return sum + each.changes; });
      result.push_back(
          fmt::format("  and {} more (--all-nodes lists them)", grouped_count(rest, what)));
      break;
    }
    append(result, std::move(block));
  }
  return result;
}

std::string headline(const NodeHistory& history, const std::string& since, const Style& style) {
  if (history.empty()) {
    const bool is_all = history.pod_flips.empty() && history.only_then.empty() &&
                        history.only_now.empty() && history.nodes_only_then.empty() &&
                        history.nodes_only_now.empty() && history.verdicts_comparable;
    return fmt::format("{} No {} since {}: {} with the same labels and taints\n",
                       is_all ? tick(style) : "-", is_all ? "change" : "change of nodes", since,
                       counted(history.compared_nodes, "node"));
  }
  return fmt::format("Since {}: {}\n", since, history_counts(history));
}

/// Flips and changed nodes: in full if they fit into `room` lines or if lines are unlimited.
Lines changes(const NodeHistory& history, const Budget& budget, std::size_t room,
              const Style& style) {
  constexpr std::string_view verdicts = "VERDICTS";
  constexpr std::string_view nodes = "NODES";
  const Blocks flips = flip_blocks(history, style);
  const Blocks changed = change_blocks(history);
  Lines result = whole_part(verdicts, flips, style);
  Lines second = whole_part(nodes, changed, style);
  if (budget.is_limited() && result.size() + second.size() + 1 > room) {
    const std::size_t least = flips.empty() ? room : room / 3;
    second = folded_part(nodes, changed, std::max(least, room_left(room, result.size() + 1)),
                         "node", style);
    result = folded_part(verdicts, joined_blocks(flips), room_left(room, second.size() + 1),
                         "verdict", style);
  }
  add_part(result, std::move(second));
  return result;
}

}  // namespace

std::string history_text(const NodeHistory& history, const Envelope& then, const Envelope& now,
                         const Style& style) {
  constexpr std::size_t least = 12;
  const Budget budget = budget_for(style, {0, 60});
  const std::string since = since_words(then);
  Lines tail;
  if (history.comparable) {
    for (const std::string& line : beside_history(history, style)) tail.push_back(line);
  }
  add_part(tail, lines_of_text(omission_lines(now.omissions, style)));
  if (!then.omissions.empty()) {
    add_part(tail,
             lines_of_text(fmt::format("Of {}:\n", since) + omission_lines(then.omissions, style)));
  }
  if (!history.comparable) {
    Lines result = {fmt::format("{} Not compared with {}: the nodes of one side could not be read",
                                paint(style, Color::Yellow, "?"), since)};
    add_part(result, std::move(tail));
    return joined_lines(result);
  }
  Lines result = lines_of_text(headline(history, since, style));
  const std::size_t fixed = result.size() + tail.size() + 2;
  const std::size_t room = lines_in_all(budget, fixed, least / 2) - fixed;
  add_part(result, changes(history, budget, room, style));
  add_part(result, std::move(tail));
  return joined_lines(result);
}

}  // namespace dsdoctor::render
