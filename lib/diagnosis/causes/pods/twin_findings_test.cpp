// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/pods/twin_findings.h"

#include <catch2/catch.hpp>

#include "diagnosis/catalogue/test_fix.h"
#include "diagnosis/test_scene.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;

namespace {

/// A pod of DaemonSet x/agent on n1, which uses the network of the node.
model::Pod& own_pod(Scene& scene) {
  scene.ds().pod_template.host_network = true;
  model::Pod& pod = scene.pod();
  pod.host_network = true;
  return pod;
}

/// A static pod of n1 with the image and the network of the node.
model::Pod& static_pod(Scene& scene, const char* image) {
  model::Pod& pod = scene.pod();
  pod.meta.name = "agent-n1";
  pod.meta.controller = model::ControllerRef{"Node", "n1", "uid-9"};
  pod.meta.labels = {};
  pod.mirror = true;
  pod.host_network = true;
  auto spec = *pod.spec;
  spec.containers[0].image = image;
  pod.spec = spec;
  return pod;
}

void make_fail(model::Pod& pod, const char* message) {
  pod.conditions[1] = {"Ready", "False", "ContainersNotReady", "", at(10)};
  model::ContainerStatus status = pod.statuses[0];
  status.ready = false;
  status.running = false;
  status.waiting = model::WaitingState{"CrashLoopBackOff", ""};
  status.last_terminated = model::TerminatedState{1, 0, "Error", message, at(100), at(130)};
  pod.statuses = {status};
}

}  // namespace

TEST_CASE("the name of a program is that of its image", "[diagnosis]") {
  CHECK(program_of("registry.example:5000/team/kube-proxy:v1@sha256:12ab") == "kube-proxy");
  CHECK(program_of("kube-proxy") == "kube-proxy");
  CHECK(program_of("registry.example/release/art@sha256:12ab") == "art@sha256:12ab");
  CHECK(program_of("kube-proxy:v2") == "kube-proxy");
  CHECK(program_of("").empty());
}

TEST_CASE("a failing pod beside a static pod of its program is one problem", "[diagnosis]") {
  Scene scene;
  own_pod(scene);
  static_pod(scene, "mirror.example/agent:2");
  make_fail(scene.cluster.pods[0], "listen tcp :10249: bind: address already in use");
  CHECK(scene.ids() == "pod-program-conflict container-crash container-port-bind");
  Finding finding = scene.one("pod-program-conflict");
  CHECK(text_of(finding.message) ==
        "static pod x/agent-n1 runs agent on the node as well, and both need the node's ports; "
        "container "
        "main fails: listen tcp :10249: bind: address already in use");
  CHECK(finding.basis != Basis::Suspected);
  CHECK(fix_of(finding).starts_with("delete the DaemonSet: kubectl --namespace x delete"));
  SECTION("the DaemonSet of a Helm release") {
    scene.ds().annotations.set("meta.helm.sh/release-name", "old");
    scene.ds().annotations.set("meta.helm.sh/release-namespace", "x");
    CHECK(fix_of(scene.one("pod-program-conflict"))
              .starts_with("uninstall the Helm release of the DaemonSet: helm --namespace x "
                           "uninstall old"));
  }
  SECTION("no message shows that a port is in use") {
    make_fail(scene.cluster.pods[0], "no such file");
    const Finding suspected = scene.one("pod-program-conflict");
    CHECK(suspected.basis == Basis::Suspected);
    CHECK(suspected.severity == Severity::Info);
    CHECK(suspected.standing == Standing::Context);
    scene.ds().pod_template.spec.containers[0].ports = {{10249, 10249, "TCP", ""}};
    auto spec = *scene.cluster.pods[1].spec;
    spec.containers[0].ports = {{10249, 10249, "TCP", ""}};
    scene.cluster.pods[1].spec = spec;
    CHECK(scene.one("pod-program-conflict").severity == Severity::Error);
  }
  SECTION("both fail, another program, or another network: not in conflict") {
    const std::string_view id = "pod-program-conflict";
    SECTION("both") { make_fail(scene.cluster.pods[1], "listen: address already in use"); }
    SECTION("another program") {
      auto spec = *scene.cluster.pods[1].spec;
      spec.containers[0].image = "other:1";
      scene.cluster.pods[1].spec = spec;
    }
    SECTION("another network") { scene.cluster.pods[1].host_network = false; }
    CHECK(scene.ids().find(id) == std::string::npos);
  }
}

