// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "diagnosis/causes/pending/device_words.h"
#include "diagnosis/causes/pending/movable_pod.h"
#include "diagnosis/causes/pending/pending.h"
#include "diagnosis/causes/pending/pending_case.h"
#include "diagnosis/evidence/wording.h"
#include "placement/tolerates.h"
#include "scheduling/capabilities/required_features.h"
#include "scheduling/inter_pod.h"

namespace dsdoctor::diagnosis {
namespace {

using scheduling::FilterReason;
using scheduling::Judgement;
using scheduling::MessageReason;

/// Resource filters, whose message contains the resource's name.
bool is_of_amounts(FilterReason filter) {
  using enum FilterReason;
  return filter == Cpu || filter == Memory || filter == EphemeralStorage || filter == HugePages ||
         filter == ExtendedResource;
}

bool is_blocked_by(const Blockers& blockers, const MessageReason& reason) {
  return std::ranges::any_of(blockers, [&](const Blocker& blocker) {
    return blocker.finding.id == id_of(reason.filter) &&
           (reason.resource.empty() || blocker.resource.empty() ||
            blocker.resource == reason.resource);
  });
}

/// Whether the filter depends on other pods of the node.
bool depends_on_pods_here(FilterReason filter) {
  return filter == FilterReason::HostPort || filter == FilterReason::TooManyPods ||
         is_of_amounts(filter);
}

/// Whether the pod tolerates the node's taints only by operators whose feature gate is on in
/// kube-controller-manager, but may be off in the scheduler.
bool tolerates_by_gate(const PendingCase& c) {
  const placement::FeatureGates gates = c.of.of.gates;
  if (!gates.taint_toleration_comparison_operators) return false;
  const auto tolerates = [&](const model::Taint& taint, placement::FeatureGates with) {
    return placement::first_tolerating(*c.pod.tolerations, taint, with) != nullptr;
  };
  return std::ranges::any_of(c.node.taints, [&](const model::Taint& taint) {
    return placement::is_blocking(taint) && tolerates(taint, gates) && !tolerates(taint, {});
  });
}

bool has_claims(const model::Pod& pod) { return !pod.spec->resource_claims.empty(); }

/// Whether devices of ResourceClaims can count as requests, which are not recomputed: gate
/// DRANodeAllocatableResources.
bool may_count_devices(const PendingCase& c) {
  return has_claims(c.pod) ||
         std::ranges::any_of(c.here, [](const model::Pod* pod) { return has_claims(*pod); });
}

/// Whether our own evaluation of that filter is complete, so that it proves the absence of a
/// reason.
bool is_judged(const PendingCase& c, const MessageReason& reason) {
  using enum FilterReason;
  const FilterReason filter = reason.filter;
  if (!c.facts.cluster().nodes_known) return false;
  const auto sure = [](const scheduling::InterPodResult& result) {
    return result.judgement != Judgement::Unknown;
  };
  if (filter == Taint) return !tolerates_by_gate(c);
  if (filter == Unschedulable || filter == NodeSelector) return true;
  // The node declares a feature now that it did not declare before.
  if (filter == NodeFeatures) {
    const model::ClusterRelease& of = c.facts.release();
    return of.source == model::ReleaseSource::Server && !is_newer_than_known(of) &&
           !scheduling::required_features(*c.pod.spec, c.pod.host_network, of.release).empty();
  }
  // A newer release may count requests by another rule.
  if (is_of_amounts(filter) && is_newer_than_known(c.facts.release())) return false;
  if (is_of_amounts(filter) && (reason.resource.empty() || may_count_devices(c))) return false;
  // The scheduler may have counted pods of more than a single namespace.
  if (depends_on_pods_here(filter)) return c.knows_here && !c.facts.has_pods_of_one_namespace();
  if (filter == PodAffinity) return sure(scheduling::own_affinity(c.pod, c.around));
  if (filter == PodAntiAffinity) return sure(scheduling::own_anti_affinity(c.pod, c.around));
  if (filter == ExistingAntiAffinity) {
    return sure(scheduling::existing_anti_affinity(c.pod, c.around));
  }
  return false;
}

Message reported(const PendingCase& c, const MessageReason& reason) {
  const std::string_view node = c.node.meta.name;
  if (reason.filter == FilterReason::TooManyPods) return phrase::PodLimitReported{.on_node = node};
  if (reason.filter == FilterReason::HostPort) {
    return phrase::PortConflictReported{.on_node = node};
  }
  if (!reason.resource.empty()) {
    return phrase::ShortageReported{.on_node = node, .resource = reason.resource};
  }
  return phrase::NodeRejected{.on_node = node, .reason = wording::cut(reason.text)};
}

/// Whether some of the node's pods were not read, so that the filter is not recomputed.
bool lacks_pods(const PendingCase& c, FilterReason filter) {
  return c.knows_here && depends_on_pods_here(filter) && c.facts.cluster().nodes_known &&
         c.facts.has_pods_of_one_namespace();
}

/// The claim that the scheduler's message quotes; empty if it quotes none.
std::string_view quoted_claim(std::string_view text) {
  if (text.find("persistentvolumeclaim") == text.npos) return {};
  const std::size_t quote = text.find('"');
  if (quote == text.npos) return {};
  text.remove_prefix(quote + 1);
  return text.substr(0, text.find('"'));
}

/// The API server's release if the node's kubelet is older: it may lack a feature for that reason.
std::string newer_kubelet_for(const PendingCase& c) {
  const model::ClusterRelease& of = c.facts.release();
  const auto kubelet = model::parse_release(c.node.kubelet_version);
  const bool is_older =
      of.source == model::ReleaseSource::Server && kubelet && kubelet->minor < of.release.minor;
  return is_older ? to_string(of.release) : std::string();
}

bool mentions(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](auto word) { return text.find(word) != text.npos; });
}

