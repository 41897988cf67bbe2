// SPDX-License-Identifier: Apache-2.0
#include "fixes/alternatives.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "fixes/test_fixes.h"
#include "render/words/message_text.h"

using namespace dsdoctor;
using namespace dsdoctor::fixes;
using render::text_of;

TEST_CASE("a toleration of everything is narrowed to the lasting taints of nodes", "[fixes]") {
  model::Cluster cluster;
  add_node(cluster, "db-1", {{"dedicated", "db", "NoSchedule"}}, {});
  add_node(cluster, "fargate-1", {{"eks.amazonaws.com/compute-type", "fargate", "NoSchedule"}},
           {{"eks.amazonaws.com/compute-type", "fargate"}});
  add_node(cluster, "plain", {}, {});
  add_node(cluster, "sick", {{"node.kubernetes.io/network-unavailable", "", "NoSchedule"}}, {});
  model::DaemonSet& ds = cluster.daemon_sets.emplace_back();
  ds.meta.ns = "x";
  ds.meta.name = "agent";
  ds.selector = model::LabelSelector{{{"app", "agent"}}, {}};
  ds.pod_template.tolerations = {{"", "Exists", "", "", {}}};
  const FixAnswer answer = fix(cluster, {});
  REQUIRE(answer.alternatives.size() == 2);
  const Alternative& fargate = answer.alternatives[0];
  CHECK(fargate.id == "exclude-fargate-nodes");
  CHECK(fargate.effect.lost == std::vector<model::Text>{"fargate-1"});
  const Alternative& narrow = answer.alternatives[1];
  CHECK(narrow.id == "narrow-toleration-0");
  REQUIRE(narrow.change);
  CHECK(narrow.change->removed == 0U);
  CHECK(narrow.change->added ==
        std::vector<model::Toleration>{{"dedicated", "Equal", "db", "NoSchedule", {}}});
  CHECK(narrow.effect.lost == std::vector<model::Text>{"fargate-1", "sick"});
}

TEST_CASE("a DaemonSet that prepares nodes for other pods keeps its tolerations", "[fixes]") {
  model::Cluster cluster;
  add_node(cluster, "n", {{"dedicated", "db", "NoSchedule"}}, {});
  model::DaemonSet& ds = add_agent(cluster);
  ds.pod_template.tolerations = {{"", "Exists", "", "", {}}};
  const auto risk = [&] {
    const auto found = fix(cluster, {FixTarget::Kind::All, {}, {}}).alternatives;
    return found.empty() ? std::string() : text_of(found.front().risk);
  };
  CHECK(risk() ==
        "A new node is not eligible until it is Ready and its taint "
        "node.kubernetes.io/not-ready:NoSchedule is removed. Nodes with taints added later are not "
        "eligible either. Agents that have to run on every node tolerate everything on purpose.");
  ds.pod_template.tolerations.push_back({"node.kubernetes.io/not-ready", "Exists", "", "", {}});
  CHECK(risk().starts_with("Nodes with taints added later are not eligible. "));
  ds.pod_template.spec.priority_class = "system-cluster-critical";
  CHECK(risk().empty());
  ds.pod_template.spec.priority_class = "mine";
  CHECK_FALSE(risk().empty());
  ds.meta.name = "cilium";  // the taint node.cilium.io/agent-not-ready is in the catalogue
  CHECK(risk().empty());
  ds.meta.name = "warmer";
  CHECK_FALSE(risk().empty());
  cluster.nodes.front().taints.push_back(
      {"startup.example.com/warmer-agent-not-ready", "", "NoSchedule"});
  ds.meta.name = "example";
  CHECK(risk().empty());
}

TEST_CASE("a toleration is not narrowed because of transient taints", "[fixes]") {
  model::Cluster cluster;
  add_node(cluster, "db-1", {{"dedicated", "db", "NoSchedule"}}, {});
  add_node(cluster, "n", {{"node.kubernetes.io/unreachable", "", "NoExecute"}}, {});
  model::DaemonSet& ds = add_agent(cluster);
  ds.pod_template.tolerations = {{"", "Exists", "", "", {}}};
  CHECK(fix(cluster, {}).alternatives.empty());
  CHECK(fix(cluster, {FixTarget::Kind::All, {}, {}}).alternatives.size() == 1);
}

