// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <optional>
#include <string>

#include "diagnosis/catalogue/message.h"
#include "diagnosis/report/cases.h"
#include "model/pod.h"

/// Reasons why a pod of a rollout is not available.
namespace dsdoctor::diagnosis {

/// The fault of a pod that its node has tried to start. Equal for pods with the same fault.
struct StartFault {
  bool stays_unready = false;  // the container runs longer than its probe budget
  std::string reason = {};     // "CrashLoopBackOff"; else empty
  std::string container = {};  // empty: the kubelet has rejected the pod

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the 0 of a default <=> for a pointer
  friend std::strong_ordering operator<=>(const StartFault&, const StartFault&) = default;
};

/// Example: "CrashLoopBackOff of container agent".
[[nodiscard]] Message message_of(const StartFault& fault);

/// The pod's fault; absent if the pod can still be starting or its node is the cause.
[[nodiscard]] std::optional<StartFault> start_fault(const DaemonSetCase& c, const model::Pod& pod);

/// Example: "pod agent-x7x2k is not scheduled".
[[nodiscard]] Message unavailability(const DaemonSetCase& c, const model::Pod& pod);

/// Whether the pod has no fault and is within its probe budget or its termination grace period.
[[nodiscard]] bool is_on_its_way(const DaemonSetCase& c, const model::Pod& pod);

/// Whether the pod's node exists and its condition Ready is not True.
[[nodiscard]] bool on_unready_node(const DaemonSetCase& c, const model::Pod& pod);

}  // namespace dsdoctor::diagnosis
