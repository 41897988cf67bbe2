// SPDX-License-Identifier: Apache-2.0
#include "render/data/prometheus.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "base/command.h"
#include "base/printable.h"
#include "diagnosis/catalogue/catalogue.h"

namespace dsdoctor::render {
namespace {

/// Valid UTF-8, with the three characters that would end a label escaped, and a tab as text.
std::string label_escaped(std::string_view raw) {
  std::string result;
  for (const char c : base::printable(raw)) {
    if (c == '\\' || c == '"') result += '\\';
    result += c == '\n' ? std::string("\\n") : c == '\t' ? std::string("\\\\t") : std::string(1, c);
  }
  return result;
}

using LabelPairs = std::vector<std::pair<std::string_view, std::string_view>>;

/// A metric: its help text and its samples. Samples with the same labels are added up.
class Metric {
 public:
  Metric(std::string_view name, std::string_view help) : name_(name), help_(help) {}

  void add(const LabelPairs& labels, std::int64_t value) {
    std::string key;
    for (const auto& [label, text] : labels) {
      key += fmt::format("{}{}=\"{}\"", key.empty() ? "" : ",", label, label_escaped(text));
    }
    samples_[key] += value;
  }

  /// Whether a sample has this as its first label.
  [[nodiscard]] bool has(std::string_view label, std::string_view text) const {
    const std::string key = fmt::format("{}=\"{}\"", label, label_escaped(text));
    const auto at = samples_.lower_bound(key);
    return at != samples_.end() && at->first.starts_with(key);
  }

  /// Empty without samples.
  [[nodiscard]] std::string text() const {
    if (samples_.empty()) return {};
    std::string result = fmt::format("# HELP {0} {1}\n# TYPE {0} gauge\n", name_, help_);
    for (const auto& [labels, value] : samples_) {
      result += labels.empty() ? fmt::format("{} {}\n", name_, value)
                               : fmt::format("{}{{{}}} {}\n", name_, labels, value);
    }
    return result;
  }

