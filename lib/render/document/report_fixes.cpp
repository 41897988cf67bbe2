// SPDX-License-Identifier: Apache-2.0
#include "render/document/report_fixes.h"

#include <fmt/format.h>

#include "base/text.h"
#include "render/data/patch.h"
#include "render/document/report_parts.h"
#include "render/document/reports.h"
#include "render/words/finding_text.h"
#include "render/words/fix_parts.h"
#include "render/words/message_text.h"

namespace dsdoctor::render {
namespace {

using fixes::Alternative;
using fixes::FixAnswer;
using fixes::Suggestion;

/// `line` is absent if a word in it is not a valid name or cannot be quoted.
void add_command_or_note(std::vector<Block>& blocks, const std::optional<std::string>& line) {
  if (line) {
    add_command(blocks, std::string_view(*line));
  } else {
    add_paragraph(blocks, "(No command: a name in it is not valid, or the shell cannot quote it.)");
  }
}

void add_undo(std::vector<Block>& blocks, const std::optional<std::string>& line) {
  if (!line) return;
  add_paragraph(blocks, "To undo it:");
  add_command_or_note(blocks, line);
}

/// The commands of a fix that changes the template.
template <typename Fix>
void add_patch(std::vector<Block>& blocks, const model::DaemonSet& ds, const Fix& fix,
               const fixes::TemplateChange& change, const Presentation& style) {
  add_paragraph(blocks, imagined_sentence(change));
  if (fix.of_manifest) {
    add_paragraph(blocks, manifest_sentence);
    return add_command_or_note(blocks, manifest_command(ds.meta.ns, ds.meta.name, fix.id, style));
  }
  add_command_or_note(blocks, patch_command(ds, change, style));
  add_undo(blocks, undo_command(ds, change, style));
}

void add_nodes(Bullets& bullets, std::string_view verb, const std::vector<model::Text>& nodes,
               const Style& style) {
  if (nodes.empty()) return;
  bullets.items.push_back(plain(fmt::format("{} ", verb)) + names_line(nodes, style));
}

void add_effect(std::vector<Block>& blocks, const fixes::Effect& effect, const Style& style) {
  Bullets bullets;
  add_nodes(bullets, "eligible then:", effect.gained, style);
  add_nodes(bullets, "no longer eligible:", effect.lost, style);
  add_nodes(bullets, "deletes the pod on", effect.deletes, style);
  if (!bullets.items.empty()) blocks.emplace_back(std::move(bullets));
}

/// "So that the node is eligible until it is removed."
std::string purpose_sentence(const Suggestion& suggestion) {
  std::string result = text_of(suggestion.purpose);
  if (result.empty()) return result;
  result.front() = base::to_upper(result.front());
  return result + ".";
}

void add_heading(std::vector<Block>& blocks, const Suggestion& suggestion) {
  blocks.emplace_back(
      Heading{3, plain(fmt::format("{}: {}", lead_of(suggestion), tolerate_clause(suggestion)))});
}

void add(std::vector<Block>& blocks, const model::DaemonSet& ds, const Suggestion& suggestion,
         const Presentation& style) {
  add_heading(blocks, suggestion);
  add_paragraph(blocks, purpose_sentence(suggestion));
  add_effect(blocks, suggestion.effect, style);
  add_paragraph(blocks, effect_line(suggestion.effect, suggestion.restarted_pods,
                                    suggestion.on_delete, style));
  add_paragraph(blocks, text_of(suggestion.risk));
  if (const auto wait = wait_sentence(suggestion); !wait.empty()) add_paragraph(blocks, wait);
  add_patch(blocks, ds, suggestion, suggestion.change, style);
}

void add(std::vector<Block>& blocks, const model::DaemonSet& ds, const Alternative& alternative,
         const Presentation& style) {
  blocks.emplace_back(
      Heading{3, plain(fmt::format("{}: {}", lead_of(alternative), text_of(alternative.what)))});
  add_effect(blocks, alternative.effect, style);
  if (alternative.change) {
    add_paragraph(blocks, effect_line(alternative.effect, alternative.restarted_pods,
                                      alternative.on_delete, style));
    add_paragraph(blocks, text_of(alternative.risk));
    add_patch(blocks, ds, alternative, *alternative.change, style);
  } else if (alternative.nodes) {
    add_paragraph(blocks, counts_change(alternative.effect, style) + ".");
    add_paragraph(blocks, text_of(alternative.risk));
    add_command_or_note(blocks, node_command(*alternative.nodes, style));
  }
}

void add_fix(std::vector<Block>& blocks, const std::vector<diagnosis::Step>& fix,
             const Presentation& style) {
  for (const diagnosis::Step& step : fix) {
    if (!step.text.empty()) add_paragraph(blocks, step.text);
    if (step.command) add_command(blocks, addressed(*step.command, style));
  }
}

void add_owners(std::vector<Block>& blocks, const FixAnswer& answer) {
  if (!changes_template(answer) || answer.owners.empty()) return;
  blocks.emplace_back(Heading{3, plain("Who reverts a patch")});
  Bullets bullets;
  for (const fixes::Owner& owner : answer.owners) {
    bullets.items.push_back(plain(owner_sentence(owner)));
  }
  blocks.emplace_back(std::move(bullets));
}

void add(std::vector<Block>& blocks, const FixAnswer& answer, const Presentation& style) {
  const diagnosis::DaemonSetReport& report = answer.report;
  blocks.emplace_back(Heading{2, plain(full_name(report))});
  add_paragraph(blocks, fmt::format("{} on {}", counts_clause(report.evaluated),
                                    counted(report.all_nodes, "node")));
  if (const std::string line = conclusion(answer); !line.empty()) add_paragraph(blocks, line);
  const auto add_all = [&](const auto& list, bool recommended) {
    for (const auto& each : list) {
      if (each.recommended == recommended) add(blocks, *answer.ds, each, style);
    }
  };
  for (const diagnosis::Finding& problem : answer.problems) {
    add_paragraph(blocks,
                  fmt::format("{}: {}", to_string(problem.severity), text_of(problem.message)));
    add_fix(blocks, problem.fix, style);
  }
  if (fixes::recommends_patch(answer)) add_owners(blocks, answer);
  add_all(answer.alternatives, true);
  add_all(answer.suggestions, true);
  for (const fixes::Incurable& incurable : answer.incurable) {
    Bullets bullets;
    bullets.items.push_back(plain(lead_of(incurable)) + names_line(incurable.nodes, style) +
                            plain(fmt::format(": {}", text_of(incurable.why))));
    blocks.emplace_back(std::move(bullets));
    if (incurable.finding) add_fix(blocks, incurable.finding->fix, style);
  }
  if (!fixes::recommends_patch(answer)) add_owners(blocks, answer);
  add_all(answer.suggestions, false);
  add_all(answer.alternatives, false);
  if (const auto withheld = withheld_sentence(answer); !withheld.empty()) {
    add_paragraph(blocks, withheld);
  }
}

}  // namespace

void add_fix(std::vector<Block>& blocks, const fixes::DaemonSetAnswer& answer,
             const Suggestion& suggestion, const Presentation& style) {
  const diagnosis::DaemonSetReport& report = answer.report;
  add_heading(blocks, suggestion);
  add_paragraph(blocks, purpose_sentence(suggestion));
  add_paragraph(blocks, effect_line(suggestion.effect, suggestion.restarted_pods,
                                    suggestion.on_delete, style));
  add_paragraph(blocks, text_of(suggestion.risk));
  if (const auto reverts = reverting_sentence(answer.owners); !reverts.empty()) {
    add_paragraph(blocks, reverts);
  }
  add_paragraph(blocks, imagined_sentence(suggestion.change));
  if (suggestion.of_manifest) add_paragraph(blocks, manifest_sentence);
  add_command_or_note(blocks, suggestion.of_manifest
                                  ? manifest_command(report.ns, report.name, suggestion.id, style)
                                  : patch_command(report.ns, report.name, suggestion, style));
}

Document suggest_document(const std::vector<FixAnswer>& answers, const Envelope& envelope,
                          const Presentation& style) {
  Document document{"Fixes", origin_of(envelope.source), {}};
  for (const FixAnswer& answer : answers) add(document.blocks, answer, style);
  add_omissions(document.blocks, envelope.omissions);
  return document;
}

}  // namespace dsdoctor::render
