#include "diagnosis/causes/control/identity_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/daemonset.h"
#include "diagnosis/causes/control/idle.h"
#include "diagnosis/evidence/wording.h"
#include "diagnosis/report/departure.h"
#include "diagnosis/report/reach.h"
#include "diagnosis/taints/taint_knowledge.h"
#include "placement/label_selector.h"

namespace dsdoctor::diagnosis {
namespace {

using wording::counted;
using wording::listed;

/// The required node affinity itself excludes every node, whatever its labels are.
bool matches_nothing(const DaemonSetReport& report) {
  return std::ranges::any_of(report.nodes.states(), [](const NodeReports::Use& use) {
    return use.nodes != 0 &&
           std::ranges::any_of(use.state->reasons, [](const placement::Reason& reason) {
             return std::holds_alternative<placement::AffinityMatchesNothing>(reason);
           });
  });
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
  Finding& add(const FindingKind& kind, std::string message, std::vector<Evidence> evidence,
               std::string_view node = {}) {
    CaseNames names = names_of(of_);
    names.node = node;
    findings_.push_back(make_said_finding(kind, std::move(message), std::move(evidence), names));
    return findings_.back();
  }
  [[nodiscard]] std::string field(std::string_view path) const {
    return fmt::format("DaemonSet/{} {}", ds_.meta.name.view(), path);
  }

  void deletion() {
    if (!ds_.meta.deleted) return;
    std::vector<std::string> finalizers;
    for (const model::Text& text : ds_.meta.finalizers) finalizers.push_back(text.str());
    const model::Namespace* ns = of_.facts.ns(ds_.meta.ns);
    Finding& finding = add(
        FindingId::DaemonsetBeingDeleted,
        fmt::format("Terminating since {}{}: the controller creates no pods and updates no status; "
                    "the verdicts show the state without the deletion{}",
                    format_utc(*ds_.meta.deleted),
                    ns != nullptr && is_terminating(*ns)
                        ? fmt::format(", with its namespace {} (Terminating)", ns->meta.name.view())
                        : std::string(),
                    finalizers.empty() ? "" : "; waits for finalizers: " + listed(finalizers)),
        {field("metadata.deletionTimestamp")});
    const bool own = std::ranges::all_of(finalizers, [](const std::string& name) {
      return name == "foregroundDeletion" || name == "orphan";  // of the garbage collector
    });
    finding.transient = own && (of_.facts.now() - *ds_.meta.deleted < threshold::terminating ||
                                all_end_by_themselves(of_.claimed.owned, of_.facts));
  }

  void selector() {
    if (!ds_.selector) return;
    if (placement::selects_everything(*ds_.selector)) {
      add(FindingId::DaemonsetSelectsAll,
          "the selector is empty and selects all pods: the controller ignores this DaemonSet",
          {field("spec.selector")});
    } else if (!placement::matches(*ds_.selector, ds_.pod_template.labels)) {
      add(FindingId::DaemonsetSelectorMismatch,
          "the template's labels do not match the selector: created pods are released immediately",
          {field("spec.selector"), field("spec.template.metadata.labels")});
    }
  }

  void pinned() {
    if (ds_.pod_template.node_name.empty()) return;
    const bool missing = is_pinned_to_no_node();
    Finding& finding = add(
        FindingId::DaemonsetPinnedToNode,
        fmt::format("spec.nodeName is {}: {}no other node is eligible, and the pod bypasses the "
                    "scheduler",
                    ds_.pod_template.node_name.view(), missing ? "there is no such node; " : ""),
        {field("spec.template.spec.nodeName")});
    if (missing) finding.severity = Severity::Error;
  }

  [[nodiscard]] bool is_pinned_to_no_node() const {
    const model::Text& name = ds_.pod_template.node_name;
    return !name.empty() && report_.evaluated.nodes_known && !cluster_.nodes.empty() &&
           model::find_node(cluster_, name) == nullptr;
  }

  /// Nodes that meet everything else that the template requires, and have taints that it does not
  /// tolerate. One that comes back is enough; one that leaves does not come back.
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
      const bool leaves = std::ranges::any_of(
          use.state->findings, [](const Finding& finding) { return is_about_leaving(finding.id); });
      const bool passes = is_out_by_state(*use.state) && is_told(*use.state);
      if (passes && !leaves) return NearNodes::OutForNow;
      (passes ? one_leaves : one_is_out_for_good) = true;
    }
    if (one_is_out_for_good) return NearNodes::OutForGood;
    return one_leaves ? NearNodes::OutForNow : NearNodes::None;
  }

