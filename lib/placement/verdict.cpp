// SPDX-License-Identifier: Apache-2.0
#include "placement/verdict.h"

#include <algorithm>
#include <numeric>

#include "placement/label_syntax.h"

namespace dsdoctor::placement {
namespace {

// Up to this number of tolerations a linear scan is faster than a binary search.
constexpr std::size_t few_tolerations = 16;
// Number of tolerations that are checked for a misspelled key: the number of tolerations is not
// limited, and the comparison of spellings is slow.
constexpr std::size_t most_spellings = 30;

std::string_view key_of(const model::Toleration& toleration) { return toleration.key; }

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

bool has_value_of_node(const Reason& reason) {
  return std::holds_alternative<NodeSelectorMismatch>(reason) ||
         std::holds_alternative<AffinityTermMismatch>(reason);
}

const model::Text* value_of_node(const Reason& reason, const model::Text& name,
                                 const model::Labels& labels) {
  if (const auto* label = std::get_if<NodeSelectorMismatch>(&reason)) {
    return labels.find(label->key);
  }
  const auto& failed = std::get<AffinityTermMismatch>(reason);
  return value_for(*failed.requirement, failed.in_fields, name, labels);
}

Reason of_node(Reason reason, const model::Text& name, const model::Labels& labels) {
  if (!has_value_of_node(reason)) return reason;
  std::optional<model::Text> have = copied(value_of_node(reason, name, labels));
  if (auto* label = std::get_if<NodeSelectorMismatch>(&reason)) {
    label->have = std::move(have);
  } else {
    std::get<AffinityTermMismatch>(reason).have = std::move(have);
  }
  return reason;
}

Evaluator::Evaluator(const model::PodTemplate& of, FeatureGates gates)
    : template_(of),
      tolerations_(effective_tolerations(of.tolerations, of.host_network)),
      gates_(gates) {
  std::ranges::stable_sort(tolerations_, {}, key_of);
  by_key_.resize(of.tolerations.size());
  std::iota(by_key_.begin(), by_key_.end(), std::uint32_t{0});
  std::ranges::stable_sort(by_key_, {}, [&](std::uint32_t i) { return key_of(of.tolerations[i]); });
  if (of.node_affinity) {
    affinity_.emplace(*of.node_affinity);
    for (const model::NodeSelectorTerm& term : of.node_affinity->terms) {
      terms_.push_back({{term.match_expressions.begin(), term.match_expressions.end()},
                        {term.match_fields.begin(), term.match_fields.end()}});
    }
  }
  find_uses();
}

void Evaluator::find_uses() {
  if (!template_.node_name.empty()) node_names_.push_back(template_.node_name);
  std::vector<LabelUse> uses;
  for (const model::Labels* selector : {&template_.node_selector, &template_.namespace_selector}) {
    for (const auto& [key, value] : *selector) uses.push_back({key, {value}, false});
  }
  if (template_.node_affinity) {
    for (const model::NodeSelectorTerm& term : template_.node_affinity->terms) {
      for (const model::NodeSelectorRequirement& requirement : term.match_expressions) {
        const bool compares = requirement.op == "Gt" || requirement.op == "Lt";
        uses.push_back({requirement.key, requirement.values, compares});
      }
      for (const model::NodeSelectorRequirement& requirement : term.match_fields) {
        node_names_.insert(node_names_.end(), requirement.values.begin(), requirement.values.end());
      }
    }
  }
  std::ranges::stable_sort(uses, {}, &LabelUse::key);
  for (LabelUse& use : uses) {
    if (label_uses_.empty() || label_uses_.back().key != use.key) {
      label_uses_.push_back(std::move(use));
      continue;
    }
    LabelUse& same = label_uses_.back();
    same.values.insert(same.values.end(), use.values.begin(), use.values.end());
    same.compares = same.compares || use.compares;
  }
}

bool Evaluator::selects(const model::Node& node) const {
  if (!template_.node_name.empty() && template_.node_name != node.meta.name) return false;
  if (!has_labels(node, template_.node_selector)) return false;
  return !affinity_ || affinity_->matches(node);
}

bool Evaluator::tolerated(const model::Taint& taint) const {
  const auto tolerate = [&](auto first, auto last) {
    return std::any_of(first, last, [&](const model::Toleration& toleration) {
      return tolerates(toleration, taint, gates_);
    });
  };
  if (tolerations_.size() <= few_tolerations) {
    return tolerate(tolerations_.begin(), tolerations_.end());
  }
  const auto with_key = [&](std::string_view key) {
    return tolerate(std::ranges::lower_bound(tolerations_, key, {}, key_of),
                    std::ranges::upper_bound(tolerations_, key, {}, key_of));
  };
  return with_key("") || with_key(taint.key);
}

Decision Evaluator::decide(const model::Node& node) const {
  if (!selects(node)) return Decision::Exclude;
  Decision decision = Decision::Run;
  for (const model::Taint& taint : node.taints) {
    if (!is_blocking(taint) || tolerated(taint)) continue;
    if (taint.effect == model::effect::no_execute) return Decision::Exclude;
    decision = Decision::Keep;
  }
  // The namespace's selector is checked only for nodes that should run the pod.
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
  if (!affinity_->usable()) {
    AffinityMatchesNothing nothing{terms_.size(), {}};
    for (const RequirementFailure& failure : failures) {
      if (failure.fault && nothing.faults.size() < most_told_requirements) {
        nothing.faults.push_back(failure);
      }
    }
    reasons.emplace_back(std::move(nothing));
    return;
  }
  const std::size_t told = std::min(failures.size(), most_told_requirements);
  for (std::size_t i = 0; i < told; ++i) {
    const RequirementFailure& failure = failures[i];
    const SharedTerm& term = terms_[failure.term];
    const auto& requirement = (failure.in_fields ? term.fields : term.expressions)[failure.index];
    reasons.emplace_back(
        AffinityTermMismatch{failure.term, failure.in_fields, failure.index, requirement,
                             copied(value_for(*requirement, failure.in_fields, node)),
                             failure.fault, i + 1 == told ? failures.size() - told : 0});
  }
}

std::optional<NearMiss> Evaluator::near_miss(const model::Taint& taint) const {
  const auto& tolerations = template_.tolerations;
  std::optional<NearMiss> best;
  const auto compare = [&](std::string_view key) {
    const auto of_place = [&](std::uint32_t i) { return key_of(tolerations[i]); };
    auto at = std::ranges::lower_bound(by_key_, key, {}, of_place);
    for (; at != by_key_.end() && of_place(*at) == key; ++at) {
      const std::uint32_t i = *at;
      const TolerationMiss miss = *toleration_miss(tolerations[i], taint, gates_);
      const bool earlier = best && miss == best->miss && i < best->toleration;
      if (!best || miss > best->miss || earlier) best = NearMiss{i, miss};
    }
  };
  compare("");
  if (!taint.key.empty()) compare(taint.key);
  for (std::size_t i = 0; !best && i < std::min(tolerations.size(), most_spellings); ++i) {
    const model::Text& key = tolerations[i].key;
    if (!key.empty() && differs_in_spelling(key, taint.key)) {
      best = NearMiss{i, TolerationMiss::Key};
    }
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
