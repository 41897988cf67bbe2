#include "diagnosis/causes/nodes/leaving_nodes.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnosis/evidence/node_state.h"
#include "diagnosis/evidence/wording.h"
#include "diagnosis/report/departure.h"
#include "diagnosis/taints/taint_knowledge.h"

namespace dsdoctor::diagnosis {
namespace {

using wording::counted;

/// What the drain waits for: pods that are not of DaemonSets, longest grace period first.
std::string drain(const NodeCase& c) {
  if (!c.of.facts.knows_all_pods_on(c.node.meta.name)) return {};
  const model::Pod* longest = nullptr;
  std::size_t others = 0;
  const auto grace = [](const model::Pod& pod) {
    return pod.meta.grace_seconds.value_or(pod.spec->grace_seconds.value_or(0));
  };
  for (const model::Pod* pod : c.of.facts.pods_on(c.node.meta.name)) {
    const bool of_daemon_set = pod->meta.controller && pod->meta.controller->kind == "DaemonSet";
    if (of_daemon_set || pod->mirror) continue;
    ++others;
    if (longest == nullptr || grace(*pod) > grace(*longest)) longest = pod;
  }
  if (longest == nullptr) return "; only DaemonSet pods remain";
  return fmt::format("; still on it: {} of other workloads, longest grace period {}s ({}/{})",
                     counted(static_cast<std::int64_t>(others), "pod"), grace(*longest),
                     longest->meta.ns.view(), longest->meta.name.view());
}

/// Resolves without action until it is overdue; then it needs action.
void settle(const NodeCase& c, Finding& finding) {
  const auto limit = should_be_gone_by(c.node, c.of.facts);
  if (!limit || c.of.facts.now() <= *limit) {
    finding.transient = true;
    return;
  }
  finding.message += fmt::format("; overdue since {}", format_utc(*limit));
  finding.overdue_since = limit;
  finding.severity = std::min(finding.severity, Severity::Warning);
  // What was to be done if it does not end is to be done now; the rest is for who waits.
  if (finding.fix.size() > 1) finding.fix.resize(1);
  for (Step& step : finding.fix) step.condition.clear();
}

void add_autoscaler(const NodeCase& c, const model::Taint& taint, NodeRecord& record) {
  const auto marked = timestamp_value(taint.value);
  Finding& finding = record.add(
      FindingId::NodeRemovedByClusterAutoscaler,
      "cluster-autoscaler is removing this node" +
          (marked ? fmt::format(" (marked {})", format_utc(*marked)) : std::string()) + drain(c),
      {record.taint(taint)}, &taint);
  settle(c, finding);
}

void add_taint(const NodeCase& c, const model::Taint& taint, NodeRecord& record) {
  if (taint.key == to_be_deleted_key && taint.effect == "NoSchedule") {
    return add_autoscaler(c, taint, record);
  }
  const std::string_view key = taint.key;
  const auto when = added_at(taint, c.node);
  if (key == "karpenter.sh/disrupted" || key == "karpenter.sh/disruption") {
    Finding& finding = record.add(
        finding::NodeKarpenterDisrupted{.key = key},
        fmt::format("Karpenter is replacing this node{}; its pods are drained", record.since(when)),
        {record.taint(taint)}, &taint);
    settle(c, finding);
  } else if (is_interruption(taint)) {
    settle(c, record.add(
                  FindingId::NodeInterruption,
                  fmt::format("the cloud provider is reclaiming the node; announced by taint {}{}",
                              key, record.since(when)),
                  {record.taint(taint)}, &taint));
  } else if (key == "node.cloudprovider.kubernetes.io/shutdown") {
    record.add(
        FindingId::NodeCloudShutdown,
        fmt::format("the cloud provider reports the instance as stopped{}", record.since(when)),
        {record.taint(taint)}, &taint);
  } else if (key == "node.kubernetes.io/out-of-service") {
    record.add(
        finding::NodeOutOfService{.key = key},
        fmt::format("out-of-service{}; pods on the node are force-deleted while it is NotReady",
                    record.since(when)),
        {record.taint(taint)}, &taint);
  }
}

}  // namespace

void add_leaving(const NodeCase& c, NodeRecord& record) {
  if (c.node.meta.deleted) {
    std::vector<std::string> finalizers;
    for (const model::Text& text : c.node.meta.finalizers) finalizers.push_back(text.str());
    settle(c, record.add(FindingId::NodeBeingDeleted,
                         fmt::format("node is being deleted{}{}", record.since(c.node.meta.deleted),
                                     finalizers.empty() ? std::string()
                                                        : fmt::format("; waits for finalizers: {}",
                                                                      fmt::join(finalizers, ", "))),
                         {record.field("metadata.deletionTimestamp")}));
  }
  for (const model::Taint& taint : c.node.taints) add_taint(c, taint, record);
}

}  // namespace dsdoctor::diagnosis
