#pragma once

#include <string>
#include <utility>
#include <vector>

#include "diagnosis/reporter.h"
#include "model/cluster.h"

namespace dsdoctor::diagnosis {

/// Where one DaemonSet's pods are not what its placement rules say.
/// missing + unexpected + agreeing + unknown is the number of nodes looked at, nodes that do not
/// exist but have pods included.
struct PlacementDiff {
  model::Text ns;
  model::Text name;
  NodeReports missing;  // should have a pod, has none
  /// Has a pod too many: misscheduled, removing, duplicate, or the node does not exist.
  NodeReports unexpected;
  std::size_t agreeing = 0;
  std::size_t unknown = 0;  // no pods were read, or no nodes: whether these belong there
  std::size_t unbound = 0;  // of the agreeing: the pod is there, but not bound to the node yet
  std::size_t unwell = 0;   // of the agreeing: bound, but not ready or failed
  std::size_t ending = 0;   // of the agreeing: terminating
};

[[nodiscard]] inline bool differs(const PlacementDiff& diff) {
  return !diff.missing.empty() || !diff.unexpected.empty();
}

/// A pod is missing, or one too many.
[[nodiscard]] bool is_difference(NodeVerdict verdict);

[[nodiscard]] PlacementDiff placement_diff(const DaemonSetReport& report);

/// Two string maps beside each other.
struct MapDiff {
  model::Labels only_first;
  model::Labels only_second;
  std::vector<std::pair<model::Text, std::pair<model::Text, model::Text>>> changed;  // by key

  [[nodiscard]] bool empty() const {
    return only_first.empty() && only_second.empty() && changed.empty();
  }
};

[[nodiscard]] MapDiff diff(const model::Labels& first, const model::Labels& second);

/// The taints that are not among `those`.
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
  std::size_t alike = 0;  // DaemonSets with the same verdict on both

  [[nodiscard]] bool empty() const {
    return labels.empty() && taints_only_first.empty() && taints_only_second.empty() &&
           allocatable.empty() && conditions.empty() && daemon_sets.empty();
  }
};

/// The DaemonSets and both nodes are of the reporter's cluster; which nodes its options select
/// plays no part.
[[nodiscard]] NodeComparison compare_nodes(const Reporter& reporter,
                                           const std::vector<const model::DaemonSet*>& daemon_sets,
                                           const model::Node& first, const model::Node& second);

}  // namespace dsdoctor::diagnosis
