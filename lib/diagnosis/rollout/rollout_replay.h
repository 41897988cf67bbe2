// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/report/cases.h"

/// Computes the next step of a rolling update as the controller does. Source of truth:
/// rollingUpdate, kubernetes v1.36.3, pkg/controller/daemon/update.go.
namespace dsdoctor::diagnosis {

/// Why a node counts against the budget of a rollout.
enum class BudgetUse {
  NoPod,           // no pod, or only terminating ones
  Excess,          // two pods of the same revision
  OldAndNew,       // an old and a new pod without surge: one of them is surplus
  NewUnavailable,  // the new pod is not available
  OldUnavailable,  // the old pod is not available; it is replaced without regard to the budget
};

/// A node that uses one unit of maxUnavailable, or of maxSurge.
struct BudgetUnit {
  std::string_view node;  // into the cluster
  BudgetUse use = BudgetUse::NoPod;
  const model::Pod* old_pod = nullptr;
  const model::Pod* new_pod = nullptr;
  const model::Pod* terminating = nullptr;
};

struct RolloutReplay {
  std::int64_t desired = 0;
  std::int64_t max_unavailable = 0;  // in pods, as the controller uses it
  std::int64_t max_surge = 0;
  std::vector<BudgetUnit> units;         // by node name
  std::int64_t outdated = 0;             // eligible nodes with a pod of an older template
  std::int64_t waiting = 0;              // old available pods, deleted only within the budget
  std::int64_t due_beside = 0;           // surge: new pods to create beside old unavailable ones
  std::string_view aborted_by;           // surge: a deleted node with an old pod; empty if none
  std::vector<const model::Pod*> fresh;  // pods of the current template on eligible nodes
  std::vector<const model::Pod*> old;    // pods of older templates on eligible nodes, one a node

  /// Whether the budget currently allows no replacement of an old available pod.
  [[nodiscard]] bool blocked() const;
  [[nodiscard]] std::int64_t budget() const { return max_surge > 0 ? max_surge : max_unavailable; }
};

/// If no nodes were read, the nodes that pods name count as eligible, and the desired number is
/// that of status. REQUIRES: pods and the current revision are known.
[[nodiscard]] RolloutReplay replay_rollout(const DaemonSetCase& c);

/// Whether maxSurge is used with a host port, so that a new pod cannot run beside the old one and
/// every rolling update is stuck at its first pod.
[[nodiscard]] bool obstructs_own_surge(const model::DaemonSet& ds);

/// The value as a number, with a percentage of `total` rounded up. Never negative; saturates.
[[nodiscard]] std::int64_t scaled_up(const std::optional<model::IntOrPercent>& value,
                                     std::int64_t absent, std::int64_t total);

}  // namespace dsdoctor::diagnosis
