// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "diagnosis/evidence/attribution.h"
#include "diagnosis/problems/problem.h"

/// Cause, severity, action and times of a placement, for its problem.
namespace dsdoctor::diagnosis {

/// The finding that is the cause of the placement's verdict; null if no finding explains it.
[[nodiscard]] const Finding* cause_of(const NodeState& state);
[[nodiscard]] inline const Finding* cause_of(const NodeReport& node) {
  return cause_of(*node.state);
}

/// The same, but if a pod has a node selector that is not from its template, the finding of the
/// DaemonSet about what adds it.
[[nodiscard]] const Finding* root_cause_of(const NodeState& state, const DaemonSetReport& report);
/// The same, but also if the kubelet rejected the pod because of that selector.
[[nodiscard]] const Finding* root_cause_of(const NodeReport& node, const DaemonSetReport& report);

/// The severity of a placement: at least Error for an eligible node without a ready pod, else at
/// least Warning. `cause`: result of cause_of.
[[nodiscard]] Severity severity_of(const NodeReport& node, const Finding* cause);

[[nodiscard]] Action action_of(const Finding& finding);
/// `cause`: result of cause_of.
[[nodiscard]] Action action_of(const NodeReport& node, const Finding* cause);

/// The earlier time; if only one is known, that one.
[[nodiscard]] model::OptionalTime earlier(model::OptionalTime a, model::OptionalTime b);

/// The time since when the node is not Ready. Absent if the condition Ready is True, or has no
/// time.
[[nodiscard]] model::OptionalTime not_ready_since(const model::Node& node);

/// The deletionTimestamp of the placement's pod; absent if the pod is not terminating.
[[nodiscard]] model::OptionalTime end_of(const DaemonSetReport& report, const NodeReport& node,
                                         const model::Cluster& cluster);

/// Whether the verdict means a pod on a node that is not eligible.
[[nodiscard]] bool is_misplaced(NodeVerdict verdict);

/// The time when the first of the taints that exclude the node was added; an upper bound if the
/// time of one is not known exactly. Absent if no taint's time is known, or if labels exclude the
/// node as well. `root`: "key:effect" to count only that taint; empty: all.
[[nodiscard]] std::optional<TaintTime> untolerated_since(const NodeReport& report,
                                                         const model::Node& node,
                                                         std::string_view root = {});

/// The time since when the placement's pod has been in its state; absent if not known. For a
/// misplaced pod: since the taint of the root was added, or the first taint that excludes the node.
[[nodiscard]] model::OptionalTime since_of(const DaemonSetReport& report, const NodeReport& node,
                                           const model::Cluster& cluster, const Root& root = {});

}  // namespace dsdoctor::diagnosis
