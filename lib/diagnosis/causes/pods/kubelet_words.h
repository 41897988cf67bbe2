// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Parses a kubelet's message about a pod that it rejected or evicted.
/// Source of truth: kubernetes v1.36.2, pkg/kubelet/lifecycle, preemption, eviction and cm.
namespace dsdoctor::diagnosis {

/// The message without "Pod was rejected: ".
[[nodiscard]] std::string_view own_words(std::string_view message);

/// The number after the first `word`; absent if there is none that fits into 64 bits.
[[nodiscard]] std::optional<std::int64_t> number_after(std::string_view text,
                                                       std::string_view word);

/// The text in brackets: "DiskPressure" from "The node had condition: [DiskPressure]. ".
[[nodiscard]] std::string_view bracketed(std::string_view text);

/// Cause of an UnexpectedAdmissionError.
enum class AdmissionFault {
  Device,     // a device plugin's
  Room,       // no pods can be preempted for a critical pod
  DiskSpace,  // no space for the kubelet's own files
  Writing,    // other errors writing the kubelet's own files
  CpuPolicy,  // no exclusive cpus or memory left
  Other,
};
[[nodiscard]] AdmissionFault admission_fault(std::string_view message);

/// The resource that ran short when a pod was evicted.
enum class EvictionShortage {
  Memory,
  DiskSpace,
  Inodes,
  ProcessIds,
  VolumeLimit,  // the size limit of an emptyDir volume
  OwnLimit,     // any other limit of the pod itself
};
[[nodiscard]] EvictionShortage eviction_shortage(std::string_view message);

/// "memory" from "The node was low on resource: memory. Threshold ..."; empty if there is none.
[[nodiscard]] std::string_view starved_resource(std::string_view message);

/// The failure in an event FailedKillPod.
struct KillFailure {
  std::string operation;       // "KillPodSandbox"; can be empty
  std::string error;           // shortened, without the IDs of containers and sandboxes
  bool names_plugins = false;  // the error names CNI plugins
};
[[nodiscard]] KillFailure kill_failure(std::string_view message);

/// "buffer" from `Usage of EmptyDir volume "buffer" exceeds the limit "1Gi".`; can be empty.
[[nodiscard]] std::string_view volume_at_limit(std::string_view message);

}  // namespace dsdoctor::diagnosis
