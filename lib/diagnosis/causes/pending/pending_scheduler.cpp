// What the scheduler says of itself, and what it alone can tell.

#include <fmt/format.h>

#include <algorithm>

#include "diagnosis/causes/pending/pending_case.h"
#include "diagnosis/evidence/wording.h"
#include "diagnosis/taints/taint_knowledge.h"

namespace dsdoctor::diagnosis {
namespace {

using scheduling::MessageReason;

constexpr std::string_view default_scheduler = "default-scheduler";

/// The node, or what is on it, has become another since then, as far as objects tell; the deletion
/// of a pod leaves an event at most.
bool has_changed_since(const PendingCase& c, model::Time since) {
  const model::Node& node = c.node;
  const auto is_later = [&](model::OptionalTime time) { return time && *time > since; };
  const bool is_of_device =
      c.said && std::ranges::any_of(c.said->reasons, [](const MessageReason& reason) {
        return reason.filter == scheduling::FilterReason::ExtendedResource;
      });
  const auto has_written = [&](const model::FieldManager& manager) {
    // The kubelet writes its status all the time; devices are in it.
    return is_later(manager.time) && (is_of_device || manager.subresource != "status");
  };
  const auto has_ended = [&](const model::Pod* pod) {
    return std::ranges::any_of(pod->statuses, [&](const model::ContainerStatus& status) {
      return status.terminated && is_later(status.terminated->finished);
    });
  };
  return is_later(node.meta.created) ||
         std::ranges::any_of(node.conditions, is_later, &model::Condition::last_transition) ||
         std::ranges::any_of(node.meta.managers, has_written) ||
         std::ranges::any_of(c.here, has_ended) ||
         is_later(c.facts.last_killing_on(node.meta.name));
}

/// The scheduler has refused the pod for longer than it leaves one alone. Whatever makes room has
/// it try again within seconds, so that it has seen what is there.
bool is_refused_on_and_on(const PendingCase& c) {
  return c.said && (!c.said->reasons.empty() || c.said->counts_short) &&
         age_of(c) >= threshold::requeue;
}

std::string refusal_text(const scheduling::SchedulerMessage& said) {
  return said.reasons.empty() ? "no reason for this node" : wording::cut(said.reasons.front().text);
}

}  // namespace

std::optional<Finding> scheduler_error(const PendingCase& c) {
  const auto condition = model::find_condition(c.pod.conditions, "PodScheduled");
  if (condition == nullptr || condition->status != "False" ||
      condition->reason != "SchedulerError") {
    return {};
  }
  const auto since = condition->last_transition;
  Finding finding = pending_finding(
      c, FindingId::SchedulerError, "SchedulerError: " + wording::cut(condition->message),
      {pod_place(c.pod) + " status.conditions[PodScheduled].reason: SchedulerError"});
  finding.group = wording::cut(condition->message);
  if (since && c.facts.now() - *since < threshold::pending) wait_for(finding);  // it tries again
  return finding;
}

std::optional<Finding> unknown_scheduler(const PendingCase& c) {
  const model::Text& name = c.pod.spec->scheduler_name;
  const bool heard = model::find_condition(c.pod.conditions, "PodScheduled") != nullptr;
  if (name.empty() || name == default_scheduler || heard || age_of(c) < threshold::pending ||
      last_refusal(c.facts, c.pod) != nullptr) {
    return {};
  }
  Finding finding = pending_finding(
      c, FindingId::SchedulerUnknown,
      fmt::format("schedulerName is {}, and no scheduler of this name has processed the pod",
                  name.view()),
      {fmt::format("{} spec.schedulerName: {}", pod_place(c.pod), name.view()),
       pod_place(c.pod) + " status.conditions[PodScheduled]: absent"});
  finding.group = name.str();
  return finding;
}

std::optional<Finding> unheard_claims(const PendingCase& c) {
  const auto& claims = c.pod.spec->resource_claims;
  const bool heard = model::find_condition(c.pod.conditions, "PodScheduled") != nullptr;
  if (c.predicted || claims.empty() || heard || last_refusal(c.facts, c.pod) != nullptr) return {};
  std::vector<std::string> names;
  names.reserve(claims.size());
  for (const model::PodResourceClaim& claim : claims) {
    if (!claim.claim_name.empty()) {
      names.push_back("ResourceClaim " + claim.claim_name.str());
    } else {
      names.push_back("the claim of ResourceClaimTemplate " + claim.template_name.str());
    }
  }
  Finding finding = pending_finding(
      c, FindingId::SchedResourceClaim,
      fmt::format(
          "the scheduler has not processed the pod: it waits until every ResourceClaim exists: "
          "{}",
          wording::listed(names)),
      {pod_place(c.pod) + " spec.resourceClaims",
       pod_place(c.pod) + " status.conditions[PodScheduled]: absent"});
  finding.basis = Basis::Suspected;
  finding.group = wording::listed(names);
  return finding;
}

void add_foreign_reasons(const PendingCase& c, std::vector<Finding>& into) {
  if (!c.said) return;
  for (const MessageReason& reason : c.said->reasons) {
    if (reason.filter != scheduling::FilterReason::Unknown) continue;
    Finding finding = pending_finding(
        c, FindingId::SchedulerDisagrees,
        fmt::format("FailedScheduling: a plugin or extender of the scheduler rejects {}: {}",
                    c.node.meta.name.view(), wording::cut(reason.text)),
        {c.said_where + ": " + wording::cut(reason.text)});
    finding.group = wording::cut(reason.text);
    into.push_back(std::move(finding));
  }
}

void add_waiting(const PendingCase& c, std::vector<Finding>& into) {
  if (!c.facts.cluster().nodes_known || !c.knows_here || !into.empty()) return;
  const model::Time attempt = last_attempt(c);
  const std::string node = c.node.meta.name.str();
  const bool retries = c.facts.now() - attempt < threshold::requeue;
  const std::string next = format_utc(attempt + threshold::requeue);
  if (retries && (!is_refused_on_and_on(c) || has_changed_since(c, attempt))) {
    Finding finding =
        pending_finding(c, FindingId::SchedulerWaiting,
                        fmt::format("the pod fits {} now; the scheduler retries by {}", node, next),
                        {pod_place(c.pod) + " spec.nodeName: absent"});
    finding.transient = true;
    into.push_back(std::move(finding));
    return;
  }
  if (!c.said || (c.said->reasons.empty() && !c.said->counts_short)) return;
  const std::string refusal = refusal_text(*c.said);
  const std::string unusable = unusable_quantities(c);
  const std::string message =
      fmt::format("FailedScheduling: the pod should fit {}, but the scheduler reported {} ago: {}",
                  node, wording::span(c.facts.now() - attempt), refusal);
  Finding finding = pending_finding(
      c, FindingId::SchedulerDisagrees,
      fmt::format("{}{}{}{}", message, unusable,
                  c.said->counts_short
                      ? "; the scheduler does not count all nodes: its cache may be stale"
                      : "",
                  retries ? "; it retries by " + next : ""),
      {c.said_where + ": " + refusal});
  finding.group = refusal + unusable;
  into.push_back(std::move(finding));
}

}  // namespace dsdoctor::diagnosis
