#pragma once

#include <algorithm>
#include <string_view>

#include "scheduling/affinity_term.h"
#include "scheduling/neighbourhood.h"

namespace dsdoctor::scheduling {

/// A node and what runs in the cluster. Refers to what its maker holds: use it immediately.
struct Surroundings {
  const model::Cluster& cluster;
  const model::Node& node;
  PodsOn pods_on;
  /// The same pods by topology.
  Neighbourhood& neighbourhood;
  /// These are taken to be gone. Sorted by address.
  Pods without = {};

  [[nodiscard]] bool is_there(const model::Pod* pod) const {
    return !std::ranges::binary_search(without, pod);
  }
  [[nodiscard]] bool knows_pods_on(std::string_view name) const {
    return scheduling::knows_pods_on(cluster, name);
  }
};

}  // namespace dsdoctor::scheduling
