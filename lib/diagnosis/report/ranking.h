// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/report.h"

namespace dsdoctor::diagnosis {

/// Sorts the findings of a node and sets their standing: at most one primary first, then other
/// obstacles, then context. Causes in the control plane come before those of the node; the rest is
/// ordered by the stage of a pod's life, then by basis, then by severity. Drops findings that the
/// primary one implies.
void rank(std::vector<Finding>& findings, NodeVerdict verdict);

/// Group of a PreemptNoVictims: a higher priority would evict pods that can start on other nodes.
inline constexpr std::string_view priority_helps = "priority";

/// Suffix of the group of a PodMisscheduled whose pod will be deleted soon without action.
inline constexpr std::string_view pod_ends = "|ends";

/// Group of a KubeletEvicted: the pod exceeded its own limit, and the node was not under pressure.
inline constexpr std::string_view evicted_by_own_limit = "own limit";

/// Whether the finding is a cause that explains all nodes without a pod, so that they need not be
/// examined one by one.
[[nodiscard]] bool is_umbrella(const Finding& finding, NodeVerdict verdict);

/// Whether no pod is created for the DaemonSet as long as the finding holds, and waiting does not
/// help. Deleting pods leaves their nodes without a pod then.
[[nodiscard]] bool stops_creation(const Finding& finding);

}  // namespace dsdoctor::diagnosis
