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

/// A value that is cut to one line of at most 1 KiB, as long as an event's message can be.
[[nodiscard]] std::string evidence_value(std::string_view text);

[[nodiscard]] ObjectRef ref_of(const model::Node& node);
[[nodiscard]] ObjectRef ref_of(const model::Pod& pod);
[[nodiscard]] ObjectRef ref_of(const model::DaemonSet& ds);
/// The Event itself; without a name of its own, what it is about.
[[nodiscard]] ObjectRef ref_of(const model::Event& event);

/// Its message, or its reason where it has none.
[[nodiscard]] Evidence event_evidence(const model::Event& event);

/// "spec.taints[0]". REQUIRES: it is one of the node's.
[[nodiscard]] Evidence taint_evidence(const model::Node& node, const model::Taint& taint);
/// "status.conditions[?(@.type=="Ready")].status", the value with its reason: "False
/// KubeletNotReady".
[[nodiscard]] Evidence condition_evidence(const model::Node& node,
                                          const model::Condition& condition);

/// A field of a pod's condition: "status.conditions[1].status". REQUIRES: it has that condition.
[[nodiscard]] Evidence condition_evidence(const model::Pod& pod, std::string_view type,
                                          std::string_view field, std::string_view value);

/// "status.containerStatuses[1]", "status.initContainerStatuses[0]". REQUIRES: it is of the pod.
[[nodiscard]] std::string status_path(const model::Pod& pod, const model::ContainerStatus& status);
/// A field of it: "state.terminated.reason".
[[nodiscard]] Evidence status_evidence(const model::Pod& pod, const model::ContainerStatus& status,
                                       std::string_view field, std::string_view value);
/// The message of why it waits, or the reason where it has none. REQUIRES: it waits.
[[nodiscard]] Evidence waiting_evidence(const model::Pod& pod,
                                        const model::ContainerStatus& status);

}  // namespace dsdoctor::diagnosis