TEST_CASE("another DaemonSet of the same program conflicts as well", "[diagnosis]") {
  Scene scene;
  own_pod(scene);
  model::Pod& other = static_pod(scene, "registry.example/agent:1");
  other.mirror = false;
  other.meta.controller = model::ControllerRef{"DaemonSet", "agent-two", "uid-2"};
  make_fail(scene.cluster.pods[0], "listen tcp :10249: bind: address already in use");
  const Finding finding = scene.one("pod-program-conflict");
  CHECK(text_of(finding.message).starts_with("DaemonSet x/agent-two runs agent on the node"));
  CHECK(fix_of(finding) ==
        "run one of the two DaemonSets, x/agent or x/agent-two, or both on different nodes");
  SECTION("a common sidecar makes no twins") {
    auto spec = *scene.cluster.pods[1].spec;
    spec.containers.push_back(Scene::container("second"));
    spec.containers[1].image = "second:1";
    scene.cluster.pods[1].spec = spec;
    scene.ds().pod_template.spec.containers.push_back(Scene::container("third"));
    scene.ds().pod_template.spec.containers[1].image = "third:1";
    CHECK(scene.ids().find("pod-program-conflict") == std::string::npos);
  }
}

TEST_CASE("a program that runs twice without a conflict is information", "[diagnosis]") {
  Scene scene;
  own_pod(scene);
  static_pod(scene, "registry.example/agent:2");
  CHECK(scene.ids().empty());  // on the node: it is Running
  auto findings = scene.twins();
  REQUIRE(Scene::ids_of(findings) == "daemonset-program-twice");
  CHECK(findings[0].severity == Severity::Info);
  CHECK(text_of(findings[0].message) ==
        "agent runs twice on 1 node, also as 1 static pod: image registry.example/agent:2, here "
        "registry.example/agent:1");
  CHECK(findings[0].nodes == std::vector<std::string>{"n1"});
  SECTION("an error if the static pod fails") {
    make_fail(scene.cluster.pods[1], "bind: address already in use");
    findings = scene.twins();
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].severity == Severity::Error);
    CHECK(text_of(findings[0].message).ends_with("; failing: agent-n1"));
  }
  SECTION("nothing on different nodes") {
    scene.node("n2");
    scene.cluster.pods[1].node_name = "n2";
    CHECK(scene.twins().empty());
  }
}

TEST_CASE("two DaemonSets of one program are information where both run", "[diagnosis]") {
  Scene scene;
  own_pod(scene);
  model::DaemonSet other = scene.ds();
  other.meta.ns = "y";
  other.meta.name = "agent-two";
  other.meta.uid = "uid-2";
  scene.cluster.daemon_sets.push_back(other);
  model::Pod& pod = static_pod(scene, "registry.example/agent:1");
  pod.mirror = false;
  pod.meta.ns = "y";
  pod.meta.controller = model::ControllerRef{"DaemonSet", "agent-two", "uid-2"};
  auto findings = scene.twins();
  REQUIRE(Scene::ids_of(findings) == "daemonset-program-twice");
  CHECK(text_of(findings[0].message)
            .starts_with("agent runs twice on 1 node, also in DaemonSet y/agent-two: image"));
  SECTION("parts of one product, in one namespace") {
    scene.cluster.daemon_sets[1].meta.ns = "x";
    scene.cluster.pods[1].meta.ns = "x";
    CHECK(scene.twins().empty());
  }
  SECTION("each in its own network") {
    scene.cluster.daemon_sets[1].pod_template.host_network = false;
    CHECK(scene.twins().empty());
  }
  SECTION("on different nodes") {
    scene.node("n2");
    scene.cluster.pods[1].node_name = "n2";
    CHECK(scene.twins().empty());
  }
}
