// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/control/identity_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/daemonset.h"
#include "diagnosis/catalogue/findings/node.h"
#include "diagnosis/catalogue/object_evidence.h"
#include "diagnosis/catalogue/role.h"
#include "diagnosis/causes/control/finding_list.h"
#include "diagnosis/causes/control/reach_findings.h"
#include "diagnosis/controller/gate_setting.h"
#include "diagnosis/report/departure.h"
#include "diagnosis/taints/taint_knowledge.h"
#include "placement/label_selector.h"

namespace dsdoctor::diagnosis {
namespace {

/// The nodes for which TaintTolerationComparisonOperators decides.
struct NodesOfGate {
  std::vector<std::string> names;
  bool eligibility = false;  // false: no node's eligibility changes, but other parts of a decision
};

NodesOfGate nodes_of_gate(const model::DaemonSet& ds, const model::Cluster& cluster) {
  const placement::Evaluator with(ds.pod_template, {.taint_toleration_comparison_operators = true});
  const placement::Evaluator without(ds.pod_template, {});
  NodesOfGate eligible{{}, true};
  NodesOfGate others;
  for (const model::Node& node : cluster.nodes) {
    const placement::Decision on = with.decide(node);
    const placement::Decision off = without.decide(node);
    if (on == off) continue;
    auto& into = should_run(on) == should_run(off) ? others : eligible;
    into.names.push_back(node.meta.name.str());
  }
  return eligible.names.empty() ? others : eligible;
}

class IdentityFinder {
 public:
  explicit IdentityFinder(const DaemonSetCase& of)
      : of_(of), ds_(of.ds), cluster_(of.facts.cluster()), report_(of.report) {}

  std::vector<Finding> causes() {
    deletion();
    selector();
    return findings_.take();
  }

  std::vector<Finding> find() {
    pinned();
    findings_.append(reach_findings(of_));
    none_running();
    comparison_gate();
    return findings_.take();
  }

 private:
  [[nodiscard]] Evidence field(std::string path, std::string value = {}) const {
    return {ref_of(ds_), std::move(path), std::move(value)};
  }

  [[nodiscard]] bool is_on_silent_node(const model::Pod& pod) const {
    const model::Node* node = model::find_node(cluster_, pod.node_name);
    return node != nullptr && is_kubelet_out(*node);
  }

  /// A bound pod that the deletion waits for, preferably one whose kubelet does not report; null if
  /// there is none.
  [[nodiscard]] const model::Pod* last_pod() const {
    const model::Pod* result = nullptr;
    for (const model::Pod* pod : of_.claimed.owned) {
      if (!is_bound(*pod)) continue;
      const bool is_longer =
          result != nullptr && is_on_silent_node(*pod) && !is_on_silent_node(*result);
      if (result == nullptr || is_longer) result = pod;
    }
    return result;
  }

  /// The number without the pod that is named; absent if that is the only one.
  static std::optional<std::int64_t> several(std::size_t pods) {
    return pods < 2 ? std::nullopt : std::optional(static_cast<std::int64_t>(pods) - 1);
  }

  void deletion() {
    if (!ds_.meta.deleted) return;
    std::vector<std::string> finalizers;
    for (const model::Text& text : ds_.meta.finalizers) finalizers.push_back(text.str());
    const model::Namespace* ns = of_.facts.ns(ds_.meta.ns);
    const bool with_namespace = ns != nullptr && is_terminating(*ns);
    const bool waits_for_pods =
        std::ranges::find(finalizers, "foregroundDeletion") != finalizers.end();
    const model::Pod* last = waits_for_pods ? last_pod() : nullptr;
    const bool is_out = last != nullptr && is_on_silent_node(*last);
    Finding& finding = findings_.add(
        finding::DaemonsetBeingDeleted{
            .finalizers = finalizers,
            .it_waits_for_others = !is_out,
            .its_kubelet_is_out = is_out,
            .its_namespace = with_namespace ? ns->meta.name.view() : std::string_view(),
            .last_pod = last == nullptr ? std::string_view() : last->meta.name.view(),
            .on_node = last == nullptr ? std::string_view() : last->node_name.view(),
            .others = last == nullptr ? std::nullopt : several(of_.claimed.owned.size()),
            .since = ds_.meta.deleted},
        {field("metadata.deletionTimestamp", base::rfc3339(*ds_.meta.deleted))});
    const bool own = std::ranges::all_of(finalizers, [](const std::string& name) {
      return name == "foregroundDeletion" || name == "orphan";  // of the garbage collector
    });
    finding.transient = own && (of_.facts.now() - *ds_.meta.deleted < threshold::terminating ||
                                all_end_by_themselves(of_.claimed.owned, of_.facts));
  }

