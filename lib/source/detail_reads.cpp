#include "source/detail_reads.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "decode/cluster/cluster_builder.h"
#include "decode/cluster/merge.h"
#include "kube/client/api_documents.h"
#include "kube/text/url.h"
#include "source/api_reads.h"
#include "source/collection_path.h"

namespace dsdoctor::source {
namespace {

constexpr std::string_view scheduling_group = "/apis/scheduling.k8s.io/v1";
constexpr std::string_view node_group = "/apis/node.k8s.io/v1";
constexpr std::string_view storage_group = "/apis/storage.k8s.io/v1";
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
};

/// One request, and what the answer lacks when it may not be made.
struct Task {
  std::function<kube::ListAnswer()> read;
  const char* resource;
  std::string ns;
  const char* consequence;
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
      for (std::size_t i = 0; i < count; ++i) threads.emplace_back([this] { work(); });
    }  // joined
    finish();
  }

 private:
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
      const bool there = !answer.failure || is_absence(*answer.failure);
      if (task.known != nullptr) {
        all_read.try_emplace(task.known, true).first->second &= there;
      }
      if (!there) {
        omit(task, *answer.failure);
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

  /// A named object that is not there has been looked for.
  static bool is_absence(const kube::ApiFailure& failure) {
    return failure.error.kind == base::ErrorKind::NotFound;
  }

  void omit(const Task& task, const kube::ApiFailure& failure) {
    const bool said = std::ranges::any_of(snapshot_.omissions, [&](const model::Omission& other) {
      return other.resource == task.resource && other.consequence == task.consequence;
    });
    if (said) return;
    snapshot_.omissions.push_back(
        {task.resource, task.ns, failure.reason.empty() ? "Unreadable" : failure.reason,
         failure.message.empty() ? failure.error.what : failure.message, task.consequence});
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
    constexpr const char* lack =
        "what was refused or failed, and when, is not known; ask for `list` on events";
    for (const auto& [ns, name] : query_.daemon_set_events) {
      list({core_group, "events", decode::Kind::Event, &model::Known::events, lack}, ns,
           {{"fieldSelector",
             fmt::format("involvedObject.kind=DaemonSet,involvedObject.name={}", name)}});
    }
    for (const std::string& ns : query_.daemon_set_event_namespaces) {
      list({core_group, "events", decode::Kind::Event, &model::Known::events, lack}, ns,
           {{"fieldSelector", "involvedObject.kind=DaemonSet"}});
    }
    for (const std::string& ns : query_.pod_event_namespaces) {
      list({core_group, "events", decode::Kind::Event, &model::Known::events, lack}, ns,
           {{"fieldSelector", "involvedObject.kind=Pod"}});
    }
    if (query_.every_node_event) {
      list({core_group, "events", decode::Kind::Event, &model::Known::events, lack}, "default",
           {{"fieldSelector", "involvedObject.kind=Node"}});
    }
    for (const std::string& node : query_.node_events) {
      list({core_group, "events", decode::Kind::Event, &model::Known::events, lack}, "default",
           {{"fieldSelector",
             fmt::format("involvedObject.kind=Node,involvedObject.name={}", node)}});
    }
  }

  void pods(const model::Cluster& cluster) {
    const auto& version = cluster.version;
    const bool consistent_cache = version && (version->major > 1 || version->minor >= 31);
    constexpr const char* lack =
        "whether a pending pod fits is not recomputed, only reported from the scheduler's words; "
        "ask for `list` on pods (cluster scope)";
    const Wanted pods{core_group, "pods", decode::Kind::Pod, nullptr, lack};
    const std::size_t wanted = query_.crowded_nodes.size();
    if (wanted > std::max(node_lists_at_most, cluster.nodes.size() / node_lists_share)) {
      Task task = list_task(pods, "", {{"fieldSelector", std::string(unfinished)}}, page_size_);
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
      Task task = list_task(pods, "", std::move(selectors), 0);
      task.crowded_node = node;
      gatherer_.add(std::move(task));
    }
  }

  void nodes() {
    for (const std::string& name : query_.node_managers) {
      get({core_group, "nodes", decode::Kind::Node, nullptr,
           "who changed its labels and taints is not known"},
          "", name);
    }
  }

  void admission() {
    for (const std::string& name : query_.namespaces) {
      get({core_group, "namespaces", decode::Kind::Namespace, &model::Known::namespaces,
           "what its annotations and labels forbid is not known; ask for `get` on namespaces"},
          "", name);
    }
    for (const std::string& ns : query_.admission_namespaces) {
      constexpr const char* lack = "whether it refuses pods is not recomputed";
      list({core_group, "resourcequotas", decode::Kind::ResourceQuota,
            &model::Known::resource_quotas, lack},
           ns);
      list({core_group, "limitranges", decode::Kind::LimitRange, &model::Known::limit_ranges, lack},
           ns);
    }
    for (const auto& [ns, name] : query_.service_accounts) {
      get({core_group, "serviceaccounts", decode::Kind::ServiceAccount,
           &model::Known::service_accounts, "whether the service account exists is not known"},
          ns, name);
    }
  }

  void classes() {
    constexpr const char* priority_lack = "the priority that pods would get is not known";
    if (query_.every_priority_class) {
      list({scheduling_group, "priorityclasses", decode::Kind::PriorityClass,
            &model::Known::priority_classes, priority_lack},
           "");
    }
    for (const std::string& name : query_.priority_classes) {
      if (query_.every_priority_class) break;
      get({scheduling_group, "priorityclasses", decode::Kind::PriorityClass,
           &model::Known::priority_classes, priority_lack},
          "", name);
    }
    for (const std::string& name : query_.runtime_classes) {
      get({node_group, "runtimeclasses", decode::Kind::RuntimeClass, &model::Known::runtime_classes,
           "what the runtime class adds to pods is not known"},
          "", name);
    }
  }

  void storage() {
    if (query_.claims.empty()) return;
    constexpr const char* lack = "whether its volumes allow a node is not recomputed";
    for (const auto& [ns, name] : query_.claims) {
      get({core_group, "persistentvolumeclaims", decode::Kind::PersistentVolumeClaim,
           &model::Known::claims, lack},
          ns, name);
    }
    list({core_group, "persistentvolumes", decode::Kind::PersistentVolume, &model::Known::claims,
          lack},
         "");
    list({storage_group, "storageclasses", decode::Kind::StorageClass,
          &model::Known::storage_classes, lack},
         "");
    list({storage_group, "csinodes", decode::Kind::CsiNode, &model::Known::csi_nodes, lack}, "");
  }

  void control() {
    if (query_.leases) {
      for (const char* name : {"kube-controller-manager", "kube-scheduler"}) {
        get({coordination_group, "leases", decode::Kind::Lease, &model::Known::leases,
             "whether controller manager and scheduler are alive is not known; ask for `get` on "
             "leases in kube-system"},
            "kube-system", name);
      }
    }
    for (const std::string& node : query_.node_leases) {
      get({coordination_group, "leases", decode::Kind::Lease, nullptr,
           "when a silent kubelet was last heard of is known by its last status alone; ask for "
           "`get` on leases in kube-node-lease"},
          "kube-node-lease", node);
    }
    if (query_.roles) {
      constexpr const char* lack =
          "what the DaemonSet controller may do is not known; ask for `list` on clusterroles and "
          "clusterrolebindings";
      list({rbac_group, "clusterroles", decode::Kind::ClusterRole, &model::Known::roles, lack}, "");
      list({rbac_group, "clusterrolebindings", decode::Kind::ClusterRoleBinding,
            &model::Known::roles, lack},
           "");
    }
  }

 private:
  Task list_task(const Wanted& wanted, const std::string& ns, kube::Query selectors,
                 int page_size) {
    kube::ListRequest request{collection_path(wanted.group, ns, wanted.plural),
                              std::move(selectors),
                              wanted.plural,
                              wanted.kind,
                              page_size,
                              on_progress_};
    return {[this, request = std::move(request)] { return kube::read_list(client_, request); },
            wanted.plural, ns, wanted.consequence};
  }

  void list(const Wanted& wanted, const std::string& ns, kube::Query selectors = {}) {
    Task task = list_task(wanted, ns, std::move(selectors), page_size_);
    task.known = wanted.known;
    gatherer_.add(std::move(task));
  }

  void get(const Wanted& wanted, const std::string& ns, const std::string& name) {
    Task task{
        [this,
         path = collection_path(wanted.group, ns, wanted.plural) + "/" + kube::encode_segment(name),
         resource = fmt::format("{} {}", wanted.plural, name),
         kind = wanted.kind] { return get_object(client_, path, resource, kind); },
        wanted.plural, ns, wanted.consequence};
    task.known = wanted.known;
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
  plan.pods(snapshot.cluster);
  plan.nodes();
  plan.admission();
  plan.classes();
  plan.storage();
  plan.control();
  gatherer.run();
}

}  // namespace dsdoctor::source
