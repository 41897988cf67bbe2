// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/pending/movable_pod.h"

#include <optional>
#include <tuple>

#include "diagnosis/catalogue/findings/scheduling.h"
#include "diagnosis/evidence/daemon_pods.h"
#include "diagnosis/report/departure.h"
#include "scheduling/preemption.h"

namespace dsdoctor::diagnosis {
namespace {

bool moves(const PendingCase& c, const model::Pod& pod) {
  const auto& owner = pod.meta.controller;
  const bool moves = owner && (owner->kind == "ReplicaSet" || owner->kind == "StatefulSet");
  return moves && !pod.mirror && !pod.meta.deleted &&
         scheduling::priority_of(pod) <= scheduling::priority_of(c.pod);
}

/// A sort key: the pod with the smallest key is the best one to move.
auto rank_of(const PendingCase& c, const MovablePod& movable) {
  const model::Pod& pod = *movable.pod;
  const std::size_t itself = is_ready(pod) ? 1 : 0;
  const bool is_the_last = c.facts.ready_replicas(pod) <= itself;
  const bool has_identity = pod.meta.controller->kind != "ReplicaSet";
  return std::tuple(movable.forbidden != nullptr, is_the_last, scheduling::priority_of(pod),
                    has_identity, pod.meta.ns.view(), pod.meta.name.view());
}

}  // namespace

MovablePod movable_pod(const PendingCase& c) {
  const model::Cluster& cluster = c.facts.cluster();
  MovablePod best;
  for (const model::Pod* pod : c.here) {
    if (!moves(c, *pod)) continue;
    const MovablePod each{pod, budget_against_eviction(cluster, *pod),
                          cluster.known.disruption_budgets};
    if (best.pod == nullptr || rank_of(c, each) < rank_of(c, best)) best = each;
  }
  return best;
}

FindingKind too_many_pods_with(const MovablePod& movable, parameter::Phrases what) {
  const auto& [pod, forbidden, budgets_known] = movable;
  return finding::SchedTooManyPods{
      .a_budget_forbids_it = forbidden != nullptr,
      .budget = forbidden != nullptr ? forbidden->meta.name.str() : std::string(),
      .budgets_are_unknown = pod != nullptr && forbidden == nullptr && !budgets_known,
      .one_makes_room = pod != nullptr && forbidden == nullptr,
      .other = pod != nullptr ? pod->meta.name.str() : std::string(),
      .other_ns = pod != nullptr ? pod->meta.ns.str() : std::string(),
      .what = std::move(what)};
}

}  // namespace dsdoctor::diagnosis
