#pragma once

#include <optional>
#include <vector>

#include "diagnosis/catalogue/message.h"
#include "diagnosis/evidence/workload_kind.h"
#include "model/cluster.h"
#include "model/known_taint.h"

namespace dsdoctor::fixes {

/// One set of tolerations that nodes need, and what there is to say of these nodes.
struct TolerationFix {
  std::vector<model::Toleration> tolerations;
  std::vector<const model::KnownTaint*> known;  // of each taint; null where nothing is
  bool has_pod = false;                         // some node that it fixes has one that stays
  bool is_needed = false;                       // one of these does not resolve without action
  bool does_more = false;                       // a toleration is for nodes that need none
  bool lasts = false;  // some taint of it is not removed without action, or should have been
  std::optional<diagnosis::Message> breaks_deadlock = {};  // a clause about one that it resolves
};

/// How a set of tolerations is spoken of, by the gravest of the states that its taints stand for.
struct TolerationWording {
  bool resolves = false;  // without action
  diagnosis::Message purpose_with_pod;
  diagnosis::Message purpose_without_pod;
  diagnosis::Message risk;  // one sentence
};
[[nodiscard]] TolerationWording wording_for(const TolerationFix& fix);

/// Whether DaemonSets of the kind should tolerate all of the taints: one No is a no.
[[nodiscard]] model::Advised advised_for(const TolerationFix& fix, diagnosis::WorkloadKind kind);

/// One clause: what for; where it is known, as such DaemonSets usually do it. `usual` is
/// advised_for() of it.
[[nodiscard]] diagnosis::Message purpose_of(const TolerationFix& fix,
                                            const TolerationWording& wording, model::Advised usual,
                                            diagnosis::WorkloadKind kind);

/// How the conditions behind the taints clear; absent unless all of them clear without action.
[[nodiscard]] std::optional<diagnosis::Message> wait_for(const TolerationFix& fix);

}  // namespace dsdoctor::fixes
