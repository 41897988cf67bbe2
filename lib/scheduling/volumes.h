// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/pod.h"
#include "model/related_objects.h"
#include "scheduling/surroundings.h"

namespace dsdoctor::scheduling {

/// Why a volume keeps a pod from its node. The filters that check this are
/// VolumeRestrictions, NodeVolumeLimits, VolumeBinding and VolumeZone.
enum class VolumeFault {
  ClaimMissing,
  ClaimLost,
  ClaimDeleting,
  ClaimForeign,        // an ephemeral volume's claim belongs to another object
  ClaimUnbound,        // the class binds immediately, and the claim is not bound yet
  VolumeMissing,       // the claim is bound to a PersistentVolume that does not exist
  VolumeElsewhere,     // the PersistentVolume's node affinity excludes the node
  SelectedElsewhere,   // provisioning for another node has begun
  NoVolume,            // there is no matching PersistentVolume and no provisioner
  TopologyNotAllowed,  // the StorageClass excludes the node
  ZoneElsewhere,       // the PersistentVolume has another zone or region label
  LimitReached,        // the node has the maximum number of volumes of a CSI driver
  ClaimInUse,          // ReadWriteOncePod, and another pod uses it
  DiskInUse,           // an in-tree disk that is already attached to the node
};

struct VolumeProblem {
  VolumeFault fault = VolumeFault::ClaimMissing;
  std::string claim;   // in the pod's namespace; empty for a disk in the pod's spec
  std::string object;  // PersistentVolume, StorageClass, driver or disk
  std::string detail;  // the node or the zone that does not match
  std::int64_t used = 0;
  std::int64_t limit = 0;
  const model::Pod* holder = nullptr;
};

/// All problems of claims and volumes that keep the pod from its node, in the order of the pod's
/// volumes. Checks only against kinds that were read. Source of truth: kubernetes v1.36.2,
/// pkg/scheduler/framework/plugins/volumebinding/binder.go, volumezone/volume_zone.go,
/// volumerestrictions/volume_restrictions.go, nodevolumelimits/csi.go.
[[nodiscard]] std::vector<VolumeProblem> volume_problems(const model::Pod& pod,
                                                         const Surroundings& around);

/// The name of the claim of a volume of the pod; empty if it has none.
[[nodiscard]] std::string claim_of(const model::Pod& pod, const model::Volume& volume);

}  // namespace dsdoctor::scheduling
