#include "diagnosis/views/needs.h"

#include <algorithm>
#include <map>
#include <set>

#include "diagnosis/evidence/daemon_pods.h"
#include "diagnosis/evidence/node_state.h"
#include "diagnosis/evidence/startup_circle.h"
#include "diagnosis/report/departure.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/report/reach.h"
#include "diagnosis/taints/taint_knowledge.h"
#include "placement/label_selector.h"
#include "scheduling/fit.h"

namespace dsdoctor::diagnosis {
namespace {

// Events and managedFields of nodes cost a request each.
constexpr std::size_t nodes_looked_at = 20;
constexpr std::size_t most_managed_nodes = 200;
constexpr std::size_t single_requests = 4;

/// Events of several DaemonSets of a namespace are one list.
void join_event_lists(model::DetailQuery& query) {
  std::map<std::string, std::size_t> counts;
  for (const model::ObjectKey& key : query.daemon_set_events) ++counts[key.ns];
  for (const auto& entry : counts) {  // Clang 14 captures no bindings
    const std::string& ns = entry.first;
    if (entry.second <= 1) continue;
    std::erase_if(query.daemon_set_events, [&](const auto& key) { return key.ns == ns; });
    query.daemon_set_event_namespaces.insert(ns);
  }
}

class NeedFinder {
 public:
  NeedFinder(const model::Cluster& cluster, const NeedOptions& options, model::DetailQuery& query)
      : cluster_(cluster), options_(options), query_(query) {
    for (const model::Pod& pod : cluster.pods) {
      if (pod.node_name.empty() && pod.meta.controller) unbound_.push_back(&pod);
    }
  }

  void add(const model::DaemonSet& ds, const DaemonSetReport& report) {
    former_pods_of(ds);
    const bool lags = ds.generation > ds.observed_generation && !ds.meta.deleted;
    const bool stale = report.differences && !report.differences->empty();
    std::size_t pending = 0;
    std::size_t missing = 0;
    bool waits_for_controller = false;  // before somebody deletes a pod
    bool may_want_devices = false;
    bool wrong = lags || stale || ds.meta.deleted;
    for (const NodeReport& node : report.nodes) {
      const bool asked = is_asked(node.name);
      if (asked) state_of(ds, node);
      const bool rolled = std::ranges::any_of(node.pods(), &PodReport::outdated);
      if (!is_wrong(node.verdict()) && node.verdict() != NodeVerdict::Terminating && !rolled)
        continue;
      wrong = true;
      waits_for_controller |=
          node.verdict() == NodeVerdict::Duplicate || (rolled && ds.update_strategy == "OnDelete");
      missing += node.verdict() == NodeVerdict::Missing ? 1 : 0;
      if (node.verdict() == NodeVerdict::Pending || node.verdict() == NodeVerdict::Missing) {
        may_want_devices = may_want_devices || requests_what_lacks(ds, node.name);
      }
      if (node.verdict() == NodeVerdict::Pending) {
        ++pending;
        query_.nominated_pods = true;
        if (asked) query_.crowded_nodes.insert(node.name.str());
        query_.disruption_budgets = query_.disruption_budgets || lacks_a_slot(ds, node);
      }
      const bool is_unwanted =
          node.verdict() == NodeVerdict::Misscheduled || node.verdict() == NodeVerdict::Removing;
      if (asked && is_unwanted) unwanted(node);
    }
    if (!wrong) return;
    query_.daemon_set_events.insert({ds.meta.ns.str(), ds.meta.name.str()});
    query_.pod_event_namespaces.insert(ds.meta.ns.str());
    query_.leases = query_.leases || lags || missing > 0 || pending > 0 || waits_for_controller;
    // The access review needs it where the controller seems not to act.
    query_.roles = query_.roles || lags;
    // Without pods only its annotations tell what its node selector adds to theirs.
    if (ds.meta.deleted || !report.evaluated.pods_known) {
      query_.namespaces.insert(ds.meta.ns.str());
    }
    if (missing > 0 || pending > 0) admission(ds);
    if (pending > 0) claims(ds);
    if (may_want_devices) device_classes();
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
      const model::Node* node = model::find_node(cluster_, name);
      if (node != nullptr) managers_of(*node, most_managed_nodes);
    };
    for (const DaemonSetReport& report : reports) {
      for (const NodeReport& node : report.nodes) {
        if (node.verdict() == NodeVerdict::Misscheduled ||
            node.verdict() == NodeVerdict::Removing) {
          add(node.name);
        }
      }
    }
    for (const model::Node& node : cluster_.nodes) {
      if (is_silent(node)) lease_of(node, most_managed_nodes);
    }
  }

