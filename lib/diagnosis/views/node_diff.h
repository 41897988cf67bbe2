// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "diagnosis/reporter.h"
#include "model/cluster.h"

namespace dsdoctor::diagnosis {

/// Differences between the pods of a DaemonSet and its placement rules. missing + unexpected +
/// agreeing + unknown is the number of examined nodes, including deleted nodes with pods.
struct PlacementDiff {
  model::Text ns;
  model::Text name;
  NodeReports missing;  // eligible nodes without a pod
  /// Nodes with a pod too many: misscheduled, removing, duplicate, or the node does not exist.
  NodeReports unexpected;
  NodeReports lost;  // agreeing nodes that were eligible before a label changed
  std::size_t agreeing = 0;
  std::size_t unknown = 0;  // pods or nodes were not read
  std::size_t unbound = 0;  // agreeing nodes whose pod is not bound yet
  std::size_t unwell = 0;   // agreeing nodes whose pod is bound, but not ready or failed
  std::size_t ending = 0;   // agreeing nodes whose pod is terminating
};

[[nodiscard]] inline bool differs(const PlacementDiff& diff) {
  return !diff.missing.empty() || !diff.unexpected.empty();
}

/// Whether the verdict means that a pod is missing or that there is one too many.
[[nodiscard]] bool is_difference(NodeVerdict verdict);

[[nodiscard]] PlacementDiff placement_diff(const DaemonSetReport& report);

/// Differences between two string maps.
struct MapDiff {
  model::Labels only_first;
  model::Labels only_second;
  std::vector<std::pair<model::Text, std::pair<model::Text, model::Text>>> changed;  // by key

  [[nodiscard]] bool empty() const {
    return only_first.empty() && only_second.empty() && changed.empty();
  }
};

[[nodiscard]] MapDiff diff(const model::Labels& first, const model::Labels& second);

/// The elements of `taints` that are not in `those`.
[[nodiscard]] std::vector<model::Taint> taints_without(const std::vector<model::Taint>& taints,
                                                       const std::vector<model::Taint>& those);

/// A DaemonSet whose verdict differs between the two nodes.
struct DaemonSetContrast {
  model::Text ns;
  model::Text name;
  OwnNodeReport first;
  OwnNodeReport second;
};

struct NodeComparison {
  model::Text first;
  model::Text second;
  MapDiff labels;
  std::vector<model::Taint> taints_only_first;
  std::vector<model::Taint> taints_only_second;
  MapDiff allocatable;
  MapDiff conditions;  // type -> status
  std::vector<DaemonSetContrast> daemon_sets;
  std::size_t alike = 0;  // number of DaemonSets with the same verdict on both nodes

  [[nodiscard]] bool empty() const {
    return labels.empty() && taints_only_first.empty() && taints_only_second.empty() &&
           allocatable.empty() && conditions.empty() && daemon_sets.empty();
  }
};

/// Compares two nodes. The DaemonSets and nodes are of the reporter's cluster; the reporter's own
/// selection of nodes is ignored.
[[nodiscard]] NodeComparison compare_nodes(const Reporter& reporter,
                                           const std::vector<const model::DaemonSet*>& daemon_sets,
                                           const model::Node& first, const model::Node& second);

}  // namespace dsdoctor::diagnosis
