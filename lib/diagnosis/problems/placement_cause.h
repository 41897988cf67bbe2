#pragma once

#include <optional>
#include <string_view>

#include "diagnosis/evidence/attribution.h"
#include "diagnosis/problems/problem.h"

/// What one placement brings to the problem that it belongs to.
namespace dsdoctor::diagnosis {

/// The one finding that the placement is put down to; null where none explains it.
[[nodiscard]] const Finding* cause_of(const NodeState& state);
[[nodiscard]] inline const Finding* cause_of(const NodeReport& node) {
  return cause_of(*node.state);
}

/// An eligible node without a ready pod that does not resolve without action is an error. `cause`:
/// as cause_of.
[[nodiscard]] Severity severity_of(const NodeReport& node, const Finding* cause);

[[nodiscard]] Action action_of(const Finding& finding);
/// `cause`: as cause_of.
[[nodiscard]] Action action_of(const NodeReport& node, const Finding* cause);

/// The known one, where one of them is.
[[nodiscard]] model::OptionalTime earlier(model::OptionalTime a, model::OptionalTime b);

/// Absent where the condition Ready is True, or says no time.
[[nodiscard]] model::OptionalTime not_ready_since(const model::Node& node);

/// When the terminating pod of the placement has to be gone; absent where it has none.
[[nodiscard]] model::OptionalTime end_of(const DaemonSetReport& report, const NodeReport& node,
                                         const model::Cluster& cluster);

/// A pod is there that the DaemonSet does not want on the node.
[[nodiscard]] bool is_misplaced(NodeVerdict verdict);

/// When the first of the taints that exclude the node was added; an upper bound where that of one
/// is not known exactly. Absent where no taint's time is known, or a label excludes it as well.
/// `root`: "key:effect", where only that taint counts.
[[nodiscard]] std::optional<TaintTime> untolerated_since(const NodeReport& report,
                                                         const model::Node& node,
                                                         std::string_view root = {});

/// Since when the pod that stands for the placement is as it is; absent where nothing tells. A
/// misplaced one: since the taint of the root came, or the first of those that exclude the node.
[[nodiscard]] model::OptionalTime since_of(const DaemonSetReport& report, const NodeReport& node,
                                           const model::Cluster& cluster, const Root& root = {});

}  // namespace dsdoctor::diagnosis
