// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/views/alert_report.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/role.h"
#include "diagnosis/report/ranking.h"
#include "diagnosis/report/report.h"
#include "diagnosis/views/alert_nodes.h"
#include "model/cluster.h"

namespace dsdoctor::diagnosis {
namespace {

using namespace std::chrono_literals;

constexpr auto progress_window = 5min;  // changes(...[5m]) of RolloutStuck

std::vector<AlertTerm> terms_of(Alert alert, const model::DaemonSetCounts& counts) {
  const auto against = [](const char* left, std::int64_t left_value, const char* right,
                          std::int64_t right_value, bool holds) {
    return AlertTerm{left, left_value, right, right_value, holds};
  };
  const std::int64_t desired = counts.desired_number_scheduled;
  const auto current = [&](bool holds) {
    return against("currentNumberScheduled", counts.current_number_scheduled,
                   "desiredNumberScheduled", desired, holds);
  };
  const AlertTerm misscheduled = against("numberMisscheduled", counts.number_misscheduled, "", 0,
                                         counts.number_misscheduled != 0);
  switch (alert) {
    case Alert::NotScheduled: return {current(desired - counts.current_number_scheduled > 0)};
    case Alert::MisScheduled:
      return {against("numberMisscheduled", counts.number_misscheduled, "", 0,
                      counts.number_misscheduled > 0)};
    case Alert::RolloutStuck:
      return {
          current(counts.current_number_scheduled != desired), misscheduled,
          against("updatedNumberScheduled", counts.updated_number_scheduled,
                  "desiredNumberScheduled", desired, counts.updated_number_scheduled != desired),
          against("numberAvailable", counts.number_available, "desiredNumberScheduled", desired,
                  counts.number_available != desired)};
  }
  std::abort();
}

bool any_holds(const std::vector<AlertTerm>& terms) {
  return std::ranges::any_of(terms, &AlertTerm::holds);
}

/// Whether the evaluated counts suffice to evaluate the alert.
bool knows_enough(Alert alert, const EvaluatedCounts& evaluated) {
  const bool both = evaluated.nodes_known && evaluated.pods_known;
  return both && (alert != Alert::RolloutStuck || evaluated.revision_known);
}

/// Whether a finding of the DaemonSet itself explains the alert on one of its nodes.
bool explains(const Finding& finding, const AlertReport& alert, const DaemonSetReport& report) {
  if (finding.severity == Severity::Info) return false;
  if (alert.alert == Alert::RolloutStuck && is_about(finding.id, About::Rollout)) {
    return true;
  }
  const bool of_missing = entry_of(finding.id).family == Family::Creation ||
                          finding.id == FindingId::DaemonsetNoneRunning;
  return std::ranges::any_of(alert.nodes, [&](std::size_t index) {
    const NodeVerdict verdict = report.nodes[index].verdict();
    return is_umbrella(finding, verdict) || (of_missing && verdict == NodeVerdict::Missing);
  });
}

void add_findings(AlertReport& result, const DaemonSetReport& report) {
  std::set<std::string> ids;
  for (const std::size_t index : result.nodes) {
    const auto& findings = report.nodes[index].findings();
    for (const Finding& finding : findings) {
      const bool cause = finding.standing != Standing::Context;
      if (cause && finding.severity != Severity::Info) ids.emplace(finding.name());
    }
    // Without a more severe finding an informational one explains the node.
    if (!findings.empty()) ids.emplace(findings.front().name());
  }
  for (const Finding& finding : report.findings) {
    if (explains(finding, result, report)) ids.emplace(finding.name());
  }
  result.findings.assign(ids.begin(), ids.end());
}

/// The clearing of nodes without a known cause, by the findings of the rollout.
Clearing clearing_of_rollout(const DaemonSetReport& report) {
  Clearing result = Clearing::NotKnown;
  for (const Finding& finding : report.findings) {
    if (entry_of(finding.id).family != Family::Rollout) continue;
    if (!finding.transient && finding.severity <= Severity::Error) return Clearing::Nothing;
    if (finding.id == FindingId::RolloutPaced) result = Clearing::Passing;
  }
  return result;
}

/// Nodes that clear in the same way share one entry.
void add_clearing(AlertReport& result, NodeClearing node, const model::Text& name) {
  const auto at = std::ranges::find(result.clearing, node.how, &ClearingNodes::how);
  ClearingNodes& entry = at == result.clearing.end() ? result.clearing.emplace_back() : *at;
  entry.how = node.how;
  entry.nodes.push_back(name);
  entry.longest_grace = std::max(entry.longest_grace, node.longest_grace);
  entry.knows_all_pods = entry.knows_all_pods && node.knows_all_pods;
  entry.about = entry.nodes.size() == 1 ? node.about
                : entry.about && node.about
                    ? model::OptionalTime(std::max(*entry.about, *node.about))
                    : std::nullopt;  // the time of only some nodes would be too early
}

std::optional<bool> clears_by_itself(const std::vector<ClearingNodes>& clearing) {
  bool sure = !clearing.empty();
  for (const ClearingNodes& entry : clearing) {
    switch (entry.how) {
      case Clearing::Nothing: return false;
      case Clearing::NodeWell:
      case Clearing::TaintGone:
      case Clearing::NotKnown: sure = false; break;
      case Clearing::NodeGone:
      case Clearing::PodGone:
      case Clearing::Passing: break;
    }
  }
  return sure ? std::optional(true) : std::nullopt;
}

/// Adds the nodes that make the expression true, and the time since when they do.
void add_nodes(AlertReport& result, const model::DaemonSet& ds, const DaemonSetReport& report,
               const Facts& facts) {
  const IdlePods idle = idle_pods(facts.cluster(), ds.meta.ns);
  for (std::size_t i = 0; i < report.nodes.size(); ++i) {
    const AlertNode node(result.alert, ds, report.nodes[i], facts, idle);
    if (!node.contributes()) continue;
    result.nodes.push_back(i);
    NodeClearing clearing = node.clearing();
    if (clearing.how == Clearing::NotKnown) clearing.how = clearing_of_rollout(report);
    add_clearing(result, clearing, report.nodes[i].name);
    // The expression is true as long as any node contributes: use the earliest time.
    if (const auto since = node.since(); since && (!result.since || *since < *result.since)) {
      result.since = since;
    }
  }
}

/// Adjusts the time since when the expression is true to the last write of status.
void date_expression(AlertReport& result, const model::DaemonSet& ds, const Facts& facts) {
  if (const auto written = status_written(ds);
      result.holds && written && (!result.since || *written < *result.since)) {
    result.since = written;
  }
  if (result.since && result.progressed) {
    result.since = std::max(*result.since, model::Time(*result.progressed + progress_window));
  }
  // A node or pod that was removed from the counts with that write may have changed the number of
  // updated pods.
  if (const auto written = status_written(ds); result.alert == Alert::RolloutStuck &&
                                               result.since && written &&
                                               *written - *result.since < std::chrono::minutes(1)) {
    result.since = std::max(*result.since, model::Time(*written + progress_window));
    if (*result.since > facts.now()) result.since.reset();
  }
}

}  // namespace

AlertReport judge_alert(Alert alert, const model::DaemonSet& ds, const DaemonSetReport& report,
                        const Facts& facts) {
  AlertReport result;
  result.alert = alert;
  result.judged_at = facts.now();
  result.terms = terms_of(alert, report.reported);
  result.holds = any_holds(result.terms);
  if (knows_enough(alert, report.evaluated)) {
    result.should_hold = any_holds(terms_of(alert, report.evaluated.counts));
  }
  if (alert == Alert::RolloutStuck) {
    result.progressed = last_progress(ds, report, facts);
    if (result.progressed && facts.now() - *result.progressed < progress_window) {
      result.holds = false;
      if (result.should_hold) result.should_hold = false;
    }
  }
  add_nodes(result, ds, report, facts);
  date_expression(result, ds, facts);
  result.not_before = ds.meta.created;
  if (result.progressed) {
    const model::Time moved = *result.progressed + progress_window;
    result.not_before = std::max(result.not_before.value_or(moved), moved);
  }
  add_findings(result, report);
  result.clears_by_itself = clears_by_itself(result.clearing);
  return result;
}

std::optional<bool> fires_already(const AlertReport& report) {
  const auto window = window_of(report.alert);
  if (report.since && report.judged_at - *report.since >= window) return true;
  if (report.not_before && report.judged_at - *report.not_before < window) return false;
  return std::nullopt;
}

}  // namespace dsdoctor::diagnosis
