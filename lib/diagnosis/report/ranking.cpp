#include "diagnosis/report/ranking.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <tuple>

namespace dsdoctor::diagnosis {
namespace {

using Verdicts = std::initializer_list<NodeVerdict>;
using enum NodeVerdict;

/// Findings that may be the cause of some verdicts. `id` ending in a dash stands for a family.
struct Rank {
  std::string_view id;
  int stage;      // smaller explains more
  bool in_order;  // within the stage the rows' order decides, whatever the severity
};

// Source of truth for the order: the stages of a daemon pod's life. A pod cannot be stopped by a
// stage while an earlier one fails.
constexpr std::array ranks = {
    Rank{"daemonset-selects-all", 0, false},
    Rank{"daemonset-selector-mismatch", 0, false},
    Rank{"daemonset-being-deleted", 0, false},
    Rank{"controller-manager-down", 1, true},
    Rank{"controller-rbac-forbidden", 1, true},
    Rank{"controller-not-observing", 1, true},
    Rank{"daemonset-pinned-to-node", 2, true},
    Rank{"drift-openshift-node-selector", 2, true},
    Rank{"node-being-deleted", 2, true},
    Rank{"node-removed-by-cluster-autoscaler", 2, true},
    Rank{"node-karpenter-disrupted", 2, true},
    Rank{"node-karpenter-unregistered", 2, true},
    Rank{"node-interruption", 2, true},
    Rank{"node-cloud-shutdown", 2, true},
    Rank{"node-out-of-service", 2, true},
    Rank{"node-cni-deadlock", 2, true},
    Rank{"node-unreachable", 2, true},
    Rank{"node-not-ready", 2, true},
    Rank{"node-cloud-uninitialized", 2, true},
    Rank{"node-capi-uninitialized", 2, true},
    Rank{"node-startup-taint-stuck", 2, true},
    Rank{"node-network-unavailable", 2, true},
    Rank{"node-virtual", 2, true},
    Rank{"node-fargate", 2, true},
    Rank{"node-control-plane", 2, true},
    Rank{"node-label-changed", 2, true},
    Rank{"node-label-excluded", 2, true},
    Rank{"node-pool-taint", 2, true},
    Rank{"pod-misscheduled", 2, true},
    Rank{"pod-doomed-not-removed", 2, true},
    Rank{"pod-on-missing-node", 2, true},
    Rank{"create-silent", 5, false},
    Rank{"create-", 3, false},
    Rank{"pod-terminating-stuck", 4, false},
    Rank{"node-newly-eligible", 4, false},
    Rank{"scheduler-down", 6, true},
    Rank{"scheduler-unknown", 6, true},
    Rank{"sched-gated", 6, true},
    Rank{"sched-target-gone", 6, true},
    Rank{"node-os-mismatch", 7, true},
    Rank{"daemonset-shared-claim", 8, true},
    Rank{"rollout-surge-port", 8, true},
    Rank{"rollout-surge-room", 8, true},
    Rank{"sched-", 9, false},
    Rank{"scheduler-error", 10, true},
    Rank{"scheduler-disagrees", 10, true},
    Rank{"scheduler-waiting", 10, true},
    Rank{"pod-not-acknowledged", 11, true},
    Rank{"not-ready-node", 11, true},
    Rank{"toleration-seconds-loop", 12, true},
    Rank{"node-disk-pressure", 12, true},
    Rank{"node-pid-pressure", 12, true},
    Rank{"kubelet-reject-loop", 20, false},
    Rank{"kubelet-", 13, false},
    Rank{"init-blocked", 14, true},
    Rank{"volume-mount", 14, true},
    Rank{"dra-prepare", 14, true},
    Rank{"sandbox", 14, true},
    Rank{"network-not-ready", 14, true},
    Rank{"image-invalid", 14, true},
    Rank{"image-never", 14, true},
    Rank{"image-pull", 14, true},
    Rank{"container-config", 14, true},
    Rank{"container-create", 14, true},
    Rank{"node-arch-mismatch", 15, true},
    Rank{"container-oom", 15, true},
    Rank{"container-port-bind", 15, true},
    Rank{"container-crash", 15, true},
    Rank{"creating-slow", 15, true},
    Rank{"image-pulling", 15, true},
    Rank{"probe-failing", 16, true},
    Rank{"readiness-gate", 16, true},
    Rank{"restarts-high", 16, true},
    Rank{"pod-completed", 17, true},
    Rank{"pod-duplicate", 17, true},
    Rank{"pod-target-lost", 17, true},
    Rank{"pod-warming", 18, true},
    Rank{"rollout-", 19, false},
};

const Rank* rank_of(std::string_view id) {
  const auto at = std::ranges::find_if(ranks, [&](const Rank& rank) {
    return rank.id.ends_with('-') ? id.starts_with(rank.id) : id == rank.id;
  });
  return at == ranks.end() ? nullptr : &*at;
}

bool is_one_of(NodeVerdict verdict, Verdicts verdicts) {
  return std::ranges::find(verdicts, verdict) != verdicts.end();
}

/// Whether a finding of that stage can be the cause of the verdict at all.
bool covers(int stage, std::string_view id, NodeVerdict verdict) {
  switch (stage) {
    case 0:
    case 1: return is_one_of(verdict, {Missing, Removing, Failed});
    case 2:
      // A node in trouble also explains the pod on it.
      if (id == "node-unreachable" || id == "node-not-ready") {
        return !is_one_of(verdict, {Missing, Pending});
      }
      if (id == "node-virtual" || id == "node-fargate") return true;
      if (id == "node-being-deleted") return true;
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
      if (id == "toleration-seconds-loop" && is_one_of(verdict, {Running, NotReady})) return true;
      return is_one_of(verdict, {Failed, Missing, Terminating});
    case 13: return is_one_of(verdict, {Failed, Missing, Terminating});
    case 14:
    case 15:
    case 16: return is_one_of(verdict, {NotReady, Failed});
    case 17: return is_one_of(verdict, {Failed, Duplicate, Missing, NotReady});
    default: return true;
  }
}

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

/// What `primary` makes superfluous to say.
bool implies(std::string_view primary, std::string_view other) {
  const bool node_is_out = primary == "node-not-ready" || primary == "node-unreachable";
  if (node_is_out) {
    return other == "not-ready-node" || other == "probe-failing" || other == "pod-misscheduled";
  }
  if (primary == "scheduler-down") return other == "scheduler-waiting";
  if (primary == "sched-unschedulable") return other == "node-cordoned";
  if (primary == "daemonset-shared-claim") return other == "sched-volume-affinity";
  if (primary == "node-virtual" || primary == "node-fargate") {
    return other == "sched-too-many-pods" || other.starts_with("preempt-");
  }
  if (primary.starts_with("node-")) return other == "pod-misscheduled";
  return false;
}

}  // namespace

bool is_umbrella(const Finding& finding, NodeVerdict verdict) {
  const Rank* rank = rank_of(finding.id);
  return rank != nullptr && finding.severity != Severity::Info && rank->stage <= 1 &&
         covers(rank->stage, finding.id, verdict) && verdict != Excluded &&
         verdict != Misscheduled && verdict != Running;
}

void rank(std::vector<Finding>& findings, NodeVerdict verdict) {
  if (findings.empty()) return;
  std::ranges::stable_sort(findings, [&](const Finding& a, const Finding& b) {
    return order_of(a, verdict) < order_of(b, verdict);
  });
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
  const std::string primary = findings.front().id;
  std::erase_if(findings, [&](const Finding& finding) { return implies(primary, finding.id); });
}

}  // namespace dsdoctor::diagnosis
