// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "render/document/report_parts.h"
#include "render/document/report_problems.h"
#include "render/document/reports.h"
#include "render/words/difference_words.h"
#include "render/words/problem_words.h"
#include "render/words/reason_text.h"

namespace dsdoctor::render {
namespace {

using diagnosis::NodeReport;
using diagnosis::PlacementDiff;

std::string name_of(const model::Text& ns, const model::Text& name) {
  return fmt::format("{}/{}", ns.view(), name.view());
}

void add_diff(std::vector<Block>& blocks, const PlacementDiff& diff, const Presentation& style) {
  blocks.emplace_back(Heading{2, plain(name_of(diff.ns, diff.name))});
  add_paragraph(blocks, diff_counts(diff));
  Table table{{plain("verdict"), plain("node"), plain("pods"), plain("why")}, {}};
  ExplainedTaints explained;
  for (const auto* nodes : {&diff.missing, &diff.unexpected}) {
    for (const NodeReport& node : *nodes) {
      table.rows.push_back({{verdict_words(node.verdict())},
                            {code(node.name)},
                            cell(pods_clause(node.pods())),
                            why(node, explained, style)});
    }
  }
  blocks.emplace_back(std::move(table));
}

/// A row for each DaemonSet that differs.
void add_differences(std::vector<Block>& blocks, const fixes::Explanation& explanation,
                     const std::vector<PlacementDiff>& diffs, const Style& style) {
  constexpr std::size_t shown_at_first = 100;  // a comment on GitHub has a limited size
  const bool all = style.lists_every_node() || style.limit;
  const std::vector<std::string> numbers = problem_numbers(explanation);
  Table table{
      {plain("DaemonSet"), plain("missing"), plain("unexpected"), plain("nodes"), plain("problem")},
      {}};
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < diffs.size(); ++i) {
    const PlacementDiff& diff = diffs[i];
    if (!diagnosis::differs(diff)) continue;
    if (!all && table.rows.size() == shown_at_first) {
      ++left_out;
      continue;
    }
    table.rows.push_back({{code(name_of(diff.ns, diff.name))},
                          cell(grouped_digits(diff.missing.size())),
                          cell(grouped_digits(diff.unexpected.size())),
                          {names_line(differing_nodes(diff), style)},
                          cell(numbers[i])});
  }
  if (table.rows.empty()) return;
  blocks.emplace_back(Heading{2, plain("DaemonSets")});
  blocks.emplace_back(std::move(table));
  if (left_out != 0) {
    add_paragraph(blocks, fmt::format("{} more: --limit 0 lists them", grouped_digits(left_out)));
  }
}

void add_map(std::vector<Block>& blocks, std::string_view title, const diagnosis::MapDiff& diff,
             const diagnosis::NodeComparison& comparison) {
  if (diff.empty()) return;
  blocks.emplace_back(Heading{2, plain(title)});
  Table table{{plain("key"), code(comparison.first), code(comparison.second)}, {}};
  for (const MapRow& row : map_rows(diff)) {
    table.rows.push_back({{code(row.key)}, cell(row.first), cell(row.second)});
  }
  blocks.emplace_back(std::move(table));
}

void add_taints(std::vector<Block>& blocks, const diagnosis::NodeComparison& comparison) {
  if (comparison.taints_only_first.empty() && comparison.taints_only_second.empty()) return;
  blocks.emplace_back(Heading{2, plain("Taints")});
  Bullets bullets;
  const auto add = [&](const std::vector<model::Taint>& taints, const model::Text& node) {
    for (const model::Taint& taint : taints) {
      bullets.items.push_back(plain("only ") + code(node) + plain(": ") + code(to_string(taint)));
    }
  };
  add(comparison.taints_only_first, comparison.first);
  add(comparison.taints_only_second, comparison.second);
  blocks.emplace_back(std::move(bullets));
}

Cell verdict_and_reasons(const NodeReport& node) {
  Cell result = {verdict_words(node.verdict())};
  for (const placement::Reason& reason : node.reasons()) result.push_back(plain(sentence(reason)));
  return result;
}

void add_contrasts(std::vector<Block>& blocks, const diagnosis::NodeComparison& comparison) {
  if (comparison.daemon_sets.empty() && comparison.alike == 0) return;
  blocks.emplace_back(Heading{2, plain("DaemonSets")});
  add_paragraph(blocks, fmt::format("{} treated differently, {} alike",
                                    comparison.daemon_sets.size(), comparison.alike));
  if (comparison.daemon_sets.empty()) return;
  Table table{{plain("DaemonSet"), code(comparison.first), code(comparison.second)}, {}};
  for (const diagnosis::DaemonSetContrast& contrast : comparison.daemon_sets) {
    table.rows.push_back({{code(name_of(contrast.ns, contrast.name))},
                          verdict_and_reasons(contrast.first),
                          verdict_and_reasons(contrast.second)});
  }
  blocks.emplace_back(std::move(table));
}

void add_history(std::vector<Block>& blocks, const std::vector<HistoryBlock>& changes,
                 std::string_view title, const Style& style) {
  if (changes.empty()) return;
  const bool of_daemon_sets = !changes.front().daemon_set.empty();
  blocks.emplace_back(Heading{2, plain(title)});
  Table table;
  if (of_daemon_sets) table.columns.push_back(plain("DaemonSet"));
  for (const char* column : {"change", "nodes", "what"}) table.columns.push_back(plain(column));
  for (const HistoryBlock& change : changes) {
    std::vector<Cell> row;
    if (of_daemon_sets) row.push_back({code(change.daemon_set)});
    row.push_back({strong(change.title)});
    row.push_back({plain(counted(change.nodes.size(), "node")), names_line(change.nodes, style)});
    Cell lines;
    for (const std::string& line : change.shown()) lines.push_back(plain(line));
    row.push_back(std::move(lines));
    table.rows.push_back(std::move(row));
  }
  blocks.emplace_back(std::move(table));
}

}  // namespace

