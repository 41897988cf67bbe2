#include "diagnosis/evidence/startup_circle.h"

#include <catch2/catch.hpp>

#include "testing/cluster_story.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;

namespace {

constexpr const char* net_taint = "node.cilium.io/agent-not-ready";
constexpr const char* csi_taint = "ebs.csi.aws.com/agent-not-ready";

/// A new node with the startup taints of cilium and ebs-csi-node, each of which tolerates its own.
struct Circle : dsdoctor::testing::ClusterStory {
  Circle() {
    add_node("new").taints = {{net_taint, "", "NoSchedule"}, {csi_taint, "", "NoExecute"}};
    model::DaemonSet other = ds();
    agent(ds(), "cilium", net_taint);
    agent(other, "ebs-csi-node", csi_taint);
    cluster.daemon_sets.push_back(other);
  }
  static void agent(model::DaemonSet& ds, const char* name, const char* own) {
    ds.meta.name = name;
    ds.meta.uid = name;
    ds.pod_template.tolerations = {{own, "Exists", "", "", {}}};
  }
  [[nodiscard]] std::optional<StartupCircle> find() const {
    const Facts facts(cluster, dsdoctor::testing::at(1000));
    return startup_circle(facts, cluster.nodes.front(), {});
  }
};

}  // namespace

TEST_CASE("two startup taints block each other", "[startup_circle]") {
  Circle story;
  SECTION("neither agent tolerates the other's taint") {
    const auto circle = story.find();
    REQUIRE(circle);
    CHECK(circle->contains(story.cluster.daemon_sets[0]));
    CHECK(circle->contains(story.cluster.daemon_sets[1]));
    CHECK(circle_text(*circle) ==
          "cilium does not tolerate ebs.csi.aws.com/agent-not-ready:NoExecute, which ebs-csi-node "
          "removes; ebs-csi-node does not tolerate node.cilium.io/agent-not-ready:NoSchedule, "
          "which cilium removes");
  }
  SECTION("the network plugin is to tolerate the other taint, whatever its name") {
    story.cluster.daemon_sets[1].pod_template.spec.volumes = {
        {"cni", "hostPath", "/etc/cni/net.d"}};
    const auto circle = story.find();
    REQUIRE(circle);
    CHECK(circle->breaker().agent->meta.name == "ebs-csi-node");
    CHECK(circle->breaker().waits_for->key == net_taint);
  }
  SECTION("one that tolerates both starts, and then the other") {
    story.ds().pod_template.tolerations.push_back({csi_taint, "Exists", "", "", {}});
    CHECK_FALSE(story.find());
  }
  SECTION("one that runs on the node removes its taint") {
    model::Pod& pod = story.add_pod("cilium-new", "new");
    pod.meta.controller = model::ControllerRef{"DaemonSet", "cilium", "cilium"};
    CHECK_FALSE(story.find());
    pod.meta.deleted = dsdoctor::testing::at(10);
    CHECK(story.find());
  }
  SECTION("a node that a selector excludes anyway is no circle's") {
    story.ds().pod_template.node_selector = {{"pool", "net"}};
    CHECK_FALSE(story.find());
  }
  SECTION("a taint without a known remover is none") {
    story.cluster.daemon_sets.pop_back();
    CHECK_FALSE(story.find());
  }
}

TEST_CASE("a circle of three", "[startup_circle]") {
  Circle story;
  model::DaemonSet third = story.ds();
  Circle::agent(third, "efs-csi-node", "efs.csi.aws.com/agent-not-ready");
  story.cluster.nodes.front().taints.push_back(
      {"efs.csi.aws.com/agent-not-ready", "", "NoExecute"});
  // cilium waits for ebs-csi-node alone, that for efs-csi-node, and that for cilium.
  const auto also = [](model::DaemonSet& ds, const char* key) {
    ds.pod_template.tolerations.push_back({key, "Exists", "", "", {}});
  };
  also(story.cluster.daemon_sets[0], "efs.csi.aws.com/agent-not-ready");
  also(story.cluster.daemon_sets[1], net_taint);
  also(third, csi_taint);
  story.cluster.daemon_sets.push_back(third);
  const auto circle = story.find();
  REQUIRE(circle);
  CHECK(circle->members.size() == 3);
  CHECK(circle->breaker().agent->meta.name == "cilium");
  CHECK(circle->breaker().waits_for->key == csi_taint);
}
