// SPDX-License-Identifier: Apache-2.0
#include "render/words/problem_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/printable.h"
#include "base/text.h"
#include "base/time.h"
#include "render/words/fix_parts.h"
#include "render/words/message_text.h"
#include "render/words/text_parts.h"

namespace dsdoctor::render {
namespace {

using diagnosis::Problem;
using diagnosis::Problems;

std::string node_names(const Problem& problem, const Style& style) {
  return fmt::format("{}: {}", grouped_count(problem.nodes.size(), "node"),
                     name_list(problem.nodes.items(), style));
}

/// "2 problems need action"; the verb agrees.
std::string with_verb(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", grouped_count(count, "problem"), count == 1 ? one : many);
}

}  // namespace

std::string grouped_digits(std::size_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

std::string grouped_count(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", grouped_digits(count), noun, count == 1 ? "" : "s");
}

std::string nodes_clause(const fixes::Explanation& explanation) {
  if (!explanation.nodes_known) return "nodes unknown";
  std::string count = grouped_count(explanation.nodes, "node");
  if (!is_selection(explanation)) return count;
  return fmt::format("{} of {}", grouped_digits(explanation.nodes),
                     grouped_count(explanation.daemon_sets.front().report.all_nodes, "node"));
}

bool is_selection(const fixes::Explanation& explanation) {
  if (explanation.daemon_sets.empty() || !explanation.nodes_known) return false;
  const diagnosis::DaemonSetReport& report = explanation.daemon_sets.front().report;
  return report.nodes.size() < report.all_nodes;
}

namespace {

std::string scope_parts(const fixes::Explanation& explanation, const model::SourceInfo& source,
                        bool with_other_counts) {
  std::string result;
  const auto add = [&](const std::string& part) {
    if (!part.empty()) result += (result.empty() ? "" : "  ") + part;
  };
  if (source.kind == "cluster") add(base::printable_line(source.context));
  if (!source.server_version.empty()) {
    add(fmt::format("Kubernetes {}", base::printable_line(source.server_version)));
  }
  if (explanation.nodes != 0 || !explanation.nodes_known) add(nodes_clause(explanation));
  add(grouped_count(explanation.daemon_sets.size(), "DaemonSet"));
  if (explanation.pods != 0) add(grouped_count(explanation.pods, "pod"));
  if (with_other_counts) {
    for (const std::string& count : counts_of_input(source)) add(count);
  }
  if (source.as_of) {
    add(fmt::format("as of {}", base::utc_text(*source.as_of)));
  } else if (source.kind == "snapshot") {
    add(fmt::format("as of {}", base::utc_text(source.read_at)));
  }
  return result;
}

}  // namespace

std::string scope_line(const fixes::Explanation& explanation, const model::SourceInfo& source,
                       const Style& style) {
  std::string result = scope_parts(explanation, source, true);
  if (!style.fits_width() || columns_of(result) <= style.width) return result;
  return scope_parts(explanation, source, false);
}

std::string problems_summary(const Problems& problems, const Style& style) {
  const auto needed =
      static_cast<std::size_t>(std::ranges::count_if(problems.problems, diagnosis::needs_action));
  const std::size_t waiting = problems.problems.size() - needed;
  std::string result;
  if (needed != 0) result = with_verb(needed, "needs action", "need action");
  if (waiting != 0 && needed != 0) {
    result += fmt::format(", {} without action",
                          waiting == 1 ? "1 resolves" : grouped_digits(waiting) + " resolve");
  } else if (waiting != 0) {
    result = with_verb(waiting, "resolves without action", "resolve without action");
  }
  if (problems.ignored != 0) {
    result += fmt::format("{}{} ignored", result.empty() ? "" : ", ",
                          grouped_count(problems.ignored, "problem"));
  }
  if (problems.affected == 0) return result;
  result += fmt::format(": {} of {} placements", grouped_digits(problems.affected),
                        grouped_digits(problems.placements));
  constexpr std::string_view last = " affected";
  const bool fits = !style.fits_width() || result.size() + last.size() <= style.width;
  return fits ? result + std::string(last) : result;
}

std::string lasting_clause(const Problem& problem, const fixes::Explanation& explanation) {
  std::string since = since_clause(problem, explanation);
  const bool has_age = !since.empty() && base::is_digit(since.front());
  if (!has_age) return since;
  return since.starts_with("0s") ? "just now" + since.substr(2) : "for " + since;
}

std::string since_clause(const Problem& problem, const fixes::Explanation& explanation) {
  std::string result;
  const MessageText title = title_of(problem);
  if (problem.since && !title.says_since) result = base::age_text(*problem.since, explanation.now);
  if (problem.action != diagnosis::Action::Overdue || title.says_due) return result;
  if (!result.empty()) result += ", ";
  result += "overdue";
  if (problem.resolves_at) result += " since " + base::utc_text(*problem.resolves_at);
  return result;
}

namespace {

/// "logging/fluent-bit", "18 DaemonSets"
std::string daemon_sets_clause(const Problem& problem, const fixes::Explanation& explanation) {
  const auto& first = explanation.daemon_sets[problem.daemon_sets.front()].report;
  std::string result = problem.daemon_sets.size() == 1
                           ? full_name(first)
                           : grouped_count(problem.daemon_sets.size(), "DaemonSet");
  if (problem.daemon_sets.size() > 1 && problem.daemon_sets.size() <= 3) {
    result = base::listed(problem.daemon_sets.size(), [&](std::size_t i) {
      return full_name(explanation.daemon_sets[problem.daemon_sets[i]].report);
    });
  }
  return result;
}

}  // namespace

std::string affected_clause(const Problem& problem, const fixes::Explanation& explanation,
                            const Style& style) {
  if (problem.daemon_sets.empty()) return {};
  const std::string of = daemon_sets_clause(problem, explanation);
  return problem.nodes.empty() ? of : fmt::format("{}, {}", of, node_names(problem, style));
}

std::string affected_clause_within(const Problem& problem, const fixes::Explanation& explanation,
                                   std::size_t columns) {
  if (problem.daemon_sets.empty()) return {};
  // The answer about one DaemonSet has its name on the first line.
  const bool is_named = explanation.daemon_sets.size() == 1 && !problem.nodes.empty();
  const std::string of = daemon_sets_clause(problem, explanation);
  const std::size_t room = std::max<std::size_t>(columns / 2, 24);
  const bool is_long = problem.daemon_sets.size() == 1 && columns_of(of) > room;
  std::string result = is_named ? std::string() : is_long ? name_within(of, room) : of;
  if (problem.nodes.empty()) return result;
  const auto& nodes = problem.nodes.items();
  result += fmt::format("{}{}", is_named ? "" : ", ", grouped_count(nodes.size(), "node"));
  constexpr std::size_t mark = 2;
  if (result.size() + mark >= columns) return result;
  const auto name_of = [&](std::size_t i) -> const model::Text& { return nodes[i]; };
  const auto names = some_names_within(nodes.size(), name_of, columns - result.size() - mark);
  return names ? fmt::format("{}: {}", result, *names) : result;
}

std::map<diagnosis::NodeVerdict, ActionCounts> actions_by_verdict(
    const fixes::Explanation& explanation, const std::vector<std::size_t>& daemon_sets) {
  std::vector<bool> is_meant(explanation.daemon_sets.size());
  for (const std::size_t i : daemon_sets) is_meant[i] = true;
  std::map<diagnosis::NodeVerdict, ActionCounts> result;
  for (const Problem& problem : explanation.problems.problems) {
    for (const diagnosis::Placement& at : problem.placements) {
      if (!is_meant[at.daemon_set]) continue;
      const auto& nodes = explanation.daemon_sets[at.daemon_set].report.nodes;
      ActionCounts& counts = result[nodes[at.node].verdict()];
      switch (problem.action) {
        case diagnosis::Action::Needed: ++counts.needed; break;
        case diagnosis::Action::Overdue: ++counts.overdue; break;
        case diagnosis::Action::None: ++counts.none; break;
      }
    }
  }
  return result;
}

std::vector<std::size_t> by_urgency(const fixes::Explanation& explanation) {
  std::vector<std::size_t> order;
  for (const Problem& problem : explanation.problems.problems) {
    order.insert(order.end(), problem.daemon_sets.begin(), problem.daemon_sets.end());
  }
  for (std::size_t i = 0; i < explanation.daemon_sets.size(); ++i) order.push_back(i);
  std::vector<bool> seen(explanation.daemon_sets.size());
  std::erase_if(order, [&](std::size_t i) {
    const bool again = seen[i];
    seen[i] = true;
    return again;
  });
  return order;
}

std::vector<std::string> problem_numbers(const fixes::Explanation& explanation) {
  std::vector<std::vector<std::string>> numbers(explanation.daemon_sets.size());
  const auto& problems = explanation.problems.problems;
  for (std::size_t p = 0; p < problems.size(); ++p) {
    for (const std::size_t i : problems[p].daemon_sets) numbers[i].push_back(std::to_string(p + 1));
  }
  std::vector<std::string> result;
  result.reserve(numbers.size());
  for (const auto& each : numbers) result.push_back(each.empty() ? "-" : base::listed(each));
  return result;
}

namespace {

const diagnosis::Finding* find_finding(const diagnosis::DaemonSetReport& report,
                                       std::string_view name) {
  const auto at = std::ranges::find(report.findings, name, &diagnosis::Finding::name);
  return at == report.findings.end() ? nullptr : &*at;
}

/// "x/agent (closest node: a)"; `finding`: that no node is eligible.
std::string idle_text(const diagnosis::DaemonSetReport& report, const diagnosis::Finding& finding) {
  const auto node =
      std::ranges::find(finding.evidence, "Node", [](const auto& one) { return one.object.kind; });
  std::string name = full_name(report);
  if (node == finding.evidence.end()) return name;
  return fmt::format("{} (closest node: {})", name, node->object.name);
}

/// Whether the note names its DaemonSets: those without an eligible node, and those that work only
/// until a later event.
bool names_daemon_sets(const diagnosis::Remark& remark) {
  return remark.finding == to_string(diagnosis::FindingId::DaemonsetNoEligibleNode) || remark.ahead;
}

/// The note names the first of the DaemonSets.
std::string naming_clause(const diagnosis::Remark& remark, const fixes::Explanation& explanation) {
  constexpr std::size_t shown = 2;
  std::vector<std::string> named;
  for (const std::size_t i : remark.daemon_sets) {
    if (named.size() == shown) break;
    const diagnosis::DaemonSetReport& report = explanation.daemon_sets[i].report;
    const diagnosis::Finding* finding = find_finding(report, remark.finding);
    if (finding == nullptr) continue;
    if (explanation.daemon_sets.size() == 1) return text_of(finding->message);
    if (remark.daemon_sets.size() == 1) {
      return fmt::format("{}: {}", full_name(report), text_of(finding->message));
    }
    named.push_back(remark.ahead ? full_name(report) : idle_text(report, *finding));
  }
  const std::size_t more = remark.daemon_sets.size() - named.size();
  return fmt::format("{}: {}: {}{}", grouped_count(remark.daemon_sets.size(), "DaemonSet"),
                     remark.title, fmt::join(named, ", "),
                     more == 0 ? "" : fmt::format(" and {} more", more));
}

/// The note about a feature gate says how it is set; about a single DaemonSet also what depends on
/// it.
std::string remark_text(const diagnosis::Remark& remark, const fixes::Explanation& explanation) {
  const auto id = to_string(diagnosis::FindingId::TolerationComparisonGate);
  const bool is_status =
      remark.finding == to_string(diagnosis::FindingId::DaemonsetStatusInconsistent);
  if (is_status && explanation.daemon_sets.size() == 1) {
    const diagnosis::Finding* finding =
        find_finding(explanation.daemon_sets.front().report, remark.finding);
    if (finding == nullptr) return std::string(remark.title);
    std::string text = text_of(finding->message);
    for (const diagnosis::Step& step : finding->fix) text += "; " + step.text;
    return text;
  }
  if (remark.finding != id) return std::string(remark.title);
  for (const diagnosis::Finding& finding : explanation.daemon_sets.front().report.findings) {
    const bool is_it = finding.id == diagnosis::FindingId::TolerationComparisonGate;
    if (is_it && explanation.daemon_sets.size() == 1) return text_of(finding.message);
  }
  const auto& gates = explanation.rules.gates;
  const auto gate =
      std::ranges::find(gates, "TaintTolerationComparisonOperators", &diagnosis::GateSetting::gate);
  if (gate == gates.end()) return std::string(remark.title);
  return fmt::format("{}, which is {}", remark.title, text_of(gate->reason));
}

}  // namespace

std::vector<std::string> remark_clauses(const fixes::Explanation& explanation) {
  std::vector<std::string> result;
  for (const diagnosis::Remark& remark : explanation.problems.remarks) {
    if (names_daemon_sets(remark)) {
      result.push_back(base::printable_line(naming_clause(remark, explanation)));
      continue;
    }
    const std::string text = base::printable_line(remark_text(remark, explanation));
    result.push_back(
        explanation.daemon_sets.size() == 1
            ? text
            : fmt::format("{}: {}", grouped_count(remark.daemon_sets.size(), "DaemonSet"), text));
  }
  return result;
}

}  // namespace dsdoctor::render
