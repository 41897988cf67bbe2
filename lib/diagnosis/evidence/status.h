#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/daemon_set.h"
#include "placement/verdict.h"

namespace dsdoctor::diagnosis {

/// What the pod that stands for a node's pods adds to the counters.
struct CountedPod {
  bool ready = false;
  bool available = false;
  bool updated = false;
};

/// Adds one node. `pod` is null where the DaemonSet has none on it.
/// Source of truth: updateDaemonSetStatus, kubernetes v1.36.2,
/// pkg/controller/daemon/daemon_controller.go.
void count_node(model::DaemonSetCounts& counts, placement::Decision decision,
                const CountedPod* pod);

/// Counts by the formulas of the controller. Those that depend on pods mean nothing where no pods
/// were read, and none of them does where no nodes were.
struct EvaluatedCounts {
  model::DaemonSetCounts counts;
  bool nodes_known = true;
  bool all_nodes_known = true;  // false: they are of the nodes that were read, and there are more
  bool pods_known = true;
  bool revision_known = true;  // false: updated_number_scheduled means nothing

  friend bool operator==(const EvaluatedCounts&, const EvaluatedCounts&) = default;
};

/// One counter, by the name that it has in status.
struct CountDifference {
  std::string field;
  std::int64_t reported = 0;
  std::int64_t evaluated = 0;

  friend bool operator==(const CountDifference&, const CountDifference&) = default;
};

/// The counters that differ, of those that are known. Absent where none is known, and where none
/// that is known differs, but others are unknown.
[[nodiscard]] std::optional<std::vector<CountDifference>> differences(
    const model::DaemonSetCounts& reported, const EvaluatedCounts& evaluated);

}  // namespace dsdoctor::diagnosis
