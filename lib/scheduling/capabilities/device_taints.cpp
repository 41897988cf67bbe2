// SPDX-License-Identifier: Apache-2.0
#include "scheduling/capabilities/device_taints.h"

#include <algorithm>
#include <chrono>

namespace dsdoctor::scheduling {
namespace {

using Tolerations = std::vector<model::Toleration>;

bool is_unset_or(const model::Text& selected, const model::Text& name) {
  return selected.empty() || selected == name;
}

bool selects(const model::DeviceTaintRule& rule, const model::Text& driver, const model::Text& pool,
             const model::Text& device) {
  return rule.selector && is_unset_or(rule.selector->driver, driver) &&
         is_unset_or(rule.selector->pool, pool) && is_unset_or(rule.selector->device, device);
}

/// The newest generation of a pool; slices of older ones are out of date.
std::int64_t generation_of(const model::Cluster& cluster, const model::Text& driver,
                           const model::Text& pool) {
  std::int64_t newest = 0;
  for (const model::ResourceSlice& slice : cluster.resource_slices) {
    if (slice.driver == driver && slice.pool == pool) newest = std::max(newest, slice.generation);
  }
  return newest;
}

/// Adds the taints that the driver publishes for the device.
void add_published(const model::ResourceSlice& slice, std::size_t device,
                   std::vector<DeviceTaint>& into) {
  for (const model::Taint& taint : slice.devices[device].taints) {
    into.push_back({&taint, nullptr, &slice, device});
  }
}

void add_of_rules(const model::Cluster& cluster, const model::Text& driver, const model::Text& pool,
                  const model::Text& device, std::vector<DeviceTaint>& into) {
  for (const model::DeviceTaintRule& rule : cluster.device_taint_rules) {
    if (selects(rule, driver, pool, device)) into.push_back({&rule.taint, &rule, nullptr, 0});
  }
}

std::vector<DeviceTaint> taints_of(const model::Cluster& cluster,
                                   const model::AllocatedDevice& allocated) {
  std::vector<DeviceTaint> result;
  const std::int64_t newest = generation_of(cluster, allocated.driver, allocated.pool);
  for (const model::ResourceSlice& slice : cluster.resource_slices) {
    if (slice.driver != allocated.driver || slice.pool != allocated.pool ||
        slice.generation != newest) {
      continue;
    }
    const auto at = std::ranges::find(slice.devices, allocated.device, &model::Device::name);
    if (at == slice.devices.end()) continue;
    add_published(slice, static_cast<std::size_t>(at - slice.devices.begin()), result);
    break;
  }
  add_of_rules(cluster, allocated.driver, allocated.pool, allocated.device, result);
  return result;
}

model::OptionalTime due_after(const model::OptionalTime& added,
                              const std::optional<std::int64_t>& seconds) {
  // A longer time can exceed the range of times.
  constexpr std::int64_t longest = 366L * 24 * 3600;
  if (!added || seconds.value_or(0) > longest) return std::nullopt;
  return *added + std::chrono::seconds(seconds.value_or(0));
}

/// How long the tolerations keep the pods; absent if forever.
std::optional<DeviceEviction> eviction_by(const DeviceTaint& taint, const Tolerations& tolerations,
                                          model::Release release) {
  DeviceEviction result;
  result.taint = taint;
  const bool any_effect = applies(model::ReleaseRule::DeviceTolerationsOfAnyEffect, release);
  for (const model::Toleration& each : tolerations) {
    if (!tolerates_device_taint(each, *taint.taint)) continue;
    if (each.effect.empty() && !any_effect) {
      result.toleration_lacks_effect = true;
      continue;
    }
    if (!each.toleration_seconds) return std::nullopt;
    const std::int64_t seconds = std::max<std::int64_t>(*each.toleration_seconds, 0);
    result.seconds = std::min(result.seconds.value_or(seconds), seconds);
  }
  result.due = due_after(taint.taint->time_added, result.seconds);
  return result;
}

bool keeps_out(const model::Taint& taint) {
  return taint.effect == model::effect::no_schedule || taint.effect == model::effect::no_execute;
}

bool any_tolerates(const Tolerations& tolerations, const model::Taint& taint) {
  return std::ranges::any_of(tolerations,
                             [&](const auto& one) { return tolerates_device_taint(one, taint); });
}

/// Whether one of the alternatives of the request tolerates the taint.
bool request_tolerates(const model::DeviceRequest& request, const model::Taint& taint) {
  return any_tolerates(request.tolerations, taint) ||
         std::ranges::any_of(request.first_available, [&](const auto& one) {
           return any_tolerates(one.tolerations, taint);
         });
}

/// Whether a request tolerates it: which request is for which driver is not known.
bool is_tolerated(const std::vector<const model::ResourceClaim*>& claims,
                  const model::Taint& taint) {
  return std::ranges::any_of(claims, [&](const model::ResourceClaim* claim) {
    return std::ranges::any_of(claim->requests,
                               [&](const auto& one) { return request_tolerates(one, taint); });
  });
}

DriverDevices& entry_of(std::vector<DriverDevices>& list, std::string_view driver) {
  const auto at = std::ranges::find(list, driver, &DriverDevices::driver);
  if (at != list.end()) return *at;
  return list.emplace_back(DriverDevices{driver, 0, 0, {}});
}

}  // namespace

bool tolerates_device_taint(const model::Toleration& toleration, const model::Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.op.empty() || toleration.op == "Equal") return toleration.value == taint.value;
  return toleration.op == "Exists";
}

