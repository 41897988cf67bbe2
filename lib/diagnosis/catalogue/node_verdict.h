// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace dsdoctor::diagnosis {

/// The state of a DaemonSet on a node, most unusual first.
enum class NodeVerdict {
  Missing,
  Failed,
  Duplicate,
  Misscheduled,
  Removing,
  Pending,
  NotReady,
  Terminating,
  Excluded,
  Running,
  Unknown,  // should run, but no pod of the cluster was read
};

inline constexpr NodeVerdict all_verdicts[] = {
    NodeVerdict::Missing,  NodeVerdict::Failed,  NodeVerdict::Duplicate, NodeVerdict::Misscheduled,
    NodeVerdict::Removing, NodeVerdict::Pending, NodeVerdict::NotReady,  NodeVerdict::Terminating,
    NodeVerdict::Excluded, NodeVerdict::Running, NodeVerdict::Unknown,
};

/// As in JSON: "not-ready".
[[nodiscard]] constexpr std::string_view to_string(NodeVerdict verdict) {
  constexpr std::string_view names[] = {"missing",  "failed",  "duplicate", "misscheduled",
                                        "removing", "pending", "not-ready", "terminating",
                                        "excluded", "running", "unknown"};
  return names[static_cast<std::size_t>(verdict)];
}

/// A verdict that needs attention. Running and excluded are correct, terminating resolves without
/// action (as in every rollout), and unknown is unknown.
[[nodiscard]] constexpr bool is_wrong(NodeVerdict verdict) {
  return verdict != NodeVerdict::Running && verdict != NodeVerdict::Excluded &&
         verdict != NodeVerdict::Terminating && verdict != NodeVerdict::Unknown;
}

}  // namespace dsdoctor::diagnosis
