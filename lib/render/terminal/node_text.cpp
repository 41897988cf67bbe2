// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/printable.h"
#include "base/time.h"
#include "diagnosis/catalogue/catalogue.h"
#include "render/terminal/problem_lines.h"
#include "render/terminal/texts.h"
#include "render/what_if/load_text.h"
#include "render/words/fix_parts.h"
#include "render/words/message_text.h"
#include "render/words/problem_words.h"
#include "render/words/reason_text.h"
#include "render/words/text_parts.h"
#include "render/words/timeline_text.h"

namespace dsdoctor::render {
namespace {

using diagnosis::NodeReport;
using diagnosis::NodeVerdict;
using fixes::DaemonSetAnswer;

NodeReport on_node(const DaemonSetAnswer& answer) { return answer.report.nodes.front(); }

/// The DaemonSets, those with the most unusual verdict first.
std::vector<std::size_t> by_verdict(const fixes::Explanation& explanation) {
  std::vector<std::size_t> order = by_urgency(explanation);
  std::erase_if(order, [&](std::size_t i) {
    const auto& listed = explanation.daemon_sets[i].listed;
    return listed && listed->empty();
  });
  std::ranges::stable_sort(
      order, {}, [&](std::size_t i) { return on_node(explanation.daemon_sets[i]).verdict(); });
  return order;
}

/// "64 DaemonSets: 1 missing, 62 running, 1 excluded"
std::string counts_line(const fixes::Explanation& explanation) {
  if (explanation.daemon_sets.empty()) return "no DaemonSet";
  std::map<NodeVerdict, std::size_t> counts;
  for (const DaemonSetAnswer& answer : explanation.daemon_sets) ++counts[on_node(answer).verdict()];
  std::string result;
  for (const auto& [verdict, count] : counts) {
    result += fmt::format("{}{} {}", result.empty() ? "" : ", ", grouped_digits(count),
                          to_string(verdict));
  }
  return fmt::format("{}: {}", grouped_count(explanation.daemon_sets.size(), "DaemonSet"), result);
}

std::string since_words_of(const model::OptionalTime& since, model::Time now) {
  return since ? fmt::format(" for {}", base::age_text(*since, now)) : std::string();
}

/// As in the column STATUS of kubectl get nodes, with ages.
std::string status_of(const model::Node& node, model::Time now) {
  std::string result;
  const auto add = [&](const std::string& part) { result += (result.empty() ? "" : ", ") + part; };
  for (const model::Condition& condition : node.conditions) {
    const bool is_ready = condition.type == "Ready";
    if (!is_ready && condition.status != "True") continue;
    if (is_ready && condition.status == "True") {
      add("Ready");
      continue;
    }
    add((is_ready ? std::string("NotReady") : condition.type.str()) +
        since_words_of(condition.last_transition, now));
  }
  if (node.unschedulable) add("SchedulingDisabled");
  if (node.meta.deleted) add("being deleted" + since_words_of(node.meta.deleted, now));
  return base::printable_line(result);
}

/// Findings about the node, or that exclude a DaemonSet from it, without duplicates and without
/// those among the problems.
std::vector<std::string> remarks_of(const fixes::Explanation& explanation) {
  std::set<std::string> told;
  for (const diagnosis::Problem& problem : explanation.problems.problems) {
    told.insert(text_of(problem.message));
    for (const diagnosis::Beside& beside : problem.also) told.insert(text_of(beside.message));
  }
  std::vector<std::string> result;
  for (const DaemonSetAnswer& answer : explanation.daemon_sets) {
    const diagnosis::NodeReport node = on_node(answer);
    for (const diagnosis::Finding& finding : node.findings()) {
      // Findings about wrong pods are shown with the problems.
      const bool of_pod =
          finding.severity != diagnosis::Severity::Info && !diagnosis::is_wrong(node);
      const bool counts = diagnosis::entry_of(finding.id).root == "node" || of_pod;
      if (!counts) continue;
      const auto [text, is_new] = told.insert(text_of(finding.message));
      if (is_new) result.push_back(*text);
    }
  }
  return result;
}

Lines facts(const fixes::Explanation& explanation, const model::Node& node,
            const diagnosis::NodeLoad& load, const model::SourceInfo& source, const Style& style) {
  const std::size_t shown_remarks = style.is_small_screen() ? 1 : 3;
  std::string head = paint(style, Color::Bold,
                           base::printable_line(fmt::format("node/{}", node.meta.name.view())));
  if (const std::string status = status_of(node, explanation.now); !status.empty()) {
    head += "    " + status;
  }
  Lines result = lines_of_text(wrapped(style, 0, head + cluster_suffix(source)));
  append(result, rules_lines(explanation, style));
  append(result, lines_of_text(wrapped(style, 0, counts_line(explanation))));
  if (!node.taints.empty()) {
    const std::string taints = base::listed(node.taints.size(), [&](std::size_t i) {
      return base::printable_line(to_string(node.taints[i]));
    });
    append(result, lines_of_text(wrapped(style, 0, "taints: " + taints)));
  }
  const std::string requests =
      style.wide ? node_load_lines(load, 0, style) : wrapped(style, 0, node_load_sentence(load));
  append(result, lines_of_text(requests));
  const std::vector<std::string> remarks = remarks_of(explanation);
  const std::size_t shown = style.wide ? remarks.size() : std::min(shown_remarks, remarks.size());
  for (std::size_t i = 0; i < shown; ++i) {
    append(result, lines_of_text(wrapped(
                       style, 0, shortened(base::printable_line("note: " + remarks[i]), 300))));
  }
  return result;
}

/// The deciding reason for one DaemonSet, in a few words.
std::string reason_cell(const NodeReport& node, const std::string& problems) {
  std::string result;
  if (problems != "-") {
    const bool several = problems.find(',') != std::string::npos;
    result = fmt::format("problem{} {}", several ? "s" : "", problems);
  } else if (node.verdict() == NodeVerdict::Unknown) {
    result = "pods were not read";
  } else if (!node.reasons().empty()) {
    result = sentence(node.reasons().front());
    if (node.reasons().size() > 1) result += fmt::format(" and {} more", node.reasons().size() - 1);
  }
  const std::string pods = pods_clause(node.pods());
  if (!pods.empty()) result += (result.empty() ? "" : "; ") + pods;
  return base::printable_line(result);
}

Lines verdict_table(const fixes::Explanation& explanation, std::size_t room, const Style& style) {
  constexpr std::size_t reason_column = 2;
  const std::vector<std::string> numbers = problem_numbers(explanation);
  Grid grid = grid_of(tables::node);
  grid.rows.reserve(explanation.daemon_sets.size());
  for (const std::size_t i : by_verdict(explanation)) {
    const DaemonSetAnswer& answer = explanation.daemon_sets[i];
    grid.rows.push_back({full_name(answer.report),
                         std::string(to_string(on_node(answer).verdict())),
                         reason_cell(on_node(answer), numbers[i])});
  }
  const std::size_t columns = room_for(grid, reason_column, style);
  for (auto& row : grid.rows) {
    std::string& reason = row[reason_column];
    if (reason.size() > columns) reason = shortened(std::move(reason), columns - 3);
  }
  return grid_lines(grid, room, style);
}

/// Each DaemonSet with all of its reasons and findings.
Lines verdict_details(const fixes::Explanation& explanation, const Presentation& style) {
  std::string result;
  ExplainedTaints explained;
  std::optional<NodeVerdict> last;
  const auto actions = actions_by_verdict(explanation, by_urgency(explanation));
  for (const std::size_t i : by_verdict(explanation)) {
    const DaemonSetAnswer& answer = explanation.daemon_sets[i];
    const NodeReport node = on_node(answer);
    if (last != node.verdict()) {
      const auto meaning = verdict_meaning(node.verdict(), answer.report);
      const auto of_verdict = actions.find(node.verdict());
      const ActionCounts counts = of_verdict == actions.end() ? ActionCounts() : of_verdict->second;
      result += verdict_label(node.verdict(), answer.report, counts, 0, style);
      result += meaning.empty() ? "\n" : fmt::format("  {}\n", meaning);
    }
    last = node.verdict();
    const std::string pods = pods_clause(node.pods());
    result +=
        fmt::format("    {}{}{}\n", full_name(answer.report), pods.empty() ? "" : "    ", pods);
    result += reason_lines(node, explained, 6, style);
  }
  return lines_of_text(result);
}

}  // namespace

std::string node_explanation_text(const fixes::Explanation& explanation, const model::Node& node,
                                  const diagnosis::NodeLoad& load, const model::SourceInfo& source,
                                  const std::vector<model::Omission>& omissions,
                                  const Presentation& style) {
  const std::size_t least_table = style.is_small_screen() ? 4 : 10;
  const Budget budget = budget_for(style, {4, 50});
  Lines result = facts(explanation, node, load, source, style);
  const Lines unknown = lines_of_text(omission_lines(omissions, style));
  const std::size_t fixed = result.size() + unknown.size() + 3;
  const std::size_t all = lines_in_all(budget, fixed, least_table);
  Lines problems = problem_lines(explanation, budget, all - fixed - least_table, style);
  append(problems, ignored_lines(explanation));
  add_part(result, problems);
  add_part(result,
           style.lists_every_node()
               ? verdict_details(explanation, style)
               : verdict_table(explanation, room_left(all, fixed + problems.size()), style));
  if (const auto whole = fixes::timeline_of_node(explanation)) {
    add_part(result, lines_of_text(timeline_lines(*whole, 0, style)));
  }
  add_part(result, unknown);
  // Only the narrowest screens need this.
  if (style.is_small_screen()) result = cut_off(std::move(result), style.screen_lines());
  return joined_lines(result);
}

}  // namespace dsdoctor::render
