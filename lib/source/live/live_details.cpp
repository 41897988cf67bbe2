// SPDX-License-Identifier: Apache-2.0
#include "source/live/live_details.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "decode/cluster/merge.h"
#include "source/detail_reads.h"

namespace dsdoctor::source {
namespace {

/// Adds what a detail read has found out about the completeness of kinds.
void add_known(const model::Cluster& read, model::Cluster& into) {
  const auto add = [&](bool model::Known::*known) {
    into.known.*known = into.known.*known || read.known.*known;
  };
  using model::Known;
  for (const auto known :
       {&Known::events, &Known::namespaces, &Known::resource_quotas, &Known::limit_ranges,
        &Known::priority_classes, &Known::runtime_classes, &Known::service_accounts, &Known::claims,
        &Known::storage_classes, &Known::csi_nodes, &Known::device_classes, &Known::device_taints,
        &Known::disruption_budgets, &Known::pod_groups, &Known::pod_group_members, &Known::leases,
        &Known::roles, &Known::every_daemon_set}) {
    add(known);
  }
  into.all_pods_known = into.all_pods_known || read.all_pods_known;
  std::ranges::copy(read.crowded_nodes, std::back_inserter(into.crowded_nodes));
  std::ranges::sort(into.crowded_nodes);
}

}  // namespace

Snapshot LiveDetails::read(const Snapshot& base, const model::DetailQuery& query) const {
  Snapshot result;
  result.cluster.version = base.cluster.version;
  result.cluster.all_pods_known = base.cluster.all_pods_known;
  result.cluster.nodes = base.cluster.nodes;  // their number decides how pods are read
  read_details(api_.client(), query, api_.options().page_size, {}, result);
  std::erase_if(result.cluster.nodes, [&](const model::Node& node) {
    return !query.node_managers.contains(node.meta.name.str());
  });
  return result;
}

void LiveDetails::add_to(Snapshot& snapshot, const model::DetailQuery& query) {
  bool& differs = snapshot.changes.everything;
  if (query.empty()) {
    differs = differs || !query_.empty();
    query_ = {};
    read_ = {};
    return;
  }
  const std::chrono::milliseconds now = api_.options().clock.elapsed();
  const bool is_too_old = now - at_ >= (is_current_ ? most_ : std::min(least_, most_));
  if (!(query_ == query) || is_too_old) {
    Snapshot newest = read(snapshot, query);
    const bool is_same =
        query_ == query && read_.cluster == newest.cluster && read_.omissions == newest.omissions;
    differs = differs || !is_same;
    query_ = query;
    read_ = std::move(newest);
    at_ = now;
    is_current_ = true;
  }
  std::vector<model::Cluster> parts;
  parts.push_back(read_.cluster);
  decode::merge(snapshot.cluster, std::move(parts));
  add_known(read_.cluster, snapshot.cluster);
  std::ranges::copy(read_.omissions, std::back_inserter(snapshot.omissions));
  std::ranges::copy(read_.warnings, std::back_inserter(snapshot.warnings));
}

std::optional<std::chrono::milliseconds> LiveDetails::due() const {
  if (query_.empty()) return std::nullopt;
  return (is_current_ ? most_ : least_) - (api_.options().clock.elapsed() - at_);
}

}  // namespace dsdoctor::source
