// SPDX-License-Identifier: Apache-2.0
#include "testing/troubled_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>

#include "diagnosis/reporter.h"
#include "testing/cluster_story.h"

namespace dsdoctor::testing {
namespace {

using namespace std::chrono_literals;

class Maker {
 public:
  Maker(std::uint64_t seed, const TroubledSize& size) : random_(seed), size_(size) {}

  model::Cluster make() {
    for (std::size_t i = 0; i < size_.nodes; ++i) add_node(i);
    for (std::size_t i = 0; i < size_.daemon_sets; ++i) add_daemon_set(i);
    const auto by_name = [](const auto& object) {
      return std::pair(object.meta.ns.view(), object.meta.name.view());
    };
    std::ranges::sort(cluster_.nodes, {}, by_name);
    std::ranges::sort(cluster_.daemon_sets, {}, by_name);
    std::ranges::sort(cluster_.pods, {}, by_name);
    cluster_.known.events = cluster_.known.namespaces = true;
    cluster_.version = model::ServerVersion{1, 36, 2, "v1.36.2"};
    report_status();
    return std::move(cluster_);
  }

 private:
  /// Sets status to the counts that the controller would write.
  void report_status() {
    std::vector<model::DaemonSetCounts> counts;
    const diagnosis::Reporter reporter(cluster_, {{}, troubled_now(), nullptr});
    for (const model::DaemonSet& ds : cluster_.daemon_sets) {
      counts.push_back(reporter.verdicts(ds).evaluated.counts);
    }
    for (std::size_t i = 0; i < counts.size(); ++i) cluster_.daemon_sets[i].reported = counts[i];
  }

  std::size_t below(std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_);
  }
  bool in_trouble() { return below(100) < size_.trouble; }

  void add_node(std::size_t i) {
    model::Node& node = cluster_.nodes.emplace_back();
    node.meta.name = fmt::format("node-{:04}", i);
    node.meta.labels = {{"pool", std::array{"a", "b", "gpu"}[i % 3]}};
    node.conditions = {{"Ready", "True", "KubeletReady", "", at(0)}};
    node.allocatable = {{"cpu", "8"}, {"memory", "16Gi"}, {"pods", "110"}};
    if (i % 3 == 2) node.taints.push_back({"nvidia.com/gpu", "present", "NoSchedule"});
    if (in_trouble()) break_node(node);
  }

  void break_node(model::Node& node) {
    model::Condition& ready = node.conditions.front();
    switch (below(7)) {
      case 0:
        ready = {"Ready", "False", "KubeletNotReady", "the runtime is down", at(400)};
        node.taints.push_back({"node.kubernetes.io/not-ready", "", "NoSchedule"});
        break;
      case 1:
        ready = {"Ready", "Unknown", "NodeStatusUnknown", "", at(300)};
        node.taints.push_back({"node.kubernetes.io/unreachable", "", "NoExecute"});
        break;
      case 2:
        node.conditions.push_back({"DiskPressure", "True", "KubeletHasDiskPressure", "", at(200)});
        node.taints.push_back({"node.kubernetes.io/disk-pressure", "", "NoSchedule"});
        break;
      case 3:
        node.taints.push_back({"ToBeDeletedByClusterAutoscaler", "1700000100", "NoSchedule"});
        break;
      case 4:
        node.unschedulable = true;
        node.taints.push_back({"node.kubernetes.io/unschedulable", "", "NoSchedule"});
        break;
      case 5: node.taints.push_back({fmt::format("team-{}", below(4)), "x", "NoSchedule"}); break;
      default: node.taints.push_back({"maintenance", "yes", "NoExecute"}); break;
    }
  }

  void add_daemon_set(std::size_t i) {
    model::DaemonSet ds;
    ds.meta.ns = fmt::format("team-{}", i % 7);
    ds.meta.name = fmt::format("agent-{:03}", i);
    ds.meta.uid = fmt::format("uid-{}", i);
    ds.meta.created = at(0);
    ds.selector = model::LabelSelector{{{"app", ds.meta.name.view()}}, {}};
    ds.pod_template.labels = {{"app", ds.meta.name.view()}};
    ds.generation = ds.observed_generation = 1;
    ds.update_strategy = "RollingUpdate";
    if (below(4) == 0) ds.pod_template.node_selector = {{"pool", below(2) == 0 ? "a" : "b"}};
    if (below(3) == 0) ds.pod_template.tolerations = everything();
    if (in_trouble()) refuse(ds);
    for (const model::Node& node : cluster_.nodes) add_pods(ds, node);
    cluster_.daemon_sets.push_back(std::move(ds));
  }

