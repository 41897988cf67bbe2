// SPDX-License-Identifier: Apache-2.0
#include "scheduling/topology_spread.h"

#include <algorithm>
#include <map>
#include <optional>

#include "placement/label_selector.h"
#include "placement/node_affinity.h"
#include "placement/tolerates.h"

namespace dsdoctor::scheduling {
namespace {

bool is_hard(const model::TopologySpreadConstraint& constraint) {
  return constraint.when_unsatisfiable == "DoNotSchedule";
}

/// The name of the only node that a term can match; null if the term does not name one.
const model::Text* named_node(const model::NodeSelectorTerm& term) {
  for (const model::NodeSelectorRequirement& field : term.match_fields) {
    if (field.key == "metadata.name" && field.op == "In" && field.values.size() == 1) {
      return &field.values.front();
    }
  }
  return nullptr;
}

/// Determines which nodes and pods the constraints of a pod count.
class Spread {
 public:
  Spread(const model::Pod& pod, const Surroundings& around, placement::FeatureGates gates)
      : pod_(pod), around_(around), gates_(gates) {
    if (pod.node_affinity) affinity_.emplace(*pod.node_affinity);
  }

  [[nodiscard]] SpreadResult judge(std::size_t index) const {
    const model::TopologySpreadConstraint& constraint = pod_.spec->topology_spread[index];
    SpreadResult result;
    result.constraint = index;
    const model::Text* value = around_.node.meta.labels.find(constraint.topology_key);
    if (value == nullptr) {
      result.judgement = Judgement::Blocked;
      result.lacks_label = true;
      return result;
    }
    const auto selector = selector_of(constraint);
    bool known = true;
    const auto counts = count(constraint, selector, known);
    result.domains = static_cast<std::int64_t>(counts.size());
    const auto here = counts.find(value->view());
    result.here = here == counts.end() ? 0 : here->second;
    result.self = selector && placement::matches(*selector, pod_.meta.labels) ? 1 : 0;
    if (!counts.empty() && result.domains >= constraint.min_domains.value_or(1)) {
      result.least =
          std::ranges::min_element(counts, {}, [](const auto& c) { return c.second; })->second;
    }
    const bool too_many = result.here + result.self - result.least > constraint.max_skew;
    result.judgement = too_many ? Judgement::Blocked : Judgement::Passes;
    if (!known) result.judgement = Judgement::Unknown;
    return result;
  }

 private:
  using Counts = std::map<std::string_view, std::int64_t>;

  /// The constraint's selector with the pod's own values for matchLabelKeys.
  [[nodiscard]] std::optional<model::LabelSelector> selector_of(
      const model::TopologySpreadConstraint& constraint) const {
    std::optional<model::LabelSelector> selector = constraint.label_selector;
    if (!selector) return selector;
    for (const model::Text& key : constraint.match_label_keys) {
      const model::Text* value = pod_.meta.labels.find(key);
      if (value != nullptr) selector->match_expressions.push_back({key, "In", {*value}});
    }
    return selector;
  }

  /// The nodes that can count. The affinity of a daemon pod names its only one.
  [[nodiscard]] std::vector<const model::Node*> candidates(
      const model::TopologySpreadConstraint& constraint) const {
    std::vector<const model::Node*> result;
    if (constraint.node_affinity_policy != "Ignore" && names_nodes()) {
      for (const model::NodeSelectorTerm& term : pod_.node_affinity->terms) {
        const model::Node* node = model::find_node(around_.cluster, named_node(term)->view());
        if (node != nullptr) result.push_back(node);
      }
      std::ranges::sort(result);
      result.erase(std::unique(result.begin(), result.end()), result.end());
      return result;
    }
    result.reserve(around_.cluster.nodes.size());
    for (const model::Node& node : around_.cluster.nodes) result.push_back(&node);
    return result;
  }

  /// Whether each term of the pod's affinity can match only the node that it names.
  [[nodiscard]] bool names_nodes() const {
    return pod_.node_affinity && std::ranges::all_of(pod_.node_affinity->terms, [](const auto& t) {
             return named_node(t) != nullptr;
           });
  }

  /// Number of pods in each domain, over the nodes that count. Sets `known` to false if pods were
  /// not read.
  [[nodiscard]] Counts count(const model::TopologySpreadConstraint& constraint,
                             const std::optional<model::LabelSelector>& selector,
                             bool& known) const {
    Counts counts;
    for (const model::Node* node : candidates(constraint)) {
      if (!is_eligible(*node, constraint)) continue;
      std::int64_t& number = counts[*node->meta.labels.find(constraint.topology_key)];
      if (!selector || placement::selects_everything(*selector)) continue;
      known = known && around_.knows_pods_on(node->meta.name);
      for (const model::Pod* other : around_.pods_on(node->meta.name)) {
        number += counts_for(*other, *selector) ? 1 : 0;
      }
    }
    return counts;
  }

  [[nodiscard]] bool counts_for(const model::Pod& other,
                                const model::LabelSelector& selector) const {
    return !other.meta.deleted && other.meta.ns == pod_.meta.ns && around_.is_there(&other) &&
           placement::matches(selector, other.meta.labels);
  }

  [[nodiscard]] bool is_eligible(const model::Node& node,
                                 const model::TopologySpreadConstraint& constraint) const {
    if (constraint.node_affinity_policy != "Ignore" && !selects(node)) return false;
    if (constraint.node_taints_policy == "Honor" && !tolerates_all(node)) return false;
    return std::ranges::all_of(pod_.spec->topology_spread, [&](const auto& other) {
      return !is_hard(other) || node.meta.labels.find(other.topology_key) != nullptr;
    });
  }

  [[nodiscard]] bool selects(const model::Node& node) const {
    for (const auto& [key, want] : pod_.node_selector) {
      const model::Text* have = node.meta.labels.find(key);
      if (have == nullptr || *have != want) return false;
    }
    return !affinity_ || affinity_->matches(node);
  }

  [[nodiscard]] bool tolerates_all(const model::Node& node) const {
    return std::ranges::all_of(node.taints, [&](const model::Taint& taint) {
      return !placement::is_blocking(taint) ||
             std::ranges::any_of(*pod_.tolerations, [&](const auto& toleration) {
               return placement::tolerates(toleration, taint, gates_);
             });
    });
  }

  const model::Pod& pod_;
  const Surroundings& around_;
  placement::FeatureGates gates_;
  std::optional<placement::NodeAffinity> affinity_;
};

}  // namespace

std::vector<SpreadResult> topology_spread(const model::Pod& pod, const Surroundings& around,
                                          placement::FeatureGates gates) {
  std::vector<SpreadResult> results;
  const auto& constraints = pod.spec->topology_spread;
  if (std::ranges::none_of(constraints, is_hard)) return results;
  const Spread spread(pod, around, gates);
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    if (is_hard(constraints[i])) results.push_back(spread.judge(i));
  }
  return results;
}

}  // namespace dsdoctor::scheduling
