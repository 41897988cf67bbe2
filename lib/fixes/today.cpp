// SPDX-License-Identifier: Apache-2.0
#include "fixes/today.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/node.h"
#include "diagnosis/catalogue/role.h"
#include "diagnosis/evidence/admission.h"
#include "diagnosis/evidence/daemon_pods.h"
#include "diagnosis/problems/placement_cause.h"
#include "fixes/effects/settled.h"

namespace dsdoctor::fixes {
namespace {

using diagnosis::InWhatIf;
using diagnosis::NodeReport;
using diagnosis::NodeVerdict;

InWhatIf way_of(const diagnosis::Finding& finding) {
  return diagnosis::role_of(finding.id).in_what_if;
}

std::string full_name(const model::Text& ns, const model::Text& name) {
  return fmt::format("{}/{}", ns.view(), name.view());
}

bool differ_in_tolerations_at_most(model::PodTemplate then, const model::PodTemplate& now) {
  then.tolerations = now.tolerations;
  return then == now;
}

bool has_same_counts(const diagnosis::DaemonSetReport& then,
                     const diagnosis::DaemonSetReport& now) {
  const auto counts = [](const diagnosis::DaemonSetReport& report) {
    const model::DaemonSetCounts& of = report.evaluated.counts;
    return std::tuple(report.all_nodes, of.desired_number_scheduled, of.current_number_scheduled,
                      of.number_misscheduled, of.number_ready);
  };
  return counts(then) == counts(now);
}

/// Whether a diagnosis of the changed cluster is right. It does not know the newest revision.
bool is_judged_anew(const diagnosis::Finding& finding) {
  const InWhatIf way = way_of(finding);
  return way == InWhatIf::JudgedAgain || (way != InWhatIf::Kept && !finding.nodes.empty());
}

/// A finding that needs no action.
diagnosis::Finding would_be_created() {
  diagnosis::Finding result =
      diagnosis::make_finding(diagnosis::finding::NodeNewlyEligible{.since = std::nullopt});
  result.standing = diagnosis::Standing::Primary;
  result.transient = true;
  return result;
}

bool is_of_scheduling(const diagnosis::Finding& finding) {
  return diagnosis::entry_of(finding.id).family == diagnosis::Family::Scheduling;
}

/// Keeps only the first finding about scheduling, as the problem of the node.
void become_a_problem(std::vector<diagnosis::Finding>& findings) {
  diagnosis::Finding refusal = std::move(*std::ranges::find_if(findings, is_of_scheduling));
  refusal.severity = diagnosis::Severity::Error;
  refusal.standing = diagnosis::Standing::Primary;
  refusal.transient = false;
  findings.clear();
  findings.push_back(std::move(refusal));
}

/// From the index of a state to the index of the same state with other findings.
using OtherStates = std::map<std::uint32_t, std::uint32_t>;

/// Replaces the findings of the node at `at`.
void say(diagnosis::NodeReports& nodes, std::size_t at, OtherStates& known,
         const std::vector<diagnosis::Finding>& findings) {
  const std::uint32_t before = nodes.state_of(at);
  const auto [entry, is_new] = known.try_emplace(before);
  if (is_new) {
    diagnosis::NodeState state = *nodes.states()[before].state;
    state.findings = findings;
    entry->second = nodes.add_state(std::move(state));
  }
  nodes.set(at, entry->second);
}

/// Compares without `outdated`: all pods are outdated if the template is of another revision.
bool are_same_pods(const std::vector<diagnosis::PodReport>& then,
                   const std::vector<diagnosis::PodReport>& now) {
  return std::ranges::equal(then, now, [](diagnosis::PodReport a, const auto& b) {
    a.outdated = b.outdated;
    return a == b;
  });
}

/// Whether the verdict of the node and everything it depends on is unchanged.
bool is_as_it_was(const NodeReport& then, const NodeReport& now) {
  return then.verdict() == now.verdict() && then.decision() == now.decision() &&
         then.reasons() == now.reasons() && are_same_pods(then.pods(), now.pods());
}

/// Whether the pods and the node explain the verdict, without history.
bool is_told_by_pods(NodeVerdict verdict) {
  return verdict == NodeVerdict::Misscheduled || verdict == NodeVerdict::Terminating;
}

/// Whether its findings also depend on other DaemonSets and on taints that are not in its reasons.
bool waits_for_agents(const NodeReport& node) {
  return std::ranges::any_of(node.findings(), [](const diagnosis::Finding& finding) {
    return way_of(finding) == InWhatIf::JudgedAgain;
  });
}

bool is_in_circle(const NodeReport& node) {
  return std::ranges::find(node.findings(), diagnosis::FindingId::NodeStartupTaintCircle,
                           &diagnosis::Finding::id) != node.findings().end();
}

/// Marks stuck startup taints of the node at `at` as transient, since its agents no longer wait for
/// each other.
void let_agents_start(diagnosis::NodeReports& nodes, std::size_t at) {
  nodes.change(at, [](diagnosis::NodeState& state) {
    for (diagnosis::Finding& finding : state.findings) {
      if (finding.id != diagnosis::FindingId::NodeStartupTaintStuck) continue;
      finding.severity = diagnosis::Severity::Info;
      finding.transient = true;
      finding.overdue_since.reset();
    }
  });
}

/// Removes the findings of the node that do not hold.
template <typename Holds>
void leave(diagnosis::NodeReports& nodes, std::size_t at, const Holds& holds) {
  if (std::ranges::all_of(nodes[at].findings(), holds)) return;
  nodes.change(at, [&](diagnosis::NodeState& state) {
    std::erase_if(state.findings, [&](const auto& finding) { return !holds(finding); });
  });
}

/// Selects the findings of a DaemonSet that hold after a change. The template may only differ in
/// its tolerations.
class Change {
 public:
  Change(const diagnosis::DaemonSetReport& then, const diagnosis::DaemonSetReport& now)
      : then_(then), has_same_counts_(has_same_counts(then, now)) {
    const auto missing = then.nodes.where(
        [](const diagnosis::NodeState& state) { return state.verdict == NodeVerdict::Missing; });
    for (const std::size_t i : missing) {
      const auto at = now.nodes.find(then.nodes[i].name);
      const bool still = at && at->verdict() == NodeVerdict::Missing;
      ++(still ? still_missing_ : no_longer_missing_);
    }
  }

