#pragma once

#include <optional>

#include "model/cluster.h"

namespace dsdoctor::diagnosis {

/// What depends on the release of the controller manager, as far as counts and verdicts can show
/// it. Placement itself has been the same since 1.18.
struct ControllerBehaviour {
  /// Pods that are both terminal (Failed, Succeeded) and terminating do not occupy their node.
  /// 1.28, and patches of 1.26 and 1.27.
  bool ignores_terminal_terminating_pods = true;
  /// Succeeded pods are deleted and replaced. 1.27.0, and 1.26.5.
  bool replaces_succeeded_pods = true;
  /// A pod is available at exactly minReadySeconds after it became ready. 1.34.
  bool available_at_boundary = true;
  /// An owner reference counts by UID alone, whatever its kind and name. Before 1.33.
  bool owner_by_uid_alone = false;
  /// A NoSchedule taint added to a node whose pod may stay leaves status as it was, until something
  /// else touches the DaemonSet or its pods. 1.33.
  bool node_changes_may_leave_status_stale = true;

  friend bool operator==(const ControllerBehaviour&, const ControllerBehaviour&) = default;
};

/// By the API server's version: the controller manager may be one minor release older.
/// Absent: the newest behaviour.
[[nodiscard]] ControllerBehaviour behaviour_of(const std::optional<model::ServerVersion>& version);

/// The release is known to be 1.`minor` or later: by the server's version, else by that of a
/// kubelet, which is never newer than its server.
[[nodiscard]] bool is_at_least(const model::Cluster& cluster, int minor);

}  // namespace dsdoctor::diagnosis
