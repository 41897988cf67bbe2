#include "diagnosis/causes/pending/pending.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/test_fix.h"
#include "placement/tolerates.h"
#include "testing/cluster_story.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using dsdoctor::testing::at;
using model::Time;

namespace {

using Strings = std::vector<std::string>;

model::Container container(model::Labels requests) {
  model::Container result;
  result.name = "app";
  result.requests = std::move(requests);
  return result;
}

/// DaemonSet x/agent with an unbound pod for node n, created at 0; it is 1000 s later. The node
/// offers 4 cpu, 8Gi and 31 pods.
class Story : public dsdoctor::testing::ClusterStory {
 public:
  Story() {
    model::Node& node = add_node("n");
    node.meta.labels = {{"kubernetes.io/hostname", "n"}};
    node.allocatable = {{"cpu", "4"}, {"memory", "8Gi"}, {"pods", "31"}};
    cluster.all_pods_known = true;
    pod = add_pod("agent-1", "n");
    cluster.pods.clear();  // it is not among those that were read
    pod.meta.uid = "uid-pod";
    unbind(pod, "n", "");
    pod.conditions.clear();
    pod.tolerations = placement::automatic_tolerations(false);
    spec.containers = {container({})};
  }

  model::Node& node() { return cluster.nodes.front(); }

  /// A pod that runs on the node.
  model::Pod& neighbour(const char* name, model::Labels requests = {}, std::int64_t priority = 0) {
    model::Pod& other = add_pod(name, "n");
    other.meta.ns = "big";
    other.meta.labels = {};
    other.meta.controller.reset();
    model::PodSpec its;
    its.containers = {container(std::move(requests))};
    its.priority = priority;
    other.spec = its;
    return other;
  }
  void neighbours(int count) {
    for (int i = 0; i < count; ++i) neighbour(("web-" + std::to_string(i)).c_str());
  }

  void says(const std::string& message) {
    pod.conditions = {{"PodScheduled", "False", "Unschedulable", message, at(1)}};
  }

  std::vector<Finding> findings() {
    return judge([&](const NodeCase& c) { return pending_findings(c, pod); });
  }
  std::vector<Finding> predicted() {
    return judge([](const NodeCase& c) { return PodPrediction(c.of).findings(c); });
  }
  template <typename Judge>
  std::vector<Finding> judge(Judge how) {
    pod.spec = spec;
    const Facts facts(cluster, now);
    const ControllerBehaviour behaviour = behaviour_of(cluster.version);
    const PodIndex::Claimed claimed;
    const TemplateRevision revision(ds(), cluster);
    const DaemonSetReport report;
    const std::vector<const model::Pod*> lost;
    const DaemonSetCase of{ds(), facts, behaviour, claimed, lost, revision, report, {}};
    const std::vector<const model::Pod*> pods = {&pod};
    const OwnNodeReport entry;
    return how(NodeCase{of, node(), pods, entry});
  }
  Strings ids() {
    Strings result;
    for (const Finding& finding : findings()) result.emplace_back(finding.name());
    return result;
  }
  Finding finding(std::string_view id) {
    for (const Finding& finding : findings()) {
      if (finding.name() == id) return finding;
    }
    FAIL("no finding " << id);
    return {};
  }

  model::Pod pod = {};
  model::PodSpec spec = {};
  Time now = at(1000);
};

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::string words_for_one(const std::string& reason) {
  return "0/9 nodes are available: 1 " + reason +
         ", 8 node(s) didn't satisfy plugin(s) [NodeAffinity]. no new claims to deallocate, "
         "preemption: 0/9 nodes are available: 9 Preemption is not helpful for scheduling.";
}

}  // namespace

TEST_CASE("a pod that fits has nothing in its way", "[pending]") {
  Story story;
  story.spec.containers = {container({{"cpu", "1"}, {"memory", "1Gi"}})};
  story.neighbour("web", {{"cpu", "3"}});
  story.pod.meta.created = at(900);
  CHECK(story.ids() == Strings{"scheduler-waiting"});
  CHECK(story.finding("scheduler-waiting").transient);
  story.now = at(5000);  // nothing was ever said: the scheduler's own findings are others'
  CHECK(story.ids().empty());
}

