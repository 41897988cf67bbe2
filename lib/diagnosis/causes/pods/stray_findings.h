#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Pods that belong to no node of the cluster, or not quite to this DaemonSet: on nodes that are
/// gone, with an unknown target, without an owner, of another owner, released.
[[nodiscard]] std::vector<Finding> stray_pod_findings(const DaemonSetCase& c);

}  // namespace dsdoctor::diagnosis