  /// The node's findings say what it is that ends without action, or that somebody has to end.
  [[nodiscard]] static bool is_told(const NodeState& state) {
    return std::ranges::any_of(state.findings, [](const Finding& finding) {
      const bool needs_somebody =
          finding.severity != Severity::Info && !is_about_leaving(finding.id);
      return entry_of(finding.id).family == Family::Node && (finding.transient || needs_somebody);
    });
  }

  void no_eligible_node() {
    const bool none_wanted = report_.all_nodes > 0 && report_.evaluated.nodes_known &&
                             report_.evaluated.all_nodes_known &&
                             report_.evaluated.counts.desired_number_scheduled == 0;
    if (!none_wanted || is_pinned_to_no_node()) return;
    std::string message = report_.all_nodes == 1
                              ? std::string("the only node is not eligible")
                              : fmt::format("none of the {} nodes is eligible", report_.all_nodes);
    const auto label = label_of_no_node(ds_, cluster_);
    if (label) {
      message += fmt::format(": no node has label {}", *label);
      if (const auto similar = similar_label(ds_, cluster_)) message += "; " + *similar;
    } else if (const auto found = obstacles(report_); !found.empty()) {
      message += ": " + listed(found);
    }
    if (const auto closest = closest_node(report_)) {
      const std::size_t clauses = number_of_clauses(*closest);
      message +=
          fmt::format("; closest node: {}, which fails {}{}", closest->name.view(),
                      clauses == 1 ? "only " : fmt::format("{} requirements, first ", clauses),
                      clause_text(closest->reasons().front()));
    }
    const NearNodes near = near_nodes();
    const bool only_taints = near != NearNodes::None;
    const bool no_affinity = matches_nothing(report_);
    Finding& finding = add(
        finding::DaemonsetNoEligibleNode{.only_taints_exclude = only_taints,
                                         .the_affinity_matches_nothing = no_affinity,
                                         .the_labels_do_not_match = !only_taints && !no_affinity},
        std::move(message), {"the reasons of each node", field("spec.template.spec")});
    if (near == NearNodes::OutForNow || is_idle_by_design(of_)) {
      finding.severity = Severity::Info;
      finding.fix.clear();
    }
  }

  /// Nodes that are not eligible because of a temporary state.
  void nodes_left_out() {
    std::vector<std::string> nodes;
    std::set<std::string> why;
    std::string circle;  // does not end by itself
    for (const std::size_t i : left_out(report_)) {
      const Finding& state = *temporary_obstacle(report_.nodes[i]);
      nodes.push_back(report_.nodes[i].name.str());
      why.emplace(state.name());
      if (state.id == FindingId::NodeStartupTaintCircle) circle = "; " + std::string(plain_text(state.message));
    }
    const bool none_wanted = report_.evaluated.counts.desired_number_scheduled == 0;
    if (nodes.empty() || (none_wanted && near_nodes() != NearNodes::OutForNow)) return;
    const std::string first = nodes.front();
    Finding& finding =
        add(FindingId::DaemonsetFewerThanNodes,
            fmt::format("{} of {} nodes eligible; {} more {} ({}): {}{}",
                        report_.evaluated.counts.desired_number_scheduled, report_.all_nodes,
                        nodes.size(),
                        circle.empty() ? "temporarily excluded" : "excluded until this is fixed",
                        fmt::join(why, ", "), listed(nodes), circle),
            {"the findings of these nodes"}, first);
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
    add(FindingId::DaemonsetNoneRunning,
        fmt::format("no pod is running; {} eligible",
                    counted(counts.desired_number_scheduled, "node")),
        {field("status.currentNumberScheduled")});
  }

