// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/pods/pod_findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/time.h"
#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/pods.h"
#include "diagnosis/causes/pods/device_evictions.h"
#include "diagnosis/causes/pods/eviction_loop.h"
#include "diagnosis/causes/pods/kubelet_findings.h"
#include "diagnosis/causes/pods/kubelet_words.h"
#include "diagnosis/causes/pods/pod_evidence.h"
#include "diagnosis/causes/pods/twin_findings.h"
#include "diagnosis/causes/pods/unwanted_pods.h"
#include "diagnosis/causes/startup/readiness_findings.h"
#include "diagnosis/causes/startup/startup_findings.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/taints/taint_knowledge.h"
#include "scheduling/host_ports.h"

namespace dsdoctor::diagnosis {
namespace {

using namespace std::chrono_literals;

constexpr auto duplicates_may_last = 60s;

// ---- terminating

/// The owner of the step that blocks a deletion.
enum class Holder { Finalizers, Node, Kubelet };

/// Why a deletion does not finish, with evidence.
struct Hold {
  Holder holder;
  Message words;
  std::vector<Evidence> evidence;
  std::string group;
  bool is_told_by_kubelet = false;
  bool names_plugins = false;  // the words name CNI plugins
};

Hold hold_of_finalizers(const model::Pod& pod) {
  Argument::Names names;
  std::vector<Evidence> evidence;
  for (const model::Text& name : pod.meta.finalizers) {
    evidence.emplace_back(ref_of(pod), fmt::format("metadata.finalizers[{}]", names.size()),
                          name.str());
    names.push_back(name.str());
  }
  return {Holder::Finalizers,
          phrase::HeldByFinalizers{.finalizers = names, .is_one = names.size() == 1},
          std::move(evidence), fmt::format("finalizers|{}", fmt::join(names, ", "))};
}

Hold hold_of_kubelet(const model::Event& event) {
  const bool is_kill = event.reason == "FailedKillPod";
  const KillFailure failure =
      is_kill ? kill_failure(event.message) : KillFailure{"", excerpt(event.message), false};
  return {Holder::Kubelet,
          phrase::HeldByKubelet{.error = failure.error, .operation = failure.operation},
          {event_evidence(event)},
          event.reason.str(),
          is_kill,
          failure.names_plugins};
}

Hold hold_of(const NodeCase& c, const model::Pod& pod) {
  const model::Condition* ready = model::find_condition(c.node.conditions, "Ready");
  if (ready != nullptr && ready->status == "Unknown") {
    return {Holder::Node,
            phrase::HeldByUnreachableNode{},
            {condition_evidence(c.node, *ready)},
            "unreachable"};
  }
  if (!pod.meta.finalizers.empty()) return hold_of_finalizers(pod);
  const model::Event* event = newest(events_of(c.of.facts, pod),
                                     {"FailedKillPod", "FailedPreStopHook", "ExceededGracePeriod"});
  if (event != nullptr) return hold_of_kubelet(*event);
  if (is_known_not_ready(c.node)) {
    return {Holder::Node,
            phrase::HeldByNodeNotReady{},
            {condition_evidence(c.node, *ready)},
            "not ready"};
  }
  return {Holder::Kubelet,
          phrase::HeldUnconfirmed{.events_are_known = c.of.facts.cluster().known.events},
          {},
          "kubelet"};
}

/// Whether a new pod will be created on the node after this one has terminated.
bool makes_way(const NodeCase& c) {
  const DaemonSetReport& report = c.of.report;
  return !report.surges && !report.deleted && !report.in_ending_namespace &&
         placement::should_run(c.report.decision());
}

/// `overdue`: time since the end of the grace period; absent if that is not too long yet.
Finding terminating_finding(const NodeCase& c, const model::Pod& pod, Hold hold,
                            std::optional<model::Time::duration> overdue) {
  // The API server sets deletionTimestamp to the end of the grace period. More than a year is not a
  // valid grace period.
  const std::int64_t grace =
      std::clamp<std::int64_t>(pod.meta.grace_seconds.value_or(0), 0, 366L * 24 * 3600);
  model::OptionalTime asked;
  if (overdue && !hold.is_told_by_kubelet) asked = *pod.meta.deleted - std::chrono::seconds(grace);
  std::vector<Evidence> evidence = {
      {ref_of(pod), "metadata.deletionTimestamp", base::rfc3339(*pod.meta.deleted)}};
  std::ranges::move(hold.evidence, std::back_inserter(evidence));
  const bool is_kubelets = hold.holder == Holder::Kubelet;
  Finding finding = make_finding(
      finding::PodTerminatingStuck{.deleted = asked,
                                   .grace = grace,
                                   .hold = std::move(hold.words),
                                   .is_stuck = overdue.has_value(),
                                   .it_waits_for_finalizers = hold.holder == Holder::Finalizers,
                                   .makes_way = makes_way(c),
                                   .overdue = overdue,
                                   .the_kubelet_is_slow = is_kubelets && !hold.names_plugins,
                                   .the_network_plugin_fails = is_kubelets && hold.names_plugins,
                                   .the_node_is_out = hold.holder == Holder::Node},
      std::move(evidence), names_of(c, pod.meta.name));
  finding.group = std::move(hold.group);
  return finding;
}

/// Reports early that finalizers still block the pod after its grace period.
void add_held(const NodeCase& c, const model::Pod& pod, std::vector<Finding>& findings) {
  if (pod.meta.finalizers.empty() || !is_older(pod.meta.deleted, 0s, c.of.facts.now())) return;
  Hold hold = hold_of(c, pod);
  if (hold.holder != Holder::Finalizers) return;
  Finding finding = terminating_finding(c, pod, std::move(hold), std::nullopt);
  finding.severity = Severity::Info;
  findings.push_back(std::move(finding));
}

void add_stuck(const NodeCase& c, const model::Pod& pod, std::vector<Finding>& findings) {
  const model::Time now = c.of.facts.now();
  if (!is_older(pod.meta.deleted, threshold::terminating, now)) return add_held(c, pod, findings);
  Finding finding = terminating_finding(c, pod, hold_of(c, pod), now - *pod.meta.deleted);
  finding.overdue_since = pod.meta.deleted;
  findings.push_back(std::move(finding));
}

// ---- more than one pod

/// The pod to delete: the controller keeps a single remaining pod. Prefers a pod that is not ready,
/// then a pod that the controller did not create, whatever their ages.
const model::Pod* spare_of(const std::vector<const model::Pod*>& live) {
  const auto order = [](const model::Pod* pod) {
    return std::pair(is_ready(*pod), pod->meta.controller.has_value());
  };
  // Among equal pods, the last one.
  return *std::min_element(live.rbegin(), live.rend(),
                           [&](const auto* a, const auto* b) { return order(a) < order(b); });
}

void add_duplicates(const NodeCase& c, std::vector<Finding>& findings) {
  std::vector<const model::Pod*> live;
  std::ranges::copy_if(c.pods, std::back_inserter(live), [](const auto* p) { return is_live(*p); });
  if (live.size() < 2 || (is_surge(c.of.ds) && is_surge_pair(live))) return;
  std::vector<Message> pods;
  std::vector<Evidence> evidence;
  bool fresh = false;
  for (const model::Pod* pod : live) {
    pods.push_back(phrase::OneOfSeveralPods{.created = pod->meta.created,
                                            .is_ownerless = !pod->meta.controller,
                                            .name = pod->meta.name,
                                            .revision = revision_hash(*pod)});
    evidence.emplace_back(ref_of(*pod), "spec.nodeName", pod->node_name.str());
    fresh |= is_younger(pod->meta.created, duplicates_may_last, c.of.facts.now());
  }
  Finding finding = make_finding(
      finding::PodDuplicate{
          .count = live.size(), .it_surges = c.of.report.surges, .pods = std::move(pods)},
      std::move(evidence), names_of(c, spare_of(live)->meta.name));
  finding.group = std::to_string(live.size());
  if (fresh) {
    finding.severity = Severity::Info;
    finding.transient = true;
  }
  findings.push_back(std::move(finding));
}

// ---- disrupted, completed

/// The component that disrupted a pod, from the reason of its condition.
Message disruption_of(std::string_view reason) {
  if (reason == "EvictionByEvictionAPI") return phrase::DisruptedByEvictionApi{};
  if (reason == "DeletionByTaintManager") return phrase::DisruptedByTaintController{};
  if (reason == "DeletionByDeviceTaintManager") return phrase::DisruptedByDeviceTaints{};
  if (reason == "DeletionByPodGC") return phrase::DisruptedByPodCollector{};
  if (reason == "PreemptionByScheduler") return phrase::DisruptedByScheduler{};
  if (reason == "TerminationByKubelet") return phrase::DisruptedByKubelet{};
  return phrase::DisruptedOtherwise{};
}

void add_disruption(std::string_view reason, std::string_view said, Evidence evidence,
                    std::vector<Finding>& findings) {
  Finding finding = make_finding(
      finding::PodDisrupted{.disruption = disruption_of(reason), .said = excerpt(said)},
      {std::move(evidence)});
  finding.standing = Standing::Context;
  finding.group = reason;
  findings.push_back(std::move(finding));
}

bool add_disruption_of(const NodeCase& c, const model::Pod& pod, std::vector<Finding>& findings) {
  const auto target = model::find_condition(pod.conditions, "DisruptionTarget");
  if (target == nullptr || target->status != "True") return false;
  if (!is_younger(target->last_transition, threshold::events, c.of.facts.now())) return false;
  add_disruption(target->reason, target->message, condition_evidence(pod, *target), findings);
  return true;
}

/// Reports preempted pods that do not exist any more: the scheduler's event names their node.
void add_preempted(const NodeCase& c, std::vector<Finding>& findings) {
  const Facts::Events& events = c.of.events.preemptions_on(c.node.meta.name);
  if (events.empty()) return;
  const model::Event& last = *events.back();
  if (!is_younger(last_seen(last), threshold::events, c.of.facts.now())) return;
  add_disruption("PreemptionByScheduler", {}, event_evidence(last), findings);
}

bool was_shut_down(const NodeCase& c, const model::Pod& pod) {
  if (mentions_any(pod.message, {"shutdown"}) || pod.reason == "NodeShutdown") return true;
  const auto events = c.of.facts.events_of("Node", "", c.node.meta.name, "");
  const model::Event* shutdown = newest(events, {"Shutdown", "Rebooted"});
  return shutdown != nullptr &&
         is_younger(last_seen(*shutdown), threshold::events, c.of.facts.now());
}

void add_completed(const NodeCase& c, const model::Pod& pod, std::vector<Finding>& findings) {
  if (was_shut_down(c, pod)) return;
  findings.push_back(
      make_finding(finding::PodCompleted{.is_replaced = c.of.behaviour.replaces_succeeded_pods,
                                         .was_deleted = false},
                   {{ref_of(pod), "status.phase", pod.phase.str()}}, names_of(c, pod.meta.name)));
}

/// Reports completed pods that the controller has already deleted: its event names the node.
void add_completed_before(const NodeCase& c, std::vector<Finding>& findings) {
  const std::string words =
      fmt::format(" on node {}, will try to delete it", c.node.meta.name.view());
  for (const model::Event* event : c.of.events.own_on(c.node.meta.name)) {
    if (event->reason != "SucceededDaemonPod" ||
        !is_younger(last_seen(*event), threshold::events, c.of.facts.now()) ||
        event->message.view().find(words) == std::string_view::npos) {
      continue;
    }
    findings.push_back(make_finding(finding::PodCompleted{.is_replaced = true, .was_deleted = true},
                                    {event_evidence(*event)}, names_of(c.of)));
    return;
  }
}

void append(std::vector<Finding>& to, std::vector<Finding> from) {
  std::ranges::move(from, std::back_inserter(to));
}

}  // namespace

std::vector<Finding> bound_pod_findings(const NodeCase& c, const model::Pod& pod) {
  if (!is_bound(pod) || is_terminating(pod)) return {};
  if (pod.phase == "Succeeded") {
    const bool is_replaced = c.of.behaviour.replaces_succeeded_pods && was_shut_down(c, pod);
    return is_replaced ? failed_pod_findings(c, pod) : std::vector<Finding>();
  }
  if (pod.phase == "Failed") return failed_pod_findings(c, pod);
  if (is_ready(pod)) return ready_pod_findings(c, pod);
  std::vector<Finding> findings = unacknowledged_pod_findings(c, pod);
  if (!findings.empty()) return findings;
  const Facts::Events events = events_of(c.of.facts, pod);
  findings = startup_findings(c, pod, events);
  append(findings, readiness_findings(c, pod, events));
  return findings;
}

std::vector<Finding> gone_pod_findings(const NodeCase& c) {
  if (!c.pods.empty()) return {};
  std::vector<Finding> findings = eviction_loop_findings(c);
  append(findings, device_eviction_findings(c));
  append(findings, refused_pod_findings(c));
  add_preempted(c, findings);
  add_completed_before(c, findings);
  return findings;
}

std::vector<Finding> pod_set_findings(const NodeCase& c) {
  std::vector<Finding> findings;
  if (c.pods.empty()) return findings;
  append(findings, eviction_loop_findings(c));
  append(findings, device_eviction_findings(c));
  add_duplicates(c, findings);
  bool disrupted = false;
  for (const model::Pod* pod : c.pods) {
    if (is_terminating(*pod)) add_stuck(c, *pod, findings);
    disrupted |= add_disruption_of(c, *pod, findings);
    append(findings, unwanted_pod_findings(c, *pod));
    if (is_terminating(*pod)) continue;
    const bool is_wanted = placement::should_run(c.report.decision());
    if (pod->phase == "Succeeded" && is_wanted) add_completed(c, *pod, findings);
  }
  if (!disrupted && c.report.verdict() != NodeVerdict::Running) add_preempted(c, findings);
  if (c.report.verdict() != NodeVerdict::Running) append(findings, twin_findings_on(c));
  return findings;
}

}  // namespace dsdoctor::diagnosis
