// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/report/departure.h"

#include <algorithm>

#include "diagnosis/evidence/attribution.h"
#include "diagnosis/evidence/daemon_pods.h"
#include "diagnosis/evidence/node_state.h"
#include "diagnosis/report/cases.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/taints/taint_knowledge.h"
#include "placement/label_selector.h"

namespace dsdoctor::diagnosis {
namespace {

// By default cluster-autoscaler and Karpenter abort or force a drain much earlier.
constexpr std::chrono::minutes drain_and_deletion{30};
/// Longer than nearly every grace period; used if not all pods of the node were read.
constexpr std::int64_t unread_grace = 24L * 3600;
/// Limit of the Kubernetes API; malformed input may have more.
constexpr std::int64_t longest_grace = std::int64_t{1} << 31;

bool says_leaving(const model::Taint& taint) {
  return taint.key == to_be_deleted_key || taint.key == "karpenter.sh/disrupted" ||
         taint.key == "karpenter.sh/disruption" || is_interruption(taint);
}

}  // namespace

model::OptionalTime leaving_since(const model::Node& node) {
  model::OptionalTime since = node.meta.deleted;
  for (std::size_t i = 0; i < node.taints.size(); ++i) {
    if (!says_leaving(node.taints[i])) continue;
    const auto marked = taint_time(node, i);
    if (!marked) continue;
    // A time before the node's creation was copied from another node.
    if (node.meta.created && marked->time < *node.meta.created) continue;
    if (!since || marked->time < *since) since = marked->time;
  }
  return since;
}

model::OptionalTime removal_of(const Facts& facts, std::string_view node) {
  const model::Event* event =
      newest(facts.events_of("Node", "", node, ""), {"RemovingNode", "DeletingNode"});
  return event == nullptr ? std::nullopt : std::optional(last_seen(*event));
}

bool is_deleted_node(const Facts& facts, std::string_view node) {
  if (model::find_node(facts.cluster(), node) != nullptr) return false;
  return facts.cluster().all_nodes_known || removal_of(facts, node).has_value();
}

bool is_departure_long(const model::Node& node, model::Time now) {
  return is_older(leaving_since(node), drain_and_deletion, now);
}

model::OptionalTime should_be_gone_by(const model::Node& node, const Facts& facts) {
  const auto since = leaving_since(node);
  if (!since) return std::nullopt;
  std::int64_t grace = facts.has_every_pod_on(node.meta.name) ? 0 : unread_grace;
  for (const model::Pod* pod : facts.pods_on(node.meta.name)) {
    const std::optional<std::int64_t> own =
        pod->meta.grace_seconds ? *pod->meta.grace_seconds : pod->spec->grace_seconds;
    grace = std::clamp<std::int64_t>(own.value_or(0), grace, longest_grace);
  }
  return *since + std::chrono::seconds(grace) + drain_and_deletion;
}

bool is_departure_overdue(const model::Node& node, const Facts& facts) {
  const auto limit = should_be_gone_by(node, facts);
  return limit && facts.now() > *limit;
}

bool is_kubelet_out(const model::Node& node) {
  const model::Condition* ready = model::find_condition(node.conditions, "Ready");
  return ready != nullptr && ready->status != "True";
}

bool ends_by_itself(const model::Pod& pod, const model::Node* node, const Facts& facts) {
  if (!pod.meta.finalizers.empty()) return false;
  if (is_bound(pod) && (node == nullptr || is_kubelet_out(*node))) return false;
  return facts.now() <= *pod.meta.deleted + threshold::terminating;
}

bool all_end_by_themselves(const std::vector<const model::Pod*>& pods, const Facts& facts) {
  return !pods.empty() && std::ranges::all_of(pods, [&](const model::Pod* pod) {
    return is_terminating(*pod) &&
           ends_by_itself(*pod, model::find_node(facts.cluster(), pod->node_name), facts);
  });
}

const model::PodDisruptionBudget* budget_against_eviction(const model::Cluster& cluster,
                                                          const model::Pod& pod) {
  const model::PodDisruptionBudget* only = nullptr;
  for (const model::PodDisruptionBudget& each : cluster.disruption_budgets) {
    if (each.meta.ns != pod.meta.ns || !each.selector) continue;
    if (!placement::matches(*each.selector, pod.meta.labels)) continue;
    if (only != nullptr || each.disruptions_allowed <= 0) return &each;
    only = &each;
  }
  return nullptr;
}

}  // namespace dsdoctor::diagnosis
