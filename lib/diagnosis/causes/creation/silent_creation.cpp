// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/creation/silent_creation.h"

#include <optional>
#include <string>
#include <utility>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/object_evidence.h"
#include "diagnosis/causes/creation/creation_events.h"
#include "diagnosis/controller/control_leases.h"
#include "diagnosis/report/departure.h"
#include "diagnosis/report/eligibility.h"
#include "diagnosis/taints/taint_knowledge.h"

namespace dsdoctor::diagnosis {
namespace {

/// Time when the node's pod has been missing since: the node became eligible, or the controller
/// deleted a finished pod there. `events` name the node.
model::OptionalTime missing_since(const NodeCase& c, const Facts::Events& events) {
  model::OptionalTime latest = eligible_since(c).time;
  for (const model::Event* event : events) {
    const bool removed =
        event->reason == "FailedDaemonPod" || event->reason == "SucceededDaemonPod";
    if (removed && event->last && (!latest || *event->last > *latest)) latest = event->last;
  }
  return latest;
}

/// Whether the controller is working, as far as its lease and status show.
bool controller_works(const DaemonSetCase& c) {
  const auto& ds = c.ds;
  if (ds.meta.deleted || ds.generation > ds.observed_generation) return false;
  const model::Lease* lease = c.facts.lease("kube-system", "kube-controller-manager");
  return !staleness(lease, c.facts.now());
}

/// The controller deletes a pod before it creates the next one; events may lack the node's name.
std::optional<Finding> after_deletion(const DaemonSetCase& c) {
  const model::Event* deleted = newest(by_controller(c.events.own()), "SuccessfulDelete");
  if (deleted == nullptr || !deleted->last ||
      *deleted->last + threshold::missing <= c.facts.now()) {
    return std::nullopt;
  }
  finding::CreateSilent kind = silence(true);
  kind.deleted = age_of(c, deleted->last);
  Finding finding = make_finding(std::move(kind), {event_evidence(*deleted)}, names_of(c));
  finding.basis = Basis::Suspected;
  finding.severity = Severity::Info;
  finding.transient = true;
  finding.fix.clear();
  finding.group = "deleted";
  return finding;
}

/// Evidence that a pod is missing, and the event of one created since the last rejection.
std::vector<Evidence> missing_evidence(const DaemonSetCase& c) {
  const auto& counts = c.ds.reported;
  std::vector<Evidence> result = {{ref_of(c.ds), "status.desiredNumberScheduled",
                                   std::to_string(counts.desired_number_scheduled)},
                                  {ref_of(c.ds), "status.currentNumberScheduled",
                                   std::to_string(counts.current_number_scheduled)}};
  const model::Event* created = newest(by_controller(c.events.own()), "SuccessfulCreate");
  if (c.events.has_recovered() && created != nullptr) result.push_back(event_evidence(*created));
  return result;
}

/// The controller creates no pods at all.
std::optional<Finding> creation_of_nothing(const DaemonSetCase& c) {
  constexpr std::int64_t many = 3;  // fewer may have a reason of their own
  const model::Cluster& cluster = c.facts.cluster();
  if (!cluster.all_pods_known || !c.facts.was_left_without_pods(c.ds)) return std::nullopt;
  const std::int64_t count = c.facts.left_without_pods();
  if (count < many) return std::nullopt;
  const bool has_lease = c.facts.lease("kube-system", "kube-controller-manager") != nullptr;
  const model::OptionalTime last = c.facts.last_creation();
  Finding finding =
      make_finding(finding::CreateNothing{.daemon_sets = count,
                                          .events_are_unknown = !cluster.known.events,
                                          .last = age_of(c, last),
                                          .leases_are_unknown = !has_lease && !cluster.known.leases,
                                          .no_event_shows_it = cluster.known.events,
                                          .nothing_shows_one = !last,
                                          .the_lease_is_renewed = has_lease},
                   missing_evidence(c), names_of(c));
  finding.standing = Standing::Also;
  return finding;
}

}  // namespace

finding::CreateSilent silence(bool may_back_off) {
  return {.deleted = Age(),
          .it_may_back_off = may_back_off,
          .pods_were_created = false,
          .reason = {},
          .there_is_no_refusal = false};
}

std::vector<Finding> silent_creation_findings(const NodeCase& c) {
  const DaemonSetCase& of = c.of;
  if (c.report.verdict() != NodeVerdict::Missing || !controller_works(of)) return {};
  const model::Event* refused = of.events.last_refusal();
  if (refused && refused->last && *refused->last + threshold::events > of.facts.now()) return {};
  const Facts::Events events = by_controller(of.events.own_on(c.node.meta.name));
  const model::Event* failed = newest(events, "FailedDaemonPod");
  const bool backs_off =
      failed && failed->last && *failed->last + threshold::failed_pod_backoff > of.facts.now();
  if (auto finding = creation_of_nothing(of); finding && !backs_off) return {*std::move(finding)};
  // The absence of an event proves something only if all events were read.
  const bool knows_events = of.facts.cluster().known.events;
  if (!backs_off && !knows_events) return {};
  if (!backs_off) {
    if (auto finding = after_deletion(of)) return {*std::move(finding)};
  }
  const auto since = missing_since(c, events);
  if (!backs_off && since && *since + threshold::missing > of.facts.now()) return {};

  const bool may_back_off =
      backs_off || !since || *since + threshold::failed_pod_backoff > of.facts.now();
  finding::CreateSilent kind = silence(may_back_off);
  kind.there_is_no_refusal = knows_events;
  kind.pods_were_created = knows_events && of.events.has_recovered();
  kind.reason = phrase::ControllerMayWait{.it_may_back_off = may_back_off};
  std::vector<Evidence> evidence = missing_evidence(of);
  if (backs_off) {
    kind.reason = phrase::FailedPodBacksOff{.age = age_of(of, failed->last)};
    evidence.push_back(event_evidence(*failed));
  }
  Finding finding = make_finding(std::move(kind), std::move(evidence), names_of(of));
  finding.basis = Basis::Suspected;
  finding.standing = Standing::Also;
  finding.transient = backs_off;
  finding.group = backs_off ? "failed-pod" : "";
  return {std::move(finding)};
}

}  // namespace dsdoctor::diagnosis
