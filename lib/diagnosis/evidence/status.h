// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/daemon_set.h"
#include "placement/verdict.h"

namespace dsdoctor::diagnosis {

/// Properties of the pod that represents a node in the counters.
struct CountedPod {
  bool ready = false;
  bool available = false;
  bool updated = false;
};

/// Adds a node to the counters. `pod` is null if the DaemonSet has no pod on it. Source of truth:
/// updateDaemonSetStatus, kubernetes v1.36.2, pkg/controller/daemon/daemon_controller.go.
void count_node(model::DaemonSetCounts& counts, placement::Decision decision,
                const CountedPod* pod);

/// Counts by the formulas of the controller. Those that depend on pods are meaningless if no pods
/// were read, and all counts are if no nodes were read.
struct EvaluatedCounts {
  model::DaemonSetCounts counts;
  bool nodes_known = true;
  bool all_nodes_known = true;  // false: counts are only for the nodes that were read
  bool pods_known = true;
  bool revision_known = true;  // false: updated_number_scheduled is meaningless

  friend bool operator==(const EvaluatedCounts&, const EvaluatedCounts&) = default;
};

/// A counter that differs, with its name in status.
struct CountDifference {
  std::string field;
  std::int64_t reported = 0;
  std::int64_t evaluated = 0;

  friend bool operator==(const CountDifference&, const CountDifference&) = default;
};

/// The known counters that differ. Absent if no counter is known, or if none differs but some are
/// unknown.
[[nodiscard]] std::optional<std::vector<CountDifference>> differences(
    const model::DaemonSetCounts& reported, const EvaluatedCounts& evaluated);

}  // namespace dsdoctor::diagnosis
