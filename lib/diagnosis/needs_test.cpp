// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/needs.h"

#include <catch2/catch.hpp>
#include <string>

#include "diagnosis/reporter.h"
#include "testing/cluster_story.h"

namespace dsdoctor::diagnosis {
namespace {

using dsdoctor::testing::at;

const model::Time now = at(10'000);

/// A cluster with `nodes` nodes and a DaemonSet whose pods for the first `pending` nodes are not
/// bound.
model::Cluster cluster_of(std::size_t nodes, std::size_t pending) {
  dsdoctor::testing::ClusterStory story;
  story.ds().pod_template.spec.priority_class = "high";
  const auto count = static_cast<std::int64_t>(nodes);
  const auto ready = count - static_cast<std::int64_t>(pending);
  story.ds().reported = {count, count, 0, ready, ready, count};
  for (std::size_t i = 0; i < nodes; ++i) {
    const std::string name = "n" + std::to_string(10'000 + i);
    story.add_node(name);
    model::Pod& pod = story.add_pod("agent-" + name, name);
    if (i < pending) {
      story.unbind(pod, name, "");
      pod.conditions.clear();
    }
  }
  return story.cluster;
}

model::DetailQuery needs(const model::Cluster& cluster,
                         const std::function<bool(const model::Node&)>& is_asked = nullptr) {
  ReportOptions options;
  options.diagnoses = false;
  const Reporter reporter(cluster, options);
  std::vector<const model::DaemonSet*> asked;
  std::vector<DaemonSetReport> reports;
  for (const model::DaemonSet& ds : cluster.daemon_sets) {
    asked.push_back(&ds);
    reports.push_back(reporter.report(ds));
  }
  return needs_of(cluster, asked, reports, {now, is_asked});
}

}  // namespace

TEST_CASE("nothing more is read without problems", "[needs]") {
  CHECK(needs(cluster_of(200, 0)).empty());
}

TEST_CASE("pending pods need only the pods of their own nodes", "[needs]") {
  auto cluster = cluster_of(5000, 300);
  const auto query = needs(cluster);
  CHECK(query.crowded_nodes.size() == 300);
  CHECK(query.crowded_nodes.contains("n10299"));
  CHECK_FALSE(query.crowded_nodes.contains("n10300"));
  CHECK(query.daemon_set_events == std::set<model::ObjectKey>{{"x", "agent"}});
  CHECK(query.pod_event_namespaces == std::set<std::string>{"x"});
  CHECK(query.priority_classes == std::set<std::string>{"high"});
  CHECK_FALSE(query.every_priority_class);
  CHECK(query.leases);
  CHECK_FALSE(query.roles);
  CHECK(query.nominated_pods);
  cluster.all_pods_known = true;
  CHECK(needs(cluster).crowded_nodes.empty());
  CHECK_FALSE(needs(cluster).nominated_pods);
}

TEST_CASE("pods that wait for their kubelet where a DaemonSet is missing need their events",
          "[needs]") {
  auto cluster = cluster_of(3, 0);
  cluster.all_pods_known = true;
  model::Pod pod = cluster.pods.front();
  pod.meta.ns = "db";
  pod.meta.name = "db-0";
  pod.meta.controller = model::ControllerRef{"StatefulSet", "db", "sts", "apps/v1"};
  pod.phase = "Pending";
  pod.start_time = now - std::chrono::seconds(90);
  cluster.pods.insert(cluster.pods.begin(), pod);
  CHECK(needs(cluster).empty());  // the DaemonSet has a pod there
  cluster.daemon_sets[0].pod_template.node_selector = {{"disk", "ssd"}};
  cluster.pods.erase(cluster.pods.begin() + 1);
  CHECK(needs(cluster).pod_event_namespaces.contains("db"));
  SECTION("not if the pod has just started") { cluster.pods[0].start_time = now; }
  SECTION("not if it runs") { cluster.pods[0].phase = "Running"; }
  SECTION("not if other pods were not read") { cluster.all_pods_known = false; }
  CHECK_FALSE(needs(cluster).pod_event_namespaces.contains("db"));
}

TEST_CASE("a node whose removal takes long needs its pods because of their grace periods",
          "[needs]") {
  auto cluster = cluster_of(30, 0);
  for (model::Node& node : cluster.nodes) {
    node.taints = {{"karpenter.sh/disrupted", "", "NoSchedule", now - std::chrono::minutes(31)}};
  }
  cluster.nodes[1].meta.deleted = now - std::chrono::hours(1);
  cluster.nodes[2].taints[0].time_added = now - std::chrono::minutes(29);
  CHECK(needs(cluster).crowded_nodes.size() == 30);
  SECTION("a node without a pod of the DaemonSet needs them only after the time for a drain") {
    cluster.pods.clear();
    CHECK(needs(cluster).crowded_nodes.size() == 29);
    CHECK_FALSE(needs(cluster).crowded_nodes.contains("n10002"));
  }
  SECTION("a node with a correctly placed pod does not need them") {
    cluster.daemon_sets[0].pod_template.tolerations = {{"", "Exists", "", "", std::nullopt}};
    CHECK(needs(cluster).crowded_nodes.empty());
  }
  SECTION("a node that is not eligible does not need them") {
    cluster.pods.clear();
    cluster.daemon_sets[0].pod_template.node_selector = {{"gpu", "true"}};
    CHECK(needs(cluster).crowded_nodes.empty());
  }
  SECTION("only selected nodes need them") {
    const auto query = needs(cluster, [](const auto& node) { return node.meta.name == "n10025"; });
    CHECK(query.crowded_nodes == std::set<std::string>{"n10025"});
  }
  SECTION("nodes that are being removed do not use the limit of other nodes") {
    cluster.nodes[3].taints = {{"node.cilium.io/agent-not-ready", "", "NoExecute"},
                               {"ebs.csi.aws.com/agent-not-ready", "", "NoExecute"}};
    CHECK(needs(cluster).crowded_nodes.contains("n10003"));
  }
}

TEST_CASE("a port conflict needs all pods of the node", "[needs]") {
  auto cluster = cluster_of(3, 0);
  cluster.pods[1].host_network = true;
  cluster.pods[1].conditions = {{"Ready", "False", "", "", model::Time()}};
  model::ContainerStatus& status = cluster.pods[1].statuses.emplace_back();
  status.last_terminated.emplace().message = "listen tcp :9100: bind: address already in use";
  CHECK(needs(cluster).crowded_nodes == std::set<std::string>{"n10001"});
  status.last_terminated->message = "java.net.BindException: Address already in use";
  CHECK(needs(cluster).crowded_nodes == std::set<std::string>{"n10001"});
  status.last_terminated->message = "panic";
  CHECK(needs(cluster).crowded_nodes.empty());
}

TEST_CASE("the namespace is needed for its node selector if no pods were read", "[needs]") {
  auto cluster = cluster_of(3, 0);
  cluster.daemon_sets[0].reported.desired_number_scheduled = 2;
  CHECK(needs(cluster).namespaces.empty());
  cluster.pods.clear();
  cluster.pods_known = false;
  CHECK(needs(cluster).namespaces == std::set<std::string>{"x"});
}

TEST_CASE("a pod without a free slot needs PodDisruptionBudgets", "[needs]") {
  auto cluster = cluster_of(3, 1);
  CHECK_FALSE(needs(cluster).disruption_budgets);
  const auto says = [&](const char* message) {
    for (model::Pod& pod : cluster.pods) {
      pod.conditions = {{"PodScheduled", "False", "Unschedulable", message, model::Time()}};
    }
    return needs(cluster).disruption_budgets;
  };
  CHECK(says("0/3 nodes are available: 1 Too many pods."));
  CHECK_FALSE(says("0/3 nodes are available: 1 Insufficient cpu."));
}

TEST_CASE("an extended resource that the node does not have needs DeviceClasses", "[needs]") {
  auto cluster = cluster_of(3, 1);
  model::PodSpec& spec = cluster.daemon_sets[0].pod_template.spec;
  spec.containers.resize(1);
  spec.containers[0].limits = {{"cpu", "1"}, {"example.com/gpu", "1"}};
  CHECK(needs(cluster).device_classes);
  cluster.version = model::ServerVersion{1, 33, 0, "v1.33.0"};
  CHECK_FALSE(needs(cluster).device_classes);
  cluster.version->minor = 34;
  CHECK(needs(cluster).device_classes);
  cluster.nodes[0].allocatable.set("example.com/gpu", "0");
  CHECK(needs(cluster).device_classes);
  cluster.nodes[0].allocatable.set("example.com/gpu", "1");
  CHECK_FALSE(needs(cluster).device_classes);
}

TEST_CASE("pods that name a ResourceClaim need the taints of devices", "[needs]") {
  auto cluster = cluster_of(3, 1);
  CHECK(needs(cluster).claim_namespaces.empty());
  model::PodSpec& spec = cluster.daemon_sets[0].pod_template.spec;
  spec.resource_claims = {{"gpu", "", "gpus"}};
  CHECK(needs(cluster).claim_namespaces == std::set<std::string>{"x"});
  cluster.version = model::ServerVersion{1, 33, 9, "v1.33.9"};
  CHECK(needs(cluster).claim_namespaces.empty());
  cluster.version->minor = 37;
  CHECK(needs(cluster).claim_namespaces == std::set<std::string>{"x"});
  // Nothing is read while all pods run.
  CHECK(needs(cluster_of(3, 0)).claim_namespaces.empty());
}

TEST_CASE("at most 20 nodes that do not report need their own leases", "[needs]") {
  auto cluster = cluster_of(50, 30);
  for (std::size_t i = 0; i < 50; ++i) {
    model::Node& node = cluster.nodes[i];
    node.conditions = {{"Ready", "True", "", "", model::Time()}};
    if (i == 3 || i == 4 || i == 40) node.conditions[0].status = "Unknown";
  }
  // The DaemonSet has no problem on the last node, but the node that does not report is a finding
  // nevertheless.
  CHECK(needs(cluster).node_leases == std::set<std::string>{"n10003", "n10004", "n10040"});
  for (model::Node& node : cluster.nodes) node.conditions[0].status = "Unknown";
  CHECK(needs(cluster).node_leases.size() == 20);
}

TEST_CASE("revisions of an earlier DaemonSet need its pods", "[needs]") {
  auto cluster = cluster_of(2, 0);
  model::DaemonSet& ds = cluster.daemon_sets[0];
  ds.meta.uid = "new";
  model::ControllerRevision& revision = cluster.revisions.emplace_back();
  revision.meta.ns = ds.meta.ns;
  revision.meta.name = "agent-abc";
  revision.meta.labels = {{"app", "of-before"}, {"controller-revision-hash", "abc"}};
  CHECK(needs(cluster).former_pods == std::set<model::ObjectKey>{{"x", "abc"}});
  SECTION("revisions of a DaemonSet with a longer name do not count") {
    revision.meta.name = "agent-x-abc";
    CHECK(needs(cluster).former_pods.empty());
  }
  SECTION("pods that the selector matches are not needed again") {
    revision.meta.labels = ds.pod_template.labels;
    revision.meta.labels.set("controller-revision-hash", "abc");
    CHECK(needs(cluster).former_pods.empty());
  }
}

TEST_CASE("startup taints of several agents need the DaemonSets of all namespaces", "[needs]") {
  auto cluster = cluster_of(2, 0);
  model::Node& node = cluster.nodes[1];
  node.taints = {{"node.cilium.io/agent-not-ready", "", "NoExecute"}};
  CHECK_FALSE(needs(cluster).every_daemon_set);  // a single agent has no other one to wait for
  node.taints.push_back({"ebs.csi.aws.com/agent-not-ready", "", "NoExecute"});
  const auto query = needs(cluster);
  CHECK(query.every_daemon_set);
  CHECK(query.crowded_nodes == std::set<std::string>{"n10001"});
  cluster.known.every_daemon_set = true;
  CHECK_FALSE(needs(cluster).every_daemon_set);
}

TEST_CASE("a controller that lags needs the roles", "[needs]") {
  auto cluster = cluster_of(3, 0);
  cluster.daemon_sets[0].generation = 2;
  CHECK(needs(cluster).roles);
}

TEST_CASE("a snapshot needs everything that a later diagnosis may use", "[needs]") {
  auto cluster = cluster_of(300, 0);
  for (model::Node& node : cluster.nodes) node.taints = {{"x", "", "PreferNoSchedule"}};
  cluster.daemon_sets[0].pod_template.spec.volumes = {
      {"data", "persistentVolumeClaim", "shared", false, false}};
  const Reporter reporter(cluster, {{}, {}, nullptr});
  const auto query = everything_about(cluster, {&cluster.daemon_sets[0]},
                                      {reporter.report(cluster.daemon_sets[0])});
  CHECK(query.daemon_set_event_namespaces == std::set<std::string>{"x"});
  CHECK(query.pod_event_namespaces == std::set<std::string>{"x"});
  CHECK(query.every_node_event);
  CHECK(query.every_priority_class);
  CHECK(query.leases);
  CHECK(query.roles);
  CHECK(query.namespaces == std::set<std::string>{"x"});
  CHECK(query.admission_namespaces == std::set<std::string>{"x"});
  CHECK(query.claims == std::set<model::ObjectKey>{{"x", "shared"}});
  CHECK(query.service_accounts == std::set<model::ObjectKey>{{"x", "default"}});
  CHECK(query.node_managers.empty());  // the list of nodes has those of tainted nodes
  CHECK(query.crowded_nodes.size() == 300);
  CHECK(query.node_leases.empty());
  cluster.nodes.back().conditions = {{"Ready", "Unknown", "", "", model::Time()}};
  CHECK(everything_about(cluster, {&cluster.daemon_sets[0]},
                         {reporter.report(cluster.daemon_sets[0])})
            .node_leases == std::set<std::string>{"n10299"});
}

TEST_CASE("PodGroups are read only if a pending pod names one", "[needs]") {
  auto cluster = cluster_of(3, 1);
  CHECK(needs(cluster).pod_groups.empty());
  const auto name = [](model::Pod& pod) {
    model::PodSpec spec = *pod.spec;
    spec.pod_group = "agents";
    pod.spec = spec;
  };
  name(cluster.pods[1]);  // is bound
  CHECK(needs(cluster).pod_groups.empty());
  name(cluster.pods[0]);
  CHECK(needs(cluster).pod_groups == std::set<model::ObjectKey>{{"x", "agents"}});
  SECTION("or for a snapshot if the template names one") {
    cluster = cluster_of(3, 0);
    const auto all = [&] {
      return everything_about(cluster, {&cluster.daemon_sets[0]}, {}).pod_groups;
    };
    CHECK(all().empty());
    cluster.daemon_sets[0].pod_template.spec.pod_group = "later";
    CHECK(all() == std::set<model::ObjectKey>{{"x", "later"}});
  }
}

}  // namespace dsdoctor::diagnosis