/// Source of truth: kubernetes v1.37.2, pkg/scheduler/framework/plugins/dynamicresources.
FindingKind kind_of_claim(const PendingCase& c, std::string_view text, Message what) {
  const bool names_claims = std::ranges::any_of(
      c.pod.spec->resource_claims, [](const auto& claim) { return !claim.claim_name.empty(); });
  const bool is_held = mentions(text, {"resourceclaim in use", "not available on the node"});
  finding::SchedResourceClaim kind = resource_claim_kind(c, text, std::move(what));
  kind.a_claim_is_missing = mentions(text, {"not found", "not created yet"});
  kind.its_class_is_missing = mentions(text, {"device class"});
  kind.its_pod_level_is_short = mentions(text, {"pod level request", "pod level limit"});
  kind.pods_cannot_share_it =
      (is_held && names_claims) ||
      mentions(text, {"cannot be shared across pods", "by another pod", "shared by multiple pods"});
  kind.the_kubelet_lacks_a_gate = mentions(text, {"DRAOptionalNodeOperations"});
  kind.the_scheduler_is_behind = mentions(text, {"feature is disabled", "unknown request type"});
  return kind;
}

bool is_about_unbound_claim(std::string_view text) {
  return mentions(text, {"unbound immediate", "had no pv name", "PersistentVolume had no name",
                         "VolumeBindingMode not set", "storageclass"});
}

