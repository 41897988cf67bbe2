#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/printable.h"
#include "render/data/patch.h"
#include "render/terminal/texts.h"
#include "render/words/cure_parts.h"
#include "render/words/finding_text.h"
#include "render/words/text_parts.h"
#include "render/words/timeline_text.h"
#include "render/words/what_if_text.h"

namespace dsdoctor::render {
namespace {

using advice::DaemonSetAnswer;
using advice::Suggestion;
using diagnosis::DaemonSetReport;
using diagnosis::NodeGroup;
using diagnosis::NodeVerdict;

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

std::string node_lines(const NodeGroup& group, const DaemonSetReport& report, const Style& style) {
  const bool each = style.lists_every_node() || group.nodes.size() <= named_with_pod;
  const bool has_pods = !report.nodes[group.nodes.front()].pods.empty();
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
    const diagnosis::NodeReport& node = report.nodes[index];
    const std::string pods = pods_clause(node.pods);
    result += fmt::format(
        "{:{}}{}\n", "", node_indent,
        pods.empty() ? base::printable_line(node.name)
                     : fmt::format("{:<{}}    {}", base::printable_line(node.name), widest, pods));
  }
  return result;
}

/// Of several nodes alike the first stands for all.
std::string node_timeline_lines(const diagnosis::NodeReport& node, std::size_t alike,
                                const Style& style) {
  const std::string heading =
      alike == 1 ? std::string()
                 : fmt::format("of {}, as an example:", base::printable_line(node.name));
  return (heading.empty() ? heading : wrapped(style, reason_indent, heading)) +
         timeline_lines(*node.timeline, reason_indent, style);
}

/// "! MISSING  3 nodes    should have a pod, has none"
std::string verdict_heading(NodeVerdict verdict, const std::vector<const NodeGroup*>& groups,
                            std::size_t label_width, const Style& style) {
  std::size_t nodes = 0;
  for (const NodeGroup* group : groups) nodes += group->nodes.size();
  std::string heading =
      fmt::format("{}  {}", verdict_label(verdict, label_width, style), counted(nodes, "node"));
  if (const auto meaning = verdict_meaning(verdict); !meaning.empty()) {
    heading += fmt::format("    {}", meaning);
  }
  return heading + "\n";
}

/// What stands under the heading of a verdict: its groups.
std::string verdict_block(NodeVerdict verdict, const std::vector<const NodeGroup*>& groups,
                          const DaemonSetReport& report, ExplainedTaints& explained, bool details,
                          const Presentation& style) {
  std::string result;
  const bool silent = verdict == NodeVerdict::Running && !style.lists_every_node();
  for (const NodeGroup* group : groups) {
    const diagnosis::NodeReport& first = report.nodes[group->nodes.front()];
    if (!silent && details) {
      result += node_lines(*group, report, style);
      result += reason_lines(*group, report.nodes, explained, reason_indent, style);
    }
    if (first.timeline) result += node_timeline_lines(first, group->nodes.size(), style);
  }
  return result;
}

/// Among several DaemonSets a cure takes one line; alone each is shown with its patch.
std::string suggestion_summary(const DaemonSetReport& report, const Suggestion& suggestion,
                               const Presentation& style) {
  std::string line = fmt::format(
      "cure: tolerate {} ({}); for the patch: ", tolerated_taints(suggestion.change.added),
      counts_change(suggestion.effect, style));
  const std::size_t solid = line.size();
  line += style.address.own_command("explain", report.ns, report.name);
  return wrapped(style, Layout{.indent = node_indent, .solid = solid}, line);
}

std::string suggestion_lines(const DaemonSetReport& report, const Suggestion& suggestion,
                             const Presentation& style) {
  const std::string what =
      fmt::format("tolerate {}{}", suggestion.change.added.size() == 1 ? "" : "all of ",
                  tolerated_taints(suggestion.change.added));
  const std::string_view lead = suggestion.recommended ? "Cure:" : "Possible:";
  std::string result = paint(style, suggestion.recommended ? Color::Bold : Color::Plain, lead) +
                       " " +
                       wrapped(style, Layout{.indent = node_indent, .lead = lead.size() + 1},
                               fmt::format("{}, {}.", what, suggestion.purpose));
  result += wrapped(
      style, node_indent + 2,
      effect_line(suggestion.effect, suggestion.restarted_pods, suggestion.on_delete, style));
  result += wrapped(style, node_indent + 2, suggestion.risk);
  if (const auto command = patch_command(report.ns, report.name, suggestion, style)) {
    result += fmt::format("  {}\n", *command);
  } else {
    result += "  (no command: a name holds control characters)\n";
  }
  return result;
}

std::string suggestion_summaries(const DaemonSetAnswer& answer, const Presentation& style) {
  std::string result;
  for (const Suggestion& suggestion : answer.suggestions) {
    if (suggestion.recommended) result += suggestion_summary(answer.report, suggestion, style);
  }
  return result;
}

std::string all_suggestions(const DaemonSetAnswer& answer, const Presentation& style) {
  constexpr std::size_t shown = 3;  // the recommended ones come first
  const auto& suggestions = answer.suggestions;
  std::string result;
  for (std::size_t i = 0; i < std::min(shown, suggestions.size()); ++i) {
    result += "\n" + suggestion_lines(answer.report, suggestions[i], style);
  }
  if (suggestions.size() > shown) {
    result += fmt::format("\n{} more would bring it to other tainted nodes: -o json lists them\n",
                          counted(suggestions.size() - shown, "toleration"));
  }
  return result;
}

std::string findings_of_the_whole(const DaemonSetAnswer& answer, const Presentation& style) {
  std::string result;
  for (const diagnosis::Finding* finding : advice::findings_to_say(answer, style.wide)) {
    result += finding_lines(*finding, style);
  }
  return result;
}

/// How many remarks findings_of_the_whole leaves to `-o wide`.
std::string remarks_line(const DaemonSetAnswer& answer, const Style& style) {
  const auto remarks = std::ranges::count(answer.report.findings, diagnosis::Severity::Info,
                                          &diagnosis::Finding::severity);
  if (remarks == 0 || style.wide) return {};
  return paint(style, Color::Dim,
               fmt::format("\n{} on the DaemonSet's own settings: -o wide shows {}\n",
                           counted(static_cast<std::size_t>(remarks), "remark"),
                           remarks == 1 ? "it" : "them"));
}

std::string whole_answer(const DaemonSetAnswer& answer, const model::SourceInfo& source, bool alone,
                         const Presentation& style) {
  const DaemonSetReport& report = answer.report;
  std::string result =
      fmt::format("{}    {}{}\n", paint(style, Color::Bold, full_name(report)),
                  counts_clause(report.evaluated), scope_suffix(nodes_clause(report), source));
  result += findings_of_the_whole(answer, style);
  if (report.timeline) result += timeline_lines(*report.timeline, 2, style);
  std::map<NodeVerdict, std::vector<const NodeGroup*>> by_verdict;  // in the order of oddness
  std::size_t label_width = 0;
  for (const NodeGroup& group : answer.groups) {
    by_verdict[group.verdict].push_back(&group);
    label_width = std::max(label_width, to_string(group.verdict).size());
  }
  if (!by_verdict.empty()) result += "\n";
  ExplainedTaints explained;
  const bool wanted_somewhere = report.evaluated.counts.desired_number_scheduled > 0;
  for (const auto& [verdict, groups] : by_verdict) {
    const bool details =
        alone || diagnosis::is_wrong(verdict) || style.lists_every_node() || !wanted_somewhere;
    result += verdict_heading(verdict, groups, label_width, style);
    result += verdict_block(verdict, groups, report, explained, details, style);
  }
  if (!alone) return result + suggestion_summaries(answer, style);
  return result + all_suggestions(answer, style) + remarks_line(answer, style);
}

/// That nothing wrong was seen says something only where everything could be seen.
std::string quiet_mark(const DaemonSetAnswer& answer, const Style& style) {
  if (!advice::is_conclusive(answer)) return paint(style, Color::Yellow, "?");
  return tick(style);
}

std::string healthy_line(const DaemonSetAnswer& answer, std::size_t name_width,
                         const Style& style) {
  const DaemonSetReport& report = answer.report;
  const auto excluded =
      std::ranges::count(report.nodes, NodeVerdict::Excluded, &diagnosis::NodeReport::verdict);
  std::string line = fmt::format("{:<{}}    ", full_name(report), name_width);
  // The counts are of all nodes: what is said to be well is not.
  const bool in_part = report.nodes.size() < report.all_nodes;
  if (in_part) line += fmt::format("nothing wrong on {}; on all: ", nodes_clause(report));
  line += counts_clause(report.evaluated);
  if (excluded != 0 && !in_part) {
    line += fmt::format(", excluded from {}", counted(static_cast<std::size_t>(excluded), "node"));
  }
  return fmt::format("{} {}\n", quiet_mark(answer, style), line);
}

std::string timelines_of_node(const advice::Explanation& explanation, const Style& style) {
  const auto whole = advice::timeline_of_node(explanation);
  return whole ? "\n" + timeline_lines(*whole, 0, style) : std::string();
}

}  // namespace

