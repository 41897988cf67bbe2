#include "diagnosis/pod_findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnosis/catalogue.h"
#include "diagnosis/eviction_loop.h"
#include "diagnosis/kubelet_findings.h"
#include "diagnosis/pod_signs.h"
#include "diagnosis/readiness_findings.h"
#include "diagnosis/startup_findings.h"
#include "diagnosis/taint_catalogue.h"
#include "diagnosis/taint_knowledge.h"

namespace dsdoctor::diagnosis {
namespace {

using namespace std::chrono_literals;

constexpr auto duplicates_may_last = 60s;

bool is_live(const model::Pod* pod) { return !is_terminating(*pod) && !is_terminal(*pod); }

// ---- terminating

/// Why a deletion does not finish: a clause and what it rests on.
struct Hold {
  std::string text;
  std::string evidence;
  std::string group;
};

Hold hold_of(const NodeCase& c, const model::Pod& pod) {
  const model::Condition* ready = model::find_condition(c.node.conditions, "Ready");
  if (ready != nullptr && ready->status == "Unknown") {
    return {"the node is unreachable, so its kubelet cannot confirm it",
            fmt::format("Node/{} status.conditions[Ready]: Unknown", c.node.meta.name.view()),
            "unreachable"};
  }
  if (!pod.meta.finalizers.empty()) {
    const std::vector<std::string_view> names(pod.meta.finalizers.begin(),
                                              pod.meta.finalizers.end());
    const std::string list = excerpt(fmt::format("{}", fmt::join(names, ", ")));
    return {fmt::format("it waits for finalizer{} {}", names.size() == 1 ? "" : "s", list),
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
  return {
      "the kubelet has not confirmed it, and no event says why: processes that do not end, or "
      "volumes in use",
      pod_field(pod, "metadata.deletionTimestamp"), "kubelet"};
}

void add_stuck(const NodeCase& c, const model::Pod& pod, std::vector<Finding>& findings) {
  if (!is_older(pod.meta.deleted, threshold::terminating, c.of.facts.now())) return;
  const Hold hold = hold_of(c, pod);
  // The API server sets deletionTimestamp to the end of the grace period. More than a year of it
  // is no grace period.
  const std::int64_t grace =
      std::clamp<std::int64_t>(pod.meta.grace_seconds.value_or(0), 0, 366L * 24 * 3600);
  std::string message =
      fmt::format("the pod was asked to end at {}, should have been gone at {}, and is not: {}",
                  format_utc(*pod.meta.deleted - std::chrono::seconds(grace)),
                  format_utc(*pod.meta.deleted), hold.text);
  message += is_surge(c.of.ds) ? "; it uses up part of the rollout's budget"
                               : "; until then no new pod is created here, and it uses up part of "
                                 "the rollout's budget";
  const bool finalizers = hold.group.starts_with("finalizers");
  const bool node = hold.group == "unreachable" || hold.group == "not ready";
  Finding finding = make_finding(
      "pod-terminating-stuck", std::move(message),
      {pod_field(pod, fmt::format("metadata.deletionTimestamp: {}", format_utc(*pod.meta.deleted))),
       hold.evidence},
      {{"ns", c.of.ds.meta.ns},
       {"pod", pod.meta.name},
       {"held", finalizers ? pod.meta.name.view() : std::string_view()},
       {"node", node ? c.node.meta.name.view() : std::string_view()},
       {"host", node || finalizers ? std::string_view() : c.node.meta.name.view()}});
  finding.group = hold.group;
  findings.push_back(std::move(finding));
}

// ---- more than one

std::string_view revision_of(const model::Pod& pod) {
  const model::Text* hash = pod.meta.labels.find("controller-revision-hash");
  return hash == nullptr ? std::string_view("unknown") : hash->view();
}

/// Two of which one is of another revision than the other, as surge makes them.
bool is_surge_pair(const NodeCase& c, const std::vector<const model::Pod*>& live) {
  return is_surge(c.of.ds) && live.size() == 2 && revision_of(*live[0]) != revision_of(*live[1]);
}

void add_duplicates(const NodeCase& c, std::vector<Finding>& findings) {
  std::vector<const model::Pod*> live;
  std::ranges::copy_if(c.pods, std::back_inserter(live), is_live);
  if (live.size() < 2 || is_surge_pair(c, live)) return;
  std::vector<std::string> texts;
  bool fresh = false;
  const model::Pod* spare = live.back();
  for (const model::Pod* pod : live) {
    // One that the controller did not make is the one to go, be it older or not.
    if (!pod->meta.controller) spare = pod;
    texts.push_back(fmt::format("{} ({}revision {}{})", pod->meta.name.view(),
                                pod->meta.controller ? "" : "without an owner, ", revision_of(*pod),
                                since_text(pod->meta.created)));
    fresh |= is_younger(pod->meta.created, duplicates_may_last, c.of.facts.now());
  }
  Finding finding = make_finding(
      "pod-duplicate",
      fmt::format("{} live pods on one node: {}; the controller keeps the oldest bound one",
                  live.size(), fmt::join(texts, ", ")),
      {pod_field(*live[0], "spec.nodeName"), pod_field(*live[1], "spec.nodeName")},
      {{"ns", c.of.ds.meta.ns}, {"pod", spare->meta.name}});
  finding.group = std::to_string(live.size());
  if (fresh) {
    finding.severity = Severity::Info;
    finding.transient = true;
  }
  findings.push_back(std::move(finding));
}

// ---- beside a static pod

void add_static_shadow(const NodeCase& c, std::vector<Finding>& findings) {
  const model::PodTemplate& wanted = c.of.ds.pod_template;
  const auto same_image = [&](const model::Container& container) {
    return !container.image.empty() &&
           std::ranges::any_of(wanted.spec.containers,
                               [&](const auto& mine) { return mine.image == container.image; });
  };
  const auto port_of = [](const model::ContainerPort& port, bool host_network) {
    return port.host_port > 0 ? port.host_port : (host_network ? port.container_port : 0);
  };
  const auto same_port = [&](const model::Container& container, bool host_network) {
    for (const model::ContainerPort& held : container.ports) {
      const std::int64_t port = port_of(held, host_network);
      if (port <= 0) continue;
      for (const model::Container& mine : wanted.spec.containers) {
        const auto is_it = [&](const model::ContainerPort& p) {
          return port_of(p, wanted.host_network) == port;
        };
        if (std::ranges::any_of(mine.ports, is_it)) return port;
      }
    }
    return std::int64_t{0};
  };
  for (const model::Pod* pod : c.of.facts.pods_on(c.node.meta.name)) {
    if (!pod->mirror) continue;
    for (const model::Container& container : pod->spec->containers) {
      const bool image = same_image(container);
      const std::int64_t port = same_port(container, pod->host_network);
      // Of a port that keeps the pod off its node the scheduler's filter tells.
      if (!image && (port == 0 || c.report.verdict == NodeVerdict::Pending)) continue;
      Finding finding = make_finding(
          "pod-static-shadow",
          fmt::format("static pod {}/{} of the node's own manifests {}", pod->meta.ns.view(),
                      pod->meta.name.view(),
                      image ? fmt::format("runs the same image {}", container.image.view())
                            : fmt::format("holds port {}, which these pods want", port)),
          {pod_field(*pod, "metadata.annotations[kubernetes.io/config.mirror]")},
          {{"node", c.node.meta.name}});
      finding.standing = Standing::Context;
      finding.group = image ? container.image.str() : std::to_string(port);
      findings.push_back(std::move(finding));
      break;
    }
  }
}

// ---- not wanted there

void add_misscheduled(const NodeCase& c, const model::Pod& pod, std::vector<Finding>& findings) {
  std::vector<std::string> texts;
  std::vector<std::string> evidence;
  std::string group;
  bool leaving = c.node.meta.deleted.has_value();
  for (const placement::Reason& reason : c.report.reasons) {
    const auto* open = std::get_if<placement::UntoleratedTaint>(&reason);
    if (open == nullptr) continue;
    const model::Taint& taint = open->taint;
    texts.push_back(fmt::format("{}:{}{}", taint.key.view(), taint.effect.view(),
                                since_text(tainted_since(taint))));
    evidence.push_back(
        fmt::format("Node/{} spec.taints[{}]", c.node.meta.name.view(), open->index));
    group += fmt::format("|{}:{}", taint.key.view(), taint.effect.view());
    const model::KnownTaint* known = c.of.taints->find(taint, c.node.meta.labels);
    leaving |= known != nullptr && known->lifecycle == model::TaintLifecycle::Leaving;
  }
  if (texts.empty()) return;
  Finding finding = make_finding(
      "pod-misscheduled",
      is_bound(pod)
          ? fmt::format("the pod runs here{}, but is not wanted any more: taint {}; NoSchedule "
                        "turns new pods away and lets present ones run",
                        since_text(pod.start_time ? pod.start_time : pod.meta.created),
                        fmt::join(texts, ", "))
          : fmt::format("the pod has waited for this node{}, which does not want it any more: "
                        "taint {}; the scheduler does not bind it, and the controller leaves it",
                        since_text(pod.meta.created), fmt::join(texts, ", ")),
      std::move(evidence), {{"ns", c.of.ds.meta.ns}, {"pod", pod.meta.name}});
  finding.group = std::move(group);
  if (leaving) {
    finding.severity = Severity::Info;
    finding.transient = true;
  }
  findings.push_back(std::move(finding));
}

/// The newest change that can have made the node unwanted; absent where none is known.
std::optional<model::Time> unwanted_since(const NodeCase& c) {
  std::optional<model::Time> result;
  const auto consider = [&](const std::optional<model::Time>& moment) {
    if (moment && (!result || *moment > *result)) result = moment;
  };
  for (const model::Taint& taint : c.node.taints) {
    if (taint.effect == model::effect::no_execute) consider(taint.time_added);
  }
  for (const model::FieldManager& manager : c.node.meta.managers) {
    if (manager.taints || !manager.labels.empty()) consider(manager.time);
  }
  for (const model::FieldManager& manager : c.of.ds.meta.managers) {
    if (manager.spec) consider(manager.time);
  }
  return result;
}

void add_doomed(const NodeCase& c, const model::Pod& pod, std::vector<Finding>& findings) {
  const model::Time now = c.of.facts.now();
  const auto changed = unwanted_since(c);
  const bool fresh = is_younger(changed, threshold::missing, now) ||
                     is_younger(pod.meta.created, threshold::missing, now) ||
                     is_younger(c.node.meta.created, threshold::missing, now);
  Finding finding = make_finding(
      "pod-doomed-not-removed",
      fmt::format("the pod should have been deleted: the node's selector, affinity or NoExecute "
                  "taints rule it out{}",
                  changed ? fmt::format(", at the latest since {}", format_utc(*changed))
                          : std::string(", since when cannot be told")),
      {pod_field(pod, "metadata.deletionTimestamp: absent"), "the reasons of the node"},
      {{"ns", c.of.ds.meta.ns}, {"pod", pod.meta.name}});
  if (fresh) {
    finding.severity = Severity::Info;
    finding.transient = true;
  } else if (!changed) {
    finding.severity = Severity::Warning;  // this may be the moment before the controller acts
    finding.basis = Basis::Suspected;
  }
  findings.push_back(std::move(finding));
}

// ---- disrupted, completed

std::string_view disruption_text(std::string_view reason) {
  if (reason == "EvictionByEvictionAPI")
    return "evicted through the API: a drain, a descheduler or an autoscaler";
  if (reason == "DeletionByTaintManager")
    return "deleted by the taint controller: a NoExecute taint";
  if (reason == "DeletionByPodGC") return "deleted by the pod garbage collector: its node was gone";
  if (reason == "PreemptionByScheduler")
    return "preempted by the scheduler for a pod of higher priority";
  if (reason == "TerminationByKubelet")
    return "ended by the kubelet: pressure, shutdown or a critical pod";
  return "disrupted";
}

bool add_disruption_of(const NodeCase& c, const model::Pod& pod, std::vector<Finding>& findings) {
  const model::Condition* target = model::find_condition(pod.conditions, "DisruptionTarget");
  if (target == nullptr || target->status != "True") return false;
  if (!is_younger(target->last_transition, threshold::events, c.of.facts.now())) return false;
  const std::string said = excerpt(target->message);
  Finding finding = make_finding(
      "pod-disrupted",
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
  Finding finding = make_finding(
      "pod-disrupted", "a pod was preempted by the scheduler for a pod of higher priority",
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
  findings.push_back(make_finding(
      "pod-completed",
      fmt::format("all containers of the pod ended with exit code 0; {}",
                  replaced ? "the controller deletes it and creates another"
                           : "this release's controller leaves it, and the node without a pod"),
      {pod_field(pod, "status.phase: Succeeded")},
      {{"ns", c.of.ds.meta.ns}, {"ds", c.of.ds.meta.name}, {"pod", pod.meta.name}}));
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
    findings.push_back(make_finding("pod-completed",
                                    "its containers ended with exit code 0, and the controller "
                                    "deleted the pod to create another",
                                    {event_evidence(*event)},
                                    {{"ns", ds.meta.ns}, {"ds", ds.meta.name}}));
    return;
  }
}

void append(std::vector<Finding>& to, std::vector<Finding> from) {
  std::ranges::move(from, std::back_inserter(to));
}

}  // namespace

std::vector<Finding> bound_pod_findings(const NodeCase& c, const model::Pod& pod) {
  if (!is_bound(pod) || is_terminating(pod) || pod.phase == "Succeeded") return {};
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
    if (is_terminating(*pod)) continue;
    if (pod->phase == "Succeeded") add_completed(c, *pod, findings);
    if (c.report.verdict == NodeVerdict::Misscheduled) add_misscheduled(c, *pod, findings);
    if (c.report.verdict == NodeVerdict::Removing) add_doomed(c, *pod, findings);
  }
  if (!disrupted && c.report.verdict != NodeVerdict::Running) add_preempted(c, findings);
  if (c.report.verdict != NodeVerdict::Running) add_static_shadow(c, findings);
  return findings;
}

}  // namespace dsdoctor::diagnosis
