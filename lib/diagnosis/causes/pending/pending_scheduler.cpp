// SPDX-License-Identifier: Apache-2.0

// Findings about the scheduler, and those that only its messages show.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "diagnosis/causes/pending/device_words.h"
#include "diagnosis/causes/pending/pending_case.h"
#include "diagnosis/causes/pending/written_after.h"
#include "diagnosis/evidence/wording.h"
#include "diagnosis/taints/taint_knowledge.h"

namespace dsdoctor::diagnosis {
namespace {

using scheduling::MessageReason;

// A running scheduler processes a new pod within a second.
constexpr std::chrono::seconds first_attempt_within{10};

/// Whether the scheduler has rejected the pod for longer than its retry interval. It retries within
/// seconds after any change that makes room, so its message is current.
bool is_refused_on_and_on(const PendingCase& c) {
  return c.said && (!c.said->reasons.empty() || c.said->counts_short) &&
         age_of(c) >= threshold::requeue;
}

Message claim_phrase(const model::PodResourceClaim& claim) {
  if (claim.claim_name.empty()) {
    return phrase::ClaimOfTemplate{.claim_template = claim.template_name};
  }
  return phrase::ResourceClaim{.claim = claim.claim_name};
}

}  // namespace

bool has_changed_since(const PendingCase& c, model::Time since) {
  const model::Node& node = c.node;
  const auto is_later = [&](model::OptionalTime time) { return time && *time > since; };
  const bool is_of_device =
      c.said && std::ranges::any_of(c.said->reasons, [](const MessageReason& reason) {
        return reason.filter == scheduling::FilterReason::ExtendedResource;
      });
  const auto has_written = [&](const model::FieldManager& manager) {
    // The kubelet updates its status all the time; the status includes devices.
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

std::optional<Finding> scheduler_error(const PendingCase& c) {
  const auto condition = model::find_condition(c.pod.conditions, "PodScheduled");
  if (condition == nullptr || condition->status != "False" ||
      condition->reason != "SchedulerError") {
    return {};
  }
  const auto since = condition->last_transition;
  Finding finding = pending_finding(
      c, finding::SchedulerError{.error = wording::cut(condition->message)},
      {pod_condition_evidence(c.pod, "PodScheduled", "reason", condition->reason),
       pod_condition_evidence(c.pod, "PodScheduled", "message", condition->message)});
  finding.group = wording::cut(condition->message);
  if (since && c.facts.now() - *since < threshold::pending) wait_for(finding);  // it tries again
  return finding;
}

std::optional<Finding> unknown_scheduler(const PendingCase& c) {
  const model::Text& name = c.pod.spec->scheduler_name;
  const bool heard = model::find_condition(c.pod.conditions, "PodScheduled") != nullptr;
  const auto patience = c.facts.has_scheduled(name) ? threshold::pending : first_attempt_within;
  if (is_default_scheduler(c.pod) || heard || age_of(c) < patience ||
      last_refusal(c.facts, c.pod) != nullptr ||
      c.facts.pod_group_of(c.pod).hold != PodGroupHold::None) {
    return {};
  }
  const LateWriter writer = scheduler_writer(c);
  const bool is_late = writer != LateWriter::Nobody;
  Finding finding = pending_finding(
      c,
      finding::SchedulerUnknown{
          .added = is_late ? late_labels(c) : std::vector<std::string>(),
          .in_template = is_late ? scheduler_of(c.of.of.ds.pod_template.spec) : std::string_view(),
          .only_pods_name_it = is_late,
          .scheduler = name,
          .something_else_wrote_it = writer == LateWriter::Unknown,
          .the_template_names_it = !is_late,
          .yunikorn_wrote_it = writer == LateWriter::YuniKorn},
      {spec_evidence(c, "schedulerName", name), unscheduled_evidence(c.pod)});
  finding.group = name.str();
  return finding;
}

std::optional<Finding> unheard_claims(const PendingCase& c) {
  const auto& claims = c.pod.spec->resource_claims;
  const bool heard = model::find_condition(c.pod.conditions, "PodScheduled") != nullptr;
  if (c.predicted || claims.empty() || heard || last_refusal(c.facts, c.pod) != nullptr) return {};
  Finding finding = pending_finding(
      c, resource_claim_kind(phrase::ClaimsMustExist{.claims = first_of(claims, claim_phrase)}),
      {});
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const bool is_named = !claims[i].claim_name.empty();
    const model::Text& name = is_named ? claims[i].claim_name : claims[i].template_name;
    finding.evidence.push_back(
        spec_evidence(c,
                      fmt::format("resourceClaims[{}].{}", i,
                                  is_named ? "resourceClaimName" : "resourceClaimTemplateName"),
                      name));
    finding.group += fmt::format("{}{} ", is_named ? "" : "template ", name.view());
  }
  finding.evidence.push_back(unscheduled_evidence(c.pod));
  finding.basis = Basis::Suspected;
  return finding;
}

void add_foreign_reasons(const PendingCase& c, std::vector<Finding>& into) {
  if (!c.said) return;
  for (const MessageReason& reason : c.said->reasons) {
    if (reason.filter != scheduling::FilterReason::Unknown) continue;
    Finding finding = pending_finding(
        c,
        finding::Scheduling{
            .id = FindingId::SchedulerDisagrees,
            .what = phrase::NodeRejectedByPlugin{.on_node = c.node.meta.name,
                                                 .reason = wording::cut(reason.text)}},
        {c.said_in});
    finding.group = wording::cut(reason.text);
    into.push_back(std::move(finding));
  }
}

void add_waiting(const PendingCase& c, std::vector<Finding>& into) {
  if (!c.facts.cluster().nodes_known || !c.knows_here || !into.empty()) return;
  const model::Time attempt = last_attempt(c);
  const bool retries = c.facts.now() - attempt < threshold::requeue;
  const model::Time next = attempt + threshold::requeue;
  if (retries && (!is_refused_on_and_on(c) || has_changed_since(c, attempt))) {
    Finding finding =
        pending_finding(c, finding::SchedulerWaiting{.on_node = c.node.meta.name, .retry = next},
                        {{ref_of(c.pod), "spec.nodeName"}});
    finding.transient = true;
    into.push_back(std::move(finding));
    return;
  }
  if (!c.said || (c.said->reasons.empty() && !c.said->counts_short)) return;
  const std::string reason =
      c.said->reasons.empty() ? std::string() : wording::cut(c.said->reasons.front().text);
  const std::vector<std::string> ignored = c.fit().fit.unusable();
  std::optional<model::Time> retry;
  if (retries) retry = next;
  Finding finding = pending_finding(
      c,
      finding::Scheduling{.id = FindingId::SchedulerDisagrees,
                          .what = phrase::PodShouldFit{.age = c.facts.now() - attempt,
                                                       .counts_short = c.said->counts_short,
                                                       .ignored = ignored,
                                                       .on_node = c.node.meta.name,
                                                       .reason = reason,
                                                       .retry = retry}},
      {c.said_in});
  if (!ignored.empty()) {
    std::ranges::move(ignored_amounts(c), std::back_inserter(finding.evidence));
  }
  finding.group = fmt::format("{} {}", reason, fmt::join(ignored, ", "));
  into.push_back(std::move(finding));
}

}  // namespace dsdoctor::diagnosis
