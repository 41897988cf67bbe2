#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "diagnosis/reporter.h"
#include "fixes/alternatives.h"
#include "fixes/owner.h"
#include "fixes/target.h"
#include "fixes/toleration_patch.h"

namespace dsdoctor::fixes {

/// Nodes that no toleration helps, or none that is recommended, for one reason.
struct Incurable {
  diagnosis::Message why;  // one clause; of several nodes what they share, and an example
  std::vector<model::Text> nodes;
  bool is_tolerable = false;  // a toleration that is not recommended makes the nodes eligible
  std::optional<diagnosis::Finding> finding = {};  // of the first node: the cause and its fix
};

/// Everything that `suggest` says of one DaemonSet.
struct FixAnswer {
  const model::DaemonSet* ds = nullptr;          // never null
  std::shared_ptr<const model::DaemonSet> live;  // owns `ds` where the cluster has it otherwise
  diagnosis::DaemonSetReport report;             // of all nodes
  FixTarget target;
  /// For Each one for every set of taints, recommended ones first; else at most one.
  std::vector<Suggestion> suggestions;
  std::vector<Suggestion> withheld;  // for Each: not offered to who does not ask for their nodes
  std::vector<Alternative> alternatives;
  /// Most nodes first. For Each only nodes on which something is wrong.
  std::vector<Incurable> incurable;
  /// What is wrong with the DaemonSet as a whole, beside what is said of its nodes.
  std::vector<diagnosis::Finding> problems;
  std::vector<Owner> owners;
  std::size_t targets = 0;  // nodes that were asked for; with Each, those without an eligible pod
  RepairFirst first = RepairFirst::Nothing;  // before a change of its template replaces pods
  /// On every node that was asked for a pod runs, or what is wrong resolves without action.
  bool targets_in_order = true;
};

/// There is a patch for what needs action.
[[nodiscard]] bool recommends_patch(const FixAnswer& answer);

/// Everything is as it should be, or resolves without action.
[[nodiscard]] bool needs_nothing(const FixAnswer& answer);

/// The same of the nodes that were asked for, whatever other nodes need.
[[nodiscard]] bool targets_need_nothing(const FixAnswer& answer);

/// The fixes of `daemon_sets`, which are of the reporter's cluster, for the nodes of `target`:
/// those of them that `selects` picks, all when it is empty.
[[nodiscard]] std::vector<FixAnswer> fixes_for(
    const diagnosis::Reporter& reporter, const std::vector<const model::DaemonSet*>& daemon_sets,
    const FixTarget& target, const std::function<bool(const model::Node&)>& selects = {});

}  // namespace dsdoctor::fixes
