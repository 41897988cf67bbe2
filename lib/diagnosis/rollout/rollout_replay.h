#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/report/cases.h"

/// The step of a rolling update that the controller would take now, computed as it does.
/// Source of truth: rollingUpdate, kubernetes v1.36.3, pkg/controller/daemon/update.go.
namespace dsdoctor::diagnosis {

/// Why a node counts against the budget of a rollout.
enum class BudgetUse {
  NoPod,           // none that is not being deleted
  Excess,          // two of one revision
  OldAndNew,       // both, without surge: one of them is surplus
  NewUnavailable,  // the new pod is not available
  OldUnavailable,  // the old pod is not available; it is replaced in any case
};

/// A node that uses one unit of maxUnavailable, or of maxSurge.
struct BudgetUnit {
  std::string_view node;  // of the cluster
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
  std::int64_t waiting = 0;              // old and available: may only go within the budget
  std::int64_t due_beside = 0;           // surge: a new pod is due beside an old unavailable one
  std::string_view aborted_by;           // surge: a vanished node with an old pod; empty if none
  std::vector<const model::Pod*> fresh;  // pods of the current template on eligible nodes
  std::vector<const model::Pod*> old;    // those of an older one there, one a node

  /// No old available pod may be replaced, or surged over, now.
  [[nodiscard]] bool blocked() const;
  [[nodiscard]] std::int64_t budget() const { return max_surge > 0 ? max_surge : max_unavailable; }
};

/// Where no nodes were read, those that pods name count as eligible, as many as status says.
/// REQUIRES: pods and the present revision are known.
[[nodiscard]] RolloutReplay replay_rollout(const DaemonSetCase& c);

/// With maxSurge the new pod is created beside the old one, which holds a host port that both need:
/// no rolling update of this template gets beyond its first pod.
[[nodiscard]] bool obstructs_own_surge(const model::DaemonSet& ds);

/// A percentage is of `total`, rounded up; never negative. Saturates.
[[nodiscard]] std::int64_t scaled_up(const std::optional<model::IntOrPercent>& value,
                                     std::int64_t absent, std::int64_t total);

}  // namespace dsdoctor::diagnosis
