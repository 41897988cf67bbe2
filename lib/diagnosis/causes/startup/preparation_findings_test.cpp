// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/startup/preparation_findings.h"

#include "diagnosis/catalogue/test_fix.h"
#include "diagnosis/test_scene.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;

TEST_CASE("a problem that the pod got past is not reported", "[diagnosis]") {
  const std::string reason = GENERATE("FailedMount", "FailedCreatePodSandBox", "NetworkNotReady");
  Scene scene;
  model::Pod& pod = scene.waiting_pod("ContainerCreating");
  scene.event("agent-00001", reason, "failed", 300);
  SECTION("a later step shows progress") {
    scene.event("agent-00001", "Pulled", "Container image is present", 200);
    CHECK(scene.ids() == "creating-slow");
  }
  SECTION("a container that pulls its image shows progress") {
    pod.statuses[0].waiting->reason = "ImagePullBackOff";
    CHECK(scene.ids() == "image-pull");
  }
}

TEST_CASE("network trouble of a young pod or a new node is transient", "[diagnosis]") {
  Scene scene;
  model::Pod& pod = scene.waiting_pod("ContainerCreating");
  const char* id = GENERATE("sandbox", "network-not-ready");
  CAPTURE(id);
  scene.event("agent-00001",
              std::string_view(id) == "sandbox" ? "FailedCreatePodSandBox" : "NetworkNotReady",
              "cni plugin not initialized");
  CHECK(scene.one(id).severity == Severity::Error);
  SECTION("a young pod") { pod.start_time = scene.now - std::chrono::seconds(59); }
  SECTION("a new node") {
    scene.cluster.nodes[0].meta.created = scene.now - std::chrono::seconds(119);
  }
  SECTION("a node that has just become ready") {
    scene.cluster.nodes[0].conditions[0].last_transition = scene.now - std::chrono::seconds(119);
  }
  CHECK(scene.one(id).severity == Severity::Info);
  CHECK(scene.one(id).transient);
}

TEST_CASE("a pod on the host network does not depend on the pod network", "[diagnosis]") {
  Scene scene;
  scene.waiting_pod("ContainerCreating").host_network = true;
  scene.event("agent-00001", "NetworkNotReady", "network is not ready");
  CHECK(scene.ids() == "creating-slow");
}

TEST_CASE("creating-slow is transient within its threshold", "[diagnosis]") {
  Scene scene;
  model::Pod& pod = scene.waiting_pod("ContainerCreating");
  CHECK(scene.one("creating-slow").severity == Severity::Warning);
  pod.conditions.push_back({"PodReadyToStartContainers", "False", "", "", at(2)});
  CHECK(text_of(scene.one("creating-slow").message)
            .ends_with("its volumes, sandbox or network are not ready"));
  scene.now = at(200);
  CHECK(scene.one("creating-slow").severity == Severity::Info);
  CHECK(scene.one("creating-slow").transient);
  pod.start_time.reset();  // there is no PodScheduled True either: the pod's age is unknown
  pod.conditions.clear();
  CHECK(scene.one("creating-slow").severity == Severity::Info);
}

TEST_CASE("a slow start shows the warning that no other finding uses", "[diagnosis]") {
  Scene scene;
  scene.waiting_pod("ContainerCreating");
  const char* text = "mkdir /sys/fs/cgroup/memory/podf3a1: cannot allocate memory";
  scene.event("agent-00001", "FailedCreatePodContainer", text, 300);
  scene.event("agent-00001", "DNSConfigForming", "Nameserver limits were exceeded", 20);
  scene.event("agent-00001", "PolicyViolation", "policy x fails", 10).component = "kyverno";
  const Finding finding = scene.one("creating-slow");
  CHECK(text_of(finding.message).ends_with(std::string(": FailedCreatePodContainer: ") + text));
  CHECK(finding.group == "FailedCreatePodContainer");
  scene.event("agent-00001", "Pulled", "Container image is present", 200).type = "Normal";
  CHECK(text_of(scene.one("creating-slow").message).ends_with("; no event says what is missing"));
}

