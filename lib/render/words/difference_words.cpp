// SPDX-License-Identifier: Apache-2.0
#include "render/words/difference_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/printable.h"
#include "base/text.h"
#include "diagnosis/taints/taint_knowledge.h"
#include "render/words/message_text.h"
#include "render/words/problem_words.h"
#include "render/words/reason_text.h"
#include "render/words/text_parts.h"

namespace dsdoctor::render {
namespace {

using diagnosis::NodeChange;
using diagnosis::NodeChangeKind;
using diagnosis::NodeHistory;
using diagnosis::VerdictFlip;

/// Adds the node to a block with the same title and lines if there is one.
void add_to_blocks(std::vector<HistoryBlock>& blocks, HistoryBlock block) {
  const auto at = std::ranges::find_if(blocks, [&](const HistoryBlock& other) {
    return other.title == block.title && other.daemon_set == block.daemon_set &&
           other.lines == block.lines;
  });
  if (at != blocks.end()) {
    at->nodes.push_back(block.nodes.front());
    ++at->changes;
    at->is_exact = at->is_exact && at->exact == block.exact;
  } else {
    blocks.push_back(std::move(block));
  }
}

/// Whether to keep values that vary from node to node: a time in a taint, or the node's name.
enum class Values { Exact, Shared };

std::string changed_reason(const placement::Reason& reason, const model::Text& node,
                           Values values) {
  const auto* taint = std::get_if<placement::UntoleratedTaint>(&reason);
  const bool varies = values == Values::Shared && taint != nullptr &&
                      diagnosis::has_volatile_value(taint->taint, node);
  if (!varies) return base::printable_line(sentence(reason));
  return base::printable_line(sentence(diagnosis::GroupReason{reason, nullptr, true, {}}));
}

std::string changed_taint(const model::Taint& taint, const model::Text& node, Values values) {
  if (values == Values::Exact || !diagnosis::has_volatile_value(taint, node)) {
    return base::printable_line(to_string(taint));
  }
  return base::printable_line(
      fmt::format("{}:{} (its value varies)", taint.key.view(), taint.effect.view()));
}

std::vector<std::string> flip_lines(const VerdictFlip& flip, Values values) {
  std::vector<std::string> lines;
  for (const auto& reason : flip.come)
    lines.push_back("now: " + changed_reason(reason, flip.node, values));
  for (const auto& reason : flip.gone) {
    lines.push_back("no longer: " + changed_reason(reason, flip.node, values));
  }
  if (!flip.node_changed) lines.emplace_back("the DaemonSet changed, not the node");
  return lines;
}

std::string shown_value(const model::Text& value) {
  return value.empty() ? std::string("\"\"") : base::printable_line(value);
}

std::vector<std::string> change_lines(const NodeChange& change, Values values) {
  std::vector<std::string> lines;
  if (change.kind != NodeChangeKind::Changed) return lines;  // the node was added or removed
  if (change.recreated) lines.emplace_back("deleted and created again: new UID");
  for (const auto& taint : change.taints_only_second) {
    lines.push_back("+ taint " + changed_taint(taint, change.name, values));
  }
  for (const auto& taint : change.taints_only_first) {
    lines.push_back("- taint " + changed_taint(taint, change.name, values));
  }
  for (const auto& [key, value] : change.labels.only_second) {
    lines.push_back(fmt::format("+ label {}={}", base::printable_line(key), shown_value(value)));
  }
  for (const auto& [key, value] : change.labels.only_first) {
    lines.push_back(fmt::format("- label {}={}", base::printable_line(key), shown_value(value)));
  }
  for (const auto& [key, pair] : change.labels.changed) {
    lines.push_back(fmt::format("~ label {}: {} -> {}", base::printable_line(key),
                                shown_value(pair.first), shown_value(pair.second)));
  }
  return lines;
}

std::size_t changes_of(const NodeHistory& history, NodeChangeKind kind) {
  return static_cast<std::size_t>(std::ranges::count(history.nodes, kind, &NodeChange::kind));
}

/// "the earlier input has no Events and Leases; the current input has no Pods"; empty if both
/// inputs have the same kinds.
std::string lacking_kinds(const NodeHistory& history) {
  constexpr std::size_t shown = 4;
  std::string result;
  const auto add = [&](std::string_view side, const std::vector<std::string_view>& kinds) {
    if (kinds.empty()) return;
    const std::string names = base::listed(
        kinds.size(),
        [&](std::size_t i) {
          return fmt::format("{}{}", kinds[i], kinds[i].ends_with('s') ? "es" : "s");
        },
        shown);
    result += fmt::format("{}the {} input has no {}", result.empty() ? "" : "; ", side, names);
  };
  add("earlier", history.kinds_only_now);
  add("current", history.kinds_only_then);
  if (!history.verdicts_comparable) result += "; verdicts are not compared";
  return result;
}

/// The reasons why the node is not eligible for the DaemonSet, a line each.
std::vector<std::string> clauses(const diagnosis::NodeReport& unwanted) {
  std::vector<std::string> result;
  result.reserve(unwanted.reasons().size());
  for (const placement::Reason& reason : unwanted.reasons()) {
    result.push_back(base::printable_line(sentence(reason)));
  }
  return result;
}

}  // namespace

std::size_t looked_at(const diagnosis::PlacementDiff& diff) {
  return diff.missing.size() + diff.unexpected.size() + diff.agreeing + diff.unknown;
}

std::vector<MapRow> map_rows(const diagnosis::MapDiff& diff) {
  std::vector<MapRow> rows;
  for (const auto& [key, value] : diff.only_first) {
    rows.push_back({base::printable_line(key), shown_value(value), "<none>"});
  }
  for (const auto& [key, value] : diff.only_second) {
    rows.push_back({base::printable_line(key), "<none>", shown_value(value)});
  }
  for (const auto& [key, values] : diff.changed) {
    rows.push_back(
        {base::printable_line(key), shown_value(values.first), shown_value(values.second)});
  }
  std::ranges::sort(rows, {}, &MapRow::key);
  return rows;
}

std::string diff_counts(const diagnosis::PlacementDiff& diff) {
  return fmt::format("{} missing, {} unexpected, {} correct", diff.missing.size(),
                     diff.unexpected.size(), diff.agreeing);
}

std::vector<model::Text> differing_nodes(const diagnosis::PlacementDiff& diff) {
  std::vector<model::Text> result;
  result.reserve(diff.missing.size() + diff.unexpected.size());
  for (const auto* nodes : {&diff.missing, &diff.unexpected}) {
    for (const diagnosis::NodeReport& node : *nodes) result.push_back(node.name);
  }
  return result;
}

const model::Text& differing_node(const diagnosis::PlacementDiff& diff, std::size_t at) {
  const std::size_t missing = diff.missing.size();
  return at < missing ? diff.missing[at].name : diff.unexpected[at - missing].name;
}

std::string differences_summary(const std::vector<diagnosis::PlacementDiff>& diffs) {
  std::size_t missing = 0;
  std::size_t unexpected = 0;
  std::size_t differing = 0;
  for (const diagnosis::PlacementDiff& diff : diffs) {
    missing += diff.missing.size();
    unexpected += diff.unexpected.size();
    differing += diagnosis::differs(diff) ? 1 : 0;
  }
  std::string result = fmt::format("{} {} missing, {} unexpected", grouped_count(missing, "pod"),
                                   missing == 1 ? "is" : "are", grouped_digits(unexpected));
  if (diffs.size() == 1) return result;
  return fmt::format("{}, in {} of {}", result, grouped_digits(differing),
                     grouped_count(diffs.size(), "DaemonSet"));
}

std::vector<std::string> lost_clauses(const std::vector<diagnosis::PlacementDiff>& diffs) {
  constexpr std::size_t shown = 3;
  std::vector<std::string> result;
  std::size_t lost = 0;
  for (const diagnosis::PlacementDiff& diff : diffs) {
    for (const diagnosis::NodeReport& node : diff.lost) {
      if (++lost > shown) continue;
      const auto why = std::ranges::find(node.findings(), diagnosis::FindingId::NodeLabelChanged,
                                         &diagnosis::Finding::id);
      result.push_back(fmt::format("{}/{} lost node {}: {}", diff.ns.view(), diff.name.view(),
                                   node.name.view(), text_of(why->message)));
    }
  }
  if (lost > shown) result.push_back("and " + counted(lost - shown, "more node"));
  return result;
}

std::string unwell_clause(const std::vector<diagnosis::PlacementDiff>& diffs) {
  std::size_t unbound = 0;
  std::size_t unwell = 0;
  std::size_t ending = 0;
  for (const diagnosis::PlacementDiff& diff : diffs) {
    unbound += diff.unbound;
    unwell += diff.unwell;
    ending += diff.ending;
  }
  std::string what;
  const auto add = [&](std::size_t count, std::string_view state) {
    if (count == 0) return;
    what += fmt::format("{}{} {} {}", what.empty() ? "" : ", ", grouped_digits(count),
                        count == 1 ? "is" : "are", state);
  };
  add(unbound, "not bound to a node");
  add(unwell, "not ready");
  add(ending, "terminating");
  return what.empty() ? what : "of the pods in place, " + what;
}

bool is_compared(const std::vector<diagnosis::PlacementDiff>& diffs) {
  return std::ranges::all_of(diffs, [](const diagnosis::PlacementDiff& diff) {
    return diff.unknown == 0 && looked_at(diff) > 0;
  });
}

std::vector<ContrastGroup> contrast_groups(const diagnosis::DaemonSetComparison& comparison,
                                           bool first) {
  std::map<std::vector<std::string>, std::vector<model::Text>> groups;
  for (const diagnosis::NodeContrast& node : comparison.nodes) {
    if (placement::should_run(node.first.decision()) != first) continue;
    groups[clauses(first ? node.second : node.first)].push_back(node.first.name);
  }
  std::vector<ContrastGroup> result;
  result.reserve(groups.size());
  for (auto& [reasons, nodes] : groups) result.push_back({reasons, std::move(nodes)});
  return result;
}

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

std::vector<HistoryBlock> joined_blocks(const std::vector<HistoryBlock>& blocks) {
  struct Joined {
    HistoryBlock block;
    std::set<std::string> daemon_sets;
    std::set<model::Text> nodes;
  };
  std::map<std::pair<std::string, std::vector<std::string>>, Joined> joined;
  for (const HistoryBlock& block : blocks) {
    Joined& into = joined[{block.title, block.lines}];
    if (into.daemon_sets.empty()) {
      into.block = block;
    } else {
      into.block.changes += block.changes;
    }
    into.daemon_sets.insert(block.daemon_set);
    into.nodes.insert(block.nodes.begin(), block.nodes.end());
  }
  std::vector<HistoryBlock> result;
  result.reserve(joined.size());
  for (auto& [key, each] : joined) {
    if (each.daemon_sets.size() > 1) {
      each.block.daemon_set = grouped_count(each.daemon_sets.size(), "DaemonSet");
    }
    each.block.nodes.assign(each.nodes.begin(), each.nodes.end());
    result.push_back(std::move(each.block));
  }
  std::ranges::stable_sort(result, std::ranges::greater(), &HistoryBlock::changes);
  return result;
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

std::vector<std::string> beside_history(const NodeHistory& history, const Style& style) {
  constexpr std::size_t most = 3;
  const char* arrow = style.unicode ? "→" : "->";
  std::vector<std::string> result;
  const auto add_alone = [&](std::string_view when,
                             const std::vector<NodeHistory::Name>& daemon_sets) {
    if (daemon_sets.empty()) return;
    std::vector<model::Text> names;
    names.reserve(daemon_sets.size());
    for (const auto& [ns, name] : daemon_sets) {
      names.emplace_back(fmt::format("{}/{}", ns.view(), name.view()));
    }
    result.push_back(fmt::format("{} not in the {} state, not compared: {}",
                                 counted(names.size(), "DaemonSet"), when,
                                 name_list(names, style)));
  };
  add_alone("current", history.only_then);
  add_alone("earlier", history.only_now);
  const auto add_nodes = [&](std::string_view when, const std::vector<model::Text>& nodes) {
    if (nodes.empty()) return;
    result.push_back(
        fmt::format("{} not in the {} state, which does not have all nodes, not compared: {}",
                    counted(nodes.size(), "node"), when, name_list(nodes, style)));
  };
  add_nodes("current", history.nodes_only_then);
  add_nodes("earlier", history.nodes_only_now);
  if (std::string lacking = lacking_kinds(history); !lacking.empty()) {
    result.push_back(std::move(lacking));
  }
  if (history.pod_flips.empty()) return result;

  using Kind = std::tuple<std::string_view, std::string_view, diagnosis::NodeVerdict,
                          diagnosis::NodeVerdict>;
  std::map<Kind, std::vector<model::Text>> nodes;
  for (const diagnosis::PodFlip& flip : history.pod_flips) {
    nodes[{flip.ns, flip.name, flip.before, flip.after}].push_back(flip.node);
  }
  result.push_back(fmt::format("{} changed with the pods; the reasons are the same:",
                               counted(history.pod_flips.size(), "other verdict")));
  const std::size_t shown = style.lists_every_node() ? nodes.size() : std::min(most, nodes.size());
  std::size_t told = 0;
  for (const auto& [kind, of] : nodes) {
    if (told == shown) break;
    ++told;
    const auto& [ns, name, before, after] = kind;
    result.push_back(base::printable_line(
        fmt::format("  {}/{} {} {} {}    {}: {}", ns, name, to_string(before), arrow,
                    to_string(after), counted(of.size(), "node"), name_list(of, style))));
  }
  if (told < nodes.size()) {
    result.push_back(fmt::format("  and {} more (--all-nodes lists them)", nodes.size() - told));
  }
  return result;
}

std::string since_words(const Envelope& then) {
  const model::SourceInfo& source = then.source;
  if (source.kind == "snapshot") return diagnosis::format_utc(source.read_at);
  const std::string paths = base::printable_line(fmt::format("{}", fmt::join(source.paths, ", ")));
  if (!source.as_of) return fmt::format("{} (time unknown)", paths);
  return fmt::format("{} ({})", diagnosis::format_utc(*source.as_of), paths);
}

std::string history_counts(const NodeHistory& history) {
  return fmt::format("{} flipped; {} changed, {} added, {} removed",
                     grouped_count(history.flips.size(), "verdict"),
                     grouped_count(changes_of(history, NodeChangeKind::Changed), "node"),
                     grouped_digits(changes_of(history, NodeChangeKind::Added)),
                     grouped_digits(changes_of(history, NodeChangeKind::Removed)));
}

}  // namespace dsdoctor::render
