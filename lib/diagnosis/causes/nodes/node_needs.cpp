// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/nodes/node_needs.h"

#include <algorithm>

#include "diagnosis/evidence/node_state.h"
#include "diagnosis/evidence/startup_circle.h"
#include "diagnosis/report/departure.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/report/reach.h"
#include "diagnosis/taints/taint_knowledge.h"

namespace dsdoctor::diagnosis {
namespace {

// Events and managedFields of nodes cost a request each.
constexpr std::size_t nodes_looked_at = 20;
constexpr std::size_t most_managed_nodes = 200;

bool is_silent(const model::Node& node) {
  return condition_is(node, "Ready", "Unknown") != nullptr;
}

bool could_not_bind_a_port(const model::Pod& pod) {
  return pod.host_network && std::ranges::any_of(pod.statuses, [](const auto& status) {
           const model::TerminatedState* end = last_end(status);
           return end != nullptr && mentions(end->message, "address already in use");
         });
}

}  // namespace

void NodeNeeds::add_events(const NodeReport& report) {
  if (query_.node_events.size() < nodes_looked_at) query_.node_events.insert(report.name.str());
}

void NodeNeeds::add_managers(const NodeReport& report) {
  const model::Node* node = model::find_node(cluster_, report.name);
  if (node != nullptr) managers_of(*node, nodes_looked_at);
}

void NodeNeeds::add_managers_for_later(const NodeReport& report) {
  const model::Node* node = model::find_node(cluster_, report.name);
  if (node != nullptr) managers_of(*node, most_managed_nodes);
}

void NodeNeeds::add_pods_of_leaving(const NodeReport& report) {
  const model::Node* node = model::find_node(cluster_, report.name);
  if (node == nullptr) return;
  if (leaving_since(*node) || find_taint(*node, to_be_deleted_key) != nullptr) {
    pods_of(report.name, leaving_nodes_);
  }
}

void NodeNeeds::add_pods_of_overdue(const NodeReport& report) {
  const bool is_told =
      is_wrong(report.verdict()) || report.verdict() == NodeVerdict::Terminating ||
      (report.verdict() == NodeVerdict::Excluded && is_out_by_state(*report.state));
  if (!is_told) return;
  const model::Node* node = model::find_node(cluster_, report.name);
  if (node != nullptr && is_departure_long(*node, now_)) {
    query_.crowded_nodes.insert(report.name.str());
    add_events(report);  // they may say what blocks the removal
    query_.disruption_budgets = true;
  }
}

void NodeNeeds::add_lease(const NodeReport& report) {
  const model::Node* node = model::find_node(cluster_, report.name);
  if (node != nullptr && is_silent(*node)) lease_of(*node, nodes_looked_at);
}

void NodeNeeds::add_every_lease() {
  for (const model::Node& node : cluster_.nodes) {
    if (is_silent(node)) lease_of(node, most_managed_nodes);
  }
}

void NodeNeeds::add_startup_agents(const NodeReport& report) {
  if (cluster_.known.every_daemon_set) return;
  const model::Node* node = model::find_node(cluster_, report.name);
  if (node == nullptr || placement::should_run(report.decision())) return;
  if (!waits_for_several_agents(*node)) return;
  query_.every_daemon_set = true;
  pods_of(report.name, starting_nodes_);
}

void NodeNeeds::add_holders_of_ports(const model::DaemonSet& ds, const NodeReport& report) {
  const bool lacks_a_port = std::ranges::any_of(report.pods(), [&](const PodReport& each) {
    const model::Pod* pod = model::find_pod(cluster_, ds.meta.ns, each.name);
    return pod != nullptr && could_not_bind_a_port(*pod);
  });
  if (lacks_a_port) pods_of(report.name, port_nodes_);
}

void NodeNeeds::lease_of(const model::Node& node, std::size_t most) {
  if (query_.node_leases.size() < most) query_.node_leases.insert(node.meta.name.str());
}

/// The list of nodes already has the managers of tainted nodes (decode/protobuf).
void NodeNeeds::managers_of(const model::Node& node, std::size_t most) {
  if (!node.taints.empty() || node.unschedulable || !node.meta.managers.empty()) return;
  if (query_.node_managers.size() < most) query_.node_managers.insert(node.meta.name.str());
}

void NodeNeeds::pods_of(const model::Text& node, std::set<std::string>& for_a_reason) {
  if (for_a_reason.size() >= nodes_looked_at) return;
  for_a_reason.insert(node.str());
  query_.crowded_nodes.insert(node.str());
}

}  // namespace dsdoctor::diagnosis
