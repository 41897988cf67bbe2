// What evicting pods of lower priority would do.

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "diagnosis/causes/pending/pending_case.h"
#include "diagnosis/evidence/wording.h"
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
  explicit Rerun(const PendingCase& c) : c_(c), fit_(c.pod, c.node) {
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
  const auto* target = model::find_condition(pod.conditions, "DisruptionTarget");
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
  std::optional<model::Time> last;
  for (const model::Pod* pod : victims) {
    if (pod->meta.deleted && (!last || *pod->meta.deleted > *last)) last = pod->meta.deleted;
  }
  std::string message = fmt::format("room is being made on {}: {} being evicted",
                                    c.node.meta.name.view(), names_of(victims));
  if (last) message += ", the last one's grace ends " + format_utc(*last);
  Finding finding = pending_finding(
      c, FindingId::PreemptInProgress, std::move(message),
      {fmt::format("{} status.nominatedNodeName: {}", pod_place(c.pod), c.node.meta.name.view())});
  finding.transient = !last || c.facts.now() <= *last + threshold::terminating;
  if (!finding.transient) finding.severity = Severity::Error;
  return finding;
}

/// Room that is kept for pods of at least this priority; absent where there is none.
std::optional<Finding> outranked(const PendingCase& c) {
  const scheduling::Fit fit(c.pod, c.node);
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
  return pending_finding(
      c, FindingId::PreemptOutranked,
      fmt::format("room on {} is kept for {}", c.node.meta.name.view(), names_of(before)),
      {fmt::format("{} status.nominatedNodeName: {}", pod_place(*before.front()),
                   c.node.meta.name.view())});
}

std::string needed_text(const PendingCase& c, const std::optional<std::int64_t>& needed) {
  if (!needed) return "; no priority would make room";
  if (*needed > scheduling::highest_user_priority) {
    return "; only system-cluster-critical or system-node-critical would make room";
  }
  return fmt::format("; priority {} would make room (this pod has {})", *needed,
                     scheduling::priority_of(c.pod));
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
  // Those that end make room in a moment.
  if (std::ranges::all_of(blockers, [](const Blocker& b) { return b.finding.transient; })) {
    return result;
  }
  const std::string priority =
      pod_place(c.pod) + " spec.priority: " + std::to_string(scheduling::priority_of(c.pod));
  if (std::ranges::any_of(blockers, &Blocker::unresolvable)) {
    result.push_back(pending_finding(
        c, FindingId::PreemptUnhelpful,
        fmt::format("evicting other pods of {} would not help", c.node.meta.name.view()),
        {priority}));
    return result;
  }
  const Rerun rerun(c);
  const auto estimate = scheduling::estimate_preemption(
      scheduling::priority_of(c.pod), c.here, [&](const auto& left) { return rerun.fits(left); });
  if (!estimate.helps) {
    std::string message = fmt::format(
        "nothing can be evicted for the pod on {}: {} of lower priority{}", c.node.meta.name.view(),
        estimate.candidates == 0
            ? "no pod is"
            : wording::counted(static_cast<std::int64_t>(estimate.candidates), "pod") +
                  ", even all of which would not do, are",
        needed_text(c, estimate.needed));
    Finding finding =
        pending_finding(c, FindingId::PreemptNoVictims, std::move(message), {priority});
    result.push_back(std::move(finding));
    return result;
  }
  const std::string victims = names_of(estimate.victims);
  if (c.pod.spec->preemption_policy == "Never") {
    result.push_back(pending_finding(
        c, FindingId::PreemptNever,
        fmt::format(
            "PriorityClass {} may not evict, though this would make room: {}",
            c.pod.spec->priority_class.empty() ? "of the pod" : c.pod.spec->priority_class.view(),
            victims),
        {pod_place(c.pod) + " spec.preemptionPolicy: Never"}));
    return result;
  }
  blockers.front().finding.message +=
      "; the scheduler may evict for it, and has not done so yet: " + victims;
  return result;
}

}  // namespace dsdoctor::diagnosis
