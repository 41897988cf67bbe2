// SPDX-License-Identifier: Apache-2.0
#include "render/live/live_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/printable.h"
#include "render/terminal/problem_lines.h"
#include "render/words/finding_text.h"
#include "render/words/fix_parts.h"
#include "render/words/message_text.h"
#include "render/words/problem_words.h"
#include "render/words/text_parts.h"

namespace dsdoctor::render {
namespace {

using diagnosis::Problem;

constexpr std::size_t longest_title = 240;  // bytes
constexpr std::size_t most_nodes = 200;

/// A pipe has no columns: the screen shortens and wraps what it shows.
Presentation without_limits(const Presentation& style) {
  Presentation result = style;
  result.color = false;
  result.width = 0;
  result.rows = 0;
  result.wide = false;
  result.all_nodes = false;
  return result;
}

std::string command_of(const Problem& problem, const fixes::Explanation& explanation,
                       const Presentation& style) {
  for (const diagnosis::Step& step : problem.fix) {
    if (step.command) return base::printable_line(addressed(*step.command, style));
  }
  if (problem.daemon_sets.empty()) return {};
  const auto& report = explanation.daemon_sets[problem.daemon_sets.front()].report;
  return style.address.own_command("explain", report.ns, report.name).value_or("");
}

std::vector<std::string> details_of(const Problem& problem, const Presentation& style) {
  std::vector<std::string> lines;
  if (const std::string example = example_of(problem, longest_title); !example.empty()) {
    lines.push_back("for example: " + base::printable_line(example));
  }
  for (const diagnosis::Beside& other : problem.also) {
    lines.push_back("also: " + base::printable_line(text_of(other.message)));
  }
  for (const FixLine& line : lines_of_fix(problem.fix, style)) {
    lines.push_back("fix: " + base::printable_line(line.text));
  }
  for (const diagnosis::Evidence& evidence : problem.evidence) {
    lines.push_back("evidence: " + base::printable_line(text_of(evidence)));
  }
  return lines;
}

LiveProblem live_problem(const Problem& problem, const fixes::Explanation& explanation,
                         const Presentation& style) {
  LiveProblem result;
  result.id = base::printable_line(problem.id);
  result.finding = problem.finding;
  result.severity = to_string(problem.severity);
  result.action = to_string(problem.action);
  result.title = base::printable_line(title_of(problem, longest_title).text);
  result.affected = base::printable_line(affected_clause(problem, explanation, style));
  result.placements = problem.placements.size();
  result.since = problem.since;
  result.resolves_at = problem.resolves_at;
  for (std::size_t i = 0; i < std::min(most_nodes, problem.nodes.size()); ++i) {
    result.nodes.push_back(base::printable_line(problem.nodes[i]));
  }
  for (const std::size_t i : problem.daemon_sets) {
    result.daemon_sets.push_back(full_name(explanation.daemon_sets[i].report));
  }
  result.details = details_of(problem, style);
  result.command = command_of(problem, explanation, style);
  return result;
}

std::string summary_of(const fixes::Explanation& explanation, const std::string& calm,
                       const Style& style) {
  std::string summary = problems_summary(explanation.problems, style);
  if (!explanation.problems.problems.empty()) return summary;
  if (explanation.daemon_sets.empty()) return "no DaemonSets";
  const std::string count = grouped_count(explanation.daemon_sets.size(), "DaemonSet");
  std::string healthy = calm;
  if (!fixes::is_conclusive(explanation)) {
    healthy = fmt::format("{}: nothing wrong, but not everything could be read", count);
  } else if (calm.empty()) {
    healthy = fmt::format("nothing wrong: {} healthy{}", count,
                          is_selection(explanation) ? " on these nodes" : "");
  }
  return summary.empty() ? healthy : fmt::format("{}; {}", healthy, summary);
}

}  // namespace

const std::vector<std::string>& live_columns() {
  static const std::vector<std::string> titles = [] {
    std::vector<std::string> result;
    for (const GridColumn& column : tables::overview) result.emplace_back(column.title);
    result.erase(result.begin());
    result.pop_back();  // numbers of problems, which change
    return result;
  }();
  return titles;
}

const LiveProblem* LiveState::find(std::string_view id) const {
  const auto at = std::ranges::find(problems, id, &LiveProblem::id);
  return at == problems.end() ? nullptr : &*at;
}

LiveState live_state(const fixes::Explanation& explanation, const model::SourceInfo& source,
                     const std::vector<model::Omission>& omissions, const Presentation& style,
                     const std::string& calm) {
  const Presentation plain = without_limits(style);
  LiveState result;
  result.time = explanation.now;
  result.scope = base::printable_line(scope_line(explanation, source, plain));
  result.summary = summary_of(explanation, calm, plain);
  for (const Problem& problem : explanation.problems.problems) {
    result.problems.push_back(live_problem(problem, explanation, plain));
  }
  Grid table = daemon_set_grid(explanation, true);
  for (std::vector<std::string>& row : table.rows) {
    LiveRow live{base::printable_line(row.front()), {}};
    std::move(row.begin() + 1, row.end() - 1, std::back_inserter(live.counts));
    result.daemon_sets.push_back(std::move(live));
  }
  for (const std::string& sentence : omission_sentences(omissions)) {
    result.omissions.push_back(base::printable_line(sentence));
  }
  return result;
}

}  // namespace dsdoctor::render
