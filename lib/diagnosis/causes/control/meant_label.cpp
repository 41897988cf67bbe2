// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/control/meant_label.h"

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/misspelling.h"
#include "base/text.h"
#include "placement/label_syntax.h"

namespace dsdoctor::diagnosis {
namespace {

/// Keys that Kubernetes renamed. Source: kubernetes.io/docs/reference/labels-annotations-taints;
/// kubeadm removed the role master in 1.25.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> renamed_keys = {{
    {"beta.kubernetes.io/arch", "kubernetes.io/arch"},
    {"beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"},
    {"beta.kubernetes.io/os", "kubernetes.io/os"},
    {"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"},
    {"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"},
    {"node-role.kubernetes.io/master", "node-role.kubernetes.io/control-plane"},
}};

bool is_yes(std::string_view value) {
  return value == "true" || value == "yes" || value == "on" || value == "1";
}

bool is_state(std::string_view value) {
  constexpr std::array<std::string_view, 3> states = {"paused", "pending", "pre-"};
  return std::ranges::any_of(states, [&](auto state) { return value.starts_with(state); });
}

/// The values of a key on nodes.
using Values = Facts::LabelsOfNodes::mapped_type;

/// Whether the required value is a number with more digits than any node has: of z1 and z3, z11.
bool counts_higher(std::string_view wanted, const Values& values) {
  const auto digits = [](std::string_view text) {
    return std::ranges::count_if(text, base::is_digit);
  };
  return std::ranges::all_of(
      values, [&](const auto& value) { return digits(value.first) < digits(wanted); });
}

std::optional<Resemblance> resemblance_of_value(std::string_view wanted, std::string_view have,
                                                const Values& all) {
  if (placement::differs_in_spelling(wanted, have)) return Resemblance::Spelling;
  if (is_yes(wanted) && is_yes(have)) return Resemblance::Spelling;
  if (is_yes(wanted) && is_state(have)) return Resemblance::State;
  if (!base::is_misspelling(wanted, have)) return std::nullopt;
  const bool in_number =
      std::ranges::count_if(wanted, base::is_digit) != std::ranges::count_if(have, base::is_digit);
  if (in_number && !counts_higher(wanted, all)) return std::nullopt;
  return Resemblance::Typo;
}

std::optional<Resemblance> resemblance_of_key(std::string_view wanted, std::string_view have) {
  if (placement::differs_in_spelling(wanted, have)) return Resemblance::Spelling;
  const std::pair renamed{wanted, have};
  if (std::ranges::find(renamed_keys, renamed) != renamed_keys.end()) return Resemblance::Renamed;
  return std::nullopt;
}

class Search {
 public:
  explicit Search(const Facts& facts) : labels_(facts.labels_of_nodes()) {}

  void of(const model::Text& key, const model::Text& value) {
    const auto known = labels_.find(key.view());
    if (known == labels_.end()) return of_unknown_key(key, value);
    if (known->second.contains(value.view())) {
      matched_ = true;
      return;
    }
    for (const auto& [have, node] : known->second) {
      auto how = resemblance_of_value(value, have, known->second);
      // Names of machines are generated.
      if (how == Resemblance::Typo && key == "kubernetes.io/hostname") how.reset();
      offer(key, value, how, node, key);
    }
  }

  [[nodiscard]] std::optional<MeantLabel> result() const { return best_; }
  /// Whether a node has one of the labels.
  [[nodiscard]] bool has_matched() const { return matched_; }

 private:
  void of_unknown_key(const model::Text& key, const model::Text& value) {
    for (const auto& [have, values] : labels_) {
      auto how = resemblance_of_key(key, have);
      const auto same = values.find(value.view());
      const bool is_role = have.starts_with("node-role.kubernetes.io/");
      if (how == Resemblance::Renamed && is_role) {  // distributions give roles different values
        for (const auto& other : values) offer(key, value, how, other.second, have);
        continue;
      }
      if (same == values.end()) continue;
      // The value counts too: pol=spot is one letter from pool=spot.
      if (!how && base::is_misspelling(key.str() + "=" + value.str(),
                                       std::string(have) + "=" + value.str())) {
        how = Resemblance::Typo;
      }
      offer(key, value, how, same->second, have);
    }
  }

  void offer(const model::Text& key, const model::Text& value, std::optional<Resemblance> how,
             const model::Node* node, std::string_view have) {
    if (!how) return;
    const auto better = [&](const MeantLabel& than) {
      return std::tuple(*how, node->meta.name.view(), have) <
             std::tuple(than.resemblance, than.meant.node->meta.name.view(),
                        than.meant.label.key.view());
    };
    if (best_ && !better(*best_)) return;
    const model::Text own_key(have);
    best_ = MeantLabel{{key, value}, {node, {own_key, *node->meta.labels.find(own_key)}}, *how};
  }

  const Facts::LabelsOfNodes& labels_;
  std::optional<MeantLabel> best_;
  bool matched_ = false;
};

}  // namespace

std::optional<MeantLabel> meant_label(const model::DaemonSet& ds, const Facts& facts) {
  const model::PodTemplate& of = ds.pod_template;
  Search search(facts);
  for (const auto& [key, value] : of.node_selector) search.of(key, value);
  if (search.result() || !of.node_affinity) return search.result();
  for (const model::NodeSelectorTerm& term : of.node_affinity->terms) {
    for (const model::NodeSelectorRequirement& requirement : term.match_expressions) {
      if (requirement.op != "In") continue;
      Search one(facts);
      for (const model::Text& value : requirement.values) one.of(requirement.key, value);
      if (one.result() && !one.has_matched()) return one.result();
    }
  }
  return std::nullopt;
}

}  // namespace dsdoctor::diagnosis
