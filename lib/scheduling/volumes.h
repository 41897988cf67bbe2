#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/pod.h"
#include "model/surroundings.h"
#include "scheduling/surroundings.h"

namespace dsdoctor::scheduling {

/// What keeps a pod from its node because of a volume. The filters that see to it are
/// VolumeRestrictions, NodeVolumeLimits, VolumeBinding and VolumeZone.
enum class VolumeFault {
  ClaimMissing,
  ClaimLost,
  ClaimDeleting,
  ClaimForeign,        // an ephemeral volume's claim that belongs to something else
  ClaimUnbound,        // of an immediate class: it has to be bound before
  VolumeMissing,       // the claim is bound to a PersistentVolume that is not there
  VolumeElsewhere,     // the PersistentVolume's node affinity leaves the node out
  SelectedElsewhere,   // provisioning for another node has begun
  NoVolume,            // nothing to bind to, and nobody provisions
  TopologyNotAllowed,  // the StorageClass leaves the node out
  ZoneElsewhere,       // the PersistentVolume's zone or region label
  LimitReached,        // volumes of one CSI driver on the node
  ClaimInUse,          // ReadWriteOncePod, and another pod has it
  DiskInUse,           // an in-tree disk that the node has attached already
};

struct VolumeProblem {
  VolumeFault fault = VolumeFault::ClaimMissing;
  std::string claim;   // of the pod's namespace; empty for a disk named in the pod
  std::string object;  // PersistentVolume, StorageClass, driver or disk
  std::string detail;  // the node, the zone: what stands against it
  std::int64_t used = 0;
  std::int64_t limit = 0;
  const model::Pod* holder = nullptr;
};

/// Everything that claims and volumes have against the pod on its node, in the order of the pod's
/// volumes. Judges only by kinds that were read; names nothing where they were not.
/// Source of truth: kubernetes v1.36.2, pkg/scheduler/framework/plugins/volumebinding/binder.go,
/// volumezone/volume_zone.go, volumerestrictions/volume_restrictions.go, nodevolumelimits/csi.go.
[[nodiscard]] std::vector<VolumeProblem> volume_problems(const model::Pod& pod,
                                                         const Surroundings& around);

/// The claim that a volume of the pod stands for; empty if it stands for none.
[[nodiscard]] std::string claim_of(const model::Pod& pod, const model::Volume& volume);

}  // namespace dsdoctor::scheduling
