// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/nodes/not_ready.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "diagnosis/catalogue/findings/node.h"
#include "diagnosis/catalogue/object_evidence.h"
#include "diagnosis/causes/nodes/startup_agents.h"
#include "diagnosis/evidence/node_state.h"
#include "diagnosis/evidence/wording.h"
#include "diagnosis/report/pod_signs.h"
#include "placement/verdict.h"

namespace dsdoctor::diagnosis {
namespace {

// A graceful shutdown takes as long as the kubelet's shutdownGracePeriod: minutes at most.
constexpr std::chrono::minutes shutdown_may_take{10};
// A physical server takes long to restart.
constexpr std::chrono::minutes update_may_take{30};

/// Absent if the cause is unknown.
std::optional<Message> phrase_of(NotReadyCause cause) {
  switch (cause) {
    case NotReadyCause::Network: return phrase::NotReadyNetwork{};
    case NotReadyCause::Runtime: return phrase::NotReadyRuntime{};
    case NotReadyCause::Pleg: return phrase::NotReadyPleg{};
    case NotReadyCause::Credentials: return phrase::NotReadyCredentials{};
    case NotReadyCause::Shutdown: return phrase::NotReadyShutdown{};
    case NotReadyCause::Start: return phrase::NotReadyStart{};
    case NotReadyCause::Other: return std::nullopt;
  }
  return std::nullopt;
}

/// The pod that should set up the node's network and does not.
struct NetworkFault {
  std::optional<Message> what;  // absent if no such pod is known to be missing or failing
  const model::Pod* pod = nullptr;
};

/// Waiting reason or exit of an init container; empty if it has completed or not started.
std::string init_state(const model::ContainerStatus& status) {
  if (const std::string_view reason = waiting_reason(status); !reason.empty()) {
    return reason == "PodInitializing" ? std::string() : fmt::format("Init:{}", reason);
  }
  if (!status.terminated || status.terminated->exit_code == 0) return {};
  const std::string_view reason = status.terminated->reason;
  return reason.empty() ? fmt::format("Init:ExitCode:{}", status.terminated->exit_code)
                        : fmt::format("Init:{}", reason);
}

/// Why the pod is not ready, as kubectl prints it; empty if its containers do not show a reason.
std::string state_of(const model::Pod& pod) {
  if (is_terminating(pod)) return "Terminating";
  for (const model::ContainerStatus& status : pod.init_statuses) {
    if (std::string state = init_state(status); !state.empty()) return state;
  }
  for (const model::ContainerStatus& status : pod.statuses) {
    if (const std::string_view reason = waiting_reason(status); !reason.empty()) {
      return std::string(reason);
    }
  }
  return {};
}

/// A pod that itself needs the pod network cannot set it up.
bool brings_network(const model::DaemonSet& ds) { return ds.pod_template.host_network; }

NetworkFault network_fault(const NodeCase& of) {
  const Facts& facts = of.of.facts;
  NetworkFault result;
  if (!facts.knows_all_pods_on(of.node.meta.name)) return result;
  for (const model::DaemonSet* ds : facts.network_plugins()) {
    if (!brings_network(*ds)) continue;
    const model::Pod* pod = pod_of(*ds, facts.pods_on(of.node.meta.name));
    if (pod != nullptr && (is_terminating(*pod) || !is_ready(*pod))) {
      // The pod is not ready because the node is not.
      if (is_marked_by_node(of, *pod, events_of(facts, *pod))) continue;
      return {phrase::NetworkPodNotReady{.its_pod = ref_of(*pod), .state = state_of(*pod)}, pod};
    }
    if (pod != nullptr || result.what) continue;
    const placement::Evaluator evaluator(ds->pod_template, of.of.gates);
    if (!placement::should_run(evaluator.decide(of.node))) continue;
    result.what = phrase::NetworkPodMissing{.daemon_set = ref_of(*ds)};
  }
  return result;
}

}  // namespace

NotReadyCause not_ready_cause(std::string_view message) {
  const auto has = [&](std::string_view part) { return message.find(part) != message.npos; };
  if (has("container runtime is down")) return NotReadyCause::Runtime;  // the rest is outdated
  // The kubelet checks its plugins and the network only after that.
  if (has("container runtime status check") && has("pleg has yet to be successful")) {
    return NotReadyCause::Start;
  }
  if (has("NetworkPluginNotReady") || has("cni") || has("network is not ready") ||
      has("runtime network not ready")) {
    return NotReadyCause::Network;
  }
  if (has("runtime is not running") || has("container runtime status") || has("containerd.sock") ||
      has("crio.sock") || has("dockerd.sock")) {
    return NotReadyCause::Runtime;
  }
  if (has("PLEG")) return NotReadyCause::Pleg;
  if (has("shutting down")) return NotReadyCause::Shutdown;
  if (has("certificate") || has("Unauthorized") || has("forbidden")) {
    return NotReadyCause::Credentials;
  }
  return NotReadyCause::Other;
}

Finding& add_not_ready(const NodeCase& of, const model::Condition& ready, NodeRecord& record) {
  using enum NotReadyCause;
  const NotReadyCause cause = not_ready_cause(ready.message);
  const NetworkFault fault = cause == Network ? network_fault(of) : NetworkFault();
  const bool has_pod = fault.pod != nullptr;
  Finding& finding = record.add(
      finding::NodeNotReady{
          .because = phrase_of(cause),
          .it_is_being_updated = is_being_updated(of.node),
          .it_is_shutting_down = cause == Shutdown,
          .network = fault.what,
          .network_ns = has_pod ? fault.pod->meta.ns.view() : std::string_view(),
          .network_pod = has_pod ? fault.pod->meta.name.view() : std::string_view(),
          .nothing_else_is_known = cause == Other,
          .said = wording::cut(ready.message.empty() ? ready.reason : ready.message),
          .since = {ready.last_transition, of.of.facts.now()},
          .the_credentials_are_refused = cause == Credentials,
          .the_kubelet_is_starting = cause == Start,
          .the_network_is_not_set_up = cause == Network && !has_pod,
          .the_runtime_fails = cause == Runtime || cause == Pleg},
      {record.condition(ready)});
  finding.group = fmt::format("{} {}", ready.reason.view(), static_cast<int>(cause));
  if (cause == Shutdown && ready.last_transition) {
    finding.transient = record.is_within(ready.last_transition, shutdown_may_take);
    if (!finding.transient) finding.overdue_since = *ready.last_transition + shutdown_may_take;
  }
  return finding;
}

void settle_update(const NodeCase& of, const model::Condition& ready, NodeRecord& record,
                   Finding& finding) {
  if (!is_being_updated(of.node)) return;
  finding.evidence.push_back(
      record.field("metadata.annotations['machineconfiguration.openshift.io/state']",
                   of.node.machine_config_state));
  if (!ready.last_transition) return;
  finding.transient = record.is_within(ready.last_transition, update_may_take);
  if (finding.transient) {
    finding.severity = std::max(finding.severity, Severity::Warning);
    finding.fix.resize(std::min<std::size_t>(finding.fix.size(), 1));
  } else {
    finding.overdue_since = *ready.last_transition + update_may_take;
  }
}

}  // namespace dsdoctor::diagnosis
