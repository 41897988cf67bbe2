// SPDX-License-Identifier: Apache-2.0
#include "render/terminal/problem_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "base/text.h"
#include "base/time.h"
#include "render/words/finding_text.h"
#include "render/words/fix_parts.h"
#include "render/words/message_text.h"
#include "render/words/problem_words.h"

namespace dsdoctor::render {
namespace {

using diagnosis::Problem;

constexpr std::size_t text_column = problem_text_column;
constexpr std::size_t longest_title = 240;
constexpr std::size_t shown_steps = 2;

/// Columns beside the severity; the largest size_t if lines have any width.
std::size_t text_columns(const Style& style) {
  return style.fits_screen() ? style.width - text_column : std::string::npos;
}

/// `alike`: a clause about problems that are shown with this one.
Lines block(std::size_t number, const Problem& problem, const std::string& alike,
            const fixes::Explanation& explanation, const Presentation& style) {
  Lines result = problem_title(number, problem, lasting_clause(problem, explanation), style);
  const auto add = [&](const std::string& text) {
    if (!text.empty()) append(result, lines_of_text(wrapped(style, text_column, text)));
  };
  const std::size_t columns = text_columns(style);
  constexpr std::string_view lead = "for example: ";
  if (const std::string example = example_of(problem, std::min(longest_title, 2 * (columns / 2)));
      !example.empty() && !style.is_small_screen()) {
    add(fmt::format("{}{}", lead, base::printable_line(example)));
  }
  add(style.fits_screen() ? affected_clause_within(problem, explanation, columns)
                          : affected_clause(problem, explanation, style));
  add(alike);
  // Optional fixes are shown only in the answer about one DaemonSet.
  const bool everything = style.lists_every_node() || style.limit == 0U;
  const bool of_one = explanation.daemon_sets.size() == 1;
  if (diagnosis::needs_action(problem) || of_one || everything) {
    append(result, problem_fix(problem, style));
  }
  if (of_one || style.wide) {
    const std::string id = "id: " + base::printable_line(problem.id);
    const std::string shown = style.fits_width() ? name_within(id, style.width - text_column) : id;
    result.push_back(fmt::format("{:{}}{}", "", text_column, paint(style, Color::Dim, shown)));
  }
  return result;
}

/// The problem in the columns of one line of a screen: the title first, then names of nodes.
std::string screen_line(const Problem& problem, const fixes::Explanation& explanation,
                        const Style& style) {
  constexpr std::size_t least_title = 24;
  const std::size_t columns = text_columns(style);
  const std::string affected = affected_clause_within(problem, explanation, 0);
  const bool overdue = problem.action == diagnosis::Action::Overdue;
  const std::string_view mark = overdue ? " (overdue)" : "";
  const std::size_t beside = affected.size() + mark.size() + 2;
  const std::size_t room =
      std::min(std::max(least_title, columns - std::min(columns, beside)), columns - mark.size());
  const MessageText whole = title_of(problem);
  std::string text = base::printable_line(whole.text);
  constexpr std::size_t dots = 3;
  if (columns_of(text) > room) text = shortened(std::move(text), room - dots);
  if (!whole.says_due) text += mark;
  const std::size_t taken = columns_of(text) + 2;
  if (affected.empty() || taken >= columns) return text;
  text += ": " + affected_clause_within(problem, explanation, columns - taken);
  return columns_of(text) > columns ? shortened(std::move(text), columns - 3) : text;
}

/// The problem on one line.
std::string short_line(std::size_t number, const Problem& problem,
                       const fixes::Explanation& explanation, const Style& style) {
  const MessageText title = title_of(problem);
  const bool overdue = problem.action == diagnosis::Action::Overdue && !title.says_due;
  if (style.fits_screen()) {
    return problem_mark(number, problem, style) + screen_line(problem, explanation, style);
  }
  std::string text =
      fmt::format("{}{}: {}", base::printable_line(title.text), overdue ? " (overdue)" : "",
                  affected_clause(problem, explanation, style));
  if (style.width > text_column + 20)
    text = shortened(std::move(text), style.width - text_column - 3);
  return problem_mark(number, problem, style) + text;
}

/// A problem, and further ones that are shown with it.
struct Entry {
  const Problem* first = nullptr;
  std::vector<const Problem*> alike;