  static std::vector<model::Toleration> everything() {
    model::Toleration toleration;
    toleration.op = "Exists";
    return {toleration};
  }

  void refuse(const model::DaemonSet& ds) {
    const std::array messages = {
        std::string("pods \"x\" is forbidden: exceeded quota: compute, requested: pods=1, used: "
                    "pods=20, limited: pods=20"),
        std::string("pods \"x\" is forbidden: error looking up service account: not found"),
        std::string("Internal error occurred: failed calling webhook \"gate.example.com\": no "
                    "endpoints available for service \"gate\"")};
    model::Event& event = cluster_.events.emplace_back();
    event.kind = "DaemonSet";
    event.ns = ds.meta.ns;
    event.name = ds.meta.name;
    event.uid = ds.meta.uid.str();
    event.meta.ns = ds.meta.ns;
    event.meta.name = fmt::format("event-{}", cluster_.events.size());
    event.reason = "FailedCreate";
    event.component = "daemonset-controller";
    event.message = "Error creating: " + messages[below(messages.size())];
    event.first = event.last = troubled_now() - 60s;
  }

  void add_pods(const model::DaemonSet& ds, const model::Node& node) {
    const auto& selector = ds.pod_template.node_selector;
    if (!selector.empty() && *selector.find("pool") != *node.meta.labels.find("pool")) return;
    const bool tainted = !node.taints.empty() && ds.pod_template.tolerations.empty();
    if (tainted && !in_trouble()) return;
    new_pod(ds, node);
    if (!tainted && in_trouble()) break_pod(ds, node);
  }

  model::Pod& new_pod(const model::DaemonSet& ds, const model::Node& node) {
    model::Pod& pod = cluster_.pods.emplace_back();
    pod.meta.ns = ds.meta.ns;
    pod.meta.name = fmt::format("{}-{:05}", ds.meta.name.view(), cluster_.pods.size());
    pod.meta.uid = fmt::format("pod-{}", cluster_.pods.size());
    pod.meta.labels = {{"app", ds.meta.name.view()}};
    pod.meta.created = at(0);
    pod.meta.controller = model::ControllerRef{"DaemonSet", ds.meta.name, ds.meta.uid.str()};
    pod.node_name = node.meta.name;
    pod.phase = "Running";
    pod.conditions = {{"Ready", "True", "", "", at(0)}};
    pod.start_time = at(1);
    return pod;
  }

  /// Breaks the pod that was added last.
  void break_pod(const model::DaemonSet& ds, const model::Node& node) {
    model::Pod& pod = cluster_.pods.back();
    switch (below(8)) {
      case 0: cluster_.pods.pop_back(); break;
      case 1:
        ClusterStory::unbind(pod, node.meta.name.view(),
                             "0/9 nodes are available: 1 Insufficient cpu, 8 node(s) didn't "
                             "satisfy plugin(s) [NodeAffinity].");
        break;
      case 2: wait_for(pod, "CrashLoopBackOff", "back-off 5m0s restarting failed container"); break;
      case 3: wait_for(pod, "ImagePullBackOff", "Back-off pulling image \"x/y:1\""); break;
      case 4: pod.meta.deleted = troubled_now() - (below(2) == 0 ? 3h : -20s); break;
      case 5:
        pod.phase = "Failed";
        pod.reason = "OutOfpods";
        pod.message =
            "Pod was rejected: Node didn't have enough resource: pods, requested: 1, "
            "used: 110, capacity: 110";
        break;
      case 6: new_pod(ds, node); break;
      default: not_ready(pod); break;
    }
  }

  static void not_ready(model::Pod& pod) {
    pod.conditions = {{"Ready", "False", "ContainersNotReady", "", at(600)}};
  }

  static void wait_for(model::Pod& pod, std::string_view reason, std::string_view message) {
    not_ready(pod);
    model::ContainerStatus& status = pod.statuses.emplace_back();
    status.name = "main";
    status.restart_count = 9;
    status.waiting = model::WaitingState{reason, message};
  }

  std::mt19937_64 random_;
  TroubledSize size_;
  model::Cluster cluster_;
};

}  // namespace

model::Time troubled_now() { return at(7200); }

model::Cluster troubled_cluster(std::uint64_t seed, const TroubledSize& size) {
  return Maker(seed, size).make();
}

}  // namespace dsdoctor::testing
