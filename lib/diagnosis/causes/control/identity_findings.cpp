// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/control/identity_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/daemonset.h"
#include "diagnosis/catalogue/findings/node.h"
#include "diagnosis/catalogue/object_evidence.h"
#include "diagnosis/catalogue/role.h"
#include "diagnosis/causes/control/idle.h"
#include "diagnosis/controller/gate_setting.h"
#include "diagnosis/report/departure.h"
#include "diagnosis/report/reach.h"
#include "diagnosis/taints/taint_knowledge.h"
#include "placement/label_selector.h"

namespace dsdoctor::diagnosis {
namespace {

/// Whether the required node affinity excludes every node, whatever its labels are.
bool matches_nothing(const DaemonSetReport& report) {
  return std::ranges::any_of(report.nodes.states(), [](const NodeReports::Use& use) {
    return use.nodes != 0 &&
           std::ranges::any_of(use.state->reasons, [](const placement::Reason& reason) {
             return std::holds_alternative<placement::AffinityMatchesNothing>(reason);
           });
  });
}

/// Evidence from the node's field that fails a requirement of the template.
struct ReasonEvidence {
  const model::Node& node;
  const model::DaemonSet& ds;

  Evidence operator()(const placement::NodeNameMismatch&) const {
    return {ref_of(node), "metadata.name", node.meta.name.str()};
  }
  Evidence operator()(const placement::NodeSelectorMismatch& r) const {
    return of_label(r.key, r.have);
  }
  Evidence operator()(const placement::AffinityTermMismatch& r) const {
    if (r.in_fields) return {ref_of(node), "metadata.name", node.meta.name.str()};
    return of_label(r.requirement->key, r.have);
  }
  Evidence operator()(const placement::AffinityMatchesNothing&) const {
    return {
        ref_of(ds),
        "spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"};
  }
  Evidence operator()(const placement::UntoleratedTaint& r) const {
    const auto at = std::ranges::find(node.taints, r.taint);
    if (at == node.taints.end()) return {ref_of(node), "spec.taints"};  // of an earlier node
    return taint_evidence(node, *at);
  }

 private:
  [[nodiscard]] Evidence of_label(std::string_view key,
                                  const std::optional<model::Text>& have) const {
    return {ref_of(node), fmt::format("metadata.labels['{}']", key), have ? have->str() : ""};
  }
};

std::string text_of(const Label& label) {
  return fmt::format("{}={}", label.key.view(), label.value.view());
}

Message message_of(const LabelOfNode& similar) {
  return phrase::LabelIsSimilar{.label = text_of(similar.label), .node = similar.node->meta.name};
}

/// Absent for a count of 1, which has another wording.
std::optional<std::int64_t> several(std::size_t count) {
  return count == 1 ? std::nullopt : std::optional(static_cast<std::int64_t>(count));
}

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
    return std::move(findings_);
  }

  std::vector<Finding> find() {
    pinned();
    no_eligible_node();
    nodes_left_out();
    none_running();
    comparison_gate();
    return std::move(findings_);
  }

 private:
  Finding& add(FindingKind kind, std::vector<Evidence> evidence, std::string_view node = {}) {
    CaseNames names = names_of(of_);
    names.node = node;
    findings_.push_back(make_finding(std::move(kind), std::move(evidence), names));
    return findings_.back();
  }
  [[nodiscard]] Evidence field(std::string path, std::string value = {}) const {
    return {ref_of(ds_), std::move(path), std::move(value)};
  }

