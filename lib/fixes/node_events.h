// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/reporter.h"
#include "model/cluster.h"

/// Events to come: a node is drained, deleted or rebooted, or pods are restarted by a rollout.
namespace dsdoctor::fixes {

/// Picks nodes by name, by a glob with `*`, or by labels.
struct NodePick {
  std::string text;  // as given
  std::string glob;  // matches names; empty if labels pick
  std::vector<model::NodeSelectorRequirement> labels;
};

/// A hypothetical change of nodes, or an event of theirs.
struct NodeEdit {
  enum class Kind { Taint, Untaint, Label, Unlabel, Cordon, Drain, Delete, Reboot };
  Kind kind = Kind::Taint;
  NodePick nodes;
  model::Taint taint;  // Taint, Untaint; an empty effect matches any effect to untaint
  model::Text key;     // Label; Unlabel, a glob
  model::Text value;   // Label
};

/// Whether this is an event rather than a change.
[[nodiscard]] constexpr bool is_event(NodeEdit::Kind kind) {
  return kind == NodeEdit::Kind::Drain || kind == NodeEdit::Kind::Delete ||
         kind == NodeEdit::Kind::Reboot;
}

/// "drain", "delete-node", "reboot"; empty for changes.
[[nodiscard]] constexpr std::string_view word_of(NodeEdit::Kind event) {
  if (event == NodeEdit::Kind::Drain) return "drain";
  if (event == NodeEdit::Kind::Delete) return "delete-node";
  return event == NodeEdit::Kind::Reboot ? "reboot" : "";
}

/// The picked nodes, as indexes into `cluster.nodes`, ascending.
[[nodiscard]] std::vector<std::size_t> picked_nodes(const model::Cluster& cluster,
                                                    const NodePick& pick);

/// The end of a pod in an event of its node.
enum class PodEnd {
  Stays,        // drain: daemon pods are left alone
  Again,        // the same pod runs again, or its controller creates another one there
  Gone,         // nothing creates it again on this node
  GoneIfEnded,  // reboot: not created again if the kubelet ends pods when the node shuts down
  Stuck,        // a finalizer keeps the object
  Evicted,      // drain: it has ended, or its DaemonSet is not of apps/v1
};

/// "stays", "gone-if-ended"
[[nodiscard]] constexpr std::string_view to_string(PodEnd end) {
  switch (end) {
    case PodEnd::Stays: return "stays";
    case PodEnd::Again: return "again";
    case PodEnd::Gone: return "gone";
    case PodEnd::GoneIfEnded: return "gone-if-ended";
    case PodEnd::Stuck: return "stuck";
    case PodEnd::Evicted: return "evicted";
  }
  return "";
}

/// A pod of a DaemonSet, or, in `unmanaged`, another pod, on a node of an event.
struct PodInEvent {
  model::Text ns;
  model::Text daemon_set;  // empty for other pods
  model::Text pod;
  model::Text node;
  PodEnd end = PodEnd::Stays;
  std::vector<placement::Reason> reasons;  // Gone, GoneIfEnded: why the node is not eligible
  model::Text finalizer = {};              // Stuck: the first one
};

/// A PodDisruptionBudget that forbids evicting a pod now.
struct BudgetInEvent {
  model::Text ns;
  model::Text budget;
  model::Text pod;
};

/// The pods on the nodes of an event.
struct NodeEventForecast {
  NodeEdit::Kind kind = NodeEdit::Kind::Drain;
  std::vector<model::Text> nodes;
  std::vector<PodInEvent> pods;        // those that belong to the selected DaemonSets
  std::size_t evicted = 0;             // drain: other pods that are evicted
  std::vector<PodInEvent> unmanaged;   // drain: other pods that no controller creates again
  std::vector<BudgetInEvent> budgets;  // drain: they forbid evictions now
  bool others_known = false;           // drain: all pods of the nodes, and budgets, were read
};

/// How long a rollout takes.
struct RolloutPace {
  model::Text ns;
  model::Text name;
  /// From the creation of a pod until it was Ready: the median of its pods; absent: not known.
  std::optional<std::chrono::seconds> until_ready;
  std::size_t pods = 0;           // the number of measured pods
  std::chrono::seconds grace{0};  // terminationGracePeriodSeconds
  std::int64_t rounds = 0;        // one for each batch that the budget allows; 0: it does not roll
  std::string budget = {};        // "maxUnavailable 1"
  bool surges = false;            // a new pod runs before the old one ends
  std::size_t dependents = 0;     // pods on its nodes with a volume of a driver that it provides
  std::string driver = {};        // the driver with the most such pods
};

/// The pods of the DaemonSets `asked` on the nodes of the event, and their ends. For a drain, also
/// the other pods, as kubectl drain --ignore-daemonsets treats them.
/// Source of truth: k8s.io/kubectl v0.37.2 pkg/drain/filters.go; kubernetes v1.37.2
/// pkg/controller/podgc and pkg/kubelet/nodeshutdown.
[[nodiscard]] NodeEventForecast forecast_event(const diagnosis::Reporter& reporter,
                                               const NodeEdit& event,
                                               const std::vector<const model::DaemonSet*>& asked);

/// How long nodes lack a pod while a rollout replaces it.
[[nodiscard]] RolloutPace pace_of(const diagnosis::Reporter& reporter, const model::DaemonSet& ds);

}  // namespace dsdoctor::fixes
