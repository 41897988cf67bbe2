#pragma once

#include <cstddef>
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
  bool present = false;  // by the requests of its pods there; else by those of its template
  std::size_t pods = 1;  // that are there, or should be
  scheduling::Amounts requests;
};

/// What DaemonSets ask of a node, beside what it offers.
struct NodeLoad {
  model::Text node;
  std::vector<DaemonShare> shares;  // that have a pod there, or should; in the order given
  bool of_all = true;               // else of some of the cluster's DaemonSets
  std::size_t pods = 0;             // the sum
  scheduling::Amounts requests;     // the sum
  scheduling::Amounts allocatable;
};

/// REQUIRES: each report is of its DaemonSet, and holds `node`.
[[nodiscard]] NodeLoad load_of(
    const model::Cluster& cluster, const model::Node& node,
    const std::vector<std::pair<const model::DaemonSet*, const DaemonSetReport*>>& daemon_sets);

}  // namespace dsdoctor::diagnosis