/// The kind of the filter, with further details from the scheduler's message.
FindingKind reported_kind(const PendingCase& c, const MessageReason& reason) {
  const std::string_view text = reason.text;
  Message what = reported(c, reason);
  if (reason.filter == FilterReason::Taint) {
    return finding::SchedTaint{.a_newer_template_tolerates_it = false,
                               .nothing_tolerates_it = true,
                               .the_template_tolerates_it = false,
                               .what = std::move(what)};
  }
  if (reason.filter == FilterReason::HostPort) {
    return finding::SchedHostPort{.a_controller_makes_it_again = true,
                                  .holder = "",
                                  .holder_namespace = "",
                                  .nothing_makes_the_holder_again = false,
                                  .service = "",
                                  .service_lb_publishes_it = false,
                                  .what = std::move(what)};
  }
  if (reason.filter == FilterReason::TooManyPods) return too_many_pods_with({}, std::move(what));
  if (reason.filter == FilterReason::ExtendedResource) {
    return finding::SchedInsufficientExtended{.none_is_offered = reason.resource.empty(),
                                              .other_pods_hold_it = false,
                                              .what = std::move(what)};
  }
  if (reason.filter == FilterReason::ResourceClaim) return kind_of_claim(c, text, std::move(what));
  if (reason.filter == FilterReason::Other) {
    return finding::SchedOther{.its_conditions_are_unknown = mentions(text, {"unknown conditions"}),
                               .what = std::move(what)};
  }
  if (reason.filter == FilterReason::ClaimMissing) {
    return finding::SchedClaimMissing{.it_is_unbound = is_about_unbound_claim(text),
                                      .object = claim_object(c, quoted_claim(text)),
                                      .what = std::move(what)};
  }
  if (reason.filter == FilterReason::NodeFeatures) {
    return finding::SchedNodeFeatures{.field = "",
                                      .gates = "",
                                      .nothing_is_known = true,
                                      .runtime_may_lack_it = false,
                                      .upgrade_to = newer_kubelet_for(c),
                                      .what = std::move(what)};
  }
  if (reason.filter == FilterReason::VolumeLimit) {
    return finding::SchedVolumeLimit{
        .the_driver_is_missing = text.find("not installed") != text.npos, .what = std::move(what)};
  }
  return finding::Scheduling{.id = id_of(reason.filter), .what = std::move(what)};
}

/// The place of the filter that sees an obstacle of the node itself; absent for other findings.
std::optional<int> place_of_obstacle(FindingId id) {
  using enum FilterReason;
  for (const FilterReason filter : {Unschedulable, Taint, NodeSelector}) {
    if (id_of(filter) == id) return scheduling::place_of(filter);
  }
  return std::nullopt;
}

/// The last write of the status of the pod, which only its scheduler writes while it is not bound.
model::OptionalTime last_write(const model::Pod& pod) {
  model::OptionalTime result;
  for (const model::FieldManager& manager : pod.meta.managers) {
    if (manager.subresource == "status") result = std::max(result, manager.time);
  }
  return result;
}

/// The latest time at which the scheduler can have written its message; absent if unknown: the
/// condition keeps the time of its first text, and later events are not recorded.
model::OptionalTime written(const PendingCase& c) {
  const auto& [object, path, value] = c.said_in;
  if (object.kind == "Pod") return last_write(c.pod);
  const model::Event* refusal = last_refusal(c.facts, c.pod);
  return refusal == nullptr ? model::OptionalTime() : refusal->last;
}

/// Whether the scheduler's message is older than an obstacle that the filter at `place` sees:
/// because of the times, or because the scheduler would not have come to the filter that it
/// reports. `since`: when the obstacle appeared, at the latest.
bool is_message_older(const PendingCase& c, int place, model::OptionalTime since) {
  constexpr std::chrono::seconds cache_lag{30};
  const model::Event* refusal = last_refusal(c.facts, c.pod);
  if (since && written(c) && *written(c) < *since) return true;
  if (since && refusal != nullptr && refusal->last && *refusal->last > *since + cache_lag) {
    return false;
  }
  // Another scheduler may have other plugins, or the same ones in another order.
  if (!is_default_scheduler(c.pod)) return false;
  return std::ranges::any_of(c.said->reasons, [&](const MessageReason& reason) {
    const std::optional<int> said = scheduling::place_of(reason.filter);
    return said && *said > place;
  });
}

