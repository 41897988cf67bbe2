// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

/// Findings about the pods of a DaemonSet, node by node. Empty for healthy pods.
namespace dsdoctor::diagnosis {

/// Reports a bound pod: rejected or killed by the kubelet, not acknowledged, not started, not
/// ready, not available yet. Empty for a terminating or succeeded pod, which pod_set_findings()
/// reports.
[[nodiscard]] std::vector<Finding> bound_pod_findings(const NodeCase& c, const model::Pod& pod);

/// Reports a node that has no pod now but has events about one: rejected by the kubelet within the
/// last 20 minutes, or evicted repeatedly.
[[nodiscard]] std::vector<Finding> gone_pod_findings(const NodeCase& c);

/// Reports a node's pods as a set: too many, stuck Terminating, misscheduled, completed, beside a
/// static pod that does the same work, or evicted repeatedly because of tolerationSeconds.
[[nodiscard]] std::vector<Finding> pod_set_findings(const NodeCase& c);

}  // namespace dsdoctor::diagnosis
