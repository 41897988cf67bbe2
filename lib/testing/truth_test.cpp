// SPDX-License-Identifier: Apache-2.0

// Checks properties of random clusters and all recordings: a healthy DaemonSet is never blamed for
// problems of others, and every answer reports a node without a ready pod.

#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "diagnosis/reporter.h"
#include "fixes/explanation.h"
#include "testing/cluster_reader.h"
#include "testing/cluster_story.h"

using namespace dsdoctor;
using dsdoctor::testing::at;

namespace {

constexpr int seeds = 300;
constexpr const char* feature = "feature.node.kubernetes.io/cpu-avx";
constexpr std::int64_t long_after = 20'000;  // seconds after the last event of a story

/// A random generator with the same numbers on every machine.
class Dice {
 public:
  explicit Dice(int seed) : engine_(static_cast<std::mt19937::result_type>(seed)) {}
  std::size_t below(std::size_t limit) { return engine_() % limit; }
  bool one_in(std::size_t limit) { return below(limit) == 0; }
  template <typename T>
  const T& any_of(const std::vector<T>& all) {
    return all[below(all.size())];
  }

 private:
  std::mt19937 engine_;
};

void set_condition(model::Node& node, const char* type, const char* status, const char* message,
                   std::int64_t since) {
  std::erase_if(node.conditions, [&](const auto& condition) { return condition.type == type; });
  node.conditions.push_back({type, status, "Because", message, at(since)});
}

using NodeFault = std::function<void(model::Node&, model::Cluster&, std::int64_t since)>;

const std::vector<NodeFault>& node_faults() {
  static const std::vector<NodeFault> all = {
      [](auto& node, auto&, auto since) {
        set_condition(node, "Ready", "Unknown", "", since);
        node.taints.push_back({"node.kubernetes.io/unreachable", "", "NoSchedule", at(since)});
        node.taints.push_back({"node.kubernetes.io/unreachable", "", "NoExecute", at(since)});
      },
      [](auto& node, auto&, auto since) {
        set_condition(node, "Ready", "False", "cni plugin not initialized", since);
        node.taints.push_back({"node.kubernetes.io/not-ready", "", "NoSchedule", at(since)});
      },
      [](auto& node, auto&, auto since) {
        set_condition(node, "Ready", "False", "container runtime is down", since);
      },
      [](auto& node, auto&, auto since) {
        set_condition(node, "DiskPressure", "True", "", since);
        node.taints.push_back({"node.kubernetes.io/disk-pressure", "", "NoSchedule"});
      },
      [](auto& node, auto&, auto since) {
        set_condition(node, "MemoryPressure", "True", "", since);
      },
      [](auto& node, auto&, auto since) { set_condition(node, "PIDPressure", "True", "", since); },
      [](auto& node, auto&, auto since) {
        set_condition(node, "NetworkUnavailable", "True", "", since);
        node.taints.push_back({"node.kubernetes.io/network-unavailable", "", "NoSchedule"});
      },
      [](auto& node, auto&, auto) {
        node.unschedulable = true;
        node.taints.push_back({"node.kubernetes.io/unschedulable", "", "NoSchedule"});
      },
      [](auto& node, auto&, auto) {
        node.taints.push_back({"dedicated", "db", "NoExecute"});
      },
      [](auto& node, auto&, auto) {
        node.taints.push_back({"node.cilium.io/agent-not-ready", "", "NoSchedule"});
      },
      [](auto& node, auto&, auto) {
        node.taints.push_back({"agent/not-ready", "", "NoSchedule"});
      },
      [](auto& node, auto&, auto) {
        node.taints.push_back(
            {"node.cloudprovider.kubernetes.io/uninitialized", "true", "NoSchedule"});
      },
      [](auto& node, auto&, auto) {
        node.taints.push_back({"karpenter.sh/unregistered", "", "NoExecute"});
      },
      [](auto& node, auto&, auto) {
        node.taints.push_back({"ToBeDeletedByClusterAutoscaler", "1700000900", "NoSchedule"});
      },
      [](auto& node, auto&, auto since) {
        node.taints.push_back({"karpenter.sh/disrupted", "", "NoSchedule", at(since)});
      },
      [](auto& node, auto&, auto since) {
        node.meta.deleted = at(since);
        node.meta.finalizers = {"example.com/hold"};
      },
      [](auto& node, auto& cluster, auto since) {
        model::Lease& lease = cluster.leases.emplace_back();
        lease.meta.ns = "kube-node-lease";
        lease.meta.name = node.meta.name;
        lease.renewed = at(since);
      },
      [](auto& node, auto&, auto since) {
        model::FieldManager& writer = node.meta.managers.emplace_back();
        writer.manager = "nfd-master";
        writer.operation = "Update";
        writer.time = at(since);
      },
  };
  return all;
}

using ClusterFault = std::function<void(model::Cluster&)>;

/// Faults of the whole cluster: incomplete lists, and a control plane that does not report.
const std::vector<ClusterFault>& cluster_faults() {
  static const std::vector<ClusterFault> all = {
      [](auto& cluster) {
        model::ClusterRole& role = cluster.cluster_roles.emplace_back();
        role.meta.name = "some-operator";
        role.meta.created = at(0);
      },
      [](auto& cluster) {
        for (const char* name : {"kube-controller-manager", "kube-scheduler"}) {
          model::Lease& lease = cluster.leases.emplace_back();
          lease.meta.ns = "kube-system";
          lease.meta.name = name;
          lease.holder = "cp_1";
          lease.duration = 15;
          lease.renewed = at(100);
        }
      },
      [](auto& cluster) {
        cluster.revisions.clear();
        cluster.known.revisions = false;
      },
  };
  return all;
}

model::ContainerStatus running() {
  model::ContainerStatus status;
  status.name = "main";
  status.ready = status.running = true;
  return status;
}

/// DaemonSet x/agent in a settled cluster: a ready pod on each node of pool "in", none on those of
/// pool "out".
class Settled : public dsdoctor::testing::ClusterStory {
 public:
  explicit Settled(Dice& dice) {
    cluster.known.events = true;
    cluster.all_pods_known = true;
    ds().template_fingerprint = 7;
    model::Container& main = ds().pod_template.spec.containers.emplace_back();
    main.name = "main";
    main.requests = {{"cpu", "100m"}};
    add_revision("new", 1, 7);
    if (dice.one_in(2)) {
      ds().pod_template.node_selector = {{"pool", "in"}};
      if (dice.one_in(2)) ds().pod_template.node_selector.set(feature, "true");
    } else {
      ds().pod_template.node_affinity = model::NodeSelector{{{{{"pool", "In", {"in"}}}, {}}}};
    }
    if (dice.one_in(3)) ds().pod_template.tolerations = {{"", "Exists", "", ""}};
    const std::size_t inside = 1 + dice.below(4);
    for (std::size_t i = 0; i < inside; ++i) add_inside("in-" + std::to_string(i));
  }

