// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <tuple>

namespace dsdoctor::model {

/// A namespaced name, or a cluster-scoped one with an empty `ns`.
struct ObjectKey {
  std::string ns;
  std::string name;

  friend bool operator==(const ObjectKey&, const ObjectKey&) = default;
  friend bool operator<(const ObjectKey& a, const ObjectKey& b) {
    return std::tie(a.ns, a.name) < std::tie(b.ns, b.name);
  }
};

/// The objects that a diagnosis needs beyond nodes, DaemonSets, their pods and revisions. Empty if
/// nothing is wrong.
struct DetailQuery {
  std::set<ObjectKey> daemon_set_events;              // of these DaemonSets
  std::set<std::string> pod_event_namespaces;         // warnings about pods
  std::set<std::string> daemon_set_event_namespaces;  // events of all DaemonSets there
  std::set<std::string> node_events;                  // of these nodes
  bool every_node_event = false;
  bool nominated_pods = false;          // pods with a nominated node
  std::set<std::string> crowded_nodes;  // every pod on these nodes
  std::set<std::string> node_managers;  // these nodes with their managedFields
  std::set<std::string> namespaces;
  std::set<std::string> admission_namespaces;  // their quotas and limit ranges
  std::set<ObjectKey> service_accounts;
  std::set<std::string> priority_classes;
  bool every_priority_class = false;  // for the default one
  std::set<std::string> runtime_classes;
  std::set<ObjectKey> claims;              // with their volumes and storage classes
  std::set<std::string> claim_namespaces;  // their ResourceClaims; the taints of all devices
  std::set<ObjectKey> pod_groups;          // with all pods of their namespaces
  bool device_classes = false;
  bool disruption_budgets = false;    // of every namespace
  bool leases = false;                // of kube-controller-manager and scheduler
  std::set<std::string> node_leases;  // of these nodes
  bool roles = false;                 // ClusterRoles and their bindings
  bool every_daemon_set = false;      // of all namespaces
  std::set<ObjectKey> former_pods;    // namespace, and the hash of a revision without an owner

  [[nodiscard]] bool empty() const { return *this == DetailQuery{}; }
  friend bool operator==(const DetailQuery&, const DetailQuery&) = default;
};

}  // namespace dsdoctor::model
