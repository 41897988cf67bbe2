// SPDX-License-Identifier: Apache-2.0
#include "fixes/toleration_wording.h"

#include <algorithm>

#include "diagnosis/catalogue/findings/phrases.h"
#include "diagnosis/taints/taint_knowledge.h"

namespace dsdoctor::fixes {
namespace {

using diagnosis::Message;
using model::TaintLifecycle;

/// The lifecycle that decides the wording, in the order of the loop; Unknown if no taint has one.
TaintLifecycle lifecycle_of(const TolerationFix& fix) {
  using enum TaintLifecycle;
  for (const TaintLifecycle each : {Transient, Maintenance, UntilReady, Leaving, Permanent}) {
    const auto has_it = [&](const model::KnownTaint* known) {
      return known != nullptr && known->lifecycle == each;
    };
    if (std::ranges::any_of(fix.known, has_it)) return each;
  }
  return Unknown;
}

TolerationWording wording_of(TaintLifecycle lifecycle) {
  using namespace diagnosis::phrase;
  switch (lifecycle) {
    case TaintLifecycle::Unknown:
      return {false, ForEligibleNodes{}, ForPodsThatShouldRunThere{},
              RiskOfAnUnknownTaint{
                  .added = std::nullopt, .node = "", .writer = std::optional<Message>()}};
    case TaintLifecycle::Leaving:
      return {true, ForCountsUntilRemoval{}, ForPodsUntilRemoval{}, RiskUntilRemoval{}};
    case TaintLifecycle::UntilReady:
      return {true, ForPodsThatMakeNodesReady{}, ForPodsThatMakeNodesReady{},
              RiskBeforeInitialization{}};
    case TaintLifecycle::Maintenance:
      return {true, ForPodsDuringMaintenance{}, ForPodsDuringMaintenance{},
              RiskDuringMaintenance{}};
    case TaintLifecycle::Transient:
      return {true, ForPodsInThisState{}, ForPodsInThisState{}, RiskInThisState{}};
    case TaintLifecycle::Permanent:
    default: return {false, ForEligibleNodes{}, ForPodsThatShouldRunThere{}, RiskOfReservedNodes{}};
  }
}

Message end_of_start(std::string_view key) {
  if (key.ends_with("uninitialized")) return diagnosis::phrase::RemovedWhenInitialized{.key = key};
  if (key.starts_with("node.kubernetes.io/"))
    return diagnosis::phrase::RemovedWhenReady{.key = key};
  return diagnosis::phrase::RemovedByItsAgent{.key = key};
}

/// Absent if the taint needs action to end.
std::optional<Message> end_of(const model::KnownTaint& known) {
  using namespace diagnosis::phrase;
  switch (known.lifecycle) {
    case TaintLifecycle::Transient: return RemovedWhenRecovered{.key = known.key};
    case TaintLifecycle::UntilReady: return end_of_start(known.key);
    case TaintLifecycle::Maintenance: return RemovedAfterMaintenance{.key = known.key};
    case TaintLifecycle::Leaving: return RemovedWithTheNode{.key = known.key};
    case TaintLifecycle::Unknown:
    case TaintLifecycle::Permanent:
    default: return std::nullopt;
  }
}

}  // namespace

TolerationWording wording_for(const TolerationFix& fix) {
  TolerationWording result = wording_of(lifecycle_of(fix));
  if (fix.unknown && !result.resolves) {
    const UnknownTaint& taint = *fix.unknown;
    const bool has_origin = taint.added || taint.writer;
    result.risk = diagnosis::phrase::RiskOfAnUnknownTaint{
        .added = taint.added,
        .node = has_origin ? taint.node.view() : std::string_view(),
        .writer = taint.writer};
  }
  return result;
}

bool is_for_pods(const TolerationFix& fix, const TolerationWording& wording) {
  return fix.is_needed && !wording.resolves && !fix.unknown;
}

model::Advised advised_for(const TolerationFix& fix, diagnosis::WorkloadKind kind) {
  model::Advised result = model::Advised::Yes;
  for (const model::KnownTaint* known : fix.known) {
    const auto of_one =
        known == nullptr ? model::Advised::Depends : diagnosis::advised_for(*known, kind);
    if (of_one == model::Advised::No) return of_one;
    if (of_one == model::Advised::Depends) result = of_one;
  }
  return result;
}

Message purpose_of(const TolerationFix& fix, const TolerationWording& wording, model::Advised usual,
                   diagnosis::WorkloadKind kind) {
  if (fix.breaks_deadlock && !fix.does_more) return *fix.breaks_deadlock;
  const bool for_a_pod = is_for_pods(fix, wording) && usual != model::Advised::No;
  if (for_a_pod && !fix.does_more) return wording.purpose_with_pod;
  if (usual == model::Advised::Yes) return diagnosis::phrase::AsUsual{.kind = plural(kind)};
  const Message& purpose =
      fix.has_pod && wording.resolves ? wording.purpose_with_pod : wording.purpose_without_pod;
  if (usual == model::Advised::Depends) return purpose;
  return diagnosis::phrase::AgainstUsage{.kind = plural(kind), .purpose = purpose};
}

std::optional<Message> wait_for(const TolerationFix& fix) {
  if (fix.lasts) return std::nullopt;
  std::vector<Message> ends;
  for (const model::KnownTaint* known : fix.known) {
    const auto end = known == nullptr ? std::nullopt : end_of(*known);
    if (!end) return std::nullopt;
    if (std::ranges::find(ends, *end) == ends.end()) ends.push_back(*end);
  }
  if (ends.empty()) return std::nullopt;
  return diagnosis::phrase::EndsWith{.ends = std::move(ends)};
}

}  // namespace dsdoctor::fixes
