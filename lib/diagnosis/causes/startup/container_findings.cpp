#include "diagnosis/causes/startup/container_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/time.h"
#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/startup.h"
#include "diagnosis/causes/startup/exit_text.h"
#include "diagnosis/causes/startup/refused_start.h"
#include "diagnosis/evidence/wording.h"
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

/// The kubelet has lately waited before it started the container, which runs once more: the wait
/// grows up to five minutes and is forgotten after ten without an end.
bool backed_off(const model::Pod& pod, const model::ContainerStatus& status,
                const Facts::Events& events, model::Time now) {
  if (!is_younger(status.running_since, crash_window, now)) return false;
  return std::ranges::any_of(events, [&](const model::Event* event) {
    return event->reason == "BackOff" && mentions(event->message, "restarting failed container") &&
           is_of_container(*event, pod, status.name) &&
           is_younger(last_seen(*event), crash_window, now);
  });
}

/// It failed, and has been started twice within the window: neither its last run nor this one has
/// got beyond that.
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
  // It has just ended once more, and a daemon pod's container is always started again.
  if (status.terminated && pod.phase != "Failed") return true;
  if (is_running(status) &&
      (backed_off(pod, status, events, now) || failed_twice(status, *end, now)))
    return true;
  // One reading of a counter shows a rate only where the pod itself is young.
  return is_younger(pod.start_time, crash_window, now);
}

/// It ended with an error and will be started again, for the first times.
bool ended_lately(const model::Pod& pod, const model::ContainerStatus& status) {
  return status.terminated && status.terminated->exit_code != 0 && pod.phase != "Failed";
}

std::string run_time(const model::TerminatedState& end) {
  if (!end.started || !end.finished || *end.finished < *end.started) return {};
  return fmt::format(" {} after start", base::age_text(*end.started, *end.finished));
}

/// The kubelet itself ended it because a probe failed; that event is newer than the last start.
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

/// The probe whose failure made the kubelet end it: "liveness", "startup".
std::string_view probe_of(const model::Event& kill) {
  return mentions(kill.message, "startup probe") ? "startup" : "liveness";
}

/// What follows "Liveness probe failed: ".
std::string_view probe_result(const model::Event& unhealthy) {
  constexpr std::string_view words = "probe failed: ";
  const std::string_view text = unhealthy.message;
  const std::size_t at = text.find(words);
  return at == text.npos ? text : text.substr(at + words.size());
}

/// It speaks of the container's own program, which did not start; one that runs may say the same
/// of another program.
bool is_of_own_program(const model::TerminatedState& end) {
  const bool by_code = end.exit_code == 126 || end.exit_code == 127 || end.exit_code == 255;
  return by_code || end.reason == "StartError" || mentions(end.message, "exec user process") ||
         base::trimmed(end.message).starts_with("exec ");
}

/// " (7 restarts)"; empty where there was none.
std::string restarts_text(const model::ContainerStatus& status) {
  if (status.restart_count <= 0) return {};
  return fmt::format(" ({})", wording::counted(status.restart_count, "restart"));
}

/// How a container ended, in words, with the fields that say it.
struct Crash {
  std::string text;
  std::vector<Evidence> evidence;
  bool by_probe = false;
  bool by_hook = false;
  bool damaged_image = false;
};

/// The newest event of a postStart hook that failed in the last run: the kubelet ends the container
/// then. Null if there is none.
const model::Event* failed_hook(const model::Pod& pod, const model::ContainerStatus& status,
                                const model::TerminatedState& end, const Facts::Events& events) {
  const bool is_killed = end.exit_code == 137 || end.exit_code == 143;
  if (!is_killed || end.reason == "OOMKilled") return nullptr;  // it ended by itself, and its hook
  const model::Event* result = nullptr;
  for (const model::Event* event : events) {
    if (event->reason != "FailedPostStartHook" || !is_of_container(*event, pod, status.name))
      continue;
    if (!end.started || last_seen(*event) >= *end.started) result = event;
  }
  return result;
}

void add_hook(const model::Event& failed, Crash& crash) {
  crash.by_hook = true;
  crash.text += ", killed by the kubelet because its postStart hook failed";
  const std::string said = error_excerpt(failed.message);
  if (said != "PostStartHook failed") crash.text += ": " + said;
  crash.evidence.push_back(event_evidence(failed));
}

void add_kill(const model::Pod& pod, const model::ContainerStatus& status,
              const model::TerminatedState& end, const Facts::Events& events, Crash& crash) {
  const model::Event* kill = killed_by_probe(pod, status, end, events);
  if (kill == nullptr) {
    if (const model::Event* hook = failed_hook(pod, status, end, events)) add_hook(*hook, crash);
    return;
  }
  const std::string_view kind = probe_of(*kill);
  crash.by_probe = true;
  crash.text += fmt::format(", killed by the kubelet because its {} probe failed", kind);
  crash.evidence.push_back(event_evidence(*kill));
  const model::Event* failed = newest_unhealthy(events, pod, status.name, kind, end.started);
  if (failed == nullptr) return;
  crash.text += fmt::format(": {}", error_excerpt(probe_result(*failed)));
  crash.evidence.push_back(event_evidence(*failed));
}

