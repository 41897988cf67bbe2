// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "diagnosis/reporter.h"
#include "diagnosis/views/node_diff.h"
#include "model/cluster.h"

namespace dsdoctor::diagnosis {

enum class NodeChangeKind { Added, Removed, Changed };

/// As in JSON: "added".
[[nodiscard]] std::string_view to_string(NodeChangeKind kind);

/// Changes of a node; `first` is the earlier state, `second` the later one. For an added node
/// everything is in `second`, for a removed one in `first`.
struct NodeChange {
  model::Text name;
  NodeChangeKind kind = NodeChangeKind::Changed;
  MapDiff labels;
  std::vector<model::Taint> taints_only_first;
  std::vector<model::Taint> taints_only_second;
  /// The node was deleted and added again with the same name: the UIDs differ.
  bool recreated = false;
};

/// A changed verdict with other reasons, because the node or the DaemonSet changed.
struct VerdictFlip {
  model::Text ns;
  model::Text name;  // of the DaemonSet
  model::Text node;
  NodeVerdict before = NodeVerdict::Unknown;
  NodeVerdict after = NodeVerdict::Unknown;
  std::vector<placement::Reason> gone;               // only in the earlier state
  std::vector<placement::Reason> come;               // only in the later state
  std::vector<const model::KnownTaint*> known_gone;  // for each reason, as in NodeReport
  std::vector<const model::KnownTaint*> known_come;
  bool node_changed = false;  // false: only the DaemonSet changed
};

/// A changed verdict with the same reasons: the pods or their status changed.
struct PodFlip {
  model::Text ns;
  model::Text name;  // of the DaemonSet
  model::Text node;
  NodeVerdict before = NodeVerdict::Unknown;
  NodeVerdict after = NodeVerdict::Unknown;
};

struct NodeHistory {
  using Name = std::pair<model::Text, model::Text>;  // namespace and name of a DaemonSet

  std::vector<NodeChange> nodes;   // by name
  std::vector<VerdictFlip> flips;  // by DaemonSet and node
  std::vector<PodFlip> pod_flips;  // by DaemonSet and node
  std::vector<Name> only_then;     // DaemonSets that only one side has; not compared
  std::vector<Name> only_now;
  /// Nodes of one side, not compared: the other side does not have all nodes.
  std::vector<model::Text> nodes_only_then;
  std::vector<model::Text> nodes_only_now;
  /// Kinds ("Event") that only one side has, in the order of a Snapshot.
  std::vector<std::string_view> kinds_only_then;
  std::vector<std::string_view> kinds_only_now;
  std::size_t compared_nodes = 0;   // number of nodes that exist on both sides
  bool comparable = true;           // nodes were read on both sides
  bool verdicts_comparable = true;  // pods and DaemonSets were read on both sides, or on neither

  [[nodiscard]] bool empty() const { return nodes.empty() && flips.empty(); }
};

/// One side of the comparison: the reporter of its cluster, and the requested DaemonSets.
struct HistorySide {
  const Reporter& reporter;
  std::vector<const model::DaemonSet*> daemon_sets;
  /// False: of a cluster only the needed objects were read; a kind without objects may exist.
  bool read_in_full = true;
};

/// Changes from `then` to `now`. A node with the same name and another UID counts as changed, even
/// if labels and taints are equal. A node or a kind that one side lacks because it was not read is
/// not a change. Each side is evaluated at its own time. `selects`: the nodes to
/// compare, if selected on either side; all if empty. Verdicts that are unknown on one side are not
/// compared.
[[nodiscard]] NodeHistory node_history(const HistorySide& then, const HistorySide& now,
                                       const std::function<bool(const model::Node&)>& selects = {});

}  // namespace dsdoctor::diagnosis
