#pragma once

#include <optional>
#include <vector>

#include "model/labels.h"
#include "model/scheduling.h"
#include "model/text.h"
#include "model/time.h"

namespace dsdoctor::model {

/// The owner reference with `controller: true`. Its apiVersion plays no part anywhere.
struct ControllerRef {
  Text kind;
  Text name;
  Text uid;

  friend bool operator==(const ControllerRef&, const ControllerRef&) = default;
};

struct ObjectMeta {
  Text ns;  // empty for cluster-scoped objects
  Text name;
  Text uid;
  Text resource_version;
  Labels labels;
  std::optional<Time> created;
  std::optional<Time> deleted;              // deletionTimestamp: set means terminating
  std::optional<ControllerRef> controller;  // the first owner reference that says so

  friend bool operator==(const ObjectMeta&, const ObjectMeta&) = default;
};

/// A condition of a Node or a Pod.
struct Condition {
  Text type;
  Text status;  // "True", "False" or "Unknown"
  Text reason;
  Text message;
  std::optional<Time> last_transition;

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
