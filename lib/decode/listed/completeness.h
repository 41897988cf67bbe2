#pragma once

#include <vector>

#include "decode/listed/listed_kinds.h"
#include "model/cluster.h"

/// How much of the pods and nodes was read. What a whole list lacks does not exist. Of anything
/// else the statuses of DaemonSets tell: what they count and nobody has read was left out.
namespace dsdoctor::decode {

/// Sets `all_nodes_known` and `namespaces_without_pods` of what was read from files, and
/// `pods_known` where no pod was. REQUIRES: the objects are sorted; `pods_known` and `nodes_known`
/// tell what was seen.
void settle_completeness(model::Cluster& cluster, const ListedKinds& listed);

/// Nodes that were not read, though pods are bound to them and the status of the DaemonSet counts
/// these pods: the controller counts none on a deleted node. Without those that an event says are
/// deleted. Sorted.
[[nodiscard]] std::vector<model::Text> unread_nodes(const model::Cluster& cluster);

}  // namespace dsdoctor::decode
