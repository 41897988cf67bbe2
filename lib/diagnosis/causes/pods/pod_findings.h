#pragma once

#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

/// What is the matter with the pods of a DaemonSet, node by node. Empty for healthy ones.
namespace dsdoctor::diagnosis {

/// Of one bound pod: refused or killed by the kubelet, not taken up, not started, not ready, not
/// available yet. None for a terminating or a succeeded one: pod_set_findings() speaks of those.
[[nodiscard]] std::vector<Finding> bound_pod_findings(const NodeCase& c, const model::Pod& pod);

/// Of a node that has no pod now, but whose events tell of one: refused by the kubelet within the
/// last 20 minutes, or evicted over and over.
[[nodiscard]] std::vector<Finding> gone_pod_findings(const NodeCase& c);

/// Of a node's pods as a whole: too many, stuck in termination, misscheduled, ended, beside a
/// static pod that does the same work, or evicted over and over for a toleration that runs out.
[[nodiscard]] std::vector<Finding> pod_set_findings(const NodeCase& c);

}  // namespace dsdoctor::diagnosis
