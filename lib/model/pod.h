#pragma once

#include <optional>
#include <vector>

#include "model/meta.h"
#include "model/scheduling.h"

namespace dsdoctor::model {

struct Pod {
  ObjectMeta meta;
  Text node_name;                             // empty until bound
  std::optional<NodeSelector> node_affinity;  // the pod's own required terms: name its target node
  Text phase;                                 // Pending, Running, Succeeded, Failed, Unknown
  Text reason;                                // status.reason: OutOfpods, Evicted, ...
  Text message;
  std::vector<Condition> conditions;

  friend bool operator==(const Pod&, const Pod&) = default;
};

}  // namespace dsdoctor::model
