// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/startup/readiness_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/time.h"
#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/readiness.h"
#include "diagnosis/causes/startup/exit_text.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/taints/taint_knowledge.h"

namespace dsdoctor::diagnosis {
namespace {

using namespace std::chrono_literals;

constexpr auto day = 24h;
constexpr std::int64_t many_restarts = 5;

/// The probe that keeps the container unready; a running startup probe suspends the readiness
/// probe.
struct Holding {
  const char* kind = nullptr;
  const model::Probe* probe = nullptr;
};

Holding holding_probe(const model::Container& container, const model::ContainerStatus& status) {
  if (container.startup_probe && !status.started.value_or(true)) {
    return {"startup", &*container.startup_probe};
  }
  if (container.readiness_probe) return {"readiness", &*container.readiness_probe};
  if (container.startup_probe) return {"startup", &*container.startup_probe};
  return {};
}

std::optional<Finding> probe_finding(const NodeCase& c, const model::Pod& pod,
                                     const model::ContainerStatus& status,
                                     const Facts::Events& events) {
  const model::Container* container = find_container(pod, status.name);
  if (container == nullptr || !is_running(status)) return std::nullopt;
  if (status.ready && status.started.value_or(true)) return std::nullopt;
  const Holding holding = holding_probe(*container, status);
  if (holding.probe == nullptr) return std::nullopt;  // becomes ready soon after start
  const model::Event* unhealthy =
      newest_unhealthy(events, pod, status.name, holding.kind, status.running_since);
  const std::int64_t budget = probe_budget(*container);
  const bool overdue =
      is_older(status.running_since, std::chrono::seconds(budget) + threshold::ready_slack,
               c.of.facts.now());
  // Unready alone is not a failure: the probe may still wait for its first run.
  const bool has_failed = unhealthy != nullptr || overdue;
  const std::string handler = excerpt(holding.probe->handler);
  std::vector<Evidence> evidence = {
      status_evidence(pod, status, status.ready ? "started" : "ready", "false")};
  if (unhealthy != nullptr) evidence.push_back(event_evidence(*unhealthy));
  const Message failure =
      has_failed ? Message(phrase::ProbeFails{
                       .began = status.running_since,
                       .budget = budget,
                       .container = status.name,
                       .handler = handler,
                       .probe = holding.kind,
                       .said = unhealthy ? error_excerpt(unhealthy->message) : std::string(),
                       .times = unhealthy && unhealthy->count > 1
                                    ? std::optional<std::int64_t>(unhealthy->count)
                                    : std::nullopt})
                 : Message(phrase::ProbeNotPassed{.began = status.running_since,
                                                  .budget = budget,
                                                  .container = status.name,
                                                  .handler = handler,
                                                  .probe = holding.kind});
  Finding finding = make_finding(
      finding::ProbeFailing{
          .container = status.name, .failure = failure, .reason = has_failed ? "Unhealthy" : ""},
      std::move(evidence), names_of(c, pod.meta.name));
  finding.group = fmt::format("{}|{}", status.name.view(), holding.kind);
  if (!overdue) {
    finding.severity = Severity::Info;
    finding.transient = true;
  } else if (unhealthy == nullptr) {
    finding.basis = Basis::Recomputed;
  }
  return finding;
}

void add_liveness(const NodeCase& c, const model::Pod& pod, const model::ContainerStatus& status,
                  const Facts::Events& events, std::vector<Finding>& findings) {
  const model::Container* container = find_container(pod, status.name);
  if (container == nullptr || !container->liveness_probe || status.ready) return;
  const model::Event* unhealthy =
      newest_unhealthy(events, pod, status.name, "liveness", status.running_since);
  if (unhealthy == nullptr ||
      is_older(last_seen(*unhealthy), threshold::events, c.of.facts.now())) {
    return;
  }
  Finding finding = make_finding(
      finding::ProbeFailing{
          .container = status.name,
          .failure = phrase::ProbeRestarts{.container = status.name,
                                           .handler = excerpt(container->liveness_probe->handler),
                                           .said = excerpt(unhealthy->message)},
          .reason = ""},
      {event_evidence(*unhealthy)}, names_of(c, pod.meta.name));
  finding.group = fmt::format("{}|liveness", status.name.view());
  findings.push_back(std::move(finding));
}

void add_gates(const NodeCase& c, const model::Pod& pod, std::vector<Finding>& findings) {
  const auto ready = model::find_condition(pod.conditions, "Ready");
  if (ready == nullptr || ready->reason != "ReadinessGatesNotReady") return;
  std::vector<Evidence> evidence = {condition_evidence(pod, "Ready", "reason", ready->reason)};
  std::vector<Message> open;
  std::string group;
  const auto& gates = pod.spec->readiness_gates;
  for (std::size_t i = 0; i < gates.size(); ++i) {
    const auto condition = model::find_condition(pod.conditions, gates[i]);
    if (condition != nullptr && condition->status == "True") continue;
    evidence.emplace_back(ref_of(pod), fmt::format("spec.readinessGates[{}].conditionType", i),
                          gates[i].str());
    group += fmt::format("{}{}", group.empty() ? "" : "|", gates[i].view());
    if (condition == nullptr) {
      open.push_back(phrase::GateMissing{.gate = gates[i]});
      continue;
    }
    open.push_back(phrase::GateOpen{
        .gate = gates[i], .reason = condition->reason, .status = condition->status});
    group += fmt::format("={},{}", condition->status.view(), condition->reason.view());
  }
  const bool is_told = open.empty();  // no gate is open: use the condition's reason and message
  Finding finding = make_finding(
      finding::ReadinessGate{.gates = open,
                             .it_is_one = open.size() == 1,
                             .reason = is_told ? ready->reason.view() : std::string_view(),
                             .said = is_told ? excerpt(ready->message) : std::string()},
      std::move(evidence), names_of(c, pod.meta.name));
  finding.group = std::move(group);
  findings.push_back(std::move(finding));
}

/// The kubelet is back but has not yet reset the Ready condition that the node controller set.
void add_back(const NodeCase& c, const model::Pod& pod, std::vector<Finding>& findings) {
  const auto ready = model::find_condition(pod.conditions, "Ready");
  if (ready == nullptr || ready->status != "False" || pod.statuses.empty()) return;
  if (!is_new(c.node, c.of.facts.now()) || !is_ready(c.node)) return;
  if (!is_ready_by_conditions(pod)) return;
  const auto node_ready = model::find_condition(c.node.conditions, "Ready");
  Finding finding = make_finding(
      finding::NotReadyNode{.reason = "",
                            .state = phrase::NodeIsBack{.began = node_ready->last_transition}},
      {condition_evidence(pod, "Ready", "status", "False"),
       condition_evidence(pod, "ContainersReady", "status", "True"),
       condition_evidence(c.node, *node_ready)},
      names_of(c));
  finding.severity = Severity::Info;
  finding.transient = true;
  finding.fix.clear();
  findings.push_back(std::move(finding));
}

void add_node(const NodeCase& c, const model::Pod& pod, const Facts::Events& events,
              std::vector<Finding>& findings) {
  if (!is_marked_by_node(c, pod, events)) return add_back(c, pod, findings);
  const auto ready = model::find_condition(pod.conditions, "Ready");
  const model::Event* event = newest(events, {"NodeNotReady"});
  const auto node_ready = model::find_condition(c.node.conditions, "Ready");
  std::vector<Evidence> evidence = {condition_evidence(pod, "Ready", "status", ready->status)};
  if (c.report.node_known()) {
    evidence.push_back(node_ready == nullptr ? Evidence(ref_of(c.node), "status.conditions")
                                             : condition_evidence(c.node, *node_ready));
  }
  if (event != nullptr) evidence.push_back(event_evidence(*event));
  findings.push_back(make_finding(
      finding::NotReadyNode{.reason = "NodeNotReady",
                            .state = phrase::NodeMarkedPod{.began = ready->last_transition}},
      std::move(evidence), names_of(c)));
}

// ---- ready pods

void add_warming(const NodeCase& c, const model::Pod& pod, std::vector<Finding>& findings) {
  const std::int64_t needed = c.of.ds.min_ready_seconds;
  if (needed <= 0) return;
  const model::Time now = c.of.facts.now();
  if (is_available(pod, std::min(needed, std::int64_t{1} << 40), now, c.of.behaviour)) return;
  const auto since = model::find_condition(pod.conditions, "Ready")->last_transition;
  std::optional<std::int64_t> left;
  if (since && now >= *since) {
    const auto passed = std::chrono::floor<std::chrono::seconds>(now - *since).count();
    left = std::max<std::int64_t>(needed - passed, 0);
  }
  Finding finding =
      make_finding(finding::PodWarming{.began = since, .left = left, .needed = needed},
                   {condition_evidence(pod, "Ready", "lastTransitionTime",
                                       since ? base::rfc3339(*since) : std::string()),
                    {ref_of(c.of.ds), "spec.minReadySeconds", std::to_string(needed)}});
  finding.transient = true;
  findings.push_back(std::move(finding));
}

/// True if the node itself restarted; then the exits of its containers say nothing about them.
bool node_rebooted(const NodeCase& c, const model::TerminatedState& end) {
  const model::Time now = c.of.facts.now();
  for (const model::Event* event : c.of.facts.events_of("Node", "", c.node.meta.name, "")) {
    if (event->reason == "Rebooted" && is_younger(last_seen(*event), day, now)) return true;
  }
  const model::Condition* ready = model::find_condition(c.node.conditions, "Ready");
  if (ready == nullptr || !ready->last_transition || !end.finished) return false;
  constexpr auto at_once = std::chrono::minutes(10);
  return std::chrono::abs(*ready->last_transition - *end.finished) < at_once;
}

void add_restarts(const NodeCase& c, const model::Pod& pod, std::vector<Finding>& findings) {
  const model::Time now = c.of.facts.now();
  for (const model::ContainerStatus& status : pod.statuses) {
    if (status.restart_count <= many_restarts || !status.last_terminated) continue;
    const model::TerminatedState& end = *status.last_terminated;
    if (!is_younger(end.finished, day, now) || node_rebooted(c, end)) continue;
    const auto begun = pod.start_time ? pod.start_time : pod.meta.created;
    if (!begun) continue;
    // The counter covers the pod's whole life, which is the last day only for a young pod.
    const auto hours = std::chrono::floor<std::chrono::hours>(now - *begun).count();
    const bool whole_life = hours < 24;
    const std::int64_t restarts = std::min<std::int64_t>(status.restart_count, 1'000'000'000);
    if (!whole_life && restarts * 24 / hours <= many_restarts) continue;
    Finding finding = make_finding(
        finding::RestartsHigh{.container = status.name,
                              .end = exit_told(end),
                              .life = now - *begun,
                              .restarts = status.restart_count},
        {status_evidence(pod, status, "restartCount", std::to_string(status.restart_count)),
         end_evidence(pod, status, end)},
        names_of(c, pod.meta.name));
    finding.group = fmt::format("{}|{}", status.name.view(), end.exit_code);
    if (!whole_life) finding.basis = Basis::Suspected;
    findings.push_back(std::move(finding));
  }
}

}  // namespace

std::vector<Finding> readiness_findings(const NodeCase& c, const model::Pod& pod,
                                        const Facts::Events& events) {
  std::vector<Finding> findings;
  add_node(c, pod, events, findings);
  if (!findings.empty()) return findings;  // the container statuses are outdated
  for (const auto* statuses : {&pod.init_statuses, &pod.statuses}) {
    for (const model::ContainerStatus& status : *statuses) {
      if (auto finding = probe_finding(c, pod, status, events))
        findings.push_back(std::move(*finding));
      add_liveness(c, pod, status, events, findings);
    }
  }
  add_gates(c, pod, findings);
  return findings;
}

std::vector<Finding> ready_pod_findings(const NodeCase& c, const model::Pod& pod) {
  std::vector<Finding> findings;
  add_warming(c, pod, findings);
  add_restarts(c, pod, findings);
  return findings;
}

}  // namespace dsdoctor::diagnosis
