#pragma once

#include <cstdint>
#include <string_view>

#include "model/cluster.h"

namespace dsdoctor::testing {

/// A moment in every story; at(0) is 2023-11-14 22:13:20 UTC.
[[nodiscard]] model::Time at(std::int64_t seconds);

/// The small cluster that most tests begin with and then bend: DaemonSet x/agent (uid-1), which
/// selects app=agent, is as old as at(0) and was observed in its one generation. No nodes, no pods.
/// A reference is valid until the next object of its kind is added.
class ClusterStory {
 public:
  ClusterStory();

  [[nodiscard]] model::DaemonSet& ds() { return cluster.daemon_sets.front(); }

  /// A revision of the DaemonSet, agent-HASH.
  void add_revision(std::string_view hash, std::int64_t number, std::uint64_t fingerprint);

  /// A new node, Ready since at(0).
  model::Node& add_node(std::string_view name);
  /// The node of that name. Throws std::out_of_range when there is none.
  [[nodiscard]] model::Node& node(std::string_view name);

  /// A new pod of the DaemonSet: bound, running, and Ready since at(0), when it was created.
  model::Pod& add_pod(std::string_view name, std::string_view node);
  /// The pod waits for `target` since at(0); `why` is what the scheduler says.
  static void unbind(model::Pod& pod, std::string_view target, std::string_view why);

  /// A new event about an object of namespace x, which happened once.
  model::Event& add_event(std::string_view kind, std::string_view name, std::string_view reason,
                          std::string_view message, model::Time when);

  model::Cluster cluster;
};

}  // namespace dsdoctor::testing