TEST_CASE("too many pods", "[pending]") {
  Story story;
  story.neighbours(31);
  for (const char* name : {"done-1", "done-2"}) story.neighbour(name).phase = "Succeeded";
  const Finding finding = story.finding("sched-too-many-pods");
  CHECK(holds(finding.message,
              "Too many pods: n runs 31 pods, its limit is 31 (0 terminating, 0 static, 0 "
              "from DaemonSets, 0 "
              "of lower priority than 0)"));
  CHECK(finding.severity == Severity::Error);
  CHECK(finding.basis == Basis::Recomputed);
  CHECK(finding.standing == Standing::Also);
  CHECK(story.ids() == Strings{"sched-too-many-pods", "preempt-no-victims"});

  SECTION("the scheduler says the same") {
    story.says(words_for_one("Too many pods"));
    CHECK(story.finding("sched-too-many-pods").basis == Basis::Confirmed);
  }
  SECTION("one of them is terminating") {
    story.cluster.pods[0].meta.deleted = at(1010);
    const Finding clearing = story.finding("sched-too-many-pods");
    CHECK(clearing.severity == Severity::Warning);
    CHECK(clearing.transient);
    CHECK(holds(clearing.message, "1 terminating"));
    story.now = at(2000);
    CHECK(story.finding("sched-too-many-pods").severity == Severity::Error);
    CHECK_FALSE(story.finding("sched-too-many-pods").transient);
  }
  SECTION("owners are counted, and one pod that can move is named in the fix") {
    for (int i = 0; i < 20; ++i) {
      auto& pod = story.cluster.pods[static_cast<std::size_t>(i)];
      pod.meta.controller = model::ControllerRef{"ReplicaSet", "web-5d9", "u"};
      pod.meta.labels = {{"pod-template-hash", "5d9"}};
    }
    const Finding owned = story.finding("sched-too-many-pods");
    CHECK(holds(owned.message, "most: ReplicaSet big/web-5d9 × 20, pods without an owner × 11"));
    const std::string& first = story.cluster.pods[0].meta.name.str();
    CHECK(holds(remedy(owned), "kubectl delete pod " + first));
    CHECK_FALSE(holds(remedy(owned), "drain"));
    // Of higher priority than the pod that waits: nothing is offered.
    for (auto& pod : story.cluster.pods) {
      model::PodSpec spec = *pod.spec;
      spec.priority = 10;
      pod.spec = spec;
    }
    CHECK_FALSE(holds(remedy(story.finding("sched-too-many-pods")), "kubectl delete"));
  }
  SECTION("a pod that may be evicted is named") {
    const auto owned = [&](std::size_t i, const char* kind, const char* name, bool ready) {
      auto& pod = story.cluster.pods[i];
      pod.meta.controller = model::ControllerRef{kind, name, "u"};
      pod.meta.labels = {{"app", name}};
      if (ready) pod.conditions = {{"Ready", "True", "", "", at(0)}};
    };
    const auto fix = [&] { return remedy(story.finding("sched-too-many-pods")); };
    owned(0, "ReplicaSet", "pay", true);
    owned(1, "StatefulSet", "web", true);
    CHECK(holds(fix(), "kubectl delete pod web-0 --namespace big"));
    CHECK(holds(fix(), "kubectl get poddisruptionbudgets --namespace big"));
    // Others of its controller keep running.
    owned(2, "StatefulSet", "web", true);
    CHECK(holds(fix(), "kubectl delete pod web-1 --namespace big"));
    story.cluster.known.disruption_budgets = true;
    CHECK_FALSE(holds(fix(), "poddisruptionbudgets"));
    const auto add_budget = [&](const char* app, std::int64_t allowed) {
      auto& budget = story.cluster.disruption_budgets.emplace_back();
      budget.meta.ns = "big";
      budget.meta.name = std::string("of-") + app;
      budget.selector = model::LabelSelector{{{"app", app}}, {}};
      budget.disruptions_allowed = allowed;
    };
    add_budget("web", 0);
    CHECK(holds(fix(), "kubectl delete pod web-0 --namespace big"));
    add_budget("pay", 0);
    CHECK(holds(fix(), "PodDisruptionBudget of-web allows no disruption"));
    CHECK_FALSE(holds(fix(), "kubectl cordon"));
    story.cluster.disruption_budgets[0].disruptions_allowed = 1;
    CHECK(holds(fix(), "kubectl delete pod web-1 --namespace big"));
    add_budget("web", 1);  // the eviction API refuses a pod of two budgets
    CHECK_FALSE(holds(fix(), "kubectl delete"));
    story.cluster.disruption_budgets[2].meta.ns = "other";
    CHECK(holds(fix(), "kubectl delete pod web-1 --namespace big"));
    story.cluster.disruption_budgets[2].meta.ns = "big";
    story.cluster.disruption_budgets[2].selector.reset();  // selects nothing
    CHECK(holds(fix(), "kubectl delete pod web-1 --namespace big"));
  }
  SECTION("without any capacity") {
    story.node().allocatable = {};
    CHECK(holds(story.finding("sched-too-many-pods").message,
                "Too many pods: the pod limit of n is 0"));
    CHECK(remedy(story.finding("sched-too-many-pods")).empty());
  }
  SECTION("a young pod is only spoken of") {
    story.pod.meta.created = at(980);
    CHECK(story.finding("sched-too-many-pods").severity == Severity::Info);
    story.pod.meta.created = at(0);
    story.node().meta.created = at(950);
    CHECK(story.finding("sched-too-many-pods").severity == Severity::Info);
  }
}

