// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/pending/pending_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "diagnosis/catalogue/role.h"
#include "scheduling/preemption.h"

namespace dsdoctor::diagnosis {
namespace {

/// Parses the scheduler's message. A reason that is not known can be one of a newer release's own
/// plugins.
scheduling::SchedulerMessage parse_for(const Facts& facts, std::string_view message) {
  using enum scheduling::FilterReason;
  scheduling::SchedulerMessage result = scheduling::parse_scheduler_message(message);
  if (!is_newer_than_known(facts.release())) return result;
  for (scheduling::MessageReason& reason : result.reasons) {
    if (reason.filter == Unknown) reason.filter = Other;
  }
  return result;
}

/// Reads the condition first: it is never truncated and is newer than the event.
void read_message(PendingCase& c) {
  const auto condition = model::find_condition(c.pod.conditions, "PodScheduled");
  if (condition != nullptr && condition->status == "False" &&
      condition->reason == "Unschedulable" && !condition->message.empty()) {
    c.said = parse_for(c.facts, condition->message);
    c.said_in = pod_condition_evidence(c.pod, "PodScheduled", "message", condition->message);
    return;
  }
  if (condition != nullptr && condition->reason == "SchedulerError") return;
  const model::Event* refusal = last_refusal(c.facts, c.pod);
  if (refusal == nullptr || refusal->message.empty()) return;
  c.said = parse_for(c.facts, refusal->message);
  c.said_in = event_evidence(*refusal);
}

}  // namespace

model::Time::duration age_of(const PendingCase& c) {
  if (!c.pod.meta.created) return std::chrono::hours(24);  // possible in a file
  return c.facts.now() - *c.pod.meta.created;
}

const model::Event* last_refusal(const Facts& facts, const model::Pod& pod) {
  const auto events = facts.events_of("Pod", pod.meta.ns, pod.meta.name, pod.meta.uid);
  const auto newest = std::ranges::find_if(events.rbegin(), events.rend(), [](const auto* event) {
    return event->reason == "FailedScheduling";
  });
  return newest == events.rend() ? nullptr : *newest;
}

bool is_default_scheduler(const model::Pod& pod) {
  const model::Text& name = pod.spec->scheduler_name;
  return name.empty() || name == "default-scheduler";
}

model::Time last_attempt(const PendingCase& c) {
  const model::Event* refusal = last_refusal(c.facts, c.pod);
  if (refusal != nullptr && refusal->last) return *refusal->last;
  return c.pod.meta.created.value_or(c.facts.now());
}

const PreparedFit& PendingCase::fit() const {
  if (prepared) return *prepared;
  prepared.emplace(
      PreparedFit{{pod, node, facts.cluster().device_classes, facts.counted_by()}, {}});
  prepared->loads.reserve(here.size());
  for (const model::Pod* other : here) prepared->loads.push_back(prepared->fit.load_of(*other));
  return *prepared;
}

PendingCase pending_case(const NodeCase& of, const model::Pod& pod, bool predicted) {
  const Facts& facts = of.of.facts;
  PendingCase c{
      of,
      pod,
      of.node,
      facts,
      predicted,
      facts.knows_all_pods_on(of.node.meta.name),
      {},
      {facts.cluster(),
       of.node,
       [&facts](std::string_view node) -> const Facts::Pods& { return facts.pods_on(node); },
       facts.neighbourhood(),
       {}},
      {},
      {}};
  std::ranges::copy_if(facts.pods_on(of.node.meta.name), std::back_inserter(c.here),
                       [&](const auto* other) { return other != &pod; });
  if (!predicted) read_message(c);
  return c;
}

bool PendingCase::says(FindingId id, std::string_view resource) const {
  return said && std::ranges::any_of(said->reasons, [&](const auto& reason) {
           return id_of(reason.filter) == id &&
                  (resource.empty() || reason.resource.empty() || reason.resource == resource);
         });
}

Finding pending_finding(const PendingCase& c, FindingKind kind, std::vector<Evidence> evidence) {
  CaseNames names = names_of(c.of);
  if (!c.predicted) names.pod = c.pod.meta.name;
  Finding finding = make_finding(std::move(kind), std::move(evidence), names);
  if (role_of(finding.id).stage == Stage::None) finding.standing = Standing::Context;
  return finding;
}

FindingId id_of(scheduling::FilterReason reason) {
  using enum scheduling::FilterReason;
  switch (reason) {
    case Unknown: return FindingId::SchedulerDisagrees;
    case Unschedulable: return FindingId::SchedUnschedulable;
    case Taint: return FindingId::SchedTaint;
    case AffinityConflict: return FindingId::SchedAffinityConflict;
    case VolumeAffinity: return FindingId::SchedVolumeAffinity;
    case NodeSelector: return FindingId::SchedNodeSelector;
    case HostPort: return FindingId::SchedHostPort;
    case TooManyPods: return FindingId::SchedTooManyPods;
    case Cpu: return FindingId::SchedInsufficientCpu;
    case Memory: return FindingId::SchedInsufficientMemory;
    case EphemeralStorage: return FindingId::SchedInsufficientEphemeralStorage;
    case HugePages: return FindingId::SchedInsufficientHugepages;
    case ExtendedResource: return FindingId::SchedInsufficientExtended;
    case VolumeInUse: return FindingId::SchedVolumeInUse;
    case VolumeLimit: return FindingId::SchedVolumeLimit;
    case VolumeBinding: return FindingId::SchedVolumeBinding;
    case ClaimMissing: return FindingId::SchedClaimMissing;
    case VolumeZone: return FindingId::SchedVolumeZone;
    case TopologySpread: return FindingId::SchedTopologySpread;
    case ExistingAntiAffinity: return FindingId::SchedExistingAntiAffinity;
    case PodAntiAffinity: return FindingId::SchedPodAntiAffinity;
    case PodAffinity: return FindingId::SchedPodAffinity;
    case ResourceClaim: return FindingId::SchedResourceClaim;
    case NodeFeatures: return FindingId::SchedNodeFeatures;
    case PodGroup: return FindingId::SchedPodGroup;
    case Gated: return FindingId::SchedGated;
    case Other: return FindingId::SchedOther;
  }
  return FindingId::SchedulerDisagrees;
}

Evidence spec_evidence(const PendingCase& c, std::string_view field, std::string_view value) {
  if (!c.predicted) return {ref_of(c.pod), fmt::format("spec.{}", field), std::string(value)};
  return {ref_of(c.of.of.ds), fmt::format("spec.template.spec.{}", field), std::string(value)};
}

Evidence pod_condition_evidence(const model::Pod& pod, std::string_view type,
                                std::string_view field, std::string_view value) {
  const auto at = std::ranges::find_if(pod.conditions.begin(), pod.conditions.end(),
                                       [&](const auto& one) { return one.type == type; });
  return {ref_of(pod),
          fmt::format("status.conditions[{}].{}", std::ranges::distance(pod.conditions.begin(), at),
                      field),
          evidence_value(value)};
}

Evidence unscheduled_evidence(const model::Pod& pod) {
  std::vector<std::string> types;
  for (const auto& condition : pod.conditions) types.push_back(condition.type.str());
  return {ref_of(pod), "status.conditions[*].type", fmt::format("{}", fmt::join(types, ", "))};
}

std::string entry_path(std::string_view map, std::string_view key) {
  return fmt::format("{}['{}']", map, key);
}

Message ranked_pod(const model::Pod& pod) {
  return phrase::RankedPod{.its_pod = ref_of(pod), .priority = scheduling::priority_of(pod)};
}

Message ranked_pods(const Facts::Pods& pods) {
  return first_of(pods, [](const model::Pod* pod) { return ranked_pod(*pod); });
}

phrase::OwnerOfPods owner_of(const model::Pod& pod, bool runs_the_same_image) {
  const model::ControllerRef& owner = *pod.meta.controller;
  return {.kind = owner.kind,
          .owner = ObjectRef{owner.kind.str(), pod.meta.ns.str(), owner.name.str()},
          .runs_the_same_image = runs_the_same_image};
}

Facts::Pods terminating_of(const Facts::Pods& pods) {
  Facts::Pods result;
  std::ranges::copy_if(pods, std::back_inserter(result),
                       [](const auto* pod) { return is_terminating(*pod); });
  return result;
}

}  // namespace dsdoctor::diagnosis
