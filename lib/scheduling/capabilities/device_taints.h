// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/cluster.h"
#include "model/release.h"

/// Taints of devices (dynamic resource allocation), which drivers publish in ResourceSlices and
/// administrators add with DeviceTaintRules. Source of truth: kubernetes of 1.36.3, 1.37.2 and
/// 1.38.0-beta.0, pkg/controller/devicetainteviction/device_taint_eviction.go, and
/// k8s.io/dynamic-resource-allocation, resourceclaim/devicetoleration.go and resourceslice/tracker.
namespace dsdoctor::scheduling {

/// Keeps pointers into the cluster.
struct DeviceTaint {
  const model::Taint* taint = nullptr;           // never null
  const model::DeviceTaintRule* rule = nullptr;  // null: published by the driver
  const model::ResourceSlice* slice = nullptr;   // null: of a rule
  std::size_t device = 0;                        // index in the slice
};

/// Whether the toleration is for a taint of this key, value and effect.
[[nodiscard]] bool tolerates_device_taint(const model::Toleration& toleration,
                                          const model::Taint& taint);

/// The claims of the pod that exist: those that it names, and those made for it.
[[nodiscard]] std::vector<const model::ResourceClaim*> claims_of(const model::Cluster& cluster,
                                                                 const model::Pod& pod);

/// A taint because of which the device taint eviction controller deletes the pods of a claim.
struct DeviceEviction {
  const model::ResourceClaim* claim = nullptr;     // never null
  const model::AllocatedDevice* device = nullptr;  // never null
  DeviceTaint taint;
  std::optional<std::int64_t> seconds;   // tolerated for this time only
  bool toleration_lacks_effect = false;  // one without effect matches, which does not count
  model::OptionalTime due;               // absent if the time of the taint is unknown
};

/// All evictions that are due or ahead, by rules of the release.
[[nodiscard]] std::vector<DeviceEviction> device_evictions(const model::Cluster& cluster,
                                                           const model::Pod& pod,
                                                           model::Release release);

/// The devices of a driver on a node, and those with a taint that keeps a new pod from them.
struct DriverDevices {
  std::string_view driver;
  std::size_t count = 0;
  std::size_t tainted = 0;
  DeviceTaint first;  // of the first tainted device
};

/// The drivers whose devices on the node have a taint that no request of these claims tolerates;
/// without claims all with a taint. Devices that are not published for this single node
/// are left out.
[[nodiscard]] std::vector<DriverDevices> tainted_devices(
    const model::Cluster& cluster, const model::Node& node,
    const std::vector<const model::ResourceClaim*>& claims);

}  // namespace dsdoctor::scheduling
