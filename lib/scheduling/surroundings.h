// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>

#include "scheduling/affinity_term.h"
#include "scheduling/neighbourhood.h"

namespace dsdoctor::scheduling {

/// A node and the pods of the cluster. Refers to data of its creator, so it must not be stored.
struct Surroundings {
  const model::Cluster& cluster;
  const model::Node& node;
  PodsOn pods_on;
  /// The pods of `pods_on` by topology.
  Neighbourhood& neighbourhood;
  /// Pods that are treated as deleted; sorted by address.
  Pods without = {};

  [[nodiscard]] bool is_there(const model::Pod* pod) const {
    return !std::ranges::binary_search(without, pod);
  }
  [[nodiscard]] bool knows_pods_on(std::string_view name) const {
    return scheduling::knows_pods_on(cluster, name);
  }
};

}  // namespace dsdoctor::scheduling