TEST_CASE("resources", "[pending]") {
  Story story;
  story.spec.containers = {container({{"cpu", "2"}, {"memory", "6Gi"}})};
  story.neighbour("web", {{"cpu", "2500m"}, {"memory", "3Gi"}});
  CHECK(story.ids() ==
        Strings{"sched-insufficient-cpu", "sched-insufficient-memory", "preempt-no-victims"});
  const Finding cpu = story.finding("sched-insufficient-cpu");
  CHECK(cpu.message == "Insufficient cpu: requested 2 cpu, free 1.5 of 4; largest: big/web 2.5");
  CHECK(cpu.group == "2 cpu");
  CHECK(story.finding("sched-insufficient-memory").group == "6Gi memory");

  SECTION("an over-committed node blocks only what is requested") {
    story.cluster.pods[0].spec = story.spec;
    story.node().allocatable.set("cpu", "1");
    story.spec.containers = {container({})};
    CHECK(story.ids().empty());
    story.spec.containers = {container({{"cpu", "100m"}})};
    CHECK(holds(story.finding("sched-insufficient-cpu").message,
                "free 0 of 1000m (other pods request 2000m)"));
  }
  SECTION("a request beyond the whole node") {
    story.node().capacity = {{"memory", "12Gi"}};
    story.spec.containers = {container({{"memory", "70Gi"}})};
    CHECK(story.ids() ==
          Strings{"sched-never-fits", "sched-insufficient-memory", "preempt-unhelpful"});
    CHECK(holds(story.finding("sched-never-fits").message,
                "70Gi memory, the node has 8Gi (capacity 12Gi minus reserved)"));
    story.says(words_for_one("Insufficient memory"));
    CHECK(story.finding("sched-never-fits").basis == Basis::Confirmed);
  }
  SECTION("unusable quantities are named") {
    story.node().allocatable.set("memory", "1x");
    const Finding memory = story.finding("sched-insufficient-memory");
    CHECK(std::ranges::find(memory.evidence, "status.allocatable[memory]: 1x") !=
          memory.evidence.end());
  }
  SECTION("ephemeral storage and huge pages") {
    story.spec.containers = {container({{"ephemeral-storage", "1Gi"}, {"hugepages-2Mi", "4Mi"}})};
    story.node().allocatable.set("ephemeral-storage", "1Mi");
    CHECK(story.ids() == Strings{"sched-never-fits", "sched-insufficient-ephemeral-storage",
                                 "sched-insufficient-hugepages", "preempt-unhelpful"});
  }
}

TEST_CASE("extended resources", "[pending]") {
  Story story;
  story.spec.containers = {container({{"example.com/gpu", "1"}})};
  CHECK(holds(story.finding("sched-insufficient-extended").message, "no device plugin"));
  CHECK(holds(remedy(story.finding("sched-insufficient-extended")), "device plugin runs"));
  story.node().allocatable.set("example.com/gpu", "0");
  CHECK(holds(story.finding("sched-insufficient-extended").message, "reports no healthy device"));
  story.node().allocatable.set("example.com/gpu", "1");
  story.neighbour("trainer", {{"example.com/gpu", "1"}});
  CHECK(holds(story.finding("sched-insufficient-extended").message, "largest: big/trainer 1"));
  CHECK(remedy(story.finding("sched-insufficient-extended"))
            .starts_with("wait until pods that hold the resource end"));
  story.says(words_for_one("Insufficient example.com/gpu"));
  CHECK(story.finding("sched-insufficient-extended").basis == Basis::Confirmed);
  // The scheduler may be told to leave such a resource aside.
  story.says(words_for_one("the licence server said no"));
  CHECK(story.ids() == Strings{"scheduler-disagrees"});
}

