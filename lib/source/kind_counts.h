// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "model/cluster.h"

namespace dsdoctor::source {

/// The number of objects of each kind, in a fixed order. Without objects, a kind that was listed in
/// full has 0, and one of the kinds that answers need most often has none; others are left out.
[[nodiscard]] inline std::vector<model::KindCount> kind_counts(const model::Cluster& cluster) {
  constexpr std::size_t always_named = 6;
  std::vector<model::KindCount> result;
  const auto add = [&](std::string_view resource, const auto& objects, bool listed) {
    const bool asked = listed || !objects.empty();
    if (asked) {
      result.push_back({resource, objects.size()});
    } else if (result.size() < always_named) {
      result.push_back({resource, std::nullopt});
    }
  };
  const model::Known& known = cluster.known;
  add("nodes", cluster.nodes, cluster.nodes_known);
  add("daemonsets", cluster.daemon_sets, known.daemon_sets);
  add("pods", cluster.pods, cluster.pods_known);
  add("events", cluster.events, known.events);
  add("controllerrevisions", cluster.revisions, cluster.revisions_known);
  add("resourcequotas", cluster.resource_quotas, known.resource_quotas);
  add("namespaces", cluster.namespaces, known.namespaces);
  add("limitranges", cluster.limit_ranges, known.limit_ranges);
  add("priorityclasses", cluster.priority_classes, known.priority_classes);
  add("runtimeclasses", cluster.runtime_classes, known.runtime_classes);
  add("serviceaccounts", cluster.service_accounts, known.service_accounts);
  add("persistentvolumeclaims", cluster.claims, known.claims);
  add("persistentvolumes", cluster.volumes, known.claims);
  add("storageclasses", cluster.storage_classes, known.storage_classes);
  add("csinodes", cluster.csi_nodes, known.csi_nodes);
  add("deviceclasses", cluster.device_classes, known.device_classes);
  add("devicetaintrules", cluster.device_taint_rules, known.device_taints);
  add("resourceclaims", cluster.resource_claims, known.device_taints);
  add("resourceslices", cluster.resource_slices, known.device_taints);
  add("poddisruptionbudgets", cluster.disruption_budgets, known.disruption_budgets);
  add("podgroups", cluster.pod_groups, known.pod_groups);
  add("leases", cluster.leases, known.leases);
  add("clusterroles", cluster.cluster_roles, known.roles);
  add("clusterrolebindings", cluster.cluster_role_bindings, known.roles);
  return result;
}

}  // namespace dsdoctor::source
