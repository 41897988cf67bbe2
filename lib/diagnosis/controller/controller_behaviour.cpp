// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/controller/controller_behaviour.h"

namespace dsdoctor::diagnosis {

ControllerBehaviour behaviour_of(model::Release release) {
  using enum model::ReleaseRule;
  const auto applies = [&](model::ReleaseRule rule) { return model::applies(rule, release); };
  return {
      .ignores_terminal_terminating_pods = applies(IgnoresTerminalTerminatingPods),
      .replaces_succeeded_pods = applies(ReplacesSucceededPods),
      .available_at_boundary = applies(AvailableAtBoundary),
      .owner_by_uid_alone = !applies(OwnerByKindAndName),
      .node_changes_may_leave_status_stale = applies(NodeChangesMayLeaveStatusStale),
  };
}

}  // namespace dsdoctor::diagnosis
