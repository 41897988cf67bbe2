#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/evidence/status.h"
#include "diagnosis/evidence/timeline_entry.h"
#include "diagnosis/evidence/workload_kind.h"
#include "model/cluster.h"
#include "model/shared.h"
#include "placement/verdict.h"

namespace dsdoctor::diagnosis {

/// What is the matter with one DaemonSet on one node; the odd ones first.
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
[[nodiscard]] std::string_view to_string(NodeVerdict verdict);

/// A verdict that somebody should look at. Running and excluded are as they should be, terminating
/// passes by itself (every rollout goes through it), unknown says nothing.
[[nodiscard]] bool is_wrong(NodeVerdict verdict);

struct PodReport {
  model::Text name;
  model::Text phase;
  model::Text reason;  // status.reason
  bool bound = false;
  bool ready = false;
  bool available = false;
  bool outdated = false;  // older template revision
  bool terminating = false;
  bool adoptable = false;  // no owner yet; the controller will adopt it

  friend bool operator==(const PodReport&, const PodReport&) = default;
};

/// What there is to say of a DaemonSet on a node, but for the node's name.
struct NodeState {
  placement::Decision decision = placement::Decision::Run;
  NodeVerdict verdict = NodeVerdict::Running;
  bool node_known = true;       // false: only pods tell of it; the decision means nothing
  std::vector<PodReport> pods;  // the one that stands for them first
  model::SharedList<placement::Reason> reasons;
  /// Of each reason: what is known of its taint. Null for other reasons and unknown taints; into
  /// ReportOptions::taints.
  model::SharedList<const model::KnownTaint*> known;
  std::vector<Finding> findings;
  std::optional<Timeline> timeline = {};  // where it was asked for
};

/// One node. Those of which the same is to be said share their state.
struct NodeReport {
  model::Text name;
  model::Shared<NodeState> state = {};

  [[nodiscard]] placement::Decision decision() const { return state->decision; }
  [[nodiscard]] NodeVerdict verdict() const { return state->verdict; }
  [[nodiscard]] bool node_known() const { return state->node_known; }
  [[nodiscard]] const std::vector<PodReport>& pods() const { return state->pods; }
  [[nodiscard]] const auto& reasons() const { return state->reasons; }
  [[nodiscard]] const auto& known() const { return state->known; }
  [[nodiscard]] const std::vector<Finding>& findings() const { return state->findings; }
  [[nodiscard]] const std::optional<Timeline>& timeline() const { return state->timeline; }

  /// Of this node alone.
  template <typename Change>
  void change(const Change& change) {
    NodeState changed = *state;
    change(changed);
    state = std::move(changed);
  }
};

/// Somebody should look at the node: by its verdict, or by a finding that is more than information.
/// Never one that is excluded: what it lacks to be eligible is a finding of the DaemonSet.
[[nodiscard]] bool is_wrong(const NodeReport& node);

/// Of a finding about the DaemonSet as a whole: it is more than a remark, or explains the nodes in
/// a way that no verdict shows.
[[nodiscard]] bool is_worth_saying(const Finding& finding);

struct DaemonSetReport {
  model::Text ns;
  model::Text name;
  Workload workload;
  model::DaemonSetCounts reported;
  bool observed = false;  // `reported` is of the present generation
  EvaluatedCounts evaluated;
  /// The counters in which the two differ; absent where too little was read to tell.
  std::optional<std::vector<CountDifference>> differences;
  bool covered = true;              // the pods of the nodes that were asked about were read
  std::size_t all_nodes = 0;        // of the cluster, selected or not
  std::size_t nodes_with_pods = 0;  // with a pod of the DaemonSet, eligible or not
  /// By name; only the selected ones. Where no nodes could be read: those that pods name, whose
  /// verdict then tells of the pods alone.
  std::vector<NodeReport> nodes;
  /// By name: pods are bound to them, and they do not exist. Empty where nodes are selected.
  std::vector<NodeReport> vanished_nodes = {};
  std::vector<Finding> findings;
  std::optional<Timeline> timeline = {};  // where it was asked for
};

/// maxSurge is in force: a new pod is created beside the old one.
[[nodiscard]] bool is_surge(const model::DaemonSet& ds);

}  // namespace dsdoctor::diagnosis
