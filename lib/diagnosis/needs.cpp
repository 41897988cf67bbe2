// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/needs.h"

#include <algorithm>
#include <map>

#include "diagnosis/catalogue/role.h"
#include "diagnosis/causes/control/loop_findings.h"
#include "diagnosis/causes/creation/creation_needs.h"
#include "diagnosis/causes/nodes/node_needs.h"
#include "diagnosis/causes/pending/pending_needs.h"
#include "diagnosis/evidence/daemon_pods.h"
#include "diagnosis/report/cases.h"
#include "diagnosis/report/eligibility.h"
#include "diagnosis/report/pod_signs.h"
#include "placement/label_selector.h"

namespace dsdoctor::diagnosis {
namespace {

constexpr std::size_t single_requests = 4;   // maximum number of requests for single nodes
constexpr std::size_t most_namespaces = 20;  // of waiting pods; their events cost a request each

bool is_asked(const model::Cluster& cluster, const NeedOptions& options, std::string_view name) {
  if (!options.is_asked) return true;
  const model::Node* node = model::find_node(cluster, name);
  return node == nullptr || options.is_asked(*node);
}

/// Replaces the requests for events of several DaemonSets in a namespace by one list.
void join_event_lists(model::DetailQuery& query) {
  std::map<std::string, std::size_t> counts;
  for (const model::ObjectKey& key : query.daemon_set_events) ++counts[key.ns];
  for (const auto& entry : counts) {  // Clang 14 cannot capture structured bindings
    const std::string& ns = entry.first;
    if (entry.second <= 1) continue;
    std::erase_if(query.daemon_set_events, [&](const auto& key) { return key.ns == ns; });
    query.daemon_set_event_namespaces.insert(ns);
  }
}

class NeedFinder {
 public:
  NeedFinder(const model::Cluster& cluster, const NeedOptions& options, model::DetailQuery& query)
      : cluster_(cluster), options_(options), query_(query), nodes_(cluster, options.now, query) {
    for (const model::Pod& pod : cluster.pods) {
      const auto& owner = pod.meta.controller;
      if (!owner) continue;
      if (pod.node_name.empty()) unbound_.push_back(&pod);
      if (!model::is_daemon_set(*owner)) continue;
      pod_times_[{pod.meta.ns, owner->name}].note(pod, cluster, options.now);
    }
  }

  void add(const model::DaemonSet& ds, const DaemonSetReport& report) {
    former_pods_of(ds);
    EnumSet<Need> needed;
    for (const NodeReport& node : report.nodes) {
      const bool asked = is_asked(node.name);
      const EnumSet<Need> needed_there = needs_for(node.verdict());
      for (const Need what : all_needs) {
        if (needed_there.contains(what)) of_node(what, ds, node, asked, needed);
      }
      if (!std::ranges::any_of(node.pods(), &PodReport::outdated)) continue;
      needed.insert(Need::Events);
      // A user has to delete the pod, then the controller has to act.
      if (ds.update_strategy == "OnDelete") needed.insert(Need::Leases);
    }
    const bool lags = ds.generation > ds.observed_generation && !ds.meta.deleted;
    if (lags) {
      needed.insert(Need::Leases);
      query_.roles = true;  // for the access review, as the controller seems not to act
    }
    const bool stale = report.differences && !report.differences->empty();
    const auto times = pod_times_.find({ds.meta.ns, ds.meta.name});
    const bool may_loop =
        times != pod_times_.end() && may_be_replaced_repeatedly(ds, times->second, options_.now);
    if (lags || stale || ds.meta.deleted || may_loop) needed.insert(Need::Events);
    if (needed.empty()) return;
    // Without pods, the node selector of the namespace is known only from its annotations.
    if (ds.meta.deleted || !report.evaluated.pods_known) {
      query_.namespaces.insert(ds.meta.ns.str());
    }
    of_daemon_set(needed, ds);
  }