TEST_CASE("taints come before resources, whatever is short", "[pending]") {
  Story story;
  story.ds().pod_template.tolerations = {{"team", "Exists", "", ""}};
  story.node().taints = {{"team", "a", "NoSchedule"}, {"soft", "", "PreferNoSchedule"}};
  story.spec.containers = {container({{"cpu", "2"}, {"memory", "6Gi"}})};
  story.neighbour("web", {{"cpu", "3"}, {"memory", "3Gi"}});
  CHECK(story.ids() == Strings{"sched-taint", "sched-insufficient-cpu", "sched-insufficient-memory",
                               "preempt-unhelpful"});
  const Finding taint = story.finding("sched-taint");
  CHECK(holds(taint.message, "the template tolerates it, so something changed the pod"));
  CHECK(taint.group == "team:NoSchedule=a");
  story.node().taints = {{"ToBeDeletedByClusterAutoscaler", "1601646271", "NoSchedule"}};
  CHECK(story.finding("sched-taint").group == "ToBeDeletedByClusterAutoscaler:NoSchedule");
}

TEST_CASE("a toleration that ends does not keep the pod off", "[pending]") {
  Story story;
  story.node().taints = {{"maint", "", "NoExecute"}};
  story.pod.tolerations =
      std::vector<model::Toleration>{{"", "Exists", "", "NoExecute", std::int64_t{300}}};
  CHECK(story.ids().empty());
}

TEST_CASE("a cordon matters only to a pod that lost its toleration", "[pending]") {
  Story story;
  story.node().unschedulable = true;
  story.node().taints = {{"node.kubernetes.io/unschedulable", "", "NoSchedule"}};
  CHECK(story.ids().empty());
  story.pod.tolerations = std::vector<model::Toleration>{};
  CHECK(story.ids() == Strings{"sched-unschedulable", "preempt-unhelpful"});
}

TEST_CASE("selectors", "[pending]") {
  Story story;
  story.pod.node_selector = {{"pool", "infra"}};
  const Finding finding = story.finding("sched-node-selector");
  CHECK(finding.group == "pool=infra");
  CHECK(holds(finding.message, "n has no such label"));
  CHECK(holds(finding.message, "it is not in the template"));
  story.ds().pod_template.node_selector = {{"pool", "infra"}};
  CHECK_FALSE(holds(story.finding("sched-node-selector").message, "the template does not"));
  story.node().meta.labels.set("pool", "infra");
  CHECK(story.ids().empty());
  story.pod.node_affinity->terms[0].match_expressions = {{"gpu", "Exists", {}}};
  CHECK(holds(story.finding("sched-node-selector").message,
              "requires gpu Exists (n has no such label)"));
}

