// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/reporter.h"

#include <algorithm>
#include <unordered_map>

#include "diagnosis/diagnose.h"
#include "diagnosis/report/departure.h"
#include "model/release.h"

namespace dsdoctor::diagnosis {
namespace {

using Pods = std::vector<const model::Pod*>;

/// The pods of a DaemonSet by the node that they are bound to or were created for.
struct PodsByNode {
  PodsOfNodes nodes;  // the keys are the pods' own texts
  Pods lost;          // the target node is unknown
};

PodsByNode group_by_node(const PodIndex::Claimed& claimed, const ControllerBehaviour& behaviour) {
  PodsByNode result;
  const auto add = [&](const model::Pod* pod) {
    if (behaviour.ignores_terminal_terminating_pods && is_terminal(*pod) && is_terminating(*pod)) {
      return;
    }
    const model::Text* node = target_node(*pod);
    (node ? result.nodes[*node] : result.lost).push_back(pod);
  };
  std::ranges::for_each(claimed.owned, add);
  std::ranges::for_each(claimed.adoptable, add);
  for (auto& [name, pods] : result.nodes) {
    std::ranges::sort(pods, [](const auto* a, const auto* b) { return stands_before(*a, *b); });
  }
  return result;
}

/// The verdict by the table of verdicts, of which the first matching row applies. `pods`: in
/// representative order.
NodeVerdict verdict_of(placement::Decision decision, const Pods& pods, bool pods_known,
                       bool surge) {
  if (decision == placement::Decision::Keep && !pods.empty()) return NodeVerdict::Misscheduled;
  if (decision == placement::Decision::Exclude && !pods.empty()) return NodeVerdict::Removing;
  if (decision != placement::Decision::Run) return NodeVerdict::Excluded;
  if (pods.empty()) return pods_known ? NodeVerdict::Missing : NodeVerdict::Unknown;
  if (std::ranges::all_of(pods, [](const auto* pod) { return is_terminating(*pod); })) {
    return NodeVerdict::Terminating;
  }
  Pods live;
  std::ranges::copy_if(pods, std::back_inserter(live),
                       [](const auto* pod) { return is_live(*pod); });
  if (live.empty()) return NodeVerdict::Failed;
  if (live.size() > 1 && !(surge && is_surge_pair(live))) return NodeVerdict::Duplicate;
  const model::Pod& first = *live.front();
  if (!is_bound(first)) return NodeVerdict::Pending;
  return is_ready(first) ? NodeVerdict::Running : NodeVerdict::NotReady;
}

using KnownTaints = std::vector<const model::KnownTaint*>;

KnownTaints known_taints(const std::vector<placement::Reason>& reasons, const model::Node& node,
                         const TaintCatalogue& catalogue) {
  KnownTaints result;
  result.reserve(reasons.size());
  for (const placement::Reason& reason : reasons) {
    const auto* open = std::get_if<placement::UntoleratedTaint>(&reason);
    result.push_back(open == nullptr ? nullptr : catalogue.find(open->taint, node.meta.labels));
  }
  return result;
}

/// The states of nodes without pods for a DaemonSet, evaluated once for each class of nodes.
class Eligibility {
 public:
  /// `classes`: null to evaluate each node. `nodes`: receives the states, shared through `states`.
  Eligibility(const placement::Evaluator& evaluator, const TaintCatalogue& catalogue,
              bool pods_known, const NodeClasses* classes, BareStates& states, NodeReports& nodes)
      : evaluator_(evaluator),
        catalogue_(catalogue),
        pods_known_(pods_known),
        classes_(classes),
        states_(states),
        nodes_(nodes) {
    if (classes_ != nullptr) of_classes_.resize(classes_->size(), unknown);
  }

  /// The state of a node without pods, as an index into the states of `nodes`. `index`: of the node
  /// in the cluster.
  std::uint32_t of(const model::Node& node, std::size_t index) {
    if (classes_ == nullptr) return nodes_.add_state(judge(node));
    std::uint32_t& judged = of_classes_[classes_->of(index)];
    if (judged == unknown) judged = nodes_.add_state(states_.shared(judge(node)));
    return judged;
  }

 private:
  [[nodiscard]] NodeState judge(const model::Node& node) const {
    auto [decision, reasons] = evaluator_.evaluate(node);
    NodeState state;
    state.decision = decision;
    state.verdict = verdict_of(decision, {}, pods_known_, false);
    state.known = known_taints(reasons, node, catalogue_);
    state.reasons = std::move(reasons);
    return state;
  }

