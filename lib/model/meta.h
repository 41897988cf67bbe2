// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/labels.h"
#include "model/optional_time.h"
#include "model/rare_list.h"
#include "model/scheduling.h"
#include "model/shared.h"
#include "model/text.h"
#include "model/unique_text.h"

namespace dsdoctor::model {

/// The owner reference with `controller: true`.
struct ControllerRef {
  Text kind;
  Text name;
  Text uid;
  Text api_version = {};  // "apps/v1"; empty: not known

  friend bool operator==(const ControllerRef&, const ControllerRef&) = default;
};

/// Reports whether the owner is one of Kubernetes' own DaemonSets. Other projects have kinds of the
/// same name: apps.kruise.io, for example.
[[nodiscard]] inline bool is_daemon_set(const ControllerRef& owner) {
  if (owner.kind != "DaemonSet") return false;
  const std::string_view version = owner.api_version;
  return version.empty() || version.starts_with("apps/") || version.starts_with("extensions/");
}

/// "apps.kruise.io" of "apps.kruise.io/v1beta1"; empty for the core group.
[[nodiscard]] inline std::string_view api_group(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

/// One entry of managedFields: the client that wrote some of an object's fields, and the latest
/// possible time.
struct FieldManager {
  Text manager;
  Text operation;    // Apply, Update
  Text subresource;  // "status": heartbeats
  OptionalTime time;
  std::vector<Text> labels;  // keys under metadata.labels owned by this manager
  bool spec = false;
  bool taints = false;         // the whole list: it is one field
  bool unschedulable = false;  // spec.unschedulable
  bool tolerations = false;    // of a pod template, at least one

  friend bool operator==(const FieldManager&, const FieldManager&) = default;
};

struct ObjectMeta {
  Text ns;  // empty for cluster-scoped objects
  Text name;
  UniqueText uid;
  UniqueText resource_version;
  Labels labels;
  OptionalTime created;
  OptionalTime deleted;                      // deletionTimestamp: set means terminating
  SharedOptional<ControllerRef> controller;  // the first owner reference with `controller: true`
  SharedOptional<std::int64_t> grace_seconds = {};  // deletionGracePeriodSeconds
  RareList<Text> finalizers = {};
  RareList<FieldManager> managers = {};  // only if requested

  friend bool operator==(const ObjectMeta&, const ObjectMeta&) = default;
};

/// A condition of a Node or a Pod.
struct Condition {
  Text type;
  Text status;  // "True", "False" or "Unknown"
  Text reason;
  Text message;
  OptionalTime last_transition;
  OptionalTime last_heartbeat = {};  // of a node's condition

  friend bool operator==(const Condition&, const Condition&) = default;
};

/// The first condition of that type, which is the one Kubernetes looks at; null if none.
/// Valid as long as `conditions` is.
[[nodiscard]] inline const Condition* find_condition(const std::vector<Condition>& conditions,
                                                     std::string_view type) {
  const auto at = std::ranges::find(conditions, type, [](const auto& c) { return c.type.view(); });
  return at == conditions.end() ? nullptr : &*at;
}

}  // namespace dsdoctor::model
