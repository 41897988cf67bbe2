// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/problems/find_problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/phrases.h"
#include "diagnosis/catalogue/role.h"
#include "diagnosis/evidence/node_state.h"
#include "diagnosis/problems/draft.h"
#include "diagnosis/problems/fitting_request.h"
#include "diagnosis/problems/missing_owners.h"
#include "diagnosis/problems/placement_cause.h"
#include "diagnosis/problems/placement_nodes.h"
#include "diagnosis/problems/problem_id.h"
#include "diagnosis/problems/root.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/report/ranking.h"
#include "diagnosis/report/reach.h"

namespace dsdoctor::diagnosis {
namespace {

/// Whether a finding of a DaemonSet only summarizes those of its nodes. If new pods of a rollout
/// fail or are not created, the exhausted budget of the rollout is a consequence.
bool is_summary(FindingId id, const DaemonSetReport& report) {
  const SumsUp what = role_of(id).sums_up;
  if (what != SumsUp::NewPods) return what != SumsUp::Nothing;
  return std::ranges::any_of(report.findings, [](const Finding& finding) {
    return finding.id == FindingId::RolloutNewBroken || stops_creation(finding);
  });
}

class Joiner {
 public:
  Joiner(const std::vector<const DaemonSetReport*>& reports, const model::Cluster& cluster)
      : reports_(reports), cluster_(cluster), counts_(reports.size()), nodes_(reports) {}

  Problems join() {
    for (std::size_t i = 0; i < reports_.size(); ++i) {
      const DaemonSetReport& report = *reports_[i];
      result_.placements += expected_placements(report);
      alike_ = causes_of(report);
      add_placements(static_cast<std::uint32_t>(i));
    }
    for (std::size_t i = 0; i < reports_.size(); ++i) add_findings(i);
    for (Draft& draft : drafts_) finish(draft);
    make_ids_unique(result_.problems, parts_);
    sort_by_urgency(result_.problems);
    std::ranges::stable_sort(result_.remarks, std::greater<>(), [](const Remark& remark) {
      return std::pair(remark.ahead, remark.daemon_sets.size());
    });
    return std::move(result_);
  }

 private:
  /// Number of wrong placements for each finding that is their cause.
  static std::map<FindingId, std::size_t> causes_of(const DaemonSetReport& report) {
    std::map<FindingId, std::size_t> result;
    for (const auto& [state, nodes] : report.nodes.states()) {
      if (nodes == 0 || !is_wrong(*state)) continue;
      if (const Finding* cause = root_cause_of(*state, report)) result[cause->id] += nodes;
    }
    return result;
  }

  [[nodiscard]] Root place_root(const Finding& cause, const DaemonSetReport& report,
                                const NodeReport& node) const {
    const auto alike = alike_.find(cause.id);  // a cause of the DaemonSet is not counted
    return root_of(cause, report, &node, alike == alike_.end() ? 1 : alike->second);
  }

  /// Whether the placement belongs to the same problem as the previous one; a fast path.
  [[nodiscard]] bool is_like_last(std::size_t daemon_set, NodeVerdict verdict, const Finding* cause,
                                  Action action) const {
    if (last_.daemon_set != daemon_set || last_.action != action) return false;
    if (cause == nullptr || last_.cause == nullptr) {
      return cause == last_.cause && verdict == last_.verdict;
    }
    return cause->id == last_.cause->id && cause->group == last_.cause->group &&
           cause->root == last_.cause->root && entry_of(cause->id).root != "taint";
  }

