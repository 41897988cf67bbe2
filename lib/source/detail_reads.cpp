// SPDX-License-Identifier: Apache-2.0
#include "source/detail_reads.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "kube/text/url.h"
#include "model/release.h"
#include "source/api_reads.h"
#include "source/detail_gatherer.h"

namespace dsdoctor::source {
namespace {

constexpr std::string_view scheduling_group = "/apis/scheduling.k8s.io/v1";
constexpr std::string_view scheduling_alpha = "/apis/scheduling.k8s.io/v1alpha2";
constexpr std::string_view scheduling_beta = "/apis/scheduling.k8s.io/v1beta1";
constexpr std::string_view node_group = "/apis/node.k8s.io/v1";
constexpr std::string_view storage_group = "/apis/storage.k8s.io/v1";
constexpr std::string_view resource_group = "/apis/resource.k8s.io/v1";
constexpr std::string_view resource_beta_group = "/apis/resource.k8s.io/v1beta2";
constexpr std::string_view resource_alpha_group = "/apis/resource.k8s.io/v1alpha3";
constexpr std::string_view policy_group = "/apis/policy/v1";
constexpr std::string_view coordination_group = "/apis/coordination.k8s.io/v1";
constexpr std::string_view rbac_group = "/apis/rbac.authorization.k8s.io/v1";
constexpr std::string_view unfinished = "status.phase!=Succeeded,status.phase!=Failed";

/// A kind of object to read, and the consequence if it is not read.
struct Wanted {
  std::string_view group;
  const char* plural;
  decode::Kind kind;
  bool model::Known::*known;  // null: nothing records whether it was read
  const char* consequence;
  const char* permission = "";  // see Lack
  Unserved unserved = Unserved::Silent;
};

using decode::Kind;
using model::Known;

namespace wanted {

constexpr const char* no_volumes = "volume filters are not recomputed";
constexpr const char* no_device_taints = "taints of devices are unknown";
constexpr const char* list_device_taints =
    "list devicetaintrules, resourceclaims and resourceslices";
constexpr const char* no_admission = "quotas and limits are not recomputed";
constexpr const char* no_roles = "RBAC permissions of the DaemonSet controller are unknown";
constexpr const char* list_roles = "list clusterroles and clusterrolebindings";

constexpr Wanted all_events = {
    core_group,   "events", Kind::Event, &Known::events, "rejections and failures are unknown",
    "list events"};
constexpr Wanted other_pods = {
    core_group,
    "pods",
    Kind::Pod,
    nullptr,
    "whether a pending pod fits is not recomputed, only reported from the scheduler's message",
    "list pods (cluster scope)"};
constexpr Wanted neighbours = {core_group,
                               "pods",
                               Kind::Pod,
                               nullptr,
                               "which other pods are on a node, and when they should be gone, is "
                               "unknown",
                               "list pods (cluster scope)"};
constexpr Wanted former_pods = {core_group, "pods", Kind::Pod, nullptr,
                                "pods of earlier DaemonSets are unknown"};
constexpr Wanted daemon_sets = {apps_group,
                                "daemonsets",
                                Kind::DaemonSet,
                                &Known::every_daemon_set,
                                "deadlocks of startup taints are unknown",
                                "list daemonsets (cluster scope)"};
constexpr Wanted managed_nodes = {core_group, "nodes", Kind::Node, nullptr,
                                  "who changed labels and taints of nodes is unknown"};
constexpr Wanted namespaces = {core_group,
                               "namespaces",
                               Kind::Namespace,
                               &Known::namespaces,
                               "annotations and labels of the namespace are unknown",
                               "get namespaces"};
constexpr Wanted resource_quotas = {core_group, "resourcequotas", Kind::ResourceQuota,
                                    &Known::resource_quotas, no_admission};
constexpr Wanted limit_ranges = {core_group, "limitranges", Kind::LimitRange, &Known::limit_ranges,
                                 no_admission};
constexpr Wanted service_accounts = {core_group, "serviceaccounts", Kind::ServiceAccount,
                                     &Known::service_accounts,
                                     "whether the service account exists is unknown"};
constexpr Wanted priority_classes = {scheduling_group, "priorityclasses", Kind::PriorityClass,
                                     &Known::priority_classes,
                                     "the priority of new pods is unknown"};
constexpr Wanted runtime_classes = {
    node_group, "runtimeclasses", Kind::RuntimeClass, &Known::runtime_classes,
    "the nodeSelector and overhead of the RuntimeClass are unknown"};
constexpr Wanted claims = {core_group, "persistentvolumeclaims", Kind::PersistentVolumeClaim,
                           &Known::claims, no_volumes};
constexpr Wanted volumes = {core_group, "persistentvolumes", Kind::PersistentVolume, &Known::claims,
                            no_volumes};
constexpr Wanted storage_classes = {storage_group, "storageclasses", Kind::StorageClass,
                                    &Known::storage_classes, no_volumes};
constexpr Wanted csi_nodes = {storage_group, "csinodes", Kind::CsiNode, &Known::csi_nodes,
                              no_volumes};
constexpr Wanted device_classes = {resource_group,
                                   "deviceclasses",
                                   Kind::DeviceClass,
                                   &Known::device_classes,
                                   "whether a DeviceClass provides an extended resource is unknown",
                                   "list deviceclasses",
                                   Unserved::MeansNone};
constexpr Wanted of_device_taints(const char* plural, Kind kind) {
  return {resource_group,     plural,         kind, &Known::device_taints, no_device_taints,
          list_device_taints, Unserved::IsGap};
}
constexpr Wanted resource_claims = of_device_taints("resourceclaims", Kind::ResourceClaim);
constexpr Wanted resource_slices = of_device_taints("resourceslices", Kind::ResourceSlice);
constexpr Wanted device_taint_rules = of_device_taints("devicetaintrules", Kind::DeviceTaintRule);
/// For releases that serve this version only if it is turned on.
constexpr Wanted older_device_taint_rules(std::string_view group) {
  Wanted result = device_taint_rules;
  result.group = group;
  result.unserved = Unserved::MeansNone;
  return result;
}
constexpr Wanted beta_device_taint_rules = older_device_taint_rules(resource_beta_group);
constexpr Wanted alpha_device_taint_rules = older_device_taint_rules(resource_alpha_group);
constexpr Wanted disruption_budgets = {policy_group,
                                       "poddisruptionbudgets",
                                       Kind::PodDisruptionBudget,
                                       &Known::disruption_budgets,
                                       "whether a pod may be evicted is unknown",
                                       "list poddisruptionbudgets"};
constexpr const char* no_groups = "whether a PodGroup exists and has enough pods is unknown";
constexpr Wanted pod_groups = {scheduling_beta,    "podgroups", Kind::PodGroup,
                               &Known::pod_groups, no_groups,   "list podgroups.scheduling.k8s.io",
                               Unserved::IsGap};
constexpr Wanted group_members = {core_group, "pods",     Kind::Pod, &Known::pod_group_members,
                                  no_groups,  "list pods"};
constexpr Wanted control_leases = {
    coordination_group,
    "leases",
    Kind::Lease,
    &Known::leases,
    "whether kube-controller-manager and kube-scheduler are running is unknown",
    "get leases in kube-system"};
constexpr Wanted node_leases = {coordination_group,
                                "leases",
                                Kind::Lease,
                                nullptr,
                                "the last report of a kubelet is known from node status only",
                                "get leases in kube-node-lease"};
constexpr Wanted roles = {rbac_group,    "clusterroles", Kind::ClusterRole,
                          &Known::roles, no_roles,       list_roles};
constexpr Wanted role_bindings = {
    rbac_group, "clusterrolebindings", Kind::ClusterRoleBinding, &Known::roles, no_roles,
    list_roles};

}  // namespace wanted

Lack lack_of(const Wanted& what) { return {what.plural, what.consequence, what.permission}; }

class Plan {
 public:
  Plan(kube::Client& client, const model::DetailQuery& query, int page_size,
       const kube::OnProgress& on_progress, DetailGatherer& gatherer)
      : client_(client),
        query_(query),
        page_size_(page_size),
        on_progress_(on_progress),
        gatherer_(gatherer) {}

