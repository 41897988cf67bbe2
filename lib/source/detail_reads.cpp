#include "source/detail_reads.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "decode/cluster/cluster_builder.h"
#include "decode/cluster/merge.h"
#include "kube/client/api_documents.h"
#include "kube/text/url.h"
#include "source/api_reads.h"

namespace dsdoctor::source {
namespace {

constexpr std::string_view scheduling_group = "/apis/scheduling.k8s.io/v1";
constexpr std::string_view node_group = "/apis/node.k8s.io/v1";
constexpr std::string_view storage_group = "/apis/storage.k8s.io/v1";
constexpr std::string_view resource_group = "/apis/resource.k8s.io/v1";
constexpr std::string_view policy_group = "/apis/policy/v1";
constexpr std::string_view coordination_group = "/apis/coordination.k8s.io/v1";
constexpr std::string_view rbac_group = "/apis/rbac.authorization.k8s.io/v1";
constexpr std::string_view unfinished = "status.phase!=Succeeded,status.phase!=Failed";

/// A kind of object to ask for, and what the answer lacks without it.
struct Wanted {
  std::string_view group;
  const char* plural;
  decode::Kind kind;
  bool model::Known::*known;  // null: nothing tells whether it was read
  const char* consequence;
  const char* permission = "";    // as in Lack
  bool none_if_unserved = false;  // a server that does not serve the resource has none of it
};

using decode::Kind;
using model::Known;

namespace wanted {

constexpr const char* no_volumes = "volume filters are not recomputed";
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
                                   true};
constexpr Wanted disruption_budgets = {policy_group,
                                       "poddisruptionbudgets",
                                       Kind::PodDisruptionBudget,
                                       &Known::disruption_budgets,
                                       "whether a pod may be evicted is unknown",
                                       "list poddisruptionbudgets"};
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

/// One request, and what the answer lacks when it may not be made.
struct Task {
  std::function<kube::ListAnswer()> read;
  Lack lack;
  std::string ns;
  std::string name = {};                // of the one object that is asked for; empty: a list
  bool none_if_unserved = false;        // as in Wanted
  bool model::Known::*known = nullptr;  // of the kind, once every task of it has been answered
  std::string crowded_node = {};        // its pods are complete then
  bool every_pod = false;
};

/// Runs tasks on a few threads and gathers their answers.
class Gatherer {
 public:
  explicit Gatherer(Snapshot& snapshot) : snapshot_(snapshot) {}

  void add(Task task) { tasks_.push_back(std::move(task)); }

  void run() {
    {
      std::vector<std::jthread> threads;
      const std::size_t count = std::min(parallel_requests, tasks_.size());
      threads.reserve(count);
      for (std::size_t i = 1; i < count; ++i) {
        try {
          threads.emplace_back([this] { work_safely(); });
        } catch (const std::system_error&) {
          break;  // fewer do as well
        }
      }
      work_safely();
    }  // joined
    if (thrown_) std::rethrow_exception(thrown_);
    finish();
  }

 private:
  void work_safely() {
    try {
      work();
    } catch (...) {  // memory is short
      const std::lock_guard lock(mutex_);
      thrown_ = std::current_exception();
    }
  }

  void work() {
    for (std::size_t i = next_++; i < tasks_.size(); i = next_++) {
      kube::ListAnswer answer = tasks_[i].read();
      const std::lock_guard lock(mutex_);
      answers_[i] = std::move(answer);
    }
  }

  void finish() {
    std::vector<model::Cluster> parts;
    std::map<bool model::Known::*, bool, KnownLess> all_read;
    model::Cluster& cluster = snapshot_.cluster;
    for (auto& [index, answer] : answers_) {
      const Task& task = tasks_[index];
      const bool there = !answer.failure || is_absence(*answer.failure, task);
      if (task.known != nullptr) {
        all_read.try_emplace(task.known, true).first->second &= there;
      }
      if (!there) {
        if (!is_unserved(*answer.failure, task)) omit(task, *answer.failure);
        continue;
      }
      if (!task.crowded_node.empty()) cluster.crowded_nodes.emplace_back(task.crowded_node);
      if (task.every_pod) cluster.all_pods_known = true;
      std::ranges::move(answer.warnings, std::back_inserter(snapshot_.warnings));
      parts.push_back(std::move(answer.cluster));
    }
    for (const auto& [known, read] : all_read) cluster.known.*known = read;
    std::ranges::sort(cluster.crowded_nodes);
    decode::merge(cluster, std::move(parts));
  }

