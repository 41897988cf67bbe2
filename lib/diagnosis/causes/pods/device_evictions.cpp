// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/pods/device_evictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/pods.h"
#include "diagnosis/causes/pending/device_words.h"
#include "diagnosis/causes/pods/eviction_loop.h"
#include "diagnosis/evidence/wording.h"
#include "diagnosis/report/pod_signs.h"

namespace dsdoctor::diagnosis {
namespace {

/// Signs that the controller deletes pods on the node.
struct DeviceEvictionSigns {
  const model::Pod* deleted = nullptr;  // has the controller's condition; null: there is none
  Facts::Events events;
  std::optional<scheduling::DeviceEviction> due;  // the earliest one of a pod's claims
  const model::Pod* pod = nullptr;                // of `due`
};

bool is_deleted_by_controller(const model::Pod& pod) {
  const auto target = model::find_condition(pod.conditions, "DisruptionTarget");
  return target != nullptr && target->status == "True" &&
         target->reason == "DeletionByDeviceTaintManager";
}

/// Whether `a` comes before `b`; one without a known time comes last.
bool is_earlier(const scheduling::DeviceEviction& a, const scheduling::DeviceEviction& b) {
  if (!a.due || !b.due) return a.due.has_value() && !b.due;
  return *a.due < *b.due;
}

DeviceEvictionSigns signs_on(const NodeCase& c) {
  DeviceEvictionSigns signs;
  const model::Release release = c.of.facts.release().release;
  for (const model::Pod* pod : c.pods) {
    if (pod->spec->resource_claims.empty()) continue;
    if (is_deleted_by_controller(*pod)) signs.deleted = pod;
    for (const auto& one : scheduling::device_evictions(c.of.facts.cluster(), *pod, release)) {
      if (signs.due && !is_earlier(one, *signs.due)) continue;
      signs.due = one;
      signs.pod = pod;
    }
  }
  signs.events = evictions_on(c, device_taint_eviction);
  return signs;
}

/// Whether evictions that no present claim explains are the reason for the state of the node: pods
/// that exist in spite of them have other problems.
bool explains_state(const NodeCase& c, const Facts::Events& events) {
  constexpr std::chrono::minutes recent{10};
  if (events.empty() || is_older(last_seen(*events.back()), recent, c.of.facts.now())) return false;
  const NodeVerdict verdict = c.report.verdict();
  if (verdict == NodeVerdict::Running) return count_of(events) >= 2;
  return verdict == NodeVerdict::Missing || verdict == NodeVerdict::Pending;
}

/// Whether the controller deletes a pod, did so and will do so again, or is about to.
bool is_evicting(const NodeCase& c, const DeviceEvictionSigns& signs) {
  constexpr std::chrono::minutes reaction{1};
  if (signs.deleted != nullptr) return true;
  if (!signs.due) return explains_state(c, signs.events);
  // Without any sign of it, the controller may be turned off: it would act immediately.
  return !signs.events.empty() || (signs.due->due && *signs.due->due > c.of.facts.now() - reaction);
}

/// The taint that explains the evictions; without one only that it is not known.
struct DeviceEvictionCause {
  Message what;
  std::optional<scheduling::DeviceTaint> taint = {};
};

Message claim_text(const NodeCase& c, const scheduling::DeviceEviction& due) {
  return phrase::DeviceOfClaimTainted{.device = due.device->device,
                                      .lacks_effect = due.toleration_lacks_effect,
                                      .release = to_string(c.of.facts.release().release),
                                      .seconds = due.seconds,
                                      .source = source_of(due.taint),
                                      .taint = wording::taint(*due.taint.taint)};
}

DeviceEvictionCause cause_of(const NodeCase& c, const DeviceEvictionSigns& signs) {
  if (signs.due) return {claim_text(c, *signs.due), signs.due->taint};
  // The claim was deleted with the pod, or is not allocated again: by the devices on the node.
  const model::Cluster& cluster = c.of.facts.cluster();
  const auto claims = c.pods.empty() ? std::vector<const model::ResourceClaim*>()
                                     : scheduling::claims_of(cluster, *c.pods.front());
  for (const auto& one : tainted_devices_for(c, claims)) {
    if (one.first.taint->effect != model::effect::no_execute) continue;
    return {tainted_text(one, !claims.empty()), one.first};
  }
  if (cluster.known.device_taints) return {phrase::DeviceTaintNotFound{}};
  return {phrase::DeviceTaintsNotRead{}};
}

std::vector<Evidence> evidence_for(const DeviceEvictionSigns& signs,
                                   const DeviceEvictionCause& cause) {
  std::vector<Evidence> evidence;
  if (cause.taint) evidence.push_back(evidence_of(*cause.taint));
  if (signs.due) {
    const model::ResourceClaim& claim = *signs.due->claim;
    evidence.emplace_back(ObjectRef{"ResourceClaim", claim.meta.ns.str(), claim.meta.name.str()},
                          fmt::format("status.allocation.devices.results[{}].device",
                                      signs.due->device - claim.devices.data()),
                          signs.due->device->device.str());
  }
  if (signs.deleted != nullptr) {
    evidence.push_back(condition_evidence(*signs.deleted, "DisruptionTarget", "reason",
                                          "DeletionByDeviceTaintManager"));
  }
  if (!signs.events.empty()) evidence.push_back(event_evidence(*signs.events.back()));
  return evidence;
}

}  // namespace

std::vector<Finding> device_eviction_findings(const NodeCase& c) {
  // The controller recreates nothing on an ineligible node.
  if (c.of.ds.pod_template.spec.resource_claims.empty() ||
      c.report.decision() != placement::Decision::Run) {
    return {};
  }
  const DeviceEvictionSigns signs = signs_on(c);
  if (!is_evicting(c, signs)) return {};
  DeviceEvictionCause cause = cause_of(c, signs);
  DeviceTaintNames names = cause.taint ? names_in(*cause.taint) : DeviceTaintNames();
  const std::int64_t evictions = count_of(signs.events);
  const model::OptionalTime due =
      signs.due && signs.deleted == nullptr ? signs.due->due : std::nullopt;
  std::vector<Evidence> evidence = evidence_for(signs, cause);
  std::string group = names.rule.empty() ? names.driver : names.rule;
  Finding finding = make_finding(
      finding::DeviceTaintEviction{
          .claim_source = claim_source_of(c.of.ds.pod_template.spec),
          .driver = names.driver,
          .due = due && *due > c.of.facts.now() ? due : std::nullopt,
          .evictions = evictions == 0 ? std::nullopt : std::optional(evictions),
          .nothing_is_known = !cause.taint,
          .object = names.rule.empty() ? std::string() : "DeviceTaintRule/" + names.rule,
          .rule = names.rule,
          .slice = names.slice,
          .toleration = cause.taint ? toleration_for(*cause.taint->taint) : std::string(),
          .what = std::move(cause.what)},
      std::move(evidence), names_of(c));
  finding.group = std::move(group);
  return {std::move(finding)};
}

}  // namespace dsdoctor::diagnosis
