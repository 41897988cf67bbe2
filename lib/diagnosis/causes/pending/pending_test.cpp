// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/pending/pending.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/test_fix.h"
#include "diagnosis/causes/pending/test_pending.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using namespace dsdoctor::diagnosis::testing;

TEST_CASE("a pod that fits has no blockers", "[pending]") {
  PendingStory story;
  story.spec.containers = {container({{"cpu", "1"}, {"memory", "1Gi"}})};
  story.neighbour("web", {{"cpu", "3"}});
  story.pod.meta.created = at(900);
  CHECK(story.ids() == Strings{"scheduler-waiting"});
  CHECK(story.finding("scheduler-waiting").transient);
  story.now = at(5000);  // no message at all: control_findings reports the scheduler
  CHECK(story.ids().empty());
}

TEST_CASE("taints come before resources", "[pending]") {
  PendingStory story;
  story.ds().pod_template.tolerations = {{"team", "Exists", "", ""}};
  story.node().taints = {{"team", "a", "NoSchedule"}, {"soft", "", "PreferNoSchedule"}};
  story.spec.containers = {container({{"cpu", "2"}, {"memory", "6Gi"}})};
  story.neighbour("web", {{"cpu", "3"}, {"memory", "3Gi"}});
  CHECK(story.ids() == Strings{"sched-taint", "sched-insufficient-cpu", "sched-insufficient-memory",
                               "preempt-unhelpful"});
  const Finding taint = story.finding("sched-taint");
  CHECK(holds(text_of(taint.message), "the template tolerates it, so something changed the pod"));
  CHECK(taint.group == "team:NoSchedule=a");
  story.node().taints = {{"ToBeDeletedByClusterAutoscaler", "1601646271", "NoSchedule"}};
  CHECK(story.finding("sched-taint").group == "ToBeDeletedByClusterAutoscaler:NoSchedule");
}

TEST_CASE("each piece of evidence about a pending pod is a field of an object", "[pending]") {
  PendingStory story;
  story.node().taints = {{"team", "a", "NoSchedule"}};
  story.node().unschedulable = true;
  story.pod.tolerations = std::vector<model::Toleration>{};
  story.pod.node_selector = {{"pool", "infra"}};
  story.spec.containers = {container({{"cpu", "9"}})};
  story.spec.scheduling_gates = {"example.com/quota"};
  story.says(words_for_one("Insufficient cpu"));
  const std::vector<Finding> findings = story.findings();
  CHECK(findings.size() == 7);
  for (const Finding& finding : findings) {
    CAPTURE(finding.name());
    CHECK_FALSE(finding.evidence.empty());
    for (const Evidence& evidence : finding.evidence) {
      CHECK_FALSE(evidence.object.name.empty());
      CHECK_FALSE(evidence.path.empty());
      CHECK(evidence.path.find(' ') == std::string::npos);
    }
  }
}

TEST_CASE("a toleration with tolerationSeconds does not block the pod", "[pending]") {
  PendingStory story;
  story.node().taints = {{"maint", "", "NoExecute"}};
  story.pod.tolerations =
      std::vector<model::Toleration>{{"", "Exists", "", "NoExecute", std::int64_t{300}}};
  CHECK(story.ids().empty());
}

TEST_CASE("a cordon matters only to a pod that lost its toleration", "[pending]") {
  PendingStory story;
  story.node().unschedulable = true;
  story.node().taints = {{"node.kubernetes.io/unschedulable", "", "NoSchedule"}};
  CHECK(story.ids().empty());
  story.pod.tolerations = std::vector<model::Toleration>{};
  CHECK(story.ids() == Strings{"sched-unschedulable", "preempt-unhelpful"});
}

TEST_CASE("a node selector that does not match blocks the pod", "[pending]") {
  PendingStory story;
  story.pod.node_selector = {{"pool", "infra"}};
  const Finding finding = story.finding("sched-node-selector");
  CHECK(finding.group == "pool=infra");
  CHECK(holds(text_of(finding.message), "n has no such label"));
  CHECK(holds(text_of(finding.message), "it is not in the template"));
  story.ds().pod_template.node_selector = {{"pool", "infra"}};
  CHECK_FALSE(
      holds(text_of(story.finding("sched-node-selector").message), "the template does not"));
  story.node().meta.labels.set("pool", "infra");
  CHECK(story.ids().empty());
  story.pod.node_affinity->terms[0].match_expressions = {{"gpu", "Exists", {}}};
  CHECK(holds(text_of(story.finding("sched-node-selector").message),
              "requires gpu Exists (n has no such label)"));
}

