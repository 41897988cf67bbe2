#include "diagnosis/views/needs.h"

#include <algorithm>

#include "diagnosis/evidence/node_state.h"
#include "diagnosis/taints/taint_knowledge.h"

namespace dsdoctor::diagnosis {
namespace {

// Events and managedFields of nodes cost a request each.
constexpr std::size_t nodes_looked_at = 20;
constexpr std::size_t most_managed_nodes = 200;

class NeedFinder {
 public:
  NeedFinder(const model::Cluster& cluster, model::DetailQuery& query)
      : cluster_(cluster), query_(query) {
    for (const model::Pod& pod : cluster.pods) {
      if (pod.node_name.empty() && pod.meta.controller) unbound_.push_back(&pod);
    }
  }

  void add(const model::DaemonSet& ds, const DaemonSetReport& report) {
    const bool lags = ds.generation > ds.observed_generation && !ds.meta.deleted;
    const bool stale = report.differences && !report.differences->empty();
    std::size_t pending = 0;
    std::size_t missing = 0;
    bool wrong = lags || stale;
    for (const NodeReport& node : report.nodes) {
      const bool rolled = std::ranges::any_of(node.pods, &PodReport::outdated);
      if (!is_wrong(node.verdict) && node.verdict != NodeVerdict::Terminating && !rolled) continue;
      wrong = true;
      missing += node.verdict == NodeVerdict::Missing ? 1 : 0;
      if (node.verdict == NodeVerdict::Pending) {
        ++pending;
        query_.crowded_nodes.insert(node.name.str());
      }
      if (node.verdict == NodeVerdict::Misscheduled || node.verdict == NodeVerdict::Removing) {
        unwanted(node);
      }
      if (const model::Node* silent = silent_node(node.name)) lease_of(*silent, nodes_looked_at);
    }
    if (!wrong) return;
    query_.daemon_set_events.insert({ds.meta.ns.str(), ds.meta.name.str()});
    query_.pod_event_namespaces.insert(ds.meta.ns.str());
    query_.leases = query_.leases || lags || missing > 0 || pending > 0;
    // The access review needs it where the controller seems not to act.
    query_.roles = query_.roles || lags;
    if (missing > 0 || pending > 0) admission(ds);
    if (pending > 0) claims(ds);
  }

  /// Whatever `add` could ask for one day.
  void add_all(const model::DaemonSet& ds) {
    query_.daemon_set_event_namespaces.insert(ds.meta.ns.str());
    query_.pod_event_namespaces.insert(ds.meta.ns.str());
    admission(ds);
    claims(ds);
  }

  void add_managed_nodes(const std::vector<DaemonSetReport>& reports) {
    const auto add = [&](const model::Text& name) {
      if (query_.node_managers.size() < most_managed_nodes) query_.node_managers.insert(name.str());
    };
    for (const DaemonSetReport& report : reports) {
      for (const NodeReport& node : report.nodes) {
        if (node.verdict == NodeVerdict::Misscheduled || node.verdict == NodeVerdict::Removing) {
          add(node.name);
        }
      }
    }
    for (const model::Node& node : cluster_.nodes) {
      if (!node.taints.empty()) add(node.meta.name);
      if (is_silent(node)) lease_of(node, most_managed_nodes);
    }
  }

 private:
  [[nodiscard]] static bool is_silent(const model::Node& node) {
    return condition_is(node, "Ready", "Unknown") != nullptr;
  }
  [[nodiscard]] const model::Node* silent_node(std::string_view name) const {
    const model::Node* node = model::find_node(cluster_, name);
    return node != nullptr && is_silent(*node) ? node : nullptr;
  }

  /// When its kubelet was last heard of.
  void lease_of(const model::Node& node, std::size_t most) {
    if (query_.node_leases.size() < most) query_.node_leases.insert(node.meta.name.str());
  }

  void unwanted(const NodeReport& report) {
    const model::Node* node = model::find_node(cluster_, report.name);
    if (node == nullptr) return;
    if (query_.node_managers.size() < nodes_looked_at) {
      query_.node_managers.insert(report.name.str());
      query_.node_events.insert(report.name.str());
    }
    // What holds up the drain.
    if (find_taint(*node, to_be_deleted_key) != nullptr &&
        query_.crowded_nodes.size() < nodes_looked_at) {
      query_.crowded_nodes.insert(report.name.str());
    }
  }

  void admission(const model::DaemonSet& ds) {
    const model::PodSpec& spec = ds.pod_template.spec;
    query_.namespaces.insert(ds.meta.ns.str());
    query_.admission_namespaces.insert(ds.meta.ns.str());
    query_.service_accounts.insert(
        {ds.meta.ns.str(), spec.service_account.empty() ? "default" : spec.service_account.str()});
    if (spec.priority_class.empty()) {
      query_.every_priority_class = true;
    } else {
      query_.priority_classes.insert(spec.priority_class.str());
    }
    if (!spec.runtime_class.empty()) query_.runtime_classes.insert(spec.runtime_class.str());
  }

  void claims(const model::DaemonSet& ds) {
    for (const model::Volume& volume : ds.pod_template.spec.volumes) {
      if (volume.kind == "persistentVolumeClaim") {
        query_.claims.insert({ds.meta.ns.str(), volume.source.str()});
      }
    }
    // An ephemeral volume's claim is named after its pod.
    for (const model::Pod* pod : unbound_) {
      if (pod->meta.ns != ds.meta.ns || pod->meta.controller->name != ds.meta.name) continue;
      for (const model::Volume& volume : pod->spec->volumes) {
        if (volume.kind != "ephemeral") continue;
        query_.claims.insert({ds.meta.ns.str(), pod->meta.name.str() + "-" + volume.name.str()});
      }
    }
  }

  const model::Cluster& cluster_;
  model::DetailQuery& query_;
  std::vector<const model::Pod*> unbound_;
};

}  // namespace

model::DetailQuery needs_of(const model::Cluster& cluster,
                            const std::vector<const model::DaemonSet*>& daemon_sets,
                            const std::vector<DaemonSetReport>& reports) {
  model::DetailQuery query;
  NeedFinder finder(cluster, query);
  for (std::size_t i = 0; i < daemon_sets.size(); ++i) finder.add(*daemon_sets[i], reports[i]);
  if (cluster.all_pods_known) query.crowded_nodes.clear();
  return query;
}

model::DetailQuery everything_about(const model::Cluster& cluster,
                                    const std::vector<const model::DaemonSet*>& daemon_sets,
                                    const std::vector<DaemonSetReport>& reports) {
  model::DetailQuery query;
  NeedFinder finder(cluster, query);
  for (const model::DaemonSet* ds : daemon_sets) finder.add_all(*ds);
  finder.add_managed_nodes(reports);
  query.every_node_event = true;
  query.every_priority_class = true;
  query.leases = true;
  query.roles = true;
  if (!cluster.all_pods_known) {
    for (const model::Node& node : cluster.nodes) query.crowded_nodes.insert(node.meta.name.str());
  }
  return query;
}

}  // namespace dsdoctor::diagnosis