  const placement::Evaluator& evaluator_;
  const TaintCatalogue& catalogue_;
  bool pods_known_;
  const NodeClasses* classes_;
  BareStates& states_;
  NodeReports& nodes_;
  std::vector<std::uint32_t> of_classes_;
  static constexpr auto unknown = static_cast<std::uint32_t>(-1);
};

void count_pods(DaemonSetReport& report, placement::Decision decision,
                const std::optional<PodReport>& first) {
  ++report.all_nodes;
  if (!first) return count_node(report.evaluated.counts, decision, nullptr);
  ++report.nodes_with_pods;
  const CountedPod counted{first->ready, first->available, !first->outdated};
  count_node(report.evaluated.counts, decision, &counted);
}

/// A report with the values that do not depend on nodes.
DaemonSetReport begun(const model::DaemonSet& ds, const model::Cluster& cluster,
                      const ReportOptions& options) {
  DaemonSetReport result;
  result.ns = ds.meta.ns;
  result.name = ds.meta.name;
  result.workload = workload_of(ds.pod_template);
  result.reported = ds.reported;
  result.observed = ds.observed_generation > 0 && ds.generation <= ds.observed_generation;
  result.deleted = ds.meta.deleted.has_value();
  result.other_kind = ds.other_kind;
  result.surges = is_surge(ds);
  result.evaluated.nodes_known = cluster.nodes_known;
  result.evaluated.all_nodes_known = cluster.all_nodes_known;
  result.covered = model::knows_pods_of(cluster, ds.meta.ns);
  result.evaluated.pods_known = result.covered && options.pods_of_node.empty();
  return result;
}

/// Adds a node. `named`: `nodes` was constructed with the names of the cluster's nodes.
void append(NodeReports& nodes, const model::Node& node, std::uint32_t state, bool named) {
  if (named) return nodes.append(state);
  nodes.push_back({node.meta.name, nodes.states()[state].state});  // nodes of pods come later
}

/// Compares counts with status. REQUIRES: all nodes were counted.
void compare_with_status(DaemonSetReport& report, const model::DaemonSet& ds,
                         const TemplateRevision& revision) {
  report.evaluated.revision_known =
      revision.is_known() || report.evaluated.counts.current_number_scheduled == 0;
  // A manifest that was never applied has no status.
  const bool has_status = ds.generation > 0 || ds.observed_generation > 0 ||
                          (!ds.meta.uid.empty() && ds.reported != model::DaemonSetCounts());
  if (!has_status || ds.other_kind) return;
  report.differences = differences(report.reported, report.evaluated);
}

const Pods& pods_on(const PodsByNode& by_node, const model::Text& node) {
  static const Pods none;
  if (by_node.nodes.empty()) return none;
  const auto found = by_node.nodes.find(node);
  return found == by_node.nodes.end() ? none : found->second;
}

/// Adds nodes that only pods name: deleted nodes, or all nodes if none could be read. A node is not
/// added if its existence is not known.
template <typename IsDeleted, typename WithPods>
void add_nodes_of_pods(DaemonSetReport& result, const PodsByNode& by_node,
                       const model::Cluster& cluster, const IsDeleted& is_deleted,
                       const WithPods& with_pods) {
  for (const auto& [name, pods] : by_node.nodes) {
    if (model::find_node(cluster, name) != nullptr) continue;
    if (cluster.nodes_known && !is_deleted(name)) continue;
    NodeState state;
    state.node_known = false;
    if (cluster.nodes_known) {
      if (std::ranges::none_of(pods, [](const auto* pod) { return is_bound(*pod); })) continue;
      state.decision = placement::Decision::Exclude;
    }
    with_pods(state, name, pods);
    (cluster.nodes_known ? result.vanished_nodes : result.nodes)
        .push_back({model::Text(name), std::move(state)});
  }
}

}  // namespace

Reporter::Reporter(const model::Cluster& cluster, ReportOptions options)
    : cluster_(cluster),
      options_(std::move(options)),
      behaviour_(behaviour_of(model::release_of(cluster).release)) {}

const Facts& Reporter::facts() const {
  if (!facts_) facts_ = std::make_unique<Facts>(cluster_, options_.now, options_.is_now_earliest);
  return *facts_;
}

const Providers& Reporter::providers() const {
  if (!providers_) providers_ = std::make_unique<Providers>(facts(), options_.gates);
  return *providers_;
}

NodeReports Reporter::nodes() const {
  if (!names_) {
    std::vector<model::Text> names;
    std::vector<model::Labels> labels;
    names.reserve(cluster_.nodes.size());
    labels.reserve(cluster_.nodes.size());
    for (const model::Node& node : cluster_.nodes) {
      names.push_back(node.meta.name);
      labels.push_back(node.meta.labels);
    }
    names_.emplace(std::move(names), std::move(labels));
  }
  return NodeReports(names_->first, names_->second);
}

TemplateRevision Reporter::revision_of(const model::DaemonSet& ds, const Pods& owned) const {
  if (ds.other_kind) return {ds, cluster_, owned};
  if (!revisions_) revisions_.emplace(cluster_.revisions);
  return {ds, cluster_, revisions_->of(ds.meta.ns, ds.meta.name), owned};
}

bool Reporter::is_ending(std::string_view ns) const {
  if (!ending_namespaces_) {
    auto& ending = ending_namespaces_.emplace();
    for (const model::Namespace& each : cluster_.namespaces) {
      if (is_terminating(each)) ending.insert(each.meta.name);
    }
  }
  return ending_namespaces_->contains(ns);
}

std::optional<NodeClasses> Reporter::classes_for(const placement::Evaluator& evaluator) const {
  if (!options_.by_kind) return std::nullopt;
  if (!kinds_) kinds_.emplace(cluster_, *options_.taints, options_.now);
  return kinds_->classes_for(evaluator);
}

DaemonSetReport Reporter::verdicts(const model::DaemonSet& ds,
                                   std::function<bool(const model::Node&)> selects) const {
  ReportOptions options = options_;
  options.selects = std::move(selects);
  options.diagnoses = false;
  options.completes = nullptr;
  return report(ds, options);
}

DaemonSetReport Reporter::report(const model::DaemonSet& ds) const { return report(ds, options_); }

DaemonSetReport Reporter::report(const model::DaemonSet& ds, const ReportOptions& options) const {
  const bool may_keep = options.kept != nullptr && !options.selects && !options.completes;
  if (!may_keep) return made(ds, options);
  if (const auto* kept = options.kept->find(ds, options.diagnoses)) return *kept;
  DaemonSetReport result = made(ds, options);
  options.kept->keep(ds, result, options.diagnoses);
  return result;
}

DaemonSetReport Reporter::made(const model::DaemonSet& ds, const ReportOptions& options) const {
  if (!pods_) pods_.emplace(cluster_, behaviour_);
  const PodIndex::Claimed claimed = pods_->claimed_by(ds);
  const PodsByNode by_node = group_by_node(claimed, behaviour_);
  const TemplateRevision revision = revision_of(ds, claimed.owned);
  const placement::Evaluator evaluator(ds.pod_template, options.gates);

  DaemonSetReport result = begun(ds, cluster_, options);
  result.in_ending_namespace = is_ending(ds.meta.ns);

  const auto describe = [&](const model::Pod& pod) {
    return PodReport{pod.meta.name,
                     pod.phase,
                     pod.reason,
                     is_bound(pod),
                     is_ready(pod),
                     is_available(pod, ds.min_ready_seconds, options.now, behaviour_),
                     revision.is_known() && !revision.is_current(pod),
                     is_terminating(pod),
                     !pod.meta.controller.has_value()};
  };
  const auto with_pods = [&](NodeState& state, std::string_view node, const Pods& pods) {
    const model::Text& only = options.pods_of_node;
    const bool pods_known = result.covered && (only.empty() || only == node);
    state.verdict = verdict_of(state.decision, pods, pods_known, is_surge(ds));
    for (const model::Pod* pod : pods) state.pods.push_back(describe(*pod));
  };
  const auto shared = options.by_kind ? classes_for(evaluator) : std::nullopt;
  const NodeClasses* classes = shared ? &*shared : nullptr;
  if (cluster_.nodes_known) result.nodes = nodes();
  Eligibility eligibility(evaluator, *options.taints, result.covered, classes, bare_states_,
                          result.nodes);
  base::IndexRuns selected;
  for (std::size_t i = 0; i < cluster_.nodes.size(); ++i) {
    const model::Node& node = cluster_.nodes[i];
    const Pods& pods = pods_on(by_node, node.meta.name);
    const std::uint32_t bare = eligibility.of(node, i);
    const placement::Decision decision = result.nodes.states()[bare].state->decision;
    count_pods(result, decision, pods.empty() ? std::nullopt : std::optional(describe(*pods[0])));
    append(result.nodes, node, bare, cluster_.nodes_known);
    if (options.selects && !options.selects(node)) continue;
    if (options.selects) selected.push_back(i);
    if (pods.empty() && options.pods_of_node.empty()) continue;
    result.nodes.change(i, [&](NodeState& state) { with_pods(state, node.meta.name, pods); });
  }
  if (options.selects) result.nodes = result.nodes.only(selected);
  const auto is_deleted = [&](std::string_view node) { return is_deleted_node(facts(), node); };
  if (!options.selects) add_nodes_of_pods(result, by_node, cluster_, is_deleted, with_pods);
  result.nodes.sort_by_name();
  result.vanished_nodes.sort_by_name();
  compare_with_status(result, ds, revision);
  if (options.diagnoses) {
    DaemonSetCase of{ds,       facts(), behaviour_,    claimed,        by_node.lost,
                     revision, result,  options.gates, options.taints, options.comparison_gate};
    of.providers = &providers();
    diagnose(of, {by_node.nodes, options.asks, classes, options.named, options.ahead}, result);
  }
  if (options.completes) options.completes(result);
  return result;
}

}  // namespace dsdoctor::diagnosis
