// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/node.h"
#include "model/pod.h"
#include "model/related_objects.h"
#include "scheduling/pod_requests.h"
#include "scheduling/quantity.h"

/// Resources and the number of pods, as the scheduler's filter NodeResourcesFit checks them. Source
/// of truth: kubernetes v1.36.2, pkg/scheduler/framework/plugins/noderesources/fit.go: fitsRequest;
/// pkg/scheduler/framework/types.go: Resource.
namespace dsdoctor::scheduling {

/// A resource that a pod requests, and the node's allocatable amount of it. In whole units; cpu in
/// thousandths.
struct Demand {
  std::string resource;
  std::int64_t request = 0;  // above 0
  std::int64_t allocatable = 0;
  bool offered = false;  // the node has the resource
  Quantity::Format format = Quantity::Format::Decimal;

  friend bool operator==(const Demand&, const Demand&) = default;
};

/// Amounts that a pod uses of the resources in Fit::demands() of another pod, in the same order.
struct Load {
  const model::Pod* pod = nullptr;
  std::vector<std::int64_t> amounts;
};

/// A demand that does not fit beside the pods on the node.
struct Shortage {
  Demand demand;
  std::int64_t used = 0;
  /// The demand exceeds the whole node: removing pods does not help.
  [[nodiscard]] bool never_fits() const { return demand.request > demand.allocatable; }
  /// Negative if the node is over-committed.
  [[nodiscard]] std::int64_t free() const;
  [[nodiscard]] std::int64_t gap() const;

  friend bool operator==(const Shortage&, const Shortage&) = default;
};

struct FitResult {
  bool too_many_pods = false;
  std::vector<Shortage> shortages;  // cpu, memory, ephemeral-storage, then the others by name

  [[nodiscard]] bool fits() const { return !too_many_pods && shortages.empty(); }
};

/// Allocatable resources of a node, and their use by the pods on it.
struct NodeRoom {
  Amounts allocatable;
  std::vector<std::string> unusable;                      // invalid quantities, as in Fit::unusable
  std::map<std::string, std::int64_t, std::less<>> used;  // in the units of Demand
  std::int64_t pods = 0;
};
/// REQUIRES: `pods` are on the node.
[[nodiscard]] NodeRoom room_of(const model::Node& node, const std::vector<const model::Pod*>& pods,
                               CountedBy counted_by);

using DeviceClasses = std::vector<model::DeviceClass>;

/// Whether a pod with these requests fits on the node in addition to its pods. Same result as
/// Fit::beside, but much faster.
[[nodiscard]] bool fits_in(const PodRequests& requests, const NodeRoom& room,
                           const DeviceClasses& classes);

/// A pod on a node, prepared for several sets of other pods on the node.
class Fit {
 public:
  /// Copies the parts that it needs. Ignores a resource that the node does not offer if one of
  /// `classes` provides it: devices are allocated by claim then.
  /// `counted_by`: the rule for pods on the node.
  Fit(const model::Pod& pod, const model::Node& node, const DeviceClasses& classes,
      CountedBy counted_by);

  [[nodiscard]] const std::vector<Demand>& demands() const { return demands_; }
  /// allocatable.pods; the scheduler takes an absent value as 0.
  [[nodiscard]] std::optional<std::int64_t> allowed_pods() const { return allowed_pods_; }
  /// Quantities of pod and node that no API server accepts; they count as 0.
  [[nodiscard]] const std::vector<std::string>& unusable() const { return unusable_; }

  /// Amounts that a pod on the node uses. Keeps a pointer to the pod.
  [[nodiscard]] Load load_of(const model::Pod& pod) const;
  /// The part of load_of(pod) that is overhead counted a second time: the kubelet has included it
  /// in `status.allocatedResources`, to which CountedBy::WholePod adds it again.
  [[nodiscard]] Load repeated_overhead_of(const model::Pod& pod) const;
  [[nodiscard]] FitResult beside(const std::vector<Load>& loads) const;
  /// beside(loads).fits(), without copying the loads.
  [[nodiscard]] bool fits_beside(const std::vector<const Load*>& loads) const;

 private:
  CountedBy counted_by_;  // of pods on the node
  std::vector<Demand> demands_;
  std::optional<std::int64_t> allowed_pods_;
  std::vector<std::string> unusable_;
};

/// Whether the scheduler considers resources with this name.
[[nodiscard]] bool is_counted_resource(std::string_view name);
/// Whether the name is that of a device plugin's resource: vendor/device.
[[nodiscard]] bool is_extended_resource(std::string_view name);

/// The exact amount of a number in Demand or Shortage.
[[nodiscard]] Quantity quantity_of(const Demand& demand, std::int64_t amount);

}  // namespace dsdoctor::scheduling