std::vector<const model::ResourceClaim*> claims_of(const model::Cluster& cluster,
                                                   const model::Pod& pod) {
  std::vector<const model::ResourceClaim*> result;
  const auto names = [&](const model::ResourceClaim& claim) {
    return std::ranges::any_of(pod.spec->resource_claims, [&](const auto& one) {
      return !one.claim_name.empty() && one.claim_name == claim.meta.name;
    });
  };
  const auto is_owner_of = [&](const model::ResourceClaim& claim) {
    const auto& owner = claim.meta.controller;
    return owner && owner->kind == "Pod" && owner->name == pod.meta.name &&
           (owner->uid.empty() || pod.meta.uid.empty() || owner->uid == pod.meta.uid);
  };
  if (pod.spec->resource_claims.empty()) return result;
  for (const model::ResourceClaim& claim : cluster.resource_claims) {
    if (claim.meta.ns == pod.meta.ns && (names(claim) || is_owner_of(claim))) {
      result.push_back(&claim);
    }
  }
  return result;
}

std::vector<DeviceEviction> device_evictions(const model::Cluster& cluster, const model::Pod& pod,
                                             model::Release release) {
  std::vector<DeviceEviction> result;
  for (const model::ResourceClaim* claim : claims_of(cluster, pod)) {
    for (const model::AllocatedDevice& device : claim->devices) {
      for (const DeviceTaint& taint : taints_of(cluster, device)) {
        if (taint.taint->effect != model::effect::no_execute) continue;
        auto eviction = eviction_by(taint, device.tolerations, release);
        if (!eviction) continue;
        eviction->claim = claim;
        eviction->device = &device;
        result.push_back(*eviction);
      }
    }
  }
  return result;
}

std::vector<DriverDevices> tainted_devices(const model::Cluster& cluster, const model::Node& node,
                                           const std::vector<const model::ResourceClaim*>& claims) {
  std::vector<DriverDevices> result;
  for (const model::ResourceSlice& slice : cluster.resource_slices) {
    if (slice.node_name.empty() || slice.node_name != node.meta.name) continue;
    if (slice.generation != generation_of(cluster, slice.driver, slice.pool)) continue;
    for (std::size_t i = 0; i < slice.devices.size(); ++i) {
      DriverDevices& entry = entry_of(result, slice.driver);
      ++entry.count;
      std::vector<DeviceTaint> taints;
      add_published(slice, i, taints);
      add_of_rules(cluster, slice.driver, slice.pool, slice.devices[i].name, taints);
      const auto at = std::ranges::find_if(taints, [&](const DeviceTaint& one) {
        return keeps_out(*one.taint) && !is_tolerated(claims, *one.taint);
      });
      if (at == taints.end()) continue;
      if (entry.tainted++ == 0) entry.first = *at;
    }
  }
  std::erase_if(result, [](const DriverDevices& one) { return one.tainted == 0; });
  return result;
}

}  // namespace dsdoctor::scheduling
