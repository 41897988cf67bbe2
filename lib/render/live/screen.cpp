// SPDX-License-Identifier: Apache-2.0
#include "render/live/screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "base/time.h"
#include "render/terminal/table.h"

namespace dsdoctor::render {
namespace {

constexpr std::size_t least_columns = 30;
constexpr std::size_t least_rows = 6;

constexpr std::string_view name_title = "DAEMONSET";

const std::vector<std::string>& help_lines() {
  static const std::vector<std::string> lines = {
      "j, k, arrows   the next, the previous line",
      "Enter          open: evidence and fix of a problem",
      "d              DaemonSets; again: problems",
      "n              nodes with a problem; again: problems",
      "/              show only lines with a text; Esc shows all",
      "c              copy the command of the fix",
      "s              save a snapshot of the cluster",
      "p              pause; again: go on",
      "Esc            back",
      "q              quit"};
  return lines;
}

/// At most `columns` of a line without colors.
std::string cut(const std::string& line, std::size_t columns) {
  if (columns_of(line) <= columns) return line;
  if (columns <= 3) return std::string("...").substr(0, columns);
  std::size_t bytes = 0;
  for (std::size_t left = columns - 3; bytes < line.size(); ++bytes) {
    const bool starts = (static_cast<unsigned char>(line[bytes]) & 0xC0U) != 0x80U;
    if (starts && left-- == 0) break;
  }
  return line.substr(0, bytes) + "...";
}

/// "LINE: AFFECTED": both are shortened if they do not fit, the second to two fifths.
std::string fitted(const std::string& line, const std::string& affected, std::size_t columns) {
  if (affected.empty()) return cut(line, columns);
  const std::size_t taken = columns_of(line) + 2;
  const std::size_t least = std::min(columns_of(affected), columns * 2 / 5);
  const std::size_t left = taken < columns ? columns - taken : 0;
  const std::string shown = cut(affected, std::max(least, left));
  return cut(line, columns - columns_of(shown) - 2) + ": " + shown;
}

std::string padded(const std::string& text, std::size_t columns) {
  const std::size_t taken = columns_of(text);
  return taken >= columns ? text : text + std::string(columns - taken, ' ');
}

Color color_of(const LiveProblem& problem) {
  if (problem.action == "none") return Color::Dim;
  if (problem.severity == "critical") return Color::StrongRed;
  if (problem.severity == "error") return Color::Red;
  return problem.severity == "warning" ? Color::Yellow : Color::Plain;
}

/// "by 02:50:00 UTC, in 8m", "overdue for 5m"; empty if unknown.
std::string due_clause(const LiveProblem& problem, model::Time now) {
  if (!problem.resolves_at) return problem.action == "overdue" ? "overdue" : "";
  const model::Time due = *problem.resolves_at;
  if (due <= now) return "overdue for " + base::span_text(now - due);
  return "resolves in " + base::span_text(due - now);
}

}  // namespace

void Screen::apply(const LiveUpdate& update, const LiveState& state) {
  for (const LiveChange& change : update.changes) {
    if (change.type == LiveChange::Type::Resolved) {
      marks_.erase(change.problem.id);
      gone_.push_back({change.problem, update.time});
      continue;
    }
    std::erase_if(gone_, [&](const Gone& gone) { return gone.problem.id == change.problem.id; });
    Mark mark{change.type, update.time, {}};
    if (change.before && change.before->placements != change.problem.placements) {
      mark.text = fmt::format("{} {} {}", change.before->placements, style_.unicode ? "→" : "->",
                              change.problem.placements);
    }
    // A problem that is there at the start is not new.
    if (!state_.summary.empty()) marks_.insert_or_assign(change.problem.id, std::move(mark));
  }
  std::erase_if(gone_, [&](const Gone& gone) { return update.time - gone.time > resolved_for; });
  (is_paused_ ? last_ : state_) = state;
}

bool Screen::passes(const std::string& text) const {
  return filter_.empty() ||
         base::lower_case(text).find(base::lower_case(filter_)) != std::string::npos;
}

std::vector<Screen::Item> Screen::problem_items(model::Time now) const {
  std::vector<Item> result;
  const auto add = [&](const LiveProblem& problem, std::string_view mark, std::string_view what) {
    const std::string due = due_clause(problem, now);
    std::string line = fmt::format("{:1} {:8} {}", mark, problem.severity, problem.title);
    for (const std::string_view part : {what, std::string_view(due)}) {
      if (!part.empty()) line += fmt::format(" ({})", part);
    }
    if (!passes(fmt::format("{} {} {}", line, problem.affected, problem.id))) return;
    result.push_back(
        {problem.id, std::move(line), problem.affected, color_of(problem), false, !mark.empty()});
  };
  for (const LiveProblem& problem : state_.problems) {
    const auto mark = marks_.find(problem.id);
    const bool is_recent = mark != marks_.end() && now - mark->second.time <= marked_for;
    if (!is_recent) {
      add(problem, "", "");
    } else {
      add(problem, mark->second.type == LiveChange::Type::Added ? "+" : "~", mark->second.text);
    }
  }
  for (const Gone& gone : gone_) {
    if (now - gone.time > resolved_for || state_.find(gone.problem.id) != nullptr) continue;
    const std::string line = fmt::format("- {:8} {}: resolved {} ago", gone.problem.severity,
                                         gone.problem.title, base::age_text(gone.time, now));
    if (passes(line)) result.push_back({gone.problem.id, line, {}, Color::Green, true, false});
  }
  return result;
}

std::size_t Screen::name_columns() const {
  constexpr std::size_t most = 44;
  std::size_t widest = name_title.size();
  for (const LiveRow& row : state_.daemon_sets) widest = std::max(widest, columns_of(row.name));
  return std::min(widest, most);
}

std::string Screen::table_heading() const {
  std::string line = "  " + padded(std::string(name_title), name_columns());
  for (const std::string& title : live_columns()) line += "  " + title;
  return line;
}

std::vector<Screen::Item> Screen::daemon_set_items() const {
  std::vector<Item> result;
  const std::size_t widest = name_columns();
  for (const LiveRow& row : state_.daemon_sets) {
    if (!passes(row.name)) continue;
    std::string line = padded(full_name_within(row.name, widest), widest);
    for (std::size_t i = 0; i < std::min(row.counts.size(), live_columns().size()); ++i) {
      line += fmt::format("  {:>{}}", row.counts[i], live_columns()[i].size());
    }
    const bool is_affected = std::ranges::any_of(state_.problems, [&](const LiveProblem& problem) {
      return problem.action != "none" &&
             std::ranges::find(problem.daemon_sets, row.name) != problem.daemon_sets.end();
    });
    result.push_back(
        {row.name, line, {}, is_affected ? Color::Yellow : Color::Plain, false, false});
  }
  return result;
}

std::vector<Screen::Item> Screen::node_items() const {
  std::map<std::string, std::vector<const LiveProblem*>> problems;
  for (const LiveProblem& problem : state_.problems) {
    for (const std::string& node : problem.nodes) problems[node].push_back(&problem);
  }
  std::vector<Item> result;
  for (const auto& [node, its] : problems) {
    std::string line = fmt::format("{}  {}", node, its.front()->title);
    if (its.size() > 1) line += fmt::format(" and {} more", its.size() - 1);
    if (passes(line)) result.push_back({node, line, {}, color_of(*its.front()), false, false});
  }
  return result;
}

std::vector<Screen::Item> Screen::items(List list, model::Time now) const {
  switch (list) {
    case List::Problems: return problem_items(now);
    case List::DaemonSets: return daemon_set_items();
    case List::Nodes: break;
  }
  return node_items();
}

std::string Screen::title_line(std::size_t columns) const {
  const std::string right = is_paused_ ? "paused" : liveness_.text;
  const std::string& sentence = state_.failure.empty() ? state_.summary : state_.failure;
  const std::size_t room = columns_of(right) + 12 < columns ? columns - columns_of(right) - 2 : 0;
  if (room == 0) return cut(liveness_.is_good ? sentence : right, columns);
  const bool is_fine = state_.problems.empty() && state_.failure.empty();
  return paint(style_, is_fine ? Color::Green : Color::Bold, padded(cut(sentence, room), room)) +
         "  " + paint(style_, liveness_.is_good && !is_paused_ ? Color::Dim : Color::Yellow, right);
}

std::string Screen::bottom_line(std::size_t columns) const {
  if (is_typing_) return cut("/" + filter_ + "_", columns);
  if (!notice_.empty()) return paint(style_, Color::Bold, cut(notice_, columns));
  std::string keys = opened_.empty() ? "Enter open  d DaemonSets  n nodes  / filter  c copy  "
                                       "s snapshot  p pause  ? help  q quit"
                                     : "Esc back  j/k scroll  c copy  q quit";
  if (!filter_.empty() && opened_.empty())
    keys = fmt::format("filter: {} (Esc: all)  {}", filter_, keys);
  return paint(style_, Color::Dim, cut(keys, columns));
}

/// Keeps the chosen item in view.
void Screen::add_items(std::vector<std::string>& lines, const std::vector<Item>& all,
                       std::size_t room, std::size_t columns, bool has_focus) const {
  if (all.empty() || room == 0) return;
  std::size_t at = 0;
  while (has_focus && at < all.size() && all[at].key != cursor_) ++at;
  if (at == all.size()) at = 0;
  const bool fits = all.size() <= room;
  const std::size_t shown = fits ? all.size() : room - 1;
  if (shown == 0) {
    lines.push_back(cut(fmt::format("  {} more", all.size()), columns));
    return;
  }
  const std::size_t first = at < shown ? 0 : at - shown + 1;
  for (std::size_t i = first; i < first + shown; ++i) {
    const Item& item = all[i];
    const bool is_chosen = has_focus && i == at;
    std::string text = fitted((is_chosen ? "> " : "  ") + item.line, item.affected, columns);
    if (item.is_struck && style_.color) {
      text = fmt::format("\x1b[9m{}\x1b[29m", text);
    }
    const Color color = item.is_marked || is_chosen ? Color::Bold : item.color;
    lines.push_back(paint(style_, color, text));
  }
  if (!fits) lines.push_back(cut(fmt::format("  {} more", all.size() - shown), columns));
}

std::vector<std::string> Screen::problem_details(const LiveProblem& problem,
                                                 model::Time now) const {
  std::vector<std::string> lines = {fmt::format("{}  {}", problem.severity, problem.title)};
  if (problem.since) lines.push_back("for " + base::age_text(*problem.since, now));
  if (const std::string due = due_clause(problem, now); !due.empty()) lines.push_back(due);
  lines.push_back("affected: " + problem.affected);
  std::ranges::copy(problem.details, std::back_inserter(lines));
  if (!problem.command.empty()) lines.push_back("command: " + problem.command);
  lines.push_back("id: " + problem.id);
  return lines;
}

std::vector<std::string> Screen::opened_lines(model::Time now) const {
  std::vector<std::string> lines;
  if (list_ == List::Problems) {
    if (const LiveProblem* problem = state_.find(opened_)) return problem_details(*problem, now);
    const auto gone =
        std::ranges::find_if(gone_, [&](const Gone& each) { return each.problem.id == opened_; });
    return {gone == gone_.end() ? "resolved" : "resolved: " + gone->problem.title};
  }
  const bool of_daemon_set = list_ == List::DaemonSets;
  lines.push_back(fmt::format("{} {}", of_daemon_set ? "DaemonSet" : "node", opened_));
  for (const LiveProblem& problem : state_.problems) {
    const auto& names = of_daemon_set ? problem.daemon_sets : problem.nodes;
    if (std::ranges::find(names, opened_) == names.end()) continue;
    lines.emplace_back();
    std::ranges::move(problem_details(problem, now), std::back_inserter(lines));
  }
  if (lines.size() == 1) lines.emplace_back("no problem");
  return lines;
}

std::vector<std::string> Screen::detail_lines(std::size_t columns, model::Time now) const {
  std::vector<std::string> result;
  Style style = style_;
  style.width = columns;
  for (const std::string& line : opened_lines(now)) {
    if (line.empty()) {
      result.emplace_back();
      continue;
    }
    const std::string text = wrapped(style, 0, line);
    for (const std::string_view part : base::split(text, "\n")) {
      if (!part.empty()) result.push_back(cut(std::string(part), columns));
    }
  }
  return result;
}

void Screen::add_details(std::vector<std::string>& lines, std::size_t room, std::size_t columns,
                         model::Time now) const {
  const std::vector<std::string> details = detail_lines(columns, now);
  const std::size_t last = details.size() > room ? details.size() - room : 0;
  const std::size_t first = std::min(scroll_, last);
  for (std::size_t i = first; i < std::min(first + room, details.size()); ++i) {
    lines.push_back(details[i]);
  }
}

void Screen::add_problems_and_table(std::vector<std::string>& lines, std::size_t room,
                                    std::size_t columns, model::Time now) const {
  const std::size_t end = lines.size() + room;
  const std::vector<Item> problems = items(List::Problems, now);
  const std::vector<Item> table = filter_.empty() ? daemon_set_items() : std::vector<Item>();
  constexpr std::size_t least_table = 5;  // with its heading and an empty line
  // The table gets at most the lower half, and what problems leave.
  const std::size_t of_table = room >= 3 * least_table ? std::min(table.size() + 2, room / 2) : 0;
  add_items(lines, problems, room - of_table, columns, true);
  if (end - lines.size() < least_table || table.empty()) return;
  if (!problems.empty()) lines.emplace_back();
  lines.push_back(paint(style_, Color::Dim, cut(table_heading(), columns)));
  add_items(lines, table, end - lines.size(), columns, false);
}

void Screen::add_view(std::vector<std::string>& lines, std::size_t room, std::size_t columns,
                      model::Time now) const {
  if (shows_help_) {
    for (std::size_t i = 0; i < std::min(room, help_lines().size()); ++i) {
      lines.push_back(cut(help_lines()[i], columns));
    }
  } else if (!opened_.empty()) {
    add_details(lines, room, columns, now);
  } else if (list_ == List::Problems) {
    add_problems_and_table(lines, room, columns, now);
  } else {
    const bool has_heading = list_ == List::DaemonSets;
    if (has_heading) lines.push_back(paint(style_, Color::Dim, cut(table_heading(), columns)));
    add_items(lines, items(list_, now), room - (has_heading ? 1 : 0), columns, true);
  }
}

std::vector<std::string> Screen::frame(std::size_t columns, std::size_t rows,
                                       model::Time now) const {
  std::vector<std::string> lines;
  if (columns == 0 || rows == 0) return lines;
  if (columns < least_columns || rows < least_rows) {
    lines.push_back(cut(state_.failure.empty() ? state_.summary : state_.failure, columns));
    if (rows > 1) {
      lines.push_back(cut(fmt::format("needs {}x{}", least_columns, least_rows), columns));
    }
    return lines;
  }
  lines.push_back(title_line(columns));
  lines.push_back(paint(style_, Color::Dim, cut(state_.scope, columns)));
  for (const std::string& omission : state_.omissions) {
    if (lines.size() + 4 >= rows) break;
    lines.push_back(paint(style_, Color::Yellow, cut("? " + omission, columns)));
  }
  lines.emplace_back();
  add_view(lines, rows - lines.size() - 1, columns, now);
  lines.resize(rows - 1);
  lines.push_back(bottom_line(columns));
  return lines;
}

}  // namespace dsdoctor::render
