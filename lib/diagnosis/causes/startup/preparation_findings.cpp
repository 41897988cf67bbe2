// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/startup/preparation_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/startup.h"
#include "diagnosis/causes/providers/absent_provider.h"
#include "diagnosis/causes/startup/failure_text.h"
#include "diagnosis/causes/startup/image_reference.h"
#include "diagnosis/causes/startup/volume_findings.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/taints/taint_knowledge.h"

namespace dsdoctor::diagnosis {
namespace {

/// Whether no container has reached the pull of its image yet.
bool is_being_prepared(const model::Pod& pod) {
  if (pod.phase != "Pending") return false;
  const auto is_waiting = [](const model::ContainerStatus& s) { return waits_for_pod(s); };
  return std::ranges::all_of(pod.statuses, is_waiting) &&
         std::ranges::all_of(pod.init_statuses, is_waiting);
}

/// True if no container runs or fails by itself: the kubelet has to prepare the pod, for the first
/// time or again after the node restarted (the phase stays Running then).
bool is_at_rest(const model::Pod& pod) {
  if (pod.phase != "Pending" && pod.phase != "Running") return false;
  const auto rests = [](const model::ContainerStatus& s) {
    return waits_for_pod(s) || s.terminated;
  };
  return std::ranges::all_of(pod.statuses, rests) && std::ranges::all_of(pod.init_statuses, rests);
}

/// Events after the last exit of a container; they are about the pod's current wait.
Facts::Events events_at_rest(const model::Pod& pod, const Facts::Events& events) {
  model::OptionalTime end;
  for (const auto* statuses : {&pod.init_statuses, &pod.statuses}) {
    for (const model::ContainerStatus& status : *statuses) {
      if (status.terminated) end = std::max(end, status.terminated->finished);
      if (status.last_terminated) end = std::max(end, status.last_terminated->finished);
    }
  }
  Facts::Events result;
  std::ranges::copy_if(events, std::back_inserter(result),
                       [&](const model::Event* event) { return !end || last_seen(*event) > *end; });
  return result;
}

Finding event_finding(const NodeCase& c, const model::Pod& pod, const FindingKind& kind,
                      const model::Event& event) {
  return make_finding(kind, {event_evidence(event)}, names_of(c, pod.meta.name));
}

finding::Sandbox sandbox_kind(const Meaning<SandboxFailure>& meaning, const model::Event& event) {
  using enum SandboxFailure;
  const SandboxFailure failure = meaning.failure;
  const bool is_of_node = failure != Port && failure != SandboxFailure::Other;
  return {.a_host_port_is_taken = failure == Port,
          .a_plugin_is_missing = failure == Binary,
          .cause = meaning.cause(),
          .no_address_is_free = failure == Addresses,
          .root = is_of_node ? "Node" : "",
          .said = error_excerpt(event.message),
          .the_cgroup_drivers_differ = failure == CgroupDriver,
          .the_disk_is_full = failure == SandboxFailure::Disk,
          .the_image_cannot_be_pulled = failure == Image,
          .the_network_plugin_fails = failure == SandboxFailure::Network || failure == Agent,
          .the_runtime_is_slow = failure == SandboxFailure::Slow || failure == Name,
          .the_runtime_lacks_the_handler = failure == Handler};
}

void add_sandbox(const NodeCase& c, const model::Pod& pod, const Facts::Events& events,
                 std::vector<Finding>& findings) {
  const TextList progress = {"Pulling", "Pulled", "Created", "Started"};
  if (const model::Event* event = unresolved(events, {"FailedCreatePodSandBox"}, progress)) {
    const Meaning<SandboxFailure> meaning = meaning_for_sandbox(event->message);
    Finding finding = event_finding(c, pod, sandbox_kind(meaning, *event), *event);
    finding.group = sandbox_group(meaning, event->message);
    findings.push_back(std::move(finding));
  }
  if (pod.host_network) return;
  if (const model::Event* event = unresolved(events, {"NetworkNotReady"}, progress)) {
    findings.push_back(event_finding(
        c, pod, finding::NetworkNotReady{.said = error_excerpt(event->message)}, *event));
  }
}

void add_devices(const NodeCase& c, const model::Pod& pod, const Facts::Events& events,
                 std::vector<Finding>& findings) {
  const model::Event* event =
      unresolved(events, {"FailedPrepareDynamicResources"},
                 {"FailedCreatePodSandBox", "Pulling", "Pulled", "Created", "Started"});
  if (event == nullptr) return;
  std::vector<std::string> claims;
  for (const model::PodResourceClaim& claim : pod.spec->resource_claims)
    claims.emplace_back(claim.name);
  Finding finding = event_finding(
      c, pod,
      finding::DraPrepare{
          .claims = claims, .it_is_one = claims.size() == 1, .said = error_excerpt(event->message)},
      *event);
  finding.group = fmt::format("{}", fmt::join(claims, ","));
  findings.push_back(std::move(finding));
}

bool is_about_image(const model::Event& event, const model::Pod& pod,
                    const model::Container& container) {
  const auto quoted = quoted_image(event.message);
  if (!quoted || !is_same_image(*quoted, container.image)) return false;
  return event.field_path.empty() || is_of_container(event, pod, container.name);
}

/// True if pods of other DaemonSets are also starting on the node: it is new or slow, and the cause
/// is the node's.
bool starts_with_others(const NodeCase& c, const model::Pod& pod) {
  const auto is_other = [&](const model::Pod* other) {
    const auto& owner = other->meta.controller;
    return owner && model::is_daemon_set(*owner) && is_being_prepared(*other) &&
           (other->meta.ns != pod.meta.ns || owner->name != c.of.ds.meta.name);
  };
  return std::ranges::any_of(c.of.facts.pods_on(c.node.meta.name), is_other);
}

/// Adds a finding if the newest event about an image is that it is being pulled.
void add_pulling(const NodeCase& c, const model::Pod& pod, const model::Container& container,
                 const Facts::Events& events, std::vector<Finding>& findings) {
  if (container.image.empty()) return;
  const model::Event* pulling = nullptr;
  for (const model::Event* event : events) {
    if (!is_about_image(*event, pod, container)) continue;
    if (event->reason == "Pulling") pulling = event;
    if (event->reason == "Pulled" || event->reason == "Failed" || event->reason == "BackOff") {
      pulling = nullptr;
    }
  }
  if (pulling == nullptr) return;
  const model::Time since = last_seen(*pulling);
  Finding finding = event_finding(
      c, pod,
      finding::ImagePulling{.began = since, .container = container.name, .image = container.image},
      *pulling);
  if (starts_with_others(c, pod)) {
    finding.root = "Node";
  } else {
    finding.group = container.image.str();
  }
  finding.transient = !is_older(since, threshold::creating, c.of.facts.now());
  if (!finding.transient) {
    finding.severity = Severity::Warning;
    finding.overdue_since = since + threshold::creating;
  }
  findings.push_back(std::move(finding));
}

/// The newest kubelet warning that matters to a start, that no other finding uses and that the pod
/// has not got past.
const model::Event* unread_warning(const Facts::Events& events) {
  const TextList read = {"FailedScheduling",
                         "FailedMount",
                         "FailedAttachVolume",
                         "FailedMapVolume",
                         "FailedCreatePodSandBox",
                         "NetworkNotReady",
                         "FailedPrepareDynamicResources",
                         "FailedToRetrieveImagePullSecret",
                         "MissingClusterDNS",
                         "DNSConfigForming"};
  const model::Event* warning = nullptr;
  for (const model::Event* event : events) {
    if (event->type != "Warning" || is_one_of(event->reason, read)) continue;
    if (!event->component.empty() && event->component != "kubelet") continue;
    if (warning == nullptr || last_seen(*event) >= last_seen(*warning)) warning = event;
  }
  if (warning == nullptr) return nullptr;
  const model::Event* further = newest(events, {"Pulling", "Pulled", "Created", "Started"});
  const bool past = further != nullptr && last_seen(*further) > last_seen(*warning);
  return past ? nullptr : warning;
}

/// Possible causes for a pod that does not progress, if no other finding explains it.
struct Slowness {
  const model::Event* warning = nullptr;
  model::Found<model::Condition> sandbox = {};  // used if no event warns
  bool knows_events = true;