  void add_inside(const std::string& name) {
    model::Node& node = add_node(name);
    node.meta.created = at(0);
    node.meta.labels = {{feature, "true"}, {"pool", "in"}};
    model::Pod& pod = add_pod("agent-" + name, name);
    pod.meta.labels.set("controller-revision-hash", "new");
    pod.meta.uid = "uid-" + name;
    pod.start_time = at(0);
    pod.spec = ds().pod_template.spec;
    pod.tolerations = placement::effective_tolerations(ds().pod_template.tolerations, false);
    pod.statuses = {running()};
  }

  void add_outside(Dice& dice, const std::string& name) {
    model::Node& node = add_node(name);
    node.meta.created = at(0);
    node.meta.labels = {{"pool", dice.one_in(2) ? "out" : "other"}};
    if (dice.one_in(4)) node.meta.labels = {};
    for (std::size_t faults = dice.below(4); faults > 0; --faults) {
      dice.any_of(node_faults())(node, cluster, static_cast<std::int64_t>(dice.below(19'990)));
    }
    if (dice.one_in(2)) add_stranger(name);
  }

  /// Adds an unready pod of another workload.
  void add_stranger(const std::string& node) {
    model::Pod& pod = cluster.pods.emplace_back();
    pod.meta.ns = "y";
    pod.meta.name = "other-" + node;
    pod.meta.created = at(100);
    pod.meta.controller = model::ControllerRef{"DaemonSet", "other", "uid-2"};
    pod.node_name = node;
    pod.phase = "Pending";
    pod.conditions = {{"Ready", "False", "", "", at(100)}};
  }

  /// Sets status to the counts that the controller would have written.
  void observe() {
    const auto by_name = [](const auto& object) { return object.meta.name.view(); };
    std::ranges::sort(cluster.nodes, {}, by_name);
    std::ranges::sort(cluster.pods, {}, [](const model::Pod& pod) {
      return std::pair(pod.meta.ns.view(), pod.meta.name.view());
    });
    const diagnosis::Reporter reporter(cluster, {{}, at(long_after), {}});
    ds().reported = reporter.verdicts(ds()).evaluated.counts;
  }

  [[nodiscard]] fixes::Explanation explained() const {
    const diagnosis::Reporter reporter(cluster, {{}, at(long_after), {}});
    return fixes::explain(reporter, {&cluster.daemon_sets.front()});
  }
};

bool is_healthy(const model::DaemonSet& ds, const diagnosis::DaemonSetReport& report) {
  const model::DaemonSetCounts& counts = ds.reported;
  const std::int64_t desired = counts.desired_number_scheduled;
  return ds.observed_generation == ds.generation && counts == report.evaluated.counts &&
         counts.number_misscheduled == 0 && counts.current_number_scheduled == desired &&
         counts.number_ready == desired && counts.number_available == desired &&
         counts.updated_number_scheduled == desired &&
         std::ranges::none_of(report.nodes,
                              [](const auto& node) { return diagnosis::is_wrong(node.verdict()); });
}

/// All findings about a DaemonSet above severity Info: "id of node", one a line.
std::string blame(const diagnosis::DaemonSetReport& report) {
  std::string result;
  const auto add = [&](const auto& findings, std::string_view where) {
    for (const diagnosis::Finding& finding : findings) {
      if (finding.severity == diagnosis::Severity::Info) continue;
      result += std::string(finding.name()) + " of " + std::string(where) + "\n";
    }
  };
  add(report.findings, report.name.view());
  for (const auto& node : report.nodes) add(node.findings(), node.name.view());
  return result;
}

/// A fault that leaves an eligible node without a ready pod.
using PodFault = std::function<void(Settled&, const std::string& node)>;

model::Pod& pod_on(Settled& story, const std::string& node) {
  return *std::ranges::find_if(story.cluster.pods, [&](const model::Pod& pod) {
    return pod.meta.ns == "x" && pod.node_name == node;
  });
}

model::ContainerStatus& unready(Settled& story, const std::string& node) {
  model::Pod& pod = pod_on(story, node);
  pod.conditions = {{"PodScheduled", "True", "", "", at(0)},
                    {"Ready", "False", "ContainersNotReady", "", at(100)}};
  pod.statuses.front().ready = false;
  return pod.statuses.front();
}

void wait_because(Settled& story, const std::string& node, const char* reason) {
  model::ContainerStatus& status = unready(story, node);
  status.running = false;
  status.waiting = model::WaitingState{reason, "it does not work"};
}

const std::vector<PodFault>& pod_faults() {
  static const std::vector<PodFault> all = {
      [](auto& story, auto& node) {
        const model::Text name = pod_on(story, node).meta.name;
        std::erase_if(story.cluster.pods, [&](const auto& pod) { return pod.meta.name == name; });
      },
      [](auto& story, auto& node) {
        dsdoctor::testing::ClusterStory::unbind(pod_on(story, node), node,
                                                "0/1 nodes are available: 1 Insufficient cpu.");
      },
      [](auto& story, auto& node) {
        dsdoctor::testing::ClusterStory::unbind(pod_on(story, node), node, "");
        pod_on(story, "").conditions.clear();
      },
      [](auto& story, auto& node) {
        wait_because(story, node, "CrashLoopBackOff");
        pod_on(story, node).statuses.front().restart_count = 5;
      },
      [](auto& story, auto& node) { wait_because(story, node, "ImagePullBackOff"); },
      [](auto& story, auto& node) { wait_because(story, node, "CreateContainerConfigError"); },
      [](auto& story, auto& node) { wait_because(story, node, "ContainerCreating"); },
      [](auto& story, auto& node) { unready(story, node); },
      [](auto& story, auto& node) {
        model::Pod& pod = pod_on(story, node);
        pod.phase = "Failed";
        pod.reason = "Evicted";
        pod.conditions.clear();
        pod.statuses.clear();
      },
      [](auto& story, auto& node) {
        model::Pod& pod = pod_on(story, node);
        pod.phase = "Succeeded";
        pod.conditions = {{"Ready", "False", "PodCompleted", "", at(100)}};
      },
      [](auto& story, auto& node) {
        unready(story, node);
        pod_on(story, node).meta.deleted = at(1000);
      },
      [](auto& story, auto& node) {
        unready(story, node);
        pod_on(story, node).meta.deleted = at(1000);
        pod_on(story, node).meta.finalizers = {"example.com/hold"};
      },
      [](auto& story, auto& node) {
        unready(story, node);
        set_condition(story.node(node), "Ready", "Unknown", "", 100);
      },
      [](auto& story, auto& node) {  // the pod that replaces it crashes
        story.ds().max_surge = model::IntOrPercent{1, false};
        story.add_revision("newer", 2, 8);
        story.ds().template_fingerprint = 8;
        const model::Pod old = pod_on(story, node);
        model::Pod& successor = story.add_pod("successor", node);
        successor.spec = old.spec;
        successor.start_time = at(100);
        successor.meta.created = at(100);
        successor.meta.labels.set("controller-revision-hash", "newer");
        successor.conditions = {{"Ready", "False", "ContainersNotReady", "", at(100)}};
        model::ContainerStatus& status = successor.statuses.emplace_back(running());
        status.ready = status.running = false;
        status.restart_count = 5;
        status.waiting = model::WaitingState{"CrashLoopBackOff", "it does not work"};
      },
  };
  return all;
}

std::vector<std::string> recordings() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(DSDOCTOR_TESTDATA) / "clusters")) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  return names;
}

}  // namespace

