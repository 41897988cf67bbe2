// SPDX-License-Identifier: Apache-2.0

// Prints the CPU time of a diagnosis at two cluster sizes in which every node has the same problem.
// Four times the nodes should take about four times as long. One thread; the results depend on the
// machine.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "diagnosis/reporter.h"
#include "diagnosis/views/node_history.h"
#include "diagnosis/views/timeline.h"

namespace {

using namespace dsdoctor;

constexpr std::size_t small = 1'000;
constexpr std::size_t large = 4 * small;
constexpr std::size_t pods_of_others = 50;  // on each node
constexpr const char* host_label = "kubernetes.io/hostname";
constexpr const char* zone_label = "topology.kubernetes.io/zone";
constexpr model::Time now{std::chrono::seconds(1'700'000'000)};

model::Time before(std::int64_t seconds) { return now - std::chrono::seconds(seconds); }

/// A generated name: "agent-" and five characters.
std::string generated(std::size_t number) { return fmt::format("agent-{:05}", number); }
std::string node_name(std::size_t number) { return fmt::format("node-{:05}", number); }

/// DaemonSet x/agent and its eligible nodes. All objects are added in the order of their names.
class Trouble {
 public:
  explicit Trouble(std::size_t nodes) {
    model::DaemonSet& ds = cluster.daemon_sets.emplace_back();
    ds.meta.ns = "x";
    ds.meta.name = "agent";
    ds.meta.uid = "uid-1";
    ds.meta.created = before(86'400);
    ds.selector = model::LabelSelector{{{"app", "agent"}}, {}};
    ds.generation = ds.observed_generation = 1;
    ds.pod_template.labels = {{"app", "agent"}};
    ds.pod_template.tolerations = {{"", "Exists", "", ""}};
    ds.pod_template.spec.containers = {container("1")};
    ds.pod_template.spec.priority = 1000;
    cluster.known.events = true;
    cluster.all_pods_known = true;
    for (std::size_t i = 0; i < nodes; ++i) {
      model::Node& node = cluster.nodes.emplace_back();
      node.meta.name = node_name(i);
      node.meta.created = before(86'400);
      node.meta.labels = {{host_label, node_name(i)}, {zone_label, fmt::format("zone-{}", i % 3)}};
      node.allocatable = {{"cpu", "8"}, {"memory", "32Gi"}, {"pods", "110"}};
      node.conditions = {{"Ready", "True", "KubeletReady", "", before(86'000)}};
    }
  }

  static model::Container container(const char* cpu) {
    model::Container result;
    result.name = "main";
    result.image = "registry.example/agent:1";
    result.requests = {{"cpu", cpu}};
    return result;
  }

  /// Makes every node unreachable, with a NoExecute taint.
  Trouble& unreachable() {
    for (model::Node& node : cluster.nodes) {
      node.conditions[0].status = "Unknown";
      node.taints = {{"node.kubernetes.io/unreachable", "", "NoExecute", before(900)}};
    }
    return *this;
  }

  /// Adds to every node pods of another namespace that request 7.5 of its 8 cpu, half of them with
  /// anti-affinity by topology `key` to pods with app=`label`. Empty key: no anti-affinity.
  Trouble& crowded(const char* key, const char* label) {
    model::PodSpec spec;
    spec.containers = {container("150m")};
    model::PodSpec averse = spec;
    model::PodAffinityTerm term;
    term.label_selector = model::LabelSelector{{{"app", label}}, {}};
    term.topology_key = key;
    term.namespaces = {"x"};
    averse.pod_anti_affinity = {term};
    const model::Shared<model::PodSpec> plain = spec;
    const model::Shared<model::PodSpec> other = *key == '\0' ? spec : averse;
    for (const model::Node& node : cluster.nodes) {
      for (std::size_t i = 0; i < pods_of_others; ++i) {
        model::Pod& pod = cluster.pods.emplace_back();
        pod.meta.ns = "big";
        pod.meta.name = fmt::format("{}-{:02}", node.meta.name.view(), i);
        pod.meta.labels = {{"app", "web"}};
        pod.node_name = node.meta.name;
        pod.phase = "Running";
        pod.spec = i % 2 == 0 ? plain : other;
      }
    }
    return *this;
  }

  /// Adds a pod of the DaemonSet for every node.
  Trouble& pods(bool bound) {
    const model::Shared<model::PodSpec> spec = cluster.daemon_sets.front().pod_template.spec;
    const model::Shared<std::vector<model::Toleration>> tolerations =
        cluster.daemon_sets.front().pod_template.tolerations;
    for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
      model::Pod& pod = cluster.pods.emplace_back();
      pod.meta.ns = "x";
      pod.meta.name = generated(i);
      pod.meta.uid = fmt::format("pod-{}", i);
      pod.meta.labels = {{"app", "agent"}};
      pod.meta.created = before(3600);
      pod.meta.controller = model::ControllerRef{"DaemonSet", "agent", "uid-1"};
      pod.node_affinity = model::NodeSelector{{{{}, {{"metadata.name", "In", {node_name(i)}}}}}};
      pod.tolerations = tolerations;
      pod.spec = spec;
      pod.phase = "Pending";
      if (bound) {
        pod.node_name = node_name(i);
        pod.start_time = before(3590);
        model::ContainerStatus& status = pod.statuses.emplace_back();
        status.name = "main";
        status.waiting = model::WaitingState{"ImagePullBackOff", "Back-off pulling image"};
        pod.conditions = {{"PodScheduled", "True", "", "", before(3600)},
                          {"Ready", "False", "ContainersNotReady", "", before(3590)}};
      } else {
        pod.conditions = {{"PodScheduled", "False", "Unschedulable",
                           "0/1000 nodes are available: 1 Insufficient cpu, 999 node(s) didn't "
                           "satisfy plugin(s) [NodeAffinity].",
                           before(3600)}};
      }
    }
    return *this;
  }

  /// Calls `add` for every node and its present or deleted pod, to add events.
  template <typename Add>
  Trouble& events(const Add& add) {
    for (std::size_t i = 0; i < cluster.nodes.size(); ++i) add(*this, node_name(i), generated(i));
    return *this;
  }
  void event(const char* kind, std::string_view name, const char* reason, std::string_view message,
             std::string_view host = {}) {
    model::Event& event = cluster.events.emplace_back();
    event.meta.ns = event.ns = "x";
    event.kind = kind;
    event.name = name;
    event.type = "Warning";
    event.reason = reason;
    event.message = message;
    event.host = host;
    event.first = event.last = before(static_cast<std::int64_t>(cluster.events.size() % 600));
  }

  model::Cluster cluster;
};

void add_evictions(Trouble& to, const std::string& node, const std::string& pod) {
  to.event("Pod", pod, "Scheduled", fmt::format("Successfully assigned x/{} to {}", pod, node));
  to.event("Pod", pod, "Started", "Started container main", node);
  to.event("Pod", pod, "TaintManagerEviction", fmt::format("Marking for deletion Pod x/{}", pod));
}

void add_pulls(Trouble& to, const std::string& node, const std::string& pod) {
  to.event("Pod", pod, "Failed", "Failed to pull image: not found", node);
  to.event("Pod", pod, "Failed", "Error: ErrImagePull", node);
  to.event("Pod", pod, "BackOff", "Back-off pulling image", node);
}

void add_failures(Trouble& to, const std::string& node, const std::string& pod) {
  to.event("Pod", pod, "OutOfcpu", "Node didn't have enough resource: cpu", node);
  to.event("DaemonSet", "agent", "FailedDaemonPod",
           fmt::format("Found failed daemon pod x/{} on node {}, will try to kill it", pod, node));
  to.event("DaemonSet", "agent", "SuccessfulCreate", fmt::format("Created pod: {}", pod));
}

void add_refusals(Trouble& to, const std::string&, const std::string& pod) {
  to.event("DaemonSet", "agent", "FailedCreate",
           fmt::format("Error creating: pods \"{}\" is forbidden: exceeded quota: q, requested: "
                       "pods=1, used: pods=10, limited: pods=10",
                       pod));
}

void diagnose(const model::Cluster& cluster) {
  const diagnosis::Reporter reporter(cluster, {{}, now, {}});
  if (reporter.report(cluster.daemon_sets.front()).nodes.empty()) std::abort();
}

void tell_the_past(const model::Cluster& cluster) {
  const model::DaemonSet& ds = cluster.daemon_sets.front();
  auto report = diagnosis::Reporter(cluster, {{}, now, {}, {}, false, false}).report(ds);
  const diagnosis::Facts facts(cluster, now);
  diagnosis::add_timelines(report, ds, facts, true);
}

/// Compares the cluster with the same one with a new taint on every node.
void compare(const model::Cluster& before) {
  model::Cluster now_cluster = before;
  for (model::Node& node : now_cluster.nodes) node.taints = {{"dedicated", "", "NoSchedule"}};
  const diagnosis::Reporter then(before, {{}, now, {}});
  const diagnosis::Reporter today(now_cluster, {{}, now, {}});
  const auto side = [](const diagnosis::Reporter& reporter) {
    diagnosis::HistorySide result{reporter, {}};
    for (const auto& ds : reporter.cluster().daemon_sets) result.daemon_sets.push_back(&ds);
    return result;
  };
  if (diagnosis::node_history(side(then), side(today)).flips.empty()) std::abort();
}

double cpu_seconds(void (*work)(const model::Cluster&), const Trouble& trouble) {
  const std::clock_t start = std::clock();
  work(trouble.cluster);
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

void print(const char* what, Trouble (*make)(std::size_t),
           void (*work)(const model::Cluster&) = diagnose) {
  const double few = cpu_seconds(work, make(small));
  const double many = cpu_seconds(work, make(large));
  std::fputs(fmt::format("  {:<52} {:7.3f} s {:7.3f} s   x {:.1f}\n", what, few, many,
                         many / std::max(few, 1e-6))
                 .c_str(),
             stdout);
}

Trouble alike(std::size_t nodes, std::size_t daemon_sets) {
  Trouble result(nodes);
  model::DaemonSet ds = result.cluster.daemon_sets.front();
  ds.pod_template.tolerations.clear();
  result.cluster.daemon_sets.clear();
  for (std::size_t i = 0; i < daemon_sets; ++i) {
    ds.meta.name = fmt::format("agent-{:03}", i);
    ds.meta.uid = ds.meta.name;
    result.cluster.daemon_sets.push_back(ds);
  }
  return result;
}

}  // namespace

int main() {
  std::fputs(fmt::format("{:54} {} nodes, {} nodes\n", "every node has", small, large).c_str(),
             stdout);
  print("a pod that waits for cpu, beside 50 others",
        [](std::size_t n) { return std::move(Trouble(n).crowded("", "").pods(false)); });
  print("the same, half of them with anti-affinity by host",
        [](std::size_t n) { return std::move(Trouble(n).crowded(host_label, "web").pods(false)); });
  print("the same, by host, and against this pod", [](std::size_t n) {
    return std::move(Trouble(n).crowded(host_label, "agent").pods(false));
  });
  print("the same, by zone",
        [](std::size_t n) { return std::move(Trouble(n).crowded(zone_label, "web").pods(false)); });
  print("no pod, and 50 others with anti-affinity by host",
        [](std::size_t n) { return std::move(Trouble(n).crowded(host_label, "web")); });
  print("pods that a taint evicts again and again", [](std::size_t n) {
    return std::move(Trouble(n).unreachable().pods(true).events(add_evictions));
  });
  print("pods without an image, with events",
        [](std::size_t n) { return std::move(Trouble(n).pods(true).events(add_pulls)); });
  print("pods that the kubelet fails and the controller deletes",
        [](std::size_t n) { return std::move(Trouble(n).events(add_failures)); });
  print("pods that a quota refuses",
        [](std::size_t n) { return std::move(Trouble(n).events(add_refusals)); });
  print(
      "a past of failed pods, as a timeline",
      [](std::size_t n) { return std::move(Trouble(n).pods(true).events(add_failures)); },
      tell_the_past);
  print(
      "a new taint, and 20 DaemonSets that it turns away",
      [](std::size_t n) { return alike(n, 20); }, compare);
}
