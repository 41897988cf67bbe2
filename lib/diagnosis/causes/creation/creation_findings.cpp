#include "diagnosis/causes/creation/creation_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/time.h"
#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/creation.h"
#include "diagnosis/causes/creation/creation_obstacles.h"
#include "diagnosis/causes/creation/quota.h"
#include "diagnosis/causes/creation/refusal_text.h"
#include "diagnosis/controller/control_leases.h"
#include "diagnosis/evidence/wording.h"
#include "diagnosis/report/departure.h"
#include "diagnosis/report/eligibility.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/rollout/rollout_replay.h"
#include "diagnosis/taints/taint_knowledge.h"

namespace dsdoctor::diagnosis {
namespace {

using namespace std::chrono_literals;

// The controller's queue waits at most 1000 s before it tries a DaemonSet again.
constexpr std::chrono::seconds longest_retry = 1000s;
constexpr std::chrono::seconds long_outage = 600s;

/// Those of the controller.
Facts::Events by_controller(Facts::Events events) {
  std::erase_if(events, [](const model::Event* event) { return !is_by_controller(*event); });
  return events;
}

const model::Event* newest(const Facts::Events& events, std::string_view reason) {
  const auto at = std::find_if(events.rbegin(), events.rend(),
                               [&](const auto* event) { return event->reason == reason; });
  return at == events.rend() ? nullptr : *at;
}

std::string ago(const DaemonSetCase& c, const model::OptionalTime& moment) {
  if (!moment) return "at an unknown time";
  return base::age_text(*moment, c.facts.now()) + " ago";
}

/// The newest refusal and all of the same kind.
struct Refusals {
  Refusal refusal;
  const model::Event* newest = nullptr;
  std::int64_t count = 0;  // at least
  model::OptionalTime first;
};

/// Absent where there is none, or where a pod was created since.
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

/// A request above a limit that the template does not set: a LimitRange's default or maximum gave
/// the container that limit, and the API server complains of the pod, not of the LimitRange.
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
  refusal.facts = fmt::format("container {} sets no {} limit, a LimitRange sets a default, and {}",
                              containers[index].name.view(), resource,
                              "the request exceeds it: " + refusal.facts);
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

/// Who has made an admission webhook, by its name: that decides whether its configuration can be
/// edited.
enum class WebhookMaker { Provider, PolicyEngine, Other };

WebhookMaker maker_of(std::string_view webhook) {
  const auto has = [&](std::string_view part) { return webhook.find(part) != webhook.npos; };
  if (has(".gke.io") || has(".azmk8s.io") || has(".eks.amazonaws.com")) {
    return WebhookMaker::Provider;
  }
  return has("kyverno") || has("gatekeeper.sh") ? WebhookMaker::PolicyEngine : WebhookMaker::Other;
}

/// `make` a finding of the kind, with what its fix depends on.
template <typename Make>
Finding made(const DaemonSetCase& c, FindingId id, std::string_view name, const Make& make) {
  if (id == FindingId::CreateSccDenied) {
    const bool is_shared = account_of(c) == "default";
    return make(finding::CreateSccDenied{
        .a_container_is_privileged = has_privileged_container(c.ds.pod_template.spec),
        .account = is_shared ? c.ds.meta.name.view() : account_of(c),
        .the_account_is_shared = is_shared});
  }
  if (id == FindingId::CreateWebhookDenied) {
    const WebhookMaker maker = maker_of(name);
    return make(finding::CreateWebhookDenied{
        .it_is_of_a_policy_engine = maker == WebhookMaker::PolicyEngine,
        .name = name,
        .nobody_else_manages_it = maker == WebhookMaker::Other,
        .the_provider_manages_it = maker == WebhookMaker::Provider});
  }
  if (id == FindingId::CreateWebhookUnreachable) {
    return make(
        finding::CreateWebhookUnreachable{.its_name_is_unknown = name.empty(), .name = name});
  }
  return make(finding::Creation{.id = id, .account = account_of(c), .name = name});
}

Finding finding_of(const DaemonSetCase& c, FindingId id, std::string message,
                   std::vector<Evidence> evidence, std::string_view name) {
  Finding finding = made(c, id, name, [&](const FindingKind& kind) {
    return make_said_finding(kind, std::move(message), std::move(evidence), names_of(c));
  });
  if (c.report.evaluated.counts.current_number_scheduled == 0) {
    finding.severity = Severity::Critical;
  }
  finding.standing = Standing::Also;
  return finding;
}

/// Evidence that the obstacle still stands although the pod made from the template would pass:
/// what was refused had more to it, added by a webhook or hidden from us.
std::optional<std::string> still_there(const DaemonSetCase& c, const Refusal& refusal) {
  if (refusal.id == FindingId::CreatePodsecurityDenied && enforced_level(c) == refusal.name) {
    return fmt::format("Namespace/{} metadata.labels[pod-security.kubernetes.io/enforce]: {}",
                       c.ds.meta.ns.view(), refusal.name);
  }
  if (refusal.id != FindingId::CreateQuotaExceeded) return std::nullopt;
  for (const model::ResourceQuota& quota : c.facts.cluster().resource_quotas) {
    if (quota.meta.ns != c.ds.meta.ns || quota.meta.name != refusal.name) continue;
    if (still_exceeds(quota_figures(refusal.text), quota)) {
      return fmt::format("ResourceQuota/{} status", refusal.name);
    }
  }
  return std::nullopt;
}

/// Why the controller creates no pod is not told.
Finding silent_finding(const DaemonSetCase& c, bool may_back_off, std::string message = {},
                       std::vector<Evidence> evidence = {}) {
  return make_said_finding(finding::CreateSilent{.it_may_back_off = may_back_off}, std::move(message),
                      std::move(evidence), names_of(c));
}

/// The controller tries again by itself; it may be late.
void settle_until_retry(const DaemonSetCase& c, const model::OptionalTime& last_refusal,
                        Finding& finding) {
  finding.transient = !last_refusal || *last_refusal + longest_retry >= c.facts.now();
  if (!finding.transient) finding.overdue_since = *last_refusal + longest_retry;
}

/// The quota that refused has room for what was asked for. One that is not found may be of another
/// kind, such as a ClusterResourceQuota.
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

/// The refusal against the objects that it speaks of, as they are now.
void check_against_objects(const DaemonSetCase& c, const Refusals& refusals, Finding& finding) {
  const Refusal& refusal = refusals.refusal;
  const auto obstacles = creation_obstacles(c);
  const auto still = std::ranges::find_if(obstacles, [&](const Obstacle& obstacle) {
    return obstacle.id == refusal.id && (refusal.name.empty() || obstacle.name == refusal.name);
  });
  if (still != obstacles.end()) {
    finding.basis = Basis::Confirmed;
    finding.evidence.insert(finding.evidence.end(), still->evidence.begin(), still->evidence.end());
    if (still->facts != refusal.facts) finding.message += "; now: " + still->facts;
    return;
  }
  if (auto evidence = still_there(c, refusal)) {
    finding.basis = Basis::Confirmed;
    finding.evidence.push_back(*std::move(evidence));
    return;
  }
  finding.basis = Basis::Reported;
  const auto& last = refusals.newest->last;
  if (can_see_obstacle(c, refusal.id) || has_room_now(c, refusal)) {
    finding.severity = Severity::Warning;
    settle_until_retry(c, last, finding);
    finding.message += fmt::format("; the cause no longer exists, and the controller {} within {}",
                                   finding.transient ? "retries" : "should have retried",
                                   wording::span(longest_retry));
    // What the refusal asked for is done.
    finding.fix = finding.transient ? Finding().fix : silent_finding(c, false).fix;
  } else if (last && *last + threshold::events < c.facts.now()) {
    finding.basis = Basis::Suspected;
  }
}

std::optional<Finding> terminating_namespace(const DaemonSetCase& c, std::int64_t missing) {
  const model::Namespace* ns = c.facts.ns(c.ds.meta.ns);
  if (ns == nullptr || !is_terminating(*ns)) return std::nullopt;
  if (missing <= 0 && c.ds.meta.deleted) return std::nullopt;  // its deletion is told
  std::string message =
      fmt::format("Terminating: namespace {} is being deleted", c.ds.meta.ns.view());
  if (ns->meta.deleted) message += " since " + format_utc(*ns->meta.deleted);
  message += missing > 0 ? fmt::format("; {} without a pod", wording::counted(missing, "node"))
                         : ", and the DaemonSet with it; no new pod can be created";
  Finding finding =
      finding_of(c, FindingId::CreateNamespaceTerminating, std::move(message),
                 {fmt::format("Namespace/{} status.phase: {}", ns->meta.name.view(),
                              ns->phase.empty() ? "metadata.deletionTimestamp" : ns->phase.view())},
                 "");
  finding.basis = Basis::Confirmed;
  if (missing <= 0) finding.severity = Severity::Warning;
  // What is in the namespace goes with it, unless something holds it.
  finding.transient = is_younger(ns->meta.deleted, threshold::terminating, c.facts.now()) ||
                      (missing <= 0 && all_end_by_themselves(c.claimed.owned, c.facts));
  if (finding.transient) finding.fix.clear();
  return finding;
}

/// The same where the controller may have deleted a pod since. `events` name the node.
model::OptionalTime missing_since(const NodeCase& c, const Facts::Events& events) {
  model::OptionalTime latest = eligible_since(c).time;
  for (const model::Event* event : events) {
    const bool removed =
        event->reason == "FailedDaemonPod" || event->reason == "SucceededDaemonPod";
    if (removed && event->last && (!latest || *event->last > *latest)) latest = event->last;
  }
  return latest;
}

/// The controller is at work, as far as its traces show.
bool controller_works(const DaemonSetCase& c) {
  const auto& ds = c.ds;
  if (ds.meta.deleted || ds.generation > ds.observed_generation) return false;
  const model::Lease* lease = c.facts.lease("kube-system", "kube-controller-manager");
  return !staleness(lease, c.facts.now());
}

/// Nodes that have a pod and are due another one now: with maxSurge the controller does not wait
/// until an old one is gone.
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

}  // namespace

std::vector<Finding> creation_findings(const DaemonSetCase& c) {
  const std::int64_t missing = missing_pods(c);
  if (auto finding = terminating_namespace(c, missing)) return {*std::move(finding)};
  const std::int64_t beside = missing > 0 ? 0 : due_beside_others(c);
  if (missing <= 0 && beside <= 0) return {};
  auto refusals = newest_refusals(by_controller(c.events.own()));
  // A node with a pod may have needed none when that one was refused.
  const bool is_late =
      refusals && beside > 0 && is_older(refusals->newest->last, longest_retry, c.facts.now());
  if (!refusals || is_late) return {};
  blame_limit_range(c, refusals->refusal);
  const model::Event& last = *refusals->newest;
  const Refusal& refusal = refusals->refusal;
  Finding finding = finding_of(
      c, refusal.id,
      fmt::format("FailedCreate: {}; last rejected {}{}; {}", refusal.facts, ago(c, last.last),
                  refusals->count > 1 ? fmt::format(", {} times", refusals->count) : std::string(),
                  beside > 0 ? fmt::format("maxSurge: {} without the new pod beside the old one",
                                           wording::counted(beside, "node"))
                             : wording::counted(missing, "node") + " without a pod"),
      {fmt::format("Event/{} FailedCreate{}: {}", last.meta.name.view(),
                   last.last ? " " + format_utc(*last.last) : "", wording::whole(last.message))},
      refusal.name);
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
    Finding finding = finding_of(c, obstacle.id,
                                 fmt::format("FailedCreate expected: {}; {} without a pod",
                                             obstacle.facts, wording::counted(missing, "node")),
                                 std::move(obstacle.evidence), obstacle.name);
    finding.basis = Basis::Predicted;
    finding.group = obstacle.group;
    findings.push_back(std::move(finding));
  }
  return findings;
}