TEST_CASE("a toleration is not narrowed if another one is as wide", "[fixes]") {
  model::Cluster cluster;
  model::Node& node = cluster.nodes.emplace_back();
  node.meta.name = "db-1";
  node.taints = {{"dedicated", "db", "NoSchedule"}, {"dedicated", "db", "NoExecute"}};
  model::DaemonSet& ds = cluster.daemon_sets.emplace_back();
  ds.meta.ns = "x";
  ds.meta.name = "agent";
  auto& list = ds.pod_template.tolerations;
  const model::Toleration everything{"", "Exists", "", "", {}};
  const model::Toleration schedule{"", "Exists", "", "NoSchedule", {}};
  const model::Toleration execute{"", "Exists", "", "NoExecute", 60};
  const auto offers = [&] {
    std::vector<std::string> ids;
    for (const Alternative& each : fix(cluster, {FixTarget::Kind::All, {}, {}}).alternatives)
      ids.push_back(each.id);
    return ids;
  };
  using Ids = std::vector<std::string>;
  list = {everything, everything};
  CHECK(offers().empty());
  list = {everything, schedule};
  CHECK(offers() == Ids{"narrow-toleration-0"});
  list = {everything, schedule, execute};
  CHECK(offers().empty());
  list = {schedule, execute};
  CHECK(offers() == Ids{"narrow-toleration-0", "narrow-toleration-1"});
  const FixAnswer answer = fix(cluster, {FixTarget::Kind::All, {}, {}});
  CHECK(answer.alternatives[1].change->added ==
        std::vector<model::Toleration>{{"dedicated", "Equal", "db", "NoExecute", 60}});
  ds.pod_template.spec.volumes.push_back({"cni", "hostPath", "/opt/cni/bin", false, false});
  CHECK(offers().empty());
}

TEST_CASE("nodes can be labelled or untainted if that makes them eligible", "[fixes]") {
  model::Cluster cluster;
  add_node(cluster, "a", {}, {{"disk", "hdd"}});
  add_node(cluster, "b", {{"dedicated", "db", "NoSchedule"}}, {{"disk", "ssd"}});
  add_node(cluster, "c", {{"node.kubernetes.io/not-ready", "", "NoSchedule"}}, {{"disk", "ssd"}});
  model::DaemonSet& ds = cluster.daemon_sets.emplace_back();
  ds.meta.ns = "x";
  ds.meta.name = "agent";
  ds.pod_template.node_selector = {{"disk", "ssd"}};
  const auto a = fix(cluster, {FixTarget::Kind::Node, "a", {}});
  CHECK(a.suggestions.empty());
  REQUIRE(a.alternatives.size() == 1);
  CHECK(a.alternatives[0].id == "label-node-disk-ssd");
  CHECK(a.alternatives[0].nodes->overwrites);
  const auto b = fix(cluster, {FixTarget::Kind::Node, "b", {}});
  REQUIRE(b.alternatives.size() == 1);
  CHECK(b.alternatives[0].id == "untaint-node-dedicated-NoSchedule");
  CHECK(b.alternatives[0].effect.after.desired_number_scheduled == 1);
  const auto c = fix(cluster, {FixTarget::Kind::Node, "c", {}});
  CHECK(c.alternatives.empty());
  // The selector requires a label that the affinity forbids.
  ds.pod_template.node_affinity = model::NodeSelector{{{{{"disk", "In", {"hdd"}}}, {}}}};
  CHECK(fix(cluster, {FixTarget::Kind::Node, "a", {}}).alternatives.empty());
}