TEST_CASE("host ports name their holder", "[pending]") {
  Story story;
  story.spec.containers[0].ports = {{9100, 9100, "TCP", ""}};
  model::Pod& holder = story.neighbour("exporter");
  model::PodSpec spec;
  spec.containers = {container({})};
  spec.containers[0].ports = {{9100, 9100, "TCP", "10.0.0.5"}};
  holder.spec = spec;
  CHECK(story.ids() == Strings{"sched-host-port", "preempt-no-victims"});
  CHECK(story.finding("sched-host-port").message ==
        "host port conflict: 9100/TCP on 0.0.0.0 of n is held by big/exporter (a pod without an "
        "owner, "
        "Running)");
  CHECK(story.finding("sched-host-port").group == "9100/TCP pods without an owner");
  SECTION("of another protocol or address it is free") {
    story.spec.containers[0].ports = {{9100, 9100, "UDP", ""}, {9100, 9100, "TCP", "127.0.0.1"}};
    CHECK(story.ids().empty());
  }
  SECTION("another DaemonSet with the same image") {
    holder.meta.controller = model::ControllerRef{"DaemonSet", "exporter", "uid-9"};
    spec.containers[0].image = story.spec.containers[0].image = "exporter:1";
    holder.spec = spec;
    CHECK(holds(story.finding("sched-host-port").message, "which runs the same image"));
    CHECK(story.finding("sched-host-port").group == "9100/TCP DaemonSet big/exporter");
  }
  SECTION("a static pod") {
    holder.mirror = true;
    CHECK(holds(story.finding("sched-host-port").message, "a static pod of the node"));
  }
  SECTION("a young pod waits only for a holder that may end") {
    story.pod.meta.created = at(980);
    CHECK(story.finding("sched-host-port").transient);
    holder.mirror = true;
    CHECK_FALSE(story.finding("sched-host-port").transient);
    holder.mirror = false;
    holder.meta.controller = model::ControllerRef{"DaemonSet", "exporter", "uid-9"};
    CHECK_FALSE(story.finding("sched-host-port").transient);
    holder.meta.ns = "zz";
    story.cluster.daemon_sets.emplace_back().meta.ns = "zz";
    model::DaemonSet& owner = story.cluster.daemon_sets.back();
    owner.meta.name = "exporter";
    CHECK_FALSE(story.finding("sched-host-port").transient);
    owner.pod_template.node_selector = {{"pool", "other"}};
    CHECK(story.finding("sched-host-port").transient);  // the controller deletes that pod
    owner.pod_template.node_selector = {};
    owner.meta.deleted = at(1000);
    CHECK(story.finding("sched-host-port").transient);
    story.cluster.daemon_sets.pop_back();
    story.cluster.known.every_daemon_set = true;
    CHECK(story.finding("sched-host-port").transient);
    story.cluster.known.every_daemon_set = false;
    CHECK_FALSE(story.finding("sched-host-port").transient);
    story.node().meta.created = at(950);
    CHECK(story.finding("sched-host-port").transient);
  }
  SECTION("the DaemonSet's own old pod while it surges") {
    holder.meta.ns = "x";
    holder.meta.controller = model::ControllerRef{"DaemonSet", "agent", "uid-1"};
    story.ds().max_surge = model::IntOrPercent{1, false};
    CHECK(holds(story.finding("sched-host-port").message, "with maxSurge both pods need the port"));
    CHECK(story.finding("sched-host-port").group == "9100/TCP itself");
  }
  SECTION("a terminating holder will go") {
    holder.meta.deleted = at(1020);
    CHECK(story.finding("sched-host-port").transient);
    CHECK(story.finding("sched-host-port").severity == Severity::Warning);
  }
  SECTION("a known holder counts even where other pods were not read") {
    story.cluster.all_pods_known = false;
    CHECK(story.ids() == Strings{"sched-host-port"});
  }
}

TEST_CASE("after a restart of the node, what comes back with it is waited for", "[pending]") {
  Story story;
  story.node().conditions = {{"Ready", "True", "KubeletReady", "", at(1000)}};
  story.node().allocatable.set("example.com/dongle", "1");
  story.neighbour("web", {{"cpu", "4"}, {"example.com/dongle", "1"}});
  story.spec.containers = {container({{"example.com/dongle", "1"}})};
  CHECK(story.finding("sched-insufficient-extended").transient);
  story.spec.containers = {container({{"cpu", "1"}})};
  CHECK_FALSE(story.finding("sched-insufficient-cpu").transient);
}

TEST_CASE("rules between pods", "[pending]") {
  Story story;
  model::PodAffinityTerm term;
  term.label_selector = model::LabelSelector{{{"app", "agent"}}, {}};
  term.topology_key = "kubernetes.io/hostname";
  SECTION("anti-affinity of a running pod") {
    model::Pod& db = story.neighbour("db");
    model::PodSpec spec;
    spec.pod_anti_affinity = {term};
    term.namespace_selector = model::LabelSelector{};
    db.spec = spec;
    CHECK(story.ids().empty());  // the term means pods of its own namespace
    spec.pod_anti_affinity = {term};
    db.spec = spec;
    CHECK(story.ids() == Strings{"sched-existing-anti-affinity", "preempt-no-victims"});
    CHECK(holds(story.finding("sched-existing-anti-affinity").message, "big/db on n"));
    db.node_name = "m";
    CHECK(story.ids().empty());
  }
  SECTION("own anti-affinity") {
    story.spec.pod_anti_affinity = {term};
    model::Pod& web = story.neighbour("web");
    web.meta.ns = "x";
    web.meta.labels = {{"app", "agent"}};
    CHECK(story.ids() == Strings{"sched-pod-anti-affinity", "preempt-no-victims"});
    story.spec.priority = 1000;
    CHECK(story.ids() == Strings{"sched-pod-anti-affinity"});
    CHECK(holds(story.finding("sched-pod-anti-affinity").message,
                "preemption candidates, not preempted yet"));
  }
  SECTION("own affinity") {
    story.spec.pod_affinity = {term};
    CHECK(story.ids().empty());  // the first of its kind
    story.spec.pod_affinity[0].label_selector = model::LabelSelector{{{"app", "db"}}, {}};
    CHECK(story.ids() == Strings{"sched-pod-affinity", "preempt-unhelpful"});
  }
  SECTION("spread") {
    model::TopologySpreadConstraint constraint;
    constraint.topology_key = "zone";
    constraint.max_skew = 1;
    constraint.when_unsatisfiable = "DoNotSchedule";
    constraint.label_selector = term.label_selector;
    story.spec.topology_spread = {constraint};
    CHECK(story.ids() == Strings{"sched-topology-spread", "preempt-unhelpful"});
    story.node().meta.labels.set("zone", "1");
    CHECK(story.ids().empty());
    story.spec.topology_spread[0].min_domains = 3;
    model::Pod& old = story.neighbour("old");
    old.meta.ns = "x";
    old.meta.labels = {{"app", "agent"}};
    CHECK(story.ids() == Strings{"sched-topology-spread", "preempt-no-victims"});
  }
}