namespace {

/// The controller deletes a pod before it creates the next one; of which node is not always said.
std::optional<Finding> after_deletion(const DaemonSetCase& c) {
  const model::Event* deleted = newest(by_controller(c.events.own()), "SuccessfulDelete");
  if (deleted == nullptr || !deleted->last ||
      *deleted->last + threshold::missing <= c.facts.now()) {
    return std::nullopt;
  }
  Finding finding =
      silent_finding(c, true,
                     fmt::format("eligible, but no pod yet; the controller deleted "
                                 "a pod {}",
                                 ago(c, deleted->last)),
                     {fmt::format("Event/{} SuccessfulDelete: {}", deleted->meta.name.view(),
                                  wording::whole(deleted->message))});
  finding.basis = Basis::Suspected;
  finding.severity = Severity::Info;
  finding.transient = true;
  finding.fix.clear();
  finding.group = "deleted";
  return finding;
}

}  // namespace

std::vector<Finding> silent_creation_findings(const NodeCase& c) {
  const DaemonSetCase& of = c.of;
  if (c.report.verdict() != NodeVerdict::Missing || !controller_works(of)) return {};
  const model::Event* refused = of.events.last_refusal();
  if (refused && refused->last && *refused->last + threshold::events > of.facts.now()) return {};
  const Facts::Events events = by_controller(of.events.own_on(c.node.meta.name));
  const model::Event* failed = newest(events, "FailedDaemonPod");
  const bool backs_off =
      failed && failed->last && *failed->last + threshold::failed_pod_backoff > of.facts.now();
  // That there is no event means something only where all were read.
  const bool knows_events = of.facts.cluster().known.events;
  if (!backs_off && !knows_events) return {};
  if (!backs_off) {
    if (auto finding = after_deletion(of)) return {*std::move(finding)};
  }
  const auto since = missing_since(c, events);
  if (!backs_off && since && *since + threshold::missing > of.facts.now()) return {};

  const bool may_back_off =
      backs_off || !since || *since + threshold::failed_pod_backoff > of.facts.now();
  std::string why = fmt::format(
      "the controller may {}wait for its own writes, or have exceeded its event rate "
      "limit",
      may_back_off ? "back off after failed pods (up to 15m), " : "");
  std::vector<Evidence> evidence;
  const std::string_view span = of.events.has_recovered() ? " after the last SuccessfulCreate" : "";
  if (knows_events) {
    evidence.push_back(
        fmt::format("Events: no FailedCreate{}", span.empty() ? " within the hour" : span));
  }
  if (backs_off) {
    why = fmt::format(
        "the last pod failed and was deleted {}; the controller waits up to 15m before it creates "
        "the next one",
        ago(of, failed->last));
    evidence.push_back(fmt::format("Event/{} FailedDaemonPod: {}", failed->meta.name.view(),
                                   wording::whole(failed->message)));
  }
  Finding finding = silent_finding(
      of, may_back_off,
      fmt::format("eligible, but no pod{}{}: {}", knows_events ? " and no FailedCreate event" : "",
                  knows_events ? span : "", why),
      std::move(evidence));
  finding.basis = Basis::Suspected;
  finding.standing = Standing::Also;
  finding.transient = backs_off;
  finding.group = backs_off ? "failed-pod" : "";
  return {std::move(finding)};
}

}  // namespace dsdoctor::diagnosis
