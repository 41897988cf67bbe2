#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "diagnosis/report/node_report.h"
#include "model/cluster.h"
#include "model/detail_query.h"

namespace dsdoctor::diagnosis {

/// What has to be read of single nodes. Of many nodes for one reason a few are read: they show what
/// is the matter with all of them.
class NodeNeeds {
 public:
  /// Both must outlive it. `now`: the moment of the answer.
  NodeNeeds(const model::Cluster& cluster, model::Time now, model::DetailQuery& query)
      : cluster_(cluster), now_(now), query_(query) {}

  /// Who made the node unfit for a pod that runs there.
  void add_events(const NodeReport& report);
  void add_managers(const NodeReport& report);
  /// What the drain of a node that leaves waits for, and how long.
  void add_pods_of_leaving(const NodeReport& report);
  /// How long the drain may take: whether a node is overdue is said of each by itself. Where the
  /// pod is as it should be, or never to be, the node's removal is not told.
  void add_pods_of_overdue(const NodeReport& report);
  /// When the kubelet last reported, where it is silent.
  void add_lease(const NodeReport& report);
  /// The agents that remove its startup taints may wait for each other, wherever they are.
  void add_startup_agents(const NodeReport& report);
  /// A container of the DaemonSet could not bind a port of the node, which a pod of another
  /// namespace may hold.
  void add_holders_of_ports(const model::DaemonSet& ds, const NodeReport& report);

  /// For later questions: the lease of each silent node, and the managers of this one.
  void add_every_lease();
  void add_managers_for_later(const NodeReport& report);

 private:
  void lease_of(const model::Node& node, std::size_t most);
  void managers_of(const model::Node& node, std::size_t most);
  void pods_of(const model::Text& node, std::set<std::string>& for_a_reason);

  const model::Cluster& cluster_;
  model::Time now_;
  model::DetailQuery& query_;
  std::set<std::string> port_nodes_;
  std::set<std::string> starting_nodes_;
  std::set<std::string> leaving_nodes_;
};

}  // namespace dsdoctor::diagnosis
