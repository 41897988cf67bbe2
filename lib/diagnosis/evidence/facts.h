#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/cluster.h"
#include "scheduling/fit.h"
#include "scheduling/neighbourhood.h"

namespace dsdoctor::diagnosis {

[[nodiscard]] inline bool is_terminating(const model::Namespace& ns) {
  return ns.phase == "Terminating" || ns.meta.deleted.has_value();
}

/// One cluster, indexed for the questions that findings ask. Keeps pointers: the cluster must
/// outlive it unchanged. All lookups give null, or an empty list, where there is nothing.
class Facts {
 public:
  Facts(const model::Cluster& cluster, model::Time now);
  Facts(const Facts&) = delete;
  Facts& operator=(const Facts&) = delete;

  [[nodiscard]] const model::Cluster& cluster() const { return cluster_; }
  /// The moment of the answer. Ages are measured against it.
  [[nodiscard]] model::Time now() const { return now_; }

  using Pods = std::vector<const model::Pod*>;
  using Events = std::vector<const model::Event*>;

  /// Every pod that is bound to the node and neither Succeeded nor Failed, of any owner,
  /// terminating ones included. Complete only where knows_all_pods_on.
  [[nodiscard]] const Pods& pods_on(std::string_view node) const;
  [[nodiscard]] bool knows_all_pods_on(std::string_view node) const;
  /// All pods of an input that does not say whether they are all are of the same namespace, as of
  /// `kubectl get --namespace`: where the cluster's own components speak of more pods than these,
  /// they are to be believed. Remembers it.
  [[nodiscard]] bool has_pods_of_one_namespace() const;
  /// Nothing follows from a pod that is not among pods_on() where this is false.
  [[nodiscard]] bool has_every_pod_on(std::string_view node) const;
  /// What `pods_on` leave of the node; the same object for nodes of which it is the same. Remembers
  /// what it is asked. `node` is the cluster's.
  [[nodiscard]] const scheduling::NodeRoom& room_on(const model::Node& node) const;
  /// What there is to know of a node for a pod that asks for amounts alone and tolerates the node's
  /// taints.
  struct PlainNode {
    bool is_sized = false;                       // it says what it offers
    const scheduling::NodeRoom* room = nullptr;  // null: something else may keep pods off, too
  };
  /// Remembers what it is asked. `node` is the cluster's.
  [[nodiscard]] const PlainNode& plain_node(const model::Node& node) const;
  /// The pods of all nodes by topology. Remembers what it is asked.
  [[nodiscard]] scheduling::Neighbourhood& neighbourhood() const { return neighbourhood_; }
  /// No pod that is bound keeps others away from where it is.
  [[nodiscard]] bool no_pod_excludes_others() const { return anti_affine_pods_.empty(); }
  /// Ready pods of the same controller, on any node that was read. Remembers what it is asked. Zero
  /// of a pod without a controller.
  [[nodiscard]] std::size_t ready_replicas(const model::Pod& pod) const;
  /// The DaemonSets that bring their nodes' network, as far as they are not being deleted.
  /// Remembers them.
  [[nodiscard]] const std::vector<const model::DaemonSet*>& network_plugins() const;
  /// Unbound pods for which the scheduler makes room on the node.
  [[nodiscard]] const Pods& nominated_to(std::string_view node) const;

  /// About one object, oldest first: by UID where the event has one that is not the node's name,
  /// else by kind, namespace and name.
  [[nodiscard]] Events events_of(std::string_view kind, std::string_view ns, std::string_view name,
                                 const model::UniqueText& uid) const;
  /// About pods of `ns` whose name begins with `prefix`, whether they still exist or not.
  [[nodiscard]] Events events_of_pods(std::string_view ns, std::string_view prefix) const;
  /// About pods that were generated from `prefix` and from nothing longer: "agent-" gives those of
  /// agent-x7x2k, not those of agent-eu-x7x2k. Oldest first; the pods may be gone.
  [[nodiscard]] Events events_of_generated_pods(std::string_view ns, std::string_view prefix) const;

  /// When the node's kubelet last ended containers of a pod, as far as events that were read tell.
  /// Remembers it of every node.
  [[nodiscard]] model::OptionalTime last_killing_on(std::string_view node) const;
  /// As controller_manager_silence() has it. Remembers it.
  [[nodiscard]] std::optional<model::Time::duration> controller_manager_silence() const;

  [[nodiscard]] const model::Namespace* ns(std::string_view name) const;
  [[nodiscard]] const model::PriorityClass* priority_class(std::string_view name) const;
  [[nodiscard]] const model::RuntimeClass* runtime_class(std::string_view name) const;
  [[nodiscard]] const model::ServiceAccount* service_account(std::string_view ns,
                                                             std::string_view name) const;
  [[nodiscard]] const model::PersistentVolumeClaim* claim(std::string_view ns,
                                                          std::string_view name) const;
  [[nodiscard]] const model::PersistentVolume* volume(std::string_view name) const;
  [[nodiscard]] const model::StorageClass* storage_class(std::string_view name) const;
  [[nodiscard]] const model::CsiNode* csi_node(std::string_view name) const;
  [[nodiscard]] const model::Lease* lease(std::string_view ns, std::string_view name) const;

 private:
  const model::Cluster& cluster_;
  model::Time now_;
  std::unordered_map<std::string_view, Pods> pods_by_node_;
  std::unordered_map<std::string_view, Pods> nominated_;
  Pods anti_affine_pods_;
  mutable std::unordered_map<std::string, scheduling::NodeRoom> rooms_;  // by content
  mutable std::vector<const scheduling::NodeRoom*> rooms_by_node_;       // then of any other node
  mutable std::vector<std::optional<PlainNode>> plain_nodes_;            // of the cluster
  mutable scheduling::Neighbourhood neighbourhood_;
  mutable std::optional<std::unordered_map<std::string, std::size_t>> ready_by_controller_;
  mutable std::optional<std::vector<const model::DaemonSet*>> network_plugins_;
  mutable std::optional<bool> has_pods_of_one_namespace_;
  mutable std::optional<std::unordered_map<std::string_view, model::Time>> killings_;  // by node
  mutable std::optional<std::optional<model::Time::duration>> silence_;
  std::unordered_map<std::string_view, Events> events_by_name_;  // those without a usable UID, too
  std::unordered_map<std::string_view, Events> pod_events_by_prefix_;  // of generated names
};

/// Oldest first; those of one moment in the cluster's order. None is kept twice.
void sort_by_time(Facts::Events& events);

}  // namespace dsdoctor::diagnosis
