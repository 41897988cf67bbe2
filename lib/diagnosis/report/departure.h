// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "diagnosis/evidence/facts.h"
#include "model/node.h"
#include "model/pod.h"

/// Nodes that are being removed and pods that end without action, and when they are overdue.
namespace dsdoctor::diagnosis {

/// The time when the node was deleted, by the node controller's event; absent without such an
/// event.
[[nodiscard]] model::OptionalTime removal_of(const Facts& facts, std::string_view node);

/// Whether the node is known not to exist: it was not read, and either all nodes were read or an
/// event shows its removal. REQUIRES: nodes were read.
[[nodiscard]] bool is_deleted_node(const Facts& facts, std::string_view node);

/// The time when the removal of a node began: a taint or its deletionTimestamp. Absent if the node
/// is not being removed, or if the time is not known.
[[nodiscard]] model::OptionalTime leaving_since(const model::Node& node);

/// Whether the removal has taken longer than a drain and the deletion of the instance take; only
/// then do the grace periods of the pods matter.
[[nodiscard]] bool is_departure_long(const model::Node& node, model::Time now);

/// The latest time at which a node that is being removed should be deleted: leaving_since, plus the
/// longest grace period of its pods (a day if not all were read), plus the time for a drain and the
/// deletion of the instance. Absent if leaving_since is.
[[nodiscard]] model::OptionalTime should_be_gone_by(const model::Node& node, const Facts& facts);

/// Whether the node should have been deleted by now.
[[nodiscard]] bool is_departure_overdue(const model::Node& node, const Facts& facts);

/// Whether the node is known not to be Ready, so that its kubelet does not confirm deletions of
/// pods.
[[nodiscard]] bool is_kubelet_out(const model::Node& node);

/// Whether a terminating pod will be deleted without action: its deletionTimestamp is not long
/// past, it has no finalizer, and its kubelet can confirm the deletion. `node` may be null.
/// REQUIRES: the pod is terminating.
[[nodiscard]] bool ends_by_itself(const model::Pod& pod, const model::Node* node,
                                  const Facts& facts);

/// Whether there are pods, and all are terminating and end by ends_by_itself().
[[nodiscard]] bool all_end_by_themselves(const std::vector<const model::Pod*>& pods,
                                         const Facts& facts);

/// The PodDisruptionBudget that forbids evicting the pod now; null if there is none, as far as they
/// were read. Two that select it forbid it as well. Source of truth: kubernetes v1.37.2,
/// pkg/registry/core/pod/storage/eviction.go.
[[nodiscard]] const model::PodDisruptionBudget* budget_against_eviction(
    const model::Cluster& cluster, const model::Pod& pod);

}  // namespace dsdoctor::diagnosis