TEST_CASE("volumes keep a pod off its node", "[pending]") {
  Story story;
  model::Cluster& cluster = story.cluster;
  cluster.known.claims = cluster.known.storage_classes = cluster.known.csi_nodes = true;
  story.spec.volumes = {{"d", "persistentVolumeClaim", "data"}};
  CHECK(story.ids() == Strings{"sched-claim-missing", "preempt-unhelpful"});
  cluster.claims.resize(1);
  cluster.claims[0].meta.ns = "x";
  cluster.claims[0].meta.name = "data";
  cluster.claims[0].volume_name = "v";
  CHECK(story.ids() == Strings{"sched-volume-affinity", "preempt-unhelpful"});
  cluster.volumes.resize(1);
  cluster.volumes[0].meta.name = "v";
  cluster.volumes[0].meta.labels = {{"topology.kubernetes.io/zone", "2"}};
  story.node().meta.labels.set("topology.kubernetes.io/zone", "1");
  CHECK(story.ids() == Strings{"sched-volume-zone", "preempt-unhelpful"});
  cluster.volumes[0].meta.labels = {};
  SECTION("bound elsewhere") {
    cluster.claims[0].volume_name = {};
    cluster.claims[0].selected_node = "m";
    cluster.claims[0].storage_class = "slow";
    cluster.storage_classes.resize(1);
    cluster.storage_classes[0].meta.name = "slow";
    cluster.storage_classes[0].binding_mode = "WaitForFirstConsumer";
    CHECK(story.ids() == Strings{"sched-volume-binding", "preempt-unhelpful"});
  }
  SECTION("in use") {
    cluster.claims[0].access_modes = {"ReadWriteOncePod"};
    model::Pod& other = story.neighbour("web");
    other.meta.ns = "x";
    other.spec = story.spec;
    CHECK(story.ids() == Strings{"sched-volume-in-use", "preempt-no-victims"});
  }
  SECTION("more than can be attached") {
    cluster.volumes[0].driver = "csi.example.com";
    cluster.csi_nodes.resize(1);
    cluster.csi_nodes[0].meta.name = "n";
    cluster.csi_nodes[0].drivers = {{"csi.example.com", 0}};
    CHECK(story.ids() == Strings{"sched-volume-limit", "preempt-no-victims"});
  }
}

TEST_CASE("what the scheduler alone can tell is reported", "[pending]") {
  Story story;
  const auto told = [&](const char* reason) {
    story.says(words_for_one(reason));
    const auto all = story.findings();
    REQUIRE(!all.empty());
    CHECK(all[0].basis == Basis::Reported);
    CHECK_FALSE(holds(all[0].message, "0/9"));
    return std::string(all[0].name());
  };
  CHECK(told("cannot allocate all claims") == "sched-resource-claim");
  CHECK(told("node(s) didn't match Pod's required features") == "sched-node-features");
  CHECK(told("node(s) didn't match scheduler-enforced node affinity") == "sched-affinity-conflict");
  CHECK(told("node(s) exceed max volume count") == "sched-volume-limit");
  CHECK(told("node(s) had no available volume zone") == "sched-volume-zone");
}

TEST_CASE("what the scheduler alone can tell is told in its own words", "[pending]") {
  Story story;
  story.spec.volumes = {{"data", "persistentVolumeClaim", "data", false, false}};
  story.cluster.nodes_known = true;
  const auto told = [&](const char* reason, const char* id) {
    story.says(words_for_one(reason));
    const Finding finding = story.finding(id);
    CHECK(finding.message == "FailedScheduling: the scheduler rejects n: " + std::string(reason));
    return finding;
  };
  const Finding missing = told("persistentvolumeclaim \"data\" not found", "sched-claim-missing");
  CHECK(missing.root == "PersistentVolumeClaim/data");
  CHECK(remedy(missing).starts_with("create or correct the claim"));
  const Finding unbound =
      told("pod has unbound immediate PersistentVolumeClaims", "sched-claim-missing");
  CHECK(remedy(unbound).starts_with("check why the claim is not bound"));
  CHECK(unbound.root.empty());
  CHECK(remedy(told("node(s) exceed max volume count", "sched-volume-limit"))
            .starts_with("move pods with volumes"));
  CHECK(remedy(told("CSI driver is not installed on the node", "sched-volume-limit"))
            .starts_with("check that the driver's DaemonSet"));
}