  void selector() {
    if (!ds_.selector) return;
    if (placement::selects_everything(*ds_.selector)) {
      findings_.add(FindingId::DaemonsetSelectsAll, {field("spec.selector")});
    } else if (!placement::matches(*ds_.selector, ds_.pod_template.labels)) {
      findings_.add(FindingId::DaemonsetSelectorMismatch,
                    {field("spec.selector"), field("spec.template.metadata.labels")});
    }
  }

  void pinned() {
    if (ds_.pod_template.node_name.empty()) return;
    const bool missing = is_pinned_to_no_node(of_);
    const model::Text& name = ds_.pod_template.node_name;
    Finding& finding =
        findings_.add(finding::DaemonsetPinnedToNode{.it_does_not_exist = missing, .name = name},
                      {field("spec.template.spec.nodeName", name.str())});
    if (missing) finding.severity = Severity::Error;
  }

  void none_running() {
    const model::DaemonSetCounts& counts = report_.evaluated.counts;
    const bool none = report_.evaluated.nodes_known && report_.evaluated.all_nodes_known &&
                      report_.evaluated.pods_known && counts.desired_number_scheduled > 0 &&
                      counts.current_number_scheduled == 0;
    const auto& created = ds_.meta.created;
    const bool fresh = created && of_.facts.now() - *created < threshold::missing;
    const bool skipped = ds_.selector && placement::selects_everything(*ds_.selector);
    if (!none || ds_.generation == 0 || fresh || skipped) return;
    findings_.add(finding::DaemonsetNoneRunning{.eligible = counts.desired_number_scheduled},
                  {field("status.currentNumberScheduled",
                         std::to_string(ds_.reported.current_number_scheduled))});
  }

  void comparison_gate() {
    const auto& tolerations = ds_.pod_template.tolerations;
    const auto numeric = std::ranges::find_if(
        tolerations, [](const auto& t) { return t.op == "Lt" || t.op == "Gt"; });
    if (numeric == tolerations.end()) return;
    const auto [names, eligibility] = nodes_of_gate(ds_, cluster_);
    if (names.empty()) return;
    const bool enabled = of_.gates.taint_toleration_comparison_operators;
    const auto& setting = of_.comparison_gate;
    const bool assumed = !setting || setting->is_assumed();
    std::string_view decision = "evaluated differently";
    if (eligibility) decision = enabled ? "not eligible" : "eligible";
    std::string_view otherwise;  // unknown: the other setting is impossible
    if (assumed) otherwise = enabled ? "off" : "on";
    findings_.add(
        finding::TolerationComparisonGate{.decision = decision,
                                          .names = names,
                                          .nodes = static_cast<std::int64_t>(names.size()),
                                          .op = numeric->op,
                                          .otherwise = otherwise,
                                          .reason = setting ? setting->reason : gate_by_default(),
                                          .the_gate_is_assumed_off = assumed && !enabled,
                                          .the_gate_is_assumed_on = assumed && enabled},
        {field(fmt::format("spec.template.spec.tolerations[{}].operator",
                           numeric - tolerations.begin()),
               numeric->op.str())});
  }

