// SPDX-License-Identifier: Apache-2.0
#include "fixes/explanation.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_set>

#include "diagnosis/catalogue/findings/daemonset.h"
#include "diagnosis/gates.h"
#include "diagnosis/problems/find_problems.h"
#include "diagnosis/problems/narrowing.h"
#include "diagnosis/report/reach.h"
#include "diagnosis/views/timeline.h"

namespace dsdoctor::fixes {
namespace {

/// The report of the selected nodes. `report`: of all nodes.
diagnosis::DaemonSetReport selected(diagnosis::DaemonSetReport report,
                                    const model::Cluster& cluster,
                                    const std::function<bool(const model::Node&)>& selects) {
  base::IndexRuns nodes;
  for (std::size_t i = 0; i < report.nodes.size(); ++i) {
    const model::Node* node = model::find_node(cluster, report.nodes[i].name, i);
    if (node != nullptr && selects(*node)) nodes.push_back(i);
  }
  report.nodes = report.nodes.only(nodes);
  report.vanished_nodes = {};
  std::erase_if(report.findings, [&](const diagnosis::Finding& finding) {
    return !finding.nodes.empty() && std::ranges::none_of(finding.nodes, [&](const auto& name) {
      return report.nodes.find(name).has_value();
    });
  });
  return report;
}

std::vector<const diagnosis::DaemonSetReport*> reports_of(const Explanation& explanation) {
  std::vector<const diagnosis::DaemonSetReport*> reports;
  reports.reserve(explanation.daemon_sets.size());
  for (const DaemonSetAnswer& answer : explanation.daemon_sets) reports.push_back(&answer.report);
  return reports;
}

void add_problems(Explanation& explanation, const model::Cluster& cluster,
                  const diagnosis::Attention& attention,
                  const std::optional<diagnosis::OwnersSought>& missing_owners) {
  explanation.problems =
      diagnosis::find_problems(reports_of(explanation), cluster, attention.ignored, missing_owners);
  for (const diagnosis::Problem& problem : explanation.problems.problems) {
    if (!diagnosis::counts(problem, attention)) continue;
    if (problem.daemon_sets.empty()) explanation.has_other_problem = true;
    for (const std::size_t i : problem.daemon_sets) explanation.daemon_sets[i].has_problem = true;
  }
}

/// The groups, reduced to these nodes.
std::vector<diagnosis::NodeGroup> groups_of(std::vector<diagnosis::NodeGroup> groups,
                                            const base::IndexRuns& nodes) {
  for (diagnosis::NodeGroup& group : groups) {
    std::erase_if(group.nodes, [&](std::size_t i) { return !nodes.contains(i); });
  }
  std::erase_if(groups, [](const auto& group) { return group.nodes.empty(); });
  return groups;
}

std::unordered_set<std::string_view> names_of(const DaemonSetAnswer& answer) {
  std::unordered_set<std::string_view> names;
  if (answer.listed) {
    for (const std::size_t i : *answer.listed) names.insert(answer.report.nodes[i].name);
  } else {
    for (const auto& node : answer.report.nodes) names.insert(node.name.view());
  }
  return names;
}

/// Lists the requested nodes, and reduces groups and fixes to them.
void list_nodes(DaemonSetAnswer& answer, const Selection& selection) {
  answer.listed = answer.alert ? answer.alert->nodes : listed_nodes(answer.report, selection.nodes);
  if (!answer.listed) return;
  answer.groups = groups_of(std::move(answer.groups), *answer.listed);
  // The alert is about missing pods; a toleration would only help misscheduled ones.
  if (selection.alert == diagnosis::Alert::NotScheduled) answer.suggestions.clear();
  if (!answer.suggestions.empty())
    answer.suggestions = those_for(std::move(answer.suggestions), names_of(answer));
}

/// Keeps the problems that make an alert hold: by its nodes, or by the findings that explain it.
diagnosis::Narrowing to_alert(const Explanation& explanation) {
  const auto alert_of =
      [&all = explanation.daemon_sets](std::size_t i) -> const diagnosis::AlertReport& {
    return *all[i].alert;
  };
  const auto is_concerned = [alert_of](diagnosis::Placement at) {
    const auto& of = alert_of(at.daemon_set);
    return of.holds && of.nodes.contains(at.node);
  };
  const auto is_named = [alert_of](const diagnosis::Problem& problem, std::size_t i) {
    const auto& of = alert_of(i);
    return of.holds && std::ranges::find(of.findings, problem.finding) != of.findings.end();
  };
  return {is_concerned, is_named};
}

/// Keeps problems of the node. Other problems of its DaemonSets are not problems of this node.
diagnosis::Narrowing to_one_node() {
  const auto is_there = [](diagnosis::Placement) { return true; };
  const auto is_of_control_plane = [](const diagnosis::Problem& problem, std::size_t) {
    return problem.root.kind == "ControlPlane";
  };
  return {is_there, is_of_control_plane};
}

diagnosis::Narrowing to_differences(const Explanation& explanation) {
  const auto report_of =
      [&all = explanation.daemon_sets](std::size_t i) -> const diagnosis::DaemonSetReport& {
    return all[i].report;
  };
  const auto differs = [report_of](diagnosis::Placement at) {
    const diagnosis::NodeReport node = report_of(at.daemon_set).nodes[at.node];
    if (diagnosis::is_difference(node.verdict())) return true;
    // A node that is kept off for longer than its removal takes lacks its pod, too.
    const diagnosis::Finding* obstacle = diagnosis::temporary_obstacle(node);
    return obstacle != nullptr && obstacle->overdue_since.has_value();
  };
  const auto is_of_other_nodes = [report_of](const diagnosis::Problem& problem, std::size_t i) {
    using diagnosis::FindingId;
    if (problem.finding == to_string(FindingId::PodOnMissingNode)) {
      return !report_of(i).vanished_nodes.empty();
    }
    return problem.finding == to_string(FindingId::ProviderAbsent);
  };
  return {differs, is_of_other_nodes};
}

/// Absent: all problems are requested.
std::optional<diagnosis::Narrowing> narrowing_to(const Selection& selection,
                                                 const Explanation& explanation) {
  if (selection.alert) return to_alert(explanation);
  switch (selection.problems) {
    case Selection::Problems::All: break;
    case Selection::Problems::OfOneNode: return to_one_node();
    case Selection::Problems::OfDifferences: return to_differences(explanation);
  }
  return std::nullopt;
}

void add_timelines(diagnosis::DaemonSetReport& report, const model::DaemonSet& ds,
                   const diagnosis::Facts& facts, Details::Timelines timelines) {
  if (timelines == Details::Timelines::None || timelines == Details::Timelines::OfProblems) return;
  if (timelines == Details::Timelines::OfDaemonSet) {
    report.timeline = diagnosis::History(facts, ds).of_daemon_set();
    return;
  }
  diagnosis::add_timelines(report, ds, facts, timelines == Details::Timelines::OfEveryNode);
}

void add_timelines_of_problems(Explanation& explanation,
                               const std::vector<const model::DaemonSet*>& daemon_sets,
                               const diagnosis::Facts& facts) {
  constexpr std::size_t most = 100;
  const auto& problems = explanation.problems.problems;
  std::map<std::size_t, std::set<std::size_t>> asked;
  for (std::size_t i = 0; i < std::min(most, problems.size()); ++i) {
    const diagnosis::Problem& problem = problems[i];
    if (!problem.placements.empty()) {
      const diagnosis::Placement first = problem.placements.front();
      asked[first.daemon_set].insert(first.node);
    } else if (!problem.daemon_sets.empty()) {
      (void)asked[problem.daemon_sets.front()];
    }
  }
  for (const auto& [daemon_set, of_nodes] : asked) {
    base::IndexRuns indexes;
    for (const std::size_t node : of_nodes) indexes.push_back(node);
    diagnosis::add_timelines(explanation.daemon_sets[daemon_set].report, *daemon_sets[daemon_set],
                             facts, indexes);
  }
}

void add_alert(DaemonSetAnswer& answer, const model::DaemonSet& ds, const diagnosis::Facts& facts,
               diagnosis::Alert alert) {
  answer.alert = diagnosis::judge_alert(alert, ds, answer.report, facts);
  if (answer.alert->holds || answer.report.timeline) return;
  answer.report.timeline = diagnosis::History(facts, ds).of_daemon_set();
}

/// Keeps the note that explains late status only at its first occurrence.
void say_note_once(Explanation& explanation) {
  const diagnosis::Message note = diagnosis::phrase::ChangesOfNodesAreNotCounted{};
  bool said = false;
  for (DaemonSetAnswer& answer : explanation.daemon_sets) {
    for (diagnosis::Finding& finding : answer.report.findings) {
      std::vector<diagnosis::Message>& notes = finding.message.notes;
      const auto at = std::ranges::find(notes, note);
      if (at == notes.end()) continue;
      if (said) notes.erase(at);
      said = true;
    }
  }
}

}  // namespace

std::vector<diagnosis::Cause> causes_of(const DaemonSetAnswer& answer) {
  return diagnosis::causes(answer.report, answer.listed);
}

bool is_wrong(const DaemonSetAnswer& answer) {
  if (answer.alert) return answer.alert->holds;
  return answer.has_problem;
}

bool is_wrong(const Explanation& explanation) {
  return explanation.has_other_problem ||
         std::ranges::any_of(explanation.daemon_sets,
                             [](const DaemonSetAnswer& answer) { return is_wrong(answer); });
}

bool is_conclusive(const DaemonSetAnswer& answer) {
  return answer.alert || answer.report.is_complete();
}

bool is_conclusive(const Explanation& explanation) {
  return std::ranges::all_of(explanation.daemon_sets,
                             [](const DaemonSetAnswer& answer) { return is_conclusive(answer); });
}

bool is_answered(const DaemonSetAnswer& answer) {
  const auto& [evaluated, observed] = std::tie(answer.report.evaluated, answer.report.observed);
  const bool lacks_all_nodes = !evaluated.nodes_known && evaluated.pods_known;
  const bool lacks_some_nodes = !evaluated.all_nodes_known && answer.report.covered;
  // A misscheduled pod may need action; only its node shows that.
  const bool is_told = observed && answer.report.reported.number_misscheduled == 0;
  return is_conclusive(answer) || ((lacks_all_nodes || lacks_some_nodes) && is_told);
}

bool is_answered(const Explanation& explanation) {
  return std::ranges::all_of(explanation.daemon_sets,
                             [](const DaemonSetAnswer& answer) { return is_answered(answer); });
}

std::optional<base::IndexRuns> listed_nodes(const diagnosis::DaemonSetReport& report,
                                            Selection::Nodes nodes) {
  switch (nodes) {
    case Selection::Nodes::All: break;
    case Selection::Nodes::Unhealthy:
      return report.nodes.where([](const diagnosis::NodeState& state) {
        const bool healthy = state.verdict == diagnosis::NodeVerdict::Running ||
                             state.verdict == diagnosis::NodeVerdict::Excluded;
        return !healthy || diagnosis::is_wrong(state);
      });
    case Selection::Nodes::Wrong:
      return report.nodes.where(
          [](const diagnosis::NodeState& state) { return diagnosis::is_wrong(state); });
  }
  return std::nullopt;
}

Explanation explain(const diagnosis::Reporter& reporter,
                    const std::vector<const model::DaemonSet*>& daemon_sets,
                    const diagnosis::Attention& attention, const Details& details,
                    const Selection& selection) {
  const diagnosis::ReportOptions& options = reporter.options();
  const model::Cluster& cluster = reporter.cluster();
  // Fixes are predicted for all nodes, so the selection is applied last.
  diagnosis::ReportOptions everything = options;
  if (selection.selects) everything.asks = selection.selects;
  const diagnosis::TellingLabels labels(cluster);
  Explanation result;
  for (const model::DaemonSet* ds : daemon_sets) {
    DaemonSetAnswer& answer = result.daemon_sets.emplace_back();
    answer.ds = ds;
    answer.report = reporter.report(*ds, everything);
    if (details.suggestions) {
      answer.suggestions = suggestions(reporter, *ds, answer.report).offered;
      answer.owners = owners_of(*ds);
    }
    if (selection.selects) {
      answer.report = selected(std::move(answer.report), cluster, selection.selects);
      answer.suggestions = those_for(std::move(answer.suggestions), names_of(answer));
    }
    if (details.groups) answer.groups = diagnosis::group_nodes(answer.report, labels);
    if (cluster.nodes_known) result.nodes = std::max(result.nodes, answer.report.nodes.size());
  }
  say_note_once(result);
  result.nodes_known = cluster.nodes_known;
  result.pods = cluster.pods.size();
  result.now = options.now;
  result.rules = diagnosis::rules_taken(reporter);
  add_problems(result, cluster, attention, details.missing_owners);
  for (std::size_t i = 0; i < daemon_sets.size(); ++i) {
    DaemonSetAnswer& answer = result.daemon_sets[i];
    add_timelines(answer.report, *daemon_sets[i], reporter.facts(), details.timelines);
    if (selection.alert) add_alert(answer, *daemon_sets[i], reporter.facts(), *selection.alert);
    list_nodes(answer, selection);
  }
  if (const auto narrowing = narrowing_to(selection, result)) {
    result.problems = diagnosis::narrowed(result.problems, reports_of(result), *narrowing);
  }
  if (details.timelines == Details::Timelines::OfProblems) {
    add_timelines_of_problems(result, daemon_sets, reporter.facts());
  }
  return result;
}

std::vector<diagnosis::PlacementDiff> placement_diffs(const Explanation& explanation) {
  std::vector<diagnosis::PlacementDiff> result;
  result.reserve(explanation.daemon_sets.size());
  for (const DaemonSetAnswer& answer : explanation.daemon_sets) {
    result.push_back(diagnosis::placement_diff(answer.report));
  }
  return result;
}

Explanation only(const Explanation& explanation, std::size_t daemon_set) {
  Explanation result;
  result.daemon_sets.push_back(explanation.daemon_sets[daemon_set]);
  result.nodes = explanation.nodes;
  result.nodes_known = explanation.nodes_known;
  result.now = explanation.now;
  result.problems = diagnosis::only(explanation.problems, reports_of(explanation), daemon_set);
  return result;
}

std::vector<const diagnosis::Finding*> findings_to_say(const DaemonSetAnswer& answer, bool all) {
  std::set<diagnosis::FindingId> said;
  for (const diagnosis::NodeGroup& group : answer.groups) {
    const auto& findings = answer.report.nodes[group.nodes.front()].findings();
    const bool primary =
        !findings.empty() && findings.front().standing == diagnosis::Standing::Primary;
    // A controller that does not act at all is always shown.
    const bool first =
        primary && findings.front().id == diagnosis::FindingId::ControllerNotObserving;
    if (primary && !first && diagnosis::is_wrong(group.verdict)) said.insert(findings.front().id);
  }
  std::vector<const diagnosis::Finding*> result;
  for (const diagnosis::Finding& finding : answer.report.findings) {
    // The reason why there is no pod at all is always shown, intended or not.
    const bool worth = diagnosis::is_worth_saying(finding) ||
                       finding.id == diagnosis::FindingId::DaemonsetNoEligibleNode;
    if (all || (worth && !said.contains(finding.id))) result.push_back(&finding);
  }
  return result;
}

std::optional<diagnosis::Timeline> timeline_of_node(const Explanation& explanation) {
  diagnosis::Timeline whole;
  bool known = false;
  for (const DaemonSetAnswer& answer : explanation.daemon_sets) {
    const auto& timeline = answer.report.nodes.front().timeline();
    if (!timeline) continue;
    known = true;
    whole.events_known = timeline->events_known;
    for (const diagnosis::TimelineEntry& entry : timeline->entries) {
      if (std::ranges::find(whole.entries, entry) == whole.entries.end()) {
        whole.entries.push_back(entry);
      }
    }
  }
  std::ranges::stable_sort(whole.entries, {}, &diagnosis::TimelineEntry::time);
  return known ? std::optional(std::move(whole)) : std::nullopt;
}

diagnosis::NodeLoad load_of_node(const Explanation& explanation,
                                 const diagnosis::Reporter& reporter,
                                 const std::vector<const model::DaemonSet*>& daemon_sets,
                                 const model::Node& node) {
  std::vector<std::pair<const model::DaemonSet*, const diagnosis::DaemonSetReport*>> pairs;
  for (std::size_t i = 0; i < daemon_sets.size(); ++i) {
    pairs.emplace_back(daemon_sets[i], &explanation.daemon_sets[i].report);
  }
  return diagnosis::load_of(reporter.cluster(), node, pairs);
}

}  // namespace dsdoctor::fixes