TEST_CASE("the scheduler counts pods of namespaces that the input does not have", "[pending]") {
  Story story;
  story.spec.containers = {container({{"cpu", "2"}})};
  story.says(words_for_one("Insufficient cpu"));
  story.cluster.pods.push_back(story.pod);
  const Finding finding = story.finding("sched-insufficient-cpu");
  CHECK(finding.message ==
        "FailedScheduling: Insufficient cpu on n; the input has pods of namespace x only");
  CHECK(finding.basis == Basis::Reported);
  CHECK(story.ids() == Strings{"sched-insufficient-cpu"});
  story.says(words_for_one("Too many pods"));
  CHECK(story.ids() == Strings{"sched-too-many-pods"});
  story.neighbour("web", {{"cpu", "1"}});  // of another namespace: all were read
  CHECK(story.ids() == Strings{"scheduler-disagrees"});
}

TEST_CASE("without the node's pods the scheduler's word stands", "[pending]") {
  Story story;
  story.cluster.all_pods_known = false;
  story.spec.containers = {container({{"cpu", "2"}})};
  CHECK(story.ids().empty());
  story.says(words_for_one("Insufficient cpu"));
  CHECK(story.ids() == Strings{"sched-insufficient-cpu"});
  CHECK(story.finding("sched-insufficient-cpu").basis == Basis::Reported);
  CHECK(story.finding("sched-insufficient-cpu").message ==
        "FailedScheduling: Insufficient cpu on n");
  story.spec.containers = {container({{"cpu", "20"}})};  // needs no other pods to be seen
  CHECK(story.ids() == Strings{"sched-never-fits", "sched-insufficient-cpu"});
  story.says(words_for_one("Too many pods"));
  CHECK(story.finding("sched-too-many-pods").basis == Basis::Reported);
}

TEST_CASE("the scheduler's own troubles", "[pending]") {
  Story story;
  SECTION("it failed") {
    story.pod.conditions = {{"PodScheduled", "False", "SchedulerError", "boom", at(1)}};
    CHECK(story.ids() == Strings{"scheduler-error"});
    CHECK_FALSE(story.finding("scheduler-error").transient);
    story.now = at(30);  // it tries again
    CHECK(story.ids() == Strings{"scheduler-error"});
    CHECK(story.finding("scheduler-error").severity == Severity::Info);
    CHECK(story.finding("scheduler-error").transient);
  }
  SECTION("it does not exist") {
    story.spec.scheduler_name = "mine";
    CHECK(story.ids() == Strings{"scheduler-unknown"});
    story.says(words_for_one("Too many pods"));
    CHECK(story.ids() == Strings{"scheduler-disagrees"});
  }
  SECTION("it does not look at a pod before its claims exist") {
    story.spec.resource_claims = {{"gpu", "big-gpu", ""}, {"nic", "", "fast-nic"}};
    const Finding finding = story.finding("sched-resource-claim");
    CHECK(finding.basis == Basis::Suspected);
    CHECK(finding.message.ends_with(
        "ResourceClaim big-gpu, the claim of ResourceClaimTemplate fast-nic"));
    CHECK(story.ids() == Strings{"sched-resource-claim"});
    story.says(words_for_one("Too many pods"));  // then it has looked
    CHECK(story.ids() == Strings{"scheduler-disagrees"});
  }
  SECTION("it said something that is not so any more") {
    story.says(words_for_one("Too many pods"));
    CHECK(story.ids() == Strings{"scheduler-disagrees"});
    story.now = at(200);
    CHECK(story.ids() == Strings{"scheduler-waiting"});
    CHECK(holds(story.finding("scheduler-waiting").message, "the scheduler retries by"));
  }
  SECTION("an event speaks where the condition is gone") {
    model::Event& event = story.cluster.events.emplace_back();
    event.kind = "Pod";
    event.ns = "x";
    event.name = "agent-1";
    event.uid = "uid-pod";
    event.reason = "FailedScheduling";
    event.message = words_for_one("node(s) exceed max volume count");
    event.last = at(990);
    CHECK(story.ids() == Strings{"sched-volume-limit"});
  }
  SECTION("a plugin of one's own") {
    story.says(words_for_one("the licence server said no"));
    CHECK(holds(story.finding("scheduler-disagrees").message, "the licence server said no"));
  }
  SECTION("it does not know the node") {
    story.says("0/27 nodes are available: 27 node(s) didn't satisfy plugin(s) [NodeAffinity].");
    CHECK(story.ids() == Strings{"sched-target-gone"});
    story.node().meta.created = at(-30);  // since then it may know
    CHECK(story.ids() == Strings{});
  }
  SECTION("it is told to wait") {
    story.spec.scheduling_gates = {"example.com/quota"};
    CHECK(story.ids() == Strings{"sched-gated"});
    CHECK(holds(story.finding("sched-gated").message, "example.com/quota"));
    CHECK_FALSE(story.finding("sched-gated").transient);
    story.now = at(200);
    CHECK(story.finding("sched-gated").severity == Severity::Info);
    CHECK(story.finding("sched-gated").transient);
  }
}

