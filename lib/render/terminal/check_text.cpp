// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "render/terminal/problem_lines.h"
#include "render/terminal/texts.h"
#include "render/words/fix_parts.h"
#include "render/words/problem_words.h"
#include "render/words/text_parts.h"

namespace dsdoctor::render {
namespace {

/// The command to run next: it explains the DaemonSet of the first problem.
std::string next_line(const fixes::Explanation& explanation, const Presentation& style) {
  for (const diagnosis::Problem& problem : explanation.problems.problems) {
    if (problem.daemon_sets.empty()) continue;
    // Prefer a DaemonSet with a wrong placement: the problem may affect others as well.
    const std::size_t first = problem.placements.empty() ? problem.daemon_sets.front()
                                                         : problem.placements.front().daemon_set;
    const auto& report = explanation.daemon_sets[first].report;
    const auto command = style.address.own_command("explain", report.ns, report.name);
    constexpr std::string_view mark = "Next: ";
    if (!command) return {};
    return std::string(mark) + command_text(style, {.indent = 2, .lead = mark.size()}, *command);
  }
  return {};
}

std::size_t with_problem(const fixes::Explanation& explanation) {
  std::vector<bool> seen(explanation.daemon_sets.size());
  for (const diagnosis::Problem& problem : explanation.problems.problems) {
    for (const std::size_t i : problem.daemon_sets) seen[i] = true;
  }
  return static_cast<std::size_t>(std::ranges::count(seen, true));
}

/// `more`: follows the number of healthy DaemonSets.
std::string healthy_line(const fixes::Explanation& explanation, std::size_t healthy,
                         std::string_view more, const Style& style) {
  const std::string suffix = more.empty() ? std::string() : fmt::format("; {}", more);
  if (!fixes::is_conclusive(explanation)) {
    return fmt::format("? {}: nothing wrong, but not everything could be read{}",
                       grouped_count(healthy, "DaemonSet"), suffix);
  }
  return fmt::format("{} {} healthy{}{}", tick(style), grouped_count(healthy, "DaemonSet"),
                     is_selection(explanation) ? " on these nodes" : "", suffix);
}

/// How to accept a problem, and how to look up a word; empty if nothing needs action.
Lines help_lines(const fixes::Explanation& explanation, const Presentation& style) {
  if (std::ranges::none_of(explanation.problems.problems, diagnosis::needs_action)) return {};
  constexpr std::string_view accepts = "To accept a problem: --ignore ID (-o wide shows ids)";
  const std::string text =
      fmt::format("{}; to look up a word: \"{} findings WORD\"", accepts, style.address.program);
  const bool fits = style.width == 0 || columns_of(text) <= style.width;
  return {paint(style, Color::Dim, fits ? std::string_view(text) : accepts)};
}

/// Whether no problem needs action and each one names all its DaemonSets.
bool is_told(const diagnosis::Problems& problems) {
  constexpr std::size_t named = 3;  // by affected_clause
  return std::ranges::none_of(problems.problems, [](const diagnosis::Problem& problem) {
    return diagnosis::needs_action(problem) || problem.daemon_sets.size() > named;
  });
}

}  // namespace

std::string overview_text(const fixes::Explanation& explanation, const model::SourceInfo& source,
                          const std::vector<model::Omission>& omissions, const Overview& overview,
                          const Presentation& style) {
  const Budget budget = budget_for(style, {5, overview.lines});
  const auto& problems = explanation.problems.problems;
  Lines result = lines_of_text(
      wrapped(style, 0, paint(style, Color::Bold, scope_line(explanation, source, style))));
  append(result, rules_lines(explanation, style));
  if (const std::string summary = problems_summary(explanation.problems, style); !summary.empty()) {
    append(result, lines_of_text(wrapped(style, 0, summary)));
  }
  // A small screen has no lines for notes beside problems.
  const bool is_small = style.is_small_screen();
  const bool has_trouble = std::ranges::any_of(problems, diagnosis::needs_action);
  Lines notes = note_lines(explanation, style);
  std::string folded;
  if (is_small && has_trouble && !notes.empty()) {
    notes.clear();
    const std::size_t count = remark_clauses(explanation).size();
    folded = fmt::format("{}: --limit 0 lists {}", grouped_count(count, "note"),
                         count == 1 ? "it" : "them");
  }
  Lines tail;
  const std::size_t accepted = explanation.problems.accepted.size();
  const std::size_t healthy = explanation.daemon_sets.size() - with_problem(explanation) - accepted;
  if (accepted != 0) {
    tail.push_back(fmt::format("{}: ignored problems only", grouped_count(accepted, "DaemonSet")));
  }
  if (healthy != 0) folded = healthy_line(explanation, healthy, folded, style);
  if (!folded.empty()) append(tail, lines_of_text(wrapped(style, 0, folded)));
  append(tail, lines_of_text(omission_lines(omissions, style)));
  if (const std::string next = next_line(explanation, style); !next.empty()) {
    const Lines command = lines_of_text(next);
    if (!is_small) tail.emplace_back();
    append(tail, command);
    if (!is_small || command.size() == 1) append(tail, help_lines(explanation, style));
  }
  const std::size_t least_table = is_small ? 0 : 6;
  const std::size_t gaps = is_small ? 2 : 3;
  const std::size_t fixed = result.size() + tail.size() + notes.size() + gaps;
  const std::size_t all = lines_in_all(budget, fixed, least_table);
  const Lines listed = problem_lines(explanation, budget, all - fixed - least_table, style);
  add_part(result, listed);
  const std::size_t left = room_left(all, fixed + listed.size());
  const bool has_room = !is_small || left > 3;
  if (has_room &&
      (overview.every_daemon_set || !budget.is_limited() || !is_told(explanation.problems))) {
    add_part(result, daemon_set_table(explanation, overview.every_daemon_set, left, style));
  }
  if (problems.empty() || !notes.empty()) add_part(result, notes);
  if (is_small && has_trouble) result.emplace_back();
  append(result, std::move(tail));
  return joined_lines(result);
}

std::string check_text(const fixes::Explanation& explanation, const model::SourceInfo& source,
                       const std::vector<model::Omission>& omissions, const Presentation& style) {
  return overview_text(explanation, source, omissions, {50, false}, style) +
         detail_text(explanation, Detailed::WithNodes, style);
}

}  // namespace dsdoctor::render
