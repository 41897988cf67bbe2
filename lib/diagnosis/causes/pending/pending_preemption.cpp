// SPDX-License-Identifier: Apache-2.0

// The effect of evicting pods of lower priority.

#include <algorithm>
#include <unordered_map>

#include "diagnosis/catalogue/role.h"
#include "diagnosis/causes/pending/pending_case.h"
#include "diagnosis/report/departure.h"
#include "diagnosis/report/ranking.h"
#include "diagnosis/taints/taint_knowledge.h"
#include "scheduling/fit.h"
#include "scheduling/host_ports.h"
#include "scheduling/inter_pod.h"
#include "scheduling/preemption.h"
#include "scheduling/topology_spread.h"
#include "scheduling/volumes.h"

namespace dsdoctor::diagnosis {
namespace {

using scheduling::Judgement;
using scheduling::Load;

/// Reruns the filters that look at pods: does the pod fit beside a subset of the current pods?
class Rerun {
 public:
  explicit Rerun(const PendingCase& c) : c_(c), fit_(c.fit().fit) {
    here_.reserve(c.here.size());
    for (const Load& load : c.fit().loads) here_.push_back({load.pod, load});
    std::ranges::sort(here_, {}, &Here::pod);
    for (std::size_t i = 0; i < here_.size(); ++i) places_.emplace(here_[i].pod, i);
    for (const auto& conflict : scheduling::port_conflicts(c.pod, c.here)) {
      here_[places_.at(conflict.holder)].in_the_way = true;
    }
    for (const model::Pod* pod : scheduling::kept_apart(c.pod, c.around)) {
      const auto at = places_.find(pod);
      kept_apart_elsewhere_ = at == places_.end();
      if (kept_apart_elsewhere_) break;
      here_[at->second].in_the_way = true;
    }
  }

  [[nodiscard]] bool fits(const Facts::Pods& left) const {
    if (kept_apart_elsewhere_) return false;
    std::vector<const Load*> loads;
    loads.reserve(left.size());
    std::vector<bool> stays(here_.size());
    for (const model::Pod* pod : left) {
      const std::size_t place = places_.at(pod);
      if (here_[place].in_the_way) return false;
      stays[place] = true;
      loads.push_back(&here_[place].load);
    }
    return fit_.fits_beside(loads) && others_agree(stays);
  }

 private:
  struct Here {
    const model::Pod* pod = nullptr;
    Load load;
    bool in_the_way = false;  // blocks while it exists: a port, anti-affinity
  };

  /// The filters that depend on other pods. Most pods use none of them.
  [[nodiscard]] bool others_agree(const std::vector<bool>& stays) const {
    const model::PodSpec& spec = *c_.pod.spec;
    if (spec.pod_affinity.empty() && spec.topology_spread.empty() && spec.volumes.empty()) {
      return true;
    }
    scheduling::Surroundings around = c_.around;
    for (std::size_t i = 0; i < here_.size(); ++i) {
      if (!stays[i]) around.without.push_back(here_[i].pod);  // by address
    }
    const auto spread = scheduling::topology_spread(c_.pod, around, c_.of.of.gates);
    return !scheduling::own_affinity(c_.pod, around).blocks() &&
           std::ranges::none_of(spread,
                                [](const auto& r) { return r.judgement == Judgement::Blocked; }) &&
           scheduling::volume_problems(c_.pod, around).empty();
  }