  void events() {
    const auto about = [&](const std::string& ns, std::string_view kind, std::string_view name) {
      std::string fields = fmt::format("involvedObject.kind={}", kind);
      if (!name.empty()) fields += fmt::format(",involvedObject.name={}", name);
      list(wanted::all_events, ns, {{"fieldSelector", std::move(fields)}});
    };
    for (const auto& [ns, name] : query_.daemon_set_events) about(ns, "DaemonSet", name);
    for (const std::string& ns : query_.daemon_set_event_namespaces) about(ns, "DaemonSet", "");
    for (const std::string& ns : query_.pod_event_namespaces) about(ns, "Pod", "");
    if (query_.every_node_event) about("default", "Node", "");
    for (const std::string& node : query_.node_events) about("default", "Node", node);
  }

  void daemon_sets() {
    if (query_.every_daemon_set) list(wanted::daemon_sets, "");
    for (const auto& [ns, hash] : query_.former_pods) {
      list(wanted::former_pods, ns, {{"labelSelector", "controller-revision-hash=" + hash}});
    }
  }

  void pods(const model::Cluster& cluster) {
    const bool consistent_cache =
        model::is_known_to_apply(model::ReleaseRule::ListsFromCache, cluster);
    const Wanted& others = query_.nominated_pods ? wanted::other_pods : wanted::neighbours;
    const std::size_t crowded = query_.crowded_nodes.size();
    if (crowded > std::max(node_lists_at_most, cluster.nodes.size() / node_lists_share)) {
      DetailTask task =
          list_task(others, "", {{"fieldSelector", std::string(unfinished)}}, page_size_);
      task.every_pod = true;
      return gatherer_.add(std::move(task));
    }
    const auto pods_of = [&](const std::string& node, int page_size) {
      kube::Query selectors{
          {"fieldSelector", fmt::format("spec.nodeName={},{}", node, unfinished)}};
      // Since 1.31 a server answers from its cache, which is indexed by node. Before, it would read
      // every pod of the cluster from etcd each time; so request the cached state, as kubelets do.
      if (!consistent_cache) selectors.emplace_back("resourceVersion", "0");
      return list_task(others, "", std::move(selectors), page_size);
    };
    for (const std::string& node : query_.crowded_nodes) {
      DetailTask task = pods_of(node, 0);
      task.crowded_node = node;
      gatherer_.add(std::move(task));
    }
    if (!query_.nominated_pods) return;
    DetailTask task = pods_of("", page_size_);
    task.unbound_pods = true;
    gatherer_.add(std::move(task));
  }

