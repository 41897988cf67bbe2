// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "model/cluster.h"

namespace dsdoctor::model {

/// The pods of each DaemonSet that owner references name and that the cluster lacks, by its
/// namespace and name.
using MissingOwners =
    std::map<std::pair<std::string_view, std::string_view>, std::vector<const Pod*>>;

/// Finds the pods in `ns` (empty: in all namespaces) whose DaemonSet was not read. Ignores pods
/// that are terminating, Failed or Succeeded. The pods belong to `cluster`.
[[nodiscard]] inline MissingOwners missing_owners(const Cluster& cluster, std::string_view ns) {
  MissingOwners result;
  for (const Pod& pod : cluster.pods) {
    const auto& owner = pod.meta.controller;
    if (!owner || !is_daemon_set(*owner) || (!ns.empty() && pod.meta.ns != ns)) continue;
    if (pod.meta.deleted || pod.phase == "Failed" || pod.phase == "Succeeded") continue;
    if (find_daemon_set(cluster, pod.meta.ns, owner->name) != nullptr) continue;
    result[{pod.meta.ns.view(), owner->name.view()}].push_back(&pod);
  }
  return result;
}

}  // namespace dsdoctor::model
