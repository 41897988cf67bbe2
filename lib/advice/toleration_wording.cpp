#include "advice/toleration_wording.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnosis/taints/taint_knowledge.h"

namespace dsdoctor::advice {
namespace {

using model::TaintLifecycle;

/// The gravest of what the taints stand for decides how the fix is spoken of.
TaintLifecycle lifecycle_of(const TolerationCure& cure) {
  using enum TaintLifecycle;
  for (const TaintLifecycle each : {Transient, Maintenance, UntilReady, Leaving, Permanent}) {
    const auto has_it = [&](const model::KnownTaint* known) {
      return known != nullptr && known->lifecycle == each;
    };
    if (std::ranges::any_of(cure.known, has_it)) return each;
  }
  return Unknown;
}

TolerationWording wording_of(TaintLifecycle lifecycle) {
  switch (lifecycle) {
    case TaintLifecycle::Unknown:
      return {false, "so that the node is eligible and its pod no longer misscheduled",
              "only if the pod should run on these nodes",
              "Nothing is known of the taint: ask who added it before you override it."};
    case TaintLifecycle::Leaving:
      return {true, "only if the pod should not count as misscheduled until the node is removed",
              "only if the pod has to run until the node is removed",
              "A pod that is evicted from such a node is created on it again, until the node is "
              "removed."};
    case TaintLifecycle::UntilReady:
      return {true, "only if the pod is needed to make the node ready",
              "only if the pod is needed to make the node ready",
              "The pod may start before the node is initialized, and crash until then."};
    case TaintLifecycle::Maintenance:
      return {true, "only if the pod is needed during the maintenance of the node",
              "only if the pod is needed during the maintenance of the node",
              "A pod on such a node can be stopped at any time, and may delay the maintenance."};
    case TaintLifecycle::Transient:
      return {true, "only if the pod is needed on a node in this state",
              "only if the pod is needed on a node in this state",
              "A pod on a node in this state often cannot start, and delays rolling updates."};
    case TaintLifecycle::Permanent:
    default:
      return {false, "so that the node is eligible and its pod no longer misscheduled",
              "only if the pod should run on these nodes",
              "The pods use resources of nodes that are reserved for other workloads."};
  }
}

std::string_view end_of_start(std::string_view key) {
  if (key.ends_with("uninitialized")) return "is removed when the node is initialized";
  return key.starts_with("node.kubernetes.io/") ? "is removed when the node is ready"
                                                : "is removed when its agent is ready";
}

}  // namespace

TolerationWording wording_for(const TolerationCure& cure) { return wording_of(lifecycle_of(cure)); }

model::Advised advised_for(const TolerationCure& cure, diagnosis::WorkloadKind kind) {
  model::Advised result = model::Advised::Yes;
  for (const model::KnownTaint* known : cure.known) {
    const auto of_one =
        known == nullptr ? model::Advised::Depends : diagnosis::advised_for(*known, kind);
    if (of_one == model::Advised::No) return of_one;
    if (of_one == model::Advised::Depends) result = of_one;
  }
  return result;
}

std::string purpose_of(const TolerationCure& cure, const TolerationWording& wording,
                       model::Advised usual, diagnosis::WorkloadKind kind) {
  if (!cure.breaks_deadlock.empty() && !cure.does_more) return cure.breaks_deadlock;
  const bool for_a_pod = cure.is_needed && !wording.resolves && usual != model::Advised::No;
  if (for_a_pod && !cure.does_more) return std::string(wording.purpose_with_pod);
  if (usual == model::Advised::Yes) return fmt::format("as {} usually do", plural(kind));
  const std::string_view purpose =
      cure.has_pod && wording.resolves ? wording.purpose_with_pod : wording.purpose_without_pod;
  if (usual == model::Advised::Depends) return std::string(purpose);
  return fmt::format("{}; {} usually should not", purpose, plural(kind));
}

std::string wait_for(const TolerationCure& cure) {
  if (cure.lasts) return {};
  std::string result;
  for (const model::KnownTaint* known : cure.known) {
    if (known == nullptr) return {};
    std::string_view until;
    switch (known->lifecycle) {
      case TaintLifecycle::Transient: until = "is removed when the node recovers"; break;
      case TaintLifecycle::UntilReady: until = end_of_start(known->key); break;
      case TaintLifecycle::Maintenance: until = "is removed when the maintenance ends"; break;
      case TaintLifecycle::Leaving: until = "is removed with the node"; break;
      case TaintLifecycle::Unknown:
      case TaintLifecycle::Permanent:
      default: return {};
    }
    const std::string part = fmt::format("{} {}", known->key.view(), until);
    if (result.find(part) == std::string::npos) result += (result.empty() ? "" : "; ") + part;
  }
  return result;
}

}  // namespace dsdoctor::advice
