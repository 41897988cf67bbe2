// SPDX-License-Identifier: Apache-2.0
#include "decode/objects/kind.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "model/meta.h"

namespace dsdoctor::decode {
namespace {

/// A kind with its API group: all versions that were ever served have the fields that we read.
struct KindName {
  std::string_view name;
  std::string_view group;  // empty: core
  Kind kind;
  bool cluster_scoped = false;
};

constexpr KindName kind_names[] = {
    {"Node", "", Kind::Node, true},
    {"DaemonSet", "apps", Kind::DaemonSet},
    {"Pod", "", Kind::Pod},
    {"ControllerRevision", "apps", Kind::ControllerRevision},
    {"Event", "", Kind::Event},
    {"Namespace", "", Kind::Namespace, true},
    {"ResourceQuota", "", Kind::ResourceQuota},
    {"LimitRange", "", Kind::LimitRange},
    {"PriorityClass", "scheduling.k8s.io", Kind::PriorityClass, true},
    {"RuntimeClass", "node.k8s.io", Kind::RuntimeClass, true},
    {"ServiceAccount", "", Kind::ServiceAccount},
    {"PersistentVolumeClaim", "", Kind::PersistentVolumeClaim},
    {"PersistentVolume", "", Kind::PersistentVolume, true},
    {"StorageClass", "storage.k8s.io", Kind::StorageClass, true},
    {"CSINode", "storage.k8s.io", Kind::CsiNode, true},
    {"DeviceClass", "resource.k8s.io", Kind::DeviceClass, true},
    {"DeviceTaintRule", "resource.k8s.io", Kind::DeviceTaintRule, true},
    {"ResourceClaim", "resource.k8s.io", Kind::ResourceClaim},
    {"ResourceSlice", "resource.k8s.io", Kind::ResourceSlice, true},
    {"PodDisruptionBudget", "policy", Kind::PodDisruptionBudget},
    {"PodGroup", "scheduling.k8s.io", Kind::PodGroup},
    {"Lease", "coordination.k8s.io", Kind::Lease},
    {"ClusterRole", "rbac.authorization.k8s.io", Kind::ClusterRole, true},
    {"ClusterRoleBinding", "rbac.authorization.k8s.io", Kind::ClusterRoleBinding, true},
};
static_assert(std::size(kind_names) == kind_count);

/// Kinds of other projects that place pods by the DaemonSet's rules.
constexpr std::pair<std::string_view, std::string_view> other_daemon_sets[] = {
    {"apps.kruise.io", "DaemonSet"},
    {"datadoghq.com", "ExtendedDaemonSet"},
};

}  // namespace

bool is_cluster_scoped(Kind kind) {
  const auto at = std::ranges::find(kind_names, kind, &KindName::kind);
  return at != std::end(kind_names) && at->cluster_scoped;
}

std::optional<Kind> kind_of_items(std::string_view list_kind) {
  constexpr std::string_view suffix = "List";
  if (!list_kind.ends_with(suffix)) return std::nullopt;
  list_kind.remove_suffix(suffix.size());
  const auto at = std::ranges::find(kind_names, list_kind, &KindName::name);
  return at == std::end(kind_names) ? std::nullopt : std::optional(at->kind);
}

bool is_other_daemon_set(std::string_view api_version, std::string_view kind) {
  return std::ranges::find(other_daemon_sets, std::pair(model::api_group(api_version), kind)) !=
         std::end(other_daemon_sets);
}

std::optional<Kind> kind_of(std::string_view api_version, std::string_view kind) {
  if (is_other_daemon_set(api_version, kind)) return Kind::DaemonSet;
  const auto at = std::ranges::find(kind_names, kind, &KindName::name);
  if (at == std::end(kind_names)) return std::nullopt;
  const std::string_view group = model::api_group(api_version);
  const bool ours = group == at->group && (!group.empty() || api_version == "v1");
  const bool old_daemon_set = api_version == "extensions/v1beta1" && at->kind == Kind::DaemonSet;
  const bool new_event = group == "events.k8s.io" && at->kind == Kind::Event;
  return ours || old_daemon_set || new_event ? std::optional(at->kind) : std::nullopt;
}

std::string_view to_string(Kind kind) {
  const auto at = std::ranges::find(kind_names, kind, &KindName::kind);
  return at == std::end(kind_names) ? std::string_view() : at->name;
}

}  // namespace dsdoctor::decode
