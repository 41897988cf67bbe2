// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/pods/eviction_loop.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/pods.h"
#include "diagnosis/evidence/attribution.h"
#include "diagnosis/report/pod_signs.h"
#include "placement/tolerates.h"

namespace dsdoctor::diagnosis {
namespace {

/// The taint controller's view of a taint: the first toleration in the list that matches.
struct Use {
  const model::Taint* taint = nullptr;
  std::size_t toleration = 0;
  std::int64_t seconds = 0;
};

/// The taint that is tolerated for the shortest time; absent if every NoExecute taint is tolerated
/// forever or one is not tolerated at all.
/// Source of truth: GetMatchingTolerations and getMinTolerationTime, kubernetes v1.36.2,
/// pkg/apis/core/v1/helper/helpers.go and pkg/controller/tainteviction/taint_eviction.go.
std::optional<Use> shortest_use(const NodeCase& c, const std::vector<model::Toleration>& list) {
  std::optional<Use> result;
  for (const model::Taint& taint : c.node.taints) {
    if (taint.effect != model::effect::no_execute) continue;
    const auto* first = placement::first_tolerating(list, taint, c.of.gates);
    if (first == nullptr) return std::nullopt;
    if (!first->toleration_seconds) continue;
    const std::int64_t seconds = std::max<std::int64_t>(*first->toleration_seconds, 0);
    const auto index = static_cast<std::size_t>(first - list.data());
    if (!result || seconds < result->seconds) result = Use{&taint, index, seconds};
  }
  return result;
}

/// Evidence from the seconds of a toleration of the pod, or of the template if `pod` is null.
Evidence seconds_evidence(const NodeCase& c, const model::Pod* pod, const Use& use) {
  return {pod == nullptr ? ref_of(c.of.ds) : ref_of(*pod),
          fmt::format("spec.{}tolerations[{}].tolerationSeconds",
                      pod == nullptr ? "template.spec." : "", use.toleration),
          std::to_string(use.seconds)};
}

}  // namespace

Facts::Events evictions_on(const NodeCase& c, std::string_view reason) {
  Facts::Events result = c.of.events.evictions_on(c.node.meta.name, c.pods);
  std::erase_if(result, [&](const model::Event* event) {
    return event->reason != reason ||
           is_older(last_seen(*event), threshold::events, c.of.facts.now());
  });
  return result;
}

std::int64_t count_of(const Facts::Events& evictions) {
  std::int64_t result = 0;
  for (const model::Event* event : evictions)
    result += std::clamp<std::int64_t>(event->count, 1, 1000);
  return result;
}

std::optional<EvictionAhead> eviction_ahead(const NodeCase& c, const model::Pod& pod) {
  // More than a year counts as forever, and can exceed the range of times.
  constexpr std::int64_t longest = 366L * 24 * 3600;
  const auto use = shortest_use(c, *pod.tolerations);
  if (!use || use->seconds > longest) return std::nullopt;
  EvictionAhead result{use->taint, use->seconds, {}};
  const auto index = static_cast<std::size_t>(use->taint - c.node.taints.data());
  if (const auto since = taint_time(c.node, index)) {
    result.due = since->time + std::chrono::seconds(use->seconds);
  }
  return result;
}

std::vector<Finding> eviction_loop_findings(const NodeCase& c) {
  const auto is_no_execute = [](const model::Taint& taint) {
    return taint.effect == model::effect::no_execute;
  };
  if (std::ranges::none_of(c.node.taints, is_no_execute)) return {};
  // The controller recreates nothing on an ineligible node.
  if (c.report.decision() != placement::Decision::Run) return {};
  const model::Pod* pod = c.pods.empty() ? nullptr : c.pods.front();
  const bool live_list = pod != nullptr && !pod->tolerations->empty();
  const auto list = live_list ? *pod->tolerations
                              : placement::effective_tolerations(c.of.ds.pod_template.tolerations,
                                                                 c.of.ds.pod_template.host_network);
  const auto use = shortest_use(c, list);
  const Facts::Events evictions = evictions_on(c, taint_eviction);
  const std::int64_t seen = count_of(evictions);
  if (!use && seen < 2) return {};
  std::vector<Evidence> evidence;
  std::optional<std::int64_t> seconds;
  std::string taint;
  std::string group = "events";
  if (use) {
    evidence.push_back(seconds_evidence(c, live_list ? pod : nullptr, *use));
    seconds = use->seconds;
    taint = fmt::format("{}:NoExecute", use->taint->key.view());
    group = fmt::format("{}|{}", use->taint->key.view(), use->seconds);
  }
  if (!evictions.empty()) evidence.push_back(event_evidence(*evictions.back()));
  Finding finding = make_finding(
      finding::TolerationSecondsLoop{.evictions = seen == 0 ? std::nullopt : std::optional(seen),
                                     .seconds = seconds,
                                     .taint = taint},
      std::move(evidence), names_of(c));
  finding.group = std::move(group);
  return {std::move(finding)};
}

}  // namespace dsdoctor::diagnosis
