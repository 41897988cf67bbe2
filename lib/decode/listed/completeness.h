// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "decode/listed/listed_kinds.h"
#include "model/cluster.h"

/// Determines whether all pods and nodes were read. An object that a complete list lacks does not
/// exist. Without a complete list, the statuses of DaemonSets are compared: pods and nodes that
/// they count and that were not read are missing in the input.
namespace dsdoctor::decode {

/// Sets `all_nodes_known` and `namespaces_without_pods` of a cluster from files, and `pods_known`
/// if no pod was read. REQUIRES: the objects are sorted; `pods_known` and `nodes_known` are true if
/// such objects or lists were seen.
void settle_completeness(model::Cluster& cluster, const ListedKinds& listed);

/// Nodes that were not read although pods are bound to them that the status of the DaemonSet
/// counts: the controller does not count pods on deleted nodes. Nodes with an event about their
/// removal are left out. Sorted.
[[nodiscard]] std::vector<model::Text> unread_nodes(const model::Cluster& cluster);

}  // namespace dsdoctor::decode
