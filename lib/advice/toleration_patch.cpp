#include "advice/toleration_patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "diagnosis/taints/taint_knowledge.h"

namespace dsdoctor::advice {
namespace {

using diagnosis::NodeReport;
using model::TaintLifecycle;

std::string id_part(const model::Toleration& toleration) {
  return toleration.value.empty()
             ? fmt::format("{}-{}", toleration.key.view(), toleration.effect.view())
             : fmt::format("{}-{}-{}", toleration.key.view(), toleration.value.view(),
                           toleration.effect.view());
}

struct Cure {
  std::vector<model::Toleration> tolerations;
  std::vector<const model::KnownTaint*> known;  // of each taint; null where nothing is
  bool keeps_a_pod = false;                     // some node that it cures has one
};

/// Leaves out what a toleration of every value of the same taint covers already.
void drop_covered(std::map<std::string, model::Toleration>& needed) {
  std::erase_if(needed, [&](const auto& entry) {
    const model::Toleration& narrow = entry.second;
    return std::ranges::any_of(needed, [&](const auto& other) {
      const model::Toleration& wide = other.second;
      return wide.op == "Exists" && narrow.op != "Exists" && wide.key == narrow.key &&
             wide.effect == narrow.effect;
    });
  });
}

/// Adds what one node needs. REQUIRES: is_curable(node).
void add_needs(std::map<std::string, model::Toleration>& needed, const NodeReport& node) {
  for (const placement::Reason& reason : node.reasons) {
    const auto& taint = std::get<placement::UntoleratedTaint>(reason).taint;
    auto toleration = narrowest(taint, node.name);
    needed.emplace(id_part(toleration), std::move(toleration));
  }
}

void add_known(Cure& cure, const NodeReport& node) {
  for (const model::KnownTaint* known : node.known) {
    if (std::ranges::find(cure.known, known) == cure.known.end()) cure.known.push_back(known);
  }
  cure.keeps_a_pod = cure.keeps_a_pod || !node.pods.empty();
}

std::string id_of(const std::map<std::string, model::Toleration>& needed) {
  std::string id = "tolerate";
  for (const auto& [part, toleration] : needed) id += "-" + part;
  return id;
}

void set_tolerations(Cure& cure, const std::map<std::string, model::Toleration>& needed) {
  cure.tolerations.clear();
  cure.tolerations.reserve(needed.size());
  for (const auto& [part, toleration] : needed) cure.tolerations.push_back(toleration);
}

/// By id: the sets of tolerations that a node needs.
std::map<std::string, Cure> cures_for(const diagnosis::DaemonSetReport& report) {
  std::map<std::string, Cure> result;
  for (const NodeReport& node : report.nodes) {
    if (!is_curable(node)) continue;
    std::map<std::string, model::Toleration> needed;  // sorted, each once
    add_needs(needed, node);
    drop_covered(needed);
    Cure& cure = result[id_of(needed)];
    if (cure.tolerations.empty()) set_tolerations(cure, needed);
    add_known(cure, node);
  }
  return result;
}

/// The gravest of what the taints stand for decides how the cure is spoken of.
TaintLifecycle lifecycle_of(const Cure& cure) {
  const auto rank = [](TaintLifecycle lifecycle) {
    switch (lifecycle) {
      case TaintLifecycle::Unknown: return 0;
      case TaintLifecycle::Permanent: return 1;
      case TaintLifecycle::Leaving: return 2;
      case TaintLifecycle::UntilReady: return 3;
      case TaintLifecycle::Maintenance: return 4;
      case TaintLifecycle::Transient: return 5;
    }
    return 0;
  };
  TaintLifecycle result = TaintLifecycle::Unknown;
  for (const model::KnownTaint* known : cure.known) {
    if (known != nullptr && rank(known->lifecycle) > rank(result)) result = known->lifecycle;
  }
  return result;
}

/// Whether such a DaemonSet should tolerate all of the taints: one No is a no.
model::Advised advised_for(const Cure& cure, diagnosis::WorkloadKind kind) {
  model::Advised result = model::Advised::Yes;
  for (const model::KnownTaint* known : cure.known) {
    const auto of_one =
        known == nullptr ? model::Advised::Depends : diagnosis::advised_for(*known, kind);
    if (of_one == model::Advised::No) return of_one;
    if (of_one == model::Advised::Depends) result = of_one;
  }
  return result;
}

struct Wording {
  bool passes_by_itself;
  std::string_view purpose_with_pod;
  std::string_view purpose_without_pod;
  std::string_view risk;
};

Wording wording_for(TaintLifecycle lifecycle) {
  switch (lifecycle) {
    case TaintLifecycle::Unknown:
      return {false, "so that the pod counts as wanted there",
              "only if the pod should run on these nodes",
              "Whoever set the taint wanted to keep pods away: ask before you override it."};
    case TaintLifecycle::Leaving:
      return {false, "so that the pod counts as wanted until the node is gone",
              "only if the pod has to run until the node is gone",
              "A pod that is drained from such a node is created again on it, until the node is "
              "gone."};
    case TaintLifecycle::UntilReady:
      return {true, "only if the pod is needed to make the node ready",
              "only if the pod is needed to make the node ready",
              "The pod may start before what it needs of the node works, and crash until it does."};
    case TaintLifecycle::Maintenance:
      return {true, "only if the pod is of use while somebody works on the node",
              "only if the pod is of use while somebody works on the node",
              "A pod on such a node may be stopped at any moment, and holds up the work."};
    case TaintLifecycle::Transient:
      return {true, "only if the pod is of use on a node in this state",
              "only if the pod is of use on a node in this state",
              "A pod on a node in this state often cannot start, and holds up rollouts."};
    case TaintLifecycle::Permanent:
      return {false, "so that the pod counts as wanted there",
              "only if the pod should run on these nodes",
              "The pods take room on nodes that are set apart for other work."};
  }
  return {};
}

/// What for; where it is known, as such DaemonSets usually do it.
std::string purpose_of(const Cure& cure, const Wording& wording, model::Advised advised,
                       diagnosis::WorkloadKind kind) {
  const bool for_a_pod = cure.keeps_a_pod && !wording.passes_by_itself;
  if (for_a_pod) return std::string(wording.purpose_with_pod);
  switch (advised) {
    case model::Advised::Yes: return fmt::format("as {} usually do", plural(kind));
    case model::Advised::No: return fmt::format("though {} usually should not", plural(kind));
    case model::Advised::Depends: break;
  }
  return std::string(cure.keeps_a_pod ? wording.purpose_with_pod : wording.purpose_without_pod);
}

/// What ends the states that the taints stand for, where all of them pass.
std::string wait_for(const Cure& cure) {
  std::string result;
  for (const model::KnownTaint* known : cure.known) {
    if (known == nullptr) return {};
    std::string_view until;
    switch (known->lifecycle) {
      case TaintLifecycle::Transient: until = "when the node is well again"; break;
      case TaintLifecycle::UntilReady: until = "when the node has finished starting"; break;
      case TaintLifecycle::Maintenance: until = "when the work on the node is done"; break;
      case TaintLifecycle::Leaving: until = "with the node"; break;
      case TaintLifecycle::Unknown:
      case TaintLifecycle::Permanent: return {};
    }
    const std::string part = fmt::format("{} goes {}", known->key.view(), until);
    if (result.find(part) == std::string::npos) result += (result.empty() ? "" : "; ") + part;
  }
  return result;
}

/// A cure as it is offered: what for, at what risk, with which effect.
class Adviser {
 public:
  Adviser(const model::DaemonSet& ds, const diagnosis::DaemonSetReport& report,
          const model::Cluster& cluster, placement::FeatureGates gates)
      : ds_(ds), report_(report), cluster_(cluster), gates_(gates) {}

