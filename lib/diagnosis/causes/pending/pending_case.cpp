#include "diagnosis/causes/pending/pending_case.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnosis/catalogue/findings/scheduling.h"
#include "diagnosis/causes/pending/movable_pod.h"
#include "diagnosis/report/ranking.h"
#include "scheduling/preemption.h"

namespace dsdoctor::diagnosis {
namespace {

/// Condition first: it is never cut, and newer than the event.
void read_message(PendingCase& c) {
  const auto condition = model::find_condition(c.pod.conditions, "PodScheduled");
  if (condition != nullptr && condition->status == "False" &&
      condition->reason == "Unschedulable" && !condition->message.empty()) {
    c.said = scheduling::parse_scheduler_message(condition->message);
    c.said_where = pod_place(c.pod) + " status.conditions[PodScheduled]";
    return;
  }
  if (condition != nullptr && condition->reason == "SchedulerError") return;
  const model::Event* refusal = last_refusal(c.facts, c.pod);
  if (refusal == nullptr || refusal->message.empty()) return;
  c.said = scheduling::parse_scheduler_message(refusal->message);
  c.said_where = "Event/" + refusal->meta.name.str() + " FailedScheduling";
}

// Without what only a recomputation knows.
const finding::SchedTaint taint_kind{.the_template_tolerates_it = false};
const finding::SchedHostPort host_port_kind{
    .holder = "", .holder_namespace = "", .nothing_makes_the_holder_again = false};
const finding::SchedClaimMissing claim_kind{.it_is_unbound = false, .object = ""};
const finding::SchedVolumeLimit volume_limit_kind{.the_driver_is_missing = false};
const finding::SchedInsufficientExtended extended_kind{.none_is_offered = false,
                                                       .other_pods_hold_it = false};
const finding::SchedTooManyPods too_many_pods_kind = too_many_pods_with({});

}  // namespace

model::Time::duration age_of(const PendingCase& c) {
  if (!c.pod.meta.created) return std::chrono::hours(24);  // a file may not say
  return c.facts.now() - *c.pod.meta.created;
}

const model::Event* last_refusal(const Facts& facts, const model::Pod& pod) {
  const auto events = facts.events_of("Pod", pod.meta.ns, pod.meta.name, pod.meta.uid);
  const auto newest = std::ranges::find_if(events.rbegin(), events.rend(), [](const auto* event) {
    return event->reason == "FailedScheduling";
  });
  return newest == events.rend() ? nullptr : *newest;
}

model::Time last_attempt(const PendingCase& c) {
  const model::Event* refusal = last_refusal(c.facts, c.pod);
  if (refusal != nullptr && refusal->last) return *refusal->last;
  return c.pod.meta.created.value_or(c.facts.now());
}

scheduling::Fit fit_of(const PendingCase& c) {
  return {c.pod, c.node, c.facts.cluster().device_classes};
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
           return kind_of(reason.filter).id == id &&
                  (resource.empty() || reason.resource.empty() || reason.resource == resource);
         });
}

Finding pending_finding(const PendingCase& c, const FindingKind& kind, std::string message,
                        std::vector<Evidence> evidence) {
  CaseNames names = names_of(c.of);
  if (!c.predicted) names.pod = c.pod.meta.name;
  Finding finding = make_said_finding(kind, std::move(message), std::move(evidence), names);
  finding.standing = Standing::Also;
  using enum FindingId;
  const bool of_scheduler = is_any_of(
      finding.id, {SchedulerDisagrees, SchedulerError, SchedulerUnknown, SchedulerWaiting});
  finding.basis = of_scheduler ? Basis::Confirmed : Basis::Recomputed;
  if (is_about_preemption(finding.id)) finding.standing = Standing::Context;
  return finding;
}

FindingKind kind_of(scheduling::FilterReason reason) {
  using enum scheduling::FilterReason;
  switch (reason) {
    case Unknown: return FindingId::SchedulerDisagrees;
    case Unschedulable: return FindingId::SchedUnschedulable;
    case Taint: return taint_kind;
    case AffinityConflict: return FindingId::SchedAffinityConflict;
    case VolumeAffinity: return FindingId::SchedVolumeAffinity;
    case NodeSelector: return FindingId::SchedNodeSelector;
    case HostPort: return host_port_kind;
    case TooManyPods: return too_many_pods_kind;
    case Cpu: return FindingId::SchedInsufficientCpu;
    case Memory: return FindingId::SchedInsufficientMemory;
    case EphemeralStorage: return FindingId::SchedInsufficientEphemeralStorage;
    case HugePages: return FindingId::SchedInsufficientHugepages;
    case ExtendedResource: return extended_kind;
    case VolumeInUse: return FindingId::SchedVolumeInUse;
    case VolumeLimit: return volume_limit_kind;
    case VolumeBinding: return FindingId::SchedVolumeBinding;
    case ClaimMissing: return claim_kind;
    case VolumeZone: return FindingId::SchedVolumeZone;
    case TopologySpread: return FindingId::SchedTopologySpread;
    case ExistingAntiAffinity: return FindingId::SchedExistingAntiAffinity;
    case PodAntiAffinity: return FindingId::SchedPodAntiAffinity;
    case PodAffinity: return FindingId::SchedPodAffinity;
    case ResourceClaim: return FindingId::SchedResourceClaim;
    case NodeFeatures: return FindingId::SchedNodeFeatures;
    case Gated: return FindingId::SchedGated;
  }
  return FindingId::SchedulerDisagrees;
}

std::string pod_place(const model::Pod& pod) {
  return fmt::format("Pod/{}/{}", pod.meta.ns.view(), pod.meta.name.view());
}

std::string owner_text(const model::Pod& pod) {
  if (pod.mirror) return "static pods";
  if (!pod.meta.controller) return "pods without an owner";
  return fmt::format("{} {}/{}", pod.meta.controller->kind.view(), pod.meta.ns.view(),
                     pod.meta.controller->name.view());
}

std::string pod_text(const model::Pod& pod) {
  return fmt::format("{}/{} (priority {})", pod.meta.ns.view(), pod.meta.name.view(),
                     scheduling::priority_of(pod));
}

Facts::Pods terminating_of(const Facts::Pods& pods) {
  Facts::Pods result;
  std::ranges::copy_if(pods, std::back_inserter(result),
                       [](const auto* pod) { return is_terminating(*pod); });
  return result;
}

}  // namespace dsdoctor::diagnosis
