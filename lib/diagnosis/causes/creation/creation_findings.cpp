// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/creation/creation_findings.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/time.h"
#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/creation.h"
#include "diagnosis/catalogue/object_evidence.h"
#include "diagnosis/causes/creation/creation_events.h"
#include "diagnosis/causes/creation/creation_obstacles.h"
#include "diagnosis/causes/creation/quota.h"
#include "diagnosis/causes/creation/refusal_text.h"
#include "diagnosis/causes/creation/silent_creation.h"
#include "diagnosis/report/departure.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/rollout/rollout_replay.h"
#include "diagnosis/taints/taint_knowledge.h"

namespace dsdoctor::diagnosis {
namespace {

using namespace std::chrono_literals;

// The controller's queue waits at most 1000 s before it retries a DaemonSet.
constexpr std::chrono::seconds longest_retry = 1000s;
constexpr std::chrono::seconds long_outage = 600s;

/// The newest rejection and the number of rejections of the same kind.
struct Refusals {
  Refusal refusal;
  const model::Event* newest = nullptr;
  std::int64_t count = 0;  // lower bound
  model::OptionalTime first;
};

/// Absent if there is none, or if a pod was created later.
std::optional<Refusals> newest_refusals(const Facts::Events& events) {
  const model::Event* last = newest(events, "FailedCreate");
  if (last == nullptr) return std::nullopt;
  const model::Event* success = newest(events, "SuccessfulCreate");
  if (success && success->last && last->last && *success->last > *last->last) return std::nullopt;
  Refusals result{read_refusal(last->message), last, 0, last->first};
  for (const model::Event* event : events) {
    if (event->reason != "FailedCreate") continue;
    if (read_refusal(event->message).id != result.refusal.id) continue;
    result.count += times(*event);
    if (event->first && (!result.first || *event->first < *result.first)) {
      result.first = event->first;
    }
  }
  return result;
}

/// Detects a request above a limit that the template does not set: a LimitRange's default or
/// maximum gave the container that limit, and the API server's error names only the pod.
/// Source of truth: ValidateResourceRequirements, "... to cpu limit of 100m".
void blame_limit_range(const DaemonSetCase& c, Refusal& refusal) {
  constexpr std::string_view mark = "must be less than or equal to ";
  constexpr std::string_view list = "spec.containers[";
  const std::string_view text = refusal.text;
  const std::size_t at = text.find(mark);
  const std::size_t container_at = text.find(list);
  if (refusal.id != FindingId::CreateInvalidSpec || at == text.npos || container_at > at) return;
  const std::string_view rest = text.substr(at + mark.size());
  const std::size_t end = rest.find(" limit of ");
  if (end == rest.npos) return;
  std::size_t index = 0;
  for (const char digit : text.substr(container_at + list.size(), 4)) {
    if (digit < '0' || digit > '9') break;
    index = index * 10 + static_cast<std::size_t>(digit - '0');
  }
  const auto& containers = c.ds.pod_template.spec.containers;
  const std::string_view resource = rest.substr(0, end);
  if (index >= containers.size() || containers[index].limits.find(resource) != nullptr) return;
  refusal.id = FindingId::CreateLimitrange;
  refusal.obstacle = phrase::LimitByDefault{
      .container = containers[index].name, .refusal = refusal.obstacle, .resource = resource};
}

std::string_view account_of(const DaemonSetCase& c) {
  const model::Text& account = c.ds.pod_template.spec.service_account;
  return account.empty() ? std::string_view("default") : account.view();
}

bool has_privileged_container(const model::PodSpec& spec) {
  const auto privileged = [](const model::Container& container) { return container.privileged; };
  return std::ranges::any_of(spec.containers, privileged) ||
         std::ranges::any_of(spec.init_containers, privileged);
}

/// The maker of an admission webhook by its name: decides if its configuration can be edited.
enum class WebhookMaker { Provider, PolicyEngine, Other };

WebhookMaker maker_of(std::string_view webhook) {
  const auto has = [&](std::string_view part) { return webhook.find(part) != webhook.npos; };
  if (has(".gke.io") || has(".azmk8s.io") || has(".eks.amazonaws.com")) {
    return WebhookMaker::Provider;
  }
  return has("kyverno") || has("gatekeeper.sh") ? WebhookMaker::PolicyEngine : WebhookMaker::Other;
}

/// An obstacle to the next pod.
struct Refused {
  FindingId id;
  const Message& obstacle;
  std::string_view name;  // of the object that blocks or is missing; can be empty
  bool is_expected;       // no pod has been rejected yet
};

/// The finding, with everything that its fix depends on.
FindingKind kind_of(const DaemonSetCase& c, const Refused& refused) {
  if (refused.id == FindingId::CreateSccDenied) {
    const bool is_shared = account_of(c) == "default";
    return finding::CreateSccDenied{
        .a_container_is_privileged = has_privileged_container(c.ds.pod_template.spec),
        .account = is_shared ? c.ds.meta.name.view() : account_of(c),
        .it_is_expected = refused.is_expected,
        .obstacle = refused.obstacle,
        .the_account_is_shared = is_shared};
  }
  if (refused.id == FindingId::CreateWebhookDenied) {
    const WebhookMaker maker = maker_of(refused.name);
    return finding::CreateWebhookDenied{
        .it_is_expected = refused.is_expected,
        .it_is_of_a_policy_engine = maker == WebhookMaker::PolicyEngine,
        .name = refused.name,
        .nobody_else_manages_it = maker == WebhookMaker::Other,
        .obstacle = refused.obstacle,
        .the_provider_manages_it = maker == WebhookMaker::Provider};
  }
  if (refused.id == FindingId::CreateWebhookUnreachable) {
    return finding::CreateWebhookUnreachable{.it_is_expected = refused.is_expected,
                                             .its_name_is_unknown = refused.name.empty(),
                                             .name = refused.name,
                                             .obstacle = refused.obstacle};
  }
  return finding::Creation{.id = refused.id,
                           .account = account_of(c),
                           .it_is_expected = refused.is_expected,
                           .name = refused.name,
                           .obstacle = refused.obstacle};
}

Finding finding_of(const DaemonSetCase& c, FindingKind kind, std::vector<Evidence> evidence) {
  Finding finding = make_finding(std::move(kind), std::move(evidence), names_of(c));
  if (c.report.evaluated.counts.current_number_scheduled == 0) {
    finding.severity = Severity::Critical;
  }
  finding.standing = Standing::Also;
  return finding;
}

/// Evidence that the obstacle still exists although a pod of the template would pass: a webhook or
/// unread data made the rejected pod differ. Empty if the obstacle is gone.
std::vector<Evidence> still_there(const DaemonSetCase& c, const Refusal& refusal) {
  if (refusal.id == FindingId::CreatePodsecurityDenied && enforced_level(c) == refusal.name) {
    return {level_evidence(c)};
  }
  if (refusal.id != FindingId::CreateQuotaExceeded) return {};
  const auto figures = quota_figures(refusal.text);
  std::vector<Evidence> evidence;
  for (const model::ResourceQuota& quota : c.facts.cluster().resource_quotas) {
    if (quota.meta.ns != c.ds.meta.ns || quota.meta.name != refusal.name) continue;
    for (const QuotaFigure& figure : figures) {
      if (!still_exceeds({figure}, quota)) continue;
      evidence.push_back(quota_evidence(quota, QuotaMap::Hard, figure.resource));
      evidence.push_back(quota_evidence(quota, QuotaMap::Used, figure.resource));
    }
  }
  return evidence;
}

/// The controller retries by itself; the finding is overdue after the longest retry interval.
void settle_until_retry(const DaemonSetCase& c, const model::OptionalTime& last_refusal,
                        Finding& finding) {
  finding.transient = !last_refusal || *last_refusal + longest_retry >= c.facts.now();
  if (!finding.transient) finding.overdue_since = *last_refusal + longest_retry;
}

/// Whether the request now fits into the quota that rejected it. A quota that is not found
/// can be of another kind, such as a ClusterResourceQuota.
bool has_room_now(const DaemonSetCase& c, const Refusal& refusal) {
  if (refusal.id != FindingId::CreateQuotaExceeded || refusal.name.empty()) return false;
  const model::Cluster& cluster = c.facts.cluster();
  const auto quota = std::ranges::find_if(cluster.resource_quotas, [&](const auto& each) {
    return each.meta.ns == c.ds.meta.ns && each.meta.name == refusal.name;
  });
  if (quota == cluster.resource_quotas.end()) return false;
  const auto figures = quota_figures(refusal.text);
  const bool knows_all = std::ranges::all_of(figures, [&](const QuotaFigure& figure) {
    return quota->hard.find(figure.resource) != nullptr &&
           quota->used.find(figure.resource) != nullptr &&
           scheduling::Quantity::parse(figure.requested).has_value();
  });
  return !figures.empty() && knows_all && !still_exceeds(figures, *quota);
}

/// Compares the rejection with the current state of the objects that it names.
void check_against_objects(const DaemonSetCase& c, const Refusals& refusals, Finding& finding) {
  const Refusal& refusal = refusals.refusal;
  const auto obstacles = creation_obstacles(c);
  const auto still = std::ranges::find_if(obstacles, [&](const Obstacle& obstacle) {
    return obstacle.id == refusal.id && (refusal.name.empty() || obstacle.name == refusal.name);
  });
  if (still != obstacles.end()) {
    finding.basis = Basis::Confirmed;
    finding.evidence.insert(finding.evidence.end(), still->evidence.begin(), still->evidence.end());
    if (still->words != refusal.obstacle) {
      finding.message.notes.push_back(phrase::ObstacleNow{.obstacle = still->words});
    }
    return;
  }
  if (const auto evidence = still_there(c, refusal); !evidence.empty()) {
    finding.basis = Basis::Confirmed;
    finding.evidence.insert(finding.evidence.end(), evidence.begin(), evidence.end());
    return;
  }
  finding.basis = Basis::Reported;
  const auto& last = refusals.newest->last;
  if (can_see_obstacle(c, refusal.id) || has_room_now(c, refusal)) {
    finding.severity = Severity::Warning;
    settle_until_retry(c, last, finding);
    finding.message.notes.push_back(
        phrase::ObstacleGone{.it_is_in_time = finding.transient, .longest_retry = longest_retry});
    // The fix for the rejection has already been applied.
    finding.fix.clear();
    if (!finding.transient) finding.fix = make_finding(silence(false), {}, names_of(c)).fix;
  } else if (last && *last + threshold::events < c.facts.now()) {
    finding.basis = Basis::Suspected;
  }
}

std::optional<Finding> terminating_namespace(const DaemonSetCase& c, std::int64_t missing) {
  const model::Namespace* ns = c.facts.ns(c.ds.meta.ns);
  if (ns == nullptr || !is_terminating(*ns)) return std::nullopt;
  if (missing <= 0 && c.ds.meta.deleted) return std::nullopt;  // reported as its deletion
  const ObjectRef object{"Namespace", "", ns->meta.name.str()};
  std::vector<Evidence> evidence;
  if (ns->phase == "Terminating") evidence.emplace_back(object, "status.phase", ns->phase.str());
  if (const auto& deleted = ns->meta.deleted) {
    evidence.emplace_back(object, "metadata.deletionTimestamp", base::rfc3339(*deleted));
  }
  Finding finding = finding_of(c,
                               finding::CreateNamespaceTerminating{
                                   .its_namespace = c.ds.meta.ns,
                                   .missing = missing > 0 ? std::optional(missing) : std::nullopt,
                                   .since = ns->meta.deleted},
                               std::move(evidence));
  finding.basis = Basis::Confirmed;
  if (missing <= 0) finding.severity = Severity::Warning;
  // The namespace's objects are deleted with it, unless something blocks their deletion.
  finding.transient = is_younger(ns->meta.deleted, threshold::terminating, c.facts.now()) ||
                      (missing <= 0 && all_end_by_themselves(c.claimed.owned, c.facts));
  if (finding.transient) finding.fix.clear();
  return finding;
}

/// Number of nodes that have a pod and are due another one now: with maxSurge the controller does
/// not wait until the old pod is gone.
std::int64_t due_beside_others(const DaemonSetCase& c) {
  const auto& evaluated = c.report.evaluated;
  if (!is_surge(c.ds) || !evaluated.pods_known || !evaluated.nodes_known || c.ds.meta.deleted) {
    return 0;
  }
  const auto ending = static_cast<std::int64_t>(c.report.nodes.count(NodeVerdict::Terminating));
  if (!c.revision.is_known() || c.ds.update_strategy == "OnDelete") return ending;
  const RolloutReplay replay = replay_rollout(c);
  if (replay.blocked()) return ending + replay.due_beside;
  const auto free = replay.budget() - static_cast<std::int64_t>(replay.units.size());
  return ending + replay.due_beside + std::clamp<std::int64_t>(free, 0, replay.waiting);
}

/// Age of the newest rejection and number of rejections.
Message rejected(const DaemonSetCase& c, const Refusals& refusals) {
  const auto count = refusals.count > 1 ? std::optional(refusals.count) : std::nullopt;
  const Age age = age_of(c, refusals.newest->last);
  if (!age) return phrase::RejectedSometime{.count = count};
  return phrase::LastRejected{.age = age, .count = count};
}

}  // namespace

std::vector<Finding> creation_findings(const DaemonSetCase& c) {
  const std::int64_t missing = missing_pods(c);
  if (auto finding = terminating_namespace(c, missing)) return {*std::move(finding)};
  const std::int64_t beside = missing > 0 ? 0 : due_beside_others(c);
  if (missing <= 0 && beside <= 0) return {};
  auto refusals = newest_refusals(by_controller(c.events.own()));
  // A node with a pod may have needed no other one when the pod was rejected.
  const bool is_late =
      refusals && beside > 0 && is_older(refusals->newest->last, longest_retry, c.facts.now());
  if (!refusals || is_late) return {};
  blame_limit_range(c, refusals->refusal);
  const model::Event& last = *refusals->newest;
  const Refusal& refusal = refusals->refusal;
  Finding finding =
      finding_of(c, kind_of(c, {refusal.id, refusal.obstacle, refusal.name, /*is_expected=*/false}),
                 {event_evidence(last)});
  finding.message.notes = {rejected(c, *refusals),
                           beside > 0 ? Message(phrase::NodesWithoutSurgePod{.missing = beside})
                                      : Message(phrase::NodesWithoutPod{.missing = missing})};
  finding.group = refusal.group;
  check_against_objects(c, *refusals, finding);
  const bool long_lasting =
      refusals->first && last.last && *last.last - *refusals->first > long_outage;
  if (refusal.id == FindingId::CreateApiserverError && !long_lasting) {
    finding.severity = Severity::Warning;
    settle_until_retry(c, last.last, finding);
  }
  return {std::move(finding)};
}

std::vector<Finding> predicted_creation_findings(const DaemonSetCase& c) {
  const std::int64_t missing = missing_pods(c);
  if (missing <= 0) return {};
  std::vector<Finding> findings;
  for (Obstacle& obstacle : creation_obstacles(c)) {
    Finding finding = finding_of(
        c, kind_of(c, {obstacle.id, obstacle.words, obstacle.name, /*is_expected=*/true}),
        std::move(obstacle.evidence));
    finding.message.notes = {phrase::NodesWithoutPod{.missing = missing}};
    finding.basis = Basis::Predicted;
    finding.group = obstacle.name;
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace dsdoctor::diagnosis