  void nodes() {
    for (const std::string& name : query_.node_managers) get(wanted::managed_nodes, "", name);
  }

  void admission() {
    for (const std::string& name : query_.namespaces) get(wanted::namespaces, "", name);
    // There are few of these objects: one list is cheaper than one per namespace.
    const auto& admission = query_.admission_namespaces;
    const std::set<std::string> everywhere = {""};
    for (const std::string& ns :
         admission.size() > namespace_lists_at_most ? everywhere : admission) {
      list(wanted::resource_quotas, ns);
      list(wanted::limit_ranges, ns);
    }
    for (const auto& [ns, name] : query_.service_accounts) get(wanted::service_accounts, ns, name);
  }

  void classes() {
    if (query_.every_priority_class) {
      list(wanted::priority_classes, "");
    } else {
      for (const std::string& name : query_.priority_classes)
        get(wanted::priority_classes, "", name);
    }
    for (const std::string& name : query_.runtime_classes) get(wanted::runtime_classes, "", name);
  }

  void devices(const model::Cluster& cluster) {
    if (query_.device_classes) list(wanted::device_classes, "");
    if (query_.claim_namespaces.empty()) return;
    for (const std::string& ns : query_.claim_namespaces) list(wanted::resource_claims, ns);
    list(wanted::resource_slices, "");
    const model::ClusterRelease of = model::release_of(cluster);
    const bool is_sure = of.source == model::ReleaseSource::Server;
    if (!is_sure || applies(model::ReleaseRule::DeviceTaintRulesV1, of.release)) {
      return list(wanted::device_taint_rules, "");
    }
    const bool has_beta = applies(model::ReleaseRule::DeviceTaintRulesV1Beta2, of.release);
    list(has_beta ? wanted::beta_device_taint_rules : wanted::alpha_device_taint_rules, "");
  }

