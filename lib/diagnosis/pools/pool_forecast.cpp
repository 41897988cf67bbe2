// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/pools/pool_forecast.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "diagnosis/evidence/admission.h"
#include "diagnosis/evidence/daemon_pods.h"
#include "placement/label_selector.h"
#include "scheduling/synthetic_pod.h"

namespace dsdoctor::diagnosis {
namespace {

using placement::Evaluator;

/// More combinations of labels are not evaluated.
constexpr std::size_t most_combinations = 4096;

/// Values of one label that the DaemonSet treats alike.
struct ValueClass {
  std::vector<LabelValue> values;
};

/// A label that the DaemonSet selects by and of which nodes can have different values.
struct OpenLabel {
  std::vector<model::Text> names;  // the present one, and old ones in use
  std::vector<ValueClass> classes;
};

/// The results of all requirements of the template on a label with this value.
std::string signature(const model::PodTemplate& pod, const std::vector<model::Text>& names,
                      const LabelValue& value) {
  std::string result;
  model::Labels labels;
  for (const model::Text& name : names) {
    if (value.kind != LabelValue::Kind::Absent) labels.set(name, value.value);
  }
  const auto is_named = [&](const model::Text& key) {
    return std::ranges::find(names, key) != names.end();
  };
  for (const model::Labels* selector : {&pod.node_selector, &pod.namespace_selector}) {
    for (const auto& [key, required] : *selector) {
      if (!is_named(key)) continue;
      const model::Text* const has = labels.find(key);
      result += has != nullptr && *has == required ? '1' : '0';
    }
  }
  if (!pod.node_affinity) return result;
  for (const model::NodeSelectorTerm& term : pod.node_affinity->terms) {
    for (const auto& requirement : term.match_expressions) {
      if (is_named(requirement.key)) {
        result += placement::satisfies(labels, requirement) ? '1' : '0';
      }
    }
  }
  return result;
}

/// The labels by which the DaemonSet selects nodes, by their present names.
std::map<std::string, Evaluator::LabelUse, std::less<>> uses_by_name(
    const Evaluator& evaluator,
    std::map<std::string, std::vector<model::Text>, std::less<>>& names) {
  std::map<std::string, Evaluator::LabelUse, std::less<>> result;
  for (const Evaluator::LabelUse& use : evaluator.label_uses()) {
    const std::string present(present_name(use.key));
    Evaluator::LabelUse& joined = result[present];
    joined.key = model::Text(present);
    joined.values.insert(joined.values.end(), use.values.begin(), use.values.end());
    joined.compares = joined.compares || use.compares;
    names[present].push_back(use.key);
  }
  return result;
}

std::vector<OpenLabel> open_labels(const model::NodeTemplate& of, const model::PodTemplate& pod,
                                   const Evaluator& evaluator) {
  std::map<std::string, std::vector<model::Text>, std::less<>> names;
  const auto uses = uses_by_name(evaluator, names);
  std::vector<OpenLabel> result;
  result.reserve(uses.size());
  for (const auto& [present, use] : uses) {
    OpenLabel label{names[present], {}};
    std::map<std::string, ValueClass> classes;
    for (LabelValue& value : possible_values(of, present, use.values, use.compares)) {
      classes[signature(pod, label.names, value)].values.push_back(std::move(value));
    }
    for (auto& [ignored, each] : classes) label.classes.push_back(std::move(each));
    result.push_back(std::move(label));
  }
  return result;
}

/// The nodes of a template as one DaemonSet distinguishes them.
class Combinations {
 public:
  Combinations(const model::NodeTemplate& of, std::vector<OpenLabel> labels)
      : of_(of), labels_(std::move(labels)) {
    for (const OpenLabel& label : labels_) {
      count_ = label.classes.size() > most_combinations / std::max<std::size_t>(count_, 1)
                   ? most_combinations + 1
                   : count_ * label.classes.size();
    }
  }

  [[nodiscard]] bool are_too_many() const { return count_ > most_combinations; }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] const std::vector<OpenLabel>& labels() const { return labels_; }

  /// The class of a label in a combination.
  [[nodiscard]] std::size_t class_of(std::size_t combination, std::size_t label) const {
    for (std::size_t i = 0; i < label; ++i) combination /= labels_[i].classes.size();
    return combination % labels_[label].classes.size();
  }
  /// The combination that differs in this label only.
  [[nodiscard]] std::size_t with_class(std::size_t combination, std::size_t label,
                                       std::size_t other) const {
    std::size_t step = 1;
    for (std::size_t i = 0; i < label; ++i) step *= labels_[i].classes.size();
    return combination + step * other - step * class_of(combination, label);
  }

  [[nodiscard]] model::Node node(std::size_t combination) const {
    model::Node result;
    result.meta.name = "new node";  // no node can have this name
    std::vector<model::Labels::Entry> entries(of_.labels.begin(), of_.labels.end());
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      const LabelValue& value = labels_[i].classes[class_of(combination, i)].values.front();
      if (value.kind == LabelValue::Kind::Absent) continue;
      for (const model::Text& name : labels_[i].names) entries.emplace_back(name, value.value);
    }
    result.meta.labels = model::Labels(std::move(entries));
    result.taints = of_.taints;
    return result;
  }

