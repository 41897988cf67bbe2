// Claims and volumes.

#include <fmt/format.h>

#include <algorithm>

#include "diagnosis/causes/pending/pending_case.h"
#include "diagnosis/catalogue/findings/scheduling.h"
#include "diagnosis/evidence/wording.h"
#include "scheduling/volumes.h"

namespace dsdoctor::diagnosis {
namespace {

using scheduling::VolumeFault;
using scheduling::VolumeProblem;

struct Kind {
  FindingKind finding;
  VolumeFault fault;
  bool unresolvable;
};

constexpr Kind kinds[] = {
    {FindingId::SchedVolumeAffinity, VolumeFault::VolumeMissing, true},
    {FindingId::SchedVolumeAffinity, VolumeFault::VolumeElsewhere, true},
    {FindingId::SchedVolumeBinding, VolumeFault::SelectedElsewhere, true},
    {FindingId::SchedVolumeBinding, VolumeFault::NoVolume, true},
    {FindingId::SchedVolumeBinding, VolumeFault::TopologyNotAllowed, true},
    {FindingId::SchedVolumeZone, VolumeFault::ZoneElsewhere, true},
    {FindingId::SchedVolumeInUse, VolumeFault::ClaimInUse, false},
    {FindingId::SchedVolumeInUse, VolumeFault::DiskInUse, false},
};

std::string message_of(const PendingCase& c, const VolumeProblem& p) {
  const std::string_view node = c.node.meta.name.view();
  switch (p.fault) {
    case VolumeFault::ClaimMissing:
      return fmt::format("PersistentVolumeClaim {} does not exist", p.claim);
    case VolumeFault::ClaimLost:
      return fmt::format("PersistentVolumeClaim {} is Lost: its volume does not exist any more",
                         p.claim);
    case VolumeFault::ClaimDeleting:
      return fmt::format("PersistentVolumeClaim {} is being deleted", p.claim);
    case VolumeFault::ClaimForeign:
      return fmt::format(
          "PersistentVolumeClaim {} has another owner, but the pod's ephemeral volume needs this "
          "name",
          p.claim);
    case VolumeFault::ClaimUnbound:
      return fmt::format(
          "PersistentVolumeClaim {} is not bound; its StorageClass {} has volumeBindingMode "
          "Immediate",
          p.claim, p.object.empty() ? "(none)" : p.object);
    case VolumeFault::VolumeMissing:
      return fmt::format("PersistentVolume {} of claim {} does not exist", p.object, p.claim);
    case VolumeFault::VolumeElsewhere:
      return fmt::format("PersistentVolume {} of claim {} cannot be used on {}", p.object, p.claim,
                         node);
    case VolumeFault::SelectedElsewhere:
      return fmt::format("PersistentVolumeClaim {} is being provisioned for node {}", p.claim,
                         p.detail);
    case VolumeFault::NoVolume:
      return fmt::format(
          "no PersistentVolume of StorageClass {} matches claim {} on {}, and the class has no "
          "provisioner",
          p.object, p.claim, node);
    case VolumeFault::TopologyNotAllowed:
      return fmt::format("allowedTopologies of StorageClass {} of claim {} exclude {}", p.object,
                         p.claim, node);
    case VolumeFault::ZoneElsewhere:
      return fmt::format("PersistentVolume {} of claim {} is in zone or region {}, but {} is not",
                         p.object, p.claim, p.detail, node);
    case VolumeFault::LimitReached:
      return fmt::format("max volume count exceeded: {} has {} of {}, its limit is {}", node,
                         wording::counted(p.used, "volume"), p.object, p.limit);
    case VolumeFault::ClaimInUse:
      return fmt::format("ReadWriteOncePod: claim {} is used by {}", p.claim, pod_text(*p.holder));
    case VolumeFault::DiskInUse:
      return fmt::format("{} {} is used by {}", p.detail, p.object, pod_text(*p.holder));
  }
  return {};
}

std::string evidence_of(const PendingCase& c, const VolumeProblem& p) {
  if (p.fault == VolumeFault::LimitReached) {
    return fmt::format("CSINode/{} spec.drivers[{}].allocatable.count: {}", c.node.meta.name.view(),
                       p.object, p.limit);
  }
  if (p.claim.empty()) return pod_place(*p.holder) + " spec.volumes";
  return fmt::format("PersistentVolumeClaim/{}/{}", c.pod.meta.ns.view(), p.claim);
}

/// An ephemeral volume's claim follows its pod within moments.
bool is_just_made(const PendingCase& c, const VolumeProblem& p) {
  using namespace std::chrono_literals;
  if (p.fault != VolumeFault::ClaimMissing || !c.pod.meta.created) return false;
  return p.claim.starts_with(c.pod.meta.name.str() + "-") &&
         c.facts.now() - *c.pod.meta.created < 60s;
}

/// The claim cannot be used on any node.
bool is_unusable_claim(VolumeFault fault) {
  using enum VolumeFault;
  return fault == ClaimMissing || fault == ClaimLost || fault == ClaimDeleting ||
         fault == ClaimForeign || fault == ClaimUnbound;
}

Blocker blocker_of(const PendingCase& c, const VolumeProblem& problem, const FindingKind& finding,
                   bool unresolvable) {
  Blocker result{pending_finding(c, finding, message_of(c, problem), {evidence_of(c, problem)}),
                 unresolvable};
  result.finding.group = fmt::format("{} {}", problem.claim, problem.object);
  if (problem.holder != nullptr && problem.holder->meta.deleted) {
    result.clears_with = {problem.holder};
  }
  return result;
}

}  // namespace

std::string claim_object(const PendingCase& c, std::string_view claim) {
  const bool named = std::ranges::any_of(c.pod.spec->volumes, [&](const model::Volume& volume) {
    return volume.kind == "persistentVolumeClaim" && volume.source == claim;
  });
  return named ? fmt::format("PersistentVolumeClaim/{}", claim) : std::string();
}

void add_volume_blockers(const PendingCase& c, Blockers& into) {
  for (const VolumeProblem& problem : scheduling::volume_problems(c.pod, c.around)) {
    if (is_just_made(c, problem)) continue;
    if (is_unusable_claim(problem.fault)) {
      const finding::SchedClaimMissing missing{
          .it_is_unbound = problem.fault == VolumeFault::ClaimUnbound,
          .object = claim_object(c, problem.claim)};
      into.push_back(blocker_of(c, problem, missing, true));
    }
    if (problem.fault == VolumeFault::LimitReached) {
      const finding::SchedVolumeLimit reached{.the_driver_is_missing = false};
      into.push_back(blocker_of(c, problem, reached, false));
    }
    for (const Kind& kind : kinds) {
      if (kind.fault != problem.fault) continue;
      into.push_back(blocker_of(c, problem, kind.finding, kind.unresolvable));
    }
  }
}

}  // namespace dsdoctor::diagnosis