  /// Whether a current finding is still true.
  [[nodiscard]] bool holds_on(const diagnosis::Finding& finding) const {
    const InWhatIf way = way_of(finding);
    if (way == InWhatIf::ByMissing) return no_longer_missing_ == 0;
    if (is_judged_anew(finding) || way == InWhatIf::Reworded) return false;
    return has_same_counts_ || way != InWhatIf::ByCounts;
  }

  /// Whether a finding of the changed cluster is true, and not a result of data that is missing
  /// there.
  [[nodiscard]] bool is_true_anew(const diagnosis::Finding& finding) const {
    const InWhatIf way = way_of(finding);
    const bool is_anew = is_judged_anew(finding);
    if (way == InWhatIf::ByMissing && (no_longer_missing_ == 0 || still_missing_ == 0))
      return false;
    const bool may_be_said_again = way == InWhatIf::ByMissing || way == InWhatIf::Reworded;
    return is_anew || (may_be_said_again && is_said_today(finding.id));
  }

 private:
  [[nodiscard]] bool is_said_today(diagnosis::FindingId id) const {
    return std::ranges::find(then_.findings, id, &diagnosis::Finding::id) != then_.findings.end();
  }

  const diagnosis::DaemonSetReport& then_;
  bool has_same_counts_ = false;
  std::size_t still_missing_ = 0;  // nodes without a pod, both now and after the change
  std::size_t no_longer_missing_ = 0;
};

}  // namespace

Today::Today(const model::Cluster& before, const model::Cluster& after,
             std::vector<diagnosis::DaemonSetReport> reports) {
  for (const model::Node& node : after.nodes) {
    const model::Node* then = model::find_node(before, node.meta.name);
    if (then == nullptr) new_nodes_.insert(node.meta.name.str());
    if (then == nullptr || *then != node) changed_nodes_.insert(node.meta.name.str());
    if (confirms_no_deletion(node)) silent_nodes_.insert(node.meta.name.str());
  }
  for (const model::DaemonSet& ds : after.daemon_sets) {
    if (model::find_daemon_set(before, ds.meta.ns, ds.meta.name) == nullptr) {
      new_daemon_sets_.insert(full_name(ds.meta.ns, ds.meta.name));
    }
    if (diagnosis::is_inactive(ds)) inactive_.insert(full_name(ds.meta.ns, ds.meta.name));
    preempts_below_[full_name(ds.meta.ns, ds.meta.name)] = diagnosis::preempts_below(after, ds);
  }
  for (const model::Pod& pod : after.pods) {
    if (pod.node_name.empty() || pod.phase == "Succeeded" || pod.phase == "Failed") continue;
    const std::int64_t priority = pod.spec->priority.value_or(0);
    const auto [at, is_new] = lowest_.try_emplace(pod.node_name.str(), priority);
    if (!is_new) at->second = std::min(at->second, priority);
  }
  for (diagnosis::DaemonSetReport& report : reports) {
    const model::DaemonSet* then = model::find_daemon_set(before, report.ns, report.name);
    const model::DaemonSet* now = model::find_daemon_set(after, report.ns, report.name);
    if (then == nullptr || now == nullptr) continue;
    if (!differ_in_tolerations_at_most(then->pod_template, now->pod_template)) {
      without_causes_.push_back(full_name(report.ns, report.name));
    }
    reports_.push_back(std::move(report));
  }
  std::ranges::sort(without_causes_);
}

void Today::complete(diagnosis::DaemonSetReport& report) const {
  const auto then = std::ranges::find_if(reports_, [&](const auto& other) {
    return other.ns == report.ns && other.name == report.name;
  });
  const diagnosis::DaemonSetReport* today = then == reports_.end() ? nullptr : &*then;
  const std::string name = full_name(report.ns, report.name);
  const bool holds_on = today != nullptr && !std::ranges::binary_search(without_causes_, name);
  const std::vector<diagnosis::Finding> anew = std::exchange(report.findings, {});
  const bool is_known = today != nullptr || new_daemon_sets_.contains(name);
  const bool creates = is_known && !inactive_.contains(name);
  const Refused refused = creates ? refused_in(report, today) : Refused(report.nodes.size());
  keep_causes(report, holds_on ? today : nullptr, refused);
  keep_findings(report, anew, holds_on ? today : nullptr);
  if (creates) add_created(report, today, refused);
}

bool Today::gains(const NodeReport& node, const diagnosis::DaemonSetReport* today) const {
  if (node.verdict() != NodeVerdict::Missing) return false;
  const auto at = today == nullptr ? std::nullopt : today->nodes.find(node.name);
  return at ? !placement::should_run(at->decision())
            : today == nullptr || new_nodes_.contains(node.name.view());
}

Today::Refused Today::refused_in(const diagnosis::DaemonSetReport& report,
                                 const diagnosis::DaemonSetReport* today) const {
  Refused result(report.nodes.size());
  const std::int64_t limit = preempts_below_.at(full_name(report.ns, report.name));
  for (std::size_t i = 0; i < report.nodes.size(); ++i) {
    const NodeReport node = report.nodes[i];
    if (!gains(node, today)) continue;
    const auto lowest = lowest_.find(node.name.view());
    if (lowest != lowest_.end() && lowest->second < limit) continue;  // may preempt it
    result[i] = std::ranges::any_of(node.findings(), is_of_scheduling);
  }
  return result;
}

void Today::add_created(diagnosis::DaemonSetReport& report, const diagnosis::DaemonSetReport* today,
                        const Refused& refused) const {
  OtherStates created;
  const std::vector<diagnosis::Finding> findings = {would_be_created()};
  for (std::size_t i = 0; i < report.nodes.size(); ++i) {
    if (refused[i]) {
      report.nodes.change(i, [](auto& state) { become_a_problem(state.findings); });
    } else if (gains(report.nodes[i], today)) {
      say(report.nodes, i, created, findings);
    }
  }
}

void Today::keep_causes(diagnosis::DaemonSetReport& report, const diagnosis::DaemonSetReport* today,
                        const Refused& refused) const {
  OtherStates silent;
  // The reason why an inactive DaemonSet gets no pods needs no history.
  const bool is_inactive = inactive_.contains(full_name(report.ns, report.name));
  for (std::size_t i = 0; i < report.nodes.size(); ++i) {
    if (refused[i]) continue;
    const NodeReport node = report.nodes[i];
    const auto at = today == nullptr ? std::nullopt : today->nodes.find(node.name);
    const bool same = at && is_as_it_was(*at, node);
    // The reasons explain why a node is not eligible; an obstacle for a pod may be gone with the
    // change.
    const bool is_judged_anew =
        (placement::should_run(node.decision()) && changed_nodes_.contains(node.name.view())) ||
        (same && waits_for_agents(*at));
    if (same && !is_judged_anew && at->pods() == node.pods()) {
      report.nodes.set(i, at->state);
    } else if (same && !is_judged_anew) {
      if (at->findings() == node.findings()) continue;
      report.nodes.change(i, [&](auto& state) { state.findings = at->findings(); });
    } else if (same && is_in_circle(*at) && !is_in_circle(node)) {
      let_agents_start(report.nodes, i);
    } else if (!same && at && node.verdict() == NodeVerdict::Removing) {
      keep_of_removed(report, i, *at);
    } else if (!same && !(at && is_told_by_pods(node.verdict())) &&
               !(is_inactive && node.verdict() == NodeVerdict::Missing)) {
      say(report.nodes, i, silent, {});
    }
  }
}

void Today::keep_of_removed(diagnosis::DaemonSetReport& report, std::size_t at,
                            const NodeReport& today) const {
  leave(report.nodes, at, [](const diagnosis::Finding& finding) {
    return way_of(finding) != InWhatIf::OfToday;  // only the change caused it
  });
  const bool is_explained = diagnosis::cause_of(report.nodes[at]) != nullptr;
  if (is_explained || !silent_nodes_.contains(today.name.view())) return;
  report.nodes.change(at, [&](auto& state) { state.findings = today.findings(); });
  leave(report.nodes, at, [](const diagnosis::Finding& finding) {
    return diagnosis::entry_of(finding.id).scope == diagnosis::Scope::Node;
  });
}

void Today::keep_findings(diagnosis::DaemonSetReport& report,
                          const std::vector<diagnosis::Finding>& anew,
                          const diagnosis::DaemonSetReport* today) {
  const auto add = [&](const std::vector<diagnosis::Finding>& from, const auto& is_true) {
    std::ranges::copy_if(from, std::back_inserter(report.findings),
                         [&](const diagnosis::Finding& finding) {
                           return finding.severity != diagnosis::Severity::Info && is_true(finding);
                         });
  };
  if (today == nullptr) {
    return add(anew, [](const diagnosis::Finding& finding) {
      return finding.id == diagnosis::FindingId::DaemonsetNoEligibleNode;
    });
  }
  const Change change(*today, report);
  add(today->findings, [&](const auto& finding) { return change.holds_on(finding); });
  add(anew, [&](const auto& finding) { return change.is_true_anew(finding); });
  std::ranges::stable_sort(report.findings, {}, &diagnosis::Finding::severity);
}

}  // namespace dsdoctor::fixes
