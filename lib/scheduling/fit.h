#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/node.h"
#include "model/pod.h"
#include "model/surroundings.h"
#include "scheduling/pod_requests.h"
#include "scheduling/quantity.h"

/// Resources and the number of pods: what the scheduler's filter NodeResourcesFit looks at.
/// Source of truth: kubernetes v1.36.2, pkg/scheduler/framework/plugins/noderesources/fit.go:
/// fitsRequest; pkg/scheduler/framework/types.go: Resource.
namespace dsdoctor::scheduling {

/// One resource that a pod requests, against what its node offers for pods. In whole units; cpu in
/// thousandths.
struct Demand {
  std::string resource;
  std::int64_t request = 0;  // above 0
  std::int64_t allocatable = 0;
  bool offered = false;  // the node names the resource at all
  Quantity::Format format = Quantity::Format::Decimal;

  friend bool operator==(const Demand&, const Demand&) = default;
};

/// What a pod takes of each demand of another one, in the same order.
struct Load {
  const model::Pod* pod = nullptr;
  std::vector<std::int64_t> amounts;
};

/// A demand that does not fit beside the pods that are there.
struct Shortage {
  Demand demand;
  std::int64_t used = 0;
  /// More than the whole node offers: no pod's leaving helps.
  [[nodiscard]] bool never_fits() const { return demand.request > demand.allocatable; }
  /// Below 0: over-committed already.
  [[nodiscard]] std::int64_t free() const;
  [[nodiscard]] std::int64_t gap() const;

  friend bool operator==(const Shortage&, const Shortage&) = default;
};

struct FitResult {
  bool too_many_pods = false;
  std::vector<Shortage> shortages;  // cpu, memory, ephemeral-storage, then the others by name

  [[nodiscard]] bool fits() const { return !too_many_pods && shortages.empty(); }
};

/// What a node has for pods, and what those on it take.
struct NodeRoom {
  Amounts allocatable;
  std::vector<std::string> unusable;                      // of these, as Fit::unusable
  std::map<std::string, std::int64_t, std::less<>> used;  // in the units of Demand
  std::int64_t pods = 0;
};
/// Of `pods`, which are on the node.
[[nodiscard]] NodeRoom room_of(const model::Node& node, const std::vector<const model::Pod*>& pods);

using DeviceClasses = std::vector<model::DeviceClass>;

/// Fit::beside of all pods of the room says that a pod with these requests fits; at a small part of
/// the cost.
[[nodiscard]] bool fits_in(const PodRequests& requests, const NodeRoom& room,
                           const DeviceClasses& classes);

/// One pod on one node, prepared for several sets of pods beside it.
class Fit {
 public:
  /// Copies what it needs. What one of `classes` provides and the node does not offer is left to
  /// the allocation of devices.
  Fit(const model::Pod& pod, const model::Node& node, const DeviceClasses& classes);

  [[nodiscard]] const std::vector<Demand>& demands() const { return demands_; }
  /// allocatable.pods; absent where the node does not say, which the scheduler takes for 0.
  [[nodiscard]] std::optional<std::int64_t> allowed_pods() const { return allowed_pods_; }
  /// Quantities of pod and node that no API server accepts; they count as nothing.
  [[nodiscard]] const std::vector<std::string>& unusable() const { return unusable_; }

  /// What a pod that is on the node takes. Keeps a pointer to it.
  [[nodiscard]] Load load_of(const model::Pod& pod) const;
  [[nodiscard]] FitResult beside(const std::vector<Load>& loads) const;
  /// beside(loads).fits(), for a choice of many loads.
  [[nodiscard]] bool fits_beside(const std::vector<const Load*>& loads) const;

 private:
  std::vector<Demand> demands_;
  std::optional<std::int64_t> allowed_pods_;
  std::vector<std::string> unusable_;
};

/// Whether the scheduler looks at a resource of that name at all.
[[nodiscard]] bool is_counted_resource(std::string_view name);
/// Of a device plugin: vendor/device.
[[nodiscard]] bool is_extended_resource(std::string_view name);

/// An amount as Demand and Shortage hold it, exact.
[[nodiscard]] Quantity quantity_of(const Demand& demand, std::int64_t amount);

}  // namespace dsdoctor::scheduling
