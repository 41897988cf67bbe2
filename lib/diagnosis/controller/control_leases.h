// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "model/cluster.h"
#include "model/related_objects.h"

/// Detects control plane components that are down, by their leases and by the objects that they
/// write.
namespace dsdoctor::diagnosis {

/// Time since the lease was renewed, if it is too long. Absent if the lease was renewed in time, is
/// null or has no renewTime.
[[nodiscard]] std::optional<model::Time::duration> staleness(const model::Lease* lease,
                                                             model::Time now);

/// Whether kube-controller-manager wrote a field of a node or of a DaemonSet, or one of its
/// controllers created a pod or recorded an event, at `from` or later.
[[nodiscard]] bool controller_manager_acted_since(const model::Cluster& cluster, model::Time from);

/// Time since kube-controller-manager last showed activity: its lease is stale, and it has written
/// nothing since then. The lease alone is not proof, because not every controller manager uses a
/// lease of that name. Absent if it is not known to be down.
[[nodiscard]] std::optional<model::Time::duration> controller_manager_silence(
    const model::Cluster& cluster, model::Time now);

}  // namespace dsdoctor::diagnosis