Document diff_document(const fixes::Explanation& explanation,
                       const std::vector<PlacementDiff>& diffs, const Envelope& envelope,
                       const Presentation& style) {
  Document document{"Missing and unexpected pods", origin_of(envelope.source), {}};
  const auto agreeing =
      diffs.size() - static_cast<std::size_t>(std::ranges::count_if(diffs, diagnosis::differs));
  const bool none = agreeing == diffs.size();
  if (!none) add_paragraph(document.blocks, differences_summary(diffs) + ".");
  add_problems(document.blocks, explanation, style);
  add_differences(document.blocks, explanation, diffs, style);
  for (const PlacementDiff& diff : diffs) {
    if (style.lists_every_node() && diagnosis::differs(diff))
      add_diff(document.blocks, diff, style);
  }
  if (none && !is_compared(diffs)) {
    add_paragraph(document.blocks, "Not compared: too little was read.");
  } else if (none) {
    add_paragraph(document.blocks,
                  fmt::format("No difference: {} without missing or unexpected pods.",
                              counted(agreeing, "DaemonSet")));
  } else if (agreeing != 0) {
    add_paragraph(document.blocks,
                  fmt::format("{} without a difference.", counted(agreeing, "other DaemonSet")));
  }
  for (const std::string& lost : lost_clauses(diffs)) add_paragraph(document.blocks, lost + ".");
  add_paragraph(document.blocks, unwell_clause(diffs));
  add_omissions(document.blocks, envelope.omissions);
  add_problem_details(document.blocks, explanation, style);
  return document;
}

Document comparison_document(const diagnosis::NodeComparison& comparison, const Envelope& envelope,
                             const Style& /*style*/) {
  Document document{
      fmt::format("Nodes {} and {}", comparison.first.view(), comparison.second.view()),
      origin_of(envelope.source),
      {}};
  add_map(document.blocks, "Labels", comparison.labels, comparison);
  add_taints(document.blocks, comparison);
  add_map(document.blocks, "Allocatable", comparison.allocatable, comparison);
  add_map(document.blocks, "Conditions", comparison.conditions, comparison);
  add_contrasts(document.blocks, comparison);
  add_omissions(document.blocks, envelope.omissions);
  return document;
}

Document comparison_document(const diagnosis::DaemonSetComparison& comparison,
                             const Envelope& envelope, const Style& style) {
  const std::string first = name_of(comparison.first.first, comparison.first.second);
  const std::string second = name_of(comparison.second.first, comparison.second.second);
  Document document{
      fmt::format("DaemonSets {} and {}", first, second), origin_of(envelope.source), {}};
  Table table{{plain("eligible only"), plain("nodes"), plain("what excludes the other")}, {}};
  for (const bool is_first : {true, false}) {
    for (const ContrastGroup& group : contrast_groups(comparison, is_first)) {
      Cell clauses;
      for (const std::string& clause : group.clauses) clauses.push_back(plain(clause));
      table.rows.push_back(
          {{code(is_first ? first : second)},
           {plain(counted(group.nodes.size(), "node")), names_line(group.nodes, style)},
           std::move(clauses)});
    }
  }
  if (!table.rows.empty()) {
    document.blocks.emplace_back(std::move(table));
    add_paragraph(document.blocks,
                  fmt::format("Both are eligible on {}, neither on {}.",
                              counted(comparison.both, "node"), comparison.neither));
  } else if (comparison.both + comparison.neither == 0) {
    add_paragraph(document.blocks, "Not compared: no node was read.");
  } else {
    add_paragraph(document.blocks, "No difference: the same nodes are eligible.");
  }
  add_omissions(document.blocks, envelope.omissions);
  return document;
}

Document history_document(const diagnosis::NodeHistory& history, const Envelope& then,
                          const Envelope& now, const Style& style) {
  const std::string since = since_words(then);
  Document document{fmt::format("Changes since {}", since), origin_of(now.source), {}};
  if (!history.comparable) {
    add_paragraph(document.blocks, "Not compared: the nodes of one side could not be read.");
  } else {
    add_paragraph(document.blocks, history_counts(history));
    add_history(document.blocks, flip_blocks(history, style), "Verdicts", style);
    add_history(document.blocks, change_blocks(history), "Nodes", style);
    for (const std::string& line : beside_history(history, style)) {
      add_paragraph(document.blocks, line);
    }
  }
  add_omissions(document.blocks, now.omissions);
  if (!then.omissions.empty()) {
    add_paragraph(document.blocks, fmt::format("Of {}:", since));
    add_omissions(document.blocks, then.omissions);
  }
  return document;
}

}  // namespace dsdoctor::render
