#pragma once

#include <vector>

#include "diagnosis/report/node_report.h"
#include "model/cluster.h"
#include "model/detail_query.h"

namespace dsdoctor::diagnosis {

/// The claims of the DaemonSet's pods. `unbound`: the cluster's pods without a node.
void add_claims(const model::DaemonSet& ds, const std::vector<const model::Pod*>& unbound,
                model::DetailQuery& query);

/// The scheduler says that the node is at its pod limit, so that another pod may have to move.
[[nodiscard]] bool lacks_a_slot(const model::Cluster& cluster, const model::DaemonSet& ds,
                                const NodeReport& node);

/// DeviceClasses, where the pod requests an extended resource that the node does not offer: one may
/// provide it.
void add_device_classes(const model::Cluster& cluster, const model::DaemonSet& ds,
                        const NodeReport& node, model::DetailQuery& query);

}  // namespace dsdoctor::diagnosis
