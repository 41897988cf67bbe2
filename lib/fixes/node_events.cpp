// SPDX-License-Identifier: Apache-2.0
#include "fixes/node_events.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/glob.h"
#include "diagnosis/evidence/daemon_pods.h"
#include "diagnosis/providers/provider.h"
#include "diagnosis/report/departure.h"
#include "fixes/effects/settled.h"
#include "placement/label_selector.h"

namespace dsdoctor::fixes {
namespace {

using diagnosis::NodeReport;
using diagnosis::PodReport;

bool is_picked(const NodePick& pick, const model::Node& node) {
  if (!pick.glob.empty()) return base::matches_glob(pick.glob, node.meta.name);
  return std::ranges::all_of(pick.labels, [&](const auto& requirement) {
    return placement::satisfies(node.meta.labels, requirement);
  });
}

bool is_finished(std::string_view phase) { return phase == "Failed" || phase == "Succeeded"; }

/// The end of a pod of kubectl's own kind of DaemonSet, or of another project's.
PodEnd end_in_drain(const model::DaemonSet& ds, const PodReport& pod) {
  return is_finished(pod.phase) || ds.other_kind ? PodEnd::Evicted : PodEnd::Stays;
}

PodEnd end_in_reboot(const NodeReport& node) {
  switch (node.decision()) {
    case placement::Decision::Run: return PodEnd::Again;
    case placement::Decision::Keep: return PodEnd::GoneIfEnded;
    case placement::Decision::Exclude:
    default: return PodEnd::Gone;
  }
}

class EventForecaster {
 public:
  EventForecaster(const diagnosis::Reporter& reporter, const NodeEdit& event)
      : cluster_(reporter.cluster()), reporter_(reporter) {
    result_.kind = event.kind;
    for (const std::size_t at : picked_nodes(cluster_, event.nodes)) {
      result_.nodes.push_back(cluster_.nodes[at].meta.name);
      names_.insert(cluster_.nodes[at].meta.name);
    }
  }

  NodeEventForecast run(const std::vector<const model::DaemonSet*>& asked) {
    for (const model::DaemonSet* ds : asked) add_daemon_set(*ds);
    if (result_.kind == NodeEdit::Kind::Drain) add_others();
    return std::move(result_);
  }

 private:
  void add_daemon_set(const model::DaemonSet& ds) {
    const auto report = reporter_.verdicts(
        ds, [&](const model::Node& node) { return names_.contains(node.meta.name.view()); });
    for (const NodeReport& node : report.nodes) {
      for (const PodReport& pod : node.pods()) add_pod(ds, node, pod);
    }
  }

  void add_pod(const model::DaemonSet& ds, const NodeReport& node, const PodReport& pod) {
    PodInEvent entry{ds.meta.ns, ds.meta.name, pod.name, node.name, PodEnd::Stays, {}};
    if (result_.kind == NodeEdit::Kind::Drain) entry.end = end_in_drain(ds, pod);
    if (result_.kind == NodeEdit::Kind::Reboot) entry.end = end_in_reboot(node);
    if (result_.kind == NodeEdit::Kind::Delete) entry.end = PodEnd::Gone;
    const model::Pod* object = model::find_pod(cluster_, ds.meta.ns, pod.name);
    const bool ends = entry.end == PodEnd::Gone || entry.end == PodEnd::Evicted;
    if (ends && object != nullptr && !object->meta.finalizers.empty()) {
      entry.end = PodEnd::Stuck;
      entry.finalizer = *object->meta.finalizers.begin();
    }
    const bool is_kept_off = !placement::should_run(node.decision());
    if (is_kept_off && result_.kind != NodeEdit::Kind::Delete) {
      for (const placement::Reason& reason : node.reasons()) entry.reasons.push_back(reason);
    }
    reported_.emplace(entry.ns, entry.pod);
    result_.pods.push_back(std::move(entry));
  }

  [[nodiscard]] bool knows_others() const {
    const bool all_pods =
        cluster_.all_pods_known || std::ranges::all_of(result_.nodes, [&](const model::Text& node) {
          return std::ranges::binary_search(cluster_.crowded_nodes, node);
        });
    return all_pods && cluster_.known.disruption_budgets;
  }