  /// One list instead of several, where it holds little more than what is asked for.
  void join_requests() {
    if (query_.node_events.size() > single_requests) {
      query_.node_events.clear();
      query_.every_node_event = true;
    }
    join_event_lists(query_);
  }

 private:
  [[nodiscard]] bool is_asked(std::string_view name) const {
    if (!options_.is_asked) return true;
    const model::Node* node = model::find_node(cluster_, name);
    return node == nullptr || options_.is_asked(*node);
  }
  /// Whatever the verdict, so that every answer says the same of one node.
  void state_of(const model::DaemonSet& ds, const NodeReport& node) {
    if (const model::Node* silent = silent_node(node.name)) lease_of(*silent, nodes_looked_at);
    agents_of(node);
    if (tells_of_leaving(node)) drained(node.name);
    if (node.verdict() == NodeVerdict::NotReady && lacks_a_port(ds, node)) {
      pods_of(node.name, port_nodes_);
    }
  }

  /// Where the pod is as it should be, or never to be, the node's removal is not told.
  [[nodiscard]] static bool tells_of_leaving(const NodeReport& node) {
    return is_wrong(node.verdict()) || node.verdict() == NodeVerdict::Terminating ||
           (node.verdict() == NodeVerdict::Excluded && is_out_by_state(*node.state));
  }
  [[nodiscard]] static bool is_silent(const model::Node& node) {
    return condition_is(node, "Ready", "Unknown") != nullptr;
  }
  [[nodiscard]] const model::Node* silent_node(std::string_view name) const {
    const model::Node* node = model::find_node(cluster_, name);
    return node != nullptr && is_silent(*node) ? node : nullptr;
  }

  /// Of an earlier DaemonSet of this name, which had other labels. Its revisions are left, too.
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

  /// The agents that take off its startup taints may wait for each other, wherever they are.
  void agents_of(const NodeReport& report) {
    if (cluster_.known.every_daemon_set) return;
    const model::Node* node = model::find_node(cluster_, report.name);
    if (node == nullptr || placement::should_run(report.decision())) return;
    if (!waits_for_several_agents(*node)) return;
    query_.every_daemon_set = true;
    pods_of(report.name, starting_nodes_);
  }

  /// Of so many nodes for one reason: a few show what is the matter with all of them.
  void pods_of(const model::Text& node, std::set<std::string>& for_a_reason) {
    if (for_a_reason.size() >= nodes_looked_at) return;
    for_a_reason.insert(node.str());
    query_.crowded_nodes.insert(node.str());
  }

  /// How long the drain may take: whether a node is overdue is said of each by itself.
  void drained(const model::Text& name) {
    const model::Node* node = model::find_node(cluster_, name);
    if (node != nullptr && is_departure_long(*node, options_.now))
      query_.crowded_nodes.insert(name.str());
  }

  /// When its kubelet last reported.
  void lease_of(const model::Node& node, std::size_t most) {
    if (query_.node_leases.size() < most) query_.node_leases.insert(node.meta.name.str());
  }

  /// Who wrote its fields. The list of nodes has told it of those with taints (decode/protobuf).
  void managers_of(const model::Node& node, std::size_t most) {
    if (!node.taints.empty() || node.unschedulable || !node.meta.managers.empty()) return;
    if (query_.node_managers.size() < most) query_.node_managers.insert(node.meta.name.str());
  }

