// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace dsdoctor::testing {

/// The state of the pods of a synthetic cluster.
enum class SyntheticPods {
  Unknown,   // there is no list of pods
  Missing,   // the list is complete, but no DaemonSet has a pod
  Healthy,   // every eligible node has a ready pod
  OneFault,  // the same, but one node in a hundred has a container that crashes
  Faulty,    // every pod has a container that crashes
};

/// The value by its name, such as "healthy"; absent if there is none.
[[nodiscard]] std::optional<SyntheticPods> synthetic_pods(std::string_view name);

struct SyntheticShape {
  std::size_t nodes = 0;
  std::size_t daemon_sets = 0;
  SyntheticPods pods = SyntheticPods::Healthy;
};

/// Writes a v1 List like `kubectl get nodes,daemonsets,controllerrevisions,pods -A -o json`, but on
/// one line: Nodes of about 15 KB with 25 labels, images and managedFields, in ten pools, one of
/// them tainted, and a few that are being removed; DaemonSets with and without tolerations,
/// selectors and affinity; pods of about 8 KB. `write` receives it piece by piece.
void write_synthetic(const SyntheticShape& shape,
                     const std::function<void(std::string_view)>& write);

/// A list of only the Nodes of that List.
[[nodiscard]] std::string synthetic_nodes(std::size_t nodes);

/// The other objects of it, with healthy pods.
[[nodiscard]] std::string synthetic_workload(std::size_t nodes, std::size_t daemon_sets);

}  // namespace dsdoctor::testing
