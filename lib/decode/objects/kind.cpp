#include "decode/objects/kind.h"

#include <algorithm>
#include <iterator>

namespace dsdoctor::decode {
namespace {

/// A kind with its API group: all versions that were ever served have the fields that are read.
struct KindName {
  Kind kind;
  std::string_view name;
  std::string_view group;  // empty: core
  bool cluster_scoped = false;
};

constexpr KindName kind_names[] = {
    {Kind::Node, "Node", "", true},
    {Kind::DaemonSet, "DaemonSet", "apps"},
    {Kind::Pod, "Pod", ""},
    {Kind::ControllerRevision, "ControllerRevision", "apps"},
    {Kind::Event, "Event", ""},
    {Kind::Namespace, "Namespace", "", true},
    {Kind::ResourceQuota, "ResourceQuota", ""},
    {Kind::LimitRange, "LimitRange", ""},
    {Kind::PriorityClass, "PriorityClass", "scheduling.k8s.io", true},
    {Kind::RuntimeClass, "RuntimeClass", "node.k8s.io", true},
    {Kind::ServiceAccount, "ServiceAccount", ""},
    {Kind::PersistentVolumeClaim, "PersistentVolumeClaim", ""},
    {Kind::PersistentVolume, "PersistentVolume", "", true},
    {Kind::StorageClass, "StorageClass", "storage.k8s.io", true},
    {Kind::CsiNode, "CSINode", "storage.k8s.io", true},
    {Kind::Lease, "Lease", "coordination.k8s.io"},
    {Kind::ClusterRole, "ClusterRole", "rbac.authorization.k8s.io", true},
    {Kind::ClusterRoleBinding, "ClusterRoleBinding", "rbac.authorization.k8s.io", true},
};
static_assert(std::size(kind_names) == kind_count);

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

std::optional<Kind> kind_of(std::string_view api_version, std::string_view kind) {
  const auto at = std::ranges::find(kind_names, kind, &KindName::name);
  if (at == std::end(kind_names)) return std::nullopt;
  const std::size_t slash = api_version.find('/');
  const std::string_view group =
      slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
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
