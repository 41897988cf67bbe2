#include "diagnosis/causes/startup/startup_findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/time.h"
#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/causes/startup/container_findings.h"
#include "diagnosis/causes/startup/failure_text.h"
#include "diagnosis/causes/startup/image_findings.h"
#include "diagnosis/causes/startup/image_reference.h"
#include "diagnosis/causes/startup/volume_findings.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/taints/taint_knowledge.h"

namespace dsdoctor::diagnosis {
namespace {

using namespace std::chrono_literals;

constexpr auto preparation_may_take = 60s;

/// Waits for what the whole pod waits for, not for anything of its own.
bool waits_for_pod(const model::ContainerStatus& status) {
  return status.waiting &&
         (status.waiting->reason.empty() || status.waiting->reason == "ContainerCreating" ||
          status.waiting->reason == "PodInitializing");
}

bool is_sidecar(const model::Container& container) { return container.restart_policy == "Always"; }

bool is_done(const model::Container& container, const model::ContainerStatus& status) {
  if (is_sidecar(container)) return status.running && status.started.value_or(false);
  return status.terminated && status.terminated->exit_code == 0;
}

struct Blocker {
  std::size_t index = 0;
  const model::Container* container = nullptr;
  model::Found<model::ContainerStatus> status = {};
};

/// The first init container that is not done; absent where all are, or nothing is known of it.
std::optional<Blocker> first_unfinished(const model::Pod& pod) {
  const auto& containers = pod.spec->init_containers;
  const auto initialized = model::find_condition(pod.conditions, "Initialized");
  if (initialized != nullptr && initialized->status == "True") return std::nullopt;
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const auto status = model::find_status(pod.init_statuses, containers[i].name);
    if (status == nullptr) return std::nullopt;
    if (!is_done(containers[i], *status)) return Blocker{i, &containers[i], status};
  }
  return std::nullopt;
}

std::string state_text(const model::ContainerStatus& status) {
  if (status.waiting) {
    std::string result = fmt::format("waiting ({})", status.waiting->reason.view());
    if (status.last_terminated) result += ", " + exit_text(*status.last_terminated);
    return result;
  }
  if (status.terminated) return "ended with " + exit_text(*status.terminated);
  return "running" + since_text(status.running_since);
}

/// As kubectl prints it: "Init:CrashLoopBackOff", "Init:1/2".
std::string init_status(const model::Pod& pod, const Blocker& blocker) {
  const model::ContainerStatus& status = *blocker.status;
  if (status.waiting) return fmt::format("Init:{}", status.waiting->reason.view());
  if (!status.terminated) {
    return fmt::format("Init:{}/{}", blocker.index, pod.spec->init_containers.size());
  }
  const model::TerminatedState& end = *status.terminated;
  return end.reason.empty() ? fmt::format("Init:ExitCode:{}", end.exit_code)
                            : fmt::format("Init:{}", end.reason.view());
}

/// What ails an init container is fixed, and passes, like in any other container.
void follow(Finding& blocked, const Finding& cause) {
  blocked.fix = cause.fix;
  blocked.overdue_since = cause.overdue_since;
  if (!cause.transient) return;
  blocked.severity = cause.severity;
  blocked.transient = true;
}

std::optional<Finding> init_finding(const NodeCase& c, const model::Pod& pod,
                                    const Blocker& blocker) {
  const model::ContainerStatus& status = *blocker.status;
  if (waits_for_pod(status)) return std::nullopt;
  const bool sidecar = is_sidecar(*blocker.container);
  const model::Time now = c.of.facts.now();
  std::string message = fmt::format("{}: {} {} ({} of {}) ", init_status(pod, blocker),
                                    sidecar ? "sidecar" : "init container", status.name.view(),
                                    blocker.index + 1, pod.spec->init_containers.size());
  message += !is_running(status) ? "fails"
             : sidecar           ? "has not passed its startup probe"
                                 : "has not ended";
  message += "; later containers cannot start: " + state_text(status);
  const std::string_view name = status.name;
  Finding finding =
      make_finding(finding::InitBlocked{.container = name, .it_is_running = is_running(status)},
                   std::move(message),
                   {pod_field(pod, fmt::format("status.initContainerStatuses[{}].state: {}", name,
                                               state_text(status)))},
                   names_of(c, pod.meta.name));
  finding.group = fmt::format("{}|{}", name,
                              status.waiting      ? status.waiting->reason.view()
                              : status.terminated ? "terminated"
                                                  : "running");
  if (is_running(status)) {
    const bool long_ago = is_older(status.running_since, threshold::creating, now);
    // It may be meant to take its time: a migration, a wait for another service.
    finding.severity = long_ago ? (sidecar ? Severity::Error : Severity::Warning) : Severity::Info;
    finding.transient = !long_ago;
  }
  return finding;
}

// ---- what all containers wait for

/// Nothing of the pod has got as far as an image yet.
bool is_being_prepared(const model::Pod& pod) {
  if (pod.phase != "Pending") return false;
  const auto is_waiting = [](const model::ContainerStatus& s) { return waits_for_pod(s); };
  return std::ranges::all_of(pod.statuses, is_waiting) &&
         std::ranges::all_of(pod.init_statuses, is_waiting);
}

Finding event_finding(const NodeCase& c, const model::Pod& pod, const FindingKind& kind,
                      std::string message, const model::Event& event) {
  return make_finding(kind, std::move(message), {event_evidence(event)},
                      names_of(c, pod.meta.name));
}

finding::Sandbox sandbox_kind(SandboxFailure failure) {
  using enum SandboxFailure;
  const bool is_of_node = failure != Port && failure != SandboxFailure::Other;
  return {.a_host_port_is_taken = failure == Port,
          .a_plugin_is_missing = failure == Binary,
          .no_address_is_free = failure == Addresses,
          .root = is_of_node ? "Node" : "",
          .the_cgroup_drivers_differ = failure == CgroupDriver,
          .the_disk_is_full = failure == SandboxFailure::Disk,
          .the_image_cannot_be_pulled = failure == Image,
          .the_network_plugin_fails = failure == SandboxFailure::Network || failure == Agent,
          .the_runtime_is_slow = failure == SandboxFailure::Slow || failure == Name,
          .the_runtime_lacks_the_handler = failure == Handler};
}

void add_sandbox(const NodeCase& c, const model::Pod& pod, const Facts::Events& events,
                 std::vector<Finding>& findings) {
  const Words progress = {"Pulling", "Pulled", "Created", "Started"};
  if (const model::Event* event = unresolved(events, {"FailedCreatePodSandBox"}, progress)) {
    const Meaning<SandboxFailure> meaning = meaning_for_sandbox(event->message);
    std::string message = "FailedCreatePodSandBox";
    if (!meaning.text.empty()) message += fmt::format(": {}", meaning.text);
    message += fmt::format(": {}", error_excerpt(event->message));
    Finding finding =
        event_finding(c, pod, sandbox_kind(meaning.failure), std::move(message), *event);
    finding.group = sandbox_group(meaning, event->message);
    findings.push_back(std::move(finding));
  }
  if (pod.host_network) return;
  if (const model::Event* event = unresolved(events, {"NetworkNotReady"}, progress)) {
    findings.push_back(
        event_finding(c, pod, FindingId::NetworkNotReady,
                      fmt::format("NetworkNotReady: {}", error_excerpt(event->message)), *event));
  }
}

void add_devices(const NodeCase& c, const model::Pod& pod, const Facts::Events& events,
                 std::vector<Finding>& findings) {
  const model::Event* event =
      unresolved(events, {"FailedPrepareDynamicResources"},
                 {"FailedCreatePodSandBox", "Pulling", "Pulled", "Created", "Started"});
  if (event == nullptr) return;
  std::vector<std::string_view> claims;
  for (const model::PodResourceClaim& claim : pod.spec->resource_claims)
    claims.emplace_back(claim.name);
  Finding finding = event_finding(
      c, pod, FindingId::DraPrepare,
      fmt::format(
          "FailedPrepareDynamicResources: the devices of claim{} {} cannot be prepared: {}",
          claims.size() == 1 ? "" : "s",
          claims.empty() ? std::string("(not read)") : fmt::format("{}", fmt::join(claims, ", ")),
          error_excerpt(event->message)),
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

/// Pods of other DaemonSets are starting on the node as well: it is new or slow, and what they wait
/// for is the node's.
bool starts_with_others(const NodeCase& c, const model::Pod& pod) {
  const auto is_other = [&](const model::Pod* other) {
    const auto& owner = other->meta.controller;
    return owner && owner->kind == "DaemonSet" && is_being_prepared(*other) &&
           (other->meta.ns != pod.meta.ns || owner->name != c.of.ds.meta.name);
  };
  return std::ranges::any_of(c.of.facts.pods_on(c.node.meta.name), is_other);
}

/// The last word about an image is that it is being pulled.
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
  Finding finding =
      make_finding(FindingId::ImagePulling,
                   fmt::format("Pulling: container {} waits for image {} since {}",
                               container.name.view(), container.image.view(), format_utc(since)),
                   {event_evidence(*pulling)}, names_of(c, pod.meta.name));
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

/// The newest warning of the kubelet that no other finding reads, that matters to a start, and that
/// the pod did not get past.
const model::Event* unread_warning(const Facts::Events& events) {
  const Words read = {"FailedScheduling",
                      "FailedMount",
                      "FailedAttachVolume",
                      "FailedMapVolume",
                      "FailedCreatePodSandBox",
                      "NetworkNotReady",
                      "FailedPrepareDynamicResources",
                      "FailedToRetrieveImagePullSecret",
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

/// What is told of a pod of which no other finding knows what holds it up.
struct Slowness {
  std::string clause;
  std::string group;
  std::vector<std::string> evidence;
};

Slowness slowness_of(const model::Pod& pod, const Facts::Events& events) {
  Slowness result{"; no event says what is missing",
                  "",
                  {pod_field(pod, "status.containerStatuses[].state.waiting")}};
  if (const model::Event* warning = unread_warning(events)) {
    result.clause =
        fmt::format(": {}: {}", warning->reason.view(), error_excerpt(warning->message));
    result.group = warning->reason.str();
    result.evidence.push_back(event_evidence(*warning));
    return result;
  }
  const auto sandbox = model::find_condition(pod.conditions, "PodReadyToStartContainers");
  if (sandbox == nullptr) return result;
  const bool up = sandbox->status == "True";
  result.clause += up ? ": sandbox and network are ready, images or containers are not"
                      : ": its volumes, sandbox or network are not ready";
  result.group = up ? "containers" : "sandbox";
  result.evidence.push_back(pod_field(
      pod,
      fmt::format("status.conditions[PodReadyToStartContainers]: {}", sandbox->status.view())));
  return result;
}

void add_slow(const NodeCase& c, const model::Pod& pod, const Facts::Events& events,
              std::vector<Finding>& findings) {
  const auto waiting = std::ranges::find_if(pod.statuses, waits_for_pod);
  if (!is_being_prepared(pod) && waiting == pod.statuses.end()) return;
  const model::Time now = c.of.facts.now();
  const bool overdue = is_older(pod.start_time, threshold::creating, now);
  Slowness slowness = slowness_of(pod, events);
  std::string message = overdue ? "stuck in ContainerCreating" : "ContainerCreating";
  if (pod.start_time) message += " for " + base::age_text(*pod.start_time, now);
  Finding finding = make_finding(FindingId::CreatingSlow, message + slowness.clause,
                                 std::move(slowness.evidence), names_of(c, pod.meta.name));
  finding.group = std::move(slowness.group);
  if (starts_with_others(c, pod)) finding.root = "Node";
  if (overdue) {
    finding.overdue_since = *pod.start_time + threshold::creating;
  } else {
    finding.severity = Severity::Info;
    finding.transient = true;
  }
  findings.push_back(std::move(finding));
}

void append(std::vector<Finding>& to, std::vector<Finding> from) {
  std::ranges::move(from, std::back_inserter(to));
}

void add_container(const NodeCase& c, const model::Pod& pod, const model::ContainerStatus& status,
                   const Facts::Events& events, std::vector<Finding>& findings) {
  append(findings, image_findings(c, pod, status, events));
  append(findings, container_findings(c, pod, status, events));
}

/// What fails for a moment after the start of a pod, or of its node, is tried again.
void settle(Finding& finding) {
  finding.severity = Severity::Info;
  finding.transient = true;
}

void add_preparation(const NodeCase& c, const model::Pod& pod, const Facts::Events& events,
                     std::vector<Finding>& findings) {
  if (auto volume = volume_finding(c, pod, events)) findings.push_back(std::move(*volume));
  add_sandbox(c, pod, events, findings);
  const model::Time now = c.of.facts.now();
  if (is_younger(pod.start_time, preparation_may_take, now) || is_new(c.node, now)) {
    std::ranges::for_each(findings, settle);
  }
  add_devices(c, pod, events, findings);
}

}  // namespace

std::vector<Finding> startup_findings(const NodeCase& c, const model::Pod& pod,
                                      const Facts::Events& events) {
  std::vector<Finding> findings;
  const auto blocker = first_unfinished(pod);
  if (blocker && !waits_for_pod(*blocker->status)) {
    if (auto finding = init_finding(c, pod, *blocker)) findings.push_back(std::move(*finding));
    add_container(c, pod, *blocker->status, events, findings);
    if (findings.size() > 1) follow(findings.front(), findings[1]);
    return findings;
  }
  if (is_being_prepared(pod)) add_preparation(c, pod, events, findings);
  for (const model::ContainerStatus& status : pod.init_statuses) {
    const model::Container* container = find_container(pod, status.name);
    if (container != nullptr && is_sidecar(*container)) {
      add_container(c, pod, status, events, findings);
    }
  }
  for (const model::ContainerStatus& status : pod.statuses) {
    add_container(c, pod, status, events, findings);
  }
  if (!findings.empty()) return findings;
  const auto& containers = blocker ? pod.spec->init_containers : pod.spec->containers;
  for (const model::Container& container : containers) {
    add_pulling(c, pod, container, events, findings);
  }
  if (findings.empty()) add_slow(c, pod, events, findings);
  return findings;
}

}  // namespace dsdoctor::diagnosis
