// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/creation/new_pods.h"

#include <algorithm>

#include "diagnosis/catalogue/findings/rollout.h"
#include "diagnosis/catalogue/role.h"
#include "diagnosis/report/departure.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/report/refusal_reason.h"

namespace dsdoctor::diagnosis {
namespace {

constexpr std::chrono::minutes restarts_lately{10};

const model::Node* node_of(const DaemonSetCase& c, const model::Pod& pod) {
  const model::Text* name = target_node(pod);
  return name == nullptr ? nullptr : model::find_node(c.facts.cluster(), *name);
}

std::optional<StartFault> waiting_fault(const model::ContainerStatus& status) {
  const std::string_view reason = status.waiting->reason;
  if (reason.empty() || reason == "ContainerCreating" || reason == "PodInitializing") {
    return std::nullopt;
  }
  // The kubelet alternates between two reasons for one failed pull.
  const bool pull = reason == "ErrImagePull" || reason == "ImagePullBackOff";
  return StartFault{.reason = std::string(pull ? "ImagePullBackOff" : reason),
                    .container = status.name.str()};
}

bool failed(const model::SharedOptional<model::TerminatedState>& end) {
  return end && end->exit_code != 0;
}

/// The fault in the container's own status; for a running container, whether it was restarted
/// recently.
std::optional<StartFault> fault_of(const model::ContainerStatus& status, model::Time now) {
  constexpr std::chrono::minutes longest_back_off{5};
  if (status.waiting) return waiting_fault(status);
  const bool crashed = failed(status.terminated) ||
                       (status.running && failed(status.last_terminated) &&
                        is_younger(status.last_terminated->finished, longest_back_off, now));
  if (!crashed || status.restart_count < 1) return std::nullopt;
  return StartFault{.reason = "CrashLoopBackOff", .container = status.name.str()};
}

/// Whether the container has exceeded its probe budget.
bool is_overdue(const model::Pod& pod, const model::ContainerStatus& status, model::Time now) {
  if (!status.running || status.ready) return false;
  const model::Container* container = find_container(pod, status.name);
  const std::chrono::seconds budget(container == nullptr ? 0 : probe_budget(*container));
  return is_older(status.running_since, budget + threshold::ready_slack, now);
}

/// The kubelet's rejection of a pod because of its template. The node has a ready pod of an older
/// template, so the node alone is not the cause.
std::optional<StartFault> refusal_of(const DaemonSetCase& c, const model::Pod& pod) {
  if (pod.phase != "Failed") return std::nullopt;
  const auto id = refusal_id(pod.reason, pod.message, Source::Status);
  if (!is_about(*id, About::Template)) return std::nullopt;
  const bool ran_before = std::ranges::any_of(c.claimed.owned, [&](const model::Pod* other) {
    return other->node_name == pod.node_name && is_live(*other) && is_ready(*other) &&
           !c.revision.is_current(*other);
  });
  if (!ran_before) return std::nullopt;
  return StartFault{.reason = pod.reason.str()};
}

}  // namespace

bool on_unready_node(const DaemonSetCase& c, const model::Pod& pod) {
  const model::Node* node = node_of(c, pod);
  if (node == nullptr) return false;
  const model::Condition* ready = model::find_condition(node->conditions, "Ready");
  return ready != nullptr && ready->status != "True";
}

Message message_of(const StartFault& fault) {
  if (fault.stays_unready) return phrase::ContainerStaysUnready{.container = fault.container};
  if (fault.container.empty()) return phrase::PodIsRejected{.reason = fault.reason};
  return phrase::ContainerFails{.container = fault.container, .reason = fault.reason};
}

std::optional<StartFault> start_fault(const DaemonSetCase& c, const model::Pod& pod) {
  if (!is_bound(pod) || on_unready_node(c, pod)) return std::nullopt;
  if (auto refusal = refusal_of(c, pod)) return refusal;
  const model::Time now = c.facts.now();
  for (const auto* statuses : {&pod.init_statuses, &pod.statuses}) {
    for (const model::ContainerStatus& status : *statuses) {
      if (auto fault = fault_of(status, now)) return fault;
    }
  }
  for (const model::ContainerStatus& status : pod.statuses) {
    if (is_overdue(pod, status, now)) {
      return StartFault{.stays_unready = true, .container = status.name.str()};
    }
  }
  return std::nullopt;
}

bool is_on_its_way(const DaemonSetCase& c, const model::Pod& pod) {
  if (is_terminating(pod)) return ends_by_itself(pod, node_of(c, pod), c.facts);
  if (!is_bound(pod) || is_terminal(pod) || on_unready_node(c, pod) || start_fault(c, pod)) {
    return false;
  }
  const auto runs_on = [&](const model::ContainerStatus& status) {
    const auto& end = status.last_terminated;
    return status.running && !(end && is_younger(end->finished, restarts_lately, c.facts.now()));
  };
  // If all containers are ready, the pod waits for something else, which takes its own time.
  return std::ranges::all_of(pod.statuses, runs_on) &&
         !std::ranges::all_of(pod.statuses, &model::ContainerStatus::ready);
}

Message unavailability(const DaemonSetCase& c, const model::Pod& pod) {
  const model::Text& name = pod.meta.name;
  const auto now = c.facts.now();
  if (is_terminating(pod)) {
    const auto overdue = now - *pod.meta.deleted;
    if (overdue.count() <= 0) return phrase::PodIsBeingDeleted{.pod = name};
    return phrase::PodIsOverdue{.overdue = overdue, .pod = name};
  }
  if (is_terminal(pod)) {
    return phrase::PodHasEnded{.phase = pod.phase, .pod = name, .reason = pod.reason};
  }
  if (!is_bound(pod)) return phrase::PodIsNotScheduled{.pod = name};
  if (is_ready(pod)) {
    const auto since = model::find_condition(pod.conditions, "Ready")->last_transition;
    return phrase::PodIsReadyTooBriefly{
        .min_ready_seconds = c.ds.min_ready_seconds,
        .pod = name,
        .ready = since ? std::optional(now - *since) : std::nullopt};
  }
  const auto fault = start_fault(c, pod);
  return phrase::PodIsNotReady{.fault = fault ? std::optional(message_of(*fault)) : std::nullopt,
                               .pod = name};
}

}  // namespace dsdoctor::diagnosis
