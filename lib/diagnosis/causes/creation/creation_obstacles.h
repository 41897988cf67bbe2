// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/report/cases.h"

/// Obstacles to a DaemonSet's next pod in the objects around it.
namespace dsdoctor::diagnosis {

struct Obstacle {
  FindingId id = {};
  Message words;     // a clause
  std::string name;  // of the object that blocks or is missing
  std::vector<Evidence> evidence;
};

/// Every obstacle that a synthetic pod of the template meets: missing service account,
/// PriorityClass or RuntimeClass, quotas, Pod Security level. Only for kinds of objects that were
/// read.
[[nodiscard]] std::vector<Obstacle> creation_obstacles(const DaemonSetCase& c);

/// Whether enough was read to decide if such an obstacle still exists.
[[nodiscard]] bool can_see_obstacle(const DaemonSetCase& c, FindingId id);

/// The Pod Security level in the namespace's enforce label; empty if it has none or was not read.
[[nodiscard]] std::string_view enforced_level(const DaemonSetCase& c);
/// Evidence from that label.
[[nodiscard]] Evidence level_evidence(const DaemonSetCase& c);

/// Number of nodes that should run a pod and have none; 0 if nodes or pods were not read.
[[nodiscard]] std::int64_t missing_pods(const DaemonSetCase& c);

}  // namespace dsdoctor::diagnosis
