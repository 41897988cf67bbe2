#pragma once

#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

#include "model/cluster.h"

namespace dsdoctor::scheduling {

/// What a filter says of one pod on one node.
enum class Judgement {
  Passes,
  Blocked,
  Unknown,  // it depends on pods or objects that were not read
};

using Pods = std::vector<const model::Pod*>;

/// A node and what runs in the cluster. Refers to what its maker holds: use it at once.
struct Surroundings {
  const model::Cluster& cluster;
  const model::Node& node;
  /// Of a node: bound pods that are not over, terminating ones included.
  std::function<const Pods&(std::string_view)> pods_on;
  /// Pods of the whole cluster that are bound, not over, and have required anti-affinity.
  const Pods& anti_affine;
  /// These are taken to be gone. Sorted by address.
  Pods without = {};

  [[nodiscard]] bool is_there(const model::Pod* pod) const {
    return !std::ranges::binary_search(without, pod);
  }
  /// All pods of that node are known, whoever owns them.
  [[nodiscard]] bool knows_pods_on(std::string_view name) const {
    const auto view = [](const model::Text& text) { return text.view(); };
    return cluster.all_pods_known ||
           std::ranges::binary_search(cluster.crowded_nodes, name, {}, view);
  }
};

}  // namespace dsdoctor::scheduling
