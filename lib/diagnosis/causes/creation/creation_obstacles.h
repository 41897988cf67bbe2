#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/report/cases.h"

/// What the objects around a DaemonSet hold against its next pod.
namespace dsdoctor::diagnosis {

struct Obstacle {
  FindingId id = {};
  Message words;     // a clause
  std::string name;  // of the object that is in the way, or that is missing
  std::vector<Evidence> evidence;
};

/// Every obstacle that a synthetic pod of the template meets: absent service account, PriorityClass
/// or RuntimeClass, quotas, Pod Security level. Only of kinds that were read.
[[nodiscard]] std::vector<Obstacle> creation_obstacles(const DaemonSetCase& c);

/// Enough was read to say of such an obstacle whether it is still there.
[[nodiscard]] bool can_see_obstacle(const DaemonSetCase& c, FindingId id);

/// The Pod Security level that the namespace's label asks for; empty where it has none or was not
/// read.
[[nodiscard]] std::string_view enforced_level(const DaemonSetCase& c);
/// The label itself.
[[nodiscard]] Evidence level_evidence(const DaemonSetCase& c);

/// Nodes that should run a pod and have none; 0 where nodes or pods were not read.
[[nodiscard]] std::int64_t missing_pods(const DaemonSetCase& c);

}  // namespace dsdoctor::diagnosis
