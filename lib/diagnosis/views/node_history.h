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

/// What differs about one node; `first` is then, `second` is now. A node that was added has
/// everything only now, one that was removed only then.
struct NodeChange {
  model::Text name;
  NodeChangeKind kind = NodeChangeKind::Changed;
  MapDiff labels;
  std::vector<model::Taint> taints_only_first;
  std::vector<model::Taint> taints_only_second;
  /// Deleted, and another node was added under its name: the UIDs differ.
  bool recreated = false;
};

/// A verdict that is another than it was, where the rules that decide about the node came to
/// another result: because the node changed, or the DaemonSet.
struct VerdictFlip {
  model::Text ns;
  model::Text name;  // of the DaemonSet
  model::Text node;
  NodeVerdict before = NodeVerdict::Unknown;
  NodeVerdict after = NodeVerdict::Unknown;
  std::vector<placement::Reason> gone;               // held then, and no longer
  std::vector<placement::Reason> come;               // hold now, and did not then
  std::vector<const model::KnownTaint*> known_gone;  // of each, as in NodeReport
  std::vector<const model::KnownTaint*> known_come;
  bool node_changed = false;  // so that the DaemonSet of then decides otherwise; else that changed
};

/// A verdict that is another than it was for the same reasons: its pods changed, or what the
/// kubelet reports of them.
struct PodFlip {
  model::Text ns;
  model::Text name;  // of the DaemonSet
  model::Text node;
  NodeVerdict before = NodeVerdict::Unknown;
  NodeVerdict after = NodeVerdict::Unknown;
};

struct NodeHistory {
  using Name = std::pair<model::Text, model::Text>;  // of a DaemonSet: namespace and name

  std::vector<NodeChange> nodes;   // by name
  std::vector<VerdictFlip> flips;  // by DaemonSet and node
  std::vector<PodFlip> pod_flips;  // by DaemonSet and node
  std::vector<Name> only_then;     // DaemonSets that one side alone has: not compared
  std::vector<Name> only_now;
  std::size_t compared_nodes = 0;  // on both sides
  bool comparable = true;          // nodes were read on both sides

  [[nodiscard]] bool empty() const { return nodes.empty() && flips.empty(); }
};

/// One side: who judges its cluster, and the DaemonSets of it that were asked for.
struct HistorySide {
  const Reporter& reporter;
  std::vector<const model::DaemonSet*> daemon_sets;
};

/// What changed from `then` to `now`. A node of the same name and another UID is one that changed,
/// even where labels and taints did not. Each side is judged by its own time. Looked at are nodes
/// that `selects` picks on either side, all when it is empty. Only what is known on both sides can
/// flip.
[[nodiscard]] NodeHistory node_history(const HistorySide& then, const HistorySide& now,
                                       const std::function<bool(const model::Node&)>& selects = {});

}  // namespace dsdoctor::diagnosis
