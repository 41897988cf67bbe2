// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "diagnosis/catalogue/message.h"
#include "diagnosis/evidence/facts.h"
#include "diagnosis/taints/taint_catalogue.h"
#include "model/daemon_set.h"
#include "model/node.h"
#include "placement/feature_gates.h"

/// Startup taints whose removers wait for each other.
namespace dsdoctor::diagnosis {

/// Whether the DaemonSet runs this agent, by its name and its images.
[[nodiscard]] bool is_agent(const model::DaemonSet& ds, std::string_view agent);

/// Whether the DaemonSet's pod removes this startup taint from its node, by its name and its
/// images.
[[nodiscard]] bool removes_startup_taint(const model::DaemonSet& ds, const model::Taint& taint);

/// The DaemonSets that may run the agent that removes this startup taint, by their name or that of
/// an image. The pointers are into the cluster.
[[nodiscard]] std::vector<const model::DaemonSet*> possible_removers(const model::Cluster& cluster,
                                                                     const model::Taint& taint);
/// The DaemonSet whose pod removes this startup taint, by names and images; null if there is none
/// or several are possible. Points into the cluster.
[[nodiscard]] const model::DaemonSet* remover_of(const model::Cluster& cluster,
                                                 const model::Taint& taint);

/// A node usually has two or three startup taints; a node with more than this number is not
/// analyzed.
inline constexpr std::size_t most_startup_agents = 16;

/// The taints that remain on the node after every agent that can start has started and removed its
/// own; empty with more than most_startup_agents. If not all pods on the node were read, all agents
/// except `own` are assumed to run there.
[[nodiscard]] std::vector<const model::Taint*> taints_left_behind(
    const Facts& facts, const model::Node& node, placement::FeatureGates gates,
    const model::DaemonSet* own = nullptr);

/// Whether the startup taint of `node` remains unless `ds` gets a pod there: `ds` is the remover_of
/// the taint and does not start on the node. REQUIRES: `ds` is in the cluster of `facts`.
[[nodiscard]] bool has_to_remove(const model::DaemonSet& ds, const model::Taint& taint,
                                 const Facts& facts, const model::Node& node,
                                 placement::FeatureGates gates);

/// Agents of a node that wait for each other: each does not tolerate the startup taint that the
/// next one removes, and the last one waits for the first. The pointers are into the cluster and
/// the node.
struct StartupCircle {
  struct Member {
    const model::DaemonSet* agent = nullptr;
    const model::Taint* removes = nullptr;
    const model::Taint* waits_for = nullptr;  // the taint that the agent does not tolerate
  };
  /// At least two. The first one should get a toleration for the taint that it waits for: it starts
  /// then, and so do all others. A network plugin is preferred, because other agents need the
  /// network.
  std::vector<Member> members;

  [[nodiscard]] const Member& breaker() const { return members.front(); }
  [[nodiscard]] bool contains(const model::DaemonSet& ds) const;
};

/// The circle of agents that cannot start on this node; absent if every startup taint with a known
/// remover will be removed. An agent with a running pod on the node removes its taint.
[[nodiscard]] std::optional<StartupCircle> startup_circle(const Facts& facts,
                                                          const model::Node& node,
                                                          placement::FeatureGates gates);

/// Whether the node has startup taints of at least two agents, which may wait for each other.
[[nodiscard]] bool waits_for_several_agents(const model::Node& node);

/// A phrase for each member: "cilium waits for ebs-csi-node to remove a:NoExecute".
[[nodiscard]] std::vector<Message> waits_of(const StartupCircle& circle);

/// Whether nodes cannot be used without the DaemonSet's pod, so that it tolerates taints on
/// purpose: it sets up the network, removes a startup taint of `nodes` or of `known`, or has one of
/// Kubernetes' own priority classes.
[[nodiscard]] bool prepares_nodes(const model::DaemonSet& ds, const std::vector<model::Node>& nodes,
                                  const TaintCatalogue& known);

}  // namespace dsdoctor::diagnosis
