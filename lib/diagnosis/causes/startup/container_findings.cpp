#include "diagnosis/causes/startup/container_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/time.h"
#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/causes/startup/missing_object.h"
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

std::string_view exit_meaning(std::int64_t code) {
  switch (code) {
    case 0: return "exited without an error, but should keep running";
    case 1: return "application error";
    case 2: return "application error, often its command line";
    case 126: return "the command cannot be executed";
    case 127: return "the command was not found";
    case 134: return "aborted";
    case 137: return "killed by SIGKILL";
    case 139: return "segmentation fault";
    case 143: return "terminated by SIGTERM";
    case 255: return "runtime error, or a program for another architecture";
    default: return {};
  }
}

/// "137 (killed by SIGKILL)".
std::string code_text(const model::TerminatedState& state) {
  std::string result = std::to_string(state.exit_code);
  const bool telling =
      !state.reason.empty() && state.reason != "Error" && state.reason != "Completed";
  const std::string_view meaning = exit_meaning(state.exit_code);
  if (telling) return result + fmt::format(" ({})", excerpt(state.reason));
  if (!meaning.empty()) return result + fmt::format(" ({})", meaning);
  if (state.exit_code > 128 && state.exit_code < 128 + 65) {
    result += fmt::format(" (signal {})", state.exit_code - 128);
  }
  return result;
}

/// What the runtime's text most likely means; empty where it is not known.
std::string_view runtime_hint(std::string_view text) {
  if (mentions(text, "exec format error")) return "the program is made for another architecture";
  if (mentions(text, "not a directory")) return "a file is mounted over a folder, or the reverse";
  // What a mount says of its source may read like a missing command.
  if (mentions(text, "error mounting")) return "a mount is refused";
  const bool no_file =
      mentions(text, "no such file or directory") && mentions_any(text, {"exec:", "stat "});
  if (no_file || mentions(text, "executable file not found")) {
    return "the command is not in the image";
  }
  if (mentions(text, "is reserved for")) return "an earlier container still has the name";
  if (mentions(text, "is already in use")) return "an earlier container still has the name";
  if (mentions(text, "device")) return "a device is missing or refused";
  if (mentions(text, "mount")) return "a mount is refused";
  if (mentions(text, "permission denied")) return "the command is not executable";
  return {};
}

const model::TerminatedState* failed_start(const model::ContainerStatus& status) {
  for (const auto* state : {&status.terminated, &status.last_terminated}) {
    if (*state && is_one_of((*state)->reason, {"StartError", "ContainerCannotRun"}))
      return &**state;
  }
  return nullptr;
}

/// By which of several refusals of the same kind are alike: the object that is missing, or the
/// text without what differs from node to node.
std::string refusal_group(const model::ContainerStatus& status, std::string_view reason,
                          std::string_view text) {
  return fmt::format("{}|{}|{}", status.name.view(), reason, text);
}

Finding config_finding(const NodeCase& c, const model::Pod& pod,
                       const model::ContainerStatus& status) {
  const std::string text = excerpt(status.waiting->message);
  const bool root = mentions(text, "runAsNonRoot");
  Finding finding =
      make_finding(finding::ContainerConfig{.container = status.name,
                                            .it_would_run_as_root = root,
                                            .object = missing_object(status.waiting->message)},
                   fmt::format("CreateContainerConfigError: container {}: {}", status.name.view(),
                               text.empty() ? "the kubelet gives no message" : text),
                   {waiting_evidence(pod, status)}, names_of(c, pod.meta.name));
  finding.group = refusal_group(status, "config", text);
  return finding;
}

Finding create_finding(const NodeCase& c, const model::Pod& pod,
                       const model::ContainerStatus& status) {
  const model::TerminatedState* start = failed_start(status);
  const bool by_reason = waiting_reason(status) != "CrashLoopBackOff" && status.waiting;
  const std::string_view reason =
      by_reason || start == nullptr ? waiting_reason(status) : start->reason.view();
  const std::string_view text =
      by_reason || start == nullptr ? status.waiting->message.view() : start->message.view();
  const std::string_view hint = runtime_hint(text);
  std::string message = fmt::format("{}: container {} does not start", reason, status.name.view());
  if (!hint.empty()) message += fmt::format(": {}", hint);
  if (const std::string said = error_excerpt(text); !said.empty())
    message += fmt::format(": {}", said);
  std::vector<std::string> evidence;
  if (status.waiting) evidence.push_back(waiting_evidence(pod, status));
  if (start != nullptr) {
    evidence.push_back(status_field(
        pod, status,
        fmt::format("{}: {}",
                    status.terminated ? "state.terminated.reason" : "lastState.terminated.reason",
                    start->reason.view())));
  }
  Finding finding = make_finding(FindingId::ContainerCreate, std::move(message),
                                 std::move(evidence), names_of(c, pod.meta.name));
  finding.group = refusal_group(status, reason, hint);
  return finding;
}

// ---- crashes

