#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

/// What a kubelet refused, killed or did not take up.
/// Source of truth: kubernetes v1.36.2, pkg/kubelet/lifecycle/predicate.go,
/// pkg/kubelet/eviction/helpers.go, pkg/kubelet/nodeshutdown.
namespace dsdoctor::diagnosis {

/// Of a pod that is Failed; none while a newer pod on the node is ready.
[[nodiscard]] std::vector<Finding> failed_pod_findings(const NodeCase& c, const model::Pod& pod);

/// Of a node without a pod, whose kubelet refused or evicted one within the last 20 minutes.
[[nodiscard]] std::vector<Finding> refused_pod_findings(const NodeCase& c);

/// Of a bound pod that its kubelet has not taken up: Pending, and no status.startTime.
[[nodiscard]] std::vector<Finding> unacknowledged_pod_findings(const NodeCase& c,
                                                               const model::Pod& pod);

}  // namespace dsdoctor::diagnosis
