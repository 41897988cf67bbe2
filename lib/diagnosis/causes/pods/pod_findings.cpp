#include "diagnosis/causes/pods/pod_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/pods.h"
#include "diagnosis/causes/pods/eviction_loop.h"
#include "diagnosis/causes/pods/kubelet_findings.h"
#include "diagnosis/causes/pods/unwanted_pods.h"
#include "diagnosis/causes/startup/readiness_findings.h"
#include "diagnosis/causes/startup/startup_findings.h"
#include "diagnosis/evidence/wording.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/taints/taint_knowledge.h"
#include "scheduling/host_ports.h"

namespace dsdoctor::diagnosis {
namespace {

using namespace std::chrono_literals;

constexpr auto duplicates_may_last = 60s;

// ---- terminating

/// Why a deletion does not finish: a clause and what it rests on.
struct Hold {
  std::string text;
  Evidence evidence;
  std::string group;
};

Hold hold_of(const NodeCase& c, const model::Pod& pod) {
  const model::Condition* ready = model::find_condition(c.node.conditions, "Ready");
  if (ready != nullptr && ready->status == "Unknown") {
    return {"the node is unreachable, so its kubelet cannot confirm the deletion",
            fmt::format("Node/{} status.conditions[Ready]: Unknown", c.node.meta.name.view()),
            "unreachable"};
  }
  if (!pod.meta.finalizers.empty()) {
    const std::vector<std::string_view> names(pod.meta.finalizers.begin(),
                                              pod.meta.finalizers.end());
    const std::string list = excerpt(fmt::format("{}", fmt::join(names, ", ")));
    return {fmt::format("waits for finalizer{} {}", names.size() == 1 ? "" : "s", list),
            pod_field(pod, "metadata.finalizers"), "finalizers|" + list};
  }
  const model::Event* event = newest(events_of(c.of.facts, pod),
                                     {"FailedKillPod", "FailedPreStopHook", "ExceededGracePeriod"});
  if (event != nullptr) {
    return {excerpt(event->message), event_evidence(*event), event->reason.str()};
  }
  if (is_known_not_ready(c.node)) {
    return {"the node is not ready",
            fmt::format("Node/{} status.conditions[Ready]: False", c.node.meta.name.view()),
            "not ready"};
  }
  return {c.of.facts.cluster().known.events
              ? "the kubelet has not confirmed the deletion; no event shows the reason: a process "
                "that does not exit, or a volume in use"
              : "the kubelet has not confirmed the deletion; not all events were read",
          pod_field(pod, "metadata.deletionTimestamp"), "kubelet"};
}

/// A new pod is to come to the node once this one is gone.
bool makes_way(const NodeCase& c) {
  const DaemonSetReport& report = c.of.report;
  return !report.surges && !report.deleted && !report.in_ending_namespace &&
         placement::should_run(c.report.decision());
}

/// The grace is over, and what waits is not the kubelet's alone: said before it takes too long.
void add_held(const NodeCase& c, const model::Pod& pod, std::vector<Finding>& findings) {
  if (pod.meta.finalizers.empty() || !is_older(pod.meta.deleted, 0s, c.of.facts.now())) return;
  const Hold hold = hold_of(c, pod);
  if (!hold.group.starts_with("finalizers")) return;
  Finding finding = make_said_finding(
      finding::PodTerminatingStuck{
          .it_waits_for_finalizers = true, .the_kubelet_is_slow = false, .the_node_is_out = false},
      fmt::format("Terminating: {}{}", hold.text,
                  makes_way(c) ? "; no new pod is created on the node until then" : ""),
      {pod_field(pod, fmt::format("metadata.deletionTimestamp: {}", format_utc(*pod.meta.deleted))),
       hold.evidence},
      names_of(c, pod.meta.name));
  finding.severity = Severity::Info;
  finding.group = hold.group;
  findings.push_back(std::move(finding));
}

void add_stuck(const NodeCase& c, const model::Pod& pod, std::vector<Finding>& findings) {
  if (!is_older(pod.meta.deleted, threshold::terminating, c.of.facts.now())) {
    return add_held(c, pod, findings);
  }
  const Hold hold = hold_of(c, pod);
  // The API server sets deletionTimestamp to the end of the grace period. More than a year of it
  // is no grace period.
  const std::int64_t grace =
      std::clamp<std::int64_t>(pod.meta.grace_seconds.value_or(0), 0, 366L * 24 * 3600);
  std::string message =
      fmt::format("stuck Terminating for {}: deleted at {} with a grace period of {}s; {}",
                  wording::span(c.of.facts.now() - *pod.meta.deleted),
                  format_utc(*pod.meta.deleted - std::chrono::seconds(grace)), grace, hold.text);
  if (makes_way(c)) {
    message +=
        "; no new pod is created on the node until then, and it counts as unavailable in a "
        "rolling update";
  }
  const bool finalizers = hold.group.starts_with("finalizers");
  const bool node = hold.group == "unreachable" || hold.group == "not ready";
  Finding finding = make_said_finding(
      finding::PodTerminatingStuck{.it_waits_for_finalizers = finalizers,
                                   .the_kubelet_is_slow = !node && !finalizers,
                                   .the_node_is_out = node},
      std::move(message),
      {pod_field(pod, fmt::format("metadata.deletionTimestamp: {}", format_utc(*pod.meta.deleted))),
       hold.evidence},
      names_of(c, pod.meta.name));
  finding.group = hold.group;
  finding.overdue_since = pod.meta.deleted;
  findings.push_back(std::move(finding));
}

// ---- more than one

/// The one to delete: where a single one is left, the controller keeps it. One that does not work
/// is to go; else one that the controller did not make, be it older or not.
const model::Pod* spare_of(const std::vector<const model::Pod*>& live) {
  const auto order = [](const model::Pod* pod) {
    return std::pair(is_ready(*pod), pod->meta.controller.has_value());
  };
  // Of several alike the last.
  return *std::min_element(live.rbegin(), live.rend(),
                           [&](const auto* a, const auto* b) { return order(a) < order(b); });
}

void add_duplicates(const NodeCase& c, std::vector<Finding>& findings) {
  std::vector<const model::Pod*> live;
  std::ranges::copy_if(c.pods, std::back_inserter(live), [](const auto* p) { return is_live(*p); });
  if (live.size() < 2 || (is_surge(c.of.ds) && is_surge_pair(live))) return;
  std::vector<std::string> texts;
  bool fresh = false;
  const model::Pod* spare = spare_of(live);
  for (const model::Pod* pod : live) {
    const std::string_view revision = revision_hash(*pod);
    texts.push_back(fmt::format("{} ({}revision {}{})", pod->meta.name.view(),
                                pod->meta.controller ? "" : "without an owner, ",
                                revision.empty() ? "unknown" : revision,
                                since_text(pod->meta.created)));
    fresh |= is_younger(pod->meta.created, duplicates_may_last, c.of.facts.now());
  }
  Finding finding = make_said_finding(
      FindingId::PodDuplicate,
      fmt::format("{} pods on one node: {}; the controller keeps the oldest bound pod{}",
                  live.size(), fmt::join(texts, ", "),
                  c.of.report.surges ? " of the old and of the new template" : ""),
      {pod_field(*live[0], "spec.nodeName"), pod_field(*live[1], "spec.nodeName")},
      names_of(c, spare->meta.name));
  finding.group = std::to_string(live.size());
  if (fresh) {
    finding.severity = Severity::Info;
    finding.transient = true;
  }
  findings.push_back(std::move(finding));
}

// ---- beside a static pod

/// The first of `wanted` that the pod holds as well; null where it holds none.
const scheduling::HostPort* port_held_by(const model::Pod& pod,
                                         const std::vector<scheduling::HostPort>& wanted) {
  const auto held = scheduling::admitted_host_ports(*pod.spec, pod.host_network);
  const auto at = std::ranges::find_if(wanted, [&](const scheduling::HostPort& mine) {
    return std::ranges::any_of(held, [&](const auto& other) { return conflict(mine, other); });
  });
  return at == wanted.end() ? nullptr : &*at;
}

/// The first of the pod's images that the template has, too; empty where there is none.
std::string_view image_shared_with(const model::PodSpec& of_template, const model::Pod& pod) {
  for (const model::Container& container : pod.spec->containers) {
    const auto same = [&](const auto& mine) { return mine.image == container.image; };
    if (!container.image.empty() && std::ranges::any_of(of_template.containers, same)) {
      return container.image;
    }
  }
  return {};
}

void add_static_shadow(const NodeCase& c, std::vector<Finding>& findings) {
  const model::PodTemplate& wanted = c.of.ds.pod_template;
  const auto ports = scheduling::admitted_host_ports(wanted.spec, wanted.host_network);
  for (const model::Pod* pod : c.of.facts.pods_on(c.node.meta.name)) {
    if (!pod->mirror) continue;
    const std::string_view image = image_shared_with(wanted.spec, *pod);
    // Of a port that keeps the pod off its node the scheduler's filter tells.
    const bool told = c.report.verdict() == NodeVerdict::Pending;
    const scheduling::HostPort* port = told ? nullptr : port_held_by(*pod, ports);
    if (image.empty() && port == nullptr) continue;
    Finding finding = make_said_finding(
        FindingId::PodStaticShadow,
        fmt::format("static pod {}/{} of the node {}", pod->meta.ns.view(), pod->meta.name.view(),
                    !image.empty() ? fmt::format("runs the same image {}", image)
                                   : fmt::format("holds host port {}/{}, which these pods need",
                                                 port->port, port->protocol.view())),
        {pod_field(*pod, "metadata.annotations[kubernetes.io/config.mirror]")}, names_of(c));
    finding.standing = Standing::Context;
    finding.group = image.empty() ? fmt::format("{}/{}", port->port, port->protocol.view())
                                  : std::string(image);
    findings.push_back(std::move(finding));
  }
}

// ---- disrupted, completed

std::string_view disruption_text(std::string_view reason) {
  if (reason == "EvictionByEvictionAPI")
    return "evicted (EvictionByEvictionAPI): a drain, a descheduler or an autoscaler";
  if (reason == "DeletionByTaintManager")
    return "deleted by the taint controller because of a NoExecute taint";
  if (reason == "DeletionByPodGC")
    return "deleted by the pod garbage collector: its node was deleted";
  if (reason == "PreemptionByScheduler")
    return "preempted by the scheduler for a pod of higher priority";
  if (reason == "TerminationByKubelet")
    return "terminated by the kubelet: pressure, shutdown or a critical pod";
  return "disrupted";
}

bool add_disruption_of(const NodeCase& c, const model::Pod& pod, std::vector<Finding>& findings) {
  const auto target = model::find_condition(pod.conditions, "DisruptionTarget");
  if (target == nullptr || target->status != "True") return false;
  if (!is_younger(target->last_transition, threshold::events, c.of.facts.now())) return false;
  const std::string said = excerpt(target->message);
  Finding finding = make_said_finding(
      FindingId::PodDisrupted,
      fmt::format("a pod was {}{}{}", disruption_text(target->reason), said.empty() ? "" : ": ",
                  said),
      {pod_field(pod, fmt::format("status.conditions[DisruptionTarget]: {} {}",
                                  target->reason.view(), format_utc(*target->last_transition)))});
  finding.standing = Standing::Context;
  finding.group = target->reason.str();
  findings.push_back(std::move(finding));
  return true;
}

/// Victims that are gone: the scheduler's event names their node.
void add_preempted(const NodeCase& c, std::vector<Finding>& findings) {
  const Facts::Events& events = c.of.events.preemptions_on(c.node.meta.name);
  if (events.empty()) return;
  const model::Event& last = *events.back();
  if (!is_younger(last_seen(last), threshold::events, c.of.facts.now())) return;
  Finding finding = make_said_finding(
      FindingId::PodDisrupted, "a pod was preempted by the scheduler for a pod of higher priority",
      {event_evidence(last)});
  finding.standing = Standing::Context;
  finding.group = "PreemptionByScheduler";
  findings.push_back(std::move(finding));
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
  const bool replaced = c.of.behaviour.replaces_succeeded_pods;
  findings.push_back(make_said_finding(
      FindingId::PodCompleted,
      fmt::format("Completed: all containers of the pod exited with code 0; {}",
                  replaced ? "the controller deletes it and creates another"
                           : "the controller of this Kubernetes version does not replace it"),
      {pod_field(pod, "status.phase: Succeeded")}, names_of(c, pod.meta.name)));
}

/// Ended pods that the controller has deleted already: its own event names the node.
void add_completed_before(const NodeCase& c, std::vector<Finding>& findings) {
  const model::DaemonSet& ds = c.of.ds;
  const std::string words =
      fmt::format(" on node {}, will try to delete it", c.node.meta.name.view());
  for (const model::Event* event : c.of.events.own_on(c.node.meta.name)) {
    if (event->reason != "SucceededDaemonPod" ||
        !is_younger(last_seen(*event), threshold::events, c.of.facts.now()) ||
        event->message.view().find(words) == std::string_view::npos) {
      continue;
    }
    findings.push_back(make_said_finding(FindingId::PodCompleted,
                                    "Completed: all containers exited with code 0, and the "
                                    "controller deleted the pod to create another",
                                    {event_evidence(*event)},
                                    {.ns = ds.meta.ns, .ds = ds.meta.name}));
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
  append(findings, refused_pod_findings(c));
  add_preempted(c, findings);
  add_completed_before(c, findings);
  return findings;
}

std::vector<Finding> pod_set_findings(const NodeCase& c) {
  std::vector<Finding> findings;
  if (c.pods.empty()) return findings;
  append(findings, eviction_loop_findings(c));
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
  if (c.report.verdict() != NodeVerdict::Running) add_static_shadow(c, findings);
  return findings;
}

}  // namespace dsdoctor::diagnosis