  void add_placements(std::uint32_t daemon_set) {
    const NodeReports& nodes = reports_[daemon_set]->nodes;
    constexpr auto unknown = static_cast<std::size_t>(-1);
    /// The draft of all nodes of a state, unless each node has to be examined.
    struct Place {
      bool wrong = false;
      std::size_t draft = unknown;
      std::size_t repeated = 0;
    };
    std::vector<Place> places;
    for (const auto& use : nodes.states()) places.push_back({.wrong = is_wrong(*use.state)});
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      Place& place = places[nodes.state_of(i)];
      if (!place.wrong) continue;
      const Placement placement{daemon_set, static_cast<std::uint32_t>(i)};
      if (place.draft != unknown) {
        drafts_[place.draft].problem.placements.push_back(placement);
        ++place.repeated;
      } else if (add_placement(placement)) {
        place.draft = last_.draft;
      }
    }
    for (const Place& place : places) {
      if (place.repeated > 0) counts_[daemon_set][place.draft] += place.repeated;
    }
  }

  /// The start time of the problem on a node. For a node that is not Ready or under pressure it is
  /// the time of the condition, because some of its pods may have been unready before.
  [[nodiscard]] model::OptionalTime began(const Problem& problem, const DaemonSetReport& report,
                                          const NodeReport& node) const {
    using Pressure = std::pair<std::string_view, std::string_view>;
    constexpr std::array pressures = {Pressure{"node-disk-pressure", "DiskPressure"},
                                      Pressure{"node-memory-pressure", "MemoryPressure"},
                                      Pressure{"node-pid-pressure", "PIDPressure"}};
    const model::Node* root =
        problem.root.kind == "Node" ? model::find_node(cluster_, node.name) : nullptr;
    if (root != nullptr) {
      if (const auto down = not_ready_since(*root)) return down;
      const auto at = std::ranges::find(pressures, problem.finding, &Pressure::first);
      const model::Condition* condition =
          at == pressures.end() ? nullptr : condition_is(*root, at->second, "True");
      if (condition != nullptr) return condition->last_transition;
    }
    return since_of(report, node, cluster_, problem.root);
  }

  /// Returns whether all nodes with the same state belong to the same problem.
  bool add_placement(Placement placement) {
    const DaemonSetReport& report = *reports_[placement.daemon_set];
    const NodeReport node = report.nodes[placement.node];
    const Finding* cause = root_cause_of(node, report);
    const Action action = action_of(node, cause);
    if (!is_like_last(placement.daemon_set, node.verdict(), cause, action)) {
      const std::size_t draft = cause == nullptr
                                    ? drafts_.of(report, node.verdict(), action)
                                    : drafts_.of(*cause, place_root(*cause, report, node), action);
      last_ = {placement.daemon_set, node.verdict(), cause, action, draft};
    }
    Draft& draft = drafts_[last_.draft];
    Problem& problem = draft.problem;
    if (cause != nullptr) draft.add_message(cause->message);
    problem.severity = std::min(problem.severity, severity_of(node, cause));
    const model::OptionalTime since = began(problem, report, node);
    problem.since = earlier(problem.since, since);
    draft.undated = draft.undated || (!since && is_misplaced(node.verdict()));
    if (action == Action::None) {
      problem.resolves_at = std::max(problem.resolves_at, end_of(report, node, cluster_));
    } else if (cause != nullptr) {
      problem.resolves_at = earlier(problem.resolves_at, cause->overdue_since);
    }
    draft.daemon_sets.insert(placement.daemon_set);
    problem.placements.push_back(placement);
    ++counts_[placement.daemon_set][last_.draft];
    for (const Finding& finding : node.findings()) {
      if (&finding != cause && finding.standing != Standing::Context) {
        draft.also.try_emplace(finding.name(), finding.message);
      }
    }
    return problem.root.kind != "Node";
  }

  /// The problem with the most wrong placements of the DaemonSet, else any problem of the
  /// DaemonSet; null if it has none.
  Draft* main_problem_of(std::size_t daemon_set) {
    const auto& counts = counts_[daemon_set];
    if (!counts.empty()) {
      const auto second = [](const auto& entry) { return entry.second; };
      return &drafts_[std::ranges::max_element(counts, {}, second)->first];
    }
    const auto at = std::ranges::find_if(
        drafts_, [&](const Draft& draft) { return draft.daemon_sets.contains(daemon_set); });
    return at == drafts_.end() ? nullptr : &*at;
  }

