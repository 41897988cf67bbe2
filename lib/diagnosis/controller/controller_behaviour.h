// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/release.h"

namespace dsdoctor::diagnosis {

/// Behaviour of the controller manager that depends on its release and is visible in counts and
/// verdicts. Placement itself has been the same since 1.18.
struct ControllerBehaviour {
  /// Pods that are both terminal (Failed, Succeeded) and terminating do not occupy their node.
  bool ignores_terminal_terminating_pods = true;
  /// Succeeded pods are deleted and replaced.
  bool replaces_succeeded_pods = true;
  /// A pod is available at exactly minReadySeconds after it became ready.
  bool available_at_boundary = true;
  /// An owner reference counts by UID alone, whatever its kind and name.
  bool owner_by_uid_alone = false;
  /// A NoSchedule taint added to a node whose pod may stay leaves status as it was, until something
  /// else touches the DaemonSet or its pods.
  bool node_changes_may_leave_status_stale = true;

  friend bool operator==(const ControllerBehaviour&, const ControllerBehaviour&) = default;
};

/// By the rules of model/release.h. The controller manager may be one minor release older than the
/// API server.
[[nodiscard]] ControllerBehaviour behaviour_of(model::Release release);

}  // namespace dsdoctor::diagnosis