  [[nodiscard]] std::size_t size() const { return 1 + alike.size(); }
};

/// Whether both problems are of the same field of one DaemonSet, such as its tolerations.
bool is_alike(const Problem& a, const Problem& b) {
  return a.finding == b.finding && a.severity == b.severity && a.action == b.action &&
         a.daemon_sets.size() == 1 && a.daemon_sets == b.daemon_sets;
}

std::vector<Entry> entries_of(const std::vector<const Problem*>& problems, bool joins) {
  std::vector<Entry> result;
  for (const Problem* problem : problems) {
    const auto at = std::ranges::find_if(
        result, [&](const Entry& entry) { return joins && is_alike(*entry.first, *problem); });
    if (at == result.end()) {
      result.push_back({problem, {}});
    } else {
      at->alike.push_back(problem);
    }
  }
  return result;
}

std::size_t number_of(const Problem& problem, const fixes::Explanation& explanation) {
  return static_cast<std::size_t>(&problem - explanation.problems.problems.data()) + 1;
}

/// "and problems 3, 4 for dedicated=db:NoSchedule, gpu:NoSchedule: 5 nodes"; empty for a problem
/// that is shown alone.
std::string alike_clause(const Entry& entry, const fixes::Explanation& explanation) {
  if (entry.alike.empty()) return {};
  std::vector<std::string> numbers;
  std::vector<std::string> taints;
  std::size_t nodes = 0;
  for (const Problem* problem : entry.alike) {
    numbers.push_back(std::to_string(number_of(*problem, explanation)));
    if (problem->root.kind == "Taint") taints.push_back(problem->root.name);
    nodes += problem->nodes.size();
  }
  constexpr std::size_t shown = 3;
  return base::printable_line(fmt::format(
      "and {} {}{}: {}", entry.alike.size() == 1 ? "problem" : "problems", base::listed(numbers),
      taints.empty() ? "" : fmt::format(" for {}", base::listed(taints, shown)),
      grouped_count(nodes, "node")));
}

/// The problem and those alike on one line.
std::string short_line(const Entry& entry, const fixes::Explanation& explanation,
                       const Style& style) {
  std::string line =
      short_line(number_of(*entry.first, explanation), *entry.first, explanation, style);
  if (entry.alike.empty()) return line;
  const std::string more = fmt::format("; {} alike", entry.alike.size());
  if (style.width == 0 || columns_of(line) + more.size() <= style.width) return line + more;
  return shortened(line, style.width - more.size() - 3) + more;
}

/// The problems of one kind in at most `room` lines: the first ones in full, the next ones in one
/// line each, the rest as a number.
Lines section(std::string_view title, const std::vector<const Problem*>& problems, std::size_t room,
              const Budget& budget, const fixes::Explanation& explanation,
              const Presentation& style) {
  Lines result = {paint(style, Color::Bold, title)};
  const std::vector<Entry> entries = entries_of(problems, budget.is_limited() && !budget.insists);
  std::size_t rest = problems.size();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    const std::size_t left = room > result.size() ? room - result.size() : 0;
    const std::size_t others = entries.size() - i - 1;
    Lines whole = block(number_of(*entry.first, explanation), *entry.first,
                        alike_clause(entry, explanation), explanation, style);
    // A screen also shows what the others are.
    const std::size_t kept = !style.fits_screen() || i == 0 ? std::min<std::size_t>(others, 1)
                                                            : std::min(others, left / 2);
    const bool fits = !budget.is_limited() || budget.insists || whole.size() + kept <= left;
    if (i < budget.full && fits) {
      append(result, std::move(whole));
    } else if (budget.is_limited() && left > (others != 0 ? 1U : 0U)) {
      result.push_back(short_line(entry, explanation, style));
    } else {
      result.push_back(fmt::format("{:>{}} more: --limit 0 lists {}", grouped_digits(rest), 3,
                                   rest == 1 ? "it" : "them"));
      break;
    }
    rest -= entry.size();
  }
  return result;
}

/// The sort key of a DaemonSet in the table.
struct Rank {
  std::size_t first_problem = 0;
  std::size_t affected = 0;
};

std::size_t count_of(const diagnosis::DaemonSetReport& report, diagnosis::NodeVerdict verdict) {
  return static_cast<std::size_t>(report.nodes.count(verdict));
}

/// The ranks of the DaemonSets that have a problem, or of all if `all`.
std::map<std::size_t, Rank> ranks_of(const fixes::Explanation& explanation, bool all) {
  const auto& problems = explanation.problems.problems;
  std::map<std::size_t, Rank> ranks;
  for (std::size_t i = 0; all && i < explanation.daemon_sets.size(); ++i) {
    ranks[i].first_problem = problems.size();
  }
  for (std::size_t p = problems.size(); p-- > 0;) {
    for (const std::size_t i : problems[p].daemon_sets) ranks[i].first_problem = p;
    for (const diagnosis::Placement& at : problems[p].placements) ++ranks[at.daemon_set].affected;
  }
  return ranks;
}

/// Counts as the controller does: includes pods that are about to be deleted.
std::size_t misscheduled_of(const diagnosis::DaemonSetReport& report) {
  return count_of(report, diagnosis::NodeVerdict::Misscheduled) +
         count_of(report, diagnosis::NodeVerdict::Removing);
}

std::vector<std::string> row_of(const diagnosis::DaemonSetReport& report, std::string numbers) {
  const auto number = [](std::int64_t count) { return std::to_string(count); };
  if (report.evaluated.nodes_known && report.evaluated.pods_known) {
    const model::DaemonSetCounts counts = counts_of_nodes(report).counts;
    return {full_name(report),
            number(counts.desired_number_scheduled),
            number(counts.number_ready),
            std::to_string(count_of(report, diagnosis::NodeVerdict::Missing)),
            std::to_string(misscheduled_of(report)),
            std::to_string(count_of(report, diagnosis::NodeVerdict::Excluded)),
            std::move(numbers)};
  }
  // Without nodes or pods, use the counts in the status if it was read.
  const model::DaemonSetCounts& counts = report.reported;
  if (!report.observed) return {full_name(report), "?", "?", "?", "?", "?", std::move(numbers)};
  return {full_name(report),
          number(counts.desired_number_scheduled),
          number(counts.number_ready),
          number(std::max<std::int64_t>(
              counts.desired_number_scheduled - counts.current_number_scheduled, 0)),
          number(counts.number_misscheduled),
          "?",
          std::move(numbers)};
}

}  // namespace

