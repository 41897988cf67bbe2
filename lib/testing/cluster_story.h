// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "model/cluster.h"

namespace dsdoctor::testing {

/// A time in every story; at(0) is 2023-11-14 22:13:20 UTC.
[[nodiscard]] model::Time at(std::int64_t seconds);

/// The small cluster with which most tests begin: DaemonSet x/agent (uid-1), which selects
/// app=agent, is as old as at(0), and whose only generation was observed. No nodes, no pods. A
/// reference is valid until the next object of its kind is added.
class ClusterStory {
 public:
  ClusterStory();

  [[nodiscard]] model::DaemonSet& ds() { return cluster.daemon_sets.front(); }

  /// Adds a revision of the DaemonSet, agent-HASH.
  void add_revision(std::string_view hash, std::int64_t number, std::uint64_t fingerprint);

  /// Adds a node, Ready since at(0).
  model::Node& add_node(std::string_view name);
  /// The node of that name. Throws std::out_of_range if there is none.
  [[nodiscard]] model::Node& node(std::string_view name);

  /// Adds a pod of the DaemonSet: bound, running, and Ready since at(0), when it was created.
  model::Pod& add_pod(std::string_view name, std::string_view node);
  /// Makes the pod wait for `target` since at(0); `why` is the message of the scheduler.
  static void unbind(model::Pod& pod, std::string_view target, std::string_view why);

  /// Adds an event about an object of namespace x, with a count of 1.
  model::Event& add_event(std::string_view kind, std::string_view name, std::string_view reason,
                          std::string_view message, model::Time when);

  model::Cluster cluster;
};

}  // namespace dsdoctor::testing