  void deletion() {
    if (!ds_.meta.deleted) return;
    std::vector<std::string> finalizers;
    for (const model::Text& text : ds_.meta.finalizers) finalizers.push_back(text.str());
    const model::Namespace* ns = of_.facts.ns(ds_.meta.ns);
    const bool with_namespace = ns != nullptr && is_terminating(*ns);
    Finding& finding =
        add(finding::DaemonsetBeingDeleted{.finalizers = finalizers,
                                           .its_namespace = with_namespace ? ns->meta.name.view()
                                                                           : std::string_view(),
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
      add(FindingId::DaemonsetSelectsAll, {field("spec.selector")});
    } else if (!placement::matches(*ds_.selector, ds_.pod_template.labels)) {
      add(FindingId::DaemonsetSelectorMismatch,
          {field("spec.selector"), field("spec.template.metadata.labels")});
    }
  }

  void pinned() {
    if (ds_.pod_template.node_name.empty()) return;
    const bool missing = is_pinned_to_no_node();
    const model::Text& name = ds_.pod_template.node_name;
    Finding& finding =
        add(finding::DaemonsetPinnedToNode{.it_does_not_exist = missing, .name = name},
            {field("spec.template.spec.nodeName", name.str())});
    if (missing) finding.severity = Severity::Error;
  }

  [[nodiscard]] bool is_pinned_to_no_node() const {
    const model::Text& name = ds_.pod_template.node_name;
    return !name.empty() && report_.evaluated.nodes_known && !cluster_.nodes.empty() &&
           model::find_node(cluster_, name) == nullptr;
  }

  /// Nodes that have untolerated taints but meet every other requirement of the template. One node
  /// that returns is enough; a node that is being removed does not return.
  enum class NearNodes { None, OutForNow, OutForGood };
  [[nodiscard]] NearNodes near_nodes() const {
    bool one_leaves = false;
    bool one_is_out_for_good = false;
    for (const NodeReports::Use& use : report_.nodes.states()) {
      const bool only_taints =
          use.nodes != 0 && !use.state->reasons.empty() &&
          std::ranges::all_of(use.state->reasons, [](const placement::Reason& reason) {
            return std::holds_alternative<placement::UntoleratedTaint>(reason);
          });
      if (!only_taints) continue;
      const bool leaves = std::ranges::any_of(use.state->findings, [](const Finding& finding) {
        return is_about(finding.id, About::Leaving);
      });
      const bool passes = is_out_by_state(*use.state) && is_told(*use.state);
      if (passes && !leaves) return NearNodes::OutForNow;
      (passes ? one_leaves : one_is_out_for_good) = true;
    }
    if (one_is_out_for_good) return NearNodes::OutForGood;
    return one_leaves ? NearNodes::OutForNow : NearNodes::None;
  }

  /// Whether the node's findings report a state that ends without action or that needs action.
  [[nodiscard]] static bool is_told(const NodeState& state) {
    return std::ranges::any_of(state.findings, [](const Finding& finding) {
      const bool needs_somebody =
          finding.severity != Severity::Info && !is_about(finding.id, About::Leaving);
      return entry_of(finding.id).family == Family::Node && (finding.transient || needs_somebody);
    });
  }

  void no_eligible_node() {
    const bool none_wanted = report_.all_nodes > 0 && report_.evaluated.nodes_known &&
                             report_.evaluated.all_nodes_known &&
                             report_.evaluated.counts.desired_number_scheduled == 0;
    if (!none_wanted || is_pinned_to_no_node()) return;
    const bool no_affinity = matches_nothing(report_);
    const auto meant = meant_label(ds_, of_.facts);
    const auto label = meant ? std::optional(meant->wanted) : label_of_no_node(ds_, cluster_);
    // Without an affinity that can match, no node is closer than another.
    const auto closest = no_affinity ? std::nullopt : closest_to(meant);
    // The meant label says the same.
    const bool told = closest && meant && closest->name == meant->meant.node->meta.name &&
                      number_of_clauses(*closest) == 1;
    const auto shown = told ? std::nullopt : closest;
    const NearNodes near = near_nodes();
    const bool only_taints = near != NearNodes::None;
    const Obstacles excluding = obstacles(report_, 5);
    Finding& finding = add(
        finding::DaemonsetNoEligibleNode{
            .clause = shown && !only_lacks(*shown, label)
                          ? std::optional(clause_of(shown->reasons().front()))
                          : std::nullopt,
            .closest = shown ? shown->name.view() : std::string_view(),
            .keeper = keeper(),
            .label = label ? text_of(*label) : "",
            .obstacles = label ? std::vector<Message>() : excluding.most_frequent,
            .only_taints_exclude = only_taints,
            .other_obstacles = label || excluding.others == 0
                                   ? std::optional<std::int64_t>()
                                   : static_cast<std::int64_t>(excluding.others),
            .requirements = several(shown ? number_of_clauses(*shown) : 1),
            .several_nodes = several(report_.all_nodes),
            .similar = meant ? std::optional(message_of(meant->meant)) : std::nullopt,
            .the_affinity_matches_nothing = no_affinity,
            .the_labels_do_not_match = !only_taints && !no_affinity},
        evidence_against(closest, label, meant));
    const Idleness idleness =
        near == NearNodes::OutForNow ? Idleness::Intended : idleness_of(of_, meant);
    if (idleness == Idleness::Misspelled) finding.severity = Severity::Warning;
    if (idleness != Idleness::Intended) return;
    finding.severity = Severity::Info;
    finding.fix.clear();
  }

  /// The closest node; the one with the meant label if no other fails fewer requirements.
  [[nodiscard]] std::optional<NodeReport> closest_to(const std::optional<MeantLabel>& meant) const {
    auto closest = closest_node(report_);
    if (!closest || !meant) return closest;
    const auto has_it = report_.nodes.find(meant->meant.node->meta.name);
    if (!has_it || number_of_clauses(*has_it) > number_of_clauses(*closest)) return closest;
    return has_it;
  }

  /// Whether that label, which no node has, is all that the node lacks.
  [[nodiscard]] static bool only_lacks(const NodeReport& node, const std::optional<Label>& label) {
    if (!label || number_of_clauses(node) != 1) return false;
    const placement::Reason reason = node.reasons().front();
    const auto* selector = std::get_if<placement::NodeSelectorMismatch>(&reason);
    return selector != nullptr && selector->key == label->key && !selector->have;
  }

  /// The author of a node selector that matches no node on purpose; empty if there is none.
  [[nodiscard]] std::string keeper() const {
    const auto writer = is_kept_at_zero(ds_) ? spec_writer(ds_.meta) : std::nullopt;
    return writer ? manager_name(writer->manager) : std::string();
  }

  /// Evidence: the label that no node has, a similar label, and why the closest node is not
  /// eligible.
  [[nodiscard]] std::vector<Evidence> evidence_against(
      const std::optional<NodeReport>& closest, const std::optional<Label>& label,
      const std::optional<MeantLabel>& meant) const {
    std::vector<Evidence> result;
    if (label && ds_.pod_template.node_selector.find(label->key) != nullptr) {
      result.push_back(
          field(fmt::format("spec.template.spec.nodeSelector['{}']", label->key.view()),
                label->value.str()));
    }
    if (meant) {
      const auto& [node, similar] = meant->meant;
      result.emplace_back(ref_of(*node), fmt::format("metadata.labels['{}']", similar.key.view()),
                          similar.value.str());
    }
    const model::Node* node = closest ? model::find_node(cluster_, closest->name) : nullptr;
    if (node == nullptr) return result;
    constexpr std::size_t most_reasons = 5;  // a selector can have very many labels
    const auto& reasons = closest->reasons();
    for (std::size_t i = 0; i < std::min(reasons.size(), most_reasons); ++i) {
      result.push_back(std::visit(ReasonEvidence{*node, ds_}, reasons[i]));
    }
    return result;
  }

  /// Nodes that are not eligible because of a temporary state.
  void nodes_left_out() {
    std::vector<std::string> nodes;
    std::set<std::string> causes;
    std::optional<Message> circle;  // does not resolve by itself
    std::vector<Evidence> evidence;
    for (const std::size_t i : left_out(report_)) {
      const Finding& state = *temporary_obstacle(report_.nodes[i]);
      nodes.push_back(report_.nodes[i].name.str());
      const bool is_first = causes.emplace(state.name()).second;
      if (is_first && !state.evidence.empty()) evidence.push_back(state.evidence.front());
      if (state.id == FindingId::NodeStartupTaintCircle) circle = state.message;
    }
    const std::int64_t desired = report_.evaluated.counts.desired_number_scheduled;
    const bool none_wanted = desired == 0;
    if (nodes.empty() || (none_wanted && near_nodes() != NearNodes::OutForNow)) return;
    Finding& finding = add(finding::DaemonsetFewerThanNodes{.all_nodes = report_.all_nodes,
                                                            .causes = std::vector<std::string>(
                                                                causes.begin(), causes.end()),
                                                            .circle = circle,
                                                            .eligible = desired,
                                                            .excluded = nodes.size(),
                                                            .nodes = nodes},
                           std::move(evidence), nodes.front());
    if (none_wanted) finding.severity = Severity::Error;
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
    add(finding::DaemonsetNoneRunning{.eligible = counts.desired_number_scheduled},
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
    add(finding::TolerationComparisonGate{.decision = decision,
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
  std::vector<Finding> findings_;
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
