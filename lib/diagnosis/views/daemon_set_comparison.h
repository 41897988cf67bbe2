// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "diagnosis/reporter.h"
#include "model/cluster.h"

namespace dsdoctor::diagnosis {

/// A node that is eligible for exactly one of two DaemonSets.
struct NodeContrast {
  OwnNodeReport first;   // of the first DaemonSet
  OwnNodeReport second;  // of the second DaemonSet
};

/// Comparison of two DaemonSets on the same nodes.
struct DaemonSetComparison {
  std::pair<model::Text, model::Text> first;  // namespace, name
  std::pair<model::Text, model::Text> second;
  std::vector<NodeContrast> nodes;  // sorted by name
  std::size_t both = 0;             // nodes that are eligible for both
  std::size_t neither = 0;
};

/// Compares two DaemonSets of the reporter's cluster. `selects`: the nodes to compare; all if
/// empty.
[[nodiscard]] DaemonSetComparison compare_daemon_sets(
    const Reporter& reporter, const model::DaemonSet& first, const model::DaemonSet& second,
    const std::function<bool(const model::Node&)>& selects = {});

}  // namespace dsdoctor::diagnosis
