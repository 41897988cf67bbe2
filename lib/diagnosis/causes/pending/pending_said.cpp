#include <fmt/format.h>

#include <algorithm>

#include "diagnosis/causes/pending/pending.h"
#include "diagnosis/catalogue/findings/scheduling.h"
#include "diagnosis/causes/pending/pending_case.h"
#include "diagnosis/evidence/wording.h"
#include "scheduling/inter_pod.h"

namespace dsdoctor::diagnosis {
namespace {

using scheduling::FilterReason;
using scheduling::Judgement;
using scheduling::MessageReason;

/// Of resources, whose name the scheduler tells.
bool is_of_amounts(FilterReason filter) {
  using enum FilterReason;
  return filter == Cpu || filter == Memory || filter == EphemeralStorage || filter == HugePages ||
         filter == ExtendedResource;
}

bool is_blocked_by(const Blockers& blockers, const MessageReason& reason) {
  return std::ranges::any_of(blockers, [&](const Blocker& blocker) {
    return blocker.finding.id == kind_of(reason.filter).id &&
           (reason.resource.empty() || blocker.resource.empty() ||
            blocker.resource == reason.resource);
  });
}

/// On the pods of the node, whatever they are.
bool depends_on_pods_here(FilterReason filter) {
  return filter == FilterReason::HostPort || filter == FilterReason::TooManyPods ||
         is_of_amounts(filter);
}

/// Whether our own evaluation of that filter is complete, so that its silence means something.
bool is_judged(const PendingCase& c, FilterReason filter) {
  using enum FilterReason;
  if (!c.facts.cluster().nodes_known) return false;
  const auto sure = [](const scheduling::InterPodResult& result) {
    return result.judgement != Judgement::Unknown;
  };
  if (filter == Unschedulable || filter == Taint || filter == NodeSelector) return true;
  // Pods of one namespace alone need not be all that the scheduler counted.
  if (depends_on_pods_here(filter)) return c.knows_here && !c.facts.has_pods_of_one_namespace();
  if (filter == PodAffinity) return sure(scheduling::own_affinity(c.pod, c.around));
  if (filter == PodAntiAffinity) return sure(scheduling::own_anti_affinity(c.pod, c.around));
  if (filter == ExistingAntiAffinity) {
    return sure(scheduling::existing_anti_affinity(c.pod, c.around));
  }
  return false;
}

std::string reported_text(const PendingCase& c, const MessageReason& reason) {
  const std::string_view node = c.node.meta.name.view();
  if (reason.filter == FilterReason::TooManyPods)
    return fmt::format("{} is at its pod limit", node);
  if (reason.filter == FilterReason::HostPort) {
    return fmt::format("host port conflict: another pod on {} holds a host port of the pod", node);
  }
  if (!reason.resource.empty()) {
    return fmt::format("Insufficient {} on {}", reason.resource, node);
  }
  return fmt::format("the scheduler rejects {}: {}", node, wording::cut(reason.text));
}

/// Why the filter is not recomputed although pods were read; empty where that is not the reason.
std::string unread_pods_text(const PendingCase& c, FilterReason filter) {
  if (!c.knows_here || !depends_on_pods_here(filter)) return {};
  if (!c.facts.cluster().nodes_known || !c.facts.has_pods_of_one_namespace()) return {};
  return fmt::format("; the input has pods of namespace {} only", c.pod.meta.ns.view());
}

/// The kind of the filter, with what the scheduler's words tell beyond that.
Finding reported_finding(const PendingCase& c, const MessageReason& reason) {
  const std::string_view text = reason.text;
  const auto make = [&](const FindingKind& kind) {
    return pending_finding(c, kind,
                           fmt::format("FailedScheduling: {}{}", reported_text(c, reason),
                                       unread_pods_text(c, reason.filter)),
                           {c.said_where + ": " + wording::cut(text)});
  };
  if (reason.filter == FilterReason::ClaimMissing) {
    const std::size_t quote = text.find('"');
    const std::string_view claim = quote == text.npos ? "" : text.substr(quote + 1);
    return make(
        finding::SchedClaimMissing{.it_is_unbound = text.find("unbound immediate") != text.npos,
                                   .object = claim_object(c, claim.substr(0, claim.find('"')))});
  }
  if (reason.filter == FilterReason::VolumeLimit) {
    return make(finding::SchedVolumeLimit{.the_driver_is_missing =
                                              text.find("not installed") != text.npos});
  }
  return make(kind_of(reason.filter));
}

}  // namespace

void mark_basis(const PendingCase& c, Blocker& blocker) {
  if (blocker.finding.basis == Basis::Confirmed) return;
  if (c.predicted) {
    blocker.finding.basis = Basis::Predicted;
    return;
  }
  // A never fitting request is said as the shortage that it is.
  const bool never = blocker.finding.id == FindingId::SchedNeverFits && c.said &&
                     std::ranges::any_of(c.said->reasons, [](const MessageReason& reason) {
                       return is_of_amounts(reason.filter);
                     });
  const bool said = never || c.says(blocker.finding.id, blocker.resource);
  blocker.finding.basis = said ? Basis::Confirmed : Basis::Recomputed;
  if (said) blocker.finding.evidence.push_back(c.said_where + ": the scheduler says the same");
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
    blocker.finding.basis = Basis::Reported;
    blocker.finding.group = wording::cut(reason.text);
    blocker.resource = reason.resource;
    blocker.unresolvable = plugin_rank(blocker.finding.id) < plugin_rank(FindingId::SchedHostPort);
    into.push_back(std::move(blocker));
  }
}

}  // namespace dsdoctor::diagnosis