Finding reported_finding(const PendingCase& c, const MessageReason& reason) {
  Finding finding = pending_finding(c, reported_kind(c, reason), {c.said_in});
  finding.basis = Basis::Reported;
  finding.group = wording::cut(reason.text);
  if (reason.filter == FilterReason::ResourceClaim) {
    std::ranges::move(device_taint_evidence(c, reason.text), std::back_inserter(finding.evidence));
  }
  if (lacks_pods(c, reason.filter)) {
    finding.message.notes.push_back(phrase::OneNamespaceRead{.its_namespace = c.pod.meta.ns});
  }
  if (is_of_amounts(reason.filter) && is_newer_than_known(c.facts.release())) {
    finding.message.notes.push_back(
        phrase::NewerThanKnown{.known = to_string(model::newest_known_release),
                               .release = to_string(c.facts.release().release)});
  }
  if (reason.filter == FilterReason::Taint && tolerates_by_gate(c)) {
    finding.message.notes.push_back(phrase::SchedulerLacksGate{});
  }
  return finding;
}

}  // namespace

void mark_basis(const PendingCase& c, Blocker& blocker) {
  if (blocker.finding.basis == Basis::Confirmed) return;
  if (c.predicted) {
    blocker.finding.basis = Basis::Predicted;
    return;
  }
  // The scheduler reports a request that never fits as a shortage.
  const bool never = blocker.finding.id == FindingId::SchedNeverFits && c.said &&
                     std::ranges::any_of(c.said->reasons, [](const MessageReason& reason) {
                       return is_of_amounts(reason.filter);
                     });
  const bool said = never || c.says(blocker.finding.id, blocker.resource);
  blocker.finding.basis = said ? Basis::Confirmed : Basis::Recomputed;
  if (said) blocker.finding.evidence.push_back(c.said_in);
}

void mark_newer(const PendingCase& c, Blocker& blocker) {
  const std::optional<int> place = place_of_obstacle(blocker.finding.id);
  if (!place || !c.said || blocker.finding.basis != Basis::Recomputed) return;
  const auto& reasons = c.said->reasons;
  if (reasons.empty() || !is_message_older(c, *place, blocker.since)) return;
  Finding& finding = blocker.finding;
  finding.basis = Basis::Confirmed;
  finding.evidence.push_back(c.said_in);
  std::optional<model::Time::duration> age;
  if (const model::OptionalTime time = written(c)) age = c.facts.now() - *time;
  finding.message.notes.push_back(
      phrase::MessageIsOlder{.age = age, .reason = wording::cut(reasons.front().text)});
}

void drop_unsaid_amounts(const PendingCase& c, Blockers& from) {
  if (!c.said || !is_newer_than_known(c.facts.release())) return;
  const auto& reasons = c.said->reasons;
  const bool lists_amounts =
      std::ranges::any_of(reasons, [](const auto& reason) { return is_of_amounts(reason.filter); });
  if (!lists_amounts) return;  // another filter came first
  std::erase_if(from, [&](const Blocker& blocker) {
    return !blocker.resource.empty() &&
           std::ranges::find(reasons, blocker.resource, &MessageReason::resource) == reasons.end();
  });
}

void add_reported(const PendingCase& c, Blockers& into) {
  if (!c.said) return;
  const Blockers recomputed = into;
  std::vector<MessageReason> reasons = c.said->reasons;
  // A scheduler that adds the pod to a PodGroup by other means.
  if (!c.said->of_group.empty() && !has_pod_group(c.pod)) {
    reasons.push_back({FilterReason::Other, {}, c.said->of_group});
  }
  for (const MessageReason& reason : reasons) {
    if (reason.filter == FilterReason::Unknown || is_blocked_by(recomputed, reason) ||
        is_judged(c, reason)) {
      continue;
    }
    Blocker blocker{reported_finding(c, reason)};
    blocker.resource = reason.resource;
    blocker.unresolvable = plugin_rank(blocker.finding.id) < plugin_rank(FindingId::SchedHostPort);
    into.push_back(std::move(blocker));
  }
}

}  // namespace dsdoctor::diagnosis
