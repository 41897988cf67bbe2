// SPDX-License-Identifier: Apache-2.0
#include "decode/bulk/siblings.h"

#include <string_view>
#include <utility>

namespace dsdoctor::decode {
namespace {

/// Shares the value of `others` if both are equal; else assigns `mine` to `others`.
template <typename T>
bool share_with(T& mine, T& others) {
  const bool same = mine == others;
  (same ? mine : others) = same ? others : mine;
  return same;
}

std::size_t hash_of(const model::Labels& labels) {
  constexpr std::size_t factor = 31;
  std::size_t result = 0;
  for (const auto& [key, value] : labels) {
    result = (result * factor + std::hash<std::string_view>{}(key)) * factor +
             std::hash<std::string_view>{}(value);
  }
  return result;
}

/// The node for which a DaemonSet controller created the pod.
model::Text node_of(const model::NodeSelector& affinity) {
  if (affinity.terms.size() != 1 || affinity.terms[0].match_fields.size() != 1) return {};
  const auto& values = affinity.terms[0].match_fields[0].values;
  return values.size() == 1 ? values[0] : model::Text();
}

}  // namespace

std::uint64_t Siblings::bytes_of_its_own(const model::Pod& pod) {
  const std::size_t statuses = pod.statuses.size() + pod.init_statuses.size();
  return 2 * (sizeof(model::Pod) + statuses * sizeof(model::ContainerStatus) +
              pod.conditions.size() * sizeof(model::Condition));
}

bool Siblings::unite(model::Pod& pod) {
  const auto& controller = std::as_const(pod.meta.controller);
  if (!controller || controller->uid.empty()) return false;
  Template& last = templates_[controller->uid];
  share_with(pod.meta.labels, last.labels);
  share_with(pod.meta.controller, last.controller);
  pod.conditions.pack(last.conditions);
  pod.init_statuses.pack(last.init_statuses);
  pod.statuses.pack(last.statuses);
  const auto& affinity = std::as_const(pod.node_affinity);
  if (const auto node = affinity ? node_of(*affinity) : model::Text(); !node.empty()) {
    share_with(pod.node_affinity, affinities_[node]);
  }
  const bool same_spec = share_with(pod.spec, last.spec);
  return share_with(pod.tolerations, last.tolerations) && same_spec;
}

void Siblings::unite(model::Node& node) {
  unite(node.allocatable);
  unite(node.capacity);
}

void Siblings::unite(model::Labels& amounts) {
  const auto [at, is_new] = amounts_.try_emplace(hash_of(amounts), amounts);
  if (!is_new && at->second == amounts) amounts = at->second;
}

}  // namespace dsdoctor::decode
