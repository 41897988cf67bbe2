// SPDX-License-Identifier: Apache-2.0
#include "scheduling/fit.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "base/saturating.h"
#include "placement/label_syntax.h"
#include "scheduling/pod_requests.h"

namespace dsdoctor::scheduling {
namespace {

using base::saturating_add;

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

std::int64_t saturating_subtract(std::int64_t a, std::int64_t b) {
  return saturating_add(a, b == std::numeric_limits<std::int64_t>::min() ? most : -b);
}

std::int64_t counted(std::string_view resource, const Quantity& quantity) {
  return resource == "cpu" ? quantity.milli_value() : quantity.value();
}

std::int64_t gap_of(const Demand& demand, std::int64_t used) {
  return saturating_subtract(demand.request, saturating_subtract(demand.allocatable, used));
}

int rank(std::string_view resource) {
  if (resource == "cpu") return 0;
  if (resource == "memory") return 1;
  return resource == "ephemeral-storage" ? 2 : 3;
}

std::optional<std::int64_t> allowed_pods_in(const Amounts& allocatable) {
  const auto pods = allocatable.find("pods");
  return pods == allocatable.end() ? std::nullopt : std::optional(pods->second.value());
}

/// Whether a DeviceClass provides the resource: by the implicit name, which no device plugin uses,
/// or by its spec.extendedResourceName.
bool is_of_device_class(std::string_view name, const DeviceClasses& classes) {
  return name.starts_with("deviceclass.resource.kubernetes.io/") ||
         std::ranges::any_of(classes, [&](const model::DeviceClass& each) {
           return !name.empty() && each.extended_resource == name;
         });
}

/// The demand for one resource; absent if the scheduler ignores the resource.
std::optional<Demand> demand_of(std::string_view name, const Quantity& amount,
                                const Amounts& allocatable, const DeviceClasses& classes) {
  Demand demand{std::string(name), counted(name, amount), 0, false, amount.format()};
  if (demand.request <= 0 || !is_counted_resource(name)) return std::nullopt;
  const auto offer = allocatable.find(name);
  demand.offered = offer != allocatable.end();
  if (demand.offered) demand.allocatable = counted(name, offer->second);
  if (demand.allocatable == 0 && is_of_device_class(name, classes)) return std::nullopt;
  return demand;
}

}  // namespace

NodeRoom room_of(const model::Node& node, const std::vector<const model::Pod*>& pods,
                 CountedBy counted_by) {
  NodeRoom room;
  room.allocatable = amounts_of(node.allocatable, "status.allocatable", room.unusable);
  room.pods = static_cast<std::int64_t>(pods.size());
  for (const model::Pod* pod : pods) {
    for (const auto& [name, amount] : pod_requests(*pod, counted_by).amounts) {
      std::int64_t& used = room.used[name];
      used = saturating_add(used, counted(name, amount));
    }
  }
  return room;
}

bool fits_in(const PodRequests& requests, const NodeRoom& room, const DeviceClasses& classes) {
  if (room.pods + 1 > allowed_pods_in(room.allocatable).value_or(0)) return false;
  return std::ranges::all_of(requests.amounts, [&](const auto& entry) {
    const auto demand = demand_of(entry.first, entry.second, room.allocatable, classes);
    if (!demand) return true;
    const auto used = room.used.find(entry.first);
    return gap_of(*demand, used == room.used.end() ? 0 : used->second) <= 0;
  });
}

std::int64_t Shortage::free() const { return saturating_subtract(demand.allocatable, used); }
std::int64_t Shortage::gap() const { return gap_of(demand, used); }

bool is_extended_resource(std::string_view name) {
  const bool native = name.find('/') == std::string_view::npos ||
                      name.find("kubernetes.io/") != std::string_view::npos;
  if (native || name.starts_with("requests.")) return false;
  return placement::is_label_key("requests." + std::string(name));
}

bool is_counted_resource(std::string_view name) {
  return rank(name) < 3 || name.starts_with("hugepages-") ||
         name.starts_with("attachable-volumes-") ||
         name.find("kubernetes.io/") != std::string_view::npos || is_extended_resource(name);
}

Quantity quantity_of(const Demand& demand, std::int64_t amount) {
  return demand.resource == "cpu" ? Quantity::of_millis(amount, demand.format)
                                  : Quantity::of_units(amount, demand.format);
}

Fit::Fit(const model::Pod& pod, const model::Node& node, const DeviceClasses& classes,
         CountedBy counted_by)
    : counted_by_(counted_by) {
  PodRequests requests = pod_requests(pod, CountedBy::Spec);
  for (const std::string& text : requests.unusable) unusable_.push_back("spec." + text);
  const Amounts allocatable = amounts_of(node.allocatable, "status.allocatable", unusable_);
  for (const auto& [name, amount] : requests.amounts) {
    if (auto demand = demand_of(name, amount, allocatable, classes)) {
      demands_.push_back(*std::move(demand));
    }
  }
  std::ranges::stable_sort(demands_, {}, [](const Demand& d) { return rank(d.resource); });
  allowed_pods_ = allowed_pods_in(allocatable);
}

Load Fit::load_of(const model::Pod& pod) const {
  Load load{&pod, {}};
  if (demands_.empty()) return load;
  const PodRequests requests = pod_requests(pod, counted_by_);
  for (const Demand& demand : demands_) {
    const auto found = requests.amounts.find(demand.resource);
    load.amounts.push_back(
        found == requests.amounts.end() ? 0 : counted(demand.resource, found->second));
  }
  return load;
}

Load Fit::repeated_overhead_of(const model::Pod& pod) const {
  Load load{&pod, std::vector<std::int64_t>(demands_.size())};
  const model::Labels& overhead = pod.spec->overhead;
  const bool has_sums =
      pod.resized_requests && !pod.resized_requests->empty() && !pod.allocated_resources.empty();
  if (counted_by_ != CountedBy::WholePod || overhead.empty() || !has_sums) return load;
  std::vector<std::string> unusable;
  const auto amount_in = [&](const Amounts& amounts, const std::string& resource) {
    const auto found = amounts.find(resource);
    return found == amounts.end() ? 0 : counted(resource, found->second);
  };
  const Amounts all = pod_requests(pod, counted_by_).amounts;
  const Amounts once[] = {pod_requests(pod, CountedBy::Spec).amounts,
                          amounts_of(*pod.resized_requests, "", unusable),
                          amounts_of(pod.allocated_resources, "", unusable)};
  const Amounts of_overhead = amounts_of(overhead, "", unusable);
  for (std::size_t i = 0; i < demands_.size(); ++i) {
    const std::string& resource = demands_[i].resource;
    std::int64_t largest = 0;
    for (const Amounts& amounts : once) largest = std::max(largest, amount_in(amounts, resource));
    const std::int64_t more = saturating_subtract(amount_in(all, resource), largest);
    load.amounts[i] = std::clamp<std::int64_t>(more, 0, amount_in(of_overhead, resource));
  }
  return load;
}

FitResult Fit::beside(const std::vector<Load>& loads) const {
  FitResult result;
  result.too_many_pods = static_cast<std::int64_t>(loads.size()) + 1 > allowed_pods_.value_or(0);
  for (std::size_t i = 0; i < demands_.size(); ++i) {
    Shortage shortage{demands_[i], 0};
    for (const Load& load : loads) {
      shortage.used = saturating_add(shortage.used, load.amounts[i]);
    }
    if (shortage.gap() > 0) result.shortages.push_back(std::move(shortage));
  }
  return result;
}

bool Fit::fits_beside(const std::vector<const Load*>& loads) const {
  if (static_cast<std::int64_t>(loads.size()) + 1 > allowed_pods_.value_or(0)) return false;
  for (std::size_t i = 0; i < demands_.size(); ++i) {
    std::int64_t used = 0;
    for (const Load* load : loads) used = saturating_add(used, load->amounts[i]);
    if (gap_of(demands_[i], used) > 0) return false;
  }
  return true;
}

}  // namespace dsdoctor::scheduling
