#pragma once

#include <optional>
#include <string>

#include "diagnosis/report/cases.h"
#include "model/pod.h"

/// Why a pod of a rollout is not available, in a few words.
namespace dsdoctor::diagnosis {

/// "pod agent-x7x2k is pending", "pod agent-x7x2k ready for 20 s of 300 s".
[[nodiscard]] std::string unavailability(const DaemonSetCase& c, const model::Pod& pod);

/// What is wrong with a pod that its node has tried to start: "CrashLoopBackOff of container
/// agent". Absent where it may still be starting, or where its node is to blame. Equal for pods
/// with one fault.
[[nodiscard]] std::optional<std::string> start_fault(const DaemonSetCase& c, const model::Pod& pod);

/// Nothing is wrong with it, and it has the time that its probes allow, or its termination's.
[[nodiscard]] bool is_on_its_way(const DaemonSetCase& c, const model::Pod& pod);

/// The pod's node is there and its condition Ready is not True.
[[nodiscard]] bool on_unready_node(const DaemonSetCase& c, const model::Pod& pod);

/// A host port that both want, as "9100/TCP"; empty where there is none.
[[nodiscard]] std::string shared_host_port(const model::Pod& a, const model::Pod& b);

}  // namespace dsdoctor::diagnosis