TEST_CASE("nodes that need the same change share a command", "[fixes]") {
  model::Cluster cluster;
  add_node(cluster, "a", {}, {{"pool", "x"}});
  add_node(cluster, "b", {}, {{"pool", "x"}, {"disk", "hdd"}});
  add_node(cluster, "c", {{"k", "", "NoSchedule"}}, {{"pool", "x"}});  // needs both kinds
  add_node(cluster, "d", {}, {});
  add_node(cluster, "e", {{"k", "", "NoSchedule"}, {"k", "", "PreferNoSchedule"}},
           {{"pool", "x"}, {"disk", "ssd"}});
  add_node(cluster, "f", {}, {{"pool", "x"}, {"disk", "ssd"}});
  model::DaemonSet& ds = add_agent(cluster);
  ds.pod_template.node_selector = {{"disk", "ssd"}};
  add_node(cluster, "g", {}, {{"disk", "hdd"}, {"arch", "arm"}});
  const FixTarget pool{FixTarget::Kind::Pool, "x", "pool"};
  const FixAnswer answer = fix(cluster, pool);
  REQUIRE(answer.alternatives.size() == 2);
  const Alternative& label = answer.alternatives[0];
  CHECK(label.id == "label-node-disk-ssd");
  CHECK(text_of(label.what) == "label 2 nodes as the node selector requires");
  CHECK(label.nodes->nodes == std::vector<model::Text>{"a", "b"});
  CHECK(label.nodes->overwrites);
  CHECK(label.effect.gained == std::vector<model::Text>{"a", "b"});
  const Alternative& untaint = answer.alternatives[1];
  CHECK(untaint.id == "untaint-node-k-NoSchedule");
  CHECK(text_of(untaint.what) == "remove the taint from node e");
  CHECK(untaint.effect.gained == std::vector<model::Text>{"e"});
  CHECK(fix(cluster, {FixTarget::Kind::All, {}, {}}).alternatives.empty());  // no node is named
  ds.pod_template.node_selector = {{"arch", "amd"}, {"disk", "ssd"}};
  const FixAnswer both = fix(cluster, {FixTarget::Kind::Node, "g", {}});
  REQUIRE(both.alternatives.size() == 1);
  CHECK(both.alternatives[0].id == "label-node-arch-amd-disk-ssd");
  CHECK(both.alternatives[0].nodes->overwrites);
  ds.pod_template.node_selector = {{"disk", "ssd"}};
  // Node affinity can be satisfied in many ways.
  ds.pod_template.node_affinity = model::NodeSelector{{{{{"gpu", "Exists", {}}}, {}}}};
  CHECK(fix(cluster, pool).alternatives.empty());
}

/// A Linux node, two Windows nodes, and a failing pod of the DaemonSet on a Windows node.
struct WindowsNodes {
  model::Cluster cluster;
  diagnosis::Finding finding;  // of the pod
  model::DaemonSet* ds;

  WindowsNodes() {
    add_node(cluster, "linux", {}, {{"kubernetes.io/os", "linux"}});
    add_node(cluster, "win-1", {}, {{"kubernetes.io/os", "windows"}});
    add_node(cluster, "win-2", {}, {{"kubernetes.io/os", "windows"}});
    ds = &add_agent(cluster);
    add_agent_pod(cluster, "agent-0", "linux");
    add_agent_pod(cluster, "agent-1", "win-1").conditions.clear();
    finding.id = diagnosis::FindingId::NodeOsMismatch;
    finding.severity = diagnosis::Severity::Error;
    finding.standing = diagnosis::Standing::Primary;
  }

  [[nodiscard]] FixAnswer answer(const FixTarget& target = {}) const {
    diagnosis::ReportOptions options = verdicts_only();
    options.completes = [&](diagnosis::DaemonSetReport& report) {
      report.nodes.change(1, [&](auto& state) { state.findings = {finding}; });
    };
    const diagnosis::Reporter reporter(cluster, options);
    return fixes_for(reporter, {ds}, target).front();
  }
  [[nodiscard]] std::vector<Alternative> offered(const FixTarget& target = {}) const {
    return answer(target).alternatives;
  }
};

