#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// What a kubelet names in its words about a pod that it refused or evicted.
/// Source of truth: kubernetes v1.36.2, pkg/kubelet/lifecycle, preemption, eviction and cm.
namespace dsdoctor::diagnosis {

/// The words without "Pod was rejected: ".
[[nodiscard]] std::string_view own_words(std::string_view message);

/// The number behind the first `word`; absent where there is none that fits.
[[nodiscard]] std::optional<std::int64_t> number_after(std::string_view text,
                                                       std::string_view word);

/// What stands between brackets: "DiskPressure" of "The node had condition: [DiskPressure]. ".
[[nodiscard]] std::string_view bracketed(std::string_view text);

/// What the admission of a pod lacked, of reason UnexpectedAdmissionError.
enum class AdmissionFault {
  Device,     // of a device plugin
  Room,       // for a critical pod: no other pod can be preempted for it
  DiskSpace,  // for the kubelet's own files
  Writing,    // of the kubelet's own files, for another reason
  CpuPolicy,  // cpus or memory that the kubelet gives to one container alone
  Other,
};
[[nodiscard]] AdmissionFault admission_fault(std::string_view message);

/// What ran short when a pod was evicted.
enum class EvictionShortage {
  Memory,
  DiskSpace,
  Inodes,
  ProcessIds,
  VolumeLimit,  // the size limit of an emptyDir volume
  OwnLimit,     // any other limit of the pod itself
};
[[nodiscard]] EvictionShortage eviction_shortage(std::string_view message);

/// "memory" of "The node was low on resource: memory. Threshold ..."; empty where there is none.
[[nodiscard]] std::string_view starved_resource(std::string_view message);

/// What failed when a kubelet ended a pod, of its event FailedKillPod.
struct KillFailure {
  std::string operation;  // "KillPodSandbox"; may be empty
  std::string error;      // abridged, without the ids of containers and sandboxes
};
[[nodiscard]] KillFailure kill_failure(std::string_view message);

/// "buffer" of `Usage of EmptyDir volume "buffer" exceeds the limit "1Gi".`; may be empty.
[[nodiscard]] std::string_view volume_at_limit(std::string_view message);

}  // namespace dsdoctor::diagnosis
