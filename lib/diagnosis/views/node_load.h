#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "diagnosis/report/report.h"
#include "model/cluster.h"
#include "scheduling/pod_requests.h"

namespace dsdoctor::diagnosis {

/// What one DaemonSet asks of a node.
struct DaemonShare {
  model::Text ns;
  model::Text name;
  bool present = false;  // by the requests of its pod there; else by those of its template
  scheduling::Amounts requests;
};

/// What all DaemonSets ask of a node, beside what it offers.
struct NodeLoad {
  model::Text node;
  std::vector<DaemonShare> shares;  // that have a pod there, or should; in the order given
  scheduling::Amounts requests;     // the sum
  scheduling::Amounts allocatable;
};

/// REQUIRES: each report is of its DaemonSet, and holds `node`.
[[nodiscard]] NodeLoad load_of(
    const model::Cluster& cluster, const model::Node& node,
    const std::vector<std::pair<const model::DaemonSet*, const DaemonSetReport*>>& daemon_sets);

}  // namespace dsdoctor::diagnosis
