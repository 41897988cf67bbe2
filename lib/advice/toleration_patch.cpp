#include "advice/toleration_patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "diagnosis/taint_knowledge.h"

namespace dsdoctor::advice {
namespace {

using diagnosis::NodeReport;
using model::TaintLifecycle;

model::Toleration narrowest(const model::Taint& taint, std::string_view node_name) {
  if (taint.value.empty() || diagnosis::has_volatile_value(taint, node_name)) {
    return {taint.key, "Exists", {}, taint.effect, std::nullopt};
  }
  return {taint.key, "Equal", taint.value, taint.effect, std::nullopt};
}

std::string id_part(const model::Toleration& toleration) {
  return toleration.value.empty()
             ? fmt::format("{}-{}", toleration.key.view(), toleration.effect.view())
             : fmt::format("{}-{}-{}", toleration.key.view(), toleration.value.view(),
                           toleration.effect.view());
}

/// The taints in the way of one node, if nothing but taints is.
std::vector<model::Taint> only_taints(const NodeReport& node) {
  std::vector<model::Taint> result;
  for (const placement::Reason& reason : node.reasons) {
    const auto* open = std::get_if<placement::UntoleratedTaint>(&reason);
    if (open == nullptr) return {};
    result.push_back(open->taint);
  }
  return result;
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

/// By id: sets of tolerations, each with the taints of the first node that needs just these.
std::map<std::string, Cure> cures_for(const diagnosis::DaemonSetReport& report) {
  std::map<std::string, Cure> result;
  for (const NodeReport& node : report.nodes) {
    const auto taints = only_taints(node);
    if (taints.empty()) continue;
    std::map<std::string, model::Toleration> needed;  // sorted, each once
    for (const model::Taint& taint : taints) {
      auto toleration = narrowest(taint, node.name);
      needed.emplace(id_part(toleration), std::move(toleration));
    }
    drop_covered(needed);
    std::string id = "tolerate";
    for (const auto& [part, toleration] : needed) id += "-" + part;
    Cure& cure = result[id];
    if (cure.tolerations.empty()) {
      cure.known = node.known;
      for (auto& [part, toleration] : needed) cure.tolerations.push_back(toleration);
    }
    cure.keeps_a_pod = cure.keeps_a_pod || !node.pods.empty();
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

/// Evaluates every node again, with the tolerations added.
void predict(Suggestion& suggestion, const model::DaemonSet& ds,
             const diagnosis::DaemonSetReport& report, const model::Cluster& cluster,
             placement::FeatureGates gates) {
  model::PodTemplate cured = ds.pod_template;
  cured.tolerations.insert(cured.tolerations.end(), suggestion.tolerations.begin(),
                           suggestion.tolerations.end());
  const placement::Evaluator evaluator(cured, gates);
  for (const NodeReport& before : report.nodes) {
    const model::Node* node = model::find_node(cluster, before.name);
    const bool was_wanted = placement::should_run(before.decision);
    const bool is_wanted =
        was_wanted || (node != nullptr && placement::should_run(evaluator.decide(*node)));
    const bool has_pod = !before.pods.empty();
    suggestion.before.desired_number_scheduled += was_wanted ? 1 : 0;
    suggestion.after.desired_number_scheduled += is_wanted ? 1 : 0;
    suggestion.before.number_misscheduled += !was_wanted && has_pod ? 1 : 0;
    suggestion.after.number_misscheduled += !is_wanted && has_pod ? 1 : 0;
    if (is_wanted && !was_wanted) suggestion.nodes.push_back(before.name);
  }
}

}  // namespace

std::vector<Suggestion> suggestions(const model::DaemonSet& ds,
                                    const diagnosis::DaemonSetReport& report,
                                    const model::Cluster& cluster, placement::FeatureGates gates) {
  std::vector<Suggestion> result;
  for (auto& [id, cure] : cures_for(report)) {
    Suggestion& suggestion = result.emplace_back();
    suggestion.id = id;
    suggestion.tolerations = cure.tolerations;
    suggestion.creates_list = ds.pod_template.tolerations.empty();
    suggestion.on_delete = ds.update_strategy == "OnDelete";
    if (report.evaluated.pods_known) {
      suggestion.restarted_pods = suggestion.on_delete ? 0 : report.nodes_with_pods;
    }
    const Wording wording = wording_for(lifecycle_of(cure));
    suggestion.recommended = cure.keeps_a_pod && !wording.passes_by_itself;
    const diagnosis::WorkloadKind kind = report.workload.kind;
    suggestion.advised = advised_for(cure, kind);
    suggestion.purpose = purpose_of(cure, wording, suggestion.advised, kind);
    suggestion.risk = wording.risk;
    predict(suggestion, ds, report, cluster, gates);
  }
  std::ranges::stable_sort(result, {}, [](const Suggestion& suggestion) {
    return std::tuple(!suggestion.recommended,
                      suggestion.after.number_misscheduled - suggestion.before.number_misscheduled,
                      -static_cast<std::ptrdiff_t>(suggestion.nodes.size()));
  });
  return result;
}

}  // namespace dsdoctor::advice
