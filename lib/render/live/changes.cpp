// SPDX-License-Identifier: Apache-2.0
#include "render/live/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/printable.h"
#include "base/time.h"
#include "render/data/json.h"

namespace dsdoctor::render {
namespace {

/// Texts contain ages, which change all the time, so they are not compared.
bool differs(const LiveProblem& a, const LiveProblem& b) {
  return a.severity != b.severity || a.action != b.action || a.placements != b.placements ||
         a.affected != b.affected;
}

std::string clock_time(model::Time time) {
  constexpr std::size_t date = 11;  // "2026-11-21T"
  constexpr std::size_t length = 8;
  return base::rfc3339_seconds(time).substr(date, length);
}

/// "needs action", "overdue", "resolves without action"
std::string_view words_of_action(std::string_view action) {
  if (action == "overdue") return "overdue";
  return action == "none" ? "resolves without action" : "needs action";
}

/// The difference: "29 → 12 placements, warning → error".
std::string difference(const LiveProblem& before, const LiveProblem& after, const Style& style) {
  const std::string_view arrow = style.unicode ? "→" : "->";
  std::vector<std::string> parts;
  if (before.placements != after.placements) {
    parts.push_back(fmt::format("{} {} {} placements", before.placements, arrow, after.placements));
  }
  if (before.severity != after.severity) {
    parts.push_back(fmt::format("{} {} {}", before.severity, arrow, after.severity));
  }
  if (before.action != after.action) parts.emplace_back(words_of_action(after.action));
  if (parts.empty()) return after.affected;
  return fmt::format("{}  {}", fmt::join(parts, ", "), after.affected);
}

std::string line_of(const LiveChange& change, model::Time time, const Style& style) {
  const LiveProblem& problem = change.problem;
  const auto line = [&](std::string_view mark, Color color, std::string_view what) {
    return fmt::format("{} {} {} {}  {}{}{}", clock_time(time), paint(style, color, mark),
                       problem.severity, paint(style, Color::Bold, problem.title), what,
                       what.empty() ? "" : "  ", paint(style, Color::Dim, problem.id));
  };
  switch (change.type) {
    case LiveChange::Type::Added:
      return line("+", Color::Red,
                  problem.action == "needed"
                      ? problem.affected
                      : fmt::format("{}  {}", problem.affected, words_of_action(problem.action)));
    case LiveChange::Type::Changed:
      return line("~", Color::Yellow, difference(*change.before, problem, style));
    case LiveChange::Type::Resolved: break;
  }
  return line("-", Color::Green,
              change.since ? "resolved after " + base::age_text(*change.since, time) : "resolved");
}

Json json_of(const LiveProblem& problem) {
  Json result{{"id", problem.id},
              {"finding", problem.finding},
              {"severity", problem.severity},
              {"action", problem.action},
              {"title", problem.title},
              {"affected", problem.affected},
              {"placements", problem.placements},
              {"since", nullptr},
              {"resolvesAt", nullptr},
              {"nodes", problem.nodes},
              {"daemonSets", problem.daemon_sets},
              {"details", problem.details},
              {"command", problem.command}};
  if (problem.since) result["since"] = rfc3339(*problem.since);
  if (problem.resolves_at) result["resolvesAt"] = rfc3339(*problem.resolves_at);
  return result;
}

Json json_of(const LiveRow& row) {
  Json result{{"name", row.name}};
  const std::vector<std::string>& titles = live_columns();
  for (std::size_t i = 0; i < std::min(titles.size(), row.counts.size()); ++i) {
    result[titles[i]] = row.counts[i];
  }
  return result;
}

/// On one line, with invisible characters escaped.
std::string line_of(const Json& document) {
  const std::string text = document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return base::with_hidden_escaped(text, base::Notation::Json);
}

std::string text_in(const Json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

std::vector<std::string> texts_in(const Json& object, const char* key) {
  std::vector<std::string> result;
  const auto at = object.find(key);
  if (at == object.end() || !at->is_array()) return result;
  for (const Json& each : *at) {
    if (each.is_string()) result.push_back(base::printable_line(each.get<std::string>()));
  }
  return result;
}

model::OptionalTime time_in(const Json& object, const char* key) {
  return base::parse_rfc3339(text_in(object, key));
}

/// A recording may come from anywhere, so its texts are made harmless again.
LiveProblem problem_in(const Json& object) {
  const auto text = [&](const char* key) { return base::printable_line(text_in(object, key)); };
  LiveProblem result;
  result.id = text("id");
  result.finding = text("finding");
  result.severity = text("severity");
  result.action = text("action");
  result.title = text("title");
  result.affected = text("affected");
  const auto placements = object.find("placements");
  if (placements != object.end() && placements->is_number_unsigned()) {
    result.placements = placements->get<std::size_t>();
  }
  result.since = time_in(object, "since");
  result.resolves_at = time_in(object, "resolvesAt");
  result.nodes = texts_in(object, "nodes");
  result.daemon_sets = texts_in(object, "daemonSets");
  result.details = texts_in(object, "details");
  result.command = text("command");
  return result;
}

void apply_status(const Json& status, LiveState& state) {
  state.summary = base::printable_line(text_in(status, "summary"));
  state.scope = base::printable_line(text_in(status, "scope"));
  state.omissions = texts_in(status, "omissions");
  state.failure = base::printable_line(text_in(status, "failure"));
  for (const std::string& name : texts_in(status, "gone")) {
    std::erase_if(state.daemon_sets, [&](const LiveRow& row) { return row.name == name; });
  }
  const auto rows = status.find("daemonSets");
  if (rows == status.end() || !rows->is_array()) return;
  for (const Json& each : *rows) {
    if (!each.is_object()) continue;
    LiveRow row{base::printable_line(text_in(each, "name")), {}};
    for (const std::string& title : live_columns()) {
      row.counts.push_back(base::printable_line(text_in(each, title.c_str())));
    }
    const auto at = std::ranges::find(state.daemon_sets, row.name, &LiveRow::name);
    if (at == state.daemon_sets.end()) {
      state.daemon_sets.push_back(std::move(row));
    } else {
      *at = std::move(row);
    }
  }
}

void apply_problem(std::string_view type, LiveProblem problem, LiveState& state) {
  const auto at = std::ranges::find(state.problems, problem.id, &LiveProblem::id);
  if (type == "RESOLVED") {
    if (at != state.problems.end()) state.problems.erase(at);
  } else if (at != state.problems.end()) {
    *at = std::move(problem);
  } else {
    state.problems.push_back(std::move(problem));
  }
}

}  // namespace

model::OptionalTime LiveLog::held_until() const {
  model::OptionalTime first;
  for (const auto& held : held_) {
    const model::Time until = held.second + held_for;
    if (!first || until < *first) first = until;
  }
  return first;
}

/// Removes the problems that are not reported yet.
void LiveLog::hold_back(LiveState& state) {
  std::map<std::string, model::Time, std::less<>> held;
  std::erase_if(state.problems, [&](const LiveProblem& problem) {
    if (is_first_ || problem.action != "none" || state_.find(problem.id) != nullptr) return false;
    const auto before = held_.find(problem.id);
    const model::Time since = before == held_.end() ? state.time : before->second;
    if (state.time - since >= held_for) return false;
    held.emplace(problem.id, since);
    return true;
  });
  held_ = std::move(held);
  if (!held_.empty()) state.summary = state_.summary;  // it counts them
}

LiveUpdate LiveLog::add(LiveState state) {
  LiveUpdate update;
  update.time = state.time;
  if (!state.failure.empty()) {
    if (state.failure != state_.failure) update.failure = state.failure;
    state_.failure = std::move(state.failure);
    state_.time = state.time;
    return update;
  }
  hold_back(state);
  for (const LiveProblem& before : state_.problems) {
    if (state.find(before.id) != nullptr) continue;
    model::OptionalTime since = before.since;
    if (const auto seen = seen_.find(before.id); seen != seen_.end()) {
      if (!since) since = seen->second;
      seen_.erase(seen);
    }
    update.changes.push_back({LiveChange::Type::Resolved, before, {}, since});
  }
  for (const LiveProblem& problem : state.problems) {
    const LiveProblem* before = state_.find(problem.id);
    if (before == nullptr) {
      seen_.insert_or_assign(problem.id, state.time);
      update.changes.push_back({LiveChange::Type::Added, problem, {}, {}});
    } else if (differs(*before, problem)) {
      update.changes.push_back({LiveChange::Type::Changed, problem, *before, {}});
    }
  }
  for (const LiveRow& row : state.daemon_sets) {
    const auto at = std::ranges::find(state_.daemon_sets, row.name, &LiveRow::name);
    if (at == state_.daemon_sets.end() || !(*at == row)) update.rows.push_back(row);
  }
  for (const LiveRow& row : state_.daemon_sets) {
    const auto at = std::ranges::find(state.daemon_sets, row.name, &LiveRow::name);
    if (at == state.daemon_sets.end()) update.gone.push_back(row.name);
  }
  update.is_first = std::exchange(is_first_, false);
  update.summary_changed = update.is_first || state.summary != state_.summary ||
                           state.omissions != state_.omissions || !state_.failure.empty();
  state_ = std::move(state);
  return update;
}

std::vector<std::string> change_lines(const LiveUpdate& update, const LiveState& state,
                                      const Style& style) {
  std::vector<std::string> lines;
  if (!update.failure.empty()) lines.push_back(notice_line(update.time, update.failure));
  for (const LiveChange& change : update.changes) {
    lines.push_back(line_of(change, update.time, style));
  }
  if (!update.summary_changed) return lines;
  lines.push_back(fmt::format("{} = {}{}{}", clock_time(update.time), state.summary,
                              update.is_first ? "  " : "", update.is_first ? state.scope : ""));
  for (const std::string& omission : state.omissions) {
    lines.push_back(notice_line(update.time, omission));
  }
  return lines;
}

std::string notice_line(model::Time time, std::string_view text, bool is_good) {
  return fmt::format("{} {} {}", clock_time(time), is_good ? '=' : '!', base::printable_line(text));
}

std::vector<std::string> change_documents(const LiveUpdate& update, const LiveState& state) {
  std::vector<std::string> lines;
  const std::string time = base::rfc3339(update.time);
  for (const LiveChange& change : update.changes) {
    Json document{{"time", time},
                  {"type", change.type == LiveChange::Type::Added     ? "ADDED"
                           : change.type == LiveChange::Type::Changed ? "MODIFIED"
                                                                      : "RESOLVED"},
                  {"id", change.problem.id},
                  {"problem", json_of(change.problem)}};
    if (change.type == LiveChange::Type::Resolved) {
      document["began"] = change.since ? Json(rfc3339(*change.since)) : Json();
    }
    lines.push_back(line_of(document));
  }
  const bool has_status = update.summary_changed || !update.rows.empty() || !update.gone.empty() ||
                          !update.failure.empty();
  if (!has_status) return lines;
  Json rows = Json::array();
  for (const LiveRow& row : update.rows) rows.push_back(json_of(row));
  lines.push_back(line_of(Json{{"time", time},
                               {"type", "STATUS"},
                               {"summary", state.summary},
                               {"scope", state.scope},
                               {"omissions", state.omissions},
                               {"failure", state.failure},
                               {"daemonSets", std::move(rows)},
                               {"gone", update.gone}}));
  return lines;
}

std::string notice_document(model::Time time, std::string_view text, bool is_good) {
  return line_of(
      Json{{"time", base::rfc3339(time)}, {"type", "NOTICE"}, {"text", text}, {"isGood", is_good}});
}

base::Status LiveReplay::read(std::string_view line) {
  ++line_;
  if (line.find_first_not_of(" \t\r") == line.npos) return std::monostate();
  const auto malformed = [&](std::string_view what) {
    return base::Error{base::ErrorKind::Malformed, fmt::format("{}:{}", file_, line_),
                       fmt::format("{}; expected a line that -w -o json has printed", what)};
  };
  const Json document = Json::parse(line, nullptr, false);
  if (!document.is_object()) return malformed("not a JSON object");
  const auto time = time_in(document, "time");
  if (!time) return malformed("no time");
  const std::string type = text_in(document, "type");
  const bool is_known = type == "STATUS" || type == "NOTICE" || type == "ADDED" ||
                        type == "MODIFIED" || type == "RESOLVED";
  if (!is_known) {
    return malformed(fmt::format("unknown type \"{}\"", base::shortened_line(type, 40)));
  }
  if (!states_.empty() && *time < states_.back().time) {
    return malformed("the time is before that of the line above");
  }
  if (states_.empty()) {
    states_.emplace_back();
  } else if (states_.back().time != *time) {
    states_.push_back(states_.back());
  }
  LiveState& state = states_.back();
  state.time = *time;
  if (type == "NOTICE") return std::monostate();
  if (type == "STATUS") {
    apply_status(document, state);
    return std::monostate();
  }
  const auto problem = document.find("problem");
  if (problem == document.end() || !problem->is_object() || text_in(*problem, "id").empty()) {
    return malformed("no problem with an id");
  }
  apply_problem(type, problem_in(*problem), state);
  return std::monostate();
}

std::vector<LiveState> LiveReplay::take() { return std::exchange(states_, {}); }

}  // namespace dsdoctor::render
