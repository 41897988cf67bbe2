// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/pods/unwanted_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/pods.h"
#include "diagnosis/causes/pods/eviction_loop.h"
#include "diagnosis/evidence/attribution.h"
#include "diagnosis/report/departure.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/report/ranking.h"
#include "diagnosis/taints/taint_catalogue.h"
#include "diagnosis/taints/taint_knowledge.h"

namespace dsdoctor::diagnosis {
namespace {

/// The taints that the pod does not tolerate.
struct OpenTaints {
  std::vector<Message> clauses;
  std::vector<Evidence> evidence;
  std::string group;
  bool leaving = false;  // a taint marks the node as being removed
};

std::string key_and_effect(const model::Taint& taint) {
  return fmt::format("{}:{}", taint.key.view(), taint.effect.view());
}

OpenTaints open_taints(const NodeCase& c) {
  OpenTaints result;
  for (const placement::Reason& reason : c.report.reasons()) {
    const auto* open = std::get_if<placement::UntoleratedTaint>(&reason);
    if (open == nullptr) continue;
    const model::Taint& taint = open->taint;
    result.clauses.push_back(
        phrase::TaintOfUnwantedPod{.began = tainted_since(taint), .taint = key_and_effect(taint)});
    result.evidence.push_back(taint_evidence(c.node, c.node.taints[open->index]));
    result.group += "|" + key_and_effect(taint);
    const model::KnownTaint* known = c.of.taints->find(taint, c.node.meta.labels);
    result.leaving |= known != nullptr && known->lifecycle == model::TaintLifecycle::Leaving;
  }
  return result;
}

/// An end within an hour needs no action.
constexpr std::chrono::hours soon{1};

/// How a misscheduled pod ends, and whether that needs action.
struct Stay {
  Message pod;      // "pod runs since …"
  Message outcome;  // its outcome: "NoSchedule does not evict running pods"
  std::optional<EvictionAhead> eviction = {};
  bool ends = false;
  model::OptionalTime overdue_since = {};
};

/// End time of a finished pod, from its last container or its conditions; absent if unknown.
model::OptionalTime ended_at(const model::Pod& pod) {
  model::OptionalTime last;
  for (const model::ContainerStatus& status : pod.statuses) {
    if (!status.terminated || !status.terminated->finished) continue;
    if (!last || *last < *status.terminated->finished) last = status.terminated->finished;
  }
  for (const std::string_view type : {"DisruptionTarget", "Ready"}) {
    const auto condition = model::find_condition(pod.conditions, type);
    if (!last && condition != nullptr) last = condition->last_transition;
  }
  return last;
}

/// Whether kube-controller-manager works, as far as is known.
bool is_controlled(const NodeCase& c) { return !c.of.facts.controller_manager_silence(); }

Stay stay_of_ended(const NodeCase& c, const model::Pod& pod) {
  Stay stay{phrase::UnwantedPodIs{.began = std::nullopt, .phase = pod.phase, .reason = pod.reason},
            phrase::UnwantedPodIsDeleted{}};
  if (pod.phase == "Succeeded" && !c.of.behaviour.replaces_succeeded_pods) {
    stay.outcome = phrase::UnwantedPodStaysEnded{};
    return stay;
  }
  const auto end = ended_at(pod);
  constexpr auto longest = threshold::failed_pod_backoff + threshold::missing;
  stay.ends = is_controlled(c) && is_younger(end, longest, c.of.facts.now());
  if (is_older(end, longest, c.of.facts.now())) stay.overdue_since = *end + longest;
  return stay;
}

Stay stay_of(const NodeCase& c, const model::Pod& pod) {
  if (is_terminating(pod)) {
    // The cause is reported once the pod is overdue.
    return {
        .pod = phrase::UnwantedPodIs{.began = std::nullopt, .phase = "Terminating", .reason = ""},
        .outcome = phrase::UnwantedPodIsNotReplaced{},
        .ends = !is_older(pod.meta.deleted, threshold::terminating, c.of.facts.now())};
  }
  if (is_terminal(pod)) return stay_of_ended(c, pod);
  if (!is_bound(pod)) {
    return {phrase::UnwantedPodIs{.began = pod.meta.created, .phase = "Pending", .reason = ""},
            phrase::UnwantedPodStaysPending{}};
  }
  Stay stay{phrase::UnwantedPodRuns{.began = pod.start_time ? pod.start_time : pod.meta.created},
            phrase::UnwantedPodStays{}};
  stay.eviction = eviction_ahead(c, pod);
  if (!stay.eviction) return stay;
  const auto& due = stay.eviction->due;
  const auto now = c.of.facts.now();
  const bool is_out = is_kubelet_out(c.node);
  stay.outcome = phrase::UnwantedPodIsEvicted{.evicted = due,
                                              .kubelet_is_out = is_out,
                                              .seconds = stay.eviction->seconds,
                                              .taint = key_and_effect(*stay.eviction->taint)};
  stay.ends = due && now < *due + threshold::terminating && *due < now + soon && is_controlled(c) &&
              !is_out;
  if (is_older(due, threshold::terminating, now)) stay.overdue_since = due;
  return stay;
}

/// The part of the DaemonSet's pods that other pods on their nodes use; empty for an ordinary
/// DaemonSet.
std::string_view provided_to_others(const DaemonSetCase& of) {
  switch (of.report.workload.kind) {
    case WorkloadKind::Cni: return "network";
    case WorkloadKind::Csi: return "volumes";
    case WorkloadKind::DevicePlugin: return "devices";
    case WorkloadKind::General:
    case WorkloadKind::NodeAgent: break;
  }
  if (of.providers == nullptr || of.providers->dependents_of(of.ds).empty()) return {};
  switch (of.providers->dependents_of(of.ds).front().lack.what) {
    case Provides::Driver: return "driver";
    case Provides::Network: return "network";
    case Provides::Device: return "devices";
    case Provides::Path: return "files";
  }
  return {};
}

void add_misscheduled(const NodeCase& c, const model::Pod& pod, std::vector<Finding>& findings) {
  OpenTaints open = open_taints(c);
  if (open.clauses.empty()) return;
  Stay stay = stay_of(c, pod);
  if (is_terminating(pod) && !stay.ends) return;  // reported as stuck Terminating
  const std::string_view provided = provided_to_others(c.of);
  Finding finding = make_finding(finding::PodMisscheduled{.no_other_pod_needs_it = provided.empty(),
                                                          .outcome = std::move(stay.outcome),
                                                          .provided = provided,
                                                          .stay = std::move(stay.pod),
                                                          .taints = std::move(open.clauses)},
                                 std::move(open.evidence), names_of(c, pod.meta.name));
  finding.group = std::move(open.group);
  finding.overdue_since = stay.overdue_since;
  const bool leaves = (open.leaving || c.node.meta.deleted) && is_live(pod) &&
                      !is_departure_overdue(c.node, c.of.facts);
  if (stay.ends) finding.group += pod_ends;
  if (leaves || stay.ends) {
    finding.severity = Severity::Info;
    finding.transient = true;
  }
  if (stay.ends) finding.fix.clear();
  findings.push_back(std::move(finding));
}

using MaybeTime = model::OptionalTime;

/// The latest time at which the label got its current value; absent for a label that was removed,
/// because managedFields does not record removals.
MaybeTime labelled_since(const model::Node& node, std::string_view key, bool there) {
  const auto writer = there ? label_writer(node.meta, key) : std::nullopt;
  return writer ? writer->not_later_than : std::nullopt;
}

/// The latest time from which the reason holds; absent if unknown.
MaybeTime holds_since(const NodeCase& c, const placement::Reason& reason) {
  if (const auto* open = std::get_if<placement::UntoleratedTaint>(&reason)) {
    if (open->taint.effect != model::effect::no_execute) return std::nullopt;
    const auto put_on = taint_time(c.node, open->index);
    return put_on ? MaybeTime(put_on->time) : std::nullopt;
  }
  if (const auto* selector = std::get_if<placement::NodeSelectorMismatch>(&reason)) {
    return labelled_since(c.node, selector->key, selector->have.has_value());
  }
  const auto* term = std::get_if<placement::AffinityTermMismatch>(&reason);
  if (term != nullptr && !term->in_fields && !term->fault) {
    return labelled_since(c.node, term->requirement->key, term->have.has_value());
  }
  // No change of the node can have caused it.
  const auto writer = spec_writer(c.of.ds.meta);
  return writer ? writer->not_later_than : std::nullopt;
}

/// The latest time from which the node was not eligible, by the oldest known reason; absent if
/// unknown. Every affinity term must fail, each by one of its requirements.
MaybeTime unwanted_since(const NodeCase& c) {
  MaybeTime result;
  std::map<std::size_t, MaybeTime> terms;
  const auto earlier = [](MaybeTime a, MaybeTime b) { return !a ? b : !b ? a : std::min(a, b); };
  for (const placement::Reason& reason : c.report.reasons()) {
    const MaybeTime since = holds_since(c, reason);
    const auto* term = std::get_if<placement::AffinityTermMismatch>(&reason);
    MaybeTime& known = term == nullptr ? result : terms[term->term];
    known = earlier(known, since);
  }
  MaybeTime all_terms = terms.empty() ? std::nullopt : terms.begin()->second;
  for (const auto& [index, since] : terms) {
    all_terms = all_terms && since ? std::max(all_terms, since) : std::nullopt;
  }
  result = earlier(result, all_terms);
  // The template may have been changed later.
  const auto writer = spec_writer(c.of.ds.meta);
  return result && writer ? std::max(result, writer->not_later_than) : result;
}

Evidence label_evidence(const model::Node& node, std::string_view key,
                        const std::optional<model::Text>& have) {
  return {ref_of(node), fmt::format("metadata.labels['{}']", key), have ? have->str() : ""};
}

/// Evidence from the node's fields that make it ineligible, each once.
std::vector<Evidence> reason_evidence(const NodeCase& c) {
  const auto evidence_of = [&](const placement::Reason& reason) -> Evidence {
    if (const auto* open = std::get_if<placement::UntoleratedTaint>(&reason)) {
      return taint_evidence(c.node, c.node.taints[open->index]);
    }
    if (const auto* selector = std::get_if<placement::NodeSelectorMismatch>(&reason)) {
      return label_evidence(c.node, selector->key, selector->have);
    }
    const auto* term = std::get_if<placement::AffinityTermMismatch>(&reason);
    if (term != nullptr && !term->in_fields) {
      return label_evidence(c.node, term->requirement->key, term->have);
    }
    return {ref_of(c.node), "metadata.name", c.node.meta.name.str()};
  };
  std::vector<Evidence> result;
  for (const placement::Reason& reason : c.report.reasons()) {
    Evidence evidence = evidence_of(reason);
    if (std::ranges::find(result, evidence) == result.end()) result.push_back(std::move(evidence));
  }
  return result;
}

void add_doomed(const NodeCase& c, const model::Pod& pod, std::vector<Finding>& findings) {
  const model::Time now = c.of.facts.now();
  const auto changed = unwanted_since(c);
  const auto writer = spec_writer(c.of.ds.meta);
  const bool fresh = is_younger(changed, threshold::missing, now) ||
                     (writer && is_younger(writer->not_later_than, threshold::missing, now)) ||
                     is_younger(pod.meta.created, threshold::missing, now) ||
                     is_younger(c.node.meta.created, threshold::missing, now);
  std::vector<Evidence> evidence = reason_evidence(c);
  evidence.emplace_back(ref_of(pod), "metadata.deletionTimestamp");
  Finding finding = make_finding(finding::PodDoomedNotRemoved{.excluded = changed},
                                 std::move(evidence), names_of(c, pod.meta.name));
  if (fresh) {
    finding.severity = Severity::Info;
    finding.transient = true;
  } else if (changed) {
    finding.overdue_since = *changed + threshold::missing;
  } else {
    finding.severity = Severity::Warning;  // the controller may act in a moment
    finding.basis = Basis::Suspected;
  }
  findings.push_back(std::move(finding));
}

}  // namespace

std::vector<Finding> unwanted_pod_findings(const NodeCase& c, const model::Pod& pod) {
  std::vector<Finding> findings;
  if (c.report.verdict() == NodeVerdict::Misscheduled) add_misscheduled(c, pod, findings);
  if (c.report.verdict() == NodeVerdict::Removing && !is_terminating(pod)) {
    add_doomed(c, pod, findings);
  }
  return findings;
}

}  // namespace dsdoctor::diagnosis
