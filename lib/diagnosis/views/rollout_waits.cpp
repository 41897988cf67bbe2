// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/views/rollout_waits.h"

#include <optional>

#include "diagnosis/catalogue/findings/rollout.h"
#include "diagnosis/problems/placement_cause.h"
#include "placement/verdict.h"

namespace dsdoctor::diagnosis {
namespace {

/// Why the pod does not count as updated and available; absent if it does.
std::optional<Message> shortcoming(const PodReport& pod) {
  if (pod.outdated) return phrase::WaitsForReplacement{};
  if (pod.terminating) return phrase::WaitsForTermination{};
  if (!pod.bound) return phrase::WaitsForScheduler{};
  if (!pod.ready) return phrase::WaitsForReadiness{};
  if (!pod.available) return phrase::WaitsForMinReadySeconds{};
  return std::nullopt;
}

}  // namespace

std::vector<RolloutWait> rollout_waits(const DaemonSetReport& report) {
  std::vector<RolloutWait> result;
  if (report.deleted) return result;
  if (!report.observed) {
    result.push_back({{"DaemonSet", report.ns.str(), report.name.str()},
                      model::Text(),
                      phrase::WaitsForController{}});
  }
  const bool pods_known = report.evaluated.pods_known;
  for (const NodeReport& node : report.nodes) {
    if (!node.node_known() || !placement::should_run(node.decision())) continue;
    ObjectRef object{"Node", "", node.name.str()};
    std::optional<Message> why;
    if (!node.pods().empty()) {
      const PodReport& pod = node.pods().front();
      object = {"Pod", report.ns.str(), pod.name.str()};
      why = shortcoming(pod);
      if (!why) continue;
    } else if (pods_known) {
      why = phrase::WaitsForPod{};
    } else {
      continue;
    }
    const bool outdated = !node.pods().empty() && node.pods().front().outdated;
    const Finding* cause = outdated ? nullptr : cause_of(*node.state);
    result.push_back({std::move(object), node.name, cause != nullptr ? cause->message : *why});
  }
  return result;
}

}  // namespace dsdoctor::diagnosis
