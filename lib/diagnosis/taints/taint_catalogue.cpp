// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/taints/taint_catalogue.h"

#include <algorithm>
#include <tuple>

#include "base/glob.h"
#include "base/text.h"
#include "diagnosis/taints/known_taints.h"

namespace dsdoctor::diagnosis {
namespace {

using model::KeyMatch;
using model::KnownTaint;

constexpr std::string_view literal_key = "<taint-key>";

bool has_label(const model::Labels& labels, std::string_view glob) {
  return std::ranges::any_of(
      labels, [&](const auto& label) { return base::matches_glob(glob, label.first); });
}

bool fits_one_of(const std::vector<model::Text>& globs, std::string_view text) {
  return std::ranges::any_of(
      globs, [&](const model::Text& glob) { return base::matches_glob(glob, text); });
}

/// Splits a list whose items all end with a comma.
std::vector<model::Text> texts_of(std::string_view list) {
  std::vector<model::Text> result;
  for (const std::string_view text : base::split(list, ",")) result.emplace_back(text);
  result.pop_back();
  return result;
}

KnownTaint taint_of(const KnownTaintRow& row) {
  KnownTaint taint;
  taint.id = row.id;
  taint.key = row.key;
  taint.match = static_cast<KeyMatch>(row.match);
  taint.values = texts_of(row.values);
  taint.value_decides = row.value_decides;
  taint.node_label = row.node_label;
  taint.renamed_to = row.renamed_to;
  taint.effects = texts_of(row.effects);
  taint.set_by = row.set_by;
  taint.setter = row.setter;
  taint.family = row.family;
  taint.meaning = row.meaning;
  taint.lifecycle = static_cast<model::TaintLifecycle>(row.lifecycle);
  taint.auto_tolerated = row.auto_tolerated;
  taint.auto_condition = row.auto_condition;
  taint.for_node_agents = static_cast<model::Advised>(row.for_node_agents);
  taint.in_general = static_cast<model::Advised>(row.in_general);
  taint.advice = row.advice;
  taint.confidence = row.confidence;
  if (row.has_suggestion) {
    taint.suggested = {row.suggested_key, row.suggested_operator, row.suggested_value,
                       row.suggested_effect, std::nullopt};
  }
  return taint;
}

}  // namespace

const TaintCatalogue& TaintCatalogue::built_in() {
  static const TaintCatalogue catalogue;
  return catalogue;
}

TaintCatalogue::TaintCatalogue() {
  std::vector<KnownTaint> taints;
  taints.reserve(known_taint_rows().size());
  for (const KnownTaintRow& row : known_taint_rows()) taints.push_back(taint_of(row));
  add_layer(std::move(taints), false);
}

TaintCatalogue::TaintCatalogue(std::vector<std::vector<KnownTaint>> own) : TaintCatalogue() {
  for (auto& taints : own) add_layer(std::move(taints), true);
}

void TaintCatalogue::add_layer(std::vector<KnownTaint> taints, bool strict) {
  Layer& layer = layers_.emplace_back();
  layer.strict = strict;
  layer.entries = std::move(taints);
  for (std::size_t i = 0; i < layer.entries.size(); ++i) {
    const KnownTaint& known = layer.entries[i];
    (known.match == KeyMatch::Exact ? layer.exact[known.key] : layer.others).push_back(i);
  }
}

std::vector<const KnownTaint*> TaintCatalogue::built_in_entries() const {
  std::vector<const KnownTaint*> result;
  for (const KnownTaint& known : layers_.front().entries) result.push_back(&known);
  return result;
}

const KnownTaint* TaintCatalogue::find(const model::Taint& taint,
                                       const model::Labels& of_node) const {
  for (std::size_t i = layers_.size(); i-- > 0;) {
    if (const KnownTaint* found = find_in(layers_[i], taint, of_node)) return found;
  }
  return nullptr;
}

namespace {

/// Whether Kubernetes itself adds the taint, which it does only with the effects of the entry.
bool is_of_kubernetes(const KnownTaint& known) {
  return known.family == "kubernetes-node" && known.key.view().starts_with("node.kubernetes.io/");
}

}  // namespace

const KnownTaint* TaintCatalogue::find_in(const Layer& layer, const model::Taint& taint,
                                          const model::Labels& of_node) {
  using Rank = std::tuple<int, std::size_t, bool, bool, bool, bool, bool>;
  Rank best;
  const KnownTaint* found = nullptr;
  const auto consider = [&](std::size_t index) {
    const KnownTaint& known = layer.entries[index];
    const bool value_fits = known.values.empty() || fits_one_of(known.values, taint.value);
    const bool effect_fits = std::ranges::find(known.effects, taint.effect) != known.effects.end();
    if (!value_fits && (known.value_decides || layer.strict)) return;
    if (!effect_fits && (layer.strict || (is_of_kubernetes(known) && !taint.effect.empty()))) {
      return;
    }
    if (!known.node_label.empty() && !has_label(of_node, known.node_label)) return;
    const Rank rank(-static_cast<int>(known.match), known.key.view().size(),
                    value_fits && effect_fits, !known.node_label.empty(), !known.values.empty(),
                    value_fits, effect_fits);
    if (found != nullptr && rank <= best) return;
    best = rank;
    found = &known;
  };
  if (const auto exact = layer.exact.find(taint.key); exact != layer.exact.end()) {
    std::ranges::for_each(exact->second, consider);
  }
  if (found != nullptr) return found;
  for (const std::size_t index : layer.others) {
    const KnownTaint& known = layer.entries[index];
    const bool fits = known.match == KeyMatch::Prefix ? taint.key.view().starts_with(known.key)
                                                      : base::matches_glob(known.key, taint.key);
    if (fits) consider(index);
  }
  return found;
}

bool passes(const model::KnownTaint* known) {
  return known != nullptr && known->lifecycle != model::TaintLifecycle::Unknown &&
         known->lifecycle != model::TaintLifecycle::Permanent;
}

std::optional<model::Toleration> suggested_toleration(const KnownTaint& known,
                                                      const model::Taint& taint) {
  std::optional<model::Toleration> result = known.suggested;
  if (result && result->key == literal_key) result->key = taint.key;
  return result;
}

}  // namespace dsdoctor::diagnosis
