// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/index_runs.h"
#include "diagnosis/report/node_pool.h"
#include "diagnosis/report/report.h"
#include "model/cluster.h"

namespace dsdoctor::diagnosis {

/// A value that nodes of a group have instead of the required one.
struct HaveCount {
  std::optional<model::Text> have;  // absent: no such label
  std::size_t nodes = 0;

  friend bool operator==(const HaveCount&, const HaveCount&) = default;
};

struct GroupReason {
  placement::Reason reason;                  // reason of the group's first node
  const model::KnownTaint* known = nullptr;  // for that node, as in NodeReport
  bool value_varies = false;                 // the taint has different values on the nodes
  std::vector<HaveCount> haves;  // most frequent first; empty for reasons without such a value
};

/// Nodes with the same verdict for the same reasons. Values that vary from node to node (of a label
/// that does not have the required one, a timestamp in a taint) do not split a group.
struct NodeGroup {
  NodeVerdict verdict = NodeVerdict::Running;
  std::vector<GroupReason> reasons;
  std::vector<std::size_t> nodes;  // into DaemonSetReport::nodes, ascending
  /// At most two labels, such as those of a node pool, that all nodes of the group have and few
  /// running nodes (without running nodes in the report: few other nodes).
  std::vector<std::pair<model::Text, model::Text>> shared_labels;
};

/// The groups of a report, most unusual first: by verdict, then by size. `labels`: of the report's
/// cluster.
[[nodiscard]] std::vector<NodeGroup> group_nodes(const DaemonSetReport& report,
                                                 const TellingLabels& labels);

/// A reason and all nodes with the same verdict that it applies to.
struct Cause {
  NodeVerdict verdict = NodeVerdict::Excluded;
  placement::Reason reason;  // reason of the first node
  const model::KnownTaint* known = nullptr;
  std::vector<model::Text> nodes;
};

/// The causes of a report, by verdict, then by number of nodes. A volatile value of a taint does
/// not split a cause. `nodes`: indexes into report.nodes to consider; absent: all nodes.
[[nodiscard]] std::vector<Cause> causes(const DaemonSetReport& report,
                                        const std::optional<base::IndexRuns>& nodes = std::nullopt);

}  // namespace dsdoctor::diagnosis
