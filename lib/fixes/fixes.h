// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "diagnosis/reporter.h"
#include "fixes/alternatives.h"
#include "fixes/owners/owner.h"
#include "fixes/target.h"
#include "fixes/toleration_patch.h"

namespace dsdoctor::fixes {

/// Nodes that no toleration helps, or no recommended one, for the same reason.
struct Incurable {
  diagnosis::Message why;  // a clause; for several nodes: the common part, and an example
  std::vector<model::Text> nodes;
  bool is_tolerable = false;  // a toleration that is not recommended makes the nodes eligible
  std::optional<diagnosis::Finding> finding = {};  // of the first node: its cause and fix
};

/// The answer of `suggest` about one DaemonSet.
struct FixAnswer {
  const model::DaemonSet* ds = nullptr;          // never null
  std::shared_ptr<const model::DaemonSet> live;  // set after a what-if; owns `ds`
  diagnosis::DaemonSetReport report;             // of all nodes
  FixTarget target;
  /// With Each: one for every set of taints, recommended ones first; else at most one.
  std::vector<Suggestion> suggestions;
  std::vector<Suggestion> withheld;  // with Each: only offered if their nodes are requested
  std::vector<Alternative> alternatives;
  /// Most nodes first. With Each only nodes with a problem.
  std::vector<Incurable> incurable;
  /// Problems of the DaemonSet as a whole, without those shown for its nodes.
  std::vector<diagnosis::Finding> problems;
  std::vector<Owner> owners;
  std::size_t targets = 0;  // requested nodes; with Each only those whose pod is not running
  RepairFirst first = RepairFirst::Nothing;  // before a patch replaces pods
  /// On every requested node a pod runs, or the problem resolves without action.
  bool targets_in_order = true;
};

/// Whether a patch is recommended for problems that need action.
[[nodiscard]] bool recommends_patch(const FixAnswer& answer);

/// Whether nothing is wrong, or it resolves without action.
[[nodiscard]] bool needs_nothing(const FixAnswer& answer);

/// The same for the requested nodes only.
[[nodiscard]] bool targets_need_nothing(const FixAnswer& answer);

/// The fixes of `daemon_sets`, which belong to the reporter's cluster, for the nodes of `target`
/// that `selects` picks (all if it is empty).
[[nodiscard]] std::vector<FixAnswer> fixes_for(
    const diagnosis::Reporter& reporter, const std::vector<const model::DaemonSet*>& daemon_sets,
    const FixTarget& target, const std::function<bool(const model::Node&)>& selects = {});

}  // namespace dsdoctor::fixes