  /// A named object that is not there has been looked for. A list that is not there has not.
  static bool is_absence(const kube::ApiFailure& failure, const Task& task) {
    if (!task.name.empty()) return kube::is_absence(failure, task.lack.resource, task.name);
    return task.none_if_unserved && failure.status == 404;
  }

  /// The server has no such resource: nothing follows from that, and nothing is to be read.
  static bool is_unserved(const kube::ApiFailure& failure, const Task& task) {
    return task.name.empty() && failure.status == 404;
  }

  void omit(const Task& task, const kube::ApiFailure& failure) {
    model::Omission omission = omission_of(failure, task.lack, task.ns);
    const bool said = std::ranges::any_of(snapshot_.omissions, [&](const model::Omission& other) {
      return other.resource == omission.resource && other.consequence == omission.consequence;
    });
    if (!said) snapshot_.omissions.push_back(std::move(omission));
  }

  // Members of one struct have no order of their own.
  struct KnownLess {
    bool operator()(bool model::Known::*a, bool model::Known::*b) const {
      static const model::Known object;
      return std::less<>()(&(object.*a), &(object.*b));
    }
  };

  Snapshot& snapshot_;
  std::vector<Task> tasks_;
  std::atomic<std::size_t> next_ = 0;
  std::exception_ptr thrown_;  // by one of the threads
  std::mutex mutex_;
  std::map<std::size_t, kube::ListAnswer> answers_;  // guarded by mutex_ while threads run
};

class Plan {
 public:
  Plan(kube::Client& client, const model::DetailQuery& query, int page_size,
       const kube::OnProgress& on_progress, Gatherer& gatherer)
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
    const auto& version = cluster.version;
    const bool consistent_cache = version && (version->major > 1 || version->minor >= 31);
    const std::size_t crowded = query_.crowded_nodes.size();
    if (crowded > std::max(node_lists_at_most, cluster.nodes.size() / node_lists_share)) {
      Task task = list_task(wanted::other_pods, "", {{"fieldSelector", std::string(unfinished)}},
                            page_size_);
      task.every_pod = true;
      return gatherer_.add(std::move(task));
    }
    for (const std::string& node : query_.crowded_nodes) {
      kube::Query selectors{
          {"fieldSelector", fmt::format("spec.nodeName={},{}", node, unfinished)}};
      // From its cache, which is indexed by node, a server answers by itself since 1.31; before, it
      // would read every pod of the cluster from etcd each time. There what its cache holds has to
      // do, as it does for kubelets.
      if (!consistent_cache) selectors.emplace_back("resourceVersion", "0");
      Task task = list_task(wanted::other_pods, "", std::move(selectors), 0);
      task.crowded_node = node;
      gatherer_.add(std::move(task));
    }
  }

  void nodes() {
    for (const std::string& name : query_.node_managers) get(wanted::managed_nodes, "", name);
  }

  void admission() {
    for (const std::string& name : query_.namespaces) get(wanted::namespaces, "", name);
    // Few objects: one list of all costs less than one of each namespace.
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

  void devices() {
    if (query_.device_classes) list(wanted::device_classes, "");
  }

  void budgets() {
    if (query_.disruption_budgets) list(wanted::disruption_budgets, "");
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
  Task list_task(const Wanted& what, const std::string& ns, kube::Query selectors, int page_size) {
    kube::ListRequest request{collection_path(what.group, ns, what.plural),
                              std::move(selectors),
                              what.plural,
                              what.kind,
                              page_size,
                              on_progress_};
    Task task{[this, request = std::move(request)] { return kube::read_list(client_, request); },
              lack_of(what), ns};
    task.none_if_unserved = what.none_if_unserved;
    return task;
  }

  void list(const Wanted& what, const std::string& ns, kube::Query selectors = {}) {
    Task task = list_task(what, ns, std::move(selectors), page_size_);
    task.known = what.known;
    gatherer_.add(std::move(task));
  }

  void get(const Wanted& what, const std::string& ns, const std::string& name) {
    Task task{
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
  Gatherer& gatherer_;
};

}  // namespace

void read_details(kube::Client& client, const model::DetailQuery& query, int page_size,
                  const kube::OnProgress& on_progress, Snapshot& snapshot) {
  Gatherer gatherer(snapshot);
  Plan plan(client, query, page_size, on_progress, gatherer);
  plan.events();
  plan.daemon_sets();
  plan.pods(snapshot.cluster);
  plan.nodes();
  plan.admission();
  plan.classes();
  plan.devices();
  plan.budgets();
  plan.storage();
  plan.control();
  gatherer.run();
}

}  // namespace dsdoctor::source
