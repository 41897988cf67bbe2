// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/views/node_load.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "diagnosis/evidence/admission.h"
#include "model/release.h"
#include "scheduling/synthetic_pod.h"

namespace dsdoctor::diagnosis {
namespace {

std::optional<DaemonShare> share_of(const model::Cluster& cluster, const model::DaemonSet& ds,
                                    const NodeReport& report, scheduling::CountedBy counted_by) {
  DaemonShare share;
  share.ns = ds.meta.ns;
  share.name = ds.meta.name;
  std::size_t pods = 0;
  for (const PodReport& pod : report.pods()) {
    const model::Pod* found = model::find_pod(cluster, ds.meta.ns, pod.name);
    if (found == nullptr || pod.phase == "Succeeded" || pod.phase == "Failed") continue;
    ++pods;
    for (const auto& [name, amount] : scheduling::pod_requests(*found, counted_by).amounts) {
      share.requests[name] += amount;
    }
  }
  if (pods > 0) {
    share.present = true;
    share.pods = pods;
    return share;
  }
  if (!placement::should_run(report.decision())) return std::nullopt;
  const model::Pod pod = scheduling::synthetic_pod(ds, report.name, admission_of(cluster, ds));
  share.requests = scheduling::pod_requests(pod, scheduling::CountedBy::Spec).amounts;
  return share;
}

}  // namespace

NodeLoad load_of(
    const model::Cluster& cluster, const model::Node& node,
    const std::vector<std::pair<const model::DaemonSet*, const DaemonSetReport*>>& daemon_sets) {
  NodeLoad result;
  const auto counted_by = scheduling::counted_by(model::release_of(cluster).release);
  result.node = node.meta.name;
  const bool of_a_namespace = cluster.known.daemon_sets && !cluster.known.every_daemon_set;
  result.of_all = !of_a_namespace && daemon_sets.size() >= cluster.daemon_sets.size();
  std::vector<std::string> unusable;  // ignored: the node has a finding about them
  result.allocatable = scheduling::amounts_of(node.allocatable, "allocatable", unusable);
  for (const auto& [ds, report] : daemon_sets) {
    const auto at = report->nodes.find(node.meta.name);
    if (!at) continue;
    auto share = share_of(cluster, *ds, *at, counted_by);
    if (!share) continue;
    result.pods += share->pods;
    for (const auto& [name, amount] : share->requests) result.requests[name] += amount;
    result.shares.push_back(std::move(*share));
  }
  return result;
}

}  // namespace dsdoctor::diagnosis
