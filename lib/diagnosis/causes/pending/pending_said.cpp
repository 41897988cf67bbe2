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

/// Whether our own evaluation of that filter is complete, so that it proves the absence of a
/// reason.
bool is_judged(const PendingCase& c, FilterReason filter) {
  using enum FilterReason;
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

/// The kind of the filter, with further details from the scheduler's message.
FindingKind reported_kind(const PendingCase& c, const MessageReason& reason) {
  const std::string_view text = reason.text;
  Message what = reported(c, reason);
  if (reason.filter == FilterReason::Taint) {
    return finding::SchedTaint{.the_template_tolerates_it = false, .what = std::move(what)};
  }
  if (reason.filter == FilterReason::HostPort) {
    return finding::SchedHostPort{.holder = "",
                                  .holder_namespace = "",
                                  .nothing_makes_the_holder_again = false,
                                  .what = std::move(what)};
  }
  if (reason.filter == FilterReason::TooManyPods) return too_many_pods_with({}, std::move(what));
  if (reason.filter == FilterReason::ExtendedResource) {
    return finding::SchedInsufficientExtended{
        .none_is_offered = false, .other_pods_hold_it = false, .what = std::move(what)};
  }
  if (reason.filter == FilterReason::ClaimMissing) {
    return finding::SchedClaimMissing{.it_is_unbound = text.find("unbound immediate") != text.npos,
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
  if (reason.filter == FilterReason::ResourceClaim)
    return resource_claim_kind(c, text, std::move(what));
  if (reason.filter == FilterReason::VolumeLimit) {
    return finding::SchedVolumeLimit{
        .the_driver_is_missing = text.find("not installed") != text.npos, .what = std::move(what)};
  }
  return finding::Scheduling{.id = id_of(reason.filter), .what = std::move(what)};
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
  for (const MessageReason& reason : c.said->reasons) {
    if (reason.filter == FilterReason::Unknown || is_blocked_by(recomputed, reason) ||
        is_judged(c, reason.filter)) {
      continue;
    }
    Blocker blocker{reported_finding(c, reason)};
    blocker.resource = reason.resource;
    blocker.unresolvable = plugin_rank(blocker.finding.id) < plugin_rank(FindingId::SchedHostPort);
    into.push_back(std::move(blocker));
  }
}

}  // namespace dsdoctor::diagnosis
