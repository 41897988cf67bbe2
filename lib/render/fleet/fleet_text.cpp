// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "base/text.h"
#include "render/fleet/fleet.h"
#include "render/fleet/fleet_words.h"
#include "render/terminal/problem_lines.h"
#include "render/words/message_text.h"
#include "render/words/problem_words.h"

namespace dsdoctor::render {
namespace {

using fixes::ClusterAnswer;
using fixes::FleetProblem;

constexpr std::size_t most_lines = 50;
constexpr std::size_t full_problems = 5;
constexpr std::size_t longest_text = 240;

/// Names that fit into `columns`; all of them if `style` lists everything.
std::string names_clause(const std::vector<std::string>& names, std::size_t columns,
                         const Style& style) {
  if (style.lists_every_node()) return base::listed(names, names.size());
  constexpr std::size_t shown = 5;
  if (!style.fits_screen()) return base::listed(names, shown);
  const std::vector<model::Text> texts(names.begin(), names.end());
  return names_within(texts, columns);
}

std::size_t text_columns(const Style& style) {
  return style.fits_screen() ? style.width - problem_text_column : std::string::npos;
}

Lines block(std::size_t number, const FleetProblem& problem, const Fleet& fleet,
            const Presentation& style) {
  const diagnosis::Problem& joint = problem.problem;
  Lines result = problem_title(number, joint, lasting_clause(problem, fleet), style);
  const auto add = [&](const std::string& text) {
    if (!text.empty()) {
      append(result,
             lines_of_text(wrapped(style, problem_text_column, base::without_middle(text, 2000))));
    }
  };
  const std::string share = share_clause(problem, fleet) + ": ";
  const std::size_t columns = text_columns(style);
  const std::size_t left = columns > share.size() + 12 ? columns - share.size() : 12;
  add(share + names_clause(clusters_of(problem, fleet), left, style));
  add(base::printable_line(affected_clause(problem, fleet)));
  const std::string example = example_of(joint, longest_text);
  if (!example.empty() && !style.is_small_screen()) {
    const std::string& cluster = fleet.answers[problem.parts.front().cluster].name;
    add(fmt::format("for example in {}: {}", base::printable_line(cluster),
                    base::printable_line(example)));
  }
  if (diagnosis::needs_action(joint) || style.lists_every_node() || style.limit == 0U) {
    append(result, problem_fix(joint, style_of(problem.parts.front().cluster, fleet, style)));
  }
  if (style.wide) add("id: " + base::printable_line(joint.id));
  return result;
}

std::string short_line(std::size_t number, const FleetProblem& problem, const Fleet& fleet,
                       const Style& style) {
  const std::size_t columns = style.width > problem_text_column + 40
                                  ? style.width - problem_text_column
                                  : std::string::npos;
  const std::string share = ": " + share_clause(problem, fleet);
  std::string title = base::printable_line(title_of(problem.problem, longest_text).text);
  if (columns != std::string::npos && columns_of(title) + share.size() > columns) {
    title = shortened(std::move(title), columns - share.size() - 3);
  }
  std::string text = title + share;
  if (columns == std::string::npos || columns_of(text) + 20 < columns) {
    const std::size_t left =
        columns == std::string::npos ? columns : columns - columns_of(text) - 2;
    text += ": " + names_clause(clusters_of(problem, fleet), left, style);
  }
  return problem_mark(number, problem.problem, style) + text;
}

/// Consecutive problems of one kind.
struct Section {
  std::string_view title;
  std::size_t begin = 0;  // into Fleet::problems
  std::size_t end = 0;
};

/// The problems of one kind in at most `room` lines, like those of one cluster: the first ones in
/// full, the next ones in a line, the rest as a number.
Lines section(const Section& of, std::size_t room, const Budget& budget, const Fleet& fleet,
              const Presentation& style) {
  const auto& [title, begin, end] = of;
  if (begin == end) return {};
  Lines result = {paint(style, Color::Bold, title)};
  for (std::size_t i = begin; i < end; ++i) {
    const FleetProblem& problem = fleet.problems[i];
    const std::size_t left = room_left(room, result.size());
    const std::size_t others = end - i - 1;
    const bool may_be_full = i - begin < budget.full;
    Lines whole = may_be_full ? block(i + 1, problem, fleet, style) : Lines();
    const std::size_t kept = std::min(others, i == begin ? std::size_t(1) : left / 2);
    const bool fits = !budget.is_limited() || budget.insists || whole.size() + kept <= left;
    if (may_be_full && fits) {
      append(result, std::move(whole));
    } else if (budget.is_limited() && left > (others != 0 ? 1U : 0U)) {
      result.push_back(short_line(i + 1, problem, fleet, style));
    } else {
      result.push_back(fmt::format("{:>3} more: --limit 0 lists {}", grouped_digits(end - i),
                                   end - i == 1 ? "it" : "them"));
      break;
    }
  }
  return result;
}

/// The first of the texts, shortened; all of them in full without a limit. `few`: how many on a
/// screen of usual size; `more`: the beginning of the line that counts the others.
Lines some_lines(const std::vector<std::string>& texts, std::size_t few, std::size_t indent,
                 std::string_view more, const Budget& budget, const Style& style) {
  const bool is_small = style.is_small_screen();
  const std::size_t most = is_small ? 1 : few;
  const std::size_t longest = is_small ? style.width - indent : longest_text;
  // The line that counts takes as much room as one more text.
  const bool fits = !budget.is_limited() || texts.size() <= most + 1;
  const std::size_t shown = fits ? texts.size() : most;
  Lines result;
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string text =
        budget.is_limited() ? base::without_middle(texts[i], longest) : texts[i];
    append(result, lines_of_text(wrapped(style, indent, text)));
  }
  if (shown < texts.size()) {
    result.push_back(fmt::format("{:{}}{}{} more: --limit 0 lists them", "", indent, more,
                                 grouped_digits(texts.size() - shown)));
  }
  return result;
}

/// The clusters without an answer, by reason.
Lines failure_lines(const Fleet& fleet, const Budget& budget, const Style& style) {
  std::vector<std::string> texts;
  for (const SharedText& failure : failures_of(fleet)) {
    const std::size_t columns = style.fits_screen() ? style.width / 2 : std::string::npos;
    texts.push_back(
        fmt::format("{}: {}", names_clause(failure.clusters, columns, style), failure.text));
  }
  if (texts.empty()) return {};
  Lines result = {paint(style, Color::Bold, "NO ANSWER")};
  append(result, some_lines(texts, 5, 2, "", budget, style));
  return result;
}

Lines closing_lines(const Fleet& fleet, const Budget& budget, const Presentation& style) {
  using enum ClusterAnswer::State;
  Lines result;
  const auto healthy = static_cast<std::size_t>(
      std::ranges::count_if(fleet.answers, [](const ClusterAnswer& answer) {
        return answer.state == Healthy && answer.problems.empty() && answer.daemon_sets != 0;
      }));
  if (healthy != 0) {
    result.push_back(fmt::format("{} {} healthy", tick(style), grouped_count(healthy, fleet.noun)));
  }
  if (const auto unclear = clusters_in(Unclear, fleet); !unclear.empty()) {
    const std::string text = fmt::format("? {}: nothing wrong, but not everything could be read: ",
                                         grouped_count(unclear.size(), fleet.noun));
    append(result,
           lines_of_text(wrapped(style, 0, text + names_clause(unclear, style.width, style))));
  }
  std::vector<std::string> notes;
  for (const std::string& note : fleet.notes) {
    notes.push_back("note: " + base::printable_line(note));
  }
  append(result, some_lines(notes, 3, 0, "note: ", budget, style));
  append(result, some_lines(omission_sentences(fleet), 3, 0, "Not known: ", budget, style));
  const std::string next = next_command(fleet);
  if (next.empty()) return result;
  constexpr std::string_view mark = "Next: ";
  if (!result.empty() && !style.is_small_screen()) result.emplace_back();
  append(result,
         lines_of_text(std::string(mark) +
                       command_text(style, {.indent = 2, .lead = mark.size()}, next) + "\n"));
  if (!style.is_small_screen() && diagnosis::needs_action(fleet.problems.front().problem)) {
    result.push_back(
        paint(style, Color::Dim, "To accept a problem: --ignore ID (-o wide shows ids)"));
  }
  return result;
}

Lines cluster_table(const Fleet& fleet, std::size_t room, const Style& style) {
  Grid grid = cluster_grid(fleet, style.wide);
  if (grid.rows.empty()) return {};
  grid.columns.front().title = fleet.noun == "cluster"   ? "CLUSTER"
                               : fleet.noun == "context" ? "CONTEXT"
                                                         : "INPUT";
  constexpr std::size_t least = 8;
  const std::size_t columns = std::max(least, room_for(grid, 0, style));
  for (auto& row : grid.rows) {
    if (style.fits_width()) row.front() = name_within(row.front(), columns);
  }
  return grid_lines(grid, room, style);
}

}  // namespace

