// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dsdoctor::scheduling {

/// Why a filter of the scheduler rejects a node.
enum class FilterReason {
  Unknown,  // from a plugin or an extender that is not part of Kubernetes
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
  PodGroup,
  Gated,
  Other,  // another reason of Kubernetes itself
};

/// A reason in a message of the scheduler.
struct MessageReason {
  FilterReason filter = FilterReason::Unknown;
  std::string resource;  // of "Insufficient cpu"
  std::string text;      // as the scheduler wrote it, without the count
};

/// Why the scheduler rejects the only node of a daemon pod.
struct SchedulerMessage {
  std::int64_t nodes = 0;              // known to the scheduler: 39 in "0/39 nodes are available"
  std::vector<MessageReason> reasons;  // for the pod's own node
  /// All nodes were rejected as not the pod's own: the scheduler does not know the pod's node.
  bool target_unknown = false;
  /// All nodes have the reason NodeSelector, in the words of before 1.32: either the pod's own node
  /// does not match, or the scheduler does not know it.
  bool none_matches = false;
  /// The reasons count fewer nodes than there are; the pod's own node may be missing.
  bool counts_short = false;
  /// The text about the pod's PodGroup instead of its node. `reasons` is empty then: what keeps the
  /// PodGroup from being scheduled is in the messages of its other pods.
  std::string of_group = {};
};

/// Parses the message of condition PodScheduled or of an event FailedScheduling, of any release
/// since 1.12. Reasons about the other nodes are dropped: a daemon pod has only one node. Source of
/// truth: kubernetes v1.37.2, pkg/scheduler/framework/types.go: FitError.Error, and the reasons of
/// the plugins below pkg/scheduler/framework/plugins, which testdata/messages.tsv lists.
[[nodiscard]] SchedulerMessage parse_scheduler_message(std::string_view message);

/// The filter that gives this reason.
[[nodiscard]] FilterReason filter_of(std::string_view reason);

/// The place of the filter in the order in which the scheduler evaluates a node; it stops at the
/// first that rejects. Absent for reasons given before or after the filters, and for other plugins.
/// Source of truth: kubernetes v1.37.2, pkg/scheduler/apis/config/v1/default_plugins.go.
[[nodiscard]] std::optional<int> place_of(FilterReason filter);

}  // namespace dsdoctor::scheduling
