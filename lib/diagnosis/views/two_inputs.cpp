// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/views/two_inputs.h"

#include <algorithm>
#include <array>
#include <utility>

#include "model/fields.h"

namespace dsdoctor::diagnosis {
namespace {

constexpr std::string_view system_namespace = "kube-system";

using Flag = bool model::Known::*;
constexpr std::array<std::pair<std::string_view, Flag>, 21> list_flags = {{
    {"DaemonSet", &model::Known::daemon_sets},
    {"Pod", &model::Known::pod_group_members},
    {"ControllerRevision", &model::Known::revisions},
    {"Event", &model::Known::events},
    {"Namespace", &model::Known::namespaces},
    {"ResourceQuota", &model::Known::resource_quotas},
    {"LimitRange", &model::Known::limit_ranges},
    {"PriorityClass", &model::Known::priority_classes},
    {"RuntimeClass", &model::Known::runtime_classes},
    {"ServiceAccount", &model::Known::service_accounts},
    {"PersistentVolumeClaim", &model::Known::claims},
    {"PersistentVolume", &model::Known::claims},
    {"StorageClass", &model::Known::storage_classes},
    {"CSINode", &model::Known::csi_nodes},
    {"DeviceClass", &model::Known::device_classes},
    {"DeviceTaintRule", &model::Known::device_taints},
    {"ResourceClaim", &model::Known::device_taints},
    {"ResourceSlice", &model::Known::device_taints},
    {"PodDisruptionBudget", &model::Known::disruption_budgets},
    {"PodGroup", &model::Known::pod_groups},
    {"Lease", &model::Known::leases},
}};

bool is_listed(const model::Cluster& cluster, std::string_view kind) {
  if (kind == "Node") return cluster.nodes_known;
  if (kind == "ClusterRole" || kind == "ClusterRoleBinding") return cluster.known.roles;
  const auto at = std::ranges::find(list_flags, kind, &std::pair<std::string_view, Flag>::first);
  return at != list_flags.end() && cluster.known.*(at->second);
}

/// Redaction replaces UIDs by numbers, which say nothing about the cluster.
bool is_uid_of_cluster(std::string_view uid) {
  constexpr std::string_view redacted = "00000000-0000-4000-8000-";
  return !uid.empty() && !uid.starts_with(redacted);
}

/// Calls `visit(first, second)` for the objects that both sorted lists have by namespace and name.
template <typename Objects, typename Visit>
void each_in_both(const Objects& first, const Objects& second, const Visit& visit) {
  const auto key = [](const auto& object) {
    return std::pair(object.meta.ns.view(), object.meta.name.view());
  };
  auto other = second.begin();
  for (const auto& object : first) {
    while (other != second.end() && key(*other) < key(object)) ++other;
    if (other == second.end()) return;
    if (key(*other) == key(object)) visit(object, *other);
  }
}

/// How many objects have the same UID in two inputs, and the first Node that has two.
struct CommonObjects {
  std::size_t same = 0;
  std::optional<std::string> other_system;
  std::optional<std::string> other_node;

  void add(const model::ObjectMeta& first, const model::ObjectMeta& second, std::string_view kind) {
    if (!is_uid_of_cluster(first.uid.str()) || !is_uid_of_cluster(second.uid.str())) return;
    if (first.uid == second.uid) {
      ++same;
    } else if (kind == "Namespace" && first.name == system_namespace) {
      other_system = "Namespace kube-system";
    } else if (kind == "Node" && !other_node) {
      other_node = "Node " + first.name.str();
    }
  }
};

}  // namespace

std::vector<std::string_view> kinds_only_in(const model::Cluster& first,
                                            const model::Cluster& second) {
  std::vector<std::string_view> result;
  model::description::each_list(first, [&](const auto& list, const auto& described) {
    if (list.empty() || !described.of(second).empty()) return;
    if (!is_listed(second, described.kind)) result.push_back(described.kind);
  });
  return result;
}

std::optional<std::string> sign_of_two_clusters(const model::Cluster& first,
                                                const model::Cluster& second) {
  CommonObjects shared;
  model::description::each_list(first, [&](const auto& list, const auto& described) {
    each_in_both(list, described.of(second), [&](const auto& one, const auto& other) {
      shared.add(one.meta, other.meta, described.kind);
    });
  });
  if (shared.other_system) return shared.other_system;
  return shared.same == 0 ? shared.other_node : std::nullopt;
}

}  // namespace dsdoctor::diagnosis
