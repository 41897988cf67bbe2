// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/nodes/leaving_nodes.h"

#include <algorithm>
#include <optional>

#include "diagnosis/catalogue/findings/node.h"
#include "diagnosis/catalogue/findings/phrases.h"
#include "diagnosis/catalogue/object_evidence.h"
#include "diagnosis/evidence/node_state.h"
#include "diagnosis/providers/provider.h"
#include "diagnosis/report/departure.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/taints/taint_knowledge.h"
#include "model/annotations.h"

namespace dsdoctor::diagnosis {
namespace {

/// Pods that the drain waits for, which are not DaemonSet pods: their number and longest grace
/// period.
std::optional<Message> drain(const NodeCase& c) {
  if (!c.of.facts.has_every_pod_on(c.node.meta.name)) return std::nullopt;
  const model::Pod* longest = nullptr;
  std::size_t others = 0;
  const auto grace = [](const model::Pod& pod) {
    return pod.meta.grace_seconds.value_or(pod.spec->grace_seconds.value_or(0));
  };
  for (const model::Pod* pod : c.of.facts.pods_on(c.node.meta.name)) {
    const bool of_daemon_set = pod->meta.controller && model::is_daemon_set(*pod->meta.controller);
    if (of_daemon_set || pod->mirror) continue;
    ++others;
    if (longest == nullptr || grace(*pod) > grace(*longest)) longest = pod;
  }
  if (longest == nullptr) return phrase::OnlyDaemonsetPodsRemain{};
  return phrase::OtherPodsRemain{
      .grace = grace(*longest), .longest = ref_of(*longest), .others = others};
}

/// The remover's newest event about what keeps it from removing the node; absent without one within
/// the last hour.
std::optional<Message> blocked_by(const NodeCase& c) {
  const auto& meta = c.node.meta;
  const Facts::Events events = c.of.facts.events_of("Node", "", meta.name, meta.uid);
  const model::Event* event =
      newest(events, {"DisruptionBlocked", "FailedDraining", "ScaleDownFailed"});
  if (event == nullptr || is_older(last_seen(*event), threshold::events, c.of.facts.now())) {
    return std::nullopt;
  }
  return phrase::RemovalIsBlocked{.reason = event->reason, .said = excerpt(event->message)};
}

/// Why the remover cannot evict the pod; absent if nothing that was read forbids it.
std::optional<Message> shield_of(const NodeCase& c, const model::Pod& pod, bool of_karpenter) {
  if (of_karpenter && pod.do_not_disrupt == "true") {
    return phrase::PodHasAnnotation{.annotation = model::do_not_disrupt_annotation,
                                    .its_pod = full_name(pod.meta)};
  }
  if (!of_karpenter && pod.safe_to_evict == "false") {
    return phrase::PodHasAnnotation{
        .annotation = std::string(model::safe_to_evict_annotation) + "=false",
        .its_pod = full_name(pod.meta)};
  }
  const auto* budget = budget_against_eviction(c.of.facts.cluster(), pod);
  if (budget == nullptr) return std::nullopt;
  return phrase::BudgetForbidsEviction{.budget = budget->meta.name, .its_pod = full_name(pod.meta)};
}

/// The pods of the node that keep it, by what was read about them; absent if none does.
std::optional<Message> held_by_pods(const NodeCase& c, bool of_karpenter) {
  std::optional<Message> first;
  std::int64_t others = 0;
  for (const model::Pod* pod : c.of.facts.pods_on(c.node.meta.name)) {
    const bool of_daemon_set = pod->meta.controller && model::is_daemon_set(*pod->meta.controller);
    if (of_daemon_set || pod->mirror || is_terminating(*pod)) continue;
    auto shield = shield_of(c, *pod, of_karpenter);
    if (!shield) continue;
    if (first) {
      ++others;
    } else {
      first = std::move(shield);
    }
  }
  if (!first) return std::nullopt;
  return phrase::RemovalIsHeld{.others = others == 0 ? std::nullopt : std::optional(others),
                               .shield = *std::move(first)};
}

/// The reason why the removal takes long: if it is overdue, what the remover's event names, or else
/// the pods that it must not evict.
std::optional<Message> waits_for(const NodeCase& c, bool of_karpenter) {
  if (is_departure_overdue(c.node, c.of.facts)) {
    if (auto blocked = blocked_by(c)) return blocked;
    if (auto held = held_by_pods(c, of_karpenter)) return held;
  }
  return drain(c);
}

/// Marks the finding as transient until it is overdue; then only the first `steps` of the fix
/// apply.
void settle(const NodeCase& c, Finding& finding, std::size_t steps = 1) {
  const auto limit = should_be_gone_by(c.node, c.of.facts);
  if (!limit || c.of.facts.now() <= *limit) {
    finding.transient = true;
    return;
  }
  finding.message.notes.push_back(phrase::OverdueSince{.due = limit});
  finding.overdue_since = limit;
  finding.severity = std::min(finding.severity, Severity::Warning);
  // The first steps are conditional on being overdue and are needed now; the others are for
  // waiting.
  if (finding.fix.size() > steps) finding.fix.resize(steps);
  if (!finding.fix.empty()) finding.fix.front().condition.clear();
}

/// True if no removal is in progress: the autoscaler has forgotten the node or its taint.
bool is_forgotten(const NodeCase& c, const model::OptionalTime& marked) {
  const auto& facts = c.of.facts;
  return marked && !c.node.meta.deleted && is_departure_overdue(c.node, facts) &&
         facts.now() - *marked > std::chrono::hours(1) &&
         std::ranges::none_of(facts.pods_on(c.node.meta.name),
                              [](const model::Pod* pod) { return is_terminating(*pod); });
}

void add_autoscaler(const NodeCase& c, const model::Taint& taint, NodeRecord& record) {
  const auto marked = timestamp_value(taint.value);
  const bool forgotten = is_forgotten(c, marked);
  Finding& finding =
      record.add(finding::NodeRemovedByClusterAutoscaler{.drain = waits_for(c, false),
                                                         .key = taint.key,
                                                         .marked = marked,
                                                         .nothing_is_under_way = forgotten},
                 {record.taint(taint)}, &taint);
  settle(c, finding, forgotten ? 2 : 1);
}

/// `since`: when the node was marked or its deletion was requested.
void add_karpenter(const NodeCase& c, std::string_view key, const model::OptionalTime& since,
                   std::vector<Evidence> evidence, const model::Taint* taint, NodeRecord& record) {
  settle(c, record.add(finding::NodeKarpenterDisrupted{.drain = waits_for(c, true).value_or(
                                                           phrase::PodsAreBeingDrained{}),
                                                       .key = key,
                                                       .since = {since, c.of.facts.now()}},
                       std::move(evidence), taint));
}

bool is_of_karpenter(const model::Node& node) {
  return std::ranges::any_of(node.meta.finalizers, [](const model::Text& finalizer) {
    return finalizer.view().starts_with("karpenter.sh/");
  });
}

/// A kubelet that does not report is the node's primary problem.
void explain_only(const NodeCase& c, Finding& finding) {
  if (is_kubelet_out(c.node)) finding.standing = Standing::Context;
}

void add_out_of_service(const model::Taint& taint, const model::OptionalTime& when,
                        const NodeCase& c, NodeRecord& record) {
  explain_only(
      c, record.add(finding::NodeOutOfService{.key = taint.key, .since = {when, c.of.facts.now()}},
                    {record.taint(taint)}, &taint));
}

/// The taint explains why the kubelet does not report. If the kubelet does report, the taint
/// excludes new pods and says nothing about existing ones.
void add_stopped(const NodeCase& c, const model::Taint& taint, NodeRecord& record) {
  const parameter::Time since = {added_at(taint, c.node), c.of.facts.now()};
  Finding& finding =
      record.add(finding::NodeCloudShutdown{.since = since}, {record.taint(taint)}, &taint);
  if (is_kubelet_out(c.node)) return;
  finding.message = phrase::InstanceReportedStopped{.since = since};
  if (placement::should_run(c.report.decision())) finding.standing = Standing::Context;
}

void add_taint(const NodeCase& c, const model::Taint& taint, NodeRecord& record) {
  if (taint.key == to_be_deleted_key && taint.effect == "NoSchedule") {
    return add_autoscaler(c, taint, record);
  }
  const std::string_view key = taint.key;
  const auto when = added_at(taint, c.node);
  if (key == "karpenter.sh/disrupted" || key == "karpenter.sh/disruption") {
    add_karpenter(c, key, when, {record.taint(taint)}, &taint, record);
  } else if (is_interruption(taint)) {
    settle(c, record.add(finding::NodeInterruption{.key = key, .since = {when, c.of.facts.now()}},
                         {record.taint(taint)}, &taint));
  } else if (key == "node.cloudprovider.kubernetes.io/shutdown") {
    add_stopped(c, taint, record);
  } else if (key == "node.kubernetes.io/out-of-service") {
    add_out_of_service(taint, when, c, record);
  }
}

void add_deletion(const NodeCase& c, std::vector<Evidence> evidence, NodeRecord& record) {
  std::vector<std::string> finalizers;
  for (const model::Text& text : c.node.meta.finalizers) finalizers.push_back(text.str());
  settle(c, record.add(finding::NodeBeingDeleted{.finalizers = finalizers,
                                                 .since = {c.node.meta.deleted, c.of.facts.now()}},
                       std::move(evidence)));
}

}  // namespace

void add_leaving(const NodeCase& c, NodeRecord& record) {
  const auto& deleted = c.node.meta.deleted;
  const bool of_karpenter = deleted && is_of_karpenter(c.node);
  if (deleted) {
    std::vector<Evidence> evidence = {
        record.field("metadata.deletionTimestamp", base::rfc3339_seconds(*deleted))};
    if (of_karpenter) {
      add_karpenter(c, "karpenter.sh/disrupted", deleted, std::move(evidence), nullptr, record);
    } else {
      add_deletion(c, std::move(evidence), record);
    }
  }
  for (const model::Taint& taint : c.node.taints) {
    if (!of_karpenter || !taint.key.view().starts_with("karpenter.sh/"))
      add_taint(c, taint, record);
  }
}

}  // namespace dsdoctor::diagnosis