  void unwanted(const NodeReport& report) {
    const model::Node* node = model::find_node(cluster_, report.name);
    if (node == nullptr) return;
    if (query_.node_events.size() < nodes_looked_at) query_.node_events.insert(report.name.str());
    managers_of(*node, nodes_looked_at);
    // What the drain waits for, and how long.
    if (leaving_since(*node) || find_taint(*node, to_be_deleted_key) != nullptr)
      pods_of(report.name, drained_nodes_);
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

  /// The scheduler says that the node is at its pod limit, so that another pod may have to move.
  [[nodiscard]] bool lacks_a_slot(const model::DaemonSet& ds, const NodeReport& node) const {
    return std::ranges::any_of(node.pods(), [&](const PodReport& each) {
      const model::Pod* pod = model::find_pod(cluster_, ds.meta.ns, each.name);
      if (pod == nullptr) return false;
      const auto said = model::find_condition(pod->conditions, "PodScheduled");
      return said != nullptr &&
             said->message.view().find("Too many pods") != std::string_view::npos;
    });
  }

  /// A container could not bind a port of the node, which a pod of another namespace may hold.
  [[nodiscard]] bool lacks_a_port(const model::DaemonSet& ds, const NodeReport& node) const {
    return std::ranges::any_of(node.pods(), [&](const PodReport& each) {
      const model::Pod* pod = model::find_pod(cluster_, ds.meta.ns, each.name);
      return pod != nullptr && pod->host_network &&
             std::ranges::any_of(pod->statuses, [](const auto& status) {
               const model::TerminatedState* end = last_end(status);
               return end != nullptr && mentions(end->message, "address already in use");
             });
    });
  }

  /// An extended resource that the node does not offer, so that a DeviceClass may provide it.
  [[nodiscard]] bool requests_what_lacks(const model::DaemonSet& ds, std::string_view name) const {
    const model::Node* node = model::find_node(cluster_, name);
    const auto lacks = [&](const model::Labels& requests) {
      return std::ranges::any_of(requests, [&](const auto& entry) {
        const model::Text* offer = node->allocatable.find(entry.first);
        return scheduling::is_extended_resource(entry.first) && (offer == nullptr || *offer == "0");
      });
    };
    const model::PodSpec& spec = ds.pod_template.spec;
    const auto any_lacks = [&](const std::vector<model::Container>& containers) {
      return std::ranges::any_of(
          containers, [&](const auto& one) { return lacks(one.requests) || lacks(one.limits); });
    };
    return node != nullptr && (any_lacks(spec.containers) || any_lacks(spec.init_containers));
  }

  /// Before Kubernetes 1.34 there are none of this version.
  void device_classes() {
    const auto& version = cluster_.version;
    query_.device_classes = !version || version->major > 1 || version->minor >= 34;
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
  const NeedOptions& options_;
  model::DetailQuery& query_;
  std::set<std::string> port_nodes_;
  std::set<std::string> starting_nodes_;
  std::set<std::string> drained_nodes_;
  std::vector<const model::Pod*> unbound_;
};

}  // namespace

model::DetailQuery needs_of(const model::Cluster& cluster,
                            const std::vector<const model::DaemonSet*>& daemon_sets,
                            const std::vector<DaemonSetReport>& reports,
                            const NeedOptions& options) {
  model::DetailQuery query;
  NeedFinder finder(cluster, options, query);
  for (std::size_t i = 0; i < daemon_sets.size(); ++i) finder.add(*daemon_sets[i], reports[i]);
  if (cluster.all_pods_known) {
    query.crowded_nodes.clear();
    query.nominated_pods = false;
  }
  finder.join_requests();
  return query;
}

void add_history_of(const std::vector<const model::DaemonSet*>& daemon_sets,
                    model::DetailQuery& query) {
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
