// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnosis/report/node_report.h"
#include "model/cluster.h"
#include "model/detail_query.h"

namespace dsdoctor::diagnosis {

/// Adds the claims of the DaemonSet's pods. `unbound`: the cluster's pods without a node.
void add_claims(const model::DaemonSet& ds, const std::vector<const model::Pod*>& unbound,
                model::DetailQuery& query);

/// Whether the scheduler reports the node as full, so that another pod may have to move.
[[nodiscard]] bool lacks_a_slot(const model::Cluster& cluster, const model::DaemonSet& ds,
                                const NodeReport& node);

/// Adds DeviceClasses if the pod requests an extended resource that the node lacks: a DeviceClass
/// may provide it.
void add_device_classes(const model::Cluster& cluster, const model::DaemonSet& ds,
                        const NodeReport& node, model::DetailQuery& query);

/// Adds the PodGroups that pending pods of the DaemonSet on the node name.
void add_pod_groups(const model::Cluster& cluster, const model::DaemonSet& ds,
                    const NodeReport& node, model::DetailQuery& query);
/// Adds the PodGroups that the DaemonSet's template and its unbound pods name.
void add_pod_groups(const model::DaemonSet& ds, const std::vector<const model::Pod*>& unbound,
                    model::DetailQuery& query);
/// Adds the taints of devices if the DaemonSet's pods name a ResourceClaim.
void add_device_taints(const model::Cluster& cluster, const model::DaemonSet& ds,
                       model::DetailQuery& query);

}  // namespace dsdoctor::diagnosis
