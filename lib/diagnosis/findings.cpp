#include "diagnosis/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "diagnosis/taint_knowledge.h"
#include "placement/label_selector.h"

namespace dsdoctor::diagnosis {
namespace {

// Names a few and counts the rest: one sentence has to fit a line.
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 3;
  std::string result =
      fmt::format("{}", fmt::join(std::span(names).first(std::min(shown, names.size())), ", "));
  if (names.size() > shown) result += fmt::format(" and {} more", names.size() - shown);
  return result;
}

void check_state(const DaemonSetCase& c, std::vector<Finding>& findings) {
  const std::string object = fmt::format("DaemonSet/{}", c.ds.meta.name.view());
  if (c.ds.meta.deleted) {
    findings.push_back({"daemonset-being-deleted",
                        Severity::Warning,
                        fmt::format("being deleted since {}: the controller creates and counts "
                                    "nothing any more; the verdicts show what would be",
                                    format_utc(*c.ds.meta.deleted)),
                        {object + " metadata.deletionTimestamp"},
                        "look at metadata.finalizers if it does not go away"});
  }
  if (c.ds.selector && placement::selects_everything(*c.ds.selector)) {
    findings.push_back({"daemonset-selects-all",
                        Severity::Critical,
                        "the selector is empty: the controller refuses to act",
                        {object + " spec.selector"},
                        "recreate it with a selector (kubectl delete --cascade=orphan first)"});
  } else if (c.ds.selector && !placement::matches(*c.ds.selector, c.ds.pod_template.labels)) {
    findings.push_back({"daemonset-selector-mismatch",
                        Severity::Critical,
                        "the template's labels do not satisfy the selector: created pods are "
                        "released at once",
                        {object + " spec.selector", object + " spec.template.metadata.labels"},
                        "make the template's labels match; the selector cannot be changed"});
  }
  // A manifest has no generation: nobody has been asked to observe it.
  if (c.ds.generation > c.ds.observed_generation) {
    findings.push_back(
        {"controller-not-observing",
         Severity::Critical,
         fmt::format(
             "the controller has not processed this spec: generation {}, observed {}",
             c.ds.generation,
             c.ds.observed_generation == 0 ? "none" : std::to_string(c.ds.observed_generation)),
         {object + " metadata.generation", object + " status.observedGeneration"},
         "give it a moment; then look at the log of kube-controller-manager and at the rights of "
         "system:serviceaccount:kube-system:daemon-set-controller"});
  }
}

void check_counts(const DaemonSetCase& c, const DaemonSetReport& report,
                  std::vector<Finding>& findings) {
  if (!report.differences || report.differences->empty() || c.ds.meta.deleted ||
      c.ds.generation > c.ds.observed_generation) {
    return;
  }
  std::vector<std::string> parts;
  for (const CountDifference& difference : *report.differences) {
    parts.push_back(fmt::format("{} {}, should be {}", difference.field, difference.reported,
                                difference.evaluated));
  }
  std::string message =
      fmt::format("status does not show the present state: {}", fmt::join(parts, "; "));
  if (c.behaviour.node_changes_may_leave_status_stale) {
    message +=
        "; since Kubernetes 1.33 a changed node does not always make the controller count again";
  }
  findings.push_back(
      {"daemonset-status-inconsistent",
       Severity::Warning,
       std::move(message),
       {fmt::format("DaemonSet/{} status", c.ds.meta.name.view())},
       "trust the evaluated numbers; any change of the DaemonSet, such as an annotation, makes "
       "the controller count again"});
}

void check_no_node(const DaemonSetReport& report, std::vector<Finding>& findings) {
  const bool none_wanted = report.all_nodes > 0 && report.evaluated.nodes_known &&
                           report.evaluated.counts.desired_number_scheduled == 0;
  if (!none_wanted) return;
  findings.push_back({"daemonset-no-eligible-node",
                      Severity::Error,
                      report.all_nodes == 1
                          ? std::string("the only node is not eligible")
                          : fmt::format("none of the {} nodes is eligible", report.all_nodes),
                      {"the reasons of each node"},
                      "mend the clause that all nodes fail, or label the nodes that should match"});
}

void check_pods(const DaemonSetCase& c, std::vector<Finding>& findings) {
  std::vector<std::string> ghosts;
  const auto check = [&](const model::Pod* pod) {
    const model::Text* target = target_node(*pod);
    if (target != nullptr && model::find_node(c.facts.cluster(), *target) == nullptr) {
      ghosts.push_back(fmt::format("{} on {}", pod->meta.name.view(), target->view()));
    }
  };
  std::ranges::for_each(c.claimed.owned, check);
  std::ranges::for_each(c.claimed.adoptable, check);
  if (!ghosts.empty() && c.facts.cluster().nodes_known) {
    findings.push_back({"pod-on-missing-node",
                        Severity::Warning,
                        fmt::format("{} pod{} of nodes that no longer exist: {}", ghosts.size(),
                                    ghosts.size() == 1 ? "" : "s", listed(ghosts)),
                        {"Pod spec.nodeName"},
                        "wait a minute for the pod garbage collector; they are in no counter"});
  }
  const auto report_pods = [&](const std::vector<const model::Pod*>& pods, Finding finding) {
    if (pods.empty()) return;
    std::vector<std::string> names;
    names.reserve(pods.size());
    for (const model::Pod* pod : pods) names.push_back(pod->meta.name.str());
    finding.message = fmt::format("{} pod{} {}: {}", names.size(), names.size() == 1 ? "" : "s",
                                  finding.message, listed(names));
    findings.push_back(std::move(finding));
  };
  report_pods(
      c.lost,
      {"pod-target-lost",
       Severity::Error,
       "whose target node cannot be told; the controller neither counts nor deletes such pods",
       {"Pod spec.affinity.nodeAffinity"},
       "delete them, and exempt DaemonSet pods from the webhook that rewrote them"});
  report_pods(c.claimed.adoptable,
              {"pod-orphaned",
               Severity::Warning,
               "without an owner but with matching labels; the controller adopts such pods",
               {"Pod metadata.ownerReferences"},
               ""});
  report_pods(c.claimed.released,
              {"pod-released",
               Severity::Warning,
               "whose labels no longer match the selector; the controller lets such pods go",
               {"Pod metadata.labels"},
               ""});
}

void check_gate(const DaemonSetCase& c, std::vector<Finding>& findings) {
  const auto numeric = std::ranges::find_if(
      c.ds.pod_template.tolerations,
      [](const auto& toleration) { return toleration.op == "Lt" || toleration.op == "Gt"; });
  if (numeric == c.ds.pod_template.tolerations.end()) return;
  findings.push_back(
      {"toleration-comparison-gate",
       Severity::Info,
       fmt::format("a toleration uses {}, which counts only where the controller manager runs with "
                   "the feature gate TaintTolerationComparisonOperators; a client cannot see that",
                   numeric->op.view()),
       {fmt::format("DaemonSet/{} spec.template.spec.tolerations[{}].operator",
                    c.ds.meta.name.view(), numeric - c.ds.pod_template.tolerations.begin())},
       "compare with --feature-gates=TaintTolerationComparisonOperators=true"});
}

}  // namespace