TEST_CASE("a healthy DaemonSet is not blamed for nodes that it does not select", "[truth]") {
  for (int seed = 0; seed < seeds; ++seed) {
    Dice dice(seed);
    Settled story(dice);
    const std::size_t outside = 1 + dice.below(5);
    for (std::size_t i = 0; i < outside; ++i) story.add_outside(dice, "out-" + std::to_string(i));
    for (const ClusterFault& fault : cluster_faults()) {
      if (dice.one_in(3)) fault(story.cluster);
    }
    story.observe();
    const fixes::Explanation explanation = story.explained();
    const auto& report = explanation.daemon_sets.front().report;
    CAPTURE(seed);
    REQUIRE(is_healthy(story.ds(), report));
    CHECK(blame(report).empty());
    CHECK_FALSE(fixes::is_wrong(explanation));
    for (const auto& node : report.nodes) CHECK_FALSE(diagnosis::is_wrong(node));
  }
}

TEST_CASE("a healthy DaemonSet of a recording is not blamed", "[truth]") {
  std::size_t healthy = 0;
  for (const std::string& name : recordings()) {
    const model::Cluster cluster = testing::recorded_cluster(name);
    const diagnosis::Reporter reporter(
        cluster, {{}, model::Time(std::chrono::seconds(1'795'228'800)), nullptr});
    for (const model::DaemonSet& ds : cluster.daemon_sets) {
      const auto report = reporter.report(ds);
      if (!is_healthy(ds, report)) continue;
      ++healthy;
      CAPTURE(name, ds.meta.name.str());
      CHECK(blame(report).empty());
    }
  }
  CHECK(healthy > 5);
}

TEST_CASE("every answer reports an eligible node without a ready pod", "[truth]") {
  for (int seed = 0; seed < seeds; ++seed) {
    Dice dice(seed);
    Settled story(dice);
    const std::size_t fault = dice.below(pod_faults().size());
    pod_faults()[fault](story, "in-0");
    for (std::size_t i = dice.below(3); i > 0; --i) {
      story.add_outside(dice, "out-" + std::to_string(i));
    }
    story.observe();
    CAPTURE(seed, fault);
    CHECK(fixes::is_wrong(story.explained()));
  }
}
