// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/startup/container_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

#include "base/text.h"
#include "base/time.h"
#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/startup.h"
#include "diagnosis/causes/startup/exit_text.h"
#include "diagnosis/causes/startup/refused_start.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/taints/taint_knowledge.h"
#include "scheduling/host_ports.h"

namespace dsdoctor::diagnosis {
namespace {

using namespace std::chrono_literals;

constexpr auto crash_window = 10min;
constexpr auto old_restart = 1h;
constexpr std::int64_t crash_restarts = 3;

// ---- crashes

/// True if the container runs again after a back-off within the crash window. The kubelet's
/// back-off grows up to five minutes and is reset after ten minutes without an exit.
bool backed_off(const model::Pod& pod, const model::ContainerStatus& status,
                const Facts::Events& events, model::Time now) {
  if (!is_younger(status.running_since, crash_window, now)) return false;
  return std::ranges::any_of(events, [&](const model::Event* event) {
    return event->reason == "BackOff" && mentions(event->message, "restarting failed container") &&
           is_of_container(*event, pod, status.name) &&
           is_younger(last_seen(*event), crash_window, now);
  });
}

/// True if the container failed and restarted within the crash window: its last run and the current
/// one are both shorter.
bool failed_twice(const model::ContainerStatus& status, const model::TerminatedState& end,
                  model::Time now) {
  return end.exit_code != 0 && end.started && end.finished &&
         *end.finished - *end.started < crash_window &&
         is_younger(status.running_since, crash_window, now);
}

bool is_crashing(const model::Pod& pod, const model::ContainerStatus& status,
                 const Facts::Events& events, model::Time now) {
  if (waiting_reason(status) == "CrashLoopBackOff") return true;
  const model::TerminatedState* end = last_end(status);
  if (end == nullptr || status.restart_count < crash_restarts) return false;
  if (is_older(end->finished, old_restart, now)) return false;
  // It has just exited again, and the kubelet always restarts a daemon pod's container.
  if (status.terminated && pod.phase != "Failed") return true;
  if (is_running(status) &&
      (backed_off(pod, status, events, now) || failed_twice(status, *end, now)))
    return true;
  // A single value of a counter shows a rate only if the pod is young.
  return is_younger(pod.start_time, crash_window, now);
}

/// True if the container exited with an error and will be restarted.
bool ended_lately(const model::Pod& pod, const model::ContainerStatus& status) {
  return status.terminated && status.terminated->exit_code != 0 && pod.phase != "Failed";
}

std::optional<base::Time::duration> run_time(const model::TerminatedState& end) {
  if (!end.started || !end.finished || *end.finished < *end.started) return std::nullopt;
  return *end.finished - *end.started;
}

/// Absent if it has not been restarted.
std::optional<std::int64_t> restarts_of(const model::ContainerStatus& status) {
  return status.restart_count > 0 ? std::optional(status.restart_count) : std::nullopt;
}

/// The newest event of the kubelet killing the container after a failed probe, if newer than the
/// last start.
const model::Event* killed_by_probe(const model::Pod& pod, const model::ContainerStatus& status,
                                    const model::TerminatedState& end,
                                    const Facts::Events& events) {
  const model::Event* result = nullptr;
  for (const model::Event* event : events) {
    if (event->reason != "Killing" || !mentions(event->message, "probe, will be restarted"))
      continue;
    if (!is_of_container(*event, pod, status.name)) continue;
    if (end.started && last_seen(*event) < *end.started) continue;
    result = event;
  }
  return result;
}

/// The probe whose failure made the kubelet kill the container: "liveness" or "startup".
std::string_view probe_of(const model::Event& kill) {
  return mentions(kill.message, "startup probe") ? "startup" : "liveness";
}

/// The text after "Liveness probe failed: ".
std::string_view probe_result(const model::Event& unhealthy) {
  constexpr std::string_view words = "probe failed: ";
  const std::string_view text = unhealthy.message;
  const std::size_t at = text.find(words);
  return at == text.npos ? text : text.substr(at + words.size());
}

/// Whether the text is about the container's own program, which did not start. A running program
/// can print the same about another program.
bool is_of_own_program(const model::TerminatedState& end) {
  const bool by_code = end.exit_code == 126 || end.exit_code == 127 || end.exit_code == 255;
  return by_code || end.reason == "StartError" || mentions(end.message, "exec user process") ||
         base::trimmed(end.message).starts_with("exec ");
}

/// Why the kubelet itself killed a container, with the events that show it.
struct Kill {
  std::optional<Message> why;
  std::vector<Evidence> evidence = {};
  bool by_probe = false;
  bool by_hook = false;
};

/// The newest event of a postStart hook that failed in the last run, after which the kubelet kills
/// the container. Null if there is none.
const model::Event* failed_hook(const model::Pod& pod, const model::ContainerStatus& status,
                                const model::TerminatedState& end, const Facts::Events& events) {
  const bool is_killed = end.exit_code == 137 || end.exit_code == 143;
  if (!is_killed || end.reason == "OOMKilled") return nullptr;  // its exit made the hook fail
  const model::Event* result = nullptr;
  for (const model::Event* event : events) {
    if (event->reason != "FailedPostStartHook" || !is_of_container(*event, pod, status.name))
      continue;
    if (!end.started || last_seen(*event) >= *end.started) result = event;
  }
  return result;
}

Kill killed_by_hook(const model::Event& failed) {
  const std::string said = error_excerpt(failed.message);
  const bool tells_no_more = said == "PostStartHook failed";
  return {.why = phrase::KilledByHook{.said = tells_no_more ? std::string() : said},
          .evidence = {event_evidence(failed)},
          .by_hook = true};
}

Kill kill_of(const model::Pod& pod, const model::ContainerStatus& status,
             const model::TerminatedState& end, const Facts::Events& events) {
  const model::Event* kill = killed_by_probe(pod, status, end, events);
  if (kill == nullptr) {
    const model::Event* hook = failed_hook(pod, status, end, events);
    return hook == nullptr ? Kill() : killed_by_hook(*hook);
  }
  const std::string_view probe = probe_of(*kill);
  const model::Event* failed = newest_unhealthy(events, pod, status.name, probe, end.started);
  Kill result{.why = phrase::KilledByProbe{.probe = probe,
                                           .said = failed ? error_excerpt(probe_result(*failed))
                                                          : std::string()},
              .evidence = {event_evidence(*kill)},
              .by_probe = true};
  if (failed != nullptr) result.evidence.push_back(event_evidence(*failed));
  return result;
}

std::vector<Evidence> crash_evidence(const model::Pod& pod, const model::ContainerStatus& status,
                                     const model::TerminatedState* end, const Kill& kill) {
  std::vector<Evidence> evidence;
  if (status.waiting) evidence.push_back(waiting_evidence(pod, status));
  std::ranges::copy(kill.evidence, std::back_inserter(evidence));
  if (end == nullptr) {
    evidence.push_back(
        status_evidence(pod, status, "restartCount", std::to_string(status.restart_count)));
    return evidence;
  }
  evidence.push_back(end_evidence(pod, status, *end));
  if (!end->reason.empty()) {
    evidence.push_back(end_evidence(pod, status, *end, "reason", end->reason));
  }
  if (!telling_line(end->message).empty()) {
    evidence.push_back(end_evidence(pod, status, *end, "message", end->message));
  }
  return evidence;
}

Finding crash_finding(const NodeCase& c, const model::Pod& pod,
                      const model::ContainerStatus& status, const Facts::Events& events) {
  constexpr std::string_view backs_off = "CrashLoopBackOff";
  const model::TerminatedState* end = last_end(status);
  const Kill kill = end == nullptr ? Kill() : kill_of(pod, status, *end, events);
  const auto damage = end != nullptr && is_of_own_program(*end)
                          ? damaged_image(c, pod, status, end->message)
                          : std::nullopt;
  const phrase::ContainerExits exits{.code = end ? std::optional(exit_code(*end)) : std::nullopt,
                                     .container = status.name,
                                     .damage = damage,
                                     .killer = kill.why,
                                     .ran = end ? run_time(*end) : std::nullopt,
                                     .restarts = restarts_of(status),
                                     .said = end ? telling_line(end->message) : std::string()};
  Finding finding = make_finding(
      finding::ContainerCrash{.a_probe_ends_it = kill.by_probe,
                              .container = status.name,
                              .exits = exits,
                              .it_has_ended = status.terminated.has_value(),
                              .its_hook_ends_it = kill.by_hook,
                              .its_image_is_damaged = damage.has_value(),
                              .reason = waiting_reason(status) == backs_off ? backs_off : ""},
      crash_evidence(pod, status, end, kill), names_of(c, pod.meta.name));
  finding.group = status.name.str();
  if (end != nullptr) finding.group += fmt::format("|{}|{}", end->exit_code, end->reason.view());
  return finding;
}

Finding oom_finding(const NodeCase& c, const model::Pod& pod, const model::ContainerStatus& status,
                    const model::TerminatedState& end) {
  const std::string_view limit = memory_limit(pod, status.name);
  const model::PodTemplate& next = c.of.ds.pod_template;
  const bool is_changed = c.of.ds.update_strategy == "OnDelete" && is_outdated(c, pod) &&
                          memory_limit(next.spec, status.name) != limit;
  Finding finding = make_finding(
      finding::ContainerOom{.container = status.name,
                            .its_limit_is_low = !limit.empty() && !is_changed,
                            .limit = limit,
                            .only_deletion_replaces_the_pod = is_changed,
                            .ran = run_time(end),
                            .restarts = restarts_of(status),
                            .the_node_ran_out = limit.empty() && !is_changed},
      {end_evidence(pod, status, end, "reason", end.reason)}, names_of(c, pod.meta.name));
  finding.group = fmt::format("{}|{}", status.name.view(), limit);
  return finding;
}

/// 9100 for "listen tcp [::]:9100: bind: address already in use"; 0 if the text names no port.
std::int64_t port_in_use(std::string_view text) {
  const std::size_t words = place_of(text, "address already in use");
  if (words == std::string_view::npos) return 0;
  std::int64_t port = 0;
  for (std::size_t at = 0; (at = text.find(':', at)) < words; ++at) {
    std::int64_t value = 0;
    const char* first = text.data() + at + 1;
    const auto [end, error] = std::from_chars(first, text.data() + words, value);
    if (error == std::errc() && end != first && value > 0 && value <= 65535) port = value;
  }
  return port;
}

const model::Pod* holder_of(const NodeCase& c, const model::Pod& pod,
                            const scheduling::HostPort& port) {
  for (const model::Pod* other : c.of.facts.pods_on(c.node.meta.name)) {
    const auto held = scheduling::admitted_host_ports(*other->spec, other->host_network);
    const auto taken = [&](const scheduling::HostPort& p) { return conflict(p, port); };
    if (other != &pod && std::ranges::any_of(held, taken)) return other;
  }
  return nullptr;
}

void add_port_bind(const NodeCase& c, const model::Pod& pod, const model::ContainerStatus& status,
                   std::vector<Finding>& findings) {
  const model::TerminatedState* end = last_end(status);
  if (!pod.host_network || end == nullptr) return;
  if (!mentions(end->message, "address already in use")) return;
  const std::int64_t port = port_in_use(end->message);
  const char* protocol = mentions(end->message, "listen udp") ? "UDP" : "TCP";
  const model::Pod* holder = port > 0 ? holder_of(c, pod, {"0.0.0.0", protocol, port}) : nullptr;
  const bool is_open = port > 0 && holder == nullptr;
  const bool every = is_open && c.of.facts.has_every_pod_on(c.node.meta.name);
  const bool one_namespace = is_open && !every && c.of.facts.has_pods_of_one_namespace();
  Finding finding = make_finding(
      finding::ContainerPortBind{
          .container = status.name,
          .holder = holder == nullptr ? ObjectRef() : ref_of(*holder),
          .no_pod_declares_it = every,
          .only_namespace = one_namespace ? pod.meta.ns.view() : std::string_view(),
          .pods_are_missing = is_open && !every && !one_namespace,
          .port = port > 0 ? std::to_string(port) : std::string()},
      {end_evidence(pod, status, *end, "message", end->message)}, names_of(c));
  finding.group = fmt::format("{}|{}", status.name.view(), port);
  findings.push_back(std::move(finding));
}

// ---- ended containers that are not started again

/// True if the kubelet has to start the container again: it ended in a way that its restart policy
/// does not accept, and no init container comes before it.
bool is_to_be_restarted(const model::Pod& pod, const model::ContainerStatus& status) {
  const auto& inits = pod.spec->init_containers;
  const auto with_name = [&](const model::Container& one) { return one.name == status.name; };
  const auto init = std::ranges::find_if(inits, with_name);
  const model::Container* container = find_container(pod, status.name);
  if (container == nullptr || pod.phase == "Failed") return false;
  const std::int64_t code = status.terminated->exit_code;
  // A container can have a policy of its own instead of the pod's.
  if (container->restart_policy == "Never") return false;
  if (container->restart_policy == "OnFailure" && code == 0) return false;
  if (init != inits.end()) return code != 0 || container->restart_policy == "Always";
  const auto initialized = model::find_condition(pod.conditions, "Initialized");
  return inits.empty() || (initialized != nullptr && initialized->status == "True");
}

/// Time of the end; absent if not known. If the kubelet lost track of the container, its status has
/// no times, but the pod's condition has.
model::OptionalTime end_of(const model::Pod& pod, const model::TerminatedState& end) {
  if (end.finished && *end.finished > model::Time{}) return end.finished;
  const auto condition = model::find_condition(pod.conditions, "ContainersReady");
  return condition != nullptr && condition->status == "False" ? condition->last_transition
                                                              : std::nullopt;
}

/// True if the kubelet has begun to start the container again. Only the pull of an image can take
/// long; after another step the status has a new state.
bool is_being_started(const model::Pod& pod, const model::ContainerStatus& status, model::Time end,
                      const Facts::Events& events, model::Time now) {
  const model::Event* step = nullptr;
  for (const model::Event* event : events) {
    if (is_one_of(event->reason, {"Pulling", "Pulled", "Created", "Started", "BackOff"}) &&
        is_of_container(*event, pod, status.name) && last_seen(*event) > end) {
      step = event;
    }
  }
  if (step == nullptr) return false;
  return step->reason == "Pulling" || is_younger(last_seen(*step), threshold::restart, now);
}

/// The time of the end if the kubelet should have started the container again since then.
model::OptionalTime not_restarted_since(const NodeCase& c, const model::Pod& pod,
                                        const model::ContainerStatus& status,
                                        const Facts::Events& events) {
  if (!status.terminated || !is_ready(c.node) || !is_to_be_restarted(pod, status)) return {};
  const model::Time now = c.of.facts.now();
  const model::OptionalTime end = end_of(pod, *status.terminated);
  // A kubelet that has just come back starts all pods again.
  const auto back = model::find_condition(c.node.conditions, "Ready")->last_transition;
  if (!is_older(end, threshold::restart, now) || is_younger(back, threshold::restart, now)) {
    return {};
  }
  return is_being_started(pod, status, *end, events, now) ? std::nullopt : end;
}

Finding not_restarted_finding(const NodeCase& c, const model::Pod& pod,
                              const model::ContainerStatus& status, model::Time since) {
  const model::TerminatedState& end = *status.terminated;
  model::TerminatedState told = end;
  told.reason = {};  // the message begins with it
  const std::optional<std::int64_t> no_signal;
  const phrase::ExitCode success{.code = 0, .meaning = {}, .reason = "", .signal = no_signal};
  const Message code = end.exit_code == 0 ? Message(success) : exit_code(told);
  std::vector<Evidence> evidence = {end_evidence(pod, status, end)};
  if (!end.reason.empty()) {
    evidence.push_back(end_evidence(pod, status, end, "reason", end.reason));
  }
  const bool is_timed = end.finished == since;
  evidence.push_back(is_timed ? end_evidence(pod, status, end, "finishedAt", base::rfc3339(since))
                              : condition_evidence(pod, "ContainersReady", "lastTransitionTime",
                                                   base::rfc3339(since)));
  Finding finding = make_finding(finding::ContainerNotRestarted{.ago = c.of.facts.now() - since,
                                                                .code = code,
                                                                .container = status.name,
                                                                .reason = excerpt(end.reason),
                                                                .said = telling_line(end.message)},
                                 std::move(evidence), names_of(c, pod.meta.name));
  finding.group = fmt::format("{}|{}|{}", status.name.view(), end.exit_code, end.reason.view());
  return finding;
}

}  // namespace

std::vector<Finding> container_findings(const NodeCase& c, const model::Pod& pod,
                                        const model::ContainerStatus& status,
                                        const Facts::Events& events) {
  if (is_running(status) && status.ready) return {};
  const std::string_view reason = waiting_reason(status);
  if (reason == "CreateContainerConfigError") return {config_finding(c, pod, status)};
  if (auto refused = create_finding(c, pod, status)) return {std::move(*refused)};
  if (const model::OptionalTime since = not_restarted_since(c, pod, status, events)) {
    return {not_restarted_finding(c, pod, status, *since)};
  }
  std::vector<Finding> findings;
  const model::Time now = c.of.facts.now();
  const model::TerminatedState* end = last_end(status);
  const bool recent =
      end != nullptr && !(is_running(status) && is_older(end->finished, old_restart, now));
  const bool oom = recent && end->reason == "OOMKilled";
  if (oom) findings.push_back(oom_finding(c, pod, status, *end));
  const bool crashing = is_crashing(pod, status, events, now);
  if (crashing || ended_lately(pod, status)) {
    Finding crash = crash_finding(c, pod, status, events);
    if (oom) crash.standing = Standing::Context;  // duplicates the OOMKilled finding
    if (!crashing && !oom) {
      crash.severity = Severity::Warning;
      crash.transient = status.restart_count == 0;
    } else if (end != nullptr && end->exit_code == 0 && status.restart_count <= 1 &&
               is_younger(pod.meta.created, threshold::pending, now)) {
      crash.severity = Severity::Warning;  // it may exit once by design
      crash.transient = true;
    }
    findings.push_back(std::move(crash));
    add_port_bind(c, pod, status, findings);
  }
  return findings;
}

}  // namespace dsdoctor::diagnosis
