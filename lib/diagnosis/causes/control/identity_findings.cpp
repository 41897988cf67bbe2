#include "diagnosis/causes/control/identity_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/evidence/node_state.h"
#include "diagnosis/evidence/wording.h"
#include "diagnosis/report/reach.h"
#include "diagnosis/taints/taint_knowledge.h"
#include "placement/label_selector.h"

namespace dsdoctor::diagnosis {
namespace {

using wording::counted;
using wording::listed;

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
    left_out();
    none_running();
    comparison_gate();
    return std::move(findings_);
  }

 private:
  Finding& add(const FindingKind& kind, std::string message, std::vector<std::string> evidence,
               std::string_view node = {}) {
    CaseNames names = names_of(of_);
    names.node = node;
    findings_.push_back(make_finding(kind, std::move(message), std::move(evidence), names));
    return findings_.back();
  }
  [[nodiscard]] std::string field(std::string_view path) const {
    return fmt::format("DaemonSet/{} {}", ds_.meta.name.view(), path);
  }

  void deletion() {
    if (!ds_.meta.deleted) return;
    std::vector<std::string> finalizers;
    for (const model::Text& text : ds_.meta.finalizers) finalizers.push_back(text.str());
    Finding& finding =
        add(FindingId::DaemonsetBeingDeleted,
            fmt::format("being deleted since {}: the controller creates and counts nothing any "
                        "more; the verdicts show what would be{}",
                        format_utc(*ds_.meta.deleted),
                        finalizers.empty() ? "" : "; it waits for " + listed(finalizers)),
            {field("metadata.deletionTimestamp")});
    finding.transient = of_.facts.now() - *ds_.meta.deleted < std::chrono::seconds(60);
  }

  void selector() {
    if (!ds_.selector) return;
    if (placement::selects_everything(*ds_.selector)) {
      add(FindingId::DaemonsetSelectsAll, "the selector is empty: the controller refuses to act",
          {field("spec.selector")});
    } else if (!placement::matches(*ds_.selector, ds_.pod_template.labels)) {
      add(FindingId::DaemonsetSelectorMismatch,
          "the template's labels do not satisfy the selector: created pods are released at once",
          {field("spec.selector"), field("spec.template.metadata.labels")});
    }
  }

  void pinned() {
    if (ds_.pod_template.node_name.empty()) return;
    add(FindingId::DaemonsetPinnedToNode,
        fmt::format("the template names node {}: no other node is ever used, and its pod passes "
                    "the scheduler by",
                    ds_.pod_template.node_name.view()),
        {field("spec.template.spec.nodeName")});
  }

  void no_eligible_node() {
    const bool none_wanted = report_.all_nodes > 0 && report_.evaluated.nodes_known &&
                             report_.evaluated.counts.desired_number_scheduled == 0;
    if (!none_wanted) return;
    std::string message = report_.all_nodes == 1
                              ? std::string("the only node is not eligible")
                              : fmt::format("none of the {} nodes is eligible", report_.all_nodes);
    const auto label = label_of_no_node(ds_, cluster_);
    if (label) {
      message += fmt::format(": no node has label {}", *label);
    } else if (const auto found = obstacles(report_); !found.empty()) {
      message += ": " + listed(found);
    }
    if (const NodeReport* closest = closest_node(report_)) {
      const std::size_t clauses = closest->reasons.size();
      message += fmt::format("; the closest is {}, which fails {}{}", closest->name.view(),
                             clauses == 1 ? "only " : fmt::format("{} clauses, first ", clauses),
                             clause_text(closest->reasons.front()));
    }
    Finding& finding = add(FindingId::DaemonsetNoEligibleNode, std::move(message),
                           {"the reasons of each node", field("spec.template.spec")});
    // A selector that nothing is meant to match is the usual way to switch a DaemonSet off.
    if (label &&
        (label->find("non-exist") != label->npos || label->find("nonexist") != label->npos ||
         label->find("disabled") != label->npos)) {
      finding.severity = Severity::Info;
    }
  }

  /// Nodes that somebody would expect a pod on: kept out by a state that is not meant to last.
  void left_out() {
    const std::set<FindingId> states = {
        FindingId::NodeCloudUninitialized, FindingId::NodeStartupTaintStuck,
        FindingId::NodeCniDeadlock,        FindingId::NodeNotReady,
        FindingId::NodeUnreachable,        FindingId::NodeLabelChanged};
    std::vector<std::string> nodes;
    std::set<std::string> why;
    for (const NodeReport& node : report_.nodes) {
      if (placement::should_run(node.decision)) continue;
      const auto state = std::ranges::find_if(node.findings, [&](const Finding& finding) {
        return finding.severity != Severity::Info && states.contains(finding.id);
      });
      if (state == node.findings.end()) continue;
      if (state->id != FindingId::NodeLabelChanged && !would_be_wanted(node)) continue;
      nodes.push_back(node.name.str());
      why.emplace(state->name());
    }
    if (nodes.empty() || report_.evaluated.counts.desired_number_scheduled == 0) return;
    std::int64_t wanted = report_.evaluated.counts.desired_number_scheduled;
    const std::string first = nodes.front();
    add(FindingId::DaemonsetFewerThanNodes,
        fmt::format("{} of {} nodes {} wanted; {} would be, too, but for a state that should "
                    "pass ({}): {}",
                    wanted, report_.all_nodes, wanted == 1 ? "is" : "are", nodes.size(),
                    fmt::join(why, ", "), listed(nodes)),
        {"the findings of these nodes"}, first);
  }