 private:
  std::string_view name_;
  std::string_view help_;
  std::map<std::string, std::int64_t> samples_;
};

/// The metrics about problems. One series a problem, whatever the numbers of DaemonSets and nodes.
struct ProblemMetrics {
  Metric problems{"dsdoctor_problem",
                  "1 for each problem; daemonset is empty if it has none or several."};
  Metric placements{"dsdoctor_problem_placements", "DaemonSets on nodes that the problem affects."};
  Metric since{"dsdoctor_problem_since_timestamp_seconds", "When the problem began, Unix time."};
  Metric nodes{"dsdoctor_problem_node", "1 for each node of a problem."};
  Metric counts{"dsdoctor_problems", "Number of all problems."};
  Metric findings{"dsdoctor_finding_info",
                  "1 for each finding of a problem, with what it means and how to fix it."};
};

/// More would be too many series for one target.
constexpr std::size_t most_problems = 1000;

std::int64_t unix_seconds(model::Time time) {
  return std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
}

/// The first steps of the finding's fix that always apply, with placeholders in angle brackets.
std::string fix_of(const diagnosis::CatalogueEntry& entry) {
  constexpr std::size_t shown = 2;
  std::vector<std::string> steps;
  for (const diagnosis::StepPattern& pattern : entry.fix) {
    if (!pattern.when.empty() || steps.size() == shown) continue;
    const diagnosis::Step step = diagnosis::described(
        pattern, [](std::string_view name) { return fmt::format("<{}>", name); });
    std::string& text = steps.emplace_back(step.text);
    if (!step.condition.empty()) text = fmt::format("if {}: {}", step.condition, text);
    if (step.command) text += (text.empty() ? "" : ": ") + base::to_string(*step.command);
  }
  return fmt::format("{}", fmt::join(steps, "; "));
}

void add_finding(Metric& metric, std::string_view finding) {
  const diagnosis::CatalogueEntry* entry = diagnosis::find_listed(finding);
  if (entry == nullptr || metric.has("finding", finding)) return;
  metric.add({{"finding", finding}, {"title", entry->title}, {"fix", fix_of(*entry)}}, 1);
}

/// The namespace and the name of the only DaemonSet; the namespace alone if all of several have it.
std::pair<std::string, std::string> daemon_set_of(const diagnosis::Problem& problem,
                                                  const fixes::Explanation& explanation) {
  if (problem.daemon_sets.empty()) return {problem.root.ns, ""};
  const auto report = [&](std::size_t i) -> const diagnosis::DaemonSetReport& {
    return explanation.daemon_sets[i].report;
  };
  const diagnosis::DaemonSetReport& first = report(problem.daemon_sets.front());
  if (problem.daemon_sets.size() == 1) return {first.ns.str(), first.name.str()};
  const bool is_one_namespace = std::ranges::all_of(
      problem.daemon_sets, [&](std::size_t i) { return report(i).ns == first.ns; });
  return {is_one_namespace ? first.ns.str() : std::string(), ""};
}

ProblemMetrics problem_metrics(const fixes::Explanation& explanation, bool with_nodes) {
  ProblemMetrics metrics;
  std::size_t count = 0;
  for (const diagnosis::Problem& problem : explanation.problems.problems) {
    const LabelPairs rank = {{"severity", to_string(problem.severity)},
                             {"action", to_string(problem.action)}};
    metrics.counts.add(rank, 1);
    if (++count > most_problems) continue;
    const auto [ns, name] = daemon_set_of(problem, explanation);
    metrics.problems.add({{"id", problem.id},
                          {"finding", problem.finding},
                          rank[0],
                          rank[1],
                          {"daemonset", name},
                          {"namespace", ns}},
                         1);
    const LabelPairs id = {{"id", problem.id}};
    if (!problem.placements.empty()) {
      metrics.placements.add(id, static_cast<std::int64_t>(problem.placements.size()));
    }
    if (problem.since) metrics.since.add(id, unix_seconds(*problem.since));
    add_finding(metrics.findings, problem.finding);
    if (!with_nodes) continue;
    for (const model::Text& node : problem.nodes.items()) {
      metrics.nodes.add({id[0], {"node", node}}, 1);
    }
  }
  return metrics;
}

/// Without series of zeros.
Metric placements_of(const fixes::Explanation& explanation) {
  Metric metric("dsdoctor_daemonset_placements",
                "Nodes that are eligible for a DaemonSet or have a pod of it, by verdict.");
  for (const fixes::DaemonSetAnswer& answer : explanation.daemon_sets) {
    const diagnosis::DaemonSetReport& report = answer.report;
    for (const diagnosis::NodeVerdict verdict : diagnosis::all_verdicts) {
      const std::size_t nodes = report.nodes.count(verdict);
      if (nodes == 0 || verdict == diagnosis::NodeVerdict::Excluded) continue;
      metric.add(
          {{"namespace", report.ns}, {"daemonset", report.name}, {"verdict", to_string(verdict)}},
          static_cast<std::int64_t>(nodes));
    }
  }
  return metric;
}

/// The DaemonSets for which the condition holds.
Metric alerts_of(const fixes::Explanation& explanation) {
  Metric metric("dsdoctor_alert_condition", "1 where the condition of the alert holds.");
  for (const fixes::DaemonSetAnswer& answer : explanation.daemon_sets) {
    if (!answer.alert || !answer.alert->holds) continue;
    metric.add({{"namespace", answer.report.ns},
                {"daemonset", answer.report.name},
                {"alert", to_string(answer.alert->alert)}},
               1);
  }
  return metric;
}

}  // namespace

std::string prometheus_text(const fixes::Explanation& explanation, const model::SourceInfo& source,
                            const std::vector<model::Omission>& omissions, MetricLabels labels) {
  Metric omitted("dsdoctor_omission", "Number of lists of this resource that could not be read.");
  for (const model::Omission& omission : omissions) {
    omitted.add({{"resource", omission.resource}, {"reason", omission.reason}}, 1);
  }
  Metric complete("dsdoctor_complete", "1 if everything that can show a problem was read, else 0.");
  complete.add({},
               fixes::is_conclusive(explanation) && !model::may_hide_problems(omissions) ? 1 : 0);
  Metric read("dsdoctor_read_timestamp_seconds", "When the cluster was read, Unix time.");
  read.add({}, unix_seconds(source.moment()));
  const ProblemMetrics problems = problem_metrics(explanation, labels == MetricLabels::WithNodes);
  return problems.problems.text() + problems.placements.text() + problems.since.text() +
         problems.nodes.text() + problems.counts.text() + problems.findings.text() +
         placements_of(explanation).text() + alerts_of(explanation).text() + omitted.text() +
         complete.text() + read.text();
}

}  // namespace dsdoctor::render
