// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "diagnosis/views/alert_report.h"
#include "render/document/report_fixes.h"
#include "render/document/report_parts.h"
#include "render/document/report_problems.h"
#include "render/document/reports.h"
#include "render/terminal/template_lines.h"
#include "render/what_if/load_text.h"
#include "render/words/alert_words.h"
#include "render/words/finding_text.h"
#include "render/words/fix_parts.h"
#include "render/words/message_text.h"

namespace dsdoctor::render {
namespace {

using diagnosis::DaemonSetReport;
using diagnosis::NodeGroup;
using diagnosis::NodeReport;
using diagnosis::NodeVerdict;
using fixes::DaemonSetAnswer;
using fixes::Explanation;

constexpr std::size_t named_with_pod = 5;  // a group this small names each node with its pod

Line node_and_pods(const NodeReport& node) {
  const std::string pods = pods_clause(node.pods());
  return code(node.name) + plain(pods.empty() ? "" : fmt::format(": {}", pods));
}

Cell nodes_cell(const NodeGroup& group, const DaemonSetReport& report, const Style& style) {
  Cell result = {plain(counted(group.nodes.size(), "node"))};
  const bool has_pods = !report.nodes[group.nodes.front()].pods().empty();
  if (style.lists_every_node() || (has_pods && group.nodes.size() <= named_with_pod)) {
    for (const std::size_t index : group.nodes) {
      result.push_back(node_and_pods(report.nodes[index]));
    }
    return result;
  }
  std::vector<model::Text> names;
  names.reserve(group.nodes.size());
  for (const std::size_t index : group.nodes) names.push_back(report.nodes[index].name);
  result.push_back(names_line(names, style));
  for (const auto& [key, value] : group.shared_labels) {
    result.push_back(plain("all ") + code(fmt::format("{}{}{}", key.view(),
                                                      value.empty() ? "" : "=", value.view())));
  }
  return result;
}

Cell verdict_cell(NodeVerdict verdict, const DaemonSetReport& report) {
  Cell result = {verdict_words(verdict)};
  if (const auto meaning = verdict_meaning(verdict, report); !meaning.empty()) {
    result.push_back(plain(meaning));
  }
  return result;
}

Table groups_table(const DaemonSetAnswer& answer, const Presentation& style) {
  Table table{{plain("verdict"), plain("nodes"), plain("why")}, {}};
  ExplainedTaints explained;
  for (const NodeGroup& group : answer.groups) {
    const bool silent = group.verdict == NodeVerdict::Running && !style.lists_every_node();
    table.rows.push_back({verdict_cell(group.verdict, answer.report),
                          silent ? cell(counted(group.nodes.size(), "node"))
                                 : nodes_cell(group, answer.report, style),
                          silent ? Cell{} : why(group, answer.report.nodes, explained, style)});
  }
  return table;
}

Tone tone_of(diagnosis::Severity severity) {
  switch (severity) {
    case diagnosis::Severity::Critical:
    case diagnosis::Severity::Error: return Tone::Wrong;
    case diagnosis::Severity::Warning: return Tone::Waiting;
    case diagnosis::Severity::Info: return Tone::Quiet;
  }
  return Tone::Plain;
}

void add_findings(std::vector<Block>& blocks, const DaemonSetAnswer& answer,
                  const Presentation& style) {
  for (const diagnosis::Finding* finding :
       fixes::findings_to_say(answer, style.lists_every_node())) {
    blocks.emplace_back(Paragraph{
        strong(fmt::format("{}:", to_string(finding->severity)), tone_of(finding->severity)) +
        plain(fmt::format(" {}", text_of(finding->message)))});
    add_fix(blocks, lines_of_fix(finding->fix, style));
  }
}

void add_timelines(std::vector<Block>& blocks, const DaemonSetAnswer& answer) {
  if (answer.report.timeline) add_timeline(blocks, *answer.report.timeline);
  for (const NodeGroup& group : answer.groups) {
    const NodeReport first = answer.report.nodes[group.nodes.front()];
    if (!first.timeline()) continue;
    blocks.emplace_back(Heading{3, plain("Node ") + code(first.name)});
    add_timeline(blocks, *first.timeline());
  }
}

void add_alert(std::vector<Block>& blocks, const diagnosis::AlertReport& alert) {
  const Tone tone = alert.holds ? Tone::Wrong : Tone::Good;
  blocks.emplace_back(Paragraph{strong(to_string(alert.alert), tone) +
                                plain(fmt::format(": {}", alert_message(alert)))});
  Bullets bullets;
  for (const std::string& sentence : clearing_sentences(alert)) {
    bullets.items.push_back(plain(sentence));
  }
  if (!bullets.items.empty()) blocks.emplace_back(std::move(bullets));
}

/// The counts and the findings about the DaemonSet as a whole.
void add_counts(std::vector<Block>& blocks, const DaemonSetAnswer& answer, bool alone,
                const Presentation& style) {
  const DaemonSetReport& report = answer.report;
  if (alone) {
    Bullets rules;
    for (const std::string& sentence : template_sentences(answer)) {
      rules.items.push_back(plain(sentence));
    }
    if (!rules.items.empty()) blocks.emplace_back(std::move(rules));
  }
  blocks.emplace_back(Paragraph{plain(fmt::format(
      "{} on {}", counts_clause(report),
      report.evaluated.nodes_known ? nodes_clause(report) : counted(report.all_nodes, "node")))});
  add_findings(blocks, answer, style);
}

void add_suggestions(std::vector<Block>& blocks, const DaemonSetAnswer& answer,
                     const Presentation& style) {
  const DaemonSetReport& report = answer.report;
  // The recommended suggestion comes first.
  const std::size_t shown = std::min<std::size_t>(3, answer.suggestions.size());
  for (std::size_t i = 0; i < shown; ++i) add_fix(blocks, answer, answer.suggestions[i], style);
  const auto others = fixes::count_for_other_nodes(answer.suggestions, shown);
  if (others == 0) return;
  const std::string more = counted(others, "toleration");
  const auto command = style.address.own_command("suggest", report.ns, report.name);
  blocks.emplace_back(Paragraph{
      command ? plain(fmt::format("{} more for other tainted nodes: ", more)) + code(*command)
              : plain(fmt::format("{} more for other tainted nodes", more))});
}

void add_answer(std::vector<Block>& blocks, const DaemonSetAnswer& answer, bool alone,
                const Presentation& style) {
  if (!alone) blocks.emplace_back(Heading{2, plain(full_name(answer.report))});
  if (answer.alert) add_alert(blocks, *answer.alert);
  add_counts(blocks, answer, alone, style);
  if (!answer.groups.empty()) blocks.emplace_back(groups_table(answer, style));
  add_suggestions(blocks, answer, style);
  add_timelines(blocks, answer);
}

void add_healthy(std::vector<Block>& blocks, const std::vector<const DaemonSetAnswer*>& healthy,
                 std::string_view title) {
  if (healthy.empty()) return;
  blocks.emplace_back(Heading{2, plain(title)});
  Table table{{plain("DaemonSet"), plain("counts"), plain("excluded from")}, {}};
  for (const DaemonSetAnswer* answer : healthy) {
    const auto excluded = answer->report.nodes.count(NodeVerdict::Excluded);
    table.rows.push_back({{code(full_name(answer->report))},
                          cell(counts_clause(answer->report)),
                          cell(counted(static_cast<std::size_t>(excluded), "node"))});
  }
  blocks.emplace_back(std::move(table));
}

/// Shows the DaemonSets for which `in_full` returns true in full, the others in a table.
Document document_of(const Explanation& explanation, const Envelope& envelope,
                     std::string_view title_of_rest, const Presentation& style,
                     const std::function<bool(const DaemonSetAnswer&)>& in_full) {
  Document document{"DaemonSets", origin_of(envelope.source), {}};
  const bool alone = explanation.daemon_sets.size() == 1;
  if (alone) {
    document.title = fmt::format("DaemonSet {}", full_name(explanation.daemon_sets.front().report));
  }
  add_problems(document.blocks, explanation, style);
  // Before the details, which a comment may have no room for.
  if (!alone) add_omissions(document.blocks, envelope.omissions);
  add_problem_details(document.blocks, explanation, style);
  std::vector<const DaemonSetAnswer*> rest;
  for (const std::size_t i : by_urgency(explanation)) {
    const DaemonSetAnswer& answer = explanation.daemon_sets[i];
    if (!in_full(answer)) {
      rest.push_back(&answer);
    } else if (alone || answer.alert) {
      add_answer(document.blocks, answer, alone, style);
    } else {
      std::vector<Block> blocks;
      add_answer(blocks, answer, true, style);
      document.blocks.emplace_back(
          folded(strong(full_name(answer.report)) +
                     plain(fmt::format(": {}", counts_clause(answer.report))),
                 std::move(blocks)));
    }
  }
  std::ranges::sort(rest, {},
                    [](const DaemonSetAnswer* answer) { return full_name(answer->report); });
  add_healthy(document.blocks, rest, title_of_rest);
  if (alone) add_omissions(document.blocks, envelope.omissions);
  return document;
}

/// The effects of the first suggestions, and how to get all.
void add_suggestions_in_brief(std::vector<Block>& blocks, const DaemonSetAnswer& answer,
                              const Presentation& style) {
  constexpr std::size_t most = 6;
  constexpr std::size_t shown_taints = 3;
  Bullets bullets;
  for (std::size_t i = 0; i < std::min(most, answer.suggestions.size()); ++i) {
    const fixes::Suggestion& each = answer.suggestions[i];
    bullets.items.push_back(
        plain(fmt::format("{}: {}", tolerate_clause(each, shown_taints),
                          effect_line(each.effect, each.restarted_pods, each.on_delete, style))));
  }
  if (bullets.items.empty()) return;
  blocks.emplace_back(std::move(bullets));
  const auto command = style.address.own_command("suggest", answer.report.ns, answer.report.name);
  if (command) add_command(blocks, *command);
}

}  // namespace

std::string_view title_of_quiet(const Explanation& explanation) {
  if (!fixes::is_conclusive(explanation)) return "Nothing wrong in what could be read";
  const auto& [problems, remarks, placements, affected, ignored, accepted] = explanation.problems;
  return problems.empty() && ignored == 0 ? "Nothing wrong" : "No action needed";
}

AnswerBlocks answer_blocks(const DaemonSetAnswer& answer, bool in_brief,
                           const Presentation& style) {
  AnswerBlocks result;
  add_counts(result.counts, answer, true, style);
  if (!answer.groups.empty()) result.groups.emplace_back(groups_table(answer, style));
  if (in_brief) {
    add_suggestions_in_brief(result.suggestions, answer, style);
  } else {
    add_suggestions(result.suggestions, answer, style);
  }
  return result;
}

std::vector<Block> alert_blocks(const diagnosis::AlertReport& alert) {
  std::vector<Block> blocks;
  add_alert(blocks, alert);
  return blocks;
}

Document explanation_document(const Explanation& explanation, const Envelope& envelope,
                              const Presentation& style) {
  const bool alone = explanation.daemon_sets.size() == 1;
  return document_of(explanation, envelope, title_of_quiet(explanation), style,
                     [&](const DaemonSetAnswer& answer) {
                       return alone || style.lists_every_node() || fixes::is_wrong(answer);
                     });
}

Document check_document(const Explanation& explanation, const Envelope& envelope,
                        const Presentation& style) {
  const bool of_alert = !explanation.daemon_sets.empty() && explanation.daemon_sets.front().alert;
  const std::string_view rest =
      of_alert ? "The condition does not hold" : title_of_quiet(explanation);
  return document_of(explanation, envelope, rest, style,
                     [](const DaemonSetAnswer& answer) { return fixes::is_wrong(answer); });
}

Document node_document(const Explanation& explanation, const diagnosis::NodeLoad& load,
                       const Envelope& envelope, const Presentation& style) {
  Document document{fmt::format("Node {}", load.node.view()), origin_of(envelope.source), {}};
  std::vector<const DaemonSetAnswer*> answers;
  answers.reserve(explanation.daemon_sets.size());
  for (const DaemonSetAnswer& answer : explanation.daemon_sets) answers.push_back(&answer);
  std::ranges::stable_sort(answers, {}, [](const DaemonSetAnswer* answer) {
    return answer->report.nodes.front().verdict();
  });
  Table table{{plain("verdict"), plain("DaemonSet"), plain("pods"), plain("why")}, {}};
  ExplainedTaints explained;
  for (const DaemonSetAnswer* answer : answers) {
    const NodeReport node = answer->report.nodes.front();
    table.rows.push_back({verdict_cell(node.verdict(), answer->report),
                          {code(full_name(answer->report))},
                          cell(pods_clause(node.pods())),
                          why(node, explained, style)});
  }
  document.blocks.emplace_back(Paragraph{plain(node_load_sentence(load))});
  add_problems(document.blocks, explanation, style);
  add_problem_details(document.blocks, explanation, style);
  if (!table.rows.empty()) document.blocks.emplace_back(std::move(table));
  if (const auto timeline = fixes::timeline_of_node(explanation)) {
    add_timeline(document.blocks, *timeline);
  }
  add_omissions(document.blocks, envelope.omissions);
  return document;
}

}  // namespace dsdoctor::render
