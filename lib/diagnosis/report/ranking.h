#pragma once

#include <string_view>
#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/report.h"

namespace dsdoctor::diagnosis {

/// Orders the findings of one node and gives each its standing: at most one primary, first; then
/// what would still be in the way; then context. A cause that the control plane does not act on
/// comes before any of the node's own, and among those the stage of a pod's life that comes first,
/// then what the cluster confirms, then what is graver. Drops what the primary implies.
void rank(std::vector<Finding>& findings, NodeVerdict verdict);

/// Group of a PreemptNoVictims: a higher priority would evict pods that can start elsewhere.
inline constexpr std::string_view priority_helps = "priority";

/// End of the group of a PodMisscheduled: its pod is gone soon, and nobody has to act for it.
inline constexpr std::string_view pod_ends = "|ends";

/// Group of a KubeletEvicted: a limit of the pod itself ended it, and its node had enough.
inline constexpr std::string_view evicted_by_own_limit = "own limit";

/// A cause that explains every node that lacks its pod, so that none has to be looked at alone.
[[nodiscard]] bool is_umbrella(const Finding& finding, NodeVerdict verdict);

/// No pod is created for the DaemonSet as long as it holds, and waiting does not help: whatever
/// deletes pods leaves nodes without one.
[[nodiscard]] bool stops_creation(const Finding& finding);

}  // namespace dsdoctor::diagnosis