TEST_CASE("a slow start beside pods of other DaemonSets is the node's problem", "[startup]") {
  Scene scene;
  model::Pod& pod = scene.waiting_pod("ContainerCreating");
  pod.start_time = scene.now - std::chrono::seconds(20);
  CHECK(scene.one("creating-slow").root.empty());
  model::Pod& other = scene.waiting_pod("ContainerCreating");
  other.meta.labels = {};
  other.meta.controller->name = "other";
  other.meta.controller->uid = "other-uid";
  CHECK(scene.one("creating-slow").root == "Node");
  scene.event("agent-00001", "Pulling", "Pulling image \"registry.example/agent:1\"");
  const Finding pulling = scene.one("image-pulling");
  CHECK(pulling.root == "Node");
  CHECK(pulling.group.empty());  // the pods can wait for different images
  scene.cluster.pods.back().phase = "Running";
  CHECK(scene.one("image-pulling").group == "registry.example/agent:1");
}

TEST_CASE("a failure older than the node's restart is not transient", "[startup]") {
  Scene scene;
  model::Pod& pod = scene.waiting_pod("ContainerCreating");
  pod.start_time = at(1);
  model::Event& event = scene.event("agent-00001", "FailedMount",
                                    "MountVolume.SetUp failed for volume \"tls\" : secret "
                                    "\"agent-tls\" not found",
                                    20);
  event.first = scene.now - std::chrono::seconds(30);
  CHECK_FALSE(scene.one("volume-mount").transient);
  scene.cluster.nodes[0].conditions[0].last_transition = scene.now - std::chrono::seconds(60);
  CHECK(scene.one("volume-mount").transient);
  event.first = scene.now - std::chrono::seconds(120);
  CHECK_FALSE(scene.one("volume-mount").transient);
}

TEST_CASE("recreated sandboxes do not make a pod younger", "[startup]") {
  Scene scene;
  model::Pod& pod = scene.waiting_pod("ContainerCreating");
  pod.conditions.push_back({"PodReadyToStartContainers", "False", "", "", scene.now});
  const Finding finding = scene.one("creating-slow");
  CHECK_FALSE(finding.transient);
  CHECK(finding.overdue_since == *pod.start_time + threshold::creating);
}

TEST_CASE("a pod whose containers have exited is prepared again", "[startup]") {
  Scene scene;
  model::Pod& pod = scene.waiting_pod("ContainerCreating");
  pod.phase = "Running";
  model::ContainerStatus& status = pod.statuses[0];
  const model::TerminatedState end{255, 0, "Unknown", "", at(100), at(200)};
  scene.event("agent-00001", "FailedCreatePodSandBox", "no runtime for \"kata\" is configured");
  SECTION("with containerd's status after a restart") {
    status.waiting.reset();
    status.terminated = end;
    CHECK(scene.ids() == "sandbox");
    status.terminated = model::TerminatedState{255, 0, "Unknown", "", at(100), scene.now};
    CHECK(scene.ids().find("sandbox") == std::string::npos);  // the pod was started since
    CHECK(fix_of(scene.one("container-crash")) ==
          "kubectl --namespace x logs agent-00001 --container main");
  }
  SECTION("the threshold starts at the end of the last run") {
    scene.cluster.events.clear();
    pod.start_time = at(-80000);
    status.last_terminated = model::TerminatedState{137, 0, "ContainerStatusUnknown", "", {}, {}};
    const auto before = pod.conditions;
    const auto waiting_for = [&](std::int64_t seconds) {
      pod.conditions = before;
      pod.conditions.push_back(
          {"ContainersReady", "False", "", "", scene.now - std::chrono::seconds(seconds)});
      return scene.one("creating-slow");
    };
    CHECK(waiting_for(30).transient);
    CHECK(waiting_for(301).overdue_since == scene.now - std::chrono::seconds(1));
    pod.conditions = before;
    status.last_terminated =
        model::TerminatedState{137, 0, "Error", "", at(100), scene.now - std::chrono::seconds(9)};
    CHECK(text_of(scene.one("creating-slow").message).starts_with("ContainerCreating for 9s"));
  }
  SECTION("with an emptied container store") {
    status.last_terminated = end;
    CHECK(scene.ids() == "sandbox");
  }
}
