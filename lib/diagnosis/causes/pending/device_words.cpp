// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/pending/device_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "diagnosis/evidence/attribution.h"
#include "diagnosis/evidence/wording.h"

namespace dsdoctor::diagnosis {

namespace {

/// The drivers of the devices that pods of the DaemonSet have by claims made for them.
std::vector<std::string_view> drivers_used_by(const model::Cluster& cluster,
                                              const model::DaemonSet& ds) {
  std::vector<std::string_view> result;
  const std::string prefix = ds.meta.name.str() + "-";
  for (const model::ResourceClaim& claim : cluster.resource_claims) {
    const auto& owner = claim.meta.controller;
    if (claim.meta.ns != ds.meta.ns || !owner || owner->kind != "Pod" ||
        !owner->name.view().starts_with(prefix)) {
      continue;
    }
    for (const model::AllocatedDevice& device : claim.devices) result.push_back(device.driver);
  }
  return result;
}

/// The tainted devices that explain the scheduler's reason. Other reasons about claims do not
/// depend on taints, and without its claims nothing is known about tolerations.
std::vector<scheduling::DriverDevices> blamed_devices(const PendingCase& c,
                                                      std::string_view reason) {
  if (!reason.starts_with("cannot allocate all claims")) return {};
  const auto claims = scheduling::claims_of(c.facts.cluster(), c.pod);
  if (claims.empty()) return {};
  return tainted_devices_for(c.of, claims);
}

}  // namespace

std::vector<scheduling::DriverDevices> tainted_devices_for(
    const NodeCase& c, const std::vector<const model::ResourceClaim*>& claims) {
  const model::Cluster& cluster = c.of.facts.cluster();
  auto result = scheduling::tainted_devices(cluster, c.node, claims);
  if (result.empty()) return result;
  const std::vector<std::string_view> used = drivers_used_by(cluster, c.of.ds);
  if (used.empty()) return result;
  std::erase_if(result, [&](const scheduling::DriverDevices& one) {
    return std::ranges::find(used, one.driver) == used.end();
  });
  return result;
}

DeviceTaintNames names_in(const scheduling::DeviceTaint& taint) {
  if (taint.rule != nullptr) return {{}, taint.rule->meta.name.str(), {}};
  return {taint.slice->driver.str(), {}, taint.slice->meta.name.str()};
}

Message tainted_text(const scheduling::DriverDevices& devices, bool claims_are_known) {
  return phrase::DevicesOfNodeTainted{.claims_are_known = claims_are_known,
                                      .count = static_cast<std::int64_t>(devices.count),
                                      .driver = devices.driver,
                                      .source = source_of(devices.first),
                                      .taint = wording::taint(*devices.first.taint),
                                      .tainted = static_cast<std::int64_t>(devices.tainted)};
}

Message source_of(const scheduling::DeviceTaint& taint) {
  if (taint.rule == nullptr) return phrase::TaintedByDriver{.driver = taint.slice->driver};
  const auto writer = spec_writer(taint.rule->meta);
  return phrase::TaintedByRule{.rule = taint.rule->meta.name,
                               .writer = writer ? manager_name(writer->manager) : std::string()};
}

Evidence evidence_of(const scheduling::DeviceTaint& taint) {
  const std::string value = wording::taint(*taint.taint);
  if (taint.rule != nullptr) {
    return {{"DeviceTaintRule", "", taint.rule->meta.name.str()}, "spec.taint", value};
  }
  return {{"ResourceSlice", "", taint.slice->meta.name.str()},
          fmt::format("spec.devices[{}].taints[{}]", taint.device,
                      taint.taint - taint.slice->devices[taint.device].taints.data()),
          value};
}

std::string toleration_for(const model::Taint& taint) {
  const std::string_view key = taint.key;
  const std::string_view effect = taint.effect;
  if (taint.value.empty())
    return fmt::format("{{key: {}, operator: Exists, effect: {}}}", key, effect);
  return fmt::format("{{key: {}, operator: Equal, value: \"{}\", effect: {}}}", key,
                     taint.value.view(), effect);
}

std::string claim_source_of(const model::PodSpec& spec) {
  if (spec.resource_claims.empty()) return {};
  const model::PodResourceClaim& first = spec.resource_claims.front();
  if (!first.claim_name.empty()) return fmt::format("ResourceClaim {}", first.claim_name.view());
  return fmt::format("ResourceClaimTemplate {}", first.template_name.view());
}

finding::SchedResourceClaim resource_claim_kind(Message what) {
  return {.a_claim_is_missing = false,
          .claim_source = "",
          .driver = "",
          .its_class_is_missing = false,
          .its_pod_level_is_short = false,
          .pods_cannot_share_it = false,
          .rule = "",
          .slice = "",
          .the_kubelet_lacks_a_gate = false,
          .the_scheduler_is_behind = false,
          .toleration = "",
          .what = std::move(what)};
}

std::vector<Evidence> device_taint_evidence(const PendingCase& c, std::string_view reason) {
  std::vector<Evidence> evidence;
  for (const scheduling::DriverDevices& one : blamed_devices(c, reason)) {
    evidence.push_back(evidence_of(one.first));
  }
  return evidence;
}

finding::SchedResourceClaim resource_claim_kind(const PendingCase& c, std::string_view reason,
                                                Message said) {
  const auto drivers = blamed_devices(c, reason);
  if (drivers.empty()) return resource_claim_kind(std::move(said));
  std::vector<Message> tainted;
  tainted.reserve(drivers.size());
  for (const scheduling::DriverDevices& one : drivers) tainted.push_back(tainted_text(one, true));
  const scheduling::DeviceTaint& first = drivers.front().first;
  const DeviceTaintNames names = names_in(first);
  auto kind = resource_claim_kind(phrase::NoUntaintedDevice{.tainted = std::move(tainted)});
  kind.claim_source = claim_source_of(*c.pod.spec);
  kind.driver = names.driver;
  kind.rule = names.rule;
  kind.slice = names.slice;
  kind.toleration = toleration_for(*first.taint);
  return kind;
}

}  // namespace dsdoctor::diagnosis