/// The end that speaks of the present trouble; null where the container has not ended lately.
const model::TerminatedState* last_end(const model::ContainerStatus& status) {
  if (status.terminated) return &*status.terminated;
  return status.last_terminated ? &*status.last_terminated : nullptr;
}

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

bool is_crashing(const model::Pod& pod, const model::ContainerStatus& status,
                 const Facts::Events& events, model::Time now) {
  if (waiting_reason(status) == "CrashLoopBackOff") return true;
  const model::TerminatedState* end = last_end(status);
  if (end == nullptr || status.restart_count < crash_restarts) return false;
  if (is_older(end->finished, old_restart, now)) return false;
  // It has just ended once more, and a daemon pod's container is always started again.
  if (status.terminated && pod.phase != "Failed") return true;
  if (is_running(status) && backed_off(pod, status, events, now)) return true;
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

/// " (7 restarts)"; empty where there was none.
std::string restarts_text(const model::ContainerStatus& status) {
  if (status.restart_count <= 0) return {};
  return fmt::format(" ({})", wording::counted(status.restart_count, "restart"));
}

Finding crash_finding(const NodeCase& c, const model::Pod& pod,
                      const model::ContainerStatus& status, const Facts::Events& events) {
  const model::TerminatedState* end = last_end(status);
  std::string message = fmt::format(
      "{}container {} {}", waiting_reason(status) == "CrashLoopBackOff" ? "CrashLoopBackOff: " : "",
      status.name.view(), end == nullptr ? "exits repeatedly" : "exits with code ");
  std::vector<std::string> evidence;
  if (status.waiting) evidence.push_back(waiting_evidence(pod, status));
  std::string group = status.name.str();
  if (end != nullptr) {
    message += code_text(*end) + run_time(*end);
    if (const model::Event* kill = killed_by_probe(pod, status, *end, events)) {
      message += ", killed by the kubelet because a probe failed";
      evidence.push_back(event_evidence(*kill));
    }
    evidence.push_back(status_field(
        pod, status,
        fmt::format("{}: exit code {}, {}",
                    status.terminated ? "state.terminated" : "lastState.terminated", end->exit_code,
                    end->reason.empty() ? "no reason" : end->reason.view())));
    group += fmt::format("|{}|{}", end->exit_code, end->reason.view());
  }
  message += restarts_text(status);
  if (const std::string said = end == nullptr ? std::string() : first_line(end->message);
      !said.empty()) {
    message += fmt::format("; termination message: \"{}\"", said);
  }
  Finding finding =
      make_finding(finding::ContainerCrash{.container = status.name}, std::move(message),
                   std::move(evidence), names_of(c, pod.meta.name));
  finding.group = std::move(group);
  return finding;
}

std::string_view memory_limit(const model::Pod& pod, const model::ContainerStatus& status) {
  const model::Container* container = find_container(pod, status.name);
  const model::Text* limit = container == nullptr ? nullptr : container->limits.find("memory");
  if (limit == nullptr && pod.spec->limits) limit = pod.spec->limits->find("memory");
  return limit == nullptr ? std::string_view() : limit->view();
}

Finding oom_finding(const NodeCase& c, const model::Pod& pod, const model::ContainerStatus& status,
                    const model::TerminatedState& end) {
  const std::string_view limit = memory_limit(pod, status);
  std::string message = fmt::format("OOMKilled: container {} ", status.name.view());
  message += limit.empty() ? "has no memory limit, the node ran out of memory"
                           : fmt::format("exceeds its memory limit of {}", limit);
  message += run_time(end) + restarts_text(status);
  Finding finding = make_finding(
      finding::ContainerOom{.container = status.name, .it_has_a_limit = !limit.empty()},
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
  const std::size_t words = text.substr(0, 4096).find("address already in use");
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
  message += holder != nullptr ? fmt::format(", likely held by pod {}/{}", holder->meta.ns.view(),
                                             holder->meta.name.view())
                               : std::string(", held by a process that no pod declares");
  Finding finding = make_finding(
      finding::ContainerPortBind{.port = port > 0 ? std::to_string(port) : std::string()},
      std::move(message),
      {status_field(pod, status, fmt::format("terminated.message: {}", first_line(end->message)))},
      names_of(c));
  finding.group = fmt::format("{}|{}", status.name.view(), port);
  findings.push_back(std::move(finding));
}

}  // namespace

std::string exit_text(const model::TerminatedState& state) {
  return "exit code " + code_text(state);
}

std::vector<Finding> container_findings(const NodeCase& c, const model::Pod& pod,
                                        const model::ContainerStatus& status,
                                        const Facts::Events& events) {
  if (is_running(status) && status.ready) return {};
  const std::string_view reason = waiting_reason(status);
  if (reason == "CreateContainerConfigError") return {config_finding(c, pod, status)};
  const bool refused =
      is_one_of(reason, {"CreateContainerError", "RunContainerError", "PreCreateHookError",
                         "PreStartHookError", "PostStartHookError"});
  if (refused || (!is_running(status) && failed_start(status) != nullptr)) {
    return {create_finding(c, pod, status)};
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
