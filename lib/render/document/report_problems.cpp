// SPDX-License-Identifier: Apache-2.0
#include "render/document/report_problems.h"

#include <fmt/format.h>

#include <algorithm>

#include "render/document/report_parts.h"
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

std::vector<Cell> row_of(std::size_t number, const Problem& problem,
                         const fixes::Explanation& explanation, const Presentation& style) {
  const std::string since = since_clause(problem, explanation);
  const std::string affected = style.lists_every_node()
                                   ? affected_clause(problem, explanation, style)
                                   : affected_clause_within(problem, explanation, 0);
  return {{plain(std::to_string(number))},
          {strong(to_string(problem.severity), tone_of(problem)), plain(words_of(problem.action))},
          {plain(title_of(problem).text)},
          {plain(affected)},
          {plain(since)}};
}

/// The rest of a problem, which is not in the table.
Details details_of(std::size_t number, const Problem& problem,
                   const fixes::Explanation& explanation, const Presentation& style) {
  std::vector<Block> blocks;
  if (const std::string example = example_of(problem); !example.empty()) {
    add_paragraph(blocks, fmt::format("For example: {}", example));
  }
  add_paragraph(blocks, affected_clause(problem, explanation, style));
  for (const diagnosis::Step& step : problem.fix) {
    add_paragraph(blocks, render::words_of(step));
    if (step.command) add_command(blocks, addressed(*step.command, style));
  }
  Bullets evidence;
  constexpr std::size_t shown = 5;
  for (std::size_t i = 0; i < std::min(shown, problem.evidence.size()); ++i) {
    evidence.items.push_back(code(text_of(problem.evidence[i])));
  }
  if (!evidence.items.empty()) blocks.emplace_back(std::move(evidence));
  blocks.emplace_back(Paragraph{plain("id: ") + code(problem.id)});
  return folded(strong(fmt::format("{} {}: ", number, to_string(problem.severity))) +
                    plain(title_of(problem).text),
                std::move(blocks));
}

}  // namespace

void add_problems(std::vector<Block>& blocks, const fixes::Explanation& explanation,
                  const Presentation& style) {
  const auto& problems = explanation.problems.problems;
  if (problems.empty()) return;
  blocks.emplace_back(Paragraph{plain(problems_summary(explanation.problems, style))});
  blocks.emplace_back(Heading{2, plain("Problems")});
  Table table{{plain("#"), plain("severity"), plain("problem"), plain("affected"), plain("since")},
              {}};
  for (std::size_t i = 0; i < problems.size(); ++i) {
    table.rows.push_back(row_of(i + 1, problems[i], explanation, style));
  }
  blocks.emplace_back(std::move(table));
}

void add_problem_details(std::vector<Block>& blocks, const fixes::Explanation& explanation,
                         const Presentation& style) {
  const auto& problems = explanation.problems.problems;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    blocks.emplace_back(details_of(i + 1, problems[i], explanation, style));
  }
}

}  // namespace dsdoctor::render
