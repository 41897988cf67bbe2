#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/report/report.h"
#include "model/cluster.h"

/// How far a DaemonSet reaches over the nodes, and what stops it.
namespace dsdoctor::diagnosis {

/// "taint gpu:NoSchedule", "node selector disk=ssd (the node has hdd)"
[[nodiscard]] Message clause_of(const placement::Reason& reason);

/// Nothing but taints keeps the DaemonSet from the node.
[[nodiscard]] bool is_curable(const NodeReport& node);

/// Runs no pods of DaemonSets, whatever they tolerate: "Fargate node", "virtual node". Empty for
/// other nodes. `entry` is of the node.
[[nodiscard]] std::string_view takes_no_daemons(const NodeReport& entry, const model::Node& node);

/// How many requirements the node fails, those included that are only counted.
[[nodiscard]] std::size_t number_of_clauses(const NodeReport& node);

/// Clauses that keep nodes out.
struct Obstacles {
  std::vector<Message> most_frequent;  // "30 by taint gpu:NoSchedule"
  std::size_t others = 0;              // clauses beside these
};

/// The `shown` clauses that keep most nodes out, the most frequent first. Clauses that are only
/// counted are left out.
[[nodiscard]] Obstacles obstacles(const DaemonSetReport& report, std::size_t shown);

/// The node that fails the fewest requirements, and of these one that has the labels with other
/// values; absent where every node is eligible or there is none.
[[nodiscard]] std::optional<NodeReport> closest_node(const DaemonSetReport& report);

/// The node is kept out by nothing but taints of a state that ends or can be ended: then it is
/// eligible again. False where the node is eligible.
[[nodiscard]] bool is_out_by_state(const NodeState& state);

/// What keeps a node out for now, and somebody has to end; null where nothing does.
[[nodiscard]] const Finding* temporary_obstacle(const NodeReport& report);

/// The nodes that have one.
[[nodiscard]] std::vector<std::size_t> left_out(const DaemonSetReport& report);

struct Label {
  model::Text key;
  model::Text value;
};

/// A label of the node selector that no node has: nobody can ever be eligible.
[[nodiscard]] std::optional<Label> label_of_no_node(const model::DaemonSet& ds,
                                                    const model::Cluster& cluster);

struct LabelOfNode {
  const model::Node* node = nullptr;  // of the cluster
  Label label;
};

/// A label of a node that the node selector may have meant: its key or its value is spelled
/// differently. Absent where there is none.
[[nodiscard]] std::optional<LabelOfNode> similar_label(const model::DaemonSet& ds,
                                                       const model::Cluster& cluster);

}  // namespace dsdoctor::diagnosis
