// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/report/node_kinds.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_map>

#include "diagnosis/evidence/node_state.h"
#include "diagnosis/report/cases.h"
#include "diagnosis/taints/taint_knowledge.h"

namespace dsdoctor::diagnosis {
namespace {

constexpr std::chrono::hours label_change_counts_for{24};

/// Whether the taint says nothing about the health of the node, and evicts no pod.
bool is_plain(const model::Taint& taint) {
  constexpr std::array<std::string_view, 4> of_states = {"node.kubernetes.io/",
                                                         "node.cloudprovider.kubernetes.io/",
                                                         "node.cluster.x-k8s.io/", "karpenter.sh/"};
  if (taint.effect == "PreferNoSchedule") return true;
  const std::string_view key = taint.key;
  return taint.effect == model::effect::no_schedule && key != to_be_deleted_key &&
         std::ranges::none_of(of_states, [&](auto prefix) { return key.starts_with(prefix); }) &&
         !startup_agent(taint) && !is_interruption(taint);
}

bool is_fine(const model::Condition& condition) {
  return condition.type == "Ready" ? condition.status == "True" : condition.status != "True";
}

bool is_past(const model::OptionalTime& moment, std::chrono::seconds age, model::Time now) {
  return !moment || *moment + age < now;
}

bool is_quiet_node(const model::Node& node, model::Time now) {
  if (node.meta.deleted || node.unschedulable || is_virtual(node) || is_fargate(node)) return false;
  if (!is_past(node.meta.created, std::max(threshold::missing, threshold::new_node), now)) {
    return false;
  }
  const auto is_old = [&](const model::Condition& condition) {
    return is_fine(condition) && is_past(condition.last_transition, threshold::missing, now);
  };
  const auto is_old_change = [&](const model::FieldManager& manager) {
    return is_past(manager.time, label_change_counts_for, now);
  };
  return std::ranges::all_of(node.taints, is_plain) &&
         std::ranges::all_of(node.conditions, is_old) &&
         std::ranges::all_of(node.meta.managers, is_old_change);
}

void add_text(std::string& key, std::string_view text) {
  key.append(std::to_string(text.size())).push_back(':');
  key.append(text);
}

void add_taint(std::string& key, const model::Taint& taint, const model::KnownTaint* known) {
  for (const model::Text* part : {&taint.key, &taint.value, &taint.effect}) add_text(key, *part);
  if (taint.time_added) add_text(key, std::to_string(taint.time_added->time_since_epoch().count()));
  key.append(";").append(std::to_string(reinterpret_cast<std::uintptr_t>(known))).append(";");
}

std::vector<model::Text> keys_asked_for(const model::Cluster& cluster) {
  std::vector<model::Text> keys;
  for (const model::DaemonSet& ds : cluster.daemon_sets) {
    const placement::Evaluator rules(ds.pod_template, {});
    keys.insert(keys.end(), rules.label_keys().begin(), rules.label_keys().end());
  }
  std::ranges::sort(keys);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

}  // namespace

NodeKinds::NodeKinds(const model::Cluster& cluster, const TaintCatalogue& taints, model::Time now)
    : keys_(keys_asked_for(cluster)) {
  std::unordered_map<std::string, std::uint32_t> found;
  std::string key;
  kinds_.reserve(cluster.nodes.size());
  for (const model::Node& node : cluster.nodes) {
    const bool quiet = is_quiet_node(node, now);
    key.assign(1, quiet ? 'q' : 'l');
    for (const model::Text& label : keys_) {
      const model::Text* value = node.meta.labels.find(label);
      key.push_back(value == nullptr ? '-' : '=');
      if (value != nullptr) add_text(key, *value);
    }
    for (const model::Taint& taint : node.taints) {
      add_taint(key, taint, taints.find(taint, node.meta.labels));
    }
    const auto [at, is_new] = found.try_emplace(key, static_cast<std::uint32_t>(quiet_.size()));
    if (is_new) quiet_.push_back(quiet);
    kinds_.push_back(at->second);
  }
}

bool NodeKinds::are_alike_to(const placement::Evaluator& evaluator) const {
  return !evaluator.names_nodes() && std::ranges::includes(keys_, evaluator.label_keys());
}

}  // namespace dsdoctor::diagnosis