  const PendingCase& c_;
  const scheduling::Fit& fit_;
  std::vector<Here> here_;  // by address
  std::unordered_map<const model::Pod*, std::size_t> places_;
  bool kept_apart_elsewhere_ = false;
};

bool is_preempted(const model::Pod& pod) {
  const auto target = model::find_condition(pod.conditions, "DisruptionTarget");
  return pod.meta.deleted.has_value() || (target != nullptr && target->status == "True" &&
                                          target->reason == "PreemptionByScheduler");
}

/// Reports that the scheduler has already chosen its victims; absent if it has not.
std::optional<Finding> in_progress(const PendingCase& c) {
  if (c.pod.nominated_node.empty() || c.pod.nominated_node != c.node.meta.name) return {};
  Facts::Pods victims;
  std::ranges::copy_if(c.here, std::back_inserter(victims),
                       [](const auto* pod) { return is_preempted(*pod); });
  if (victims.empty()) return {};
  model::OptionalTime last;
  for (const model::Pod* pod : victims) {
    if (pod->meta.deleted && (!last || *pod->meta.deleted > *last)) last = pod->meta.deleted;
  }
  Finding finding = pending_finding(
      c,
      finding::PreemptInProgress{
          .last = last, .on_node = c.node.meta.name, .victims = ranked_pods(victims)},
      {{ref_of(c.pod), "status.nominatedNodeName", c.node.meta.name.str()}});
  finding.transient = std::ranges::all_of(victims, [&](const model::Pod* pod) {
    return !pod->meta.deleted || ends_by_itself(*pod, &c.node, c.facts);
  });
  if (finding.transient) return finding;
  finding.severity = Severity::Error;
  if (last && *last < c.facts.now()) finding.overdue_since = last;
  return finding;
}

/// Reports free space that is reserved for nominated pods of at least this priority; absent if
/// there is none.
std::optional<Finding> outranked(const PendingCase& c) {
  if (c.facts.nominated_to(c.node.meta.name).empty()) return {};
  const scheduling::Fit& fit = c.fit().fit;
  std::vector<Load> loads = c.fit().loads;
  if (!fit.beside(loads).fits()) return {};
  Facts::Pods before;
  for (const model::Pod* pod : c.facts.nominated_to(c.node.meta.name)) {
    if (pod == &c.pod || scheduling::priority_of(*pod) < scheduling::priority_of(c.pod)) continue;
    before.push_back(pod);
    loads.push_back(fit.load_of(*pod));
  }
  if (before.empty() || fit.beside(loads).fits()) return {};
  return pending_finding(
      c, finding::PreemptOutranked{.nominated = ranked_pods(before), .on_node = c.node.meta.name},
      {{ref_of(*before.front()), "status.nominatedNodeName", c.node.meta.name.str()}});
}

/// Whether the pod's priority is one of Kubernetes' own, so that no higher one can be recommended.
bool is_system_critical(const PendingCase& c) {
  return scheduling::priority_of(c.pod) > scheduling::highest_user_priority;
}

/// Preemption is a fix only for pods that can run on another node: neither DaemonSet pods nor
/// static pods.
bool can_go_elsewhere(const model::Pod& pod) {
  return !pod.mirror && !(pod.meta.controller && model::is_daemon_set(*pod.meta.controller));
}

/// The pods that a pod of that priority would preempt.
Facts::Pods victims_at(std::int64_t priority, const PendingCase& c, const Rerun& rerun) {
  return scheduling::estimate_preemption(priority, c.here,
                                         [&](const auto& left) { return rerun.fits(left); })
      .victims;
}

/// The effect of a higher priority. `is_answer`: it would make room.
Message outlook(const PendingCase& c, const std::optional<std::int64_t>& needed, bool is_answer) {
  if (!needed) return phrase::PriorityDoesNotHelp{};
  if (!is_answer) return phrase::PriorityHitsDaemonsOnly{};
  if (*needed > scheduling::highest_user_priority) {
    if (is_system_critical(c)) return phrase::PriorityIsCritical{};
    return phrase::PriorityMustBeCritical{};
  }
  return phrase::PriorityIsEnough{.enough = *needed, .has = scheduling::priority_of(c.pod)};
}

Evidence priority_evidence(const PendingCase& c) {
  const auto& priority = c.pod.spec->priority;
  return {ref_of(c.pod), "spec.priority", priority ? std::to_string(*priority) : std::string()};
}

Finding no_victims(const PendingCase& c, const scheduling::PreemptionEstimate& estimate,
                   const Rerun& rerun) {
  const bool is_answer =
      estimate.needed &&
      std::ranges::all_of(victims_at(*estimate.needed, c, rerun),
                          [](const model::Pod* pod) { return can_go_elsewhere(*pod); });
  std::optional<std::int64_t> candidates;
  if (estimate.candidates > 0) candidates = static_cast<std::int64_t>(estimate.candidates);
  Finding finding =
      pending_finding(c,
                      finding::PreemptNoVictims{.candidates = candidates,
                                                .on_node = c.node.meta.name,
                                                .outlook = outlook(c, estimate.needed, is_answer)},
                      {priority_evidence(c)});
  if (is_answer) finding.group = priority_helps;
  if (!is_answer || is_system_critical(c)) finding.fix.clear();
  return finding;
}

Finding never_preempts(const PendingCase& c, const Facts::Pods& victims) {
  Finding finding =
      pending_finding(c,
                      finding::PreemptNever{.priority_class = c.pod.spec->priority_class,
                                            .victims = ranked_pods(victims)},
                      {{ref_of(c.pod), "spec.preemptionPolicy", "Never"}});
  if (!std::ranges::all_of(victims, [](const auto* pod) { return can_go_elsewhere(*pod); })) {
    finding.fix.clear();
  }
  return finding;
}

/// Adds the ways to let the scheduler make room to the blocker's fix.
void add_fix(Finding& blocker, const Finding& preemption) {
  if (!is_about(blocker.id, About::Room)) return;
  blocker.fix.insert(blocker.fix.end(), preemption.fix.begin(), preemption.fix.end());
}

}  // namespace

std::vector<Finding> preemption_findings(const PendingCase& c, Blockers& blockers) {
  std::vector<Finding> result;
  if (!c.knows_here || c.predicted) return result;
  const auto expect_end = [&] {
    for (Blocker& blocker : blockers) blocker.ends_soon = true;
  };
  if (auto finding = in_progress(c)) {
    if (finding->transient) expect_end();
    return {*finding};
  }
  // Whether a blocker that cannot be recomputed depends on other pods is unknown.
  if (std::ranges::any_of(blockers, [](const Blocker& blocker) {
        return blocker.finding.basis == Basis::Reported;
      })) {
    return result;
  }
  if (blockers.empty()) {
    if (auto finding = outranked(c)) result.push_back(*finding);
    return result;
  }
  // Terminating pods free their resources without action.
  if (std::ranges::all_of(blockers, [](const Blocker& b) { return b.finding.transient; })) {
    return result;
  }
  if (std::ranges::any_of(blockers, &Blocker::unresolvable)) {
    result.push_back(pending_finding(c, finding::PreemptUnhelpful{.on_node = c.node.meta.name},
                                     {priority_evidence(c)}));
    return result;
  }
  const Rerun rerun(c);
  const auto estimate = scheduling::estimate_preemption(
      scheduling::priority_of(c.pod), c.here, [&](const auto& left) { return rerun.fits(left); });
  if (!estimate.helps) {
    result.push_back(no_victims(c, estimate, rerun));
    for (Blocker& blocker : blockers) add_fix(blocker.finding, result.back());
    return result;
  }
  if (c.pod.spec->preemption_policy == "Never") {
    result.push_back(never_preempts(c, estimate.victims));
    return result;
  }
  expect_end();
  blockers.front().finding.message.notes.push_back(
      phrase::CandidatesRemain{.victims = ranked_pods(estimate.victims)});
  return result;
}

}  // namespace dsdoctor::diagnosis
