// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/evidence/startup_circle.h"

#include <catch2/catch.hpp>

#include "render/words/message_text.h"
#include "testing/cluster_story.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;

namespace {

constexpr const char* net_taint = "node.cilium.io/agent-not-ready";
constexpr const char* csi_taint = "ebs.csi.aws.com/agent-not-ready";

/// A new node with the startup taints of cilium and ebs-csi-node, each of which tolerates its own.
struct Circle : dsdoctor::testing::ClusterStory {
  Circle() {
    cluster.all_pods_known = true;
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
    const auto waits = waits_of(*circle);
    REQUIRE(waits.size() == 2);
    CHECK(render::text_of(waits[0]) ==
          "cilium waits for ebs-csi-node to remove ebs.csi.aws.com/agent-not-ready:NoExecute");
    CHECK(render::text_of(waits[1]) ==
          "ebs-csi-node waits for cilium to remove node.cilium.io/agent-not-ready:NoSchedule");
  }
  SECTION("the network plugin should tolerate the other taint") {
    story.cluster.daemon_sets[1].pod_template.spec.volumes = {
        {"cni", "hostPath", "/etc/cni/net.d"}};
    const auto circle = story.find();
    REQUIRE(circle);
    CHECK(circle->breaker().agent->meta.name == "ebs-csi-node");
    CHECK(circle->breaker().waits_for->key == net_taint);
  }
  SECTION("no circle is reported if the node's pods were not read") {
    story.cluster.all_pods_known = false;
    CHECK_FALSE(story.find());
    story.cluster.crowded_nodes = {"new"};
    CHECK(story.find());
  }
  SECTION("an agent that tolerates both taints starts and the other follows") {
    story.ds().pod_template.tolerations.push_back({csi_taint, "Exists", "", "", {}});
    CHECK_FALSE(story.find());
  }
  SECTION("an agent that runs on the node removes its taint") {
    model::Pod& pod = story.add_pod("cilium-new", "new");
    pod.meta.controller = model::ControllerRef{"DaemonSet", "cilium", "cilium"};
    CHECK_FALSE(story.find());
    pod.meta.deleted = dsdoctor::testing::at(10);
    CHECK(story.find());
  }
  SECTION("an agent whose selector excludes the node is not part of a circle") {
    story.ds().pod_template.node_selector = {{"pool", "net"}};
    CHECK_FALSE(story.find());
  }
  SECTION("a taint without a known remover is not part of a circle") {
    story.cluster.daemon_sets.pop_back();
    CHECK_FALSE(story.find());
  }
}

TEST_CASE("three agents can form a circle", "[startup_circle]") {
  Circle story;
  model::DaemonSet third = story.ds();
  Circle::agent(third, "efs-csi-node", "efs.csi.aws.com/agent-not-ready");
  story.cluster.nodes.front().taints.push_back(
      {"efs.csi.aws.com/agent-not-ready", "", "NoExecute"});
  // cilium waits only for ebs-csi-node, ebs-csi-node for efs-csi-node, and efs-csi-node for cilium.
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

TEST_CASE("only one of several DaemonSets of a vendor removes the startup taint",
          "[startup_circle]") {
  dsdoctor::testing::ClusterStory story;
  model::Node& node = story.add_node("new");
  node.taints = {{"cni.istio.io/not-ready", "", "NoSchedule"}};
  model::DaemonSet cni = story.ds();
  cni.meta.name = "istio-cni-node";
  model::DaemonSet& gateway = story.ds();
  gateway.meta.name = "istio-ingressgateway";
  const auto has_to_remove = [&](const model::DaemonSet& ds) {
    const Facts facts(story.cluster, dsdoctor::testing::at(1000));
    const model::Node& here = story.cluster.nodes.front();
    return dsdoctor::diagnosis::has_to_remove(ds, here.taints.front(), facts, here, {});
  };
  CHECK(has_to_remove(story.ds()));  // there is no other remover
  story.cluster.daemon_sets.push_back(cni);
  model::DaemonSet& other = story.cluster.daemon_sets.back();
  CHECK_FALSE(has_to_remove(story.ds()));  // it is an istio DaemonSet, but not istio's CNI
  CHECK(has_to_remove(other));
  other.pod_template.tolerations = {{"", "Exists", "", "", {}}};
  CHECK_FALSE(has_to_remove(story.ds()));  // the other one starts and removes the taint
  SECTION("a DaemonSet with a pod on the node removes the taint") {
    other.pod_template.tolerations.clear();
    model::Pod& pod = story.add_pod("istio-cni-1", "new");
    pod.meta.controller = model::ControllerRef{"DaemonSet", "istio-cni-node", other.meta.uid.str()};
    CHECK_FALSE(has_to_remove(story.ds()));
  }
  SECTION("the name of the agent counts more than an image of the vendor") {
    other.pod_template.tolerations.clear();
    model::DaemonSet& proxy = story.ds();
    proxy.meta.name = "gateway";
    model::Container container;
    container.image = "docker.io/istio/proxyv2:1.24";
    proxy.pod_template.spec.containers = {container};
    CHECK_FALSE(has_to_remove(proxy));
    CHECK(has_to_remove(other));
    story.cluster.daemon_sets.pop_back();
    CHECK_FALSE(has_to_remove(story.ds()));  // a vendor has many images
  }
  SECTION("no remover is chosen from several similar names") {
    for (model::DaemonSet& ds : story.cluster.daemon_sets) {
      ds.pod_template.tolerations.clear();
      model::Container container;
      container.image = "docker.io/istio/proxyv2:1.24";
      ds.pod_template.spec.containers = {container};
    }
    story.cluster.daemon_sets.front().meta.name = "istio-logger";
    other.meta.name = "istio-exporter";
    CHECK_FALSE(has_to_remove(story.ds()));
    CHECK_FALSE(has_to_remove(other));
    story.cluster.daemon_sets.front().meta.name = "istio-node";  // a usual suffix
    CHECK(has_to_remove(story.ds()));
    CHECK_FALSE(has_to_remove(other));
  }
}

TEST_CASE("neither a registry's host nor a part of a word names an agent", "[startup_circle]") {
  using dsdoctor::diagnosis::is_agent;
  dsdoctor::testing::ClusterStory story;
  model::DaemonSet& ds = story.ds();
  ds.meta.name = "fluent-bit";
  const auto of_image = [&](const char* image) -> const model::DaemonSet& {
    model::Container container;
    container.image = image;
    ds.pod_template.spec.containers = {container};
    return ds;
  };
  CHECK_FALSE(is_agent(of_image("registry.acme.io/mirror/fluent-bit:3"), "acme"));
  CHECK_FALSE(is_agent(of_image("acme:5000/mirror/fluent-bit:3"), "acme"));
  CHECK(is_agent(of_image("registry.acme.io/acme/fluent-bit:3"), "acme"));
  CHECK(is_agent(of_image("acme/fluent-bit:3"), "acme"));
  CHECK(is_agent(of_image("quay.io/mirror/the-acmeagent@sha256:00"), "acme"));
  CHECK_FALSE(is_agent(of_image("quay.io/mirror/placme:3"), "acme"));
  CHECK_FALSE(is_agent(of_image("example/exporter:3"), "x"));
}
