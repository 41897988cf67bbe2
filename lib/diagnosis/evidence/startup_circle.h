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

/// The DaemonSet brings this agent, as far as its name and its images tell.
[[nodiscard]] bool is_agent(const model::DaemonSet& ds, std::string_view agent);

/// The DaemonSet's pod removes this startup taint from its node, as far as its name and its images
/// tell.
[[nodiscard]] bool removes_startup_taint(const model::DaemonSet& ds, const model::Taint& taint);

/// The DaemonSets that may bring the agent which removes this startup taint: their name, or that of
/// an image, tells. Point into the cluster.
[[nodiscard]] std::vector<const model::DaemonSet*> possible_removers(const model::Cluster& cluster,
                                                                     const model::Taint& taint);
/// The DaemonSet whose pod removes this startup taint, as far as names and images tell; null where
/// there is none, or several may be the one. Points into the cluster.
[[nodiscard]] const model::DaemonSet* remover_of(const model::Cluster& cluster,
                                                 const model::Taint& taint);

/// A node has two or three; of more than these nothing is claimed.
inline constexpr std::size_t most_startup_agents = 16;

/// The taints that stay on the node though every agent starts there that can, one after the other,
/// and removes its own; none where there are more than most_startup_agents. Where not all pods on
/// the node were read, any agent but `own` may run there.
[[nodiscard]] std::vector<const model::Taint*> taints_left_behind(
    const Facts& facts, const model::Node& node, placement::FeatureGates gates,
    const model::DaemonSet* own = nullptr);

/// No pod is going to remove the startup taint of `node` unless the DaemonSet gets one there: it
/// is the remover_of the taint, and does not start on the node. `ds` is of the cluster of `facts`.
[[nodiscard]] bool has_to_remove(const model::DaemonSet& ds, const model::Taint& taint,
                                 const Facts& facts, const model::Node& node,
                                 placement::FeatureGates gates);

/// Agents on one node, each of which removes a startup taint that the agent before it does not
/// tolerate; the first one waits for the second, the last one for the first. All point into the
/// cluster and the node.
struct StartupCircle {
  struct Member {
    const model::DaemonSet* agent = nullptr;
    const model::Taint* removes = nullptr;
    const model::Taint* waits_for = nullptr;  // the toleration that the agent lacks
  };
  /// At least two. The first one is who should tolerate what it waits for: that starts it, and with
  /// it all others. A network plugin, where there is one: others need what it provides.
  std::vector<Member> members;

  [[nodiscard]] const Member& breaker() const { return members.front(); }
  [[nodiscard]] bool contains(const model::DaemonSet& ds) const;
};

/// The circle on this node, in which no agent runs yet; absent where every startup taint with a
/// known remover is going to be removed. Pods that run on the node count as running agents.
[[nodiscard]] std::optional<StartupCircle> startup_circle(const Facts& facts,
                                                          const model::Node& node,
                                                          placement::FeatureGates gates);

/// Its startup taints are those of two agents or more, which may wait for each other.
[[nodiscard]] bool waits_for_several_agents(const model::Node& node);

/// One for each member: "cilium waits for ebs-csi-node to remove a:NoExecute".
[[nodiscard]] std::vector<Message> waits_of(const StartupCircle& circle);

/// Nodes are not usable without its pod, which tolerates taints on purpose: it brings their
/// network, removes a startup taint of `nodes` or one that `known` knows, or has one of Kubernetes'
/// own priority classes.
[[nodiscard]] bool prepares_nodes(const model::DaemonSet& ds, const std::vector<model::Node>& nodes,
                                  const TaintCatalogue& known);

}  // namespace dsdoctor::diagnosis