std::string problem_mark(std::size_t number, const Problem& problem, const Style& style) {
  const std::string_view severity = to_string(problem.severity);
  return fmt::format("{:>3} {}{:{}}", number, paint(style, color_of(problem.severity), severity),
                     "", text_column - 4 - severity.size());
}

Lines problem_title(std::size_t number, const Problem& problem, const std::string& lasting,
                    const Style& style) {
  const std::string since = lasting.empty() ? std::string() : fmt::format(" ({})", lasting);
  // On a small screen a title has one line more than the time.
  const std::size_t limit =
      style.is_small_screen() ? std::min(longest_title, 2 * text_columns(style) - 2 - since.size())
                              : longest_title;
  const std::string title = base::printable_line(title_of(problem, limit).text) + since;
  const Layout layout{.indent = text_column - 2, .lead = text_column};
  Lines result = lines_of_text(wrapped(style, layout, title));
  // Each line is painted, because a screen may have room for a part of them only.
  for (std::string& line : result) {
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    line.replace(indent, std::string::npos, paint(style, Color::Bold, line.substr(indent)));
  }
  result.front() = problem_mark(number, problem, style) + result.front();
  return result;
}

Lines problem_fix(const Problem& problem, const Presentation& style) {
  constexpr std::string_view mark = "fix: ";
  constexpr std::size_t column = text_column + mark.size();
  Lines result;
  const auto add = [&](const std::string& text) {
    const std::string lead = fmt::format("{:>{}}", result.empty() ? mark : "", column);
    append(result, lines_of_text(lead + text));
  };
  std::size_t left_out = 0;
  std::size_t steps = 0;
  for (const diagnosis::Step& step : problem.fix) {
    // A command without text belongs to the step before it. Several commands are never cut, because
    // a node might stay cordoned without the last one.
    if (result.empty() || !words_of(step).empty()) ++steps;
    if (steps > shown_steps && !style.wide) {
      left_out = steps - shown_steps;
      continue;
    }
    if (const std::string words = base::printable_line(words_of(step)); !words.empty()) {
      add(wrapped(style, Layout{.indent = column, .lead = column}, words));
    }
    if (step.command) {
      const std::string command = base::printable_line(addressed(*step.command, style));
      add(command_text(style, {.indent = column + 2, .lead = column}, command));
    }
  }
  if (left_out != 0) {
    add(fmt::format("{} more: -o wide shows {}", left_out, left_out == 1 ? "it" : "them"));
  }
  return result;
}

void append(Lines& to, Lines more) { std::ranges::move(more, std::back_inserter(to)); }

Lines cut_off(Lines lines, std::size_t room) {
  if (lines.size() <= room) return lines;
  const std::size_t kept = room > 1 ? room - 1 : 1;
  const std::size_t rest = lines.size() - kept;
  lines.resize(kept);
  lines.push_back(fmt::format("{} more: --limit 0 lists them", counted(rest, "line")));
  return lines;
}

void add_part(Lines& to, Lines part) {
  if (part.empty()) return;
  if (!to.empty()) to.emplace_back();
  append(to, std::move(part));
}

std::string joined_lines(const Lines& lines) {
  std::string result;
  for (const std::string& line : lines) result += line + "\n";
  return result;
}

