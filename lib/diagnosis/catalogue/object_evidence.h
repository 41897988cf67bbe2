// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "diagnosis/catalogue/message.h"
#include "model/daemon_set.h"
#include "model/node.h"
#include "model/pod.h"
#include "model/related_objects.h"

/// Evidence from objects of the model: the object, a JSON path in it, and the value found there.
namespace dsdoctor::diagnosis {

/// The value as one line, shortened to at most 1 KiB, the maximum length of an event's message.
[[nodiscard]] std::string evidence_value(std::string_view text);

[[nodiscard]] ObjectRef ref_of(const model::Node& node);
[[nodiscard]] ObjectRef ref_of(const model::Pod& pod);
[[nodiscard]] ObjectRef ref_of(const model::DaemonSet& ds);
/// The Event; if it has no name, the object that it is about.
[[nodiscard]] ObjectRef ref_of(const model::Event& event);

/// The event's message, or its reason if it has no message.
[[nodiscard]] Evidence event_evidence(const model::Event& event);

/// "spec.taints[0]". REQUIRES: `taint` is an element of node.taints.
[[nodiscard]] Evidence taint_evidence(const model::Node& node, const model::Taint& taint);
/// "status.conditions[?(@.type=="Ready")].status", the value with its reason: "False
/// KubeletNotReady".
[[nodiscard]] Evidence condition_evidence(const model::Node& node,
                                          const model::Condition& condition);

/// A field of a pod's condition: "status.conditions[1].status". REQUIRES: the pod has a condition
/// of this type.
[[nodiscard]] Evidence condition_evidence(const model::Pod& pod, std::string_view type,
                                          std::string_view field, std::string_view value);

/// "status.containerStatuses[1]", "status.initContainerStatuses[0]". REQUIRES: `status` is one of
/// the pod's.
[[nodiscard]] std::string status_path(const model::Pod& pod, const model::ContainerStatus& status);
/// A field of a container status: "state.terminated.reason".
[[nodiscard]] Evidence status_evidence(const model::Pod& pod, const model::ContainerStatus& status,
                                       std::string_view field, std::string_view value);
/// The message of a waiting container, or the reason if it has no message. REQUIRES: the container
/// is waiting.
[[nodiscard]] Evidence waiting_evidence(const model::Pod& pod,
                                        const model::ContainerStatus& status);

}  // namespace dsdoctor::diagnosis