  [[nodiscard]] Suggestion advise(std::string id, const Cure& cure) const {
    Suggestion result;
    result.id = std::move(id);
    result.change.added = cure.tolerations;
    result.creates_list = ds_.pod_template.tolerations.empty();
    result.on_delete = ds_.update_strategy == "OnDelete";
    const Wording wording = wording_for(lifecycle_of(cure));
    result.recommended = cure.keeps_a_pod && !wording.passes_by_itself;
    const diagnosis::WorkloadKind kind = report_.workload.kind;
    result.advised = advised_for(cure, kind);
    result.purpose = purpose_of(cure, wording, result.advised, kind);
    result.risk = wording.risk;
    result.wait = wait_for(cure);
    result.effect = effect_of(ds_, result.change, report_, cluster_, gates_);
    result.restarted_pods = restarted_pods(ds_, report_, result.effect);
    return result;
  }

 private:
  const model::DaemonSet& ds_;
  const diagnosis::DaemonSetReport& report_;
  const model::Cluster& cluster_;
  placement::FeatureGates gates_;
};

}  // namespace

model::Toleration narrowest(const model::Taint& taint, std::string_view node_name) {
  if (taint.value.empty() || diagnosis::has_volatile_value(taint, node_name)) {
    return {taint.key, "Exists", {}, taint.effect, std::nullopt};
  }
  return {taint.key, "Equal", taint.value, taint.effect, std::nullopt};
}

bool is_curable(const NodeReport& node) {
  return !node.reasons.empty() &&
         std::ranges::all_of(node.reasons, [](const placement::Reason& reason) {
           return std::holds_alternative<placement::UntoleratedTaint>(reason);
         });
}

void keep_those_for(std::vector<Suggestion>& suggestions,
                    const std::unordered_set<std::string_view>& nodes) {
  std::erase_if(suggestions, [&](const Suggestion& suggestion) {
    return std::ranges::none_of(suggestion.effect.gained, [&](const model::Text& name) {
      return nodes.contains(name.view());
    });
  });
}

std::vector<Suggestion> suggestions(const model::DaemonSet& ds,
                                    const diagnosis::DaemonSetReport& report,
                                    const model::Cluster& cluster, placement::FeatureGates gates) {
  const Adviser adviser(ds, report, cluster, gates);
  std::vector<Suggestion> result;
  for (const auto& [id, cure] : cures_for(report)) result.push_back(adviser.advise(id, cure));
  std::ranges::stable_sort(result, {}, [](const Suggestion& suggestion) {
    const Effect& effect = suggestion.effect;
    return std::tuple(!suggestion.recommended,
                      effect.after.number_misscheduled - effect.before.number_misscheduled,
                      -static_cast<std::ptrdiff_t>(effect.gained.size()));
  });
  return result;
}

std::optional<Suggestion> suggestion_for(const model::DaemonSet& ds,
                                         const diagnosis::DaemonSetReport& report,
                                         const model::Cluster& cluster,
                                         placement::FeatureGates gates, const NodeFilter& asked) {
  std::map<std::string, model::Toleration> needed;
  Cure cure;
  for (const NodeReport& node : report.nodes) {
    if (!is_curable(node) || !asked(node)) continue;
    add_needs(needed, node);
    add_known(cure, node);
  }
  if (needed.empty()) return std::nullopt;
  drop_covered(needed);
  set_tolerations(cure, needed);
  return Adviser(ds, report, cluster, gates).advise(id_of(needed), cure);
}

}  // namespace dsdoctor::advice
