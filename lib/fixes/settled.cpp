// SPDX-License-Identifier: Apache-2.0
#include "fixes/settled.h"

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

/// The budget of a rolling update, as the controller computes it.
struct Budget {
  std::int64_t amount = 0;
  bool surge = false;
};

Budget budget_of(const model::DaemonSet& ds, std::int64_t desired) {
  const std::int64_t surge = diagnosis::scaled_up(ds.max_surge, 0, desired);
  if (surge > 0) return {surge, true};
  const std::int64_t unavailable = diagnosis::scaled_up(ds.max_unavailable, 1, desired);
  return {unavailable == 0 && desired > 0 ? 1 : unavailable, false};
}

class Settling {
 public:
  Settling(const model::DaemonSet& ds, const std::vector<Place>& places,
           const model::Cluster& cluster, placement::FeatureGates gates, bool new_template)
      : ds_(ds),
        places_(places),
        cluster_(cluster),
        gates_(gates),
        rolls_(ds.update_strategy != "OnDelete" && !diagnosis::is_inactive(ds)),
        new_template_(new_template) {}

  Settled run() {
    for (const Place& place : places_) {
      if (placement::should_run(place.decision)) ++result_.desired;
      const bool missing = placement::should_run(place.decision) && !place.gained;
      lacks_pods_ = lacks_pods_ || (missing && place.today.pods().empty());
    }
    budget_ = budget_of(ds_, result_.desired);
    if (rolls_) find_pause();
    for (const Place& place : places_) {
      placement::should_run(place.decision) ? settle_eligible(place) : settle_other(place);
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool is_old(const PodReport& pod) const { return new_template_ || pod.outdated; }

  /// Whether the rolling update would replace or delete a pod there if its budget allowed it.
  [[nodiscard]] bool waits_its_turn(const Place& place) const {
    return std::ranges::any_of(place.today.pods(), [&](const PodReport& pod) {
      return is_live(pod) && is_old(pod) && pod.available;
    });
  }

  /// An eligible node without an available pod uses a unit; with maxSurge only if it has an old
  /// pod. A node that is not eligible uses one as long as it has an unavailable pod: permanently,
  /// if no kubelet confirms the deletion.
  [[nodiscard]] bool uses_budget(const Place& place) const {
    const auto& pods = place.today.pods();
    const bool eligible = placement::should_run(place.decision);
    if (!eligible && (budget_.surge || pods.empty() || !confirms_no_deletion(*place.node))) {
      return false;
    }
    if (pods.empty()) return !budget_.surge && !place.gained;
    return std::ranges::none_of(pods,
                                [](const PodReport& pod) { return is_live(pod) && pod.available; });
  }

  void find_pause() {
    const bool has_more =
        std::ranges::any_of(places_, [&](const Place& place) { return waits_its_turn(place); });
    if (!has_more) return;
    std::vector<model::Text> units;
    for (const Place& place : places_) {
      if (uses_budget(place)) units.push_back(place.today.name);
    }
    if (units.empty() || std::ssize(units) < budget_.amount) return;
    result_.waits_for = std::move(units);
    result_.budget =
        fmt::format("{} {}", budget_.surge ? "maxSurge" : "maxUnavailable", budget_.amount);
  }

  void settle_eligible(const Place& place) {
    const auto& pods = place.today.pods();
    // A pod that could not be created until now may be rejected on other nodes, too.
    if (!pods.empty() || (place.gained && !lacks_pods_)) ++result_.current;
    const bool replaced = rolls_ && new_template_ && !pods.empty();
    if (replaced && !confirms_no_deletion(*place.node)) ++result_.replaced;
  }

  void settle_other(const Place& place) {
    const auto& pods = place.today.pods();
    if (pods.empty()) return;
    bool stays = false;
    bool unconfirmed = false;
    for (const PodReport& pod : pods) {
      if (!is_deleted(pod, place)) {
        stays = true;
      } else if (pod.bound && !is_over(pod) && confirms_no_deletion(*place.node)) {
        unconfirmed = true;
      }
    }
    if (stays || unconfirmed) ++result_.misscheduled;
    if (stays) return;
    if (unconfirmed) {
      result_.unconfirmed.push_back(place.today.name);
    } else {
      const bool is_ending = std::ranges::none_of(pods, is_live);
      (is_ending ? result_.ending : result_.deletes).push_back(place.today.name);
    }
  }

  [[nodiscard]] bool is_deleted(const PodReport& pod, const Place& place) const {
    if (!is_live(pod)) return true;
    if (!placement::should_continue(place.decision) && !diagnosis::is_inactive(ds_)) return true;
    return is_replaced_for_good(pod) || (pod.bound && is_evicted(pod, *place.node));
  }

  [[nodiscard]] bool is_evicted(const PodReport& pod, const model::Node& node) const {
    const model::Pod* object = model::find_pod(cluster_, ds_.meta.ns, pod.name);
    return object != nullptr && fixes::is_evicted(*object->tolerations, node, gates_);
  }

  /// A current rollout that is paused stays so; a new rollout is assumed to finish, and its pause
  /// is reported separately. Without an eligible node a percentage does not allow deletions of
  /// available pods.
  [[nodiscard]] bool is_replaced_for_good(const PodReport& pod) const {
    if (!rolls_ || !is_old(pod)) return false;
    if (!pod.available) return true;
    return budget_.amount > 0 && (new_template_ || result_.waits_for.empty());
  }

  const model::DaemonSet& ds_;
  const std::vector<Place>& places_;
  const model::Cluster& cluster_;
  placement::FeatureGates gates_;
  bool rolls_;
  bool new_template_;
  bool lacks_pods_ = false;  // now, on an eligible node
  Budget budget_;
  Settled result_;
};

}  // namespace

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

Settled settle(const model::DaemonSet& ds, const std::vector<Place>& places,
               const model::Cluster& cluster, placement::FeatureGates gates, bool new_template) {
  return Settling(ds, places, cluster, gates, new_template).run();
}

}  // namespace dsdoctor::fixes
