#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "diagnosis/reporter.h"
#include "model/cluster.h"

namespace dsdoctor::diagnosis {

/// A node that one of two DaemonSets wants and the other does not.
struct NodeContrast {
  OwnNodeReport first;   // of the first DaemonSet
  OwnNodeReport second;  // of the other; the node is eligible for exactly one of the two
};

/// Two DaemonSets over the same nodes.
struct DaemonSetComparison {
  std::pair<model::Text, model::Text> first;  // namespace, name
  std::pair<model::Text, model::Text> second;
  std::vector<NodeContrast> nodes;  // by name
  std::size_t both = 0;             // nodes that both want
  std::size_t neither = 0;
};

/// Both are of the reporter's cluster. `selects`: the nodes that are compared; all when empty.
[[nodiscard]] DaemonSetComparison compare_daemon_sets(
    const Reporter& reporter, const model::DaemonSet& first, const model::DaemonSet& second,
    const std::function<bool(const model::Node&)>& selects = {});

}  // namespace dsdoctor::diagnosis
