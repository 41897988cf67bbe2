// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "diagnosis/catalogue/message.h"
#include "diagnosis/report/cases.h"
#include "model/meta.h"

/// DaemonSets whose pods remove a startup taint from their node.
namespace dsdoctor::diagnosis {

/// The DaemonSet's pod among the pods of a node, preferably one that is not terminating; null if
/// there is none.
[[nodiscard]] const model::Pod* pod_of(const model::DaemonSet& ds, const Facts::Pods& here);

/// Why no pod of the agent removes its taint from this node: "no pod of DaemonSet cilium runs on
/// the node". Absent if no obstacle is known or the agent is unknown. A DaemonSet of the agent for
/// which the node is not eligible, such as one for another operating system, is reported only if
/// there is no other.
[[nodiscard]] std::optional<Message> hindrance_of_agent(const NodeCase& of,
                                                        const model::Taint& taint);

/// The taint that cloud controller managers remove.
inline constexpr std::string_view uninitialized_key =
    "node.cloudprovider.kubernetes.io/uninitialized";
/// A pod of a cloud controller manager, by its name or its images, that is bound to the node and
/// waits for the network of pods; null if there is none.
[[nodiscard]] const model::Pod* waiting_initializer(const NodeCase& of);

/// A pod that should have removed the taint: one of an agent's DaemonSets that has been ready on
/// the node for longer than a startup taint may last. Null if there is none.
[[nodiscard]] const model::Pod* idle_agent(const NodeCase& of, const model::Taint& taint);

/// Start of a node's wait for the removal of a startup taint.
struct StartupWait {
  model::OptionalTime since;  // when the taint was added; absent if unknown
  /// Lower bound if `since` is unknown: the creation of the newest pod that was bound to the node
  /// without tolerating the taint.
  model::OptionalTime not_before;
  /// The agent is starting or has just become ready: a taint of unknown age can be as young.
  bool agent_is_starting = false;
};

/// A taint without a time is as old as its node, unless something shows that it is younger.
[[nodiscard]] StartupWait startup_wait(const NodeCase& of, const model::Taint& taint);

}  // namespace dsdoctor::diagnosis
