// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/report/node_kinds.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <unordered_map>

#include "diagnosis/evidence/node_state.h"
#include "diagnosis/report/cases.h"
#include "diagnosis/taints/taint_knowledge.h"

namespace dsdoctor::diagnosis {
namespace {

constexpr std::chrono::hours label_change_counts_for{24};

/// Whether the taint says nothing about the health of the node, and evicts no pod.
bool is_plain(const model::Taint& taint) {
  constexpr std::array<std::string_view, 4> of_states = {"node.kubernetes.io/",
                                                         "node.cloudprovider.kubernetes.io/",
                                                         "node.cluster.x-k8s.io/", "karpenter.sh/"};
  if (taint.effect == "PreferNoSchedule") return true;
  const std::string_view key = taint.key;
  return taint.effect == model::effect::no_schedule && key != to_be_deleted_key &&
         std::ranges::none_of(of_states, [&](auto prefix) { return key.starts_with(prefix); }) &&
         !startup_agent(taint) && !is_interruption(taint);
}

bool is_fine(const model::Condition& condition) {
  return condition.type == "Ready" ? condition.status == "True" : condition.status != "True";
}

bool is_past(const model::OptionalTime& moment, std::chrono::seconds age, model::Time now) {
  return !moment || *moment + age < now;
}

bool is_quiet_node(const model::Node& node, model::Time now) {
  if (node.meta.deleted || node.unschedulable || is_virtual(node) || is_fargate(node)) return false;
  if (!is_past(node.meta.created, std::max(threshold::missing, threshold::new_node), now)) {
    return false;
  }
  const auto is_old = [&](const model::Condition& condition) {
    return is_fine(condition) && is_past(condition.last_transition, threshold::missing, now);
  };
  const auto is_old_change = [&](const model::FieldManager& manager) {
    return is_past(manager.time, label_change_counts_for, now);
  };
  return std::ranges::all_of(node.taints, is_plain) &&
         std::ranges::all_of(node.conditions, is_old) &&
         std::ranges::all_of(node.meta.managers, is_old_change);
}

void add_text(std::string& key, std::string_view text) {
  key.append(std::to_string(text.size())).push_back(':');
  key.append(text);
}

void add_taint(std::string& key, const model::Taint& taint, const model::KnownTaint* known) {
  for (const model::Text* part : {&taint.key, &taint.value, &taint.effect}) add_text(key, *part);
  if (taint.time_added) add_text(key, std::to_string(taint.time_added->time_since_epoch().count()));
  key.append(";").append(std::to_string(reinterpret_cast<std::uintptr_t>(known))).append(";");
}

std::vector<model::Text> keys_asked_for(const model::Cluster& cluster) {
  std::vector<model::Text> keys;
  for (const model::DaemonSet& ds : cluster.daemon_sets) {
    const placement::Evaluator rules(ds.pod_template, {});
    for (const auto& use : rules.label_uses()) keys.push_back(use.key);
  }
  std::ranges::sort(keys);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

/// The labels of a node whose keys are known: the index of the key, and the value. Looks at the
/// labels or at the keys, of which it depends on the cluster which are fewer.
class KnownLabels {
 public:
  explicit KnownLabels(const std::vector<model::Text>& keys) : keys_(keys) {
    for (std::uint32_t i = 0; i < keys.size(); ++i) places_.emplace(keys[i].view(), i);
  }

  template <typename Use>
  void for_each(const model::Labels& labels, const Use& use) const {
    if (keys_.size() < labels.size()) {
      for (std::uint32_t i = 0; i < keys_.size(); ++i) {
        if (const model::Text* value = labels.find(keys_[i])) use(i, *value);
      }
      return;
    }
    for (const auto& [key, value] : labels) {
      if (const auto at = places_.find(key.view()); at != places_.end()) use(at->second, value);
    }
  }

 private:
  const std::vector<model::Text>& keys_;
  std::unordered_map<std::string_view, std::uint32_t> places_;
};

void add_number(std::string& key, std::uint32_t number) {
  key.append(reinterpret_cast<const char*>(&number), sizeof number);
}

/// Divides items, step by step, into classes: a code for each item.
class Division {
 public:
  /// `first`: the class of each item, below `classes`.
  Division(const std::vector<std::uint32_t>& first, std::size_t classes)
      : codes_(first.begin(), first.end()), bound_(std::max<std::uint64_t>(classes, 1)) {}

  /// Divides each class by a property with `values` values. `set`: gets a function that sets the
  /// value of an item, once for an item; the others have 0.
  template <typename Set>
  void by(std::size_t values, const Set& set) {
    constexpr std::uint64_t most = std::uint64_t{1} << 62U;
    if (bound_ > most / values) make_dense();
    for (std::uint64_t& code : codes_) code *= values;
    bound_ *= values;
    set([&](std::size_t item, std::size_t value) { codes_[item] += value; });
  }

  /// The class of each item, numbered by their first items.
  std::vector<std::uint32_t> classes() {
    make_dense();
    return {codes_.begin(), codes_.end()};
  }
  /// REQUIRES: classes() was called.
  [[nodiscard]] std::size_t size() const { return bound_; }

 private:
  void make_dense() {
    std::uint32_t found = 0;
    if (bound_ <= codes_.size() * 4 + 256) {
      constexpr auto none = static_cast<std::uint32_t>(-1);
      std::vector<std::uint32_t> numbers(bound_, none);
      for (std::uint64_t& code : codes_) {
        if (numbers[code] == none) numbers[code] = found++;
        code = numbers[code];
      }
    } else {
      std::unordered_map<std::uint64_t, std::uint32_t> numbers;
      for (std::uint64_t& code : codes_) {
        const auto [at, is_new] = numbers.try_emplace(code, found);
        found += is_new ? 1 : 0;
        code = at->second;
      }
    }
    bound_ = std::max<std::uint64_t>(found, 1);
  }

  std::vector<std::uint64_t> codes_;
  std::uint64_t bound_;  // each code is less
};

}  // namespace

NodeKinds::NodeKinds(const model::Cluster& cluster, const TaintCatalogue& taints, model::Time now)
    : cluster_(cluster), keys_(keys_asked_for(cluster)), columns_(keys_.size()) {
  const KnownLabels known(keys_);
  std::unordered_map<std::string, std::uint32_t> bases;
  std::unordered_map<std::string, std::uint32_t> found;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> labels;  // key and value
  std::string key;
  kinds_.reserve(cluster.nodes.size());
  for (const model::Node& node : cluster.nodes) {
    const bool quiet = is_quiet_node(node, now);
    key.assign(1, quiet ? 'q' : 'l');
    for (const model::Taint& taint : node.taints) {
      add_taint(key, taint, taints.find(taint, node.meta.labels));
    }
    const auto base = bases.try_emplace(key, static_cast<std::uint32_t>(quiet_.size()));
    if (base.second) quiet_.push_back(quiet);
    key.clear();
    add_number(key, base.first->second);
    labels.clear();
    known.for_each(node.meta.labels, [&](std::uint32_t label, const model::Text& value) {
      auto& values = columns_[label].values;
      const auto number = static_cast<std::uint32_t>(values.size());
      labels.emplace_back(label, values.try_emplace(value.view(), number).first->second);
      add_number(key, label);
      add_number(key, labels.back().second);
    });
    const auto kind = static_cast<std::uint32_t>(bases_.size());
    const auto [at, is_new] = found.try_emplace(key, kind);
    kinds_.push_back(at->second);
    if (!is_new) continue;
    bases_.push_back(base.first->second);
    for (const auto& [label, value] : labels) columns_[label].kinds.emplace_back(kind, value);
  }
}

const NodeKinds::Column* NodeKinds::column_of(const model::Text& key) const {
  const auto at = std::ranges::lower_bound(keys_, key);
  if (at == keys_.end() || *at != key) return nullptr;
  return &columns_[static_cast<std::size_t>(at - keys_.begin())];
}

std::vector<std::size_t> NodeKinds::places_of(const std::vector<model::Text>& names) const {
  std::vector<std::size_t> places;
  for (const model::Text& name : names) {
    const model::Node* node = model::find_node(cluster_, name);
    if (node != nullptr) places.push_back(static_cast<std::size_t>(node - cluster_.nodes.data()));
  }
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

std::vector<std::uint32_t> NodeKinds::Column::classes_for(
    const placement::Evaluator::LabelUse& use) const {
  std::vector<std::uint32_t> result(values.size(), 1);  // 1: a value that is not named
  std::uint32_t named = 2;
  if (use.compares) {
    std::iota(result.begin(), result.end(), 1U);
    return result;
  }
  for (const model::Text& value : use.values) {
    const auto at = values.find(value.view());
    if (at != values.end() && result[at->second] == 1) result[at->second] = named++;
  }
  return result;
}

std::optional<NodeClasses> NodeKinds::classes_for(const placement::Evaluator& evaluator) const {
  Division division(bases_, quiet_.size());
  for (const placement::Evaluator::LabelUse& use : evaluator.label_uses()) {
    const Column* column = column_of(use.key);
    if (column == nullptr) return std::nullopt;
    const std::vector<std::uint32_t> classes = column->classes_for(use);
    const std::size_t most = classes.empty() ? 0 : std::ranges::max(classes);
    division.by(most + 1, [&](const auto& set) {  // 0: no such label
      for (const auto& [kind, value] : column->kinds) set(kind, classes[value]);
    });
  }
  NodeClasses result;
  result.kinds_ = this;
  result.classes_ = division.classes();
  std::size_t classes = division.size();
  if (!evaluator.node_names().empty()) {
    result.by_node_ = true;
    std::vector<std::uint32_t> of_nodes;
    of_nodes.reserve(kinds_.size());
    for (const std::uint32_t kind : kinds_) of_nodes.push_back(result.classes_[kind]);
    const std::vector<std::size_t> named = places_of(evaluator.node_names());
    Division by_name(of_nodes, classes);
    by_name.by(named.size() + 1, [&](const auto& set) {
      for (std::size_t i = 0; i < named.size(); ++i) set(named[i], i + 1);
    });
    result.classes_ = by_name.classes();
    classes = by_name.size();
  }
  result.quiet_.resize(classes);
  for (std::size_t i = 0; i < result.classes_.size(); ++i) {
    const std::size_t kind = result.by_node_ ? kinds_[i] : i;
    result.quiet_[result.classes_[i]] = quiet_[bases_[kind]];
  }
  return result;
}

}  // namespace dsdoctor::diagnosis
