// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/printable.h"
#include "base/text.h"
#include "render/document/report_parts.h"
#include "render/fleet/fleet.h"
#include "render/fleet/fleet_words.h"
#include "render/words/finding_text.h"
#include "render/words/message_text.h"

namespace dsdoctor::render {
namespace {

using fixes::FleetProblem;

Tone tone_of(const diagnosis::Problem& problem) {
  const bool is_mild =
      !diagnosis::needs_action(problem) || problem.severity >= diagnosis::Severity::Warning;
  return is_mild ? Tone::Waiting : Tone::Wrong;
}

Details details_of(std::size_t number, const FleetProblem& problem, const Fleet& fleet,
                   const Presentation& style) {
  const diagnosis::Problem& joint = problem.problem;
  std::vector<Block> blocks;
  const std::vector<std::string> clusters = clusters_of(problem, fleet);
  add_paragraph(blocks, fmt::format("{}: {}", share_clause(problem, fleet),
                                    base::listed(clusters, clusters.size())));
  if (const std::string example = example_of(joint); !example.empty()) {
    add_paragraph(blocks, fmt::format("For example in {}: {}", clusters.front(), example));
  }
  const Presentation of_first = style_of(problem.parts.front().cluster, fleet, style);
  for (const diagnosis::Step& step : joint.fix) {
    add_paragraph(blocks, words_of(step));
    if (step.command) add_command(blocks, addressed(*step.command, of_first));
  }
  blocks.emplace_back(Paragraph{plain("id: ") + code(joint.id)});
  return folded(strong(fmt::format("{} {}: ", number, to_string(joint.severity))) +
                    plain(title_of(joint).text),
                std::move(blocks));
}

Table problem_table(const Fleet& fleet) {
  Table table{{plain("#"), plain("severity"), plain("problem"), plain(fleet.noun + "s"),
               plain("affected"), plain("since")},
              {}};
  for (std::size_t i = 0; i < fleet.problems.size(); ++i) {
    const FleetProblem& problem = fleet.problems[i];
    const diagnosis::Problem& joint = problem.problem;
    table.rows.push_back(
        {cell(std::to_string(i + 1)),
         {strong(to_string(joint.severity), tone_of(joint))},
         cell(title_of(joint).text),
         {plain(share_clause(problem, fleet)), plain(base::listed(clusters_of(problem, fleet)))},
         cell(affected_clause(problem, fleet)),
         cell(lasting_clause(problem, fleet))});
  }
  return table;
}

Table table_of(const Grid& grid, const std::string& first) {
  Table table{{plain(first), plain("nodes"), plain("DaemonSets"), plain("placements affected"),
               plain("problems")},
              {}};
  for (const auto& row : grid.rows) {
    std::vector<Cell> cells;
    cells.reserve(row.size());
    for (const std::string& text : row) cells.push_back(cell(text));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace

Document fleet_document(const Fleet& fleet, const Presentation& style) {
  Document document{fleet_states(fleet), plain(fleet_scope(fleet)), {}};
  std::vector<Block>& blocks = document.blocks;
  add_paragraph(blocks, fleet_summary(fleet));
  if (!fleet.problems.empty()) {
    blocks.emplace_back(Heading{2, plain("Problems")});
    blocks.emplace_back(problem_table(fleet));
  }
  if (const auto failures = failures_of(fleet); !failures.empty()) {
    blocks.emplace_back(Heading{2, plain("No answer")});
    Bullets bullets;
    for (const SharedText& failure : failures) {
      bullets.items.push_back(strong(base::listed(failure.clusters)) + plain(": " + failure.text));
    }
    blocks.emplace_back(std::move(bullets));
  }
  for (std::size_t i = 0; i < fleet.problems.size(); ++i) {
    blocks.emplace_back(details_of(i + 1, fleet.problems[i], fleet, style));
  }
  blocks.emplace_back(Heading{2, plain(fmt::format("All {}s", fleet.noun))});
  blocks.emplace_back(table_of(cluster_grid(fleet, true), fleet.noun));
  for (const std::string& note : fleet.notes) add_paragraph(blocks, note);
  for (const std::string& sentence : omission_sentences(fleet)) add_paragraph(blocks, sentence);
  return document;
}

}  // namespace dsdoctor::render
