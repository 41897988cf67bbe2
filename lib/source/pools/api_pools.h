// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "decode/pools/node_templates.h"
#include "kube/client/client.h"
#include "model/cluster.h"

namespace dsdoctor::source {

/// Reads the templates of new nodes from an API server: NodePools of Karpenter, MachineDeployments
/// and MachineSets of Cluster API and of OpenShift, each in the version that the server prefers.
/// Returns an omission for each resource that exists and cannot be read; the server need not have
/// any of them.
[[nodiscard]] std::vector<model::Omission> read_pools(kube::Client& client,
                                                      decode::NodeTemplates& into);

}  // namespace dsdoctor::source