  void add_findings(std::size_t daemon_set) {
    const DaemonSetReport& report = *reports_[daemon_set];
    std::vector<const Finding*> summaries;
    for (const Finding& finding : report.findings) {
      if (finding.severity == Severity::Info) {
        add_remark(finding.id, daemon_set);
        continue;
      }
      if (is_elsewhere(finding, daemon_set)) continue;
      if (is_summary(finding.id, report)) {
        summaries.push_back(&finding);
        continue;
      }
      if (finding.id == FindingId::RolloutNewBroken && leads(finding, daemon_set)) continue;
      if (finding.id == FindingId::TolerationTooBroad && joins_foreign_node(finding, daemon_set)) {
        continue;
      }
      add_finding(finding, daemon_set);
    }
    for (const Finding* finding : summaries) {
      if (finding->id == FindingId::DaemonsetFewerThanNodes) {
        add_left_out(*finding, daemon_set);
      } else if (Draft* main = main_problem_of(daemon_set)) {
        main->also.try_emplace(finding->name(), finding->message);
      } else {
        add_finding(*finding, daemon_set);
      }
    }
  }

  /// Whether the finding is about nodes that are not selected: only some nodes are selected, none
  /// of them has a wrong pod, and the finding is about creation or rollout and names no nodes.
  [[nodiscard]] bool is_elsewhere(const Finding& finding, std::size_t daemon_set) const {
    const DaemonSetReport& report = *reports_[daemon_set];
    const Family family = entry_of(finding.id).family;
    return report.nodes.size() < report.all_nodes && counts_[daemon_set].empty() &&
           finding.nodes.empty() && (family == Family::Creation || family == Family::Rollout);
  }

  /// Whether the node has a wrong pod with another cause than the obstacle that excludes the node.
  static bool is_told_otherwise(const NodeReport& node, const Finding& obstacle) {
    const Finding* cause = is_wrong(node.verdict()) ? cause_of(node) : nullptr;
    return cause != nullptr && cause->id != obstacle.id;
  }

  /// Adds nodes that are temporarily excluded to the problem of their obstacle, which may also have
  /// failing pods.
  void add_left_out(const Finding& summary, std::size_t daemon_set) {
    const DaemonSetReport& report = *reports_[daemon_set];
    for (const std::size_t i : left_out(report)) {
      const NodeReport node = report.nodes[i];
      const Finding& obstacle = *temporary_obstacle(node);
      if (is_told_otherwise(node, obstacle)) {
        if (Draft* main = main_problem_of(daemon_set)) {
          main->also.try_emplace(summary.name(), summary.message);
        }
        continue;
      }
      Draft& draft =
          drafts_[drafts_.of(obstacle, root_of(obstacle, report, &node), action_of(obstacle))];
      Problem& problem = draft.problem;
      if (draft.daemon_sets.empty()) problem.severity = summary.severity;
      // A finding of the DaemonSet has already added its message.
      if (draft.daemon_sets.insert(daemon_set).second || !problem.left_out.empty()) {
        draft.add_message(obstacle.message);
      }
      if (const model::Node* known = model::find_node(cluster_, node.name)) {
        problem.since = earlier(problem.since, not_ready_since(*known));
      }
      draft.also.try_emplace(summary.name(), summary.message);
      problem.left_out.push_back(
          {static_cast<std::uint32_t>(daemon_set), static_cast<std::uint32_t>(i)});
    }
  }