 private:
  const model::NodeTemplate& of_;
  std::vector<OpenLabel> labels_;
  std::size_t count_ = 1;
};

std::vector<LabelValue> values_where(const Combinations& all, std::size_t label,
                                     const std::vector<bool>& runs, bool wanted) {
  std::vector<LabelValue> result;
  for (std::size_t at = 0; at < all.labels()[label].classes.size(); ++at) {
    if (runs[all.with_class(0, label, at)] != wanted) continue;
    const auto& values = all.labels()[label].classes[at].values;
    result.insert(result.end(), values.begin(), values.end());
  }
  return result;
}

/// The labels of which another value alone changes whether a node gets a pod.
std::vector<DecidingLabel> deciding_labels(const Combinations& all, const std::vector<bool>& runs) {
  std::vector<DecidingLabel> result;
  std::size_t last = 0;
  for (std::size_t label = 0; label < all.labels().size(); ++label) {
    bool decides = false;
    for (std::size_t at = 0; at < all.count() && !decides; ++at) {
      decides = runs[at] != runs[all.with_class(at, label, 0)];
    }
    if (!decides) continue;
    last = label;
    result.push_back({model::Text(present_name(all.labels()[label].names.front()))});
  }
  if (result.size() == 1) {
    result.front().with = values_where(all, last, runs, true);
    result.front().without = values_where(all, last, runs, false);
  }
  return result;
}

std::vector<model::Taint> untolerated(const Evaluator& evaluator, model::Node node,
                                      const std::vector<model::Taint>& taints) {
  node.taints = taints;
  std::vector<model::Taint> result;
  const placement::Verdict verdict = evaluator.evaluate(node);
  for (const placement::Reason& reason : verdict.reasons) {
    const auto* taint = std::get_if<placement::UntoleratedTaint>(&reason);
    if (taint != nullptr) result.push_back(taint->taint);
  }
  return result;
}

/// Why the most suitable of the nodes gets no pod.
std::vector<placement::Reason> fewest_reasons(const Evaluator& evaluator, const Combinations& all) {
  auto result = evaluator.evaluate(all.node(0)).reasons;
  for (std::size_t at = 1; at < all.count(); ++at) {
    auto other = evaluator.evaluate(all.node(at)).reasons;
    if (other.size() < result.size()) result = std::move(other);
  }
  return result;
}

PoolDaemon daemon_on(const model::Cluster& cluster, const model::NodeTemplate& of,
                     const model::DaemonSet& ds, placement::FeatureGates gates) {
  PoolDaemon result;
  result.ns = ds.meta.ns;
  result.name = ds.meta.name;
  const Evaluator evaluator(ds.pod_template, gates);
  result.selects_os = std::ranges::any_of(
      evaluator.label_uses(), [](const auto& use) { return present_name(use.key) == os_label; });
  const Combinations all(of, open_labels(of, ds.pod_template, evaluator));
  if (all.count() == 0) return result;
  std::optional<model::Node> running;
  if (all.are_too_many()) {
    result.reach = PoolReach::Some;
  } else {
    std::vector<bool> runs(all.count());
    for (std::size_t at = 0; at < all.count(); ++at) {
      model::Node node = all.node(at);
      runs[at] = placement::should_run(evaluator.decide(node));
      if (runs[at] && !running) running = std::move(node);
    }
    const auto running_count = static_cast<std::size_t>(std::ranges::count(runs, true));
    result.reach = running_count == runs.size() ? PoolReach::Each
                   : running_count == 0         ? PoolReach::None
                                                : PoolReach::Some;
    if (result.reach == PoolReach::Some) result.decides = deciding_labels(all, runs);
  }
  if (result.reach == PoolReach::None) {
    result.reasons = fewest_reasons(evaluator, all);
    return result;
  }
  result.waits_for = untolerated(evaluator, running.value_or(all.node(0)), of.startup_taints);
  const model::Pod pod =
      scheduling::synthetic_pod(ds, model::Text("new-node"), admission_of(cluster, ds));
  result.requests = scheduling::pod_requests(pod, scheduling::CountedBy::Spec).amounts;
  result.requests["pods"] = scheduling::Quantity::of_units(1);
  result.priority = pod.spec->priority.value_or(0);
  return result;
}

void add(const scheduling::Amounts& amounts, scheduling::Amounts& to) {
  for (const auto& [name, amount] : amounts) to[name] += amount;
}

/// The resources of which `used` and `more` together exceed the capacity. Those that the template
/// does not state are unlimited.
std::vector<std::string_view> exceeded(const scheduling::Amounts& used,
                                       const scheduling::Amounts& more,
                                       const scheduling::Amounts& capacity) {
  std::vector<std::string_view> result;
  for (const auto& [name, amount] : more) {
    const auto offered = capacity.find(name);
    if (amount.is_zero() || offered == capacity.end()) continue;
    scheduling::Quantity sum = amount;
    if (const auto at = used.find(name); at != used.end()) sum += at->second;
    if (sum > offered->second) result.push_back(name);
  }
  return result;
}

