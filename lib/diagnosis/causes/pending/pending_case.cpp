#include "diagnosis/causes/pending/pending_case.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnosis/catalogue/catalogue.h"
#include "scheduling/preemption.h"

namespace dsdoctor::diagnosis {
namespace {

/// Condition first: it is never cut, and newer than the event.
void read_message(PendingCase& c) {
  const model::Condition* condition = model::find_condition(c.pod.conditions, "PodScheduled");
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

bool PendingCase::says(std::string_view id, std::string_view resource) const {
  return said && std::ranges::any_of(said->reasons, [&](const auto& reason) {
           return reason.id == id &&
                  (resource.empty() || reason.resource.empty() || reason.resource == resource);
         });
}

Finding pending_finding(const PendingCase& c, std::string_view id, std::string message,
                        std::vector<std::string> evidence, std::string_view selector) {
  const model::DaemonSet& ds = c.of.of.ds;
  const std::string_view pod = c.predicted ? std::string_view() : c.pod.meta.name.view();
  Finding finding = make_finding(id, std::move(message), std::move(evidence),
                                 {{"ns", ds.meta.ns.view()},
                                  {"ds", ds.meta.name.view()},
                                  {"pod", pod},
                                  {"node", c.node.meta.name.view()},
                                  {"selector", selector}});
  finding.standing = Standing::Also;
  finding.basis = id.starts_with("sched-") ? Basis::Recomputed : Basis::Confirmed;
  if (id.starts_with("preempt-")) {
    finding.basis = Basis::Recomputed;
    finding.standing = Standing::Context;
  }
  return finding;
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