std::string explanation_text(const advice::Explanation& explanation,
                             const model::SourceInfo& source,
                             const std::vector<model::Omission>& omissions,
                             const Presentation& style) {
  const bool alone = explanation.daemon_sets.size() == 1;
  std::string result;
  std::vector<const DaemonSetAnswer*> healthy;
  for (const DaemonSetAnswer& answer : explanation.daemon_sets) {
    if (!alone && !style.lists_every_node() && !advice::is_wrong(answer)) {
      healthy.push_back(&answer);
      continue;
    }
    if (!result.empty()) result += "\n";
    result += whole_answer(answer, source, alone, style);
  }
  if (!result.empty() && !healthy.empty()) result += "\n";
  std::size_t widest = 0;
  for (const auto* answer : healthy) widest = std::max(widest, full_name(answer->report).size());
  for (const auto* answer : healthy) result += healthy_line(*answer, widest, style);
  if (!omissions.empty()) result += "\n" + omission_lines(omissions, style);
  return result;
}

std::string node_explanation_text(const advice::Explanation& explanation,
                                  const diagnosis::NodeLoad& load, const model::SourceInfo& source,
                                  const std::vector<model::Omission>& omissions,
                                  const Presentation& style) {
  struct Line {
    std::string name;
    const diagnosis::NodeReport* report;
  };
  std::map<NodeVerdict, std::vector<Line>> by_verdict;
  std::size_t label_width = 0;
  std::size_t name_width = 0;
  for (const DaemonSetAnswer& answer : explanation.daemon_sets) {
    const diagnosis::NodeReport& entry = answer.report.nodes.front();
    std::string name = full_name(answer.report);
    label_width = std::max(label_width, to_string(entry.verdict).size());
    name_width = std::max(name_width, name.size());
    by_verdict[entry.verdict].push_back({std::move(name), &entry});
  }
  std::string counts;
  for (const auto& [verdict, lines] : by_verdict) {
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", lines.size(), to_string(verdict));
  }
  const std::size_t count = explanation.daemon_sets.size();
  std::string result = fmt::format(
      "{}    {}{}{}\n\n",
      paint(style, Color::Bold, base::printable_line(fmt::format("node/{}", load.node.view()))),
      count == 0 ? "no DaemonSet" : counted(count, "DaemonSet") + ": ", counts,
      cluster_suffix(source));
  ExplainedTaints explained;
  for (const auto& [verdict, lines] : by_verdict) {
    const auto meaning = verdict_meaning(verdict);
    result += verdict_label(verdict, meaning.empty() ? 0 : label_width, style);
    result += meaning.empty() ? "\n" : fmt::format("  {}\n", meaning);
    for (const Line& line : lines) {
      const std::string pods = pods_clause(line.report->pods);
      result += pods.empty() ? fmt::format("    {}\n", line.name)
                             : fmt::format("    {:<{}}    {}\n", line.name, name_width, pods);
      result += reason_lines(*line.report, explained, reason_indent, style);
    }
  }
  result += (count == 0 ? "" : "\n") + node_load_lines(load, 0, style);
  result += timelines_of_node(explanation, style);
  if (!omissions.empty()) result += "\n" + omission_lines(omissions, style);
  return result;
}

}  // namespace dsdoctor::render
