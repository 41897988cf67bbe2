#include "diagnosis/report/ranking.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <tuple>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/evidence/attribution.h"

namespace dsdoctor::diagnosis {
namespace {

using Verdicts = std::initializer_list<NodeVerdict>;
using enum NodeVerdict;

/// Findings that may be the cause of some verdicts.
struct Rank {
  FindingId id;
  int stage;      // smaller explains more
  bool in_order;  // within the stage the rows' order decides, whatever the severity
};

// Source of truth for the order: the stages of a daemon pod's life. A pod cannot be stopped by a
// stage while an earlier one fails.
constexpr std::array ranks = {
    Rank{FindingId::DaemonsetSelectsAll, 0, false},
    Rank{FindingId::DaemonsetSelectorMismatch, 0, false},
    Rank{FindingId::DaemonsetBeingDeleted, 0, false},
    Rank{FindingId::ControllerManagerDown, 1, true},
    Rank{FindingId::ControllerRbacForbidden, 1, true},
    Rank{FindingId::ControllerNotObserving, 1, true},
    Rank{FindingId::DaemonsetPinnedToNode, 2, true},
    Rank{FindingId::DriftOpenshiftNodeSelector, 2, true},
    Rank{FindingId::NodeBeingDeleted, 2, true},
    Rank{FindingId::NodeRemovedByClusterAutoscaler, 2, true},
    Rank{FindingId::NodeKarpenterDisrupted, 2, true},
    Rank{FindingId::NodeKarpenterUnregistered, 2, true},
    Rank{FindingId::NodeInterruption, 2, true},
    Rank{FindingId::NodeCloudShutdown, 2, true},
    Rank{FindingId::NodeOutOfService, 2, true},
    Rank{FindingId::NodeCniDeadlock, 2, true},
    Rank{FindingId::NodeUnreachable, 2, true},
    Rank{FindingId::NodeNotReady, 2, true},
    Rank{FindingId::NodeCloudUninitialized, 2, true},
    Rank{FindingId::NodeCapiUninitialized, 2, true},
    Rank{FindingId::NodeStartupTaintCircle, 2, true},
    Rank{FindingId::NodeStartupTaintStuck, 2, true},
    Rank{FindingId::NodeNetworkUnavailable, 2, true},
    Rank{FindingId::NodeVirtual, 2, true},
    Rank{FindingId::NodeFargate, 2, true},
    Rank{FindingId::NodeControlPlane, 2, true},
    Rank{FindingId::NodeLabelChanged, 2, true},
    Rank{FindingId::NodeLabelExcluded, 2, true},
    Rank{FindingId::NodePoolTaint, 2, true},
    Rank{FindingId::PodMisscheduled, 2, true},
    Rank{FindingId::PodDoomedNotRemoved, 2, true},
    Rank{FindingId::PodOnMissingNode, 2, true},
    Rank{FindingId::CreateSilent, 5, false},
    Rank{FindingId::PodTerminatingStuck, 4, false},
    Rank{FindingId::NodeNewlyEligible, 4, false},
    Rank{FindingId::SchedulerDown, 6, true},
    Rank{FindingId::SchedulerUnknown, 6, true},
    Rank{FindingId::SchedGated, 6, true},
    Rank{FindingId::SchedTargetGone, 6, true},
    Rank{FindingId::NodeOsMismatch, 7, true},
    Rank{FindingId::DaemonsetSharedClaim, 8, true},
    Rank{FindingId::RolloutSurgePort, 8, true},
    Rank{FindingId::RolloutSurgeRoom, 8, true},
    Rank{FindingId::SchedulerError, 10, true},
    Rank{FindingId::SchedulerDisagrees, 10, true},
    Rank{FindingId::SchedulerWaiting, 10, true},
    Rank{FindingId::PodNotAcknowledged, 11, true},
    Rank{FindingId::NotReadyNode, 11, true},
    Rank{FindingId::TolerationSecondsLoop, 12, true},
    Rank{FindingId::NodeDiskPressure, 12, true},
    Rank{FindingId::NodePidPressure, 12, true},
    Rank{FindingId::KubeletRejectLoop, 20, false},
    Rank{FindingId::InitBlocked, 14, true},
    Rank{FindingId::VolumeMount, 14, true},
    Rank{FindingId::DraPrepare, 14, true},
    Rank{FindingId::Sandbox, 14, true},
    Rank{FindingId::NetworkNotReady, 14, true},
    Rank{FindingId::ImageInvalid, 14, true},
    Rank{FindingId::ImageNever, 14, true},
    Rank{FindingId::ImagePull, 14, true},
    Rank{FindingId::ContainerConfig, 14, true},
    Rank{FindingId::ContainerCreate, 14, true},
    Rank{FindingId::NodeArchMismatch, 15, true},
    Rank{FindingId::ContainerOom, 15, true},
    Rank{FindingId::ContainerPortBind, 15, true},
    Rank{FindingId::ContainerCrash, 15, true},
    Rank{FindingId::CreatingSlow, 15, true},
    Rank{FindingId::ImagePulling, 15, true},
    Rank{FindingId::ProbeFailing, 16, true},
    Rank{FindingId::ReadinessGate, 16, true},
    Rank{FindingId::RestartsHigh, 16, true},
    Rank{FindingId::PodCompleted, 17, true},
    Rank{FindingId::PodDuplicate, 17, true},
    Rank{FindingId::PodTargetLost, 17, true},
    Rank{FindingId::PodWarming, 18, true},
};

/// The others of a family, which the finding's gravity alone puts in order.
struct FamilyRank {
  Family family;
  Rank rank;
};

constexpr std::array family_ranks = {
    FamilyRank{Family::Creation, {FindingId::CreateRefused, 3, false}},
    FamilyRank{Family::Scheduling, {FindingId::SchedNeverFits, 9, false}},
    FamilyRank{Family::Kubelet, {FindingId::KubeletFailedOther, 13, false}},
};

const Rank* rank_of(FindingId id) {
  const auto at = std::ranges::find(ranks, id, &Rank::id);
  if (at != ranks.end()) return &*at;
  const auto family = std::ranges::find(family_ranks, entry_of(id).family, &FamilyRank::family);
  return family == family_ranks.end() ? nullptr : &family->rank;
}

bool is_one_of(NodeVerdict verdict, Verdicts verdicts) {
  return std::ranges::find(verdicts, verdict) != verdicts.end();
}

/// No pod works on the node, whatever is the matter with the pod.
bool is_out_of_work(FindingId id) {
  using enum FindingId;
  return is_any_of(id, {NodeCloudShutdown, NodeNotReady, NodeUnreachable});
}

/// What the node is for, told to those who ask for it. Of a pod that is there it is no cause.
bool is_purpose(FindingId id) {
  using enum FindingId;
  return is_any_of(id, {NodeControlPlane, NodePoolTaint, NodeLabelExcluded});
}

/// Whether a finding of that stage can be the cause of the verdict at all.
bool covers(int stage, FindingId id, NodeVerdict verdict) {
  switch (stage) {
    case 0:
    case 1: return is_one_of(verdict, {Missing, Removing, Failed});
    case 2:
      // A node in trouble also explains the pod on it.
      if (is_out_of_work(id)) {
        return !is_one_of(verdict, {Missing, Pending});
      }
      if (id == FindingId::NodeVirtual || id == FindingId::NodeFargate) return true;
      if (id == FindingId::NodeBeingDeleted) return true;
      if (is_purpose(id)) return verdict == Excluded;
      return is_one_of(verdict, {Excluded, Misscheduled, Removing});
    case 3:
    case 5: return verdict == Missing;
    case 4: return is_one_of(verdict, {Terminating, Missing, Removing});
    case 6:
    case 8:
    case 9:
    case 10: return verdict == Pending;
    case 7: return is_one_of(verdict, {Pending, NotReady, Failed});
    case 11: return is_one_of(verdict, {NotReady, Failed});
    case 12:
      // It ends pods that are well just now.
      if (id == FindingId::TolerationSecondsLoop && is_one_of(verdict, {Running, NotReady}))
        return true;
      return is_one_of(verdict, {Failed, Missing, Terminating});
    case 13: return is_one_of(verdict, {Failed, Missing, Terminating});
    case 14:
    case 15:
    case 16: return is_one_of(verdict, {NotReady, Failed});
    case 17: return is_one_of(verdict, {Failed, Duplicate, Missing, NotReady});
    default: return true;
  }
}

constexpr int stage_of_others = 19;  // behind all stages of a pod's life

struct Order {
  int standing = 0;  // candidates for primary first, context last
  int stage = 0;
  Basis basis = Basis::Confirmed;
  Severity severity = Severity::Info;
  std::ptrdiff_t row = 0;

