#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dsdoctor::scheduling {

/// One reason of the scheduler's words, and the finding that says the same.
struct MessageReason {
  std::string_view id;   // "sched-too-many-pods"; "scheduler-disagrees" for an unknown reason
  std::string resource;  // of "Insufficient cpu"
  std::string text;      // as the scheduler wrote it, without the count
};

/// What the scheduler gave as the reason why a daemon pod's one node is out of the question.
struct SchedulerMessage {
  std::int64_t nodes = 0;               // that it knew: the 39 of "0/39 nodes are available"
  std::vector<MessageReason> reasons;   // of the pod's own node
  std::vector<std::string_view> hints;  // "preempt-no-victims" and its like, of the second part
  /// Every node was turned away for not being the pod's own: the scheduler does not know that one.
  bool target_unknown = false;
  /// Fewer nodes are accounted for than there were.
  bool counts_short = false;
};

/// Reads the message of condition PodScheduled or of an event FailedScheduling, of any release
/// since 1.12. Reasons that speak of the other nodes are dropped: a daemon pod has one node.
/// Source of truth: kubernetes v1.36.2, pkg/scheduler/framework/types.go: FitError.Error, and the
/// reasons of the plugins below pkg/scheduler/framework/plugins.
[[nodiscard]] SchedulerMessage parse_scheduler_message(std::string_view message);

/// The finding of one reason; "scheduler-disagrees" where none is known.
[[nodiscard]] std::string_view finding_of_reason(std::string_view reason);

}  // namespace dsdoctor::scheduling
