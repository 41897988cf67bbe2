// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "diagnosis/catalogue/message.h"
#include "diagnosis/evidence/workload_kind.h"
#include "model/cluster.h"
#include "model/known_taint.h"

namespace dsdoctor::fixes {

/// A taint that is not in the catalogue, on the first node that has it.
struct UnknownTaint {
  model::Text node;
  model::OptionalTime added;                 // absent if only an upper bound is known
  std::optional<diagnosis::Message> writer;  // the last writer of the node's taints
};

/// A set of tolerations that nodes need, and facts about these nodes.
struct TolerationFix {
  std::vector<model::Toleration> tolerations;
  std::vector<const model::KnownTaint*> known;  // of each taint; null if it is unknown
  std::optional<UnknownTaint> unknown = {};     // set if a taint is unknown
  bool has_pod = false;                         // one of the nodes has a pod that stays
  bool is_needed = false;  // the problem of one of these does not resolve without action
  bool does_more = false;  // a toleration is for nodes that need none
  bool lasts = false;      // a taint is not removed without action, or is overdue
  std::optional<diagnosis::Message> breaks_deadlock = {};  // a clause about a deadlock
};

/// The wording for a set of tolerations, by the lifecycle of its taints.
struct TolerationWording {
  bool resolves = false;  // without action
  diagnosis::Message purpose_with_pod;
  diagnosis::Message purpose_without_pod;
  diagnosis::Message risk;  // a sentence
};
[[nodiscard]] TolerationWording wording_for(const TolerationFix& fix);

/// Whether it is certain enough that pods should stay on the nodes: they run there, the problem
/// does not resolve without action, and it is known why the nodes have their taints.
[[nodiscard]] bool is_for_pods(const TolerationFix& fix, const TolerationWording& wording);

/// Whether DaemonSets of the kind should tolerate all of the taints. No, if that is so for one.
[[nodiscard]] model::Advised advised_for(const TolerationFix& fix, diagnosis::WorkloadKind kind);

/// The purpose, as a clause; mentions if such DaemonSets usually have these tolerations. `usual`:
/// advised_for() of the fix.
[[nodiscard]] diagnosis::Message purpose_of(const TolerationFix& fix,
                                            const TolerationWording& wording, model::Advised usual,
                                            diagnosis::WorkloadKind kind);

/// How the conditions behind the taints end; absent unless all end without action.
[[nodiscard]] std::optional<diagnosis::Message> wait_for(const TolerationFix& fix);

}  // namespace dsdoctor::fixes
