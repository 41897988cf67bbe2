// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/problems/problem.h"
#include "diagnosis/report/report.h"
#include "model/cluster.h"
#include "model/text.h"

namespace dsdoctor::diagnosis {

/// The node names of all reports, sorted, and for each report the index of each of its nodes.
class NodeIndex {
 public:
  explicit NodeIndex(const std::vector<const DaemonSetReport*>& reports);

  [[nodiscard]] const std::vector<model::Text>& names() const { return names_; }
  /// Index into names() of the node at `at` in `report`, one of those of the constructor.
  [[nodiscard]] std::size_t of(const DaemonSetReport& report, std::size_t at) const;

 private:
  [[nodiscard]] std::uint32_t find(std::string_view name) const;

  std::vector<model::Text> names_;
  /// The list of names that reports share, and the index of each of them.
  const std::vector<model::Text>* shared_ = nullptr;
  std::vector<std::uint32_t> shared_places_;
};

/// A DaemonSet on the nodes of a class.
struct MatrixCell {
  std::optional<NodeVerdict> verdict;  // absent: the nodes are not in its report, or differ
  std::optional<std::size_t> problem;  // index into Problems::problems, which affects the nodes
  std::size_t nodes = 0;               // those with a problem
};

/// No value of a label: it has a blank.
inline constexpr std::string_view several_pools = "several pools";

/// Nodes on which each DaemonSet with a problem has the same verdict because of the same problem.
struct NodeClass {
  std::vector<std::size_t> nodes;  // indexes into NodeIndex::names, ascending
  std::string_view pool = {};      // value of the label, or several_pools; empty: none has it
  /// A taint, condition or label that all of them have, and no other node of the pool:
  /// "dedicated=gpu:NoSchedule", "disk=ssd", "Ready=False". Empty if nothing was found.
  std::string trait = {};
  std::vector<MatrixCell> cells;  // as long as PlacementMatrix::daemon_sets
};

/// DaemonSets with a problem against classes of nodes.
struct PlacementMatrix {
  std::string_view label;                // whose values are the pools; empty: no node has one
  std::vector<std::size_t> daemon_sets;  // rows: indexes into the reports
  std::vector<NodeClass> classes;        // columns, by pool; in a pool the largest class first
  /// The nodes of the smallest classes if there are too many; with the first problem of each cell.
  NodeClass rest = {};
  std::size_t classes_of_rest = 0;
};

/// The matrix of the reports whose indexes are in `rows`, in this order. Classes beyond the
/// `most` largest are joined. Takes time proportional to rows × nodes. The result refers to
/// `cluster`, to which the reports belong.
[[nodiscard]] PlacementMatrix placement_matrix(const std::vector<const DaemonSetReport*>& reports,
                                               const Problems& problems, const NodeIndex& index,
                                               const model::Cluster& cluster,
                                               const std::vector<std::size_t>& rows,
                                               std::size_t most);

/// The label that names pools of this cluster: the known one with the most values; if no node has
/// one, the prefix of the labels for roles, `role_prefix`. Empty if no node has one of these
/// either.
[[nodiscard]] std::string_view pool_label(const model::Cluster& cluster);
inline constexpr std::string_view role_prefix = "node-role.kubernetes.io/";
/// The pool of a node by the result of pool_label: the label's value, or the first role. Empty if
/// it has none.
[[nodiscard]] std::string_view pool_of(const model::Node& node, std::string_view label);

}  // namespace dsdoctor::diagnosis
