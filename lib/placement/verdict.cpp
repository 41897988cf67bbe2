#include "placement/verdict.h"

#include <algorithm>

#include "placement/label_syntax.h"

namespace dsdoctor::placement {
namespace {

std::optional<model::Text> copied(const model::Text* value) {
  return value ? std::optional(*value) : std::nullopt;
}

bool has_labels(const model::Node& node, const model::Labels& wanted) {
  return std::ranges::all_of(wanted, [&](const auto& entry) {
    const model::Text* have = node.meta.labels.find(entry.first);
    return have != nullptr && *have == entry.second;
  });
}

void add_selector_reasons(const model::Node& node, const model::Labels& selector, bool of_namespace,
                          std::vector<Reason>& reasons) {
  for (const auto& [key, want] : selector) {
    const model::Text* have = node.meta.labels.find(key);
    if (have != nullptr && *have == want) continue;
    reasons.emplace_back(NodeSelectorMismatch{key, want, copied(have), of_namespace});
  }
}

}  // namespace

Evaluator::Evaluator(const model::PodTemplate& of, FeatureGates gates)
    : template_(of),
      tolerations_(effective_tolerations(of.tolerations, of.host_network)),
      names_nodes_(!of.node_name.empty()),
      gates_(gates) {
  if (of.node_affinity) affinity_.emplace(*of.node_affinity);
  find_label_keys();
}

void Evaluator::find_label_keys() {
  for (const auto& entry : template_.node_selector) label_keys_.push_back(entry.first);
  for (const auto& entry : template_.namespace_selector) label_keys_.push_back(entry.first);
  if (template_.node_affinity) {
    for (const model::NodeSelectorTerm& term : template_.node_affinity->terms) {
      for (const auto& requirement : term.match_expressions) label_keys_.push_back(requirement.key);
      names_nodes_ = names_nodes_ || !term.match_fields.empty();
    }
  }
  std::ranges::sort(label_keys_);
  label_keys_.erase(std::unique(label_keys_.begin(), label_keys_.end()), label_keys_.end());
}

bool Evaluator::selects(const model::Node& node) const {
  if (!template_.node_name.empty() && template_.node_name != node.meta.name) return false;
  if (!has_labels(node, template_.node_selector)) return false;
  return !affinity_ || affinity_->matches(node);
}

bool Evaluator::tolerated(const model::Taint& taint) const {
  return std::ranges::any_of(
      tolerations_, [&](const auto& toleration) { return tolerates(toleration, taint, gates_); });
}

Decision Evaluator::decide(const model::Node& node) const {
  if (!selects(node)) return Decision::Exclude;
  Decision decision = Decision::Run;
  for (const model::Taint& taint : node.taints) {
    if (!is_blocking(taint) || tolerated(taint)) continue;
    if (taint.effect == model::effect::no_execute) return Decision::Exclude;
    decision = Decision::Keep;
  }
  // Asked of a node that should run the pod, and of no other.
  const bool of_namespace =
      decision != Decision::Run || has_labels(node, template_.namespace_selector);
  return of_namespace ? decision : Decision::Exclude;
}

Verdict Evaluator::evaluate(const model::Node& node) const {
  Verdict verdict{decide(node), {}};
  if (verdict.decision == Decision::Run) return verdict;
  if (!template_.node_name.empty() && template_.node_name != node.meta.name) {
    verdict.reasons.emplace_back(NodeNameMismatch{template_.node_name});
  }
  add_selector_reasons(node, template_.node_selector, false, verdict.reasons);
  add_affinity_reasons(node, verdict.reasons);
  add_taint_reasons(node, model::effect::no_execute, verdict.reasons);
  add_taint_reasons(node, model::effect::no_schedule, verdict.reasons);
  add_selector_reasons(node, template_.namespace_selector, true, verdict.reasons);
  return verdict;
}

void Evaluator::add_affinity_reasons(const model::Node& node, std::vector<Reason>& reasons) const {
  if (!affinity_ || affinity_->matches(node)) return;
  const auto failures = affinity_->failures(node);
  const auto& terms = template_.node_affinity->terms;
  if (!affinity_->usable()) {
    AffinityMatchesNothing nothing{terms.size(), {}};
    std::ranges::copy_if(failures, std::back_inserter(nothing.faults),
                         [](const auto& failure) { return failure.fault.has_value(); });
    reasons.emplace_back(std::move(nothing));
    return;
  }
  for (const RequirementFailure& failure : failures) {
    const auto& term = terms[failure.term];
    const auto& requirement =
        (failure.in_fields ? term.match_fields : term.match_expressions)[failure.index];
    reasons.emplace_back(AffinityTermMismatch{
        failure.term, failure.in_fields, failure.index, requirement,
        copied(value_for(requirement, failure.in_fields, node)), failure.fault});
  }
}

std::optional<NearMiss> Evaluator::near_miss(const model::Taint& taint) const {
  std::optional<NearMiss> best;
  for (std::size_t i = 0; i < template_.tolerations.size(); ++i) {
    const model::Toleration& toleration = template_.tolerations[i];
    if (!toleration.key.empty() && toleration.key != taint.key) {
      if (!best && differs_in_spelling(toleration.key, taint.key)) {
        best = NearMiss{i, TolerationMiss::Key};
      }
      continue;
    }
    const TolerationMiss miss = *toleration_miss(toleration, taint, gates_);
    if (!best || miss > best->miss) best = NearMiss{i, miss};
  }
  return best;
}

void Evaluator::add_taint_reasons(const model::Node& node, std::string_view effect,
                                  std::vector<Reason>& reasons) const {
  for (std::size_t i = 0; i < node.taints.size(); ++i) {
    const model::Taint& taint = node.taints[i];
    if (taint.effect == effect && !tolerated(taint)) {
      reasons.emplace_back(UntoleratedTaint{taint, i, near_miss(taint)});
    }
  }
}

}  // namespace dsdoctor::placement