TEST_CASE("ServiceLB does not preempt the backend of its own Service", "[pending]") {
  PendingStory story;
  model::Pod& holder = story.neighbour("traefik-1");
  holder.meta.ns = "web";
  holder.meta.controller = model::ControllerRef{"ReplicaSet", "traefik", "uid-9"};
  model::PodSpec spec;
  spec.containers = {container({})};
  spec.containers[0].ports = {{80, 80, "TCP", ""}};
  holder.spec = spec;
  story.spec.containers[0].ports = {{80, 80, "TCP", ""}};
  story.ds().pod_template.labels = {{"svccontroller.k3s.cattle.io/svcname", "traefik"},
                                    {"svccontroller.k3s.cattle.io/svcnamespace", "web"}};
  const Finding finding = story.finding("sched-host-port");
  CHECK(
      fix_of(finding).starts_with("remove the host port from the pods behind Service web/traefik"));
  for (const Finding& other : story.findings()) {
    CHECK(fix_of(other).find("PriorityClass") == std::string::npos);
  }
  SECTION("backends have the namespace of their Service") {
    story.cluster.pods.back().meta.ns = "shop";
    CHECK(fix_of(story.finding("sched-host-port")).starts_with("use another port for one"));
  }
}

TEST_CASE("a host port conflict names the pod that holds the port", "[pending]") {
  PendingStory story;
  story.spec.containers[0].ports = {{9100, 9100, "TCP", ""}};
  model::Pod& holder = story.neighbour("exporter");
  model::PodSpec spec;
  spec.containers = {container({})};
  spec.containers[0].ports = {{9100, 9100, "TCP", "10.0.0.5"}};
  holder.spec = spec;
  CHECK(story.ids() == Strings{"sched-host-port", "preempt-no-victims"});
  CHECK(text_of(story.finding("sched-host-port").message) ==
        "host port conflict: 9100/TCP on 0.0.0.0 of n is held by big/exporter (a pod without an "
        "owner, "
        "Running)");
  CHECK(story.finding("sched-host-port").group == "9100/TCP pods without an owner");
  SECTION("another protocol or address is free") {
    story.spec.containers[0].ports = {{9100, 9100, "UDP", ""}, {9100, 9100, "TCP", "127.0.0.1"}};
    CHECK(story.ids().empty());
  }
  SECTION("another DaemonSet with the same image") {
    holder.meta.controller = model::ControllerRef{"DaemonSet", "exporter", "uid-9"};
    spec.containers[0].image = story.spec.containers[0].image = "exporter:1";
    holder.spec = spec;
    CHECK(holds(text_of(story.finding("sched-host-port").message), "which runs the same image"));
    CHECK(story.finding("sched-host-port").group == "9100/TCP DaemonSet big/exporter");
  }
  SECTION("a static pod") {
    holder.mirror = true;
    CHECK(holds(text_of(story.finding("sched-host-port").message), "a static pod of the node"));
  }
  SECTION("a young pod waits only for a holder that a controller deletes") {
    story.pod.meta.created = at(980);
    CHECK_FALSE(story.finding("sched-host-port").transient);
    CHECK(story.finding("sched-host-port").severity == Severity::Error);
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
  SECTION("the DaemonSet's own old pod during a surge") {
    holder.meta.ns = "x";
    holder.meta.controller = model::ControllerRef{"DaemonSet", "agent", "uid-1"};
    story.ds().max_surge = model::IntOrPercent{1, false};
    CHECK(holds(text_of(story.finding("sched-host-port").message),
                "with maxSurge both pods need the port"));
    CHECK(story.finding("sched-host-port").group == "9100/TCP itself");
  }
  SECTION("a terminating holder resolves without action") {
    holder.meta.deleted = at(1020);
    CHECK(story.finding("sched-host-port").transient);
    CHECK(story.finding("sched-host-port").severity == Severity::Warning);
  }
  SECTION("a known holder counts even if other pods were not read") {
    story.cluster.all_pods_known = false;
    CHECK(story.ids() == Strings{"sched-host-port"});
  }
}

TEST_CASE("resources that return after a node restart are transient", "[pending]") {
  PendingStory story;
  story.node().conditions = {{"Ready", "True", "KubeletReady", "", at(1000)}};
  story.node().allocatable.set("example.com/dongle", "1");
  story.neighbour("web", {{"cpu", "4"}, {"example.com/dongle", "1"}});
  story.spec.containers = {container({{"example.com/dongle", "1"}})};
  CHECK(story.finding("sched-insufficient-extended").transient);
  story.spec.containers = {container({{"cpu", "1"}})};
  CHECK_FALSE(story.finding("sched-insufficient-cpu").transient);
}

TEST_CASE("rules between pods block a pod", "[pending]") {
  PendingStory story;
  model::PodAffinityTerm term;
  term.label_selector = model::LabelSelector{{{"app", "agent"}}, {}};
  term.topology_key = "kubernetes.io/hostname";
  SECTION("anti-affinity of a running pod") {
    model::Pod& db = story.neighbour("db");
    model::PodSpec spec;
    spec.pod_anti_affinity = {term};
    term.namespace_selector = model::LabelSelector{};
    db.spec = spec;
    CHECK(story.ids().empty());  // the term selects pods of its own namespace
    spec.pod_anti_affinity = {term};
    db.spec = spec;
    CHECK(story.ids() == Strings{"sched-existing-anti-affinity", "preempt-no-victims"});
    CHECK(holds(text_of(story.finding("sched-existing-anti-affinity").message), "big/db on n"));
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
    CHECK(holds(text_of(story.finding("sched-pod-anti-affinity").message),
                "preemption candidates, not preempted yet"));
  }
  SECTION("own affinity") {
    story.spec.pod_affinity = {term};
    CHECK(story.ids().empty());  // the first pod of its kind
    story.spec.pod_affinity[0].label_selector = model::LabelSelector{{{"app", "db"}}, {}};
    CHECK(story.ids() == Strings{"sched-pod-affinity", "preempt-unhelpful"});
  }
  SECTION("topology spread") {
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

TEST_CASE("a stuck terminating pod that blocks is named with its fix", "[pending]") {
  PendingStory story;
  story.add_node("z");
  story.cluster.known.claims = true;
  story.spec.volumes = {{"d", "persistentVolumeClaim", "data"}};
  story.cluster.claims.resize(1);
  story.cluster.claims[0].meta.ns = "x";
  story.cluster.claims[0].meta.name = "data";
  story.cluster.claims[0].volume_name = "v";
  story.cluster.claims[0].access_modes = {"ReadWriteOncePod"};
  story.cluster.volumes.resize(1);
  story.cluster.volumes[0].meta.name = "v";
  model::Pod& other = story.neighbour("web");
  other.meta.ns = "x";
  other.spec = story.spec;
  other.node_name = "z";
  other.meta.deleted = at(100);
  const auto found = [&] { return story.finding("sched-volume-in-use"); };
  SECTION("the fix names the stuck pod's node and not the pending pod's") {
    CHECK(holds(fix_of(found()), "node z"));
    story.node().conditions[0].status = "Unknown";
    CHECK(holds(fix_of(found()), "kubelet's log on node z"));
    story.node().conditions[0].status = "True";
    story.cluster.nodes[1].conditions[0].status = "Unknown";
    CHECK(holds(fix_of(found()), "restart node z"));
  }
  SECTION("before the end of its grace period the obstacle is reported") {
    other.meta.deleted = at(1010);
    CHECK(found().transient);
    story.node().conditions[0].status = "Unknown";
    CHECK(found().transient);
    story.node().conditions[0].status = "True";
    story.cluster.nodes[1].conditions[0].status = "Unknown";
    CHECK_FALSE(found().transient);
    CHECK(holds(text_of(found().message),
                "; the kubelet on z does not report and cannot confirm that"));
    other.meta.finalizers = {"example.com/hold"};
    CHECK(holds(text_of(found().message), "; pod x/web waits for finalizers"));
  }
}

TEST_CASE("a volume blocks the pod on its node", "[pending]") {
  PendingStory story;
  model::Cluster& cluster = story.cluster;
  cluster.known.claims = cluster.known.storage_classes = cluster.known.csi_nodes = true;
  story.spec.volumes = {{"d", "persistentVolumeClaim", "data"}};
  CHECK(story.ids() == Strings{"sched-claim-missing", "preempt-unhelpful"});
  story.pod.meta.created = at(980);
  CHECK(story.finding("sched-claim-missing").severity == Severity::Error);
  story.pod.meta.created = at(0);
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
  SECTION("bound to another node") {
    cluster.claims[0].volume_name = {};
    cluster.claims[0].selected_node = "m";
    cluster.claims[0].storage_class = "slow";
    cluster.storage_classes.resize(1);
    cluster.storage_classes[0].meta.name = "slow";
    cluster.storage_classes[0].binding_mode = "WaitForFirstConsumer";
    CHECK(story.ids() == Strings{"sched-volume-binding", "preempt-unhelpful"});
  }
  SECTION("in use by another pod") {
    cluster.claims[0].access_modes = {"ReadWriteOncePod"};
    model::Pod& other = story.neighbour("web");
    other.meta.ns = "x";
    other.spec = story.spec;
    CHECK(story.ids() == Strings{"sched-volume-in-use", "preempt-no-victims"});
  }
  SECTION("above the node's attach limit") {
    cluster.volumes[0].driver = "csi.example.com";
    cluster.csi_nodes.resize(1);
    cluster.csi_nodes[0].meta.name = "n";
    cluster.csi_nodes[0].drivers = {{"csi.example.com", 0}};
    CHECK(story.ids() == Strings{"sched-volume-limit", "preempt-no-victims"});
  }
}

TEST_CASE("preemption is explained", "[pending]") {
  PendingStory story;
  story.spec.containers = {container({{"cpu", "2"}})};
  story.neighbour("small", {{"cpu", "1"}}, 10);
  story.neighbour("large", {{"cpu", "3"}}, 100);
  SECTION("no priority") {
    CHECK(story.ids() == Strings{"sched-insufficient-cpu", "preempt-no-victims"});
    CHECK(holds(text_of(story.finding("preempt-no-victims").message),
                "no pod has lower priority; priority 101 is high enough (this pod has 0)"));
  }
  SECTION("enough pods to evict") {
    story.spec.priority = 1000;
    CHECK(story.ids() == Strings{"sched-insufficient-cpu"});
    CHECK(holds(text_of(story.finding("sched-insufficient-cpu").message),
                "not preempted yet: big/large (priority 100)"));
    story.pod.meta.created = at(980);
    CHECK(story.finding("sched-insufficient-cpu").transient);  // the scheduler makes room
    story.spec.preemption_policy = "Never";
    CHECK_FALSE(story.finding("sched-insufficient-cpu").transient);
  }
  SECTION("not enough pods of lower priority") {
    story.spec.priority = 50;
    CHECK(holds(text_of(story.finding("preempt-no-victims").message),
                "1 pod of lower priority, not enough together"));
  }
  SECTION("preemption policy Never") {
    story.spec.priority = 1000;
    story.spec.preemption_policy = "Never";
    CHECK(story.ids() == Strings{"sched-insufficient-cpu", "preempt-never"});
  }
  SECTION("preemption in progress") {
    story.spec.priority = 1000;
    story.pod.nominated_node = "n";
    story.cluster.pods[1].meta.deleted = at(1020);
    CHECK(story.ids() == Strings{"sched-insufficient-cpu", "preempt-in-progress"});
    CHECK(story.finding("preempt-in-progress").transient);
    story.now = at(2000);
    CHECK(story.finding("preempt-in-progress").severity == Severity::Error);
  }
  SECTION("free space reserved for nominated pods") {
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

TEST_CASE("blockers of a pod that does not exist yet are predicted", "[pending]") {
  PendingStory story;
  CHECK(story.predicted().empty());
  story.ds().pod_template.spec.containers = {container({{"cpu", "5"}})};
  const auto findings = story.predicted();
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].id == FindingId::SchedNeverFits);
  CHECK(findings[0].basis == Basis::Predicted);
  CHECK(findings[0].severity == Severity::Info);
}

TEST_CASE("unresolvable scheduling findings rank before resolvable ones", "[pending]") {
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
