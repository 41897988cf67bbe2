#include "diagnosis/causes/creation/new_pods.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnosis/evidence/wording.h"
#include "scheduling/host_ports.h"

namespace dsdoctor::diagnosis {
namespace {

const model::Node* node_of(const DaemonSetCase& c, const model::Pod& pod) {
  const model::Text* name = target_node(pod);
  return name == nullptr ? nullptr : model::find_node(c.facts.cluster(), *name);
}

std::optional<std::string> fault_of(const model::ContainerStatus& status) {
  const std::string_view name = status.name;
  if (status.waiting) {
    const std::string_view reason = status.waiting->reason;
    if (reason.empty() || reason == "ContainerCreating" || reason == "PodInitializing") {
      return std::nullopt;
    }
    if (reason == "CrashLoopBackOff") return fmt::format("container {} crashes", name);
    if (reason == "ErrImagePull" || reason == "ImagePullBackOff") {
      return fmt::format("the image of container {} cannot be pulled", name);
    }
    return fmt::format("container {} waits: {}", name, reason);
  }
  if (status.terminated && status.terminated->exit_code != 0) {
    return fmt::format("container {} crashes", name);
  }
  return std::nullopt;
}

}  // namespace

bool on_unready_node(const DaemonSetCase& c, const model::Pod& pod) {
  const model::Node* node = node_of(c, pod);
  if (node == nullptr) return false;
  const model::Condition* ready = model::find_condition(node->conditions, "Ready");
  return ready != nullptr && ready->status != "True";
}

std::optional<std::string> start_fault(const DaemonSetCase& c, const model::Pod& pod) {
  if (!is_bound(pod) || on_unready_node(c, pod)) return std::nullopt;
  for (const auto* statuses : {&pod.init_statuses, &pod.statuses}) {
    for (const model::ContainerStatus& status : *statuses) {
      if (auto fault = fault_of(status)) return fault;
    }
  }
  for (const model::ContainerStatus& status : pod.statuses) {
    if (status.running && !status.ready) {
      return fmt::format("container {} runs and does not become ready", status.name.view());
    }
  }
  return std::nullopt;
}

std::string unavailability(const DaemonSetCase& c, const model::Pod& pod) {
  const std::string name = fmt::format("pod {}", pod.meta.name.view());
  const auto now = c.facts.now();
  if (is_terminating(pod)) {
    const auto overdue = now - *pod.meta.deleted;
    if (overdue.count() <= 0) return name + " is being deleted";
    return fmt::format("{} should have been gone for {}", name, wording::span(overdue));
  }
  if (pod.phase == "Failed" || pod.phase == "Succeeded") {
    return fmt::format("{} is {}", name, pod.phase.view());
  }
  if (!is_bound(pod)) return name + " is not scheduled";
  if (is_ready(pod)) {
    const auto since = model::find_condition(pod.conditions, "Ready")->last_transition;
    return fmt::format("{} has been ready for {} of {} s", name,
                       since ? wording::span(now - *since) : "an unknown time",
                       c.ds.min_ready_seconds);
  }
  if (on_unready_node(c, pod)) return name + " is not ready: its node is not ready";
  if (const auto fault = start_fault(c, pod)) return fmt::format("{}: {}", name, *fault);
  return name + " is not ready";
}

std::string shared_host_port(const model::Pod& a, const model::Pod& b) {
  const auto conflicts = scheduling::port_conflicts(a, {&b});
  if (conflicts.empty()) return "";
  const scheduling::HostPort& wanted = conflicts.front().wanted;
  return fmt::format("{}/{}", wanted.port, wanted.protocol.view());
}

}  // namespace dsdoctor::diagnosis