  /// Turns the main problem into one of the newest revision, with rollback as its fix, if pods of
  /// that revision fail. A problem that other DaemonSets also have stays as it is. Returns false if
  /// the DaemonSet has no failing pods.
  bool leads(const Finding& finding, std::size_t daemon_set) {
    Draft* main = main_problem_of(daemon_set);
    if (main == nullptr || main->problem.placements.empty()) return false;
    Problem& problem = main->problem;
    const Family family = find_listed(problem.finding)->family;
    if (problem.root.kind == "Node" || (family != Family::Startup && family != Family::Readiness)) {
      return false;
    }
    if (main->daemon_sets.size() > 1) {
      main->also.try_emplace(finding.name(), finding.message);
      return true;
    }
    main->also.try_emplace(problem.finding, problem.message);
    main->varies = false;
    main->part.clear();
    problem.finding = finding.name();
    problem.root = root_of(finding, *reports_[daemon_set], nullptr);
    problem.title = problem.message = finding.message;
    problem.fix = finding.fix;
    problem.evidence.insert(problem.evidence.begin(), finding.evidence.begin(),
                            finding.evidence.end());
    problem.severity = std::min(problem.severity, finding.severity);
    return true;
  }

  /// Adds a too broad toleration to the problem of a node on which no pod can work: the toleration
  /// only explains why the pod is there. Returns false if there is no such problem.
  bool joins_foreign_node(const Finding& finding, std::size_t daemon_set) {
    const auto at = std::ranges::find_if(drafts_, [&](const Draft& draft) {
      return is_one_of(draft.problem.finding,
                       {"node-virtual", "node-fargate", "node-os-mismatch"}) &&
             draft.daemon_sets.contains(daemon_set);
    });
    if (finding.severity != Severity::Error || at == drafts_.end()) return false;
    at->also.try_emplace(finding.name(), finding.message);
    return true;
  }

  void add_finding(const Finding& finding, std::size_t daemon_set) {
    Draft& draft = drafts_[drafts_.of(finding, root_of(finding, *reports_[daemon_set], nullptr),
                                      action_of(finding))];
    Problem& problem = draft.problem;
    problem.resolves_at = earlier(problem.resolves_at, finding.overdue_since);
    if (draft.daemon_sets.insert(daemon_set).second) draft.add_message(finding.message);
    if (finding.severity >= problem.severity) return;
    problem.severity = finding.severity;
    if (!problem.placements.empty()) return;
    // A less severe finding of another DaemonSet came first.
    problem.message = finding.message;
    problem.fix = finding.fix;
    problem.evidence = finding.evidence;
  }

  void add_remark(FindingId id, std::size_t daemon_set) {
    const std::string_view name = to_string(id);
    auto at = std::ranges::find(result_.remarks, name, &Remark::finding);
    if (at == result_.remarks.end()) {
      result_.remarks.push_back({name, entry_of(id).title, {}, is_about(id, About::Ahead)});
      at = std::prev(result_.remarks.end());
    }
    if (at->daemon_sets.empty() || at->daemon_sets.back() != daemon_set) {
      at->daemon_sets.push_back(daemon_set);
    }
  }

  /// Whether the DaemonSet runs on none of its eligible nodes because of this problem. False if not
  /// all nodes and pods were read, because it may run on others.
  [[nodiscard]] bool stops(const Draft& draft, std::size_t daemon_set) {
    const DaemonSetReport& report = *reports_[daemon_set];
    const model::DaemonSetCounts& counts = report.evaluated.counts;
    return !report.deleted && report.nodes.size() >= report.all_nodes && report.is_complete() &&
           counts.desired_number_scheduled != 0 && counts.number_ready == 0 &&
           !counts_[daemon_set].empty() && main_problem_of(daemon_set) == &draft;
  }

  /// The title of a problem whose placements have different messages.
  [[nodiscard]] Message title_of(const Draft& draft) const {
    const Problem& problem = draft.problem;
    if (problem.root.kind != "Taint") {
      return *draft.title;
    }
    const Placement first = problem.placements.front();
    const NodeReport node = reports_[first.daemon_set]->nodes[first.node];
    const std::string taint = open_taint_text(node);
    if (node.verdict() == NodeVerdict::Misscheduled)
      return phrase::MisscheduledByTaint{.taint = taint};
    return phrase::TaintNotTolerated{.taint = taint};
  }