  void budgets() {
    if (query_.disruption_budgets) list(wanted::disruption_budgets, "");
  }

  void pod_groups(const model::Cluster& cluster) {
    Wanted wanted = wanted::pod_groups;
    const model::Release release = model::release_of(cluster).release;
    if (!applies(model::ReleaseRule::PodGroupsV1beta1, release)) wanted.group = scheduling_alpha;
    std::map<std::string, std::vector<std::string>> names;
    for (const auto& [ns, name] : query_.pod_groups) names[ns].push_back(name);
    for (const auto& [ns, its] : names) {
      kube::Query selectors;
      if (its.size() == 1) selectors = {{"fieldSelector", "metadata.name=" + its.front()}};
      list(wanted, ns, std::move(selectors));
      if (cluster.all_pods_known) continue;
      list(wanted::group_members, ns, {{"fieldSelector", std::string(unfinished)}});
    }
  }

  void storage() {
    if (query_.claims.empty()) return;
    for (const auto& [ns, name] : query_.claims) get(wanted::claims, ns, name);
    list(wanted::volumes, "");
    list(wanted::storage_classes, "");
    list(wanted::csi_nodes, "");
  }

  void control() {
    if (query_.leases) {
      get(wanted::control_leases, "kube-system", "kube-controller-manager");
      get(wanted::control_leases, "kube-system", "kube-scheduler");
    }
    for (const std::string& node : query_.node_leases)
      get(wanted::node_leases, "kube-node-lease", node);
    if (query_.roles) {
      list(wanted::roles, "");
      list(wanted::role_bindings, "");
    }
  }

 private:
  DetailTask list_task(const Wanted& what, const std::string& ns, kube::Query selectors,
                       int page_size) {
    kube::ListRequest request{collection_path(what.group, ns, what.plural),
                              std::move(selectors),
                              what.plural,
                              what.kind,
                              page_size,
                              on_progress_};
    DetailTask task{
        [this, request = std::move(request)] { return kube::read_list(client_, request); },
        lack_of(what), ns};
    task.unserved = what.unserved;
    return task;
  }

  void list(const Wanted& what, const std::string& ns, kube::Query selectors = {}) {
    DetailTask task = list_task(what, ns, std::move(selectors), page_size_);
    task.known = what.known;
    gatherer_.add(std::move(task));
  }

  void get(const Wanted& what, const std::string& ns, const std::string& name) {
    DetailTask task{
        [this,
         path = collection_path(what.group, ns, what.plural) + "/" + kube::encode_segment(name),
         resource = fmt::format("{} {}", what.plural, name),
         kind = what.kind] { return get_object(client_, path, resource, kind); },
        lack_of(what), ns, name};
    task.known = what.known;
    gatherer_.add(std::move(task));
  }

  kube::Client& client_;
  const model::DetailQuery& query_;
  int page_size_;
  const kube::OnProgress& on_progress_;
  DetailGatherer& gatherer_;
};

}  // namespace

void read_details(kube::Client& client, const model::DetailQuery& query, int page_size,
                  const kube::OnProgress& on_progress, Snapshot& snapshot) {
  DetailGatherer gatherer(snapshot);
  Plan plan(client, query, page_size, on_progress, gatherer);
  plan.events();
  plan.daemon_sets();
  plan.pods(snapshot.cluster);
  plan.nodes();
  plan.admission();
  plan.classes();
  plan.devices(snapshot.cluster);
  plan.budgets();
  plan.pod_groups(snapshot.cluster);
  plan.storage();
  plan.control();
  gatherer.run(parallel_requests);
}

}  // namespace dsdoctor::source
