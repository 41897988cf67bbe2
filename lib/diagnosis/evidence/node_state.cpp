// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/evidence/node_state.h"

#include <array>
#include <utility>

#include "diagnosis/taints/taint_knowledge.h"

namespace dsdoctor::diagnosis {
namespace {

/// The second-level label of a DNS name: "cilium" of "node.cilium.io", "aws" of "ebs.csi.aws.com".
std::string_view product_of(std::string_view domain) {
  const std::size_t dot = domain.rfind('.');
  if (dot == std::string_view::npos) return domain;
  const std::string_view head = domain.substr(0, dot);
  const std::size_t before = head.rfind('.');
  return before == std::string_view::npos ? head : head.substr(before + 1);
}

constexpr std::string_view startup_prefixes[] = {
    "startup-taint.cluster-autoscaler.kubernetes.io/",
    "ignore-taint.cluster-autoscaler.kubernetes.io/",
};

// Taints that the node controller adds for a condition of the node.
constexpr std::pair<std::string_view, std::string_view> conditions_of_taints[] = {
    {"node.kubernetes.io/not-ready", "Ready"},
    {"node.kubernetes.io/unreachable", "Ready"},
    {"node.kubernetes.io/disk-pressure", "DiskPressure"},
    {"node.kubernetes.io/memory-pressure", "MemoryPressure"},
    {"node.kubernetes.io/pid-pressure", "PIDPressure"},
    {"node.kubernetes.io/network-unavailable", "NetworkUnavailable"},
};

}  // namespace

const model::Condition* condition_is(const model::Node& node, std::string_view type,
                                     std::string_view status) {
  const model::Condition* found = model::find_condition(node.conditions, type);
  return found != nullptr && found->status == status ? found : nullptr;
}

const model::Taint* find_taint(const model::Node& node, std::string_view key) {
  for (const model::Taint& taint : node.taints) {
    if (taint.key == key) return &taint;
  }
  return nullptr;
}

bool has_label(const model::Node& node, std::string_view key, std::string_view value) {
  const model::Text* found = node.meta.labels.find(key);
  return found != nullptr && *found == value;
}

bool is_virtual(const model::Node& node) {
  return has_label(node, "type", "virtual-kubelet") ||
         find_taint(node, "virtual-kubelet.io/provider") != nullptr ||
         node.kubelet_version.view().find("-vk-") != std::string_view::npos;
}

bool is_fargate(const model::Node& node) {
  const model::Taint* taint = find_taint(node, "eks.amazonaws.com/compute-type");
  return has_label(node, "eks.amazonaws.com/compute-type", "fargate") ||
         (taint != nullptr && taint->value == "fargate") ||
         node.meta.name.view().starts_with("fargate-");
}

std::optional<std::string> startup_agent(const model::Taint& taint) {
  const std::string_view key = taint.key;
  for (const std::string_view prefix : startup_prefixes) {
    if (key.starts_with(prefix)) return std::string(key.substr(prefix.size()));
  }
  if (key.starts_with("node.kubernetes.io/")) return std::nullopt;
  const std::size_t slash = key.find('/');
  const std::string_view name = slash == std::string_view::npos ? key : key.substr(slash + 1);
  const bool waits =
      name.ends_with("agent-not-ready") || (slash != std::string_view::npos && name == "not-ready");
  if (!waits) return std::nullopt;
  if (slash == std::string_view::npos) return std::string(name);
  // "ebs.csi.aws.com/agent-not-ready" belongs to agent ebs-csi.
  const std::string_view domain = key.substr(0, slash);
  const std::size_t csi = domain.find(".csi.");
  if (csi != std::string_view::npos) return std::string(domain.substr(0, csi)) + "-csi";
  return std::string(product_of(domain));
}

bool is_being_updated(const model::Node& node) {
  return node.machine_config_state == "Working" || node.machine_config_state == "Rebooting";
}

bool is_interruption(const model::Taint& taint) {
  return taint.key.view().starts_with("aws-node-termination-handler/") ||
         taint.key == "cloud.google.com/impending-node-termination";
}

model::OptionalTime added_at(const model::Taint& taint, const model::Node& node) {
  if (taint.time_added) return taint.time_added;
  if (const auto marked = timestamp_value(taint.value)) return marked;
  for (const auto& [key, type] : conditions_of_taints) {
    if (taint.key != key) continue;
    const model::Condition* condition = model::find_condition(node.conditions, type);
    if (condition != nullptr) return condition->last_transition;
  }
  return std::nullopt;
}

}  // namespace dsdoctor::diagnosis
