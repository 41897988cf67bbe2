// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dsdoctor::testing {

/// Clusters in which no two nodes are alike, or no two DaemonSets. Nothing in them is unusual in a
/// real fleet; only their sizes are.
[[nodiscard]] const std::vector<std::string_view>& cluster_shapes();

/// A v1 List of Nodes and DaemonSets, without Pods unless the shape has them. `nodes`: of shape
/// "namespaces" the number of namespaces. Empty if there is no such shape.
[[nodiscard]] std::string cluster_of_shape(std::string_view shape, std::size_t nodes,
                                           std::size_t daemon_sets);

}  // namespace dsdoctor::testing
