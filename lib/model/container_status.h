// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "model/labels.h"
#include "model/meta.h"
#include "model/shared.h"
#include "model/text.h"

namespace dsdoctor::model {

struct TerminatedState {
  std::int64_t exit_code = 0;
  std::int64_t signal = 0;
  Text reason;   // OOMKilled, Error, StartError, ContainerCannotRun, ...
  Text message;  // the termination message
  OptionalTime started;
  OptionalTime finished;

  friend bool operator==(const TerminatedState&, const TerminatedState&) = default;
};

struct WaitingState {
  Text reason;  // CrashLoopBackOff, ImagePullBackOff, ContainerCreating, ...
  Text message;

  friend bool operator==(const WaitingState&, const WaitingState&) = default;
};

/// status.containerStatuses[] and initContainerStatuses[]. At most one of waiting, running and
/// terminated is set.
struct ContainerStatus {
  Text name;
  bool ready = false;
  std::optional<bool> started;
  std::int64_t restart_count = 0;
  SharedOptional<WaitingState> waiting;
  OptionalTime running_since;
  bool running = false;
  SharedOptional<TerminatedState> terminated;
  SharedOptional<TerminatedState> last_terminated;
  // status.resources.requests, for in-place resize. Set, maybe empty, if `resources` exists.
  std::optional<Labels> requests;
  std::optional<Labels> allocated_resources;  // status.allocatedResources

  friend bool operator==(const ContainerStatus&, const ContainerStatus&) = default;
};

}  // namespace dsdoctor::model
