// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/evidence/daemon_set_events.h"

#include <fmt/format.h>

#include "diagnosis/test_scene.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;

namespace {

/// "reason of pod" for each event, in order.
std::string text(const Facts::Events& events) {
  std::string result;
  for (const model::Event* event : events) {
    result += fmt::format("{}{} of {}", result.empty() ? "" : ", ", event->reason.view(),
                          event->name.view());
  }
  return result;
}

model::Event& of_daemon_set(Scene& scene, const char* reason, const char* message,
                            std::int64_t ago = 60) {
  model::Event& event = scene.event("agent", reason, message, ago);
  event.kind = "DaemonSet";
  event.host = {};
  event.component = "daemonset-controller";
  return event;
}

}  // namespace

TEST_CASE("events of a DaemonSet are indexed by the node in their message", "[diagnosis][events]") {
  Scene scene;
  of_daemon_set(scene, "FailedDaemonPod",
                "Found failed daemon pod x/agent-00001 on node n1, will try to kill it");
  of_daemon_set(scene, "SucceededDaemonPod",
                "Found succeeded daemon pod x/agent-00002 on node n10, will try to delete it");
  of_daemon_set(scene, "FailedCreate", "Error creating: quota", 90);
  of_daemon_set(scene, "FailedCreate", "Error creating: quota", 30).component = "somebody";
  const Facts facts(scene.cluster, scene.now);
  const DaemonSetEvents events(scene.ds(), facts);
  CHECK(events.own().size() == 4);
  CHECK(text(events.own_on("n1")) == "FailedDaemonPod of agent");
  CHECK(text(events.own_on("n10")) == "SucceededDaemonPod of agent");
  CHECK(events.own_on("n2").empty());
  REQUIRE(events.last_refusal() != nullptr);
  CHECK(events.last_refusal()->component == "daemonset-controller");
  CHECK_FALSE(events.has_recovered());
}

TEST_CASE("a rejection is over if a pod was created later", "[diagnosis][events]") {
  Scene scene;
  of_daemon_set(scene, "FailedCreate", "Error creating: quota", 90);
  const std::int64_t ago = GENERATE(100, 90, 80);
  of_daemon_set(scene, "SuccessfulCreate", "Created pod: agent-00001", ago);
  const Facts facts(scene.cluster, scene.now);
  const DaemonSetEvents events(scene.ds(), facts);
  CHECK((events.last_refusal() == nullptr) == (ago < 90));
  CHECK(events.has_recovered() == (ago < 90));
}

TEST_CASE("events of pods are indexed by kubelet or by the node in the scheduler's message",
          "[diagnosis][events]") {
  Scene scene;
  scene.event("agent-bbbbb", "OutOfcpu", "no room", 20);
  scene.event("agent-aaaaa", "Evicted", "no disk", 40);
  scene.event("agent-aaaaa", "Started", "Started container main").type = "Normal";
  scene.event("agent-eu-aaaaa", "Evicted", "no disk");  // belongs to DaemonSet agent-eu
  scene.event("agent-ccccc", "Preempted", "Preempted by pod 1234 on node n2").host = {};
  const Facts facts(scene.cluster, scene.now);
  const DaemonSetEvents events(scene.ds(), facts);
  CHECK(text(events.complaints_of("n1")) == "Evicted of agent-aaaaa, OutOfcpu of agent-bbbbb");
  CHECK(events.complaints_of("n2").empty());
  CHECK(text(events.preemptions_on("n2")) == "Preempted of agent-ccccc");
  CHECK(events.preemptions_on("n1").empty());
}

TEST_CASE("evictions are indexed by the node of their pod", "[diagnosis][events]") {
  Scene scene;
  const auto evict = [&](const char* pod, std::int64_t ago) {
    scene.event(pod, "TaintManagerEviction", "Marking for deletion Pod x/agent", ago).host = {};
  };
  evict("agent-bybbb", 50);
  evict("agent-aaaaa", 40);
  evict("agent-ccccc", 30);
  evict("agent-ddddd", 20);
  scene.event("agent-aaaaa", "Started", "Started container main", 55);
  scene.event("agent-bybbb", "Scheduled", "Successfully assigned x/agent-bybbb to n1").host = {};
  scene.event("agent-ccccc", "Scheduled", "Successfully assigned x/agent-ccccc to n10").host = {};
  scene.event("agent-ddddd", "TaintManagerEviction", "Cancelling deletion of Pod x/agent")
      .host = {};
  model::Pod& pod = scene.pod();
  pod.meta.name = "agent-ddddd";
  const Facts facts(scene.cluster, scene.now);
  const DaemonSetEvents events(scene.ds(), facts);
  CHECK(text(events.evictions_on("n1", {})) ==
        "TaintManagerEviction of agent-bybbb, TaintManagerEviction of agent-aaaaa");
  CHECK(text(events.evictions_on("n1", {&scene.cluster.pods.front()})) ==
        "TaintManagerEviction of agent-bybbb, TaintManagerEviction of agent-aaaaa, "
        "TaintManagerEviction of agent-ddddd");
  CHECK(text(events.evictions_on("n10", {})) == "TaintManagerEviction of agent-ccccc");
}