  /// The requests that fit, if the problem is that one DaemonSet's request is too large.
  [[nodiscard]] std::optional<Message> fitting_request(const Problem& problem) const {
    if (problem.daemon_sets.size() != 1 || problem.placements.empty()) return std::nullopt;
    const DaemonSetReport& report = *reports_[problem.daemon_sets.front()];
    const auto cause_on = [&](const Placement& placement) {
      return root_cause_of(report.nodes[placement.node], report);
    };
    const Finding* first = cause_on(problem.placements.front());
    if (first == nullptr || !is_about(first->id, About::Room)) return std::nullopt;
    FittingRequest result;
    for (const Placement& placement : problem.placements) {
      const Finding* cause = cause_on(placement);
      if (cause != nullptr && cause->room) {
        result.add(*cause->room);
      } else {
        result.add_other();
      }
    }
    return result.message();
  }

  void finish(Draft& draft) {
    Problem& problem = draft.problem;
    problem.daemon_sets.assign(draft.daemon_sets.begin(), draft.daemon_sets.end());
    problem.nodes = nodes_.of(problem.placements, problem.left_out);
    if (draft.undated) problem.since.reset();
    draft.also.erase(problem.finding);
    for (auto& [id, message] : draft.also) problem.also.push_back({id, std::move(message)});
    if (problem.root.kind == "Node" && problem.nodes.size() == 1) {
      problem.root.name = problem.nodes.front().str();
    }
    if (draft.varies || problem.root.kind == "Taint") problem.title = title_of(draft);
    if (auto fits = fitting_request(problem)) problem.title.notes.push_back(*std::move(fits));
    if (problem.action == Action::None) {
      problem.severity = Severity::Info;
    } else if (std::ranges::any_of(problem.daemon_sets, [&](std::size_t daemon_set) {
                 return stops(draft, daemon_set);
               })) {
      problem.severity = Severity::Critical;
    }
    problem.id = problem_id(problem, draft.part);
    parts_.push_back(std::move(draft.part));
    result_.affected += problem.placements.size();
    result_.problems.push_back(std::move(problem));
  }

  const std::vector<const DaemonSetReport*>& reports_;
  const model::Cluster& cluster_;
  std::map<FindingId, std::size_t> alike_;  // causes_of() the current report
  Drafts drafts_;
  struct {
    std::size_t daemon_set = static_cast<std::size_t>(-1);
    NodeVerdict verdict = NodeVerdict::Unknown;
    const Finding* cause = nullptr;
    Action action = Action::None;
    std::size_t draft = 0;
  } last_;                                                  // the last placement that was added
  std::vector<std::map<std::size_t, std::size_t>> counts_;  // by DaemonSet: draft -> placements
  PlacementNodes nodes_;
  std::vector<std::string> parts_;  // for each problem of result_
  Problems result_;
};

}  // namespace

Problems find_problems(const std::vector<const DaemonSetReport*>& reports,
                       const model::Cluster& cluster, const std::vector<Accepted>& ignored,
                       const std::optional<OwnersSought>& missing_owners) {
  Problems result = Joiner(reports, cluster).join();
  if (missing_owners) {
    std::ranges::move(problems_of_missing_owners(cluster, *missing_owners),
                      std::back_inserter(result.problems));
    sort_by_urgency(result.problems);
  }
  std::set<std::size_t> accepted;
  result.ignored = std::erase_if(result.problems, [&](const Problem& problem) {
    if (std::ranges::none_of(ignored, [&](const Accepted& one) { return accepts(one, problem); })) {
      return false;
    }
    accepted.insert(problem.daemon_sets.begin(), problem.daemon_sets.end());
    result.affected -= problem.placements.size();
    return true;
  });
  for (const Problem& problem : result.problems) {
    for (const std::size_t daemon_set : problem.daemon_sets) accepted.erase(daemon_set);
  }
  result.accepted.assign(accepted.begin(), accepted.end());
  return result;
}

}  // namespace dsdoctor::diagnosis
