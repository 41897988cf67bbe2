// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/report/report.h"
#include "model/cluster.h"

/// The nodes that a DaemonSet does not reach, and why.
namespace dsdoctor::diagnosis {

/// "taint gpu:NoSchedule", "node selector disk=ssd (the node has hdd)"
[[nodiscard]] Message clause_of(const placement::Reason& reason);

/// Whether only taints exclude the node.
[[nodiscard]] bool is_curable(const NodeReport& node);

/// The kind of a node that never runs DaemonSet pods, whatever they tolerate: "Fargate node",
/// "virtual node". Empty for other nodes. `entry`: report of the node.
[[nodiscard]] std::string_view takes_no_daemons(const NodeReport& entry, const model::Node& node);

/// Number of requirements that the node fails, including those that are only counted.
[[nodiscard]] std::size_t number_of_clauses(const NodeReport& node);

/// Clauses that exclude nodes.
struct Obstacles {
  std::vector<Message> most_frequent;  // "30 by taint gpu:NoSchedule"
  std::size_t others = 0;              // number of other clauses
};

/// A part of a template that decides about nodes.
enum class TemplatePart { Any, Selector, Affinity, Tolerations };

/// The `shown` clauses that exclude the most nodes, most frequent first; only those of one part of
/// the template if it is given. Requirements that are only counted are omitted.
[[nodiscard]] Obstacles obstacles(const DaemonSetReport& report, std::size_t shown,
                                  TemplatePart part = TemplatePart::Any);

/// The node that fails the fewest requirements for labels; among those the one that fails the
/// fewest requirements of any kind, then the one that lacks the fewest labels, then the first.
/// Absent if no node is excluded.
[[nodiscard]] std::optional<NodeReport> closest_node(const DaemonSetReport& report);

/// Whether only taints of a temporary state exclude the node, so that it becomes eligible when the
/// state ends. False for an eligible node.
[[nodiscard]] bool is_out_by_state(const NodeState& state);

/// The finding about a temporary obstacle that excludes the node and needs action; null if there is
/// none.
[[nodiscard]] const Finding* temporary_obstacle(const NodeReport& report);

/// Indexes of the nodes with a temporary_obstacle().
[[nodiscard]] std::vector<std::size_t> left_out(const DaemonSetReport& report);

struct Label {
  model::Text key;
  model::Text value;
};

/// A label of the node selector that no node has, so that no node is eligible; absent if there is
/// none.
[[nodiscard]] std::optional<Label> label_of_no_node(const model::DaemonSet& ds,
                                                    const model::Cluster& cluster);

struct LabelOfNode {
  const model::Node* node = nullptr;  // into the cluster
  Label label;
};

}  // namespace dsdoctor::diagnosis