  void add_others() {
    result_.others_known = knows_others();
    if (!result_.others_known) return;
    for (const model::Pod& pod : cluster_.pods) {
      if (!names_.contains(pod.node_name.view()) || pod.mirror || is_finished(pod.phase)) continue;
      const auto& owner = pod.meta.controller;
      if (owner && model::is_daemon_set(*owner)) continue;
      if (reported_.contains({pod.meta.ns, pod.meta.name})) continue;
      ++result_.evicted;
      if (!owner) {
        result_.unmanaged.push_back(
            {pod.meta.ns, {}, pod.meta.name, pod.node_name, PodEnd::Evicted, {}});
      }
      const auto* budget = diagnosis::budget_against_eviction(cluster_, pod);
      if (budget != nullptr) {
        result_.budgets.push_back({pod.meta.ns, budget->meta.name, pod.meta.name});
      }
    }
  }

  const model::Cluster& cluster_;
  const diagnosis::Reporter& reporter_;
  std::set<std::string_view> names_;
  std::set<std::pair<model::Text, model::Text>> reported_;  // in `pods` of the result
  NodeEventForecast result_;
};

/// The time from the creation of the pod to its last change to Ready; absent if it is not ready or
/// a container has restarted since.
std::optional<std::chrono::seconds> time_until_ready(const model::Pod& pod) {
  const auto ready = model::find_condition(pod.conditions, "Ready");
  if (!ready || ready->status != "True" || !ready->last_transition || !pod.meta.created) return {};
  for (const model::ContainerStatus& status : pod.statuses) {
    if (status.restart_count != 0) return {};
  }
  const auto time = *ready->last_transition - *pod.meta.created;
  return std::chrono::duration_cast<std::chrono::seconds>(time);
}

}  // namespace

std::vector<std::size_t> picked_nodes(const model::Cluster& cluster, const NodePick& pick) {
  std::vector<std::size_t> result;
  for (std::size_t at = 0; at < cluster.nodes.size(); ++at) {
    if (is_picked(pick, cluster.nodes[at])) result.push_back(at);
  }
  return result;
}

NodeEventForecast forecast_event(const diagnosis::Reporter& reporter, const NodeEdit& event,
                                 const std::vector<const model::DaemonSet*>& asked) {
  return EventForecaster(reporter, event).run(asked);
}

RolloutPace pace_of(const diagnosis::Reporter& reporter, const model::DaemonSet& ds) {
  const model::Cluster& cluster = reporter.cluster();
  RolloutPace result;
  result.ns = ds.meta.ns;
  result.name = ds.meta.name;
  result.grace = std::chrono::seconds(ds.pod_template.spec.grace_seconds.value_or(30));
  const auto report = reporter.verdicts(ds);
  std::vector<std::chrono::seconds> times;
  std::set<std::string_view> nodes;
  std::int64_t old_pods = 0;
  for (const NodeReport& node : report.nodes) {
    if (node.pods().empty()) continue;
    nodes.insert(node.name.view());
    ++old_pods;
    const model::Pod* pod = model::find_pod(cluster, ds.meta.ns, node.pods().front().name);
    const auto time = pod == nullptr ? std::nullopt : time_until_ready(*pod);
    if (time) times.push_back(*time);
  }
  result.pods = times.size();
  if (!times.empty()) {
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::ranges::nth_element(times, middle);
    result.until_ready = *middle;
  }
  const Budget budget = budget_of(ds, report.evaluated.counts.desired_number_scheduled);
  result.budget = text_of(budget);
  result.surges = budget.surge;
  const bool rolls = ds.update_strategy != "OnDelete" && !diagnosis::is_inactive(ds);
  if (rolls && budget.amount > 0) {
    result.rounds = (old_pods + budget.amount - 1) / budget.amount;
  }
  std::map<std::string, std::size_t> users;
  for (const model::Pod& pod : cluster.pods) {
    if (!nodes.contains(pod.node_name.view()) || is_finished(pod.phase)) continue;
    for (const auto& volume : diagnosis::drivers_of_volumes(pod, reporter.facts())) {
      const diagnosis::Lack need{diagnosis::Provides::Driver, volume.driver};
      if (!diagnosis::provides(ds.pod_template, need)) continue;
      ++users[volume.driver];
      ++result.dependents;
      break;
    }
  }
  for (const auto& [driver, count] : users) {
    if (result.driver.empty() || count > users[result.driver]) result.driver = driver;
  }
  return result;
}

}  // namespace dsdoctor::fixes