TEST_CASE("nodes that cannot run the pods are excluded if the pods fail", "[fixes]") {
  WindowsNodes scene;
  REQUIRE(scene.offered().size() == 1);
  const Alternative exclusion = scene.offered().front();
  CHECK(exclusion.recommended);
  CHECK(exclusion.id == "exclude-windows-nodes");
  CHECK(exclusion.change->requirements ==
        std::vector<model::NodeSelectorRequirement>{{"kubernetes.io/os", "NotIn", {"windows"}}});
  CHECK(exclusion.effect.lost == std::vector<model::Text>{"win-1", "win-2"});
  CHECK(text_of(exclusion.risk) == "Pods on these nodes are deleted.");
  CHECK(recommends_patch(scene.answer()));
  CHECK(scene.answer().incurable.empty());  // the recommended fix covers it
  CHECK(scene.offered({FixTarget::Kind::Node, "win-1", {}}).size() == 1);
  CHECK(scene.offered({FixTarget::Kind::Node, "linux", {}}).empty());
  SECTION("nodes of several kinds are excluded by one patch") {
    scene.cluster.nodes.back().meta.labels.set("type", "virtual-kubelet");
    const auto found = scene.offered();
    REQUIRE(found.size() == 1);
    CHECK(found[0].recommended);
    CHECK(found[0].id == "exclude-virtual-nodes-windows-nodes");
    CHECK(text_of(found[0].what) == "exclude virtual nodes and Windows nodes by node affinity");
    CHECK(found[0].change->requirements.size() == 2);
  }
  SECTION("a failure that resolves without action needs no patch") {
    scene.finding.transient = true;
    CHECK_FALSE(scene.offered()[0].recommended);
    CHECK_FALSE(scene.answer().incurable.empty());
  }
  SECTION("another cause does not show that the images are wrong") {
    scene.finding.id =
        GENERATE(diagnosis::FindingId::NodeUnreachable, diagnosis::FindingId::ContainerCrash);
    CHECK(scene.offered().empty());
  }
  SECTION("a ready pod shows that such a node can run it") {
    add_agent_pod(scene.cluster, "agent-2", "win-2");
    CHECK(scene.offered().empty());
    CHECK(scene.offered({FixTarget::Kind::Node, "win-1", {}}).empty());
  }
  SECTION("the pods are for Windows") {
    scene.ds->pod_template.spec.os = "windows";
    CHECK(scene.offered().empty());
  }
  SECTION("the template selects Windows nodes") {
    scene.ds->pod_template.node_selector = {{"kubernetes.io/os", "windows"}};
    CHECK(scene.offered().empty());
    scene.ds->pod_template.node_selector = {};
    scene.ds->pod_template.node_affinity =
        model::NodeSelector{{{{{"kubernetes.io/os", "In", {"linux", "windows"}}}, {}}}};
    CHECK(scene.offered().empty());
    scene.ds->pod_template.node_affinity =
        model::NodeSelector{{{{{"kubernetes.io/os", "Exists", {}}}, {}}}};
    CHECK(scene.offered().size() == 1);
  }
  SECTION("a taint excludes the nodes and a pod for Windows may tolerate it") {
    for (model::Node& node : scene.cluster.nodes) node.taints = {{"os", "windows", "NoSchedule"}};
    CHECK(scene.offered({FixTarget::Kind::All, {}, {}}).empty());
  }
  SECTION("the nodes are not eligible") {
    scene.ds->pod_template.node_selector = {{"kubernetes.io/os", "linux"}};
    CHECK(scene.offered().empty());
  }
}

