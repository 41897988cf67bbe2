// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/printable.h"
#include "render/terminal/problem_lines.h"
#include "render/terminal/texts.h"
#include "render/words/difference_words.h"
#include "render/words/fix_parts.h"
#include "render/words/problem_words.h"
#include "render/words/text_parts.h"

namespace dsdoctor::render {
namespace {

using diagnosis::NodeReport;
using diagnosis::PlacementDiff;

/// A row for each DaemonSet that differs: the most urgent problem first, then the most nodes.
Lines difference_table(const fixes::Explanation& explanation,
                       const std::vector<PlacementDiff>& diffs, std::size_t room,
                       const Style& style) {
  constexpr std::size_t nodes_column = 3;
  const std::vector<std::string> numbers = problem_numbers(explanation);
  Grid grid = grid_of(tables::differences);
  std::vector<std::size_t> rows;
  for (const std::size_t i : by_urgency(explanation)) {
    if (!diagnosis::differs(diffs[i])) continue;
    rows.push_back(i);
    grid.rows.push_back({full_name(explanation.daemon_sets[i].report),
                         std::to_string(diffs[i].missing.size()),
                         std::to_string(diffs[i].unexpected.size()), "", numbers[i]});
  }
  const std::size_t columns = room_for(grid, nodes_column, style);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const PlacementDiff& diff = diffs[rows[row]];
    const auto name_of = [&](std::size_t at) -> const model::Text& {
      return differing_node(diff, at);
    };
    grid.rows[row][nodes_column] =
        names_within(diff.missing.size() + diff.unexpected.size(), name_of, columns);
  }
  return grid_lines(grid, room, style);
}

/// Each node with its pods and reasons.
std::string node_block(const diagnosis::NodeReports& nodes, const Presentation& style) {
  std::size_t widest = 0;
  for (const NodeReport& node : nodes) widest = std::max(widest, node.name.view().size());
  std::string result;
  ExplainedTaints explained;
  for (const NodeReport& node : nodes) {
    const std::string pods = pods_clause(node.pods());
    result += fmt::format("    {:<{}}    {}{}{}\n", base::printable_line(node.name), widest,
                          to_string(node.verdict()), pods.empty() ? "" : "    ", pods);
    result += reason_lines(node, explained, 6, style);
  }
  return result;
}

/// The nodes of each difference, if `style` lists every node.
Lines difference_details(const fixes::Explanation& explanation,
                         const std::vector<PlacementDiff>& diffs, const Presentation& style) {
  std::string result;
  for (std::size_t i = 0; style.lists_every_node() && i < diffs.size(); ++i) {
    const PlacementDiff& diff = diffs[i];
    if (!diagnosis::differs(diff)) continue;
    result += fmt::format("{}{}    {}\n", result.empty() ? "" : "\n",
                          paint(style, Color::Bold, full_name(explanation.daemon_sets[i].report)),
                          diff_counts(diff));
    if (!diff.missing.empty()) {
      result += paint(style, Color::Red, "- MISSING") + "     should have a pod, have none\n";
      result += node_block(diff.missing, style);
    }
    if (!diff.unexpected.empty()) {
      result +=
          paint(style, Color::Red, "+ UNEXPECTED") + "  have a pod that should not be there\n";
      result += node_block(diff.unexpected, style);
    }
  }
  return lines_of_text(result);
}

/// "4 of 12 nodes are not eligible: kubectl dsdoctor explain ...", for one DaemonSet.
Lines not_eligible_lines(const fixes::Explanation& explanation, const Presentation& style) {
  if (explanation.daemon_sets.size() != 1) return {};
  const diagnosis::DaemonSetReport& report = explanation.daemon_sets.front().report;
  const auto excluded =
      static_cast<std::size_t>(report.nodes.count(diagnosis::NodeVerdict::Excluded));
  if (excluded == 0) return {};
  const std::string text =
      fmt::format("{} of {} {} not eligible", grouped_digits(excluded),
                  grouped_count(report.nodes.size(), "node"), excluded == 1 ? "is" : "are");
  const auto command = style.address.own_command("explain", report.ns, report.name);
  const std::string line = command ? text + ": " : text;
  return lines_of_text(wrapped(style, Layout{.solid = line.size()}, line + command.value_or("")));
}

/// The number of DaemonSets without a difference, and notes.
Lines closing_lines(const fixes::Explanation& explanation, const std::vector<PlacementDiff>& diffs,
                    const model::SourceInfo& source, const Presentation& style) {
  const auto differing = static_cast<std::size_t>(std::ranges::count_if(diffs, diagnosis::differs));
  const std::size_t agreeing = diffs.size() - differing;
  Lines result;
  if (differing == 0 && !is_compared(diffs)) {
    result = lines_of_text(wrapped(
        style, 0,
        fmt::format("{} Not compared: too little was read{}", paint(style, Color::Yellow, "?"),
                    scope_suffix(nodes_clause(explanation), source))));
  } else if (differing == 0) {
    result = lines_of_text(
        wrapped(style, 0,
                fmt::format("{} No difference: every pod of {} is where it should be{}",
                            tick(style), grouped_count(agreeing, "DaemonSet"),
                            scope_suffix(nodes_clause(explanation), source))));
  } else if (agreeing != 0) {
    result.push_back(fmt::format("{} {} without a difference", tick(style),
                                 grouped_count(agreeing, "other DaemonSet")));
  }
  for (const std::string& lost : lost_clauses(diffs)) {
    append(result, lines_of_text(wrapped(style, 0, base::printable_line(lost))));
  }
  append(result, not_eligible_lines(explanation, style));
  const std::string unwell = unwell_clause(diffs);
  if (unwell.empty()) return result;
  const auto first = std::ranges::find_if(diffs, [](const PlacementDiff& diff) {
    return diff.unbound + diff.unwell + diff.ending != 0;
  });
  const auto command = diffs.size() == 1
                           ? style.address.own_command("explain", first->ns, first->name)
                           : style.address.own_command("check");
  const std::string line = unwell + (command ? " " : "");
  append(result, lines_of_text(wrapped(style, Layout{.solid = line.size()},
                                       command ? fmt::format("{}({})", line, *command) : line)));
  return result;
}

}  // namespace

std::string diff_text(const fixes::Explanation& explanation,
                      const std::vector<PlacementDiff>& diffs, const model::SourceInfo& source,
                      const std::vector<model::Omission>& omissions, const Presentation& style) {
  const std::size_t least_table = style.is_small_screen() ? 4 : 8;
  const Budget budget = budget_for(style, {5, 60});
  Lines result;
  if (std::ranges::any_of(diffs, diagnosis::differs)) {
    const std::string scope = paint(style, Color::Bold, scope_line(explanation, source, style));
    append(result, lines_of_text(wrapped(style, 0, scope)));
    append(result, lines_of_text(wrapped(style, 0, differences_summary(diffs))));
  }
  Lines tail = closing_lines(explanation, diffs, source, style);
  append(tail, rules_lines(explanation, style));
  add_part(tail, lines_of_text(omission_lines(omissions, style)));
  const std::size_t fixed = result.size() + tail.size() + 3;
  const std::size_t all = lines_in_all(budget, fixed, least_table);
  Lines listed = problem_lines(explanation, budget, all - fixed - least_table, style);
  append(listed, ignored_lines(explanation));
  add_part(result, listed);
  add_part(result,
           difference_table(explanation, diffs, room_left(all, fixed + listed.size()), style));
  add_part(result, difference_details(explanation, diffs, style));
  add_part(result, std::move(tail));
  return joined_lines(result);
}

}  // namespace dsdoctor::render
