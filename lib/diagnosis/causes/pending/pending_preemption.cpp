// What evicting pods of lower priority would do.

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "diagnosis/causes/pending/pending_case.h"
#include "diagnosis/evidence/wording.h"
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

/// Whether the pod fits beside fewer pods than there are: the filters that look at pods again.
class Rerun {
 public:
  explicit Rerun(const PendingCase& c) : c_(c), fit_(fit_of(c)) {
    here_.reserve(c.here.size());
    for (const model::Pod* pod : c.here) here_.push_back({pod, fit_.load_of(*pod)});
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
    bool in_the_way = false;  // as long as it is there: a port, anti-affinity
  };

  /// The filters for which more than the pod itself counts. Most pods have nothing that they ask.
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
  scheduling::Fit fit_;
  std::vector<Here> here_;  // by address
  std::unordered_map<const model::Pod*, std::size_t> places_;
  bool kept_apart_elsewhere_ = false;
};

std::string names_of(const Facts::Pods& pods) {
  return wording::listed(pods.size(), [&](std::size_t i) { return pod_text(*pods[i]); });
}

bool is_preempted(const model::Pod& pod) {
  const auto target = model::find_condition(pod.conditions, "DisruptionTarget");
  return pod.meta.deleted.has_value() || (target != nullptr && target->status == "True" &&
                                          target->reason == "PreemptionByScheduler");
}

/// The scheduler has chosen its victims already; absent where it has not.
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
  std::string message = fmt::format("preemption in progress on {}: {} terminating",
                                    c.node.meta.name.view(), names_of(victims));
  if (last) message += ", last grace period ends " + format_utc(*last);
  Finding finding = pending_finding(
      c, FindingId::PreemptInProgress, std::move(message),
      {fmt::format("{} status.nominatedNodeName: {}", pod_place(c.pod), c.node.meta.name.view())});
  finding.transient = std::ranges::all_of(victims, [&](const model::Pod* pod) {
    return !pod->meta.deleted || ends_by_itself(*pod, &c.node, c.facts);
  });
  if (finding.transient) return finding;
  finding.severity = Severity::Error;
  if (last && *last < c.facts.now()) finding.overdue_since = last;
  return finding;
}

/// Free space reserved for nominated pods of at least this priority; absent where there is none.
std::optional<Finding> outranked(const PendingCase& c) {
  const scheduling::Fit fit = fit_of(c);
  std::vector<Load> loads;
  for (const model::Pod* pod : c.here) loads.push_back(fit.load_of(*pod));
  if (!fit.beside(loads).fits()) return {};
  Facts::Pods before;
  for (const model::Pod* pod : c.facts.nominated_to(c.node.meta.name)) {
    if (pod == &c.pod || scheduling::priority_of(*pod) < scheduling::priority_of(c.pod)) continue;
    before.push_back(pod);
    loads.push_back(fit.load_of(*pod));
  }
  if (before.empty() || fit.beside(loads).fits()) return {};
  return pending_finding(c, FindingId::PreemptOutranked,
                         fmt::format("the free space on {} is reserved for nominated pods: {}",
                                     c.node.meta.name.view(), names_of(before)),
                         {fmt::format("{} status.nominatedNodeName: {}", pod_place(*before.front()),
                                      c.node.meta.name.view())});
}

/// Its priority is one of Kubernetes' own: there is none to advise above it.
bool is_system_critical(const PendingCase& c) {
  return scheduling::priority_of(c.pod) > scheduling::highest_user_priority;
}

/// Preemption is a fix only for pods that can run on another node: neither DaemonSet pods nor
/// static pods.
bool can_go_elsewhere(const model::Pod& pod) {
  return !pod.mirror && !(pod.meta.controller && pod.meta.controller->kind == "DaemonSet");
}

/// Whom a pod of that priority would have evicted.
Facts::Pods victims_at(std::int64_t priority, const PendingCase& c, const Rerun& rerun) {
  return scheduling::estimate_preemption(priority, c.here,
                                         [&](const auto& left) { return rerun.fits(left); })
      .victims;
}

