// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "model/cluster.h"

namespace dsdoctor::diagnosis {

/// Behaviour of kube-controller-manager that depends on its release and affects counts or verdicts.
/// Placement itself has not changed since 1.18.
struct ControllerBehaviour {
  /// Pods that are both terminal (Failed, Succeeded) and terminating do not occupy their node.
  /// 1.28, and patches of 1.26 and 1.27.
  bool ignores_terminal_terminating_pods = true;
  /// Succeeded pods are deleted and replaced. 1.27.0, and 1.26.5.
  bool replaces_succeeded_pods = true;
  /// A pod is available at exactly minReadySeconds after it became ready. 1.34.
  bool available_at_boundary = true;
  /// Only the UID of an owner reference is compared, not its kind and name. Before 1.33.
  bool owner_by_uid_alone = false;
  /// A NoSchedule taint on a node whose pod can stay does not update status until something else
  /// changes the DaemonSet or its pods. 1.33.
  bool node_changes_may_leave_status_stale = true;

  friend bool operator==(const ControllerBehaviour&, const ControllerBehaviour&) = default;
};

/// The behaviour by the API server's version, although the controller manager may be one minor
/// release older. Without a version: the newest behaviour.
[[nodiscard]] ControllerBehaviour behaviour_of(const std::optional<model::ServerVersion>& version);

/// Whether the release is known to be 1.`minor` or later: by the server's version, else by the
/// version of a kubelet, which is never newer than the API server.
[[nodiscard]] bool is_at_least(const model::Cluster& cluster, int minor);

}  // namespace dsdoctor::diagnosis
