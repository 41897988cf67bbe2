// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "diagnosis/report/report.h"
#include "model/cluster.h"
#include "scheduling/pod_requests.h"

namespace dsdoctor::diagnosis {

/// Requests of a DaemonSet on a node.
struct DaemonShare {
  model::Text ns;
  model::Text name;
  bool present = false;  // `requests` are those of its pods on the node; false: of its template
  std::size_t pods = 1;  // number of its pods, or 1 for a pod to be created
  scheduling::Amounts requests;
};

/// Requests of DaemonSets on a node, and the node's allocatable resources.
struct NodeLoad {
  model::Text node;
  std::vector<DaemonShare> shares;  // DaemonSets that have or should have a pod; in the order given
  bool of_all = true;               // false: of only some of the cluster's DaemonSets
  std::size_t pods = 0;             // the sum
  scheduling::Amounts requests;     // the sum
  scheduling::Amounts allocatable;
};

/// The load of a node by DaemonSets. REQUIRES: each report belongs to its DaemonSet.
[[nodiscard]] NodeLoad load_of(
    const model::Cluster& cluster, const model::Node& node,
    const std::vector<std::pair<const model::DaemonSet*, const DaemonSetReport*>>& daemon_sets);

}  // namespace dsdoctor::diagnosis
