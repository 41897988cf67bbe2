#pragma once

#include <compare>
#include <optional>
#include <string>

#include "diagnosis/catalogue/message.h"
#include "diagnosis/report/cases.h"
#include "model/pod.h"

/// Why a pod of a rollout is not available.
namespace dsdoctor::diagnosis {

/// The fault of a pod that its node has tried to start. Equal for pods with one fault.
struct StartFault {
  bool stays_unready = false;  // the container runs, for longer than its probes allow
  std::string reason = {};     // "CrashLoopBackOff"; else empty
  std::string container = {};  // empty: the kubelet has rejected the pod

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the 0 of a default <=> for a pointer
  friend std::strong_ordering operator<=>(const StartFault&, const StartFault&) = default;
};

/// "CrashLoopBackOff of container agent"
[[nodiscard]] Message message_of(const StartFault& fault);

/// Absent where the pod may still be starting, or where its node is to blame.
[[nodiscard]] std::optional<StartFault> start_fault(const DaemonSetCase& c, const model::Pod& pod);

/// "pod agent-x7x2k is not scheduled"
[[nodiscard]] Message unavailability(const DaemonSetCase& c, const model::Pod& pod);

/// Nothing is wrong with it, and it has the time that its probes allow, or its termination's.
[[nodiscard]] bool is_on_its_way(const DaemonSetCase& c, const model::Pod& pod);

/// The pod's node is there and its condition Ready is not True.
[[nodiscard]] bool on_unready_node(const DaemonSetCase& c, const model::Pod& pod);

}  // namespace dsdoctor::diagnosis
