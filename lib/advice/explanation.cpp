#include "advice/explanation.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_set>

#include "diagnosis/catalogue/findings/daemonset.h"
#include "diagnosis/problems/find_problems.h"
#include "diagnosis/views/timeline.h"

namespace dsdoctor::advice {
namespace {

void keep_selected(diagnosis::DaemonSetReport& report, const model::Cluster& cluster,
                   const diagnosis::ReportOptions& options) {
  if (!options.selects) return;
  base::IndexRuns selected;
  for (std::size_t i = 0; i < report.nodes.size(); ++i) {
    const model::Node* node = model::find_node(cluster, report.nodes[i].name, i);
    if (node != nullptr && options.selects(*node)) selected.push_back(i);
  }
  report.nodes = report.nodes.only(selected);
  report.vanished_nodes = {};
  std::erase_if(report.findings, [&](const diagnosis::Finding& finding) {
    return !finding.nodes.empty() && std::ranges::none_of(finding.nodes, [&](const auto& name) {
      return report.nodes.find(name).has_value();
    });
  });
}

std::unordered_set<std::string_view> names_of(const diagnosis::DaemonSetReport& report) {
  std::unordered_set<std::string_view> names;
  for (const auto& node : report.nodes) names.insert(node.name.view());
  return names;
}

base::IndexRuns wrong_nodes(const diagnosis::DaemonSetReport& report) {
  return report.nodes.where(
      [](const diagnosis::NodeState& state) { return diagnosis::is_wrong(state); });
}

std::vector<const diagnosis::DaemonSetReport*> reports_of(const Explanation& explanation) {
  std::vector<const diagnosis::DaemonSetReport*> reports;
  reports.reserve(explanation.daemon_sets.size());
  for (const DaemonSetAnswer& answer : explanation.daemon_sets) reports.push_back(&answer.report);
  return reports;
}

void add_problems(Explanation& explanation, const model::Cluster& cluster,
                  const diagnosis::Attention& attention) {
  explanation.problems =
      diagnosis::find_problems(reports_of(explanation), cluster, attention.ignored);
  for (const diagnosis::Problem& problem : explanation.problems.problems) {
    if (!diagnosis::counts(problem, attention)) continue;
    for (const std::size_t i : problem.daemon_sets) explanation.daemon_sets[i].has_problem = true;
  }
}

/// Leaves the groups and fixes of these nodes alone, and has only them listed. The report
/// stays whole, so that its nodes can still be counted.
void keep_nodes(DaemonSetAnswer& answer, base::IndexRuns nodes) {
  const auto is_gone = [&](std::size_t i) { return !nodes.contains(i); };
  for (diagnosis::NodeGroup& group : answer.groups) std::erase_if(group.nodes, is_gone);
  std::erase_if(answer.groups, [](const auto& group) { return group.nodes.empty(); });
  if (!answer.suggestions.empty()) {
    std::unordered_set<std::string_view> names;
    for (const std::size_t index : nodes) names.insert(answer.report.nodes[index].name);
    keep_those_for(answer.suggestions, names);
  }
  answer.listed = std::move(nodes);
}

/// What explains every late status is said with the first of them.
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
  return std::ranges::any_of(explanation.daemon_sets,
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
  // Whether a misscheduled pod needs anybody, only its node tells.
  const bool is_told = observed && answer.report.reported.number_misscheduled == 0;
  return is_conclusive(answer) || ((lacks_all_nodes || lacks_some_nodes) && is_told);
}

bool is_answered(const Explanation& explanation) {
  return std::ranges::all_of(explanation.daemon_sets,
                             [](const DaemonSetAnswer& answer) { return is_answered(answer); });
}

Explanation explain(const diagnosis::Reporter& reporter,
                    const std::vector<const model::DaemonSet*>& daemon_sets,
                    const diagnosis::Attention& attention, const Details& details) {
  const diagnosis::ReportOptions& options = reporter.options();
  const model::Cluster& cluster = reporter.cluster();
  // Fixes are predicted over all nodes, so the selection comes last.
  diagnosis::ReportOptions everything = options;
  everything.selects = nullptr;
  if (options.selects) everything.asks = options.selects;
  const diagnosis::TellingLabels labels(cluster);
  Explanation result;
  for (const model::DaemonSet* ds : daemon_sets) {
    DaemonSetAnswer& answer = result.daemon_sets.emplace_back();
    answer.report = reporter.report(*ds, everything);
    if (details.suggestions) {
      answer.suggestions = suggestions(reporter, *ds, answer.report).offered;
      answer.owners = owners_of(*ds);
    }
    keep_selected(answer.report, cluster, options);
    if (options.selects) keep_those_for(answer.suggestions, names_of(answer.report));
    if (details.groups) answer.groups = diagnosis::group_nodes(answer.report, labels);
    if (cluster.nodes_known) result.nodes = std::max(result.nodes, answer.report.nodes.size());
  }
  say_note_once(result);
  result.nodes_known = cluster.nodes_known;
  result.pods = cluster.pods.size();
  result.now = options.now;
  add_problems(result, cluster, attention);
  return result;
}

void add_timelines(Explanation& explanation, const diagnosis::Reporter& reporter,
                   const std::vector<const model::DaemonSet*>& daemon_sets, bool every_node) {
  for (std::size_t i = 0; i < daemon_sets.size(); ++i) {
    diagnosis::add_timelines(explanation.daemon_sets[i].report, *daemon_sets[i], reporter.facts(),
                             every_node);
  }
}

void restrict_to_alert(Explanation& explanation, const diagnosis::Reporter& reporter,
                       const std::vector<const model::DaemonSet*>& daemon_sets,
                       diagnosis::Alert alert) {
  for (std::size_t i = 0; i < daemon_sets.size(); ++i) {
    DaemonSetAnswer& answer = explanation.daemon_sets[i];
    const model::DaemonSet& ds = *daemon_sets[i];
    answer.alert = diagnosis::judge_alert(alert, ds, answer.report, reporter.facts());
    if (!answer.alert->holds && !answer.report.timeline) {
      answer.report.timeline = diagnosis::History(reporter.facts(), ds).of_daemon_set();
    }
    keep_nodes(answer, answer.alert->nodes);
    // Only a misscheduled pod becomes eligible by a toleration.
    if (alert == diagnosis::Alert::NotScheduled) answer.suggestions.clear();
  }
  const auto alert_of = [&](std::size_t i) -> const diagnosis::AlertReport& {
    return *explanation.daemon_sets[i].alert;
  };
  const auto is_concerned = [&](diagnosis::Placement at) {
    const auto& of = alert_of(at.daemon_set);
    return of.holds && of.nodes.contains(at.node);
  };
  const auto is_named = [&](const diagnosis::Problem& problem, std::size_t i) {
    const auto& of = alert_of(i);
    return of.holds && std::ranges::find(of.findings, problem.finding) != of.findings.end();
  };
  restrict_problems(explanation, {is_concerned, is_named});
}

void restrict_problems(Explanation& explanation, const diagnosis::Narrowing& to) {
  explanation.problems = diagnosis::narrowed(explanation.problems, reports_of(explanation), to);
}

void restrict_to_node(Explanation& explanation) {
  const auto is_there = [](diagnosis::Placement) { return true; };
  const auto is_of_control_plane = [](const diagnosis::Problem& problem, std::size_t) {
    return problem.root.kind == "ControlPlane";
  };
  restrict_problems(explanation, {is_there, is_of_control_plane});
}

std::vector<diagnosis::PlacementDiff> placement_diffs(Explanation& explanation) {
  std::vector<diagnosis::PlacementDiff> result;
  result.reserve(explanation.daemon_sets.size());
  for (const DaemonSetAnswer& answer : explanation.daemon_sets) {
    result.push_back(diagnosis::placement_diff(answer.report));
  }
  const auto report_of = [&](std::size_t i) -> const diagnosis::DaemonSetReport& {
    return explanation.daemon_sets[i].report;
  };
  const auto differs = [&](diagnosis::Placement at) {
    return diagnosis::is_difference(report_of(at.daemon_set).nodes[at.node].verdict());
  };
  const auto is_of_vanished = [&](const diagnosis::Problem& problem, std::size_t i) {
    return problem.finding == to_string(diagnosis::FindingId::PodOnMissingNode) &&
           !report_of(i).vanished_nodes.empty();
  };
  restrict_problems(explanation, {differs, is_of_vanished});
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

void restrict_to_wrong_nodes(Explanation& explanation) {
  for (DaemonSetAnswer& answer : explanation.daemon_sets) {
    keep_nodes(answer, wrong_nodes(answer.report));
  }
}

void leave_out_healthy_nodes(Explanation& explanation) {
  const auto is_listed = [](const diagnosis::NodeState& state) {
    const bool healthy = state.verdict == diagnosis::NodeVerdict::Running ||
                         state.verdict == diagnosis::NodeVerdict::Excluded;
    return !healthy || diagnosis::is_wrong(state);
  };
  for (DaemonSetAnswer& answer : explanation.daemon_sets) {
    keep_nodes(answer, answer.report.nodes.where(is_listed));
  }
}

std::vector<const diagnosis::Finding*> findings_to_say(const DaemonSetAnswer& answer, bool all) {
  std::set<diagnosis::FindingId> said;
  for (const diagnosis::NodeGroup& group : answer.groups) {
    const auto& findings = answer.report.nodes[group.nodes.front()].findings();
    const bool primary =
        !findings.empty() && findings.front().standing == diagnosis::Standing::Primary;
    // A controller that does not act at all is the first thing to know.
    const bool first =
        primary && findings.front().id == diagnosis::FindingId::ControllerNotObserving;
    if (primary && !first && diagnosis::is_wrong(group.verdict)) said.insert(findings.front().id);
  }
  std::vector<const diagnosis::Finding*> result;
  for (const diagnosis::Finding& finding : answer.report.findings) {
    // Why there is no pod at all is an answer, be it as it is meant or not.
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

}  // namespace dsdoctor::advice