std::vector<Finding> node_findings(const model::Node& node, const NodeReport& report) {
  std::vector<Finding> findings;
  for (const placement::Reason& reason : report.reasons) {
    const auto* open = std::get_if<placement::UntoleratedTaint>(&reason);
    if (open == nullptr || open->taint.key != to_be_deleted_key) continue;
    const auto marked = timestamp_value(open->taint.value);
    findings.push_back(
        {"node-removed-by-cluster-autoscaler",
         Severity::Info,
         "cluster-autoscaler is removing this node" +
             (marked ? fmt::format(" (marked {})", format_utc(*marked)) : std::string()),
         {fmt::format("Node/{} spec.taints[{}]", node.meta.name.view(), open->index)},
         "wait until the node is gone, or tolerate the taint if the pod has to stay wanted until "
         "then"});
  }
  return findings;
}

std::vector<Finding> daemon_set_findings(const DaemonSetCase& the_case) {
  const DaemonSetReport& report = the_case.report;
  std::vector<Finding> findings;
  check_state(the_case, findings);
  check_no_node(report, findings);
  check_counts(the_case, report, findings);
  check_pods(the_case, findings);
  check_gate(the_case, findings);
  std::ranges::stable_sort(findings, {}, &Finding::severity);
  return findings;
}

}  // namespace dsdoctor::diagnosis