  friend bool operator<(const Order& a, const Order& b) {
    return std::tie(a.standing, a.stage, a.basis, a.severity, a.row) <
           std::tie(b.standing, b.stage, b.basis, b.severity, b.row);
  }
};

/// Source of truth for who comes first among several filters: the order of the scheduler's plugins,
/// in which their maker has them already; the sort is stable.
Order order_of(const Finding& finding, NodeVerdict verdict) {
  const Rank* rank = rank_of(finding.id);
  Order order;
  order.severity = finding.severity;
  order.basis = finding.basis;
  if (rank == nullptr || finding.standing == Standing::Context ||
      !covers(rank->stage, finding.id, verdict)) {
    order.standing = 2;
    return order;
  }
  order.stage = rank->stage;
  if (rank->in_order) {
    order.basis = Basis::Confirmed;
    order.severity = Severity::Error;
    order.row = rank - ranks.data();
  }
  // What only informs is a cause where there is no other; on a node that is kept out the order of
  // its states decides alone.
  order.standing = finding.severity == Severity::Info && rank->stage != 2 ? 1 : 0;
  return order;
}

bool is_pressure(FindingId id) {
  return id == FindingId::NodeDiskPressure || id == FindingId::NodePidPressure;
}

/// The pod should be gone by now: whatever brought its removal about does not hold it.
bool is_overdue_removal(const Finding& finding) {
  using enum FindingId;
  return is_any_of(finding.id, {PodDoomedNotRemoved, PodTerminatingStuck}) &&
         finding.severity <= Severity::Error;
}

/// The kubelet says of its pod why it does not run there, and it is no pressure of the node.
bool is_refused_without_pressure(const Finding& finding) {
  return entry_of(finding.id).family == Family::Kubelet && finding.severity != Severity::Info &&
         finding.id != FindingId::KubeletPressureRefused &&
         finding.id != FindingId::KubeletRejectLoop &&
         (finding.id != FindingId::KubeletEvicted || finding.group == evicted_by_own_limit);
}

/// What `primary` makes superfluous to say.
bool implies(FindingId primary, FindingId other) {
  if (is_out_of_work(primary)) {
    return (is_out_of_work(other) && other != primary) || other == FindingId::NotReadyNode ||
           other == FindingId::ProbeFailing || other == FindingId::PodMisscheduled;
  }
  if (primary == FindingId::SchedulerDown) return other == FindingId::SchedulerWaiting;
  if (primary == FindingId::SchedUnschedulable) return other == FindingId::NodeCordoned;
  if (primary == FindingId::DaemonsetSharedClaim) return other == FindingId::SchedVolumeAffinity;
  if (primary == FindingId::NodeVirtual || primary == FindingId::NodeFargate) {
    return other == FindingId::SchedTooManyPods || is_about_preemption(other);
  }
  if (entry_of(primary).family == Family::Node) return other == FindingId::PodMisscheduled;
  return false;
}

}  // namespace

bool is_about_preemption(FindingId id) {
  using enum FindingId;
  return is_any_of(
      id, {PreemptInProgress, PreemptNever, PreemptNoVictims, PreemptOutranked, PreemptUnhelpful});
}

bool stops_creation(const Finding& finding) {
  using enum FindingId;
  const bool is_known = entry_of(finding.id).family == Family::Creation ||
                        is_any_of(finding.id, {ControllerManagerDown, ControllerRbacForbidden});
  return is_known && finding.severity != Severity::Info && !finding.transient;
}

bool is_umbrella(const Finding& finding, NodeVerdict verdict) {
  const Rank* rank = rank_of(finding.id);
  return rank != nullptr && finding.severity != Severity::Info && rank->stage <= 1 &&
         covers(rank->stage, finding.id, verdict) && verdict != Excluded &&
         verdict != Misscheduled && verdict != Running;
}

void rank(std::vector<Finding>& findings, NodeVerdict verdict) {
  if (findings.empty()) return;
  const bool refused_otherwise = std::ranges::any_of(findings, is_refused_without_pressure);
  const bool stays = std::ranges::any_of(findings, is_overdue_removal);
  const auto order = [&](const Finding& finding) {
    Order result = order_of(finding, verdict);
    // Pressure is the cause of what the kubelet refused or evicted because of it.
    if (refused_otherwise && is_pressure(finding.id)) result.stage = stage_of_others;
    if (stays && finding.id == FindingId::NodeLabelChanged && !is_computed_label(finding.group)) {
      result.stage = stage_of_others;
    }
    return result;
  };
  std::ranges::stable_sort(findings,
                           [&](const Finding& a, const Finding& b) { return order(a) < order(b); });
  for (std::size_t i = 0; i < findings.size(); ++i) {
    Finding& finding = findings[i];
    const bool may_lead = order_of(finding, verdict).standing < 2;
    if (i == 0 && may_lead) {
      finding.standing = Standing::Primary;
    } else {
      finding.standing =
          may_lead && finding.severity != Severity::Info ? Standing::Also : Standing::Context;
    }
  }
  if (findings.front().standing != Standing::Primary) return;
  const FindingId primary = findings.front().id;
  // A pod that something keeps from being created does not come by waiting.
  for (Finding& finding : findings) {
    if (finding.id == FindingId::NodeNewlyEligible && !findings.front().transient)
      finding.transient = false;
  }
  std::erase_if(findings, [&](const Finding& finding) { return implies(primary, finding.id); });
}

}  // namespace dsdoctor::diagnosis
