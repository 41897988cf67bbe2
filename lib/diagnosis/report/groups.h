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

/// What the nodes of a group have where a reason wants something else.
struct HaveCount {
  std::optional<model::Text> have;  // absent: no such label
  std::size_t nodes = 0;

  friend bool operator==(const HaveCount&, const HaveCount&) = default;
};

struct GroupReason {
  placement::Reason reason;                  // of the group's first node
  const model::KnownTaint* known = nullptr;  // of that node, as in NodeReport
  bool value_varies = false;                 // a taint whose value is another on each node
  std::vector<HaveCount> haves;  // most frequent first; empty where a reason has no such thing
};

/// Nodes with the same verdict for the same reasons. What merely varies from node to node (the
/// value of a label that is not the required one, a timestamp in a taint) does not split a group.
struct NodeGroup {
  NodeVerdict verdict = NodeVerdict::Running;
  std::vector<GroupReason> reasons;
  std::vector<std::size_t> nodes;  // into DaemonSetReport::nodes, ascending
  /// Labels like a node pool's that all of them have and hardly any running node has, or, where
  /// none is reported on, any other node; at most two.
  std::vector<std::pair<model::Text, model::Text>> shared_labels;
};

/// The odd ones first: by verdict, then the larger group. `labels`: of the report's cluster.
[[nodiscard]] std::vector<NodeGroup> group_nodes(const DaemonSetReport& report,
                                                 const TellingLabels& labels);

/// One reason, with all nodes of one verdict that it applies to.
struct Cause {
  NodeVerdict verdict = NodeVerdict::Excluded;
  placement::Reason reason;  // of the first node
  const model::KnownTaint* known = nullptr;
  std::vector<model::Text> nodes;
};

/// In the order of verdicts, then the cause of more nodes. A volatile taint value does not split.
/// `nodes`: into report.nodes, only of these; absent: of all.
[[nodiscard]] std::vector<Cause> causes(const DaemonSetReport& report,
                                        const std::optional<base::IndexRuns>& nodes = std::nullopt);

}  // namespace dsdoctor::diagnosis
