#pragma once

#include <string>
#include <vector>

#include "advice/alternatives.h"
#include "advice/owner.h"
#include "advice/target.h"
#include "advice/toleration_patch.h"
#include "diagnosis/reporter.h"

namespace dsdoctor::advice {

/// Nodes that were asked for and that no toleration cures, for one reason.
struct Incurable {
  std::string why;  // one clause
  std::vector<model::Text> nodes;
};

/// Everything that `suggest` says of one DaemonSet.
struct CureAnswer {
  const model::DaemonSet* ds = nullptr;  // never null
  diagnosis::DaemonSetReport report;     // of all nodes
  Target target;
  /// For Each one for every set of taints, recommended ones first; else at most one.
  std::vector<Suggestion> suggestions;
  std::vector<Alternative> alternatives;
  std::vector<Incurable> incurable;  // most nodes first; empty for Each
  std::vector<Owner> owners;
  std::size_t targets = 0;  // nodes that were asked for; with Each, those without a wanted pod
};

/// The cures of `daemon_sets`, which are of the reporter's cluster, for the nodes of `target`:
/// those of them that the reporter's options select.
[[nodiscard]] std::vector<CureAnswer> cures(const diagnosis::Reporter& reporter,
                                            const std::vector<const model::DaemonSet*>& daemon_sets,
                                            const Target& target);

}  // namespace dsdoctor::advice
