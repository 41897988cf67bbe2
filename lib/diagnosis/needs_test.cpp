#include "diagnosis/needs.h"

#include <catch2/catch.hpp>
#include <string>

#include "diagnosis/reporter.h"
#include "testing/cluster_story.h"

namespace dsdoctor::diagnosis {
namespace {

using dsdoctor::testing::at;

const model::Time now = at(10'000);

/// `nodes` nodes; one DaemonSet, whose pods on the first `pending` of them are not bound.
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

TEST_CASE("where all is well, nothing more is read", "[needs]") {
  CHECK(needs(cluster_of(200, 0)).empty());
}

TEST_CASE("pending pods need the pods of their own nodes alone", "[needs]") {
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

TEST_CASE(
    "a node that has been leaving for long needs its pods, whose grace periods tell whether it "
    "should be gone",
    "[needs]") {
  auto cluster = cluster_of(30, 0);
  for (model::Node& node : cluster.nodes) {
    node.taints = {{"karpenter.sh/disrupted", "", "NoSchedule", now - std::chrono::minutes(31)}};
  }
  cluster.nodes[1].meta.deleted = now - std::chrono::hours(1);
  cluster.nodes[2].taints[0].time_added = now - std::chrono::minutes(29);
  CHECK(needs(cluster).crowded_nodes.size() == 30);
  SECTION("where no pod is left that has to go, before that nothing follows from them") {
    cluster.pods.clear();
    CHECK(needs(cluster).crowded_nodes.size() == 29);
    CHECK_FALSE(needs(cluster).crowded_nodes.contains("n10002"));
  }
  SECTION("not where the pod is as it should be, which no removal changes") {
    cluster.daemon_sets[0].pod_template.tolerations = {{"", "Exists", "", "", std::nullopt}};
    CHECK(needs(cluster).crowded_nodes.empty());
  }
  SECTION("nor where no pod is ever to be") {
    cluster.pods.clear();
    cluster.daemon_sets[0].pod_template.node_selector = {{"gpu", "true"}};
    CHECK(needs(cluster).crowded_nodes.empty());
  }
  SECTION("those that are asked for, whichever they are") {
    const auto query = needs(cluster, [](const auto& node) { return node.meta.name == "n10025"; });
    CHECK(query.crowded_nodes == std::set<std::string>{"n10025"});
  }
  SECTION("nodes that leave do not keep others from being looked at") {
    cluster.nodes[3].taints = {{"node.cilium.io/agent-not-ready", "", "NoExecute"},
                               {"ebs.csi.aws.com/agent-not-ready", "", "NoExecute"}};
    CHECK(needs(cluster).crowded_nodes.contains("n10003"));
  }
}

TEST_CASE("who holds the port of a node may be a pod of another namespace", "[needs]") {
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

TEST_CASE("without pods the namespace tells of the node selector that it adds", "[needs]") {
  auto cluster = cluster_of(3, 0);
  cluster.daemon_sets[0].reported.desired_number_scheduled = 2;
  CHECK(needs(cluster).namespaces.empty());
  cluster.pods.clear();
  cluster.pods_known = false;
  CHECK(needs(cluster).namespaces == std::set<std::string>{"x"});
}

TEST_CASE("who may have to move a pod asks for PodDisruptionBudgets", "[needs]") {
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

TEST_CASE("an extended resource that a pending pod's node lacks may be a DeviceClass's",
          "[needs]") {
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

TEST_CASE("silent nodes need their own leases, twenty at most", "[needs]") {
  auto cluster = cluster_of(50, 30);
  for (std::size_t i = 0; i < 50; ++i) {
    model::Node& node = cluster.nodes[i];
    node.conditions = {{"Ready", "True", "", "", model::Time()}};
    if (i == 3 || i == 4 || i == 40) node.conditions[0].status = "Unknown";
  }
  // Nothing is wrong with the DaemonSet on the last one; that it does not report is told all the
  // same.
  CHECK(needs(cluster).node_leases == std::set<std::string>{"n10003", "n10004", "n10040"});
  for (model::Node& node : cluster.nodes) node.conditions[0].status = "Unknown";
  CHECK(needs(cluster).node_leases.size() == 20);
}

TEST_CASE("revisions that an earlier DaemonSet left lead to its pods", "[needs]") {
  auto cluster = cluster_of(2, 0);
  model::DaemonSet& ds = cluster.daemon_sets[0];
  ds.meta.uid = "new";
  model::ControllerRevision& revision = cluster.revisions.emplace_back();
  revision.meta.ns = ds.meta.ns;
  revision.meta.name = "agent-abc";
  revision.meta.labels = {{"app", "of-before"}, {"controller-revision-hash", "abc"}};
  CHECK(needs(cluster).former_pods == std::set<model::ObjectKey>{{"x", "abc"}});
  SECTION("not those of a DaemonSet whose name is longer") {
    revision.meta.name = "agent-x-abc";
    CHECK(needs(cluster).former_pods.empty());
  }
  SECTION("nor what the selector finds anyway") {
    revision.meta.labels = ds.pod_template.labels;
    revision.meta.labels.set("controller-revision-hash", "abc");
    CHECK(needs(cluster).former_pods.empty());
  }
}

TEST_CASE("who takes off the startup taints of several agents may be anywhere", "[needs]") {
  auto cluster = cluster_of(2, 0);
  model::Node& node = cluster.nodes[1];
  node.taints = {{"node.cilium.io/agent-not-ready", "", "NoExecute"}};
  CHECK_FALSE(needs(cluster).every_daemon_set);  // of one agent: nothing it could wait for
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

TEST_CASE("a snapshot needs what any later question could ask for", "[needs]") {
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
  CHECK(query.node_managers.empty());  // of tainted nodes the list has told who set the taint
  CHECK(query.crowded_nodes.size() == 300);
  CHECK(query.node_leases.empty());
  cluster.nodes.back().conditions = {{"Ready", "Unknown", "", "", model::Time()}};
  CHECK(everything_about(cluster, {&cluster.daemon_sets[0]},
                         {reporter.report(cluster.daemon_sets[0])})
            .node_leases == std::set<std::string>{"n10299"});
}

}  // namespace dsdoctor::diagnosis
