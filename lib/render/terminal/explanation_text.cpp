// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/printable.h"
#include "diagnosis/report/reach.h"
#include "diagnosis/views/rollout_waits.h"
#include "render/data/patch.h"
#include "render/terminal/problem_lines.h"
#include "render/terminal/template_lines.h"
#include "render/terminal/texts.h"
#include "render/words/finding_text.h"
#include "render/words/fix_parts.h"
#include "render/words/message_text.h"
#include "render/words/problem_words.h"
#include "render/words/text_parts.h"
#include "render/words/timeline_text.h"

namespace dsdoctor::render {
namespace {

using diagnosis::DaemonSetReport;
using diagnosis::NodeGroup;
using diagnosis::NodeVerdict;
using fixes::DaemonSetAnswer;
using fixes::Suggestion;

constexpr std::size_t node_indent = 4;
constexpr std::size_t reason_indent = 6;
constexpr std::size_t named_with_pod = 5;  // a group this small names each node with its pod

std::string shared_clause(const NodeGroup& group) {
  std::string result;
  for (const auto& [key, value] : group.shared_labels) {
    result += fmt::format("{}{}{}{}", result.empty() ? "    all " : ", ", base::printable_line(key),
                          value.empty() ? "" : "=", base::printable_line(value));
  }
  return result;
}

/// "ip-10-0-1-3    pod agent-5bgcx, ready"
std::string node_line(const std::string& name, const std::string& pods, std::size_t widest,
                      const Style& style) {
  const std::string lead(node_indent, ' ');
  if (pods.empty()) return wrapped(style, node_indent, name);
  const std::size_t needed = node_indent + widest + 4 + columns_of(pods);
  if (!style.fits_width() || needed <= style.width) {
    return fmt::format("{}{:<{}}    {}\n", lead, name, widest, pods);
  }
  return wrapped(style, node_indent, fmt::format("{}    {}", name, pods));
}

std::string node_lines(const NodeGroup& group, const DaemonSetReport& report, const Style& style) {
  const bool each = style.lists_every_node() || group.nodes.size() <= named_with_pod;
  const bool has_pods = !report.nodes[group.nodes.front()].pods().empty();
  if (!each || (!has_pods && !style.lists_every_node())) {
    std::vector<model::Text> names;
    for (const std::size_t index : group.nodes) names.push_back(report.nodes[index].name);
    return wrapped(style, node_indent, name_list(names) + shared_clause(group));
  }
  std::size_t widest = 0;
  for (const std::size_t index : group.nodes) {
    widest = std::max(widest, report.nodes[index].name.view().size());
  }
  std::string result;
  for (const std::size_t index : group.nodes) {
    const diagnosis::NodeReport node = report.nodes[index];
    const std::string pods = pods_clause(node.pods());
    result += node_line(base::printable_line(node.name), pods, widest, style);
  }
  return result;
}

/// The timeline of a node; with `alike` > 1 it is an example for a group of nodes.
std::string node_timeline_lines(const diagnosis::NodeReport& node, std::size_t alike,
                                const Style& style) {
  const std::string heading =
      alike == 1 ? std::string()
                 : fmt::format("of {}, as an example:", base::printable_line(node.name));
  return (heading.empty() ? heading : wrapped(style, reason_indent, heading)) +
         timeline_lines(*node.timeline(), reason_indent, style);
}

/// "! MISSING  3 nodes    should have a pod, has none; 1 resolves without action"
std::string verdict_heading(NodeVerdict verdict, const std::vector<const NodeGroup*>& groups,
                            const DaemonSetReport& report, const ActionCounts& actions,
                            std::size_t label_width, const Style& style) {
  std::size_t nodes = 0;
  for (const NodeGroup* group : groups) nodes += group->nodes.size();
  std::string heading =
      fmt::format("{}  {}", verdict_label(verdict, report, actions, label_width, style),
                  counted(nodes, "node"));
  std::string meaning(verdict_meaning(verdict, report));
  const std::string action = action_clause(actions);
  if (!action.empty()) meaning += (meaning.empty() ? "" : "; ") + action;
  if (!meaning.empty()) heading += fmt::format("    {}", meaning);
  if (style.fits_width() && columns_of(heading) > style.width) {
    return wrapped(style, 0, heading);
  }
  return heading + "\n";
}

/// The part of a group that the problems do not show: for wrong nodes only the reasons of the
/// verdict.
std::string group_lines(const NodeGroup& group, const DaemonSetReport& report,
                        ExplainedTaints& explained, const Presentation& style) {
  if (style.lists_every_node() || !diagnosis::is_wrong(report.nodes[group.nodes.front()])) {
    return reason_lines(group, report.nodes, explained, reason_indent, style);
  }
  std::string result;
  for (const std::string& sentence : reason_sentences(group, explained)) {
    result += wrapped(style, reason_indent, sentence);
  }
  return result;
}

/// The first nodes whose pod is ready, but not available yet, and when it will be.
std::string unavailable_lines(const NodeGroup& group, const DaemonSetReport& report,
                              const Style& style) {
  constexpr std::size_t shown = 3;
  std::string result;
  std::size_t found = 0;
  for (const std::size_t index : group.nodes) {
    const diagnosis::NodeReport node = report.nodes[index];
    const auto pod = std::ranges::find_if(node.pods(), [](const diagnosis::PodReport& each) {
      return each.ready && !each.available && !each.terminating;
    });
    if (pod == node.pods().end() || ++found > shown) continue;
    const std::string name = base::printable_line(node.name);
    result += node_line(name, pods_clause(node.pods()), name.size(), style);
    const auto why = std::ranges::find(node.findings(), diagnosis::FindingId::PodWarming,
                                       &diagnosis::Finding::id);
    if (why != node.findings().end()) {
      result += wrapped(style, reason_indent, base::printable_line(text_of(why->message)));
    }
  }
  if (found > shown) {
    result +=
        fmt::format("{:{}}{} more pods are not available yet\n", "", node_indent, found - shown);
  }
  return result;
}

/// The groups of a verdict, below its heading.
std::string verdict_block(NodeVerdict verdict, const std::vector<const NodeGroup*>& groups,
                          const DaemonSetReport& report, ExplainedTaints& explained,
                          const Presentation& style) {
  std::string result;
  const bool silent = verdict == NodeVerdict::Running && !style.lists_every_node();
  for (const NodeGroup* group : groups) {
    const diagnosis::NodeReport first = report.nodes[group->nodes.front()];
    if (!silent) {
      result += node_lines(*group, report, style);
      result += group_lines(*group, report, explained, style);
    } else {
      result += unavailable_lines(*group, report, style);
    }
    if (first.timeline()) result += node_timeline_lines(first, group->nodes.size(), style);
  }
  return result;
}

std::string lead_in(const Suggestion& suggestion, const Style& style) {
  return paint(style, suggestion.recommended ? Color::Bold : Color::Plain,
               fmt::format("{}:", lead_of(suggestion))) +
         " ";
}

std::string suggestion_lines(const DaemonSetAnswer& answer, const Suggestion& suggestion,
                             const Presentation& style) {
  const DaemonSetReport& report = answer.report;
  std::string result =
      lead_in(suggestion, style) +
      wrapped(style, Layout{.indent = node_indent, .lead = lead_of(suggestion).size() + 2},
              base::printable_line(fmt::format("{}, {}.", tolerate_clause(suggestion),
                                               text_of(suggestion.purpose))));
  result += wrapped(
      style, node_indent + 2,
      effect_line(suggestion.effect, suggestion.restarted_pods, suggestion.on_delete, style));
  result += wrapped(style, node_indent + 2, base::printable_line(text_of(suggestion.risk)));
  if (const auto more = imagined_sentence(suggestion.change); !more.empty()) {
    result += wrapped(style, node_indent + 2, more);
  }
  if (const auto wait = wait_sentence(suggestion); !wait.empty()) {
    result += wrapped(style, node_indent + 2, wait);
  }
  if (const auto reverts = reverting_sentence(answer.owners); !reverts.empty()) {
    result += wrapped(style, node_indent + 2, base::printable_line(reverts));
  }
  if (suggestion.of_manifest) result += wrapped(style, node_indent + 2, manifest_sentence);
  const auto command = suggestion.of_manifest
                           ? manifest_command(report.ns, report.name, suggestion.id, style)
                           : patch_command(report.ns, report.name, suggestion, style);
  if (command) {
    constexpr std::size_t lead = 2;
    result += fmt::format("{:{}}{}\n", "", lead,
                          command_text(style, {.indent = 2 * lead, .lead = lead}, *command));
  } else {
    result += "  (no command: a name in it is not valid)\n";
  }
  return result;
}

/// The first suggestion in full; those for other nodes are counted.
std::string whole_suggestions(const DaemonSetAnswer& answer, const Presentation& style) {
  std::string result = "\n" + suggestion_lines(answer, answer.suggestions.front(), style);
  if (const auto others = fixes::count_for_other_nodes(answer.suggestions, 1); others > 0) {
    const auto more = style.address.own_command("suggest", answer.report.ns, answer.report.name);
    result += fmt::format("\n{} for other nodes{}\n", counted(others, "more toleration"),
                          more ? ": " + *more : std::string());
  }
  return result;
}

/// The first suggestion as a sentence, with the command that prints all of them.
std::string short_suggestion(const DaemonSetAnswer& answer, const Presentation& style) {
  const Suggestion& first = answer.suggestions.front();
  constexpr std::size_t named_taints = 4;
  const std::size_t others = fixes::count_for_other_nodes(answer.suggestions, 1);
  std::string text;
  if (style.is_small_screen() && others != 0) {
    text = fmt::format("{}{}", counted(others + 1, "toleration"),
                       first.recommended ? "" : ", none is recommended");
  } else {
    std::string replaced;
    if (first.restarted_pods && !first.on_delete) {
      replaced = fmt::format("; replaces {}", counted(*first.restarted_pods, "pod"));
    }
    text = fmt::format("{} ({}{})", tolerate_clause(first, named_taints),
                       counts_change(first.effect, style), replaced);
    if (others != 0)
      text += fmt::format("; {} for other nodes", counted(others, "more toleration"));
  }
  const auto command = style.address.own_command("suggest", answer.report.ns, answer.report.name);
  if (command) text += ": ";
  return "\n" + lead_in(first, style) +
         wrapped(style,
                 Layout{.indent = 0, .lead = lead_of(first).size() + 2, .solid = text.size()},
                 text + command.value_or(""));
}

/// A recommended fix in full, others in short: a patch that is only possible must not be the
/// largest part of an answer.
Lines fix_part(const DaemonSetAnswer& answer, bool in_full, const Presentation& style) {
  if (answer.suggestions.empty()) return {};
  const bool whole = in_full && answer.suggestions.front().recommended;
  return lines_of_text(whole ? whole_suggestions(answer, style) : short_suggestion(answer, style));
}

/// Only the number of suggestions, where even a command has no room.
Lines tiny_fix_part(const DaemonSetAnswer& answer) {
  if (answer.suggestions.empty()) return {};
  return {"", fmt::format("suggest: {}", counted(answer.suggestions.size(), "toleration"))};
}

/// "27 nodes = 26 eligible + 1 misscheduled + 0 not eligible"
std::string equation(const DaemonSetReport& report) {
  const auto count = [&](NodeVerdict verdict) {
    return static_cast<std::size_t>(report.nodes.count(verdict));
  };
  const std::size_t excluded = count(NodeVerdict::Excluded);
  const std::size_t misscheduled = count(NodeVerdict::Misscheduled);
  const std::size_t removing = count(NodeVerdict::Removing);
  const std::size_t eligible = report.nodes.size() - excluded - misscheduled - removing;
  std::string result = fmt::format("{} = {} eligible", grouped_count(report.nodes.size(), "node"),
                                   grouped_digits(eligible));
  if (misscheduled != 0) result += fmt::format(" + {} misscheduled", grouped_digits(misscheduled));
  if (removing != 0)
    result += fmt::format(" + {} with a pod that will be deleted", grouped_digits(removing));
  return result + fmt::format(" + {} not eligible", grouped_digits(excluded));
}

/// The change of the template that excludes nodes.
Lines lost_nodes(const DaemonSetReport& report, const Style& style) {
  const auto at =
      std::ranges::find(report.findings, diagnosis::FindingId::DaemonsetTemplateExcludesNodes,
                        &diagnosis::Finding::id);
  if (at == report.findings.end()) return {};
  return lines_of_text(wrapped(style, 0, base::printable_line(text_of(at->message))));
}

/// The objects that a rollout waits for, for -o wide.
Lines wait_lines(const DaemonSetReport& report, const Style& style) {
  constexpr std::size_t shown = 10;
  if (!style.wide) return {};
  const auto known = diagnosis::rollout_waits(report);
  if (!known || known->empty()) return {};
  const std::vector<diagnosis::RolloutWait>& waits = *known;
  std::string result =
      fmt::format("the rollout waits for {}\n", grouped_count(waits.size(), "object"));
  for (std::size_t i = 0; i < std::min(shown, waits.size()); ++i) {
    const diagnosis::RolloutWait& wait = waits[i];
    const std::string on = wait.node.empty() || wait.object.kind == "Node"
                               ? ""
                               : fmt::format(" on {}", wait.node.view());
    result += wrapped(style, node_indent,
                      base::printable_line(fmt::format("{}/{}{}: {}", wait.object.kind,
                                                       wait.object.name, on, text_of(wait.why))));
  }
  if (waits.size() > shown) {
    result +=
        fmt::format("    and {} more: -o json lists all\n", grouped_digits(waits.size() - shown));
  }
  return lines_of_text(result);
}

/// The nodes of DaemonSet `index` by verdict, with the reasons, or only the number of nodes.
Lines verdict_lines(const fixes::Explanation& explanation, std::size_t index,
                    const Presentation& style, bool only_counts = false) {
  const DaemonSetAnswer& answer = explanation.daemon_sets[index];
  auto actions = actions_by_verdict(explanation, {index});
  std::map<NodeVerdict, std::vector<const NodeGroup*>> by_verdict;  // unusual verdicts first
  std::size_t label_width = 0;
  for (const NodeGroup& group : answer.groups) {
    by_verdict[group.verdict].push_back(&group);
    label_width = std::max(label_width, to_string(group.verdict).size());
  }
  std::string result;
  ExplainedTaints explained;
  for (const auto& [verdict, groups] : by_verdict) {
    result += verdict_heading(verdict, groups, answer.report, actions[verdict], label_width, style);
    if (!only_counts) result += verdict_block(verdict, groups, answer.report, explained, style);
  }
  return lines_of_text(result);
}

Lines remark_lines(const fixes::Explanation& explanation, const DaemonSetAnswer& answer,
                   const Presentation& style) {
  if (!style.wide) return note_lines(explanation, style);
  std::string result;
  for (const diagnosis::Finding& finding : answer.report.findings) {
    if (finding.severity == diagnosis::Severity::Info) result += finding_lines(finding, style);
  }
  return lines_of_text(result);
}

/// The first lines that fit into `room`; the rest is counted.
Lines fitted(Lines lines, std::size_t room, const Style& style) {
  if (style.lists_every_node() || style.limit || lines.size() <= room) return lines;
  const std::size_t rest = lines.size() - (room - 1);
  lines.resize(room - 1);
  lines.push_back(fmt::format("{} more: --all-nodes shows them", counted(rest, "line")));
  return lines;
}

/// The nodes by verdict in `room` lines; on a small screen rather all counts than a part of the
/// nodes.
Lines fitted_verdicts(const fixes::Explanation& explanation, std::size_t room,
                      const Presentation& style) {
  Lines whole = verdict_lines(explanation, 0, style);
  if (!style.is_small_screen() || whole.size() <= room) {
    return fitted(std::move(whole), room, style);
  }
  Lines counts = verdict_lines(explanation, 0, style, true);
  if (counts.size() >= room) counts.clear();  // the first lines have them
  counts.emplace_back("--all-nodes lists the nodes");
  return counts;
}

/// "datadog/datadog-agent    26 desired, 26 ready    27 nodes    as of ..."
Lines head_lines(const DaemonSetReport& report, const model::SourceInfo& source,
                 const Style& style) {
  const std::string name = paint(style, Color::Bold, full_name(report));
  const std::string counts = counts_clause(report);
  // A small screen has the number of nodes only in the equation.
  if (style.is_small_screen() && report.evaluated.nodes_known) {
    std::string head = fmt::format("{}  {}", name, counts);
    const std::string suffix = cluster_suffix(source);
    if (!suffix.empty()) head += fmt::format("  {}", base::trimmed(suffix));
    return lines_of_text(wrapped(style, 0, head));
  }
  std::string scope = nodes_clause(report);
  for (const std::string& count : counts_of_input(source)) scope += ", " + count;
  return lines_of_text(
      wrapped(style, 0, fmt::format("{}    {}{}", name, counts, scope_suffix(scope, source))));
}

/// One DaemonSet: the counts of its nodes, its problems, its nodes, and the fixes.
std::string daemon_set_text(const fixes::Explanation& explanation, const model::SourceInfo& source,
                            const std::vector<model::Omission>& omissions,
                            const Presentation& style) {
  const DaemonSetAnswer& answer = explanation.daemon_sets.front();
  const DaemonSetReport& report = answer.report;
  const bool is_small = style.is_small_screen();
  Lines result = head_lines(report, source, style);
  append(result, rules_lines(explanation, style));
  if (report.evaluated.nodes_known) {
    append(result, lines_of_text(wrapped(style, 0, equation(report))));
  }
  append(result, template_lines(answer, style));
  append(result, lost_nodes(report, style));
  Lines notes = remark_lines(explanation, answer, style);
  if (is_small && std::ranges::any_of(explanation.problems.problems, diagnosis::needs_action)) {
    notes.clear();
  }
  const Lines unknown = lines_of_text(omission_lines(omissions, style));
  const std::size_t gaps = is_small ? 3 : 4;
  const std::size_t wanted = is_small ? 8 : 16;  // for problems and nodes
  const std::size_t least = is_small ? 6 : 12;
  const Budget budget = budget_for(style, {3, 45});
  const std::size_t told = result.size() + notes.size() + unknown.size() + gaps;
  Lines fixes = fix_part(answer, true, style);
  if (budget.is_limited() && told + fixes.size() + wanted > budget.lines) {
    fixes = fix_part(answer, false, style);
  }
  if (is_small && told + fixes.size() + least > budget.lines) fixes = tiny_fix_part(answer);
  const std::size_t fixed = told + fixes.size();
  const std::size_t room = lines_in_all(budget, fixed, least / 2) - fixed;
  Lines problems = problem_lines(explanation, budget, is_small ? room - 1 : room * 2 / 3, style);
  append(problems, ignored_lines(explanation));
  add_part(result, problems);
  add_part(result, wait_lines(report, style));
  if (report.timeline) add_part(result, lines_of_text(timeline_lines(*report.timeline, 0, style)));
  add_part(result, fitted_verdicts(explanation, room_left(room, problems.size()), style));
  append(result, fixes);
  add_part(result, notes);
  add_part(result, unknown);
  return joined_lines(result);
}

}  // namespace

std::string explanation_text(const fixes::Explanation& explanation, const model::SourceInfo& source,
                             const std::vector<model::Omission>& omissions,
                             const Presentation& style) {
  if (explanation.daemon_sets.size() == 1) {
    return daemon_set_text(explanation, source, omissions, style);
  }
  return overview_text(explanation, source, omissions, {60, true}, style) +
         detail_text(explanation, Detailed::Every, style);
}

std::string detail_text(const fixes::Explanation& explanation, Detailed detailed,
                        const Presentation& style) {
  std::string result;
  for (std::size_t i = 0; i < explanation.daemon_sets.size(); ++i) {
    const DaemonSetAnswer& answer = explanation.daemon_sets[i];
    const bool lists_nodes = style.lists_every_node() && !answer.groups.empty();
    const bool is_told = detailed == Detailed::Every && answer.report.timeline;
    if (!lists_nodes && !is_told) continue;
    result += fmt::format("\n{}\n", paint(style, Color::Bold, full_name(answer.report)));
    if (answer.report.timeline) result += timeline_lines(*answer.report.timeline, 2, style);
    if (lists_nodes) result += joined_lines(verdict_lines(explanation, i, style));
  }
  return result;
}

}  // namespace dsdoctor::render
