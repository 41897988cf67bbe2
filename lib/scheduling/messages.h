#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dsdoctor::scheduling {

/// What a filter of the scheduler found wrong.
enum class FilterReason {
  Unknown,  // of a plugin or an extender that is not one of Kubernetes' own
  Unschedulable,
  Taint,
  AffinityConflict,
  VolumeAffinity,
  NodeSelector,
  HostPort,
  TooManyPods,
  Cpu,
  Memory,
  EphemeralStorage,
  HugePages,
  ExtendedResource,
  VolumeInUse,
  VolumeLimit,
  VolumeBinding,
  ClaimMissing,
  VolumeZone,
  TopologySpread,
  ExistingAntiAffinity,
  PodAntiAffinity,
  PodAffinity,
  ResourceClaim,
  NodeFeatures,
  Gated,
};

/// One reason of the scheduler's words.
struct MessageReason {
  FilterReason filter = FilterReason::Unknown;
  std::string resource;  // of "Insufficient cpu"
  std::string text;      // as the scheduler wrote it, without the count
};

/// What the scheduler gave as the reason why a daemon pod's one node is out of the question.
struct SchedulerMessage {
  std::int64_t nodes = 0;              // that it knew: the 39 of "0/39 nodes are available"
  std::vector<MessageReason> reasons;  // of the pod's own node
  /// Every node was turned away for not being the pod's own: the scheduler does not know that one.
  bool target_unknown = false;
  /// Fewer nodes are accounted for than there were; it may be the pod's own that is left out.
  bool counts_short = false;
};

/// Reads the message of condition PodScheduled or of an event FailedScheduling, of any release
/// since 1.12. Reasons that speak of the other nodes are dropped: a daemon pod has one node.
/// Source of truth: kubernetes v1.36.2, pkg/scheduler/framework/types.go: FitError.Error, and the
/// reasons of the plugins below pkg/scheduler/framework/plugins.
[[nodiscard]] SchedulerMessage parse_scheduler_message(std::string_view message);

/// The filter that gives this reason.
[[nodiscard]] FilterReason filter_of(std::string_view reason);

}  // namespace dsdoctor::scheduling