Crash crash_of(const NodeCase& c, const model::Pod& pod, const model::ContainerStatus& status,
               const Facts::Events& events) {
  Crash crash;
  if (status.waiting) crash.evidence.push_back(waiting_evidence(pod, status));
  const model::TerminatedState* end = last_end(status);
  if (end == nullptr) {
    crash.text = "exits repeatedly" + restarts_text(status);
    return crash;
  }
  crash.text = "exits with code " + code_text(*end) + run_time(*end) + restarts_text(status);
  add_kill(pod, status, *end, events, crash);
  crash.evidence.push_back(status_field(
      pod, status,
      fmt::format("{}: exit code {}, {}",
                  status.terminated ? "state.terminated" : "lastState.terminated", end->exit_code,
                  end->reason.empty() ? "no reason" : end->reason.view())));
  const std::string damaged =
      is_of_own_program(*end) ? damaged_image(c, pod, status, end->message) : std::string();
  crash.damaged_image = !damaged.empty();
  if (crash.damaged_image) crash.text += "; " + damaged;
  if (const std::string said = telling_line(end->message); !said.empty()) {
    crash.text += fmt::format("; termination message: \"{}\"", said);
    crash.evidence.back().value += ": " + wording::whole(end->message);
  }
  return crash;
}

Finding crash_finding(const NodeCase& c, const model::Pod& pod,
                      const model::ContainerStatus& status, const Facts::Events& events) {
  Crash crash = crash_of(c, pod, status, events);
  Finding finding = make_said_finding(
      finding::ContainerCrash{.a_probe_ends_it = crash.by_probe,
                              .container = status.name,
                              .it_has_ended = status.terminated.has_value(),
                              .its_hook_ends_it = crash.by_hook,
                              .its_image_is_damaged = crash.damaged_image},
      fmt::format("{}container {} {}",
                  waiting_reason(status) == "CrashLoopBackOff" ? "CrashLoopBackOff: " : "",
                  status.name.view(), crash.text),
      std::move(crash.evidence), names_of(c, pod.meta.name));
  finding.group = status.name.str();
  if (const model::TerminatedState* end = last_end(status)) {
    finding.group += fmt::format("|{}|{}", end->exit_code, end->reason.view());
  }
  return finding;
}

Finding oom_finding(const NodeCase& c, const model::Pod& pod, const model::ContainerStatus& status,
                    const model::TerminatedState& end) {
  const std::string_view limit = memory_limit(pod, status.name);
  const model::PodTemplate& next = c.of.ds.pod_template;
  const bool is_changed = c.of.ds.update_strategy == "OnDelete" && is_outdated(c, pod) &&
                          memory_limit(next.spec, status.name) != limit;
  std::string message = fmt::format("OOMKilled: container {} ", status.name.view());
  message += limit.empty() ? "has no memory limit, the node ran out of memory"
                           : fmt::format("exceeds its memory limit of {}", limit);
  message += run_time(end) + restarts_text(status);
  Finding finding = make_said_finding(
      finding::ContainerOom{.container = status.name,
                            .its_limit_is_low = !limit.empty() && !is_changed,
                            .only_deletion_replaces_the_pod = is_changed,
                            .the_node_ran_out = limit.empty() && !is_changed},
      std::move(message),
      {status_field(pod, status,
                    fmt::format("{}.reason: OOMKilled",
                                status.terminated ? "state.terminated" : "lastState.terminated"))},
      names_of(c, pod.meta.name));
  finding.group = fmt::format("{}|{}", status.name.view(), limit);
  return finding;
}

/// 9100 of "listen tcp [::]:9100: bind: address already in use"; 0 where no port is named.
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
  std::string message =
      fmt::format("address already in use: container {} cannot bind {} of the node",
                  status.name.view(), port > 0 ? fmt::format("port {}", port) : "a port");
  if (holder != nullptr) {
    message +=
        fmt::format(", likely held by pod {}/{}", holder->meta.ns.view(), holder->meta.name.view());
  } else if (port > 0 && c.of.facts.has_every_pod_on(c.node.meta.name)) {
    message += ", held by a process that no pod declares";
  } else if (port > 0 && c.of.facts.has_pods_of_one_namespace()) {
    message += fmt::format("; the input has pods of namespace {} only", pod.meta.ns.view());
  } else if (port > 0) {
    message += "; not all pods on the node were read";
  }
  Finding finding = make_said_finding(
      finding::ContainerPortBind{.port = port > 0 ? std::to_string(port) : std::string()},
      std::move(message),
      {status_field(pod, status,
                    fmt::format("terminated.message: {}", wording::whole(end->message)))},
      names_of(c));
  finding.group = fmt::format("{}|{}", status.name.view(), port);
  findings.push_back(std::move(finding));
}

}  // namespace

std::vector<Finding> container_findings(const NodeCase& c, const model::Pod& pod,
                                        const model::ContainerStatus& status,
                                        const Facts::Events& events) {
  if (is_running(status) && status.ready) return {};
  const std::string_view reason = waiting_reason(status);
  if (reason == "CreateContainerConfigError") return {config_finding(c, pod, status)};
  if (auto refused = create_finding(c, pod, status)) return {std::move(*refused)};
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
    if (oom) crash.standing = Standing::Context;  // the same ends, whose cause is known
    if (!crashing && !oom) {
      crash.severity = Severity::Warning;
      crash.transient = status.restart_count == 0;
    } else if (end != nullptr && end->exit_code == 0 && status.restart_count <= 1 &&
               is_younger(pod.meta.created, threshold::pending, now)) {
      crash.severity = Severity::Warning;  // it may have had something to do first
      crash.transient = true;
    }
    findings.push_back(std::move(crash));
    add_port_bind(c, pod, status, findings);
  }
  return findings;
}

}  // namespace dsdoctor::diagnosis
