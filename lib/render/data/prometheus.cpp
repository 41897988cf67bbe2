// SPDX-License-Identifier: Apache-2.0
#include "render/data/prometheus.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "base/printable.h"
#include "render/words/reason_text.h"

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

  [[nodiscard]] std::string text() const {
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

/// The primary cause, else the reason that excludes the pod.
std::string reason_of(const diagnosis::NodeReport& node) {
  if (!node.findings().empty()) return std::string(node.findings().front().name());
  return node.shared_reasons().empty() ? std::string()
                                       : std::string(kind_of(node.shared_reasons().front()));
}

struct Metrics {
  Metric nodes{"dsdoctor_daemonset_nodes", "Nodes of a DaemonSet, by verdict."};
  Metric wrong{"dsdoctor_node_wrong", "1 for each node on which something is wrong."};
  Metric findings{"dsdoctor_finding",
                  "Findings, by id; node is empty for those of a DaemonSet as a whole."};
  Metric alerts{"dsdoctor_alert_condition", "1 where the condition of the alert holds."};
};

void add_findings(Metric& metric, const diagnosis::DaemonSetReport& report, std::string_view node,
                  const std::vector<diagnosis::Finding>& findings) {
  for (const diagnosis::Finding& finding : findings) {
    metric.add({{"namespace", report.ns},
                {"daemonset", report.name},
                {"node", node},
                {"id", finding.name()},
                {"severity", to_string(finding.severity)}},
               1);
  }
}

void add(Metrics& metrics, const fixes::DaemonSetAnswer& answer) {
  const diagnosis::DaemonSetReport& report = answer.report;
  const bool all_read = report.is_complete();
  for (const diagnosis::NodeVerdict verdict : diagnosis::all_verdicts) {
    const std::size_t nodes = report.nodes.count(verdict);
    if (nodes == 0 && !all_read) continue;  // unknown; a 0 would hide that from alerts
    metrics.nodes.add(
        {{"namespace", report.ns}, {"daemonset", report.name}, {"verdict", to_string(verdict)}},
        static_cast<std::int64_t>(nodes));
  }
  for (const diagnosis::NodeReport& node : report.nodes) {
    if (!diagnosis::is_wrong(node)) continue;
    metrics.wrong.add({{"namespace", report.ns},
                       {"daemonset", report.name},
                       {"node", node.name},
                       {"verdict", to_string(node.verdict())},
                       {"reason", reason_of(node)}},
                      1);
    add_findings(metrics.findings, report, node.name, node.findings());
  }
  add_findings(metrics.findings, report, "", report.findings);
  if (!answer.alert) return;
  metrics.alerts.add({{"namespace", report.ns},
                      {"daemonset", report.name},
                      {"alert", to_string(answer.alert->alert)}},
                     answer.alert->holds ? 1 : 0);
}

Metric problems_of(const diagnosis::Problems& problems) {
  Metric metric("dsdoctor_problem_placements",
                "DaemonSets on nodes that a problem affects; 0 where it affects none by itself.");
  for (const diagnosis::Problem& problem : problems.problems) {
    metric.add({{"finding", problem.finding},
                {"root_kind", problem.root.kind},
                {"root_namespace", problem.root.ns},
                {"root", problem.root.name},
                {"severity", to_string(problem.severity)},
                {"action", to_string(problem.action)}},
               static_cast<std::int64_t>(problem.placements.size()));
  }
  return metric;
}

}  // namespace

std::string prometheus_text(const fixes::Explanation& explanation, const model::SourceInfo& source,
                            const std::vector<model::Omission>& omissions) {
  Metrics metrics;
  bool alerts = false;
  for (const fixes::DaemonSetAnswer& answer : explanation.daemon_sets) {
    add(metrics, answer);
    alerts = alerts || answer.alert.has_value();
  }
  Metric omitted("dsdoctor_omission", "1 for each kind of object that could not be read.");
  for (const model::Omission& omission : omissions) {
    omitted.add(
        {{"resource", omission.resource}, {"namespace", omission.ns}, {"reason", omission.reason}},
        1);
  }
  Metric read("dsdoctor_read_timestamp_seconds", "When the cluster was read, Unix time.");
  read.add({},
           std::chrono::floor<std::chrono::seconds>(source.moment()).time_since_epoch().count());
  return metrics.nodes.text() + metrics.wrong.text() + metrics.findings.text() +
         problems_of(explanation.problems).text() +
         (alerts ? metrics.alerts.text() : std::string()) + omitted.text() + read.text();
}

}  // namespace dsdoctor::render
