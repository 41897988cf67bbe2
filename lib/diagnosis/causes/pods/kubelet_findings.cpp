// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/pods/kubelet_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/kubelet.h"
#include "diagnosis/causes/pods/kubelet_refusal.h"
#include "diagnosis/causes/pods/pod_evidence.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/report/refusal_reason.h"
#include "diagnosis/taints/taint_knowledge.h"

namespace dsdoctor::diagnosis {
namespace {

using namespace std::chrono_literals;

// An older rejection does not explain why the node has no pod now: the controller's back-off is at
// most 15 minutes.
constexpr auto refusal_counts_for = 20min;
constexpr std::int64_t loop_begins_at = 3;

// The controller's message when it deletes a failed pod.
std::string failed_pod_words(const model::Node& node) {
  return fmt::format(" on node {}, will try to kill it", node.meta.name.view());
}

/// The kubelet's rejections and evictions on this node, oldest first, for pods that do not exist
/// any more or belong to this DaemonSet.
Facts::Events refusals_on(const NodeCase& c) {
  Facts::Events result;
  for (const model::Event* event : c.of.events.complaints_of(c.node.meta.name)) {
    if (refusal_id(event->reason, event->message, Source::Event) &&
        !belongs_to_another(c.of, *event)) {
      result.push_back(event);
    }
  }
  return result;
}

/// Number of occurrences within the last hour; an event that began earlier counts once.
std::int64_t occurrences(const model::Event& event, model::Time now) {
  if (is_older(last_seen(event), threshold::events, now)) return 0;
  const bool all_of_it = event.first && !is_older(event.first, threshold::events, now);
  return all_of_it ? std::clamp<std::int64_t>(event.count, 1, 1'000'000) : 1;
}

std::int64_t occurrences(const Facts::Events& events, model::Time now) {
  std::int64_t result = 0;
  for (const model::Event* event : events) result += occurrences(*event, now);
  return result;
}

/// The controller's events about failed pods on this node, oldest first.
Facts::Events failures_on(const NodeCase& c) {
  const std::string words = failed_pod_words(c.node);
  Facts::Events result;
  for (const model::Event* event : c.of.events.own_on(c.node.meta.name)) {
    if (event->reason != "FailedDaemonPod") continue;
    if (event->message.view().find(words) != std::string_view::npos) result.push_back(event);
  }
  return result;
}

void add_loop(const NodeCase& c, const Facts::Events& refusals, std::vector<Finding>& findings) {
  const model::Time now = c.of.facts.now();
  const Facts::Events failures = failures_on(c);
  const std::int64_t times = std::max(occurrences(refusals, now), occurrences(failures, now));
  if (times < loop_begins_at) return;
  const std::string_view pod =
      c.pods.empty() ? std::string_view() : c.pods.front()->meta.name.view();
  const model::Event& last = *(refusals.empty() ? failures : refusals).back();
  Finding finding = make_finding(finding::KubeletRejectLoop{.times = times}, {event_evidence(last)},
                                 names_of(c, pod));
  finding.standing = Standing::Context;
  findings.push_back(std::move(finding));
}

bool newer_pod_is_ready(const NodeCase& c, const model::Pod& pod) {
  return std::ranges::any_of(c.pods, [&](const model::Pod* other) {
    return other != &pod && is_ready(*other) && !is_terminal(*other) &&
           other->meta.created >= pod.meta.created;
  });
}

}  // namespace

std::vector<Finding> failed_pod_findings(const NodeCase& c, const model::Pod& pod) {
  if (newer_pod_is_ready(c, pod)) return {};
  std::vector<Finding> findings;
  KubeletRefusal refusal;
  // A pod that ended successfully during a shutdown does not always have a reason.
  const bool ended_well = pod.phase == "Succeeded" && pod.reason.empty();
  refusal.reason = ended_well ? std::string_view("Terminated") : pod.reason.view();
  refusal.message = pod.message;
  refusal.pod = pod.meta.name;
  refusal.object = &pod;
  if (pod.reason.empty()) {
    refusal.evidence.emplace_back(ref_of(pod), "status.phase", pod.phase.str());
  } else {
    refusal.evidence.emplace_back(ref_of(pod), "status.reason", pod.reason.str());
  }
  if (!pod.message.empty()) {
    refusal.evidence.emplace_back(ref_of(pod), "status.message", evidence_value(pod.message));
  }
  findings.push_back(refusal_finding(c, refusal));
  add_loop(c, refusals_on(c), findings);
  return findings;
}

std::vector<Finding> refused_pod_findings(const NodeCase& c) {
  std::vector<Finding> findings;
  if (!c.pods.empty()) return findings;
  const Facts::Events refusals = refusals_on(c);
  if (refusals.empty()) return findings;
  const model::Event& last = *refusals.back();
  if (is_older(last_seen(last), refusal_counts_for, c.of.facts.now())) return findings;
  KubeletRefusal refusal;
  refusal.reason = last.reason;
  refusal.message = last.message;
  refusal.pod = last.name;
  refusal.at = last_seen(last);
  refusal.evidence = {event_evidence(last)};
  Finding finding = refusal_finding(c, refusal);
  finding.message.notes.push_back(phrase::NextPodWaits{});
  findings.push_back(std::move(finding));
  add_loop(c, refusals, findings);
  return findings;
}

std::vector<Finding> unacknowledged_pod_findings(const NodeCase& c, const model::Pod& pod) {
  if (pod.phase != "Pending" || pod.start_time || is_terminating(pod)) return {};
  const auto scheduled = model::find_condition(pod.conditions, "PodScheduled");
  if (scheduled == nullptr || scheduled->status != "True" || !scheduled->last_transition) return {};
  // A node that has just become Ready again has to process all its pods.
  const model::Condition* ready = model::find_condition(c.node.conditions, "Ready");
  const model::Time now = c.of.facts.now();
  const bool just_back =
      ready != nullptr && is_younger(ready->last_transition, threshold::acknowledged, now);
  Finding finding = make_finding(
      finding::PodNotAcknowledged{.bound = scheduled->last_transition},
      {condition_evidence(pod, *scheduled), {ref_of(pod), "status.startTime"}}, names_of(c));
  if (just_back || !is_older(scheduled->last_transition, threshold::acknowledged, now)) {
    finding.severity = Severity::Info;
    finding.transient = true;
  }
  return {std::move(finding)};
}

}  // namespace dsdoctor::diagnosis