bool requests_any(const scheduling::Amounts& requests, const std::vector<std::string_view>& of) {
  return std::ranges::any_of(of, [&](std::string_view name) {
    const auto at = requests.find(name);
    return at != requests.end() && !at->second.is_zero();
  });
}

/// The scheduler preempts pods of lower priority, and chooses among equal ones by time.
PoolShortage shortage_of(const PoolForecast& forecast) {
  PoolShortage result;
  if (forecast.capacity.empty()) return result;
  std::map<std::int64_t, std::vector<std::size_t>, std::greater<>> by_priority;
  for (std::size_t i = 0; i < forecast.daemons.size(); ++i) {
    if (forecast.daemons[i].reach == PoolReach::Each) {
      by_priority[forecast.daemons[i].priority].push_back(i);
    }
  }
  scheduling::Amounts used;
  for (const auto& [priority, equals] : by_priority) {
    scheduling::Amounts together;
    std::vector<std::size_t> fitting;
    for (const std::size_t i : equals) {
      const scheduling::Amounts& requests = forecast.daemons[i].requests;
      if (exceeded(used, requests, forecast.capacity).empty()) {
        fitting.push_back(i);
        add(requests, together);
      } else {
        result.pending.push_back(i);
      }
    }
    const auto scarce = exceeded(used, together, forecast.capacity);
    std::ranges::copy_if(fitting, std::back_inserter(result.contending), [&](std::size_t i) {
      return requests_any(forecast.daemons[i].requests, scarce);
    });
    add(together, used);
  }
  return result;
}

/// Sets the capacity to that of the template, or of the smallest present node of a NodePool.
void find_capacity(const NodesOfPools& nodes, PoolForecast& result) {
  std::vector<std::string> unusable;
  result.capacity = scheduling::amounts_of(result.of.capacity, "capacity", unusable);
  if (!result.capacity.empty() || result.of.kind != "NodePool") return;
  const model::Node* smallest = nullptr;
  scheduling::Amounts least;
  for (const model::Node* node : nodes.of(result.of.name)) {
    if (!is_like(*node, result.of)) continue;
    auto amounts = scheduling::amounts_of(node->allocatable, "allocatable", unusable);
    if (smallest == nullptr || amounts["cpu"] < least["cpu"]) {
      smallest = node;
      least = std::move(amounts);
    }
  }
  if (smallest == nullptr) return;
  result.capacity = std::move(least);
  result.capacity_of = smallest->meta.name;
}

}  // namespace

std::string_view to_string(PoolReach reach) {
  switch (reach) {
    case PoolReach::Each: return "each";
    case PoolReach::Some: return "some";
    case PoolReach::None:
    default: return "none";
  }
}

std::size_t PoolForecast::count(PoolReach reach) const {
  return static_cast<std::size_t>(std::ranges::count(daemons, reach, &PoolDaemon::reach));
}

NodesOfPools::NodesOfPools(const model::Cluster& cluster) {
  for (const model::Node& node : cluster.nodes) {
    const model::Text* pool = node.meta.labels.find("karpenter.sh/nodepool");
    if (pool != nullptr) nodes_[pool->view()].push_back(&node);
  }
  bool differ = false;
  for (const model::Node& node : cluster.nodes) {
    const model::Text* os = node.meta.labels.find(os_label);
    if (os == nullptr) continue;
    differ = differ || (!common_os_.empty() && common_os_ != *os);
    common_os_ = *os;
  }
  if (differ) common_os_ = {};
}

const std::vector<const model::Node*>& NodesOfPools::of(std::string_view pool) const {
  static const std::vector<const model::Node*> none;
  const auto at = nodes_.find(pool);
  return at == nodes_.end() ? none : at->second;
}

PoolForecast forecast(const model::Cluster& cluster, const NodesOfPools& nodes,
                      const model::NodeTemplate& of,
                      const std::vector<const model::DaemonSet*>& daemon_sets,
                      placement::FeatureGates gates) {
  PoolForecast result;
  result.of = of;
  result.contradicted = contradicted_label(of);
  if (!result.contradicted.empty()) return result;
  model::NodeTemplate assumed = of;
  const bool assumes = !nodes.common_os().empty() && !decides_label(of, os_label);
  if (assumes) assumed.labels.set(model::Text(os_label), nodes.common_os());
  result.daemons.reserve(daemon_sets.size());
  for (const model::DaemonSet* ds : daemon_sets) {
    if (is_inactive(*ds)) continue;
    result.daemons.push_back(daemon_on(cluster, assumed, *ds, gates));
    const PoolDaemon& daemon = result.daemons.back();
    if (assumes && daemon.selects_os) result.assumed_os = nodes.common_os();
    if (daemon.reach == PoolReach::Each) add(daemon.requests, result.requests);
    if (daemon.reach != PoolReach::None) add(daemon.requests, result.requests_most);
  }
  find_capacity(nodes, result);
  result.shortage = shortage_of(result);
  return result;
}

}  // namespace dsdoctor::diagnosis