Lines lines_of_text(std::string_view text) {
  Lines result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    result.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

Budget budget_for(const Style& style, const Budget& fitting) {
  if (style.lists_every_node() || style.limit == 0U) return {std::size_t(-1), 0};
  Budget result = fitting;
  if (style.rows != 0) result.lines = style.screen_lines();
  result.lines -= std::min(style.lines_above, result.lines - 1);
  if (!style.limit) return result;
  result.full = *style.limit;
  result.insists = true;
  return result;
}

std::size_t lines_in_all(const Budget& budget, std::size_t fixed, std::size_t least) {
  // No limit: half of the largest size, so that sums do not overflow.
  return budget.is_limited() ? std::max(budget.lines, fixed + 2 * least) : std::size_t(-1) / 2;
}

Lines problem_lines(const fixes::Explanation& explanation, const Budget& budget, std::size_t room,
                    const Presentation& style) {
  std::vector<const Problem*> urgent;
  std::vector<const Problem*> waiting;
  for (const Problem& problem : explanation.problems.problems) {
    (diagnosis::needs_action(problem) ? urgent : waiting).push_back(&problem);
  }
  Lines result;
  if (!urgent.empty()) {
    const std::size_t reserved = waiting.empty() ? 0 : style.is_small_screen() ? 2 : 4;
    result = section("NEEDS ACTION", urgent, room > reserved ? room - reserved : 1, budget,
                     explanation, style);
  }
  if (!waiting.empty()) {
    const std::size_t left = room > result.size() ? room - result.size() : 1;
    Budget rest = budget;
    if (budget.insists) rest.full -= std::min(budget.full, urgent.size());  // for both sections
    append(result, section("RESOLVES WITHOUT ACTION", waiting, left, rest, explanation, style));
  }
  return result;
}

Lines ignored_lines(const fixes::Explanation& explanation) {
  const std::size_t ignored = explanation.problems.ignored;
  if (ignored == 0) return {};
  return {grouped_count(ignored, "problem") + " ignored"};
}

Grid daemon_set_grid(const fixes::Explanation& explanation, bool all) {
  const std::map<std::size_t, Rank> ranks = ranks_of(explanation, all);
  std::vector<std::size_t> order(ranks.size());
  std::ranges::transform(ranks, order.begin(), [](const auto& entry) { return entry.first; });
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    const Rank& rank = ranks.at(i);
    return std::tuple(rank.first_problem, ~rank.affected);
  });
  std::vector<std::string> numbers = problem_numbers(explanation);
  Grid grid = grid_of(tables::overview);
  for (const std::size_t i : order) {
    grid.rows.push_back(row_of(explanation.daemon_sets[i].report, std::move(numbers[i])));
  }
  return grid;
}

Lines daemon_set_table(const fixes::Explanation& explanation, bool all, std::size_t room,
                       const Style& style) {
  Grid grid = daemon_set_grid(explanation, all);
  const std::size_t columns = room_for(grid, 0, style);
  for (auto& row : grid.rows) row.front() = full_name_within(row.front(), columns);
  return grid_lines(grid, room, style);
}

Lines rules_lines(const fixes::Explanation& explanation, const Style& style) {
  if (!style.wide) return {};
  return lines_of_text(wrapped(style, 0, base::printable_line(rules_line(explanation.rules))));
}

Lines note_lines(const fixes::Explanation& explanation, const Style& style) {
  constexpr std::size_t shown = 2;
  const std::vector<std::string> clauses = remark_clauses(explanation);
  if (clauses.empty()) return {};
  // The user asked for notes about later events: each is a paragraph.
  const auto ahead = std::ranges::count_if(explanation.problems.remarks, &diagnosis::Remark::ahead);
  std::vector<std::string> notes(clauses.begin(), clauses.begin() + ahead);
  const auto others = std::span(clauses).subspan(notes.size());
  if (!others.empty()) {
    // Semicolons, because the clauses contain commas.
    notes.push_back(
        fmt::format("{}", fmt::join(others.first(std::min(shown, others.size())), "; ")));
    if (others.size() > shown) notes.back() += fmt::format("; and {} more", others.size() - shown);
  }
  if (style.is_small_screen()) {
    const std::string more =
        clauses.size() > 1 ? fmt::format("; and {} more", clauses.size() - 1) : std::string();
    const std::size_t columns = style.width - 8 - more.size();
    return {paint(style, Color::Bold, "NOTES") + "   " +
            base::without_middle(clauses.front(), columns) + more};
  }
  std::string text = paint(style, Color::Bold, "NOTES") + "   ";
  for (const std::string& note : notes) {
    if (&note != &notes.front()) text += "        ";
    text += wrapped(style, Layout{.indent = 6, .lead = 8}, note);
  }
  return lines_of_text(text);
}

}  // namespace dsdoctor::render
