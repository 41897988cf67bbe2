// SPDX-License-Identifier: Apache-2.0
#include "render/document/report_problems.h"

#include <fmt/format.h>

#include <algorithm>

#include "render/words/finding_text.h"
#include "render/words/message_text.h"
#include "render/words/problem_words.h"

namespace dsdoctor::render {
namespace {

using diagnosis::Problem;

Tone tone_of(const Problem& problem) {
  if (!diagnosis::needs_action(problem)) return Tone::Waiting;
  return problem.severity == diagnosis::Severity::Warning ? Tone::Waiting : Tone::Wrong;
}

std::string_view words_of(diagnosis::Action action) {
  switch (action) {
    case diagnosis::Action::Needed: return "needs action";
    case diagnosis::Action::Overdue: return "overdue";
    case diagnosis::Action::None: return "resolves without action";
  }
  return "";
}

Cell fix_cell(const Problem& problem, const Presentation& style) {
  Cell result;
  for (const diagnosis::Step& step : problem.fix) {
    if (const std::string words = render::words_of(step); !words.empty()) {
      result.push_back(plain(words));
    }
    if (step.command) result.push_back(code(addressed(*step.command, style)));
  }
  return result;
}

std::vector<Cell> row_of(const Problem& problem, const fixes::Explanation& explanation,
                         const Presentation& style) {
  const std::string since = since_clause(problem, explanation);
  return {{strong(to_string(problem.severity), tone_of(problem)), plain(words_of(problem.action))},
          {plain(title_of(problem).text)},
          {plain(affected_clause(problem, explanation, style))},
          {plain(since)},
          fix_cell(problem, style)};
}

}  // namespace

void add_problems(std::vector<Block>& blocks, const fixes::Explanation& explanation,
                  const Presentation& style) {
  constexpr std::size_t shown_at_first = 30;  // a comment on GitHub has a limited size
  const auto& problems = explanation.problems.problems;
  if (problems.empty()) return;
  const bool all = style.lists_every_node() || style.limit == 0U;
  const std::size_t shown =
      all ? problems.size() : std::min(problems.size(), style.limit.value_or(shown_at_first));
  blocks.emplace_back(Heading{2, plain("Problems")});
  blocks.emplace_back(Paragraph{plain(problems_summary(explanation.problems, style))});
  Table table{
      {plain("severity"), plain("problem"), plain("affected"), plain("since"), plain("fix")}, {}};
  for (std::size_t i = 0; i < shown; ++i) {
    table.rows.push_back(row_of(problems[i], explanation, style));
  }
  blocks.emplace_back(std::move(table));
  if (shown < problems.size()) {
    blocks.emplace_back(Paragraph{plain(
        fmt::format("{} more: --limit 0 lists them", grouped_digits(problems.size() - shown)))});
  }
}

}  // namespace dsdoctor::render
