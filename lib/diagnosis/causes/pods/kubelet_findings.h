// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

/// Pods that a kubelet rejected, killed or did not acknowledge.
/// Source of truth: kubernetes v1.36.2, pkg/kubelet/lifecycle/predicate.go,
/// pkg/kubelet/eviction/helpers.go, pkg/kubelet/nodeshutdown.
namespace dsdoctor::diagnosis {

/// Reports a Failed pod; empty if a newer pod on the node is ready.
[[nodiscard]] std::vector<Finding> failed_pod_findings(const NodeCase& c, const model::Pod& pod);

/// Reports a node without a pod whose kubelet rejected or evicted one within the last 20 minutes.
[[nodiscard]] std::vector<Finding> refused_pod_findings(const NodeCase& c);

/// Reports a bound pod that its kubelet has not acknowledged: Pending, and no status.startTime.
[[nodiscard]] std::vector<Finding> unacknowledged_pod_findings(const NodeCase& c,
                                                               const model::Pod& pod);

}  // namespace dsdoctor::diagnosis
