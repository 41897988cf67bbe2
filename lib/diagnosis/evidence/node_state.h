#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "model/node.h"

/// What a node is and how it fares, read from its own object.
namespace dsdoctor::diagnosis {

/// The condition of that type if its status is the given one; null else.
[[nodiscard]] const model::Condition* condition_is(const model::Node& node, std::string_view type,
                                                   std::string_view status);

/// The first taint with that key, whatever its effect; null if there is none.
[[nodiscard]] const model::Taint* find_taint(const model::Node& node, std::string_view key);

[[nodiscard]] bool has_label(const model::Node& node, std::string_view key, std::string_view value);

/// Nothing there runs pods of DaemonSets as a kubelet does: virtual-kubelet and its like.
[[nodiscard]] bool is_virtual(const model::Node& node);
/// AWS Fargate: one pod a node, none of a DaemonSet.
[[nodiscard]] bool is_fargate(const model::Node& node);

/// An agent has to take it off before the node is used: "cilium" for
/// node.cilium.io/agent-not-ready. Absent for other taints.
[[nodiscard]] std::optional<std::string> startup_agent(const model::Taint& taint);

/// OpenShift's Machine Config Operator changes its configuration, and restarts it for that.
[[nodiscard]] bool is_being_updated(const model::Node& node);

/// A cloud announced that it takes the node back.
[[nodiscard]] bool is_interruption(const model::Taint& taint);

/// When the taint was added, as far as the node tells: timeAdded, a time for a value, or the
/// transition of the condition that it stands for.
[[nodiscard]] model::OptionalTime added_at(const model::Taint& taint, const model::Node& node);

}  // namespace dsdoctor::diagnosis