  /// Nothing keeps the node out but taints that are not meant to last.
  [[nodiscard]] bool would_be_wanted(const NodeReport& report) const {
    const model::Node* node = model::find_node(cluster_, report.name);
    return node != nullptr && std::ranges::all_of(report.reasons, [&](const auto& reason) {
             const auto* open = std::get_if<placement::UntoleratedTaint>(&reason);
             if (open == nullptr) return false;
             const auto* known = of_.taints->find(open->taint, node->meta.labels);
             return startup_agent(open->taint) ||
                    (known != nullptr && known->lifecycle != model::TaintLifecycle::Permanent);
           });
  }

  void none_running() {
    const model::DaemonSetCounts& counts = report_.evaluated.counts;
    const bool none = report_.evaluated.nodes_known && report_.evaluated.pods_known &&
                      counts.desired_number_scheduled > 0 && counts.current_number_scheduled == 0;
    const auto& created = ds_.meta.created;
    const bool fresh = created && of_.facts.now() - *created < threshold::missing;
    if (!none || ds_.generation == 0 || fresh) return;
    add(FindingId::DaemonsetNoneRunning,
        fmt::format("wanted on {}, running on none",
                    counted(counts.desired_number_scheduled, "node")),
        {field("status.currentNumberScheduled")});
  }

  void comparison_gate() {
    const auto& tolerations = ds_.pod_template.tolerations;
    const auto numeric = std::ranges::find_if(
        tolerations, [](const auto& t) { return t.op == "Lt" || t.op == "Gt"; });
    if (numeric == tolerations.end()) return;
    add(FindingId::TolerationComparisonGate,
        fmt::format("a toleration uses {}, which counts only where the controller manager runs "
                    "with the feature gate TaintTolerationComparisonOperators; a client cannot see "
                    "that",
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

std::vector<Finding> count_findings(const DaemonSetCase& of) {
  const DaemonSetReport& report = of.report;
  if (!report.differences || report.differences->empty() || of.ds.meta.deleted ||
      of.ds.generation > of.ds.observed_generation) {
    return {};
  }
  std::vector<std::string> parts;
  for (const CountDifference& difference : *report.differences) {
    parts.push_back(fmt::format("{} {}, should be {}", difference.field, difference.reported,
                                difference.evaluated));
  }
  std::string message =
      fmt::format("status does not show the present state: {}", fmt::join(parts, "; "));
  if (of.behaviour.node_changes_may_leave_status_stale) {
    message +=
        "; since Kubernetes 1.33 a changed node does not always make the controller count again";
  }
  return {make_finding(FindingId::DaemonsetStatusInconsistent, std::move(message),
                       {fmt::format("DaemonSet/{} status", of.ds.meta.name.view())}, names_of(of))};
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
  return {make_finding(
      FindingId::ClockSkew,
      fmt::format("the clock of {} is ahead of this answer's by up to {} ({}): what is told of "
                  "ages may be off as much",
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

/// Made by a DaemonSet of that name: its owner reference says so, or, where `kubectl delete
/// --cascade=orphan` took that away, its own name and the label that only such controllers set.
bool was_made_by(const model::Pod& pod, std::string_view name) {
  if (const auto& owner = pod.meta.controller) {
    return owner->kind == "DaemonSet" && owner->name == name;
  }
  constexpr std::size_t random_letters = 5;
  const std::string_view own = pod.meta.name;
  return pod.meta.labels.find("controller-revision-hash") != nullptr &&
         own.size() == name.size() + 1 + random_letters && own.starts_with(name) &&
         own[name.size()] == '-';
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
    message =
        fmt::format("{} that it made {} still there, on {}: {}",
                    counted(static_cast<std::int64_t>(pods.size()), "pod"), one ? "is" : "are",
                    counted(static_cast<std::int64_t>(nodes.size()), "node"), listed(pods));
  }
  if (newest != nullptr) {
    message += fmt::format("{}revision {} of namespace {} still holds its template",
                           pods.empty() ? "" : "; ", revision, place);
  }
  std::vector<std::string> evidence;
  if (!pods.empty()) evidence.emplace_back("Pod metadata.ownerReferences, metadata.name");
  if (newest != nullptr) evidence.emplace_back("ControllerRevision data.spec.template");
  return {make_finding(finding::DaemonsetAbsent{.revision = revision}, std::move(message),
                       std::move(evidence), {.ns = place, .ds = name})};
}

}  // namespace dsdoctor::diagnosis
