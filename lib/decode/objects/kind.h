#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace dsdoctor::decode {

/// The kinds that an answer can depend on. Everything else is counted and left alone.
enum class Kind {
  Node,
  DaemonSet,
  Pod,
  ControllerRevision,
  Event,
  Namespace,
  ResourceQuota,
  LimitRange,
  PriorityClass,
  RuntimeClass,
  ServiceAccount,
  PersistentVolumeClaim,
  PersistentVolume,
  StorageClass,
  CsiNode,
  DeviceClass,
  PodDisruptionBudget,
  Lease,
  ClusterRole,
  ClusterRoleBinding,
};

/// Null for a kind that is not ours, or another API group's (`apps/v1` DaemonSet, not
/// `extensions.example.com/v1`). `extensions/v1beta1` and `apps/v1beta2` DaemonSets are ours too:
/// old files hold them.
[[nodiscard]] std::optional<Kind> kind_of(std::string_view api_version, std::string_view kind);
/// "Node"
[[nodiscard]] std::string_view to_string(Kind kind);
/// Of a list: Node for "NodeList"; null for a mixed `List`, and for lists of other kinds.
[[nodiscard]] std::optional<Kind> kind_of_items(std::string_view list_kind);
/// What is read from protobuf too: the bulk. A DaemonSet's template is compared with the JSON in
/// its ControllerRevisions, so that both have to be JSON.
[[nodiscard]] constexpr bool has_protobuf(Kind kind) {
  return kind == Kind::Node || kind == Kind::Pod;
}

inline constexpr std::size_t kind_count = static_cast<std::size_t>(Kind::ClusterRoleBinding) + 1;

/// Without these there is no answer to be had; the others only explain.
[[nodiscard]] constexpr bool is_essential(Kind kind) {
  return kind == Kind::Node || kind == Kind::DaemonSet || kind == Kind::Pod ||
         kind == Kind::ControllerRevision;
}

[[nodiscard]] bool is_cluster_scoped(Kind kind);

}  // namespace dsdoctor::decode
