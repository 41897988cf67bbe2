#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "diagnosis/taints/taint_knowledge.h"
#include "render/terminal/history_blocks.h"
#include "render/terminal/node_history.h"
#include "render/terminal/text_parts.h"
#include "render/words/reason_text.h"

namespace dsdoctor::render {
namespace {

using diagnosis::NodeChange;
using diagnosis::NodeChangeKind;
using diagnosis::NodeHistory;
using diagnosis::VerdictFlip;

/// Puts the nodes of a block with the same title and lines together.
void add_to_blocks(std::vector<HistoryBlock>& blocks, HistoryBlock block) {
  const auto at = std::ranges::find_if(blocks, [&](const HistoryBlock& other) {
    return other.title == block.title && other.daemon_set == block.daemon_set &&
           other.lines == block.lines;
  });
  if (at != blocks.end()) {
    at->nodes.push_back(block.nodes.front());
  } else {
    blocks.push_back(std::move(block));
  }
}

std::string nodes_clause(const std::vector<model::Text>& nodes, const Style& style) {
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

/// What is another on each node: a time in a taint's value, or the node's name.
enum class Values { Exact, Shared };

std::string reason_line(const placement::Reason& reason, const model::Text& node, Values values) {
  const auto* taint = std::get_if<placement::UntoleratedTaint>(&reason);
  const bool varies = values == Values::Shared && taint != nullptr &&
                      diagnosis::has_volatile_value(taint->taint, node);
  if (!varies) return base::printable_line(sentence(reason));
  return base::printable_line(sentence(diagnosis::GroupReason{reason, nullptr, true, {}}));
}

std::string taint_text(const model::Taint& taint, const model::Text& node, Values values) {
  if (values == Values::Exact || !diagnosis::has_volatile_value(taint, node)) {
    return base::printable_line(to_string(taint));
  }
  return base::printable_line(
      fmt::format("{}:{} (its value varies)", taint.key.view(), taint.effect.view()));
}

std::vector<std::string> flip_lines(const VerdictFlip& flip, Values values) {
  std::vector<std::string> lines;
  for (const auto& reason : flip.come)
    lines.push_back("now: " + reason_line(reason, flip.node, values));
  for (const auto& reason : flip.gone) {
    lines.push_back("no longer: " + reason_line(reason, flip.node, values));
  }
  if (!flip.node_changed) lines.emplace_back("the DaemonSet changed, not the node");
  return lines;
}

std::string shown(const model::Text& value) {
  return value.empty() ? std::string("\"\"") : base::printable_line(value);
}

std::vector<std::string> change_lines(const NodeChange& change, Values values) {
  std::vector<std::string> lines;
  if (change.kind != NodeChangeKind::Changed) return lines;  // all of it came or went
  for (const auto& taint : change.taints_only_second) {
    lines.push_back("+ taint " + taint_text(taint, change.name, values));
  }
  for (const auto& taint : change.taints_only_first) {
    lines.push_back("- taint " + taint_text(taint, change.name, values));
  }
  for (const auto& [key, value] : change.labels.only_second) {
    lines.push_back(fmt::format("+ label {}={}", base::printable_line(key), shown(value)));
  }
  for (const auto& [key, value] : change.labels.only_first) {
    lines.push_back(fmt::format("- label {}={}", base::printable_line(key), shown(value)));
  }
  for (const auto& [key, pair] : change.labels.changed) {
    lines.push_back(fmt::format("~ label {}: {} -> {}", base::printable_line(key),
                                shown(pair.first), shown(pair.second)));
  }
  return lines;
}

std::string block_text(const HistoryBlock& block, const Style& style) {
  std::string result =
      wrapped(style, 2,
              fmt::format("{}{}{}    {}", block.daemon_set, block.daemon_set.empty() ? "" : "    ",
                          block.title, nodes_clause(block.nodes, style)));
  for (const std::string& line : block.shown()) result += wrapped(style, 6, line);
  return result;
}

std::string flips_text(const NodeHistory& history, const Style& style) {
  if (history.flips.empty()) return "";
  std::string result = "\n" + paint(style, Color::Bold, "VERDICTS") + "\n";
  for (const HistoryBlock& block : flip_blocks(history, style)) result += block_text(block, style);
  return result;
}

std::string changes_text(const NodeHistory& history, const Style& style) {
  if (history.nodes.empty()) return "";
  const std::vector<HistoryBlock> blocks = change_blocks(history);
  constexpr std::size_t shown_unless_all = 20;
  const std::size_t most = style.lists_every_node() ? blocks.size() : shown_unless_all;
  std::string result = "\n" + paint(style, Color::Bold, "NODES") + "\n";
  for (std::size_t i = 0; i < std::min(most, blocks.size()); ++i) {
    result += block_text(blocks[i], style);
  }
  if (blocks.size() > most) {
    result += fmt::format("  and {} more (--all-nodes lists them)\n",
                          counted(blocks.size() - most, "change"));
  }
  return result;
}

std::size_t changes_of(const NodeHistory& history, NodeChangeKind kind) {
  return static_cast<std::size_t>(std::ranges::count(history.nodes, kind, &NodeChange::kind));
}

std::string headline(const NodeHistory& history, const std::string& since, const Style& style) {
  if (history.empty()) {
    return fmt::format("{} No change since {}: {} with the labels and taints of then\n",
                       tick(style), since, counted(history.compared_nodes, "node"));
  }
  return fmt::format("Since {}: {}\n", since, history_counts(history));
}

}  // namespace

std::vector<HistoryBlock> flip_blocks(const NodeHistory& history, const Style& style) {
  const char* arrow = style.unicode ? "→" : "->";
  std::vector<HistoryBlock> blocks;
  for (const VerdictFlip& flip : history.flips) {
    add_to_blocks(blocks,
                  {fmt::format("{} {} {}", to_string(flip.before), arrow, to_string(flip.after)),
                   base::printable_line(fmt::format("{}/{}", flip.ns.view(), flip.name.view())),
                   flip_lines(flip, Values::Shared),
                   flip_lines(flip, Values::Exact),
                   {flip.node}});
  }
  return blocks;
}

std::vector<HistoryBlock> change_blocks(const NodeHistory& history) {
  std::vector<HistoryBlock> blocks;
  for (const NodeChange& change : history.nodes) {
    add_to_blocks(blocks, {std::string(to_string(change.kind)),
                           "",
                           change_lines(change, Values::Shared),
                           change_lines(change, Values::Exact),
                           {change.name}});
  }
  std::ranges::stable_sort(blocks, std::ranges::greater(),
                           [](const HistoryBlock& block) { return block.nodes.size(); });
  return blocks;
}

std::string since_words(const Envelope& then) {
  if (then.source.kind == "snapshot") return diagnosis::format_utc(then.source.read_at);
  return base::printable_line(fmt::format("{}", fmt::join(then.source.paths, ", ")));
}

std::string history_counts(const NodeHistory& history) {
  return fmt::format(
      "{} flipped; {} changed, {} added, {} removed", counted(history.flips.size(), "verdict"),
      counted(changes_of(history, NodeChangeKind::Changed), "node"),
      changes_of(history, NodeChangeKind::Added), changes_of(history, NodeChangeKind::Removed));
}

std::string history_text(const NodeHistory& history, const Envelope& then, const Envelope& now,
                         const Style& style) {
  const std::string since = since_words(then);
  std::string result;
  if (!history.comparable) {
    result = fmt::format("{} Not compared with {}: the nodes of one side could not be read\n",
                         paint(style, Color::Yellow, "?"), since);
  } else {
    result = headline(history, since, style);
    result += flips_text(history, style);
    result += changes_text(history, style);
    if (history.other_flips > 0) {
      result +=
          fmt::format("\n{} became another for the same reasons: its pods changed, not its node\n",
                      counted(history.other_flips, "other verdict"));
    }
  }
  if (!now.omissions.empty()) result += "\n" + omission_lines(now.omissions, style);
  if (!then.omissions.empty()) {
    result += fmt::format("\nOf {}:\n", since) + omission_lines(then.omissions, style);
  }
  return result;
}

}  // namespace dsdoctor::render