  void comparison_gate() {
    const auto& tolerations = ds_.pod_template.tolerations;
    const auto numeric = std::ranges::find_if(
        tolerations, [](const auto& t) { return t.op == "Lt" || t.op == "Gt"; });
    if (numeric == tolerations.end()) return;
    add(FindingId::TolerationComparisonGate,
        fmt::format("operator {} of a toleration works only if kube-controller-manager runs with "
                    "feature gate TaintTolerationComparisonOperators, which clients cannot read",
                    numeric->op.view()),
        {field(fmt::format("spec.template.spec.tolerations[{}].operator",
                           numeric - tolerations.begin()))});
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
  for (const model::Node& node : of.facts.cluster().nodes) {
    const model::Condition* ready = model::find_condition(node.conditions, "Ready");
    if (ready == nullptr || !ready->last_heartbeat) continue;
    if (*ready->last_heartbeat <= now + threshold::clock_skew) continue;
    nodes.push_back(node.meta.name.str());
    latest = std::max(latest, *ready->last_heartbeat);
  }
  if (nodes.empty()) return {};
  std::string evidence = fmt::format("Node/{} status.conditions[Ready].lastHeartbeatTime: {}",
                                     nodes.front(), "later than now");
  return {make_said_finding(
      FindingId::ClockSkew,
      fmt::format("clock skew: the clock of {} is ahead by up to {} ({}); ages may be wrong by as "
                  "much",
                  counted(static_cast<std::int64_t>(nodes.size()), "node"),
                  wording::span(latest - now), listed(nodes)),
      {std::move(evidence)})};
}

namespace {

/// The template that was stored last; null where none is left.
const model::ControllerRevision* newest_revision(const model::Cluster& cluster, std::string_view ns,
                                                 std::string_view name) {
  const model::ControllerRevision* newest = nullptr;
  for (const model::ControllerRevision& revision : cluster.revisions) {
    const auto& owner = revision.meta.controller;
    const bool named = owner ? owner->kind == "DaemonSet" && owner->name == name
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
  std::set<std::string_view> nodes;
  std::string_view place = ns;
  for (const model::Pod& pod : cluster.pods) {
    if (is_terminal(pod) || !was_made_by(pod, name)) continue;
    if (!place.empty() && pod.meta.ns != place) continue;
    place = pod.meta.ns;
    pods.push_back(pod.meta.name.str());
    if (is_bound(pod)) nodes.insert(pod.node_name);
  }
  const model::ControllerRevision* newest = newest_revision(cluster, place, name);
  if (pods.empty() && newest == nullptr) return {};
  if (newest != nullptr) place = newest->meta.ns;
  const std::string_view revision =
      newest == nullptr ? std::string_view() : newest->meta.name.view();
  std::string message;
  if (!pods.empty()) {
    const bool one = pods.size() == 1;
    message = fmt::format("{} of it still {}, on {}: {}",
                          counted(static_cast<std::int64_t>(pods.size()), "pod"),
                          one ? "exists" : "exist",
                          counted(static_cast<std::int64_t>(nodes.size()), "node"), listed(pods));
  }
  if (newest != nullptr) {
    message += fmt::format("{}ControllerRevision {} in namespace {} still has its template",
                           pods.empty() ? "" : "; ", revision, place);
  }
  std::vector<Evidence> evidence;
  if (!pods.empty()) evidence.emplace_back("Pod metadata.ownerReferences, metadata.name");
  if (newest != nullptr) evidence.emplace_back("ControllerRevision data.spec.template");
  return {make_said_finding(finding::DaemonsetAbsent{.revision = revision}, std::move(message),
                       std::move(evidence), {.ns = place, .ds = name})};
}

}  // namespace dsdoctor::diagnosis
