#pragma once

#include <cstddef>
#include <string>

namespace dsdoctor::testing {

/// A v1 List of `nodes` Nodes of about 15 KB each, as large clusters have them: 25 labels, images,
/// managedFields; in ten pools, one of them tainted, and a few nodes that are being removed.
[[nodiscard]] std::string synthetic_nodes(std::size_t nodes);

/// A v1 List of `daemon_sets` DaemonSets with and without tolerations, selectors and affinity, and
/// of one running pod of each on every node of `synthetic_nodes(nodes)`.
[[nodiscard]] std::string synthetic_workload(std::size_t nodes, std::size_t daemon_sets);

}  // namespace dsdoctor::testing