TEST_CASE("preemption", "[pending]") {
  Story story;
  story.spec.containers = {container({{"cpu", "2"}})};
  story.neighbour("small", {{"cpu", "1"}}, 10);
  story.neighbour("large", {{"cpu", "3"}}, 100);
  SECTION("no priority") {
    CHECK(story.ids() == Strings{"sched-insufficient-cpu", "preempt-no-victims"});
    CHECK(holds(story.finding("preempt-no-victims").message,
                "no pod has lower priority; priority 101 is high enough (this pod has 0)"));
  }
  SECTION("enough to evict") {
    story.spec.priority = 1000;
    CHECK(story.ids() == Strings{"sched-insufficient-cpu"});
    CHECK(holds(story.finding("sched-insufficient-cpu").message,
                "not preempted yet: big/large (priority 100)"));
  }
  SECTION("too little of lower priority") {
    story.spec.priority = 50;
    CHECK(holds(story.finding("preempt-no-victims").message,
                "1 pod of lower priority, not enough together"));
  }
  SECTION("not allowed to") {
    story.spec.priority = 1000;
    story.spec.preemption_policy = "Never";
    CHECK(story.ids() == Strings{"sched-insufficient-cpu", "preempt-never"});
  }
  SECTION("under way") {
    story.spec.priority = 1000;
    story.pod.nominated_node = "n";
    story.cluster.pods[1].meta.deleted = at(1020);
    CHECK(story.ids() == Strings{"sched-insufficient-cpu", "preempt-in-progress"});
    CHECK(story.finding("preempt-in-progress").transient);
    story.now = at(2000);
    CHECK(story.finding("preempt-in-progress").severity == Severity::Error);
  }
  SECTION("free space that is reserved for nominated pods") {
    story.cluster.pods.pop_back();
    CHECK(story.ids().empty());
    model::Pod& waiting = story.neighbour("waiting", {{"cpu", "2"}}, 0);
    waiting.node_name = {};
    waiting.nominated_node = "n";
    CHECK(story.ids() == Strings{"preempt-outranked"});
    story.spec.priority = 1;
    CHECK(story.ids().empty());
  }
}

TEST_CASE("what would keep a pod off that is yet to be made", "[pending]") {
  Story story;
  CHECK(story.predicted().empty());
  story.ds().pod_template.spec.containers = {container({{"cpu", "5"}})};
  const auto findings = story.predicted();
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].id == FindingId::SchedNeverFits);
  CHECK(findings[0].basis == Basis::Predicted);
  CHECK(findings[0].severity == Severity::Info);
}

TEST_CASE("every finding of scheduling has a rank, unresolvable ones first", "[pending]") {
  CHECK(plugin_rank(FindingId::SchedTaint) < plugin_rank(FindingId::SchedHostPort));
  CHECK(plugin_rank(FindingId::SchedNeverFits) < plugin_rank(FindingId::SchedTooManyPods));
  CHECK(plugin_rank(FindingId::SchedExistingAntiAffinity) <
        plugin_rank(FindingId::SchedulerWaiting));
  for (std::size_t i = 0; i < catalogue().size(); ++i) {
    if (catalogue()[i].family != Family::Scheduling) continue;
    CAPTURE(catalogue()[i].id);
    CHECK(plugin_rank(static_cast<FindingId>(i)) < plugin_rank(FindingId::ContainerOom));
  }
}
