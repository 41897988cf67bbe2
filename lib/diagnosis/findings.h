#pragma once

#include <vector>

#include "diagnosis/controller_behaviour.h"
#include "diagnosis/daemon_pods.h"
#include "diagnosis/finding.h"
#include "diagnosis/report.h"
#include "model/cluster.h"

namespace dsdoctor::diagnosis {

/// What is known about a node beyond the reasons of its verdict. `report` has its verdict, pods and
/// reasons already.
[[nodiscard]] std::vector<Finding> node_findings(const model::Node& node, const NodeReport& report);

/// What daemon_set_findings looks at.
struct DaemonSetCase {
  const model::DaemonSet& ds;
  const model::Cluster& cluster;
  const ControllerBehaviour& behaviour;
  const PodIndex::Claimed& claimed;
  const std::vector<const model::Pod*>& lost;  // whose target node cannot be told
};

/// What is the matter with the DaemonSet as a whole, gravest first. `report` is complete but for
/// its findings.
[[nodiscard]] std::vector<Finding> daemon_set_findings(const DaemonSetCase& the_case,
                                                       const DaemonSetReport& report);

}  // namespace dsdoctor::diagnosis
