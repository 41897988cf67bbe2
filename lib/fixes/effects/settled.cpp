// SPDX-License-Identifier: Apache-2.0
#include "fixes/effects/settled.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "diagnosis/evidence/daemon_pods.h"
#include "diagnosis/evidence/node_state.h"
#include "diagnosis/rollout/rollout_replay.h"
#include "placement/tolerates.h"

namespace dsdoctor::fixes {
namespace {

using diagnosis::PodReport;

bool is_over(const PodReport& pod) { return pod.phase == "Failed" || pod.phase == "Succeeded"; }
bool is_live(const PodReport& pod) { return !pod.terminating && !is_over(pod); }

}  // namespace

Budget budget_of(const model::DaemonSet& ds, std::int64_t desired) {
  const std::int64_t surge = diagnosis::scaled_up(ds.max_surge, 0, desired);
  if (surge > 0) return {surge, true};
  const std::int64_t unavailable = diagnosis::scaled_up(ds.max_unavailable, 1, desired);
  return {unavailable == 0 && desired > 0 ? 1 : unavailable, false};
}

std::string text_of(const Budget& budget) {
  return fmt::format("{} {}", budget.surge ? "maxSurge" : "maxUnavailable", budget.amount);
}

Settling::Settling(const model::DaemonSet& ds, const model::Cluster& cluster,
                   placement::FeatureGates gates, bool new_template)
    : ds_(ds),
      cluster_(cluster),
      gates_(gates),
      rolls_(ds.update_strategy != "OnDelete" && !diagnosis::is_inactive(ds)),
      new_template_(new_template) {}

bool Settling::is_old(const PodReport& pod) const { return new_template_ || pod.outdated; }

bool Settling::waits_its_turn(const Place& place) const {
  return std::ranges::any_of(place.today.pods(), [&](const PodReport& pod) {
    return is_live(pod) && is_old(pod) && pod.available;
  });
}

bool Settling::uses_budget(const Place& place, const Budget& budget) const {
  const auto& pods = place.today.pods();
  const bool eligible = placement::should_run(place.decision);
  if (!eligible && (budget.surge || pods.empty() || !confirms_no_deletion(*place.node))) {
    return false;
  }
  if (pods.empty()) return !budget.surge && !place.gained;
  return std::ranges::none_of(pods,
                              [](const PodReport& pod) { return is_live(pod) && pod.available; });
}

Share Settling::share_of(const Place& place, const Whole& whole) const {
  const auto& pods = place.today.pods();
  if (!placement::should_run(place.decision)) {
    return pods.empty() ? Share() : share_of_other(place, whole);
  }
  Share share;
  // A pod that could not be created until now may be rejected on other nodes, too.
  share.current = !pods.empty() || (place.gained && !whole.lacks_pods);
  share.replaced = rolls_ && new_template_ && !pods.empty() && !confirms_no_deletion(*place.node);
  return share;
}

Share Settling::share_of_other(const Place& place, const Whole& whole) const {
  const auto& pods = place.today.pods();
  bool stays = false;
  bool unconfirmed = false;
  for (const PodReport& pod : pods) {
    if (!is_deleted(pod, place, whole)) {
      stays = true;
    } else if (pod.bound && !is_over(pod) && confirms_no_deletion(*place.node)) {
      unconfirmed = true;
    }
  }
  Share share;
  share.misscheduled = stays || unconfirmed;
  if (stays) return share;
  const bool is_ending = std::ranges::none_of(pods, is_live);
  share.outcome = unconfirmed ? Outcome::Unconfirmed
                  : is_ending ? Outcome::Ending
                              : Outcome::Deleted;
  return share;
}

bool Settling::is_deleted(const PodReport& pod, const Place& place, const Whole& whole) const {
  if (!is_live(pod)) return true;
  if (!placement::should_continue(place.decision) && !diagnosis::is_inactive(ds_)) return true;
  return is_replaced_for_good(pod, whole) || (pod.bound && is_evicted(pod, *place.node));
}

bool Settling::is_evicted(const PodReport& pod, const model::Node& node) const {
  const model::Pod* object = model::find_pod(cluster_, ds_.meta.ns, pod.name);
  return object != nullptr && fixes::is_evicted(*object->tolerations, node, gates_);
}

/// A current rollout that is paused stays so; a new rollout is assumed to finish, and its pause
/// is reported separately. Without an eligible node a percentage does not allow deletions of
/// available pods.
bool Settling::is_replaced_for_good(const PodReport& pod, const Whole& whole) const {
  if (!rolls_ || !is_old(pod)) return false;
  if (!pod.available) return true;
  return whole.budget.amount > 0 && (new_template_ || !whole.pauses);
}

bool confirms_no_deletion(const model::Node& node) {
  return diagnosis::condition_is(node, "Ready", "Unknown") != nullptr &&
         diagnosis::find_taint(node, "node.kubernetes.io/out-of-service") == nullptr;
}

bool is_evicted(const std::vector<model::Toleration>& tolerations, const model::Node& node,
                placement::FeatureGates gates) {
  return std::ranges::any_of(node.taints, [&](const model::Taint& taint) {
    if (taint.effect != model::effect::no_execute) return false;
    const auto* first = placement::first_tolerating(tolerations, taint, gates);
    return first == nullptr || first->toleration_seconds.has_value();
  });
}

namespace {

/// The nodes that use up the budget of the rolling update; empty if it continues.
std::vector<model::Text> pausing(const Settling& rules, const std::vector<Place>& places,
                                 const Budget& budget) {
  std::vector<model::Text> result;
  const bool has_more = rules.rolls() && std::ranges::any_of(places, [&](const Place& place) {
                          return rules.waits_its_turn(place);
                        });
  if (!has_more) return result;
  for (const Place& place : places) {
    if (rules.uses_budget(place, budget)) result.push_back(place.today.name);
  }
  if (std::ssize(result) < budget.amount) result.clear();
  return result;
}

}  // namespace

Settled settle(const model::DaemonSet& ds, const std::vector<Place>& places,
               const model::Cluster& cluster, placement::FeatureGates gates, bool new_template) {
  const Settling rules(ds, cluster, gates, new_template);
  Settled result;
  Settling::Whole whole;
  for (const Place& place : places) {
    if (!placement::should_run(place.decision)) continue;
    ++result.desired;
    whole.lacks_pods = whole.lacks_pods || (!place.gained && place.today.pods().empty());
  }
  whole.budget = budget_of(ds, result.desired);
  result.waits_for = pausing(rules, places, whole.budget);
  whole.pauses = !result.waits_for.empty();
  if (whole.pauses) result.budget = text_of(whole.budget);
  for (const Place& place : places) {
    const Share share = rules.share_of(place, whole);
    result.current += share.current ? 1 : 0;
    result.misscheduled += share.misscheduled ? 1 : 0;
    result.replaced += share.replaced ? 1U : 0U;
    if (share.outcome == Outcome::Deleted) result.deletes.push_back(place.today.name);
    if (share.outcome == Outcome::Ending) result.ending.push_back(place.today.name);
    if (share.outcome == Outcome::Unconfirmed) result.unconfirmed.push_back(place.today.name);
  }
  return result;
}

}  // namespace dsdoctor::fixes