  /// Adds the events of pods that wait for their kubelet on nodes where a DaemonSet has no pod: it
  /// may provide what they wait for. None in a healthy cluster.
  void add_dependents(const std::vector<DaemonSetReport>& reports) {
    if (!cluster_.all_pods_known) return;
    const std::size_t most = query_.pod_event_namespaces.size() + most_namespaces;
    for (const model::Pod& pod : cluster_.pods) {
      if (query_.pod_event_namespaces.size() >= most) return;
      const bool waits = pod.phase == "Pending" && !pod.node_name.empty() && !pod.meta.deleted &&
                         is_older(pod.start_time, threshold::preparing, options_.now);
      if (!waits || query_.pod_event_namespaces.contains(pod.meta.ns.str())) continue;
      const bool lacks_one = std::ranges::any_of(reports, [&](const DaemonSetReport& report) {
        const auto node = report.nodes.find(pod.node_name);
        return node && node->verdict() == NodeVerdict::Excluded;
      });
      if (lacks_one && is_asked(pod.node_name)) {
        query_.pod_event_namespaces.insert(pod.meta.ns.str());
      }
    }
  }

  /// Adds everything that add() can ever request.
  void add_all(const model::DaemonSet& ds) {
    query_.daemon_set_event_namespaces.insert(ds.meta.ns.str());
    query_.pod_event_namespaces.insert(ds.meta.ns.str());
    add_admission(ds, query_);
    add_claims(ds, unbound_, query_);
    add_pod_groups(ds, unbound_, query_);
    add_device_taints(cluster_, ds, query_);
  }

  void add_managed_nodes(const std::vector<DaemonSetReport>& reports) {
    for (const DaemonSetReport& report : reports) {
      for (const NodeReport& node : report.nodes) {
        if (needs_for(node.verdict()).contains(Need::NodeManagers)) {
          nodes_.add_managers_for_later(node);
        }
      }
    }
    nodes_.add_every_lease();
  }

  /// Replaces several requests by one list if the list is not much larger.
  void join_requests() {
    if (query_.node_events.size() > single_requests) {
      query_.node_events.clear();
      query_.every_node_event = true;
    }
    join_event_lists(query_);
  }

 private:
  [[nodiscard]] bool is_asked(std::string_view name) const {
    return diagnosis::is_asked(cluster_, options_, name);
  }

  void of_daemon_set(EnumSet<Need> needed, const model::DaemonSet& ds) {
    if (needed.contains(Need::Events)) {
      query_.daemon_set_events.insert({ds.meta.ns.str(), ds.meta.name.str()});
      query_.pod_event_namespaces.insert(ds.meta.ns.str());
    }
    query_.leases = query_.leases || needed.contains(Need::Leases);
    if (needed.contains(Need::Admission)) add_admission(ds, query_);
    if (needed.contains(Need::Claims)) add_claims(ds, unbound_, query_);
  }

  /// Adds the request for a node. Data that is read once for a DaemonSet is added to `once`. Most
  /// data is read only if the node is selected (`asked`).
  void of_node(Need what, const model::DaemonSet& ds, const NodeReport& node, bool asked,
               EnumSet<Need>& once) {
    switch (what) {
      case Need::Events:
      case Need::Leases:
      case Need::Admission:
      case Need::Claims: return once.insert(what);
      case Need::DeviceClasses: return add_device_classes(cluster_, ds, node, query_);
      case Need::DeviceTaints: return add_device_taints(cluster_, ds, query_);
      case Need::NominatedPods: query_.nominated_pods = true; return;
      case Need::DisruptionBudgets:
        query_.disruption_budgets = query_.disruption_budgets || lacks_a_slot(cluster_, ds, node);
        return;
      case Need::PodsOfNode:
        if (asked) query_.crowded_nodes.insert(node.name.str());
        return;
      case Need::NodeEvents: return asked ? nodes_.add_events(node) : void();
      case Need::NodeManagers: return asked ? nodes_.add_managers(node) : void();
      case Need::PodsOfLeavingNode: return asked ? nodes_.add_pods_of_leaving(node) : void();
      case Need::NodeLeases: return asked ? nodes_.add_lease(node) : void();
      case Need::StartupAgents: return asked ? nodes_.add_startup_agents(node) : void();
      case Need::PodsOfOverdueNode: return asked ? nodes_.add_pods_of_overdue(node) : void();
      case Need::PodGroups: return add_pod_groups(cluster_, ds, node, query_);
      case Need::PodsHoldingPorts: return asked ? nodes_.add_holders_of_ports(ds, node) : void();
    }
  }