  const DaemonSetCase& of_;
  const model::DaemonSet& ds_;
  const model::Cluster& cluster_;
  const DaemonSetReport& report_;
  FindingList findings_{of_};
};

}  // namespace

std::vector<Finding> identity_causes(const DaemonSetCase& of) {
  return IdentityFinder(of).causes();
}

std::vector<Finding> identity_findings(const DaemonSetCase& of) {
  return IdentityFinder(of).find();
}

std::vector<Finding> clock_findings(const DaemonSetCase& of) {
  const model::Time now = of.facts.now();
  model::Time latest = now + threshold::clock_skew;
  std::vector<std::string> nodes;
  Evidence evidence;  // the latest
  for (const model::Node& node : of.facts.cluster().nodes) {
    const model::Condition* ready = model::find_condition(node.conditions, "Ready");
    if (ready == nullptr || !ready->last_heartbeat) continue;
    if (*ready->last_heartbeat <= now + threshold::clock_skew) continue;
    nodes.push_back(node.meta.name.str());
    if (*ready->last_heartbeat <= latest) continue;
    latest = *ready->last_heartbeat;
    evidence = {
        ref_of(node),
        fmt::format("status.conditions[{}].lastHeartbeatTime", ready - node.conditions.data()),
        base::rfc3339(latest)};
  }
  if (nodes.empty()) return {};
  const auto clocks = nodes.size();
  return {make_finding(
      finding::ClockSkew{.ahead = latest - now, .clocks = clocks, .nodes = std::move(nodes)},
      {std::move(evidence)})};
}

namespace {

/// Evidence of the pod's owner, or of the label that only controllers set.
Evidence owner_evidence(const model::Pod& pod) {
  if (const auto& owner = pod.meta.controller) {
    return {ref_of(pod), "metadata.ownerReferences[?(@.controller==true)].name", owner->name.str()};
  }
  return {ref_of(pod), "metadata.labels['controller-revision-hash']",
          std::string(revision_hash(pod))};
}

/// The revision stored last; null if there is none.
const model::ControllerRevision* newest_revision(const model::Cluster& cluster, std::string_view ns,
                                                 std::string_view name) {
  const model::ControllerRevision* newest = nullptr;
  for (const model::ControllerRevision& revision : cluster.revisions) {
    const auto& owner = revision.meta.controller;
    const bool named = owner ? model::is_daemon_set(*owner) && owner->name == name
                             : revision.meta.name.view().starts_with(fmt::format("{}-", name));
    if ((!ns.empty() && revision.meta.ns != ns) || !named) continue;
    if (newest == nullptr || revision.revision > newest->revision) newest = &revision;
  }
  return newest;
}

}  // namespace

std::vector<Finding> absence_findings(const model::Cluster& cluster, std::string_view ns,
                                      std::string_view name) {
  std::vector<std::string> pods;
  std::vector<Evidence> evidence;
  std::set<std::string_view> nodes;
  std::string_view place = ns;
  for (const model::Pod& pod : cluster.pods) {
    if (is_terminal(pod) || !was_made_by(pod, name)) continue;
    if (!place.empty() && pod.meta.ns != place) continue;
    place = pod.meta.ns;
    if (pods.empty()) evidence.push_back(owner_evidence(pod));
    pods.push_back(pod.meta.name.str());
    if (is_bound(pod)) nodes.insert(pod.node_name);
  }
  const model::ControllerRevision* newest = newest_revision(cluster, place, name);
  if (pods.empty() && newest == nullptr) return {};
  if (newest != nullptr) place = newest->meta.ns;
  const std::string_view revision =
      newest == nullptr ? std::string_view() : newest->meta.name.view();
  if (newest != nullptr) {
    evidence.emplace_back(
        ObjectRef{"ControllerRevision", newest->meta.ns.str(), std::string(revision)},
        "data.spec.template");
  }
  const auto count = static_cast<std::int64_t>(pods.size());
  return {make_finding(
      finding::DaemonsetAbsent{.its_namespace = place,
                               .its_pods = std::move(pods),
                               .nodes = nodes.size(),
                               .pods = count == 0 ? std::nullopt : std::optional(count),
                               .revision = revision},
      std::move(evidence), {.ns = place, .ds = name})};
}

}  // namespace dsdoctor::diagnosis
