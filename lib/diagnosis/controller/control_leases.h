#pragma once

#include <optional>

#include "model/cluster.h"
#include "model/related_objects.h"

/// Whether the control plane's components are at work, as far as their traces show.
namespace dsdoctor::diagnosis {

/// How long the holder has not renewed its lease, if too long; absent where it has in time, and
/// where nothing is known of it.
[[nodiscard]] std::optional<model::Time::duration> staleness(const model::Lease* lease,
                                                             model::Time now);

/// kube-controller-manager wrote a field of a node or of a DaemonSet, or one of its controllers
/// created a pod or recorded an event, at `from` or later.
[[nodiscard]] bool controller_manager_acted_since(const model::Cluster& cluster, model::Time from);

/// How long kube-controller-manager has shown no sign of life: its lease is stale, and nothing that
/// it writes is younger. Not every controller manager keeps a lease of that name: alone it proves
/// nothing.
[[nodiscard]] std::optional<model::Time::duration> controller_manager_silence(
    const model::Cluster& cluster, model::Time now);

}  // namespace dsdoctor::diagnosis