  /// Pods of an earlier DaemonSet of this name with other labels, whose revisions still exist.
  void former_pods_of(const model::DaemonSet& ds) {
    if (!ds.selector) return;
    const std::string prefix = ds.meta.name.str() + "-";
    for (const model::ControllerRevision& revision : cluster_.revisions) {
      const std::string_view hash = revision_hash(revision.meta);
      const bool named = revision.meta.ns == ds.meta.ns && !hash.empty() &&
                         revision.meta.name.view() == prefix + std::string(hash);
      if (!named || placement::matches(*ds.selector, revision.meta.labels)) continue;
      if (revision.meta.controller && revision.meta.controller->uid == ds.meta.uid) continue;
      query_.former_pods.insert({ds.meta.ns.str(), std::string(hash)});
    }
  }

  const model::Cluster& cluster_;
  const NeedOptions& options_;
  model::DetailQuery& query_;
  NodeNeeds nodes_;
  std::vector<const model::Pod*> unbound_;
  /// By namespace and name of the DaemonSet.
  std::map<std::pair<std::string_view, std::string_view>, PodTimes> pod_times_;
};

}  // namespace

model::DetailQuery needs_of(const model::Cluster& cluster,
                            const std::vector<const model::DaemonSet*>& daemon_sets,
                            const std::vector<DaemonSetReport>& reports,
                            const NeedOptions& options) {
  model::DetailQuery query;
  NeedFinder finder(cluster, options, query);
  for (std::size_t i = 0; i < daemon_sets.size(); ++i) finder.add(*daemon_sets[i], reports[i]);
  finder.add_dependents(reports);
  if (cluster.all_pods_known) {
    query.crowded_nodes.clear();
    query.nominated_pods = false;
  }
  finder.join_requests();
  return query;
}

void add_history_of(const model::Cluster& cluster,
                    const std::vector<const model::DaemonSet*>& daemon_sets,
                    const std::vector<DaemonSetReport>& reports, const NeedOptions& options,
                    model::DetailQuery& query) {
  NodeNeeds nodes(cluster, options.now, query);
  for (const DaemonSetReport& report : reports) {
    for (const NodeReport& node : report.nodes) {
      const bool by_label = node.verdict() == NodeVerdict::Excluded &&
                            std::ranges::any_of(node.reasons(), [](const auto& reason) {
                              return label_of_reason(reason) != nullptr;
                            });
      if (by_label && is_asked(cluster, options, node.name)) nodes.add_managers(node);
    }
  }
  for (const model::DaemonSet* ds : daemon_sets) {
    const std::string ns = ds->meta.ns.str();
    if (!query.daemon_set_event_namespaces.contains(ns)) {
      query.daemon_set_events.insert({ns, ds->meta.name.str()});
    }
    query.pod_event_namespaces.insert(ns);
  }
  join_event_lists(query);
}

model::DetailQuery everything_about(const model::Cluster& cluster,
                                    const std::vector<const model::DaemonSet*>& daemon_sets,
                                    const std::vector<DaemonSetReport>& reports) {
  model::DetailQuery query;
  const NeedOptions every_node;
  NeedFinder finder(cluster, every_node, query);
  for (const model::DaemonSet* ds : daemon_sets) finder.add_all(*ds);
  finder.add_managed_nodes(reports);
  finder.add_dependents(reports);
  query.every_node_event = true;
  query.every_priority_class = true;
  query.leases = true;
  query.roles = true;
  if (!cluster.all_pods_known) {
    for (const model::Node& node : cluster.nodes) query.crowded_nodes.insert(node.meta.name.str());
    query.nominated_pods = true;
  }
  return query;
}

}  // namespace dsdoctor::diagnosis
