// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/startup/startup_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/time.h"
#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/startup.h"
#include "diagnosis/causes/startup/container_findings.h"
#include "diagnosis/causes/startup/exit_text.h"
#include "diagnosis/causes/startup/image_findings.h"
#include "diagnosis/causes/startup/preparation_findings.h"
#include "diagnosis/report/pod_signs.h"

namespace dsdoctor::diagnosis {
namespace {

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

/// The first init container that has not completed; absent if all have, or if unknown.
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

Message state_of(const model::ContainerStatus& status) {
  if (status.waiting) {
    const bool has_run = status.last_terminated.has_value();
    return phrase::InitWaits{
        .end = has_run ? std::optional(exit_told(*status.last_terminated)) : std::nullopt,
        .reason = status.waiting->reason};
  }
  if (status.terminated) return phrase::InitEnded{.end = exit_told(*status.terminated)};
  return phrase::InitRuns{.began = status.running_since};
}

std::vector<Evidence> state_evidence(const model::Pod& pod, const model::ContainerStatus& status) {
  if (is_running(status)) {
    const auto& since = status.running_since;
    return {status_evidence(pod, status, "state.running.startedAt",
                            since ? base::rfc3339(*since) : std::string())};
  }
  std::vector<Evidence> evidence;
  if (status.waiting) {
    evidence.push_back(
        status_evidence(pod, status, "state.waiting.reason", status.waiting->reason));
  }
  if (const model::TerminatedState* end = last_end(status)) {
    evidence.push_back(end_evidence(pod, status, *end));
  }
  return evidence;
}

/// The status as kubectl prints it: "Init:CrashLoopBackOff", "Init:1/2".
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

/// Copies the fix and severity of the init container's own problem to the blocked pod's finding.
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
  const std::string_view name = status.name;
  Finding finding =
      make_finding(finding::InitBlocked{.container = name,
                                        .containers = pod.spec->init_containers.size(),
                                        .it_is_a_sidecar = sidecar,
                                        .it_runs = is_running(status),
                                        .it_waits = status.waiting.has_value(),
                                        .position = blocker.index + 1,
                                        .state = state_of(status),
                                        .status = init_status(pod, blocker)},
                   state_evidence(pod, status), names_of(c, pod.meta.name));
  finding.group = fmt::format("{}|{}", name,
                              status.waiting      ? status.waiting->reason.view()
                              : status.terminated ? "terminated"
                                                  : "running");
  if (is_running(status)) {
    // A sidecar gets the time that its startup probe allows.
    const std::chrono::seconds budget(sidecar ? probe_budget(*blocker.container) : 0);
    const auto patience = std::max(threshold::creating, budget + threshold::ready_slack);
    const bool long_ago = is_older(status.running_since, patience, now);
    // An init container can take long on purpose: a migration, a wait for another service.
    finding.severity = long_ago ? (sidecar ? Severity::Error : Severity::Warning) : Severity::Info;
    finding.transient = !long_ago;
  }
  return finding;
}

void append(std::vector<Finding>& to, std::vector<Finding> from) {
  std::ranges::move(from, std::back_inserter(to));
}

void add_container(const NodeCase& c, const model::Pod& pod, const model::ContainerStatus& status,
                   const Facts::Events& events, std::vector<Finding>& findings) {
  append(findings, image_findings(c, pod, status, events));
  append(findings, container_findings(c, pod, status, events));
}

}  // namespace

std::vector<Finding> startup_findings(const NodeCase& c, const model::Pod& pod,
                                      const Facts::Events& events) {
  std::vector<Finding> findings = preparation_findings(c, pod, events);
  if (!findings.empty()) return findings;
  const auto blocker = first_unfinished(pod);
  if (blocker && !waits_for_pod(*blocker->status)) {
    if (auto finding = init_finding(c, pod, *blocker)) findings.push_back(std::move(*finding));
    add_container(c, pod, *blocker->status, events, findings);
    if (findings.size() > 1) follow(findings.front(), findings[1]);
    return findings;
  }
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
  return waiting_findings(c, pod, blocker ? pod.spec->init_containers : pod.spec->containers,
                          events);
}

}  // namespace dsdoctor::diagnosis
