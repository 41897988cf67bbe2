// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/startup/readiness_findings.h"

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/test_fix.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/test_scene.h"
#include "diagnosis/test_story.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;

TEST_CASE("the probe budget is the time until a container must be ready", "[diagnosis]") {
  model::Container container;
  CHECK(probe_budget(container) == 0);
  container.readiness_probe = model::Probe{};  // defaults: every 10 s, once
  CHECK(probe_budget(container) == 10);
  container.startup_probe = model::Probe{"", 5, 10, 1, 30};
  CHECK(probe_budget(container) == 5 + 300 + 10);
  container.readiness_probe = model::Probe{"", 20, 5, 3, 3};
  CHECK(probe_budget(container) == 305 + 20 + 15);
  container.startup_probe = model::Probe{"", INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
  CHECK(probe_budget(container) > 1'000'000);
  container.startup_probe = model::Probe{"", INT64_MIN, -1, -1, -1};
  CHECK(probe_budget(container) == 30 + 20 + 15);
}

TEST_CASE("a container that does not pass its probe is reported", "[diagnosis]") {
  Scene scene;
  respec(scene).containers[0].readiness_probe = model::Probe{"httpGet /ready:80", 0, 10, 1, 3};
  model::Pod& pod = scene.unready_pod();
  pod.statuses[0].running_since = scene.now - std::chrono::seconds(71);
  SECTION("for too long") {
    const Finding finding = scene.one("probe-failing");
    CHECK(finding.severity == Severity::Error);
    CHECK(finding.basis == Basis::Recomputed);
    CHECK(text_of(finding.message)
              .find("readiness probe httpGet /ready:80 of container main fails; it runs since") !=
          std::string::npos);
  }
  SECTION("with the kubelet's event") {
    scene
        .event("agent-00001", "Unhealthy",
               "Readiness probe failed: HTTP probe failed with statuscode: 503", 5)
        .count = 7;
    const Finding finding = scene.one("probe-failing");
    CHECK(finding.basis == Basis::Confirmed);
    CHECK(text_of(finding.message).ends_with("statuscode: 503, at least 7 times"));
  }
  SECTION("with an event that the API server combined from similar ones") {
    scene.event("agent-00001", "Unhealthy",
                "(combined from similar events): Readiness probe failed: read tcp :50772: reset",
                5);
    CHECK(text_of(scene.one("probe-failing").message)
              .ends_with("s: Readiness probe failed: read tcp :50772: "
                         "reset"));
  }
  SECTION("within its budget") {
    pod.statuses[0].running_since = scene.now - std::chrono::seconds(69);
    CHECK(scene.one("probe-failing").severity == Severity::Info);
    CHECK(scene.one("probe-failing").transient);
  }
  SECTION("a startup probe suspends it") {
    model::PodSpec spec = *pod.spec;
    spec.containers[0].startup_probe = model::Probe{"exec", 0, 10, 1, 30};
    pod.spec = spec;
    pod.statuses[0].started = false;
    CHECK(text_of(scene.one("probe-failing").message).find("its startup probe exec") !=
          std::string::npos);
  }
  SECTION("a failing liveness probe restarts the container") {
    model::PodSpec spec = *pod.spec;
    spec.containers[0].readiness_probe.reset();
    spec.containers[0].liveness_probe = model::Probe{"tcpSocket :80", 0, 10, 1, 3};
    pod.spec = spec;
    scene.event("agent-00001", "Unhealthy", "Liveness probe failed: connection refused", 5);
    CHECK(text_of(scene.one("probe-failing").message)
              .starts_with("the kubelet restarts container main because its liveness probe "
                           "tcpSocket :80 fails"));
  }
}

TEST_CASE("a probe failure belongs to the container in its event", "[diagnosis]") {
  Scene scene;
  const model::Probe probe{"httpGet /:80", 0, 10, 1, 3};
  model::PodSpec& spec = respec(scene);
  spec.containers = {Scene::container("alpha"), Scene::container("beta")};
  for (model::Container& container : spec.containers) {
    container.readiness_probe = container.liveness_probe = probe;
  }
  model::Pod& pod = scene.unready_pod();
  pod.statuses = {pod.statuses[0], pod.statuses[0]};
  pod.statuses[0].name = "alpha";
  pod.statuses[1].name = "beta";
  for (const char* text : {"Readiness probe failed: 500", "Liveness probe failed: 503"}) {
    scene.event("agent-00001", "Unhealthy", text, 5).field_path = "spec.containers{beta}";
  }
  const auto messages = [&] {
    std::vector<std::string> result;
    for (const Finding& finding : scene.found()) {
      const std::size_t from = text_of(finding.message).find("container ");
      result.push_back(
          text_of(finding.message)
              .substr(from + 10, text_of(finding.message).find(' ', from + 10) - from - 10) +
          (text_of(finding.message).ends_with("failed: 500")   ? " 500"
           : text_of(finding.message).ends_with("failed: 503") ? " 503"
                                                               : ""));
    }
    return result;
  };
  CHECK(messages() == std::vector<std::string>{"alpha", "beta 500", "beta 503"});
  SECTION("an init container's event is not used") {
    for (model::Event& event : scene.cluster.events)
      event.field_path = "spec.initContainers{setup}";
    CHECK(messages() == std::vector<std::string>{"alpha", "beta"});
  }
  SECTION("an unknown container's event is not used") {
    for (model::Event& event : scene.cluster.events) event.field_path = {};
    CHECK(messages() == std::vector<std::string>{"alpha", "beta"});
  }
}

TEST_CASE("false readiness gates are listed", "[diagnosis]") {
  Scene scene;
  respec(scene).readiness_gates = {"example.com/lb", "example.com/dns", "example.com/ok"};
  model::Pod& pod = scene.unready_pod();
  pod.conditions[1].reason = "ReadinessGatesNotReady";
  pod.conditions.push_back({"example.com/dns", "False", "Pending", "", at(5)});
  pod.conditions.push_back({"example.com/ok", "True", "", "", at(5)});
  CHECK(text_of(scene.one("readiness-gate").message) ==
        "readiness gates are not passed: example.com/lb (no such condition yet); example.com/dns "
        "(False, Pending)");
}

TEST_CASE("a ready pod becomes available after minReadySeconds", "[diagnosis]") {
  Scene scene;
  scene.ds().min_ready_seconds = 300;
  scene.pod().conditions[1].last_transition = scene.now - std::chrono::seconds(20);
  const Finding finding = scene.one("pod-warming");
  CHECK(finding.transient);
  CHECK(text_of(finding.message).ends_with("available after minReadySeconds 300: 280s left"));
  scene.now += std::chrono::seconds(280);
  CHECK(scene.ids().empty());
}

TEST_CASE("restarts of a ready pod are reported by rate and age", "[diagnosis]") {
  Scene scene;
  model::Pod& pod = scene.pod();
  model::ContainerStatus& status = pod.statuses[0];
  status.restart_count = 600;
  status.last_terminated = model::TerminatedState{1, 0, "Error", "", at(100), at(200)};
  SECTION("an old pod is judged by its average") {
    pod.start_time = at(-30 * 86400);
    CHECK(scene.one("restarts-high").basis == Basis::Suspected);
    status.restart_count = 100;
    CHECK(scene.ids().empty());
    status.restart_count = INT64_MAX;
    CHECK(scene.ids() == "restarts-high");
  }
  SECTION("five restarts are not reported") {
    status.restart_count = 5;
    CHECK(scene.ids().empty());
  }
  SECTION("an exit more than a day ago is ignored") {
    scene.now = at(200 + 86400);
    CHECK(scene.ids().empty());
  }
  SECTION("a Rebooted event explains the restarts") {
    model::Event& event = scene.event("n1", "Rebooted", "Node n1 has been rebooted");
    event.kind = "Node";
    CHECK(scene.ids().empty());
  }
  SECTION("a node that became Ready just after the exit explains the restarts") {
    scene.cluster.nodes[0].conditions[0].last_transition = at(260);
    CHECK(scene.ids().empty());
  }
}