  [[nodiscard]] bool is_up() const { return sandbox != nullptr && sandbox->status == "True"; }
  [[nodiscard]] std::string group() const {
    if (warning != nullptr) return warning->reason.str();
    if (sandbox == nullptr) return {};
    return is_up() ? "containers" : "sandbox";
  }
};

Slowness slowness_of(const NodeCase& c, const model::Pod& pod, const Facts::Events& events) {
  Slowness result{.warning = unread_warning(events),
                  .knows_events = c.of.facts.cluster().known.events};
  if (result.warning == nullptr) {
    result.sandbox = model::find_condition(pod.conditions, "PodReadyToStartContainers");
  }
  return result;
}

finding::CreatingSlow slow_kind(const Slowness& slowness, bool overdue,
                                const std::optional<model::Time::duration>& waits) {
  const model::Event* warning = slowness.warning;
  return {.events_are_missing = warning == nullptr && !slowness.knows_events,
          .it_is_overdue = overdue,
          .no_event_tells = warning == nullptr && slowness.knows_events,
          .said = warning == nullptr ? std::string() : error_excerpt(warning->message),
          .the_sandbox_is_missing = slowness.sandbox != nullptr && !slowness.is_up(),
          .the_sandbox_is_ready = slowness.is_up(),
          .waits = waits,
          .warning = warning == nullptr ? std::string_view() : warning->reason.view()};
}

/// `waiting`: status of a waiting container; null if no container has a status.
std::vector<Evidence> slow_evidence(const model::Pod& pod,
                                    const model::Found<model::ContainerStatus>& waiting,
                                    const Slowness& slowness) {
  std::vector<Evidence> evidence;
  if (waiting == nullptr) {
    evidence.emplace_back(ref_of(pod), "status.containerStatuses");
  } else {
    evidence.push_back(waiting_evidence(pod, *waiting));
  }
  if (slowness.warning != nullptr) evidence.push_back(event_evidence(*slowness.warning));
  if (slowness.sandbox != nullptr) {
    evidence.push_back(
        condition_evidence(pod, slowness.sandbox->type, "status", slowness.sandbox->status));
  }
  return evidence;
}

void add_slow(const NodeCase& c, const model::Pod& pod, const Facts::Events& events,
              std::vector<Finding>& findings) {
  const auto waiting = pod.statuses.find_first(waits_for_pod);
  if (!is_being_prepared(pod) && waiting == nullptr) return;
  const model::Time now = c.of.facts.now();
  const model::OptionalTime since =
      waiting == nullptr ? pod.start_time : to_be_started_since(pod, *waiting);
  const bool overdue = is_older(since, threshold::creating, now);
  const auto waits = since ? std::optional(now - *since) : std::nullopt;
  const Slowness slowness = slowness_of(c, pod, events);
  Finding finding = make_finding(slow_kind(slowness, overdue, waits),
                                 slow_evidence(pod, waiting, slowness), names_of(c, pod.meta.name));
  finding.group = slowness.group();
  if (starts_with_others(c, pod)) finding.root = "Node";
  if (overdue) {
    finding.overdue_since = *since + threshold::creating;
  } else {
    finding.severity = Severity::Info;
    finding.transient = true;
  }
  findings.push_back(std::move(finding));
}

/// Lowers the severity: a failure shortly after the start of a pod or its node is retried.
void settle(Finding& finding) {
  finding.severity = Severity::Info;
  finding.transient = true;
}

/// True if the pod has just started, or if its problems began with the node or the node's restart.
bool may_settle(const NodeCase& c, const model::Pod& pod, const Facts::Events& events) {
  const TextList troubles = {"FailedMount", "FailedAttachVolume", "FailedMapVolume",
                             "FailedCreatePodSandBox", "NetworkNotReady"};
  const model::Time now = c.of.facts.now();
  if (is_younger(pod.start_time, threshold::preparing, now)) return true;
  return is_new(c.node, now) && std::ranges::none_of(events, [&](const model::Event* event) {
           const model::Time first = event->first.value_or(last_seen(*event));
           return is_one_of(event->reason, troubles) && now - first >= threshold::new_node;
         });
}

}  // namespace

bool waits_for_pod(const model::ContainerStatus& status) {
  return status.waiting &&
         (status.waiting->reason.empty() || status.waiting->reason == "ContainerCreating" ||
          status.waiting->reason == "PodInitializing");
}

std::vector<Finding> preparation_findings(const NodeCase& c, const model::Pod& pod,
                                          const Facts::Events& all) {
  std::vector<Finding> findings;
  if (!is_at_rest(pod)) return findings;
  const Facts::Events events = events_at_rest(pod, all);
  if (auto absent = absent_provider_of(c, pod)) {
    findings.push_back(std::move(*absent));
  } else {
    if (auto volume = volume_finding(c, pod, events)) findings.push_back(std::move(*volume));
    add_sandbox(c, pod, events, findings);
  }
  if (may_settle(c, pod, events)) std::ranges::for_each(findings, settle);
  add_devices(c, pod, events, findings);
  return findings;
}

std::vector<Finding> waiting_findings(const NodeCase& c, const model::Pod& pod,
                                      const std::vector<model::Container>& containers,
                                      const Facts::Events& events) {
  std::vector<Finding> findings;
  for (const model::Container& container : containers) {
    add_pulling(c, pod, container, events, findings);
  }
  if (findings.empty()) add_slow(c, pod, events, findings);
  return findings;
}

}  // namespace dsdoctor::diagnosis