std::string fleet_text(const Fleet& fleet, const Presentation& style) {
  const Budget budget = budget_for(style, {full_problems, most_lines});
  Lines result;
  const auto add = [&](const std::string& line) {
    if (!line.empty()) append(result, lines_of_text(wrapped(style, 0, line)));
  };
  add(paint(style, Color::Bold, fleet_scope(fleet)));
  add(fleet_states(fleet));
  add(fleet_summary(fleet, style));
  const Lines failures = failure_lines(fleet, budget, style);
  Lines tail = closing_lines(fleet, budget, style);
  const bool is_small = style.is_small_screen();
  const std::size_t gaps = is_small ? 3 : 4;
  const std::size_t least_table = is_small ? 0 : 6;
  const std::size_t fixed = result.size() + failures.size() + tail.size() + gaps;
  const std::size_t all = lines_in_all(budget, fixed, least_table);
  const std::size_t room = all - fixed - least_table;
  const auto waiting = static_cast<std::size_t>(
      std::ranges::find_if_not(fleet.problems, diagnosis::needs_action, &FleetProblem::problem) -
      fleet.problems.begin());
  const std::size_t reserved = waiting == fleet.problems.size() ? 0 : is_small ? 2 : 4;
  Lines listed =
      section({"NEEDS ACTION", 0, waiting}, room_left(room, reserved), budget, fleet, style);
  append(listed, section({"RESOLVES WITHOUT ACTION", waiting, fleet.problems.size()},
                         room_left(room, listed.size()), budget, fleet, style));
  const std::size_t taken = fixed + listed.size();
  add_part(result, std::move(listed));
  add_part(result, failures);
  const std::size_t left = room_left(all, taken);
  if (!is_small || left > 3) add_part(result, cluster_table(fleet, left, style));
  add_part(result, std::move(tail));
  return joined_lines(result);
}

}  // namespace dsdoctor::render
