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

std::optional<std::vector<RolloutWait>> rollout_waits(const DaemonSetReport& report) {
  const EvaluatedCounts& evaluated = report.evaluated;
  if (!report.is_complete() || !evaluated.pods_known || !evaluated.revision_known) {
    return std::nullopt;
  }
  std::vector<RolloutWait> result;
  if (report.deleted) return result;
  if (!report.observed) {
    result.push_back({{"DaemonSet", report.ns.str(), report.name.str()},
                      model::Text(),
                      phrase::WaitsForController{}});
  }
  for (const NodeReport& node : report.nodes) {
    if (!node.node_known() || !placement::should_run(node.decision())) continue;
    const PodReport* pod = node.pods().empty() ? nullptr : &node.pods().front();
    std::optional<Message> why = phrase::WaitsForPod{};
    if (pod != nullptr) why = shortcoming(*pod);
    if (!why) continue;
    // A finding about an outdated pod does not say why it is not replaced.
    const Finding* cause = pod != nullptr && pod->outdated ? nullptr : cause_of(*node.state);
    if (cause != nullptr) why = cause->message;
    ObjectRef object{"Node", "", node.name.str()};
    if (pod != nullptr) object = {"Pod", report.ns.str(), pod->name.str()};
    result.push_back({std::move(object), node.name, *std::move(why)});
  }
  return result;
}

}  // namespace dsdoctor::diagnosis
