// SPDX-License-Identifier: Apache-2.0

// Claims and volumes.

#include <fmt/format.h>

#include <algorithm>

#include "base/time.h"
#include "diagnosis/causes/pending/pending_case.h"
#include "scheduling/volumes.h"

namespace dsdoctor::diagnosis {
namespace {

using scheduling::VolumeFault;
using scheduling::VolumeProblem;

Message message_of(const PendingCase& c, const VolumeProblem& p) {
  const std::string_view node = c.node.meta.name;
  switch (p.fault) {
    case VolumeFault::ClaimMissing: return phrase::ClaimDoesNotExist{.claim = p.claim};
    case VolumeFault::ClaimLost: return phrase::ClaimIsLost{.claim = p.claim};
    case VolumeFault::ClaimDeleting: return phrase::ClaimIsDeleted{.claim = p.claim};
    case VolumeFault::ClaimForeign: return phrase::ClaimOfAnother{.claim = p.claim};
    case VolumeFault::ClaimUnbound:
      return phrase::ClaimNotBound{.claim = p.claim, .storage_class = p.object};
    case VolumeFault::VolumeMissing:
      return phrase::VolumeDoesNotExist{.claim = p.claim, .volume = p.object};
    case VolumeFault::VolumeElsewhere:
      return phrase::VolumeElsewhere{.claim = p.claim, .on_node = node, .volume = p.object};
    case VolumeFault::SelectedElsewhere:
      return phrase::ClaimProvisionedElsewhere{.claim = p.claim, .other_node = p.detail};
    case VolumeFault::NoVolume:
      return phrase::NoVolumeMatches{.claim = p.claim, .on_node = node, .storage_class = p.object};
    case VolumeFault::TopologyNotAllowed:
      return phrase::TopologiesExcludeNode{
          .claim = p.claim, .on_node = node, .storage_class = p.object};
    case VolumeFault::ZoneElsewhere:
      return phrase::VolumeInOtherZone{
          .claim = p.claim, .on_node = node, .volume = p.object, .zone = p.detail};
    case VolumeFault::LimitReached:
      return phrase::VolumeLimitReached{
          .driver = p.object, .limit = p.limit, .on_node = node, .used = p.used};
    case VolumeFault::ClaimInUse:
      return phrase::ClaimUsedBy{.claim = p.claim, .holder = ranked_pod(*p.holder)};
    case VolumeFault::DiskInUse:
      return phrase::DiskUsedBy{
          .disk = p.object, .disk_kind = p.detail, .holder = ranked_pod(*p.holder)};
  }
  return phrase::ClaimDoesNotExist{.claim = p.claim};
}

/// Empty if the claim was not read.
model::ObjectMeta meta_of_claim(const PendingCase& c, std::string_view claim) {
  const auto& claims = c.facts.cluster().claims;
  const auto at = std::ranges::find_if(claims, [&](const model::PersistentVolumeClaim& one) {
    return one.meta.ns == c.pod.meta.ns && one.meta.name == claim;
  });
  return at == claims.end() ? model::ObjectMeta() : at->meta;
}

/// The field of the claim that shows the problem, with its value.
Evidence evidence_of_claim(const PendingCase& c, const VolumeProblem& p) {
  const ObjectRef claim = {"PersistentVolumeClaim", c.pod.meta.ns.str(), p.claim};
  const model::ObjectMeta meta = meta_of_claim(c, p.claim);
  switch (p.fault) {
    case VolumeFault::ClaimLost: return {claim, "status.phase", "Lost"};
    case VolumeFault::ClaimDeleting:
      return {claim, "metadata.deletionTimestamp",
              meta.deleted ? base::rfc3339_seconds(*meta.deleted) : std::string()};
    case VolumeFault::ClaimForeign:
      return {claim, "metadata.ownerReferences[?(@.controller)].name",
              meta.controller ? meta.controller->name.str() : std::string()};
    case VolumeFault::ClaimUnbound: return {claim, "spec.volumeName"};
    case VolumeFault::SelectedElsewhere:
      return {claim, entry_path("metadata.annotations", "volume.kubernetes.io/selected-node"),
              p.detail};
    case VolumeFault::NoVolume:
    case VolumeFault::TopologyNotAllowed: return {claim, "spec.storageClassName", p.object};
    case VolumeFault::ClaimInUse: return {claim, "spec.accessModes[0]", "ReadWriteOncePod"};
    case VolumeFault::VolumeMissing:
    case VolumeFault::VolumeElsewhere:
    case VolumeFault::ZoneElsewhere: return {claim, "spec.volumeName", p.object};
    case VolumeFault::ClaimMissing:
    case VolumeFault::LimitReached:
    case VolumeFault::DiskInUse: break;
  }
  return {claim, "metadata.name"};
}

/// Example: "spec.volumes[?(@.name=="data")].rbd". Some volumes are not read, so their indexes are
/// unknown.
std::string volume_path(const model::Pod& pod, std::string_view source) {
  const auto at = std::ranges::find(pod.spec->volumes, source,
                                    [](const model::Volume& one) { return one.source.view(); });
  if (at == pod.spec->volumes.end()) return "spec.volumes";
  const bool is_claim = at->kind == "persistentVolumeClaim";
  return fmt::format("spec.volumes[?(@.name==\"{}\")].{}{}", at->name.view(), at->kind.view(),
                     is_claim ? ".claimName" : "");
}

std::vector<Evidence> evidence_of(const PendingCase& c, const VolumeProblem& p) {
  if (p.fault == VolumeFault::LimitReached) {
    return {{{"CSINode", "", c.node.meta.name.str()},
             fmt::format("spec.drivers[?(@.name==\"{}\")].allocatable.count", p.object),
             std::to_string(p.limit)}};
  }
  if (p.fault == VolumeFault::DiskInUse) {
    return {{ref_of(*p.holder), volume_path(*p.holder, p.object), p.object}};
  }
  std::vector<Evidence> result = {evidence_of_claim(c, p)};
  if (p.holder != nullptr) {
    result.emplace_back(ref_of(*p.holder), volume_path(*p.holder, p.claim), p.claim);
  }
  return result;
}

/// An ephemeral volume's claim is created moments after its pod.
bool is_just_made(const PendingCase& c, const VolumeProblem& p) {
  using namespace std::chrono_literals;
  if (p.fault != VolumeFault::ClaimMissing || !c.pod.meta.created) return false;
  return p.claim.starts_with(c.pod.meta.name.str() + "-") &&
         c.facts.now() - *c.pod.meta.created < 60s;
}

FindingKind kind_of(const PendingCase& c, const VolumeProblem& problem) {
  Message what = message_of(c, problem);
  const auto of = [&](FindingId id) {
    return finding::Scheduling{.id = id, .what = std::move(what)};
  };
  switch (problem.fault) {
    case VolumeFault::VolumeMissing:
    case VolumeFault::VolumeElsewhere: return of(FindingId::SchedVolumeAffinity);
    case VolumeFault::SelectedElsewhere:
    case VolumeFault::NoVolume:
    case VolumeFault::TopologyNotAllowed: return of(FindingId::SchedVolumeBinding);
    case VolumeFault::ZoneElsewhere: return of(FindingId::SchedVolumeZone);
    case VolumeFault::ClaimInUse:
    case VolumeFault::DiskInUse: return of(FindingId::SchedVolumeInUse);
    case VolumeFault::LimitReached:
      return finding::SchedVolumeLimit{.the_driver_is_missing = false, .what = std::move(what)};
    case VolumeFault::ClaimMissing:
    case VolumeFault::ClaimLost:
    case VolumeFault::ClaimDeleting:
    case VolumeFault::ClaimForeign:
    case VolumeFault::ClaimUnbound: break;
  }
  return finding::SchedClaimMissing{.it_is_unbound = problem.fault == VolumeFault::ClaimUnbound,
                                    .object = claim_object(c, problem.claim),
                                    .what = std::move(what)};
}

Blocker blocker_of(const PendingCase& c, const VolumeProblem& problem) {
  const bool a_pod_holds_it = problem.fault == VolumeFault::LimitReached ||
                              problem.fault == VolumeFault::ClaimInUse ||
                              problem.fault == VolumeFault::DiskInUse;
  Blocker result{pending_finding(c, kind_of(c, problem), evidence_of(c, problem)), !a_pod_holds_it};
  result.finding.group = fmt::format("{} {}", problem.claim, problem.object);
  result.ends_soon = problem.fault == VolumeFault::ClaimUnbound;  // its provisioner may be working
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
    if (!is_just_made(c, problem)) into.push_back(blocker_of(c, problem));
  }
}

}  // namespace dsdoctor::diagnosis