std::string needed_text(const PendingCase& c, const std::optional<std::int64_t>& needed,
                        bool is_answer) {
  if (!needed) return "; a higher priority does not help";
  if (!is_answer) {
    return "; a higher priority would preempt only DaemonSet or static pods";
  }
  if (*needed > scheduling::highest_user_priority) {
    if (is_system_critical(c)) return "; its PriorityClass is already a critical one";
    return "; only system-cluster-critical or system-node-critical is high enough";
  }
  return fmt::format("; priority {} is high enough (this pod has {})", *needed,
                     scheduling::priority_of(c.pod));
}

Finding no_victims(const PendingCase& c, const scheduling::PreemptionEstimate& estimate,
                   const Rerun& rerun, const std::string& priority) {
  const bool is_answer =
      estimate.needed &&
      std::ranges::all_of(victims_at(*estimate.needed, c, rerun),
                          [](const model::Pod* pod) { return can_go_elsewhere(*pod); });
  const std::string why =
      estimate.candidates == 0
          ? "no pod has lower priority"
          : wording::counted(static_cast<std::int64_t>(estimate.candidates), "pod") +
                " of lower priority, not enough together";
  std::string message = fmt::format("no preemption candidates on {}: {}{}", c.node.meta.name.view(),
                                    why, needed_text(c, estimate.needed, is_answer));
  Finding finding = pending_finding(c, FindingId::PreemptNoVictims, std::move(message), {priority});
  if (is_answer) finding.group = priority_helps;
  if (!is_answer || is_system_critical(c)) finding.fix.clear();
  return finding;
}

/// What would let the scheduler make room is a fix of the lack of it.
void add_fix(Finding& blocker, const Finding& preemption) {
  using enum FindingId;
  const bool is_lack_of_room =
      is_any_of(blocker.id, {SchedTooManyPods, SchedHostPort, SchedInsufficientCpu,
                             SchedInsufficientMemory, SchedInsufficientEphemeralStorage,
                             SchedInsufficientHugepages, SchedInsufficientExtended});
  if (!is_lack_of_room) return;
  blocker.fix.insert(blocker.fix.end(), preemption.fix.begin(), preemption.fix.end());
}

}  // namespace

std::vector<Finding> preemption_findings(const PendingCase& c, Blockers& blockers) {
  std::vector<Finding> result;
  if (!c.knows_here || c.predicted) return result;
  if (auto finding = in_progress(c)) return {*finding};
  // Of what cannot be recomputed nobody knows whether it depends on other pods.
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
  const std::string priority =
      pod_place(c.pod) + " spec.priority: " + std::to_string(scheduling::priority_of(c.pod));
  if (std::ranges::any_of(blockers, &Blocker::unresolvable)) {
    result.push_back(pending_finding(
        c, FindingId::PreemptUnhelpful,
        fmt::format("preemption is not helpful on {}", c.node.meta.name.view()), {priority}));
    return result;
  }
  const Rerun rerun(c);
  const auto estimate = scheduling::estimate_preemption(
      scheduling::priority_of(c.pod), c.here, [&](const auto& left) { return rerun.fits(left); });
  if (!estimate.helps) {
    result.push_back(no_victims(c, estimate, rerun, priority));
    for (Blocker& blocker : blockers) add_fix(blocker.finding, result.back());
    return result;
  }
  const std::string victims = names_of(estimate.victims);
  if (c.pod.spec->preemption_policy == "Never") {
    result.push_back(pending_finding(
        c, FindingId::PreemptNever,
        fmt::format(
            "preemptionPolicy Never: PriorityClass {} does not preempt; candidates: {}",
            c.pod.spec->priority_class.empty() ? "of the pod" : c.pod.spec->priority_class.view(),
            victims),
        {pod_place(c.pod) + " spec.preemptionPolicy: Never"}));
    if (!std::ranges::all_of(estimate.victims,
                             [](const auto* pod) { return can_go_elsewhere(*pod); }))
      result.back().fix.clear();
    return result;
  }
  blockers.front().finding.message += "; preemption candidates, not preempted yet: " + victims;
  return result;
}

}  // namespace dsdoctor::diagnosis
