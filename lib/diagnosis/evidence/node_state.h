// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "model/node.h"

/// Kind and state of a node, as its own object shows them.
namespace dsdoctor::diagnosis {

/// The condition of that type if it has that status; else null.
[[nodiscard]] const model::Condition* condition_is(const model::Node& node, std::string_view type,
                                                   std::string_view status);

/// The first taint with that key, whatever its effect; null if there is none.
[[nodiscard]] const model::Taint* find_taint(const model::Node& node, std::string_view key);

[[nodiscard]] bool has_label(const model::Node& node, std::string_view key, std::string_view value);

/// Whether the node is a virtual-kubelet or similar, which does not run DaemonSet pods as a kubelet
/// does.
[[nodiscard]] bool is_virtual(const model::Node& node);
/// Whether the node is of AWS Fargate, which runs one pod a node, and no DaemonSet pods.
[[nodiscard]] bool is_fargate(const model::Node& node);

/// The agent that has to remove a startup taint before the node can be used: "cilium" for
/// node.cilium.io/agent-not-ready. Absent for other taints.
[[nodiscard]] std::optional<std::string> startup_agent(const model::Taint& taint);

/// Whether OpenShift's Machine Config Operator is changing the node's configuration, which includes
/// a reboot.
[[nodiscard]] bool is_being_updated(const model::Node& node);

/// Whether the taint announces that the cloud provider will stop the node.
[[nodiscard]] bool is_interruption(const model::Taint& taint);

/// The time when the taint was added: timeAdded, a value that is a time, or the transition of the
/// condition that the taint mirrors. Absent if the node has none of these.
[[nodiscard]] model::OptionalTime added_at(const model::Taint& taint, const model::Node& node);

}  // namespace dsdoctor::diagnosis
