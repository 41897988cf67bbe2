#include "diagnosis/causes/startup/startup_findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/time.h"
#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/causes/startup/container_findings.h"
#include "diagnosis/causes/startup/image_findings.h"
#include "diagnosis/causes/startup/image_reference.h"
#include "diagnosis/causes/startup/missing_object.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/taints/taint_knowledge.h"

namespace dsdoctor::diagnosis {
namespace {

using namespace std::chrono_literals;

constexpr auto volumes_may_take = 60s;

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

/// The newest event of these reasons, unless the pod got further after it.
const model::Event* unresolved(const Facts::Events& events, Words reasons, Words progress) {
  const model::Event* trouble = newest(events, reasons);
  if (trouble == nullptr) return nullptr;
  const model::Event* further = newest(events, progress);
  return further != nullptr && last_seen(*further) > last_seen(*trouble) ? nullptr : trouble;
}

struct Cause {
  std::string_view text;  // a clause; empty where the event's own words have to do
  std::string_view key;   // what it is about: tells groups apart
};

Cause volume_cause(std::string_view text) {
  if (mentions(text, "Multi-Attach error"))
    return {"its volume is attached to another node", "elsewhere"};
  // Before the secrets: the driver's own name may speak of them.
  if (mentions_any(text, {"not found in the list of registered CSI drivers", "CSINode",
                          "no CSI driver", "driver name"})) {
    return {"the CSI driver is not registered on the node", "driver"};
  }
  if (mentions_any(text, {"secret", "configmap"}) &&
      mentions_any(text, {"not found", "non-existent", "references non-existent"})) {
    return {"an object or a key that it mounts does not exist", "object"};
  }
  if (mentions(text, "hostPath type check failed"))
    return {"the hostPath is missing or has another type", "path"};
  if (mentions_any(text, {"permission denied", "access denied", "not authorized"})) {
    return {"access is denied", "denied"};
  }
  if (mentions_any(text, {"timed out", "deadline exceeded", "timeout"}))
    return {"it takes too long", "slow"};
  return {"", "other"};
}

/// The quoted name after `MountVolume.SetUp failed for volume "x"`; empty where there is none.
std::string_view volume_name(std::string_view text) {
  constexpr std::string_view words = "for volume \"";
  const std::size_t at = text.find(words);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + words.size());
  return text.substr(0, text.find('"'));
}

bool has_only_optional_source(const model::Pod& pod, std::string_view volume) {
  const auto at =
      std::ranges::find(pod.spec->volumes, volume, [](const auto& v) { return v.name.view(); });
  return at != pod.spec->volumes.end() && at->optional;
}

Finding event_finding(const NodeCase& c, const model::Pod& pod, const FindingKind& kind,
                      std::string message, const model::Event& event) {
  return make_finding(kind, std::move(message), {event_evidence(event)},
                      names_of(c, pod.meta.name));
}

/// The object that a volume is made of and that is missing, as the event or the pod names it.
std::string source_at_fault(const model::Pod& pod, const model::Event& event, const Cause& cause) {
  if (cause.key != "object") return {};
  std::string named = missing_object(event.message);
  return named.empty() ? mounted_object(*pod.spec, volume_name(event.message)) : named;
}

void add_volume(const NodeCase& c, const model::Pod& pod, const Facts::Events& events,
                std::vector<Finding>& findings) {
  const model::Event* event =
      unresolved(events, {"FailedMount", "FailedAttachVolume", "FailedMapVolume"},
                 {"Pulling", "Pulled", "Created", "Started"});
  if (event == nullptr) return;
  const model::Event* attached = newest(events, {"SuccessfulAttachVolume"});
  if (event->reason == "FailedAttachVolume" && attached != nullptr &&
      last_seen(*attached) > last_seen(*event)) {
    return;
  }
  const std::string_view volume = volume_name(event->message);
  if (has_only_optional_source(pod, volume)) return;
  const Cause cause = volume_cause(event->message);
  std::string message =
      volume.empty()
          ? fmt::format("{}: a volume cannot be mounted", event->reason.view())
          : fmt::format("{}: volume {} cannot be mounted", event->reason.view(), excerpt(volume));
  if (!cause.text.empty()) message += fmt::format(": {}", cause.text);
  message += fmt::format(": {}", error_excerpt(event->message));
  Finding finding =
      event_finding(c, pod,
                    finding::VolumeMount{.a_source_is_missing = cause.key == "object",
                                         .it_is_attached_to_another_node = cause.key == "elsewhere",
                                         .object = source_at_fault(pod, *event, cause),
                                         .the_driver_is_missing = cause.key == "driver",
                                         .the_host_path_is_wrong = cause.key == "path"},
                    std::move(message), *event);
  finding.group = fmt::format("{}|{}|{}", volume.starts_with("pvc-") ? "pvc" : volume,
                              event->reason.view(), cause.key);
  if (is_younger(pod.start_time, volumes_may_take, c.of.facts.now())) {
    finding.severity = Severity::Info;
    finding.transient = true;
  }
  findings.push_back(std::move(finding));
}

Cause sandbox_cause(std::string_view text) {
  if (mentions_any(text, {"failed to assign an IP", "no available IP", "no IP addresses available",
                          "no free IP", "IPAM", "no addresses available"})) {
    return {"no IP address is free", "addresses"};
  }
  if (mentions_any(text,
                   {"no runtime for", "unknown runtime", "RuntimeHandler", "runtime handler"})) {
    return {"the node's runtime has no such handler", "handler"};
  }
  if (mentions_any(text, {"cni", "network plugin", "network for sandbox", "networkPlugin"})) {
    return {"the network plugin fails", "cni"};
  }
  if (mentions(text, "cgroup")) return {"the cgroup cannot be created", "cgroup"};
  return {"", "other"};
}

void add_sandbox(const NodeCase& c, const model::Pod& pod, const Facts::Events& events,
                 std::vector<Finding>& findings) {
  const Words progress = {"Pulling", "Pulled", "Created", "Started"};
  if (const model::Event* event = unresolved(events, {"FailedCreatePodSandBox"}, progress)) {
    const Cause cause = sandbox_cause(event->message);
    std::string message = "FailedCreatePodSandBox";
    if (!cause.text.empty()) message += fmt::format(": {}", cause.text);
    message += fmt::format(": {}", error_excerpt(event->message));
    Finding finding =
        event_finding(c, pod,
                      finding::Sandbox{.no_address_is_free = cause.key == "addresses",
                                       .the_network_plugin_fails = cause.key == "cni",
                                       .the_runtime_lacks_the_handler = cause.key == "handler"},
                      std::move(message), *event);
    finding.group = cause.key;
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
  const model::Event* event = unresolved(events, {"FailedPrepareDynamicResources"},
                                         {"Pulling", "Pulled", "Created", "Started"});
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
  finding.group = container.image.str();
  finding.transient = !is_older(since, threshold::creating, c.of.facts.now());
  if (!finding.transient) {
    finding.severity = Severity::Warning;
    finding.overdue_since = since + threshold::creating;
  }
  findings.push_back(std::move(finding));
}

/// Nothing says what holds the pod up.
void add_slow(const NodeCase& c, const model::Pod& pod, std::vector<Finding>& findings) {
  const auto waiting = std::ranges::find_if(pod.statuses, waits_for_pod);
  const bool prepared = is_being_prepared(pod);
  if (!prepared && waiting == pod.statuses.end()) return;
  const auto sandbox = model::find_condition(pod.conditions, "PodReadyToStartContainers");
  const model::Time now = c.of.facts.now();
  const bool overdue = is_older(pod.start_time, threshold::creating, now);
  std::string message = overdue ? "stuck in ContainerCreating" : "ContainerCreating";
  if (pod.start_time) message += " for " + base::age_text(*pod.start_time, now);
  message += "; no event says what is missing";
  std::vector<std::string> evidence = {pod_field(pod, "status.containerStatuses[].state.waiting")};
  std::string group;
  if (sandbox != nullptr) {
    const bool up = sandbox->status == "True";
    message += up ? ": sandbox and network are ready, images or containers are not"
                  : ": its volumes, sandbox or network are not ready";
    evidence.push_back(pod_field(
        pod,
        fmt::format("status.conditions[PodReadyToStartContainers]: {}", sandbox->status.view())));
    group = up ? "containers" : "sandbox";
  }
  Finding finding = make_finding(FindingId::CreatingSlow, std::move(message), std::move(evidence),
                                 names_of(c, pod.meta.name));
  finding.group = std::move(group);
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

void add_preparation(const NodeCase& c, const model::Pod& pod, const Facts::Events& events,
                     std::vector<Finding>& findings) {
  add_volume(c, pod, events, findings);
  add_sandbox(c, pod, events, findings);
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
    // What ails it is fixed like in any other container.
    if (findings.size() > 1) findings.front().fix = findings[1].fix;
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
  if (findings.empty()) add_slow(c, pod, findings);
  return findings;
}

}  // namespace dsdoctor::diagnosis
