// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace dsdoctor::decode {

/// The kinds that an answer can depend on. Objects of other kinds are only counted.
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
  DeviceTaintRule,
  ResourceClaim,
  ResourceSlice,
  PodDisruptionBudget,
  PodGroup,
  Lease,
  ClusterRole,
  ClusterRoleBinding,
};

/// Null for other kinds, and for the same name in another API group (`apps/v1` DaemonSet, not
/// `extensions.example.com/v1`), except `is_other_daemon_set`. Accepts DaemonSets of
/// `extensions/v1beta1` and `apps/v1beta2`, which old files contain.
[[nodiscard]] std::optional<Kind> kind_of(std::string_view api_version, std::string_view kind);
/// Reports whether this is a kind of another project whose controller places pods by the rules of
/// DaemonSets: OpenKruise's DaemonSet, Datadog's ExtendedDaemonSet. `kind_of` returns DaemonSet.
[[nodiscard]] bool is_other_daemon_set(std::string_view api_version, std::string_view kind);
/// "Node"
[[nodiscard]] std::string_view to_string(Kind kind);
/// The kind of a list's items: Node for "NodeList"; null for a mixed `List`, and for lists of other
/// kinds.
[[nodiscard]] std::optional<Kind> kind_of_items(std::string_view list_kind);
/// Reports whether the kind is also read from protobuf: the most frequent ones. A DaemonSet's
/// template is compared with the JSON in its ControllerRevisions, so both have to be JSON.
[[nodiscard]] constexpr bool has_protobuf(Kind kind) {
  return kind == Kind::Node || kind == Kind::Pod;
}

inline constexpr std::size_t kind_count = static_cast<std::size_t>(Kind::ClusterRoleBinding) + 1;

/// Reports whether an answer requires objects of this kind; the others only add explanations.
[[nodiscard]] constexpr bool is_essential(Kind kind) {
  return kind == Kind::Node || kind == Kind::DaemonSet || kind == Kind::Pod ||
         kind == Kind::ControllerRevision;
}

[[nodiscard]] bool is_cluster_scoped(Kind kind);

}  // namespace dsdoctor::decode