TEST_CASE("cluster-autoscaler can evict the pod of a node that it removes", "[fixes]") {
  model::Cluster cluster;
  add_node(cluster, "a", {{"ToBeDeletedByClusterAutoscaler", "1601646271", "NoSchedule"}}, {});
  add_node(cluster, "b", {{"reserved", "", "NoSchedule"}}, {});
  model::DaemonSet& ds = add_agent(cluster);
  const auto offers = [&](const FixTarget& target) {
    const auto found = fix(cluster, target).alternatives;
    return std::ranges::count(found, "evict-on-scale-down", &Alternative::id) == 1;
  };
  CHECK_FALSE(offers({}));  // the node has no pod
  add_agent_pod(cluster, "agent-a", "a");
  add_agent_pod(cluster, "agent-b", "b");
  CHECK(offers({}));
  CHECK(offers({FixTarget::Kind::Node, "a", {}}));
  CHECK_FALSE(offers({FixTarget::Kind::Node, "b", {}}));
  const auto found = fix(cluster, {}).alternatives;
  CHECK(found.front().change->annotations ==
        model::Labels{{"cluster-autoscaler.kubernetes.io/enable-ds-eviction", "true"}});
  ds.pod_template.tolerations = {{"ToBeDeletedByClusterAutoscaler", "Exists", "", "", {}}};
  CHECK_FALSE(offers({}));
}

TEST_CASE("only a toleration that matches every blocking taint is narrowed", "[fixes]") {
  model::Cluster cluster;
  add_node(cluster, "db-1", {{"dedicated", "db", "NoSchedule"}}, {{"zone", "a"}});
  add_node(cluster, "db-2", {{"other", "x", "NoSchedule"}}, {{"zone", "b"}});
  model::DaemonSet& ds = add_agent(cluster);
  auto& list = ds.pod_template.tolerations;
  list = {{"", "Exists", "", "PreferNoSchedule", {}},
          {"dedicated", "Exists", "", "", {}},
          {"", "Equal", "", "", {}}};
  CHECK(fix(cluster, {}).alternatives.empty());
  list.push_back({"", "Exists", "", "NoSchedule", {}});
  CHECK(fix(cluster, {FixTarget::Kind::Node, "db-1", {}}).alternatives.empty());  // by node
  CHECK(fix(cluster, {}).alternatives.empty());  // no node becomes eligible or not eligible
  const auto narrowed = [&] { return fix(cluster, {FixTarget::Kind::All, {}, {}}).alternatives; };
  REQUIRE(narrowed().size() == 1);
  CHECK(text_of(narrowed()[0].what) ==
        "narrow spec.template.spec.tolerations[3], which tolerates every taint with effect "
        "NoSchedule");
  CHECK(narrowed()[0].change->added ==
        std::vector<model::Toleration>{{"other", "Equal", "x", "NoSchedule", {}}});
  ds.pod_template.node_selector = {{"zone", "a"}};  // db-2 is not eligible, with any toleration
  CHECK(narrowed()[0].change->added.empty());
}

TEST_CASE("a toleration with tolerationSeconds is made permanent", "[fixes]") {
  model::Cluster cluster;
  add_node(cluster, "n", {{"other", "", "NoSchedule"}, {"repair", "", "NoExecute"}}, {});
  model::DaemonSet& ds = add_agent(cluster);
  ds.pod_template.tolerations = {{"other", "Exists", "", "NoSchedule", {}},
                                 {"repair", "Exists", "", "", 300}};
  add_agent_pod(cluster, "agent-1", "n");
  diagnosis::Finding finding;
  finding.id = diagnosis::FindingId::TolerationSecondsLoop;
  finding.severity = diagnosis::Severity::Error;
  diagnosis::ReportOptions options = verdicts_only();
  options.completes = [&](diagnosis::DaemonSetReport& report) {
    report.nodes.change(0, [&](auto& state) { state.findings = {finding}; });
  };
  const auto found = [&] {
    const diagnosis::Reporter reporter(cluster, options);
    return fixes_for(reporter, {&ds}, {}).front().alternatives;
  };
  REQUIRE(found().size() == 1);
  CHECK(found()[0].id == "tolerate-for-good-1");
  REQUIRE(found()[0].change);
  CHECK(found()[0].change->removed == 1U);
  CHECK(found()[0].change->added ==
        std::vector<model::Toleration>{{"repair", "Exists", "", "", {}}});
  CHECK_FALSE(found()[0].recommended);  // it is unknown whether pods belong there
  ds.pod_template.tolerations[1].toleration_seconds.reset();
  CHECK(found().empty());
}
