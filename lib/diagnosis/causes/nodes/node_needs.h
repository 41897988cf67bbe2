// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "diagnosis/report/node_report.h"
#include "model/cluster.h"
#include "model/detail_query.h"

namespace dsdoctor::diagnosis {

/// Requests details of single nodes, for a limited number of nodes per reason, because nodes with
/// the same reason have the same cause.
class NodeNeeds {
 public:
  /// Both references must outlive it. `now`: time of the report.
  NodeNeeds(const model::Cluster& cluster, model::Time now, model::DetailQuery& query)
      : cluster_(cluster), now_(now), query_(query) {}

  /// Requests the events that show which change made the node ineligible for its running pod.
  void add_events(const NodeReport& report);
  void add_managers(const NodeReport& report);
  /// Requests the pods that the node's drain waits for, with their grace periods.
  void add_pods_of_leaving(const NodeReport& report);
  /// Requests grace periods, which decide whether a node's removal is overdue. Not needed if the
  /// pod is running or the node never eligible, because the removal is not reported then.
  void add_pods_of_overdue(const NodeReport& report);
  /// Requests the time of the last report of a NotReady node's kubelet.
  void add_lease(const NodeReport& report);
  /// Requests all agents that remove startup taints of the node: they may wait for each other.
  void add_startup_agents(const NodeReport& report);
  /// Requests pods of other namespaces if a container of the DaemonSet could not bind a port of the
  /// node.
  void add_holders_of_ports(const model::DaemonSet& ds, const NodeReport& report);

  /// For later questions: the lease of each node that does not report, and the managers of a node.
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
