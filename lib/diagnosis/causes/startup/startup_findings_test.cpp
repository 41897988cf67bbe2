// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/startup/startup_findings.h"

#include <functional>
#include <set>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/test_fix.h"
#include "diagnosis/causes/startup/readiness_findings.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/test_scene.h"
#include "diagnosis/test_story.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;

namespace {

/// A pod with two init containers, the second one a sidecar, before the main container.
model::Pod& pod_with_init(Scene& scene) {
  respec(scene).init_containers = {Scene::container("setup"), Scene::container("proxy")};
  respec(scene).init_containers[1].restart_policy = "Always";
  model::Pod& pod = scene.waiting_pod("PodInitializing");
  pod.init_statuses.resize(2);
  pod.init_statuses[0].name = "setup";
  pod.init_statuses[1].name = "proxy";
  for (auto& status : pod.init_statuses)
    status.waiting = model::WaitingState{"PodInitializing", ""};
  return pod;
}

struct Row {
  const char* id;
  std::function<void(Scene&)> arrange;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      {"image-pull", [](Scene& s) { s.waiting_pod("ImagePullBackOff", "Back-off pulling image"); }},
      {"image-pull", [](Scene& s) { s.waiting_pod("ErrImagePull", "not found"); }},
      {"image-invalid", [](Scene& s) { s.waiting_pod("InvalidImageName", "couldn't parse"); }},
      {"image-never", [](Scene& s) { s.waiting_pod("ErrImageNeverPull", "not present"); }},
      {"image-pulling",
       [](Scene& s) {
         s.waiting_pod("ContainerCreating");
         s.event("agent-00001", "Pulling", "Pulling image \"registry.example/agent:1\"");
       }},
      {"volume-mount",
       [](Scene& s) {
         s.waiting_pod("ContainerCreating");
         s.event("agent-00001", "FailedMount",
                 "MountVolume.SetUp failed for volume \"tls\" : secret \"agent-tls\" not found");
       }},
      {"sandbox",
       [](Scene& s) {
         s.waiting_pod("ContainerCreating");
         s.event("agent-00001", "FailedCreatePodSandBox",
                 "Failed to create pod sandbox: plugin type=\"aws-cni\" failed (add): failed to "
                 "assign an IP address to container");
       }},
      {"network-not-ready",
       [](Scene& s) {
         s.waiting_pod("ContainerCreating");
         s.event("agent-00001", "NetworkNotReady",
                 "network is not ready: cni plugin not initialized");
       }},
      {"dra-prepare",
       [](Scene& s) {
         respec(s).resource_claims = {{"gpu", "claim-1", ""}};
         s.waiting_pod("ContainerCreating");
         s.event("agent-00001", "FailedPrepareDynamicResources", "driver gpu.example not found");
       }},
      {"creating-slow", [](Scene& s) { s.waiting_pod("ContainerCreating"); }},
      {"container-config",
       [](Scene& s) {
         s.waiting_pod("CreateContainerConfigError", "configmap \"agent-config\" not found");
       }},
      {"container-create",
       [](Scene& s) {
         s.waiting_pod("RunContainerError", "exec: \"/agent\": executable file not found in $PATH");
       }},
      {"container-create", [](Scene& s) { s.crashing_pod(128, "StartError", "exec format"); }},
      {"container-crash", [](Scene& s) { s.crashing_pod(1); }},
      {"container-oom container-crash", [](Scene& s) { s.crashing_pod(137, "OOMKilled"); }},
      {"container-crash container-port-bind",
       [](Scene& s) {
         s.crashing_pod(1, "Error", "listen tcp [::]:9100: bind: address already in use")
             .host_network = true;
       }},
      {"container-not-restarted", [](Scene& s) { s.ended_pod(0, "Completed"); }},
      {"init-blocked container-crash",
       [](Scene& s) {
         model::ContainerStatus& setup = pod_with_init(s).init_statuses[0];
         setup.waiting->reason = "CrashLoopBackOff";
         setup.last_terminated = model::TerminatedState{2, 0, "Error", "", at(5), at(6)};
       }},
      {"probe-failing",
       [](Scene& s) {
         respec(s).containers[0].readiness_probe = model::Probe{"httpGet /ready:80", 0, 10, 1, 3};
         s.unready_pod();
       }},
      {"readiness-gate",
       [](Scene& s) {
         respec(s).readiness_gates = {"example.com/lb"};
         model::Pod& pod = s.unready_pod();
         pod.conditions[1].reason = "ReadinessGatesNotReady";
         pod.statuses[0].ready = true;
       }},
      {"not-ready-node",
       [](Scene& s) {
         s.cluster.nodes[0].conditions[0].status = "Unknown";
         s.ds().pod_template.tolerations = {{"", "Exists", "", ""}};
         s.unready_pod().statuses[0].ready = true;
       }},
      {"pod-warming",
       [](Scene& s) {
         s.ds().min_ready_seconds = 300;
         s.pod().conditions[1].last_transition = s.now - std::chrono::seconds(20);
       }},
      {"restarts-high",
       [](Scene& s) {
         model::ContainerStatus& status = s.pod().statuses[0];
         status.restart_count = 6;
         status.last_terminated = model::TerminatedState{1, 0, "Error", "", at(100), at(200)};
       }},
  };
  return all;
}

}  // namespace

TEST_CASE("every finding about startup and readiness has a scene that shows it", "[diagnosis]") {
  std::set<std::string> seen;
  for (const Row& row : rows()) {
    Scene scene;
    row.arrange(scene);
    CHECK(scene.ids() == row.id);
    for (const Finding& finding : scene.found()) seen.emplace(finding.name());
  }
  for (const CatalogueEntry& entry : catalogue()) {
    if (entry.family != Family::Startup && entry.family != Family::Readiness) continue;
    CAPTURE(std::string(entry.id));
    CHECK(seen.contains(std::string(entry.id)));
  }
}

TEST_CASE("a healthy pod has no startup findings", "[diagnosis]") {
  Scene scene;
  respec(scene).containers[0].readiness_probe = model::Probe{};
  scene.pod();
  scene.event("agent-00001", "FailedMount", "a failure that passed", 3000);
  scene.event("agent-00001", "Unhealthy", "Readiness probe failed: once", 3000);
  CHECK(scene.ids().empty());
}

TEST_CASE("init containers stop at the first unfinished one", "[diagnosis]") {
  Scene scene;
  model::Pod& pod = pod_with_init(scene);
  model::ContainerStatus& setup = pod.init_statuses[0];
  model::ContainerStatus& proxy = pod.init_statuses[1];
  const auto run = [](model::ContainerStatus& status) {
    status.waiting.reset();
    status.running = true;
    status.running_since = at(5);
  };
  const auto finish = [](model::ContainerStatus& status) {
    status.waiting.reset();
    status.terminated = model::TerminatedState{0, 0, "Completed", "", at(5), at(6)};
  };
  SECTION("no init container has started") { CHECK(scene.ids() == "creating-slow"); }
  SECTION("a long-running init container can be intended") {
    run(setup);
    CHECK(scene.ids() == "init-blocked");
    const Finding finding = scene.one("init-blocked");
    CHECK(finding.severity == Severity::Warning);
    CHECK(text_of(finding.message) ==
          "Init:0/2: init container setup (1 of 2) has not ended; later containers cannot start: "
          "running since 2023-11-14 22:13:25 UTC");
    CHECK(fix_of(finding) == "kubectl --namespace x logs agent-00001 --container setup");
    scene.now = at(60);
    CHECK(scene.one("init-blocked").transient);
  }
  SECTION("its image cannot be pulled") {
    setup.waiting->reason = "ErrImagePull";
    CHECK(scene.ids() == "init-blocked image-pull");
  }
  SECTION("a sidecar that never started") {
    finish(setup);
    run(proxy);
    proxy.started = false;
    const Finding finding = scene.one("init-blocked");
    CHECK(finding.severity == Severity::Error);
    CHECK(text_of(finding.message).starts_with("Init:1/2: sidecar proxy (2 of 2) has not passed"));
    model::PodSpec spec = *pod.spec;
    model::Probe& probe = spec.init_containers[1].startup_probe.emplace();
    probe.period = 60;
    probe.failure_threshold = 60;
    pod.spec = spec;
    CHECK(scene.one("init-blocked").transient);  // its startup probe allows another half hour
  }
  SECTION("after all init containers the main container's problem is reported") {
    finish(setup);
    run(proxy);
    proxy.started = true;
    proxy.ready = true;
    pod.statuses[0].waiting->reason = "CreateContainerConfigError";
    CHECK(scene.ids() == "container-config");
  }
  SECTION("a sidecar that crashes later") {
    pod.conditions.push_back({"Initialized", "True", "", "", at(3)});
    finish(setup);
    proxy.waiting->reason = "CrashLoopBackOff";
    CHECK(scene.ids() == "container-crash");
  }
}

TEST_CASE("the evidence of a crash has the path of the pod's field", "[diagnosis]") {
  Scene scene;
  model::Pod& pod = scene.crashing_pod(2, "Error", "unknown flag");
  const ObjectRef its_pod{"Pod", "x", pod.meta.name.str()};
  const std::string at = "status.containerStatuses[0].lastState.terminated.";
  const auto evidence = scene.one("container-crash").evidence;
  REQUIRE(evidence.size() == 4);
  CHECK(evidence[0].path == "status.containerStatuses[0].state.waiting.message");
  CHECK(evidence[1] == Evidence(its_pod, at + "exitCode", "2"));
  CHECK(evidence[2] == Evidence(its_pod, at + "reason", "Error"));
  CHECK(evidence[3] == Evidence(its_pod, at + "message", "unknown flag"));
  pod.statuses[0].waiting.reset();
  pod.statuses[0].terminated = pod.statuses[0].last_terminated;
  scene.now = dsdoctor::testing::at(140);
  CHECK(scene.one("container-crash").evidence[0].path ==
        "status.containerStatuses[0].state.terminated.exitCode");
}

TEST_CASE("a crash is reported with its exit", "[diagnosis]") {
  Scene scene;
  model::Pod& pod = scene.crashing_pod(2, "Error", "\n unknown flag: --prot\nusage: agent\n");
  SECTION("code, run time, termination message, restarts") {
    const Finding finding = scene.one("container-crash");
    CHECK(
        text_of(finding.message) ==
        "CrashLoopBackOff: container main exits with code 2 (application error, often its command "
        "line) 30s after start (7 restarts); termination message: \"unknown flag: --prot\"");
    CHECK(fix_of(finding) == "kubectl --namespace x logs agent-00001 --container main --previous");
    CHECK(finding.group == "main|2|Error");
  }
  SECTION("a probe made the kubelet kill it") {
    model::Event& event = scene.event("agent-00001", "Killing",
                                      "Container main failed liveness probe, will be restarted");
    event.type = "Normal";
    const char* words = "(7 restarts), killed by the kubelet because its liveness probe failed";
    CHECK(text_of(scene.one("container-crash").message).find(words) != std::string::npos);
    CHECK(fix_of(scene.one("container-crash")).starts_with("correct port, path or timeoutSeconds"));
    scene.event("agent-00001", "Unhealthy",
                "Liveness probe failed: HTTP probe failed with statuscode: 500", 3000);
    CHECK(text_of(scene.one("container-crash").message)
              .find("liveness probe failed: HTTP probe failed with statuscode: 500") !=
          std::string::npos);
    for (model::Event& one : scene.cluster.events) one.field_path = "spec.containers{mainframe}";
    CHECK(text_of(scene.one("container-crash").message).find("killed by") == std::string::npos);
  }
  SECTION("a postStart hook made the kubelet kill it") {
    pod.statuses[0].last_terminated->exit_code = GENERATE(137, 143);
    scene.event("agent-00001", "FailedPostStartHook", "PostStartHook failed");
    const Finding finding = scene.one("container-crash");
    CHECK(
        text_of(finding.message).find("killed by the kubelet because its postStart hook failed") !=
        std::string::npos);
    CHECK(fix_of(finding).starts_with("correct the postStart hook of container main"));
    scene.cluster.events[0].message = "Exec lifecycle hook ([/a.sh]) failed";
    CHECK(
        text_of(scene.one("container-crash").message).find("hook failed: Exec lifecycle hook (") !=
        std::string::npos);
    scene.cluster.events[0].last = at(50);  // in an earlier run
    CHECK(text_of(scene.one("container-crash").message).find("hook") == std::string::npos);
  }
  SECTION("a hook that fails with the exiting container is not the cause") {
    scene.event("agent-00001", "FailedPostStartHook", "PostStartHook failed");
    CHECK(text_of(scene.one("container-crash").message).find("hook") == std::string::npos);
  }
  SECTION("the most informative line of a log's tail is shown") {
    struct Case {
      const char* text;
      const char* line;
    };
    const Case row = GENERATE(values<Case>({
        {"time=\"x\" level=info msg=\"loaded 0 errors\"\nfatal: cannot read token\n",
         "fatal: cannot read token"},
        {"I1121 10:00:00.000000 1 main.go:7] errors are retried\nstopped\n", "stopped"},
        {"INFO starting\nINFO detecting\nERROR nodes is forbidden\npanic: startup failed\n",
         "ERROR nodes is forbidden"},
        {"l/runtime/proc.go:283 +0x1e0\n\ngoroutine 1 [running]:\nfatal error: concurrent map",
         "fatal error: concurrent map"},
        {"starting\nlistening\ncannot reach the API server\n\n", "cannot reach the API server"},
        {"unknown flag: --prot\nUsage of agent:\n  --error-log", "unknown flag: --prot"},
        {"usage: agent FILE", "usage: agent FILE"},
    }));
    pod.statuses[0].last_terminated->message = row.text;
    CHECK(text_of(scene.one("container-crash").message)
              .ends_with(std::string("termination message: \"") + row.line + "\""));
  }
  SECTION("137 alone is not OOMKilled") {
    pod.statuses[0].last_terminated->exit_code = 137;
    CHECK(scene.ids() == "container-crash");
  }
  SECTION("OOMKilled with and without a limit") {
    pod.statuses[0].last_terminated->reason = "OOMKilled";
    CHECK(text_of(scene.one("container-oom").message).find("has no memory limit") !=
          std::string::npos);
    CHECK(scene.one("container-crash").standing == Standing::Context);
    model::PodSpec spec = *pod.spec;
    spec.containers[0].limits = {{"memory", "128Mi"}};
    pod.spec = spec;
    CHECK(
        text_of(scene.one("container-oom").message) ==
        "OOMKilled: container main exceeds its memory limit of 128Mi 30s after start (7 restarts)");
  }
  SECTION("an old exit of a running container does not explain why it is not ready") {
    pod.statuses[0].waiting.reset();
    pod.statuses[0].running = true;
    pod.statuses[0].last_terminated->reason = "OOMKilled";
    scene.now = at(130 + 3601);
    CHECK(scene.ids().empty());
  }
  SECTION("three restarts of a young pod, before any back-off") {
    pod.statuses[0].waiting.reset();
    pod.statuses[0].running = true;
    scene.now = at(200);
    CHECK(scene.ids() == "container-crash");
    pod.statuses[0].restart_count = 2;
    CHECK(scene.ids().empty());
  }
  SECTION("a first exit is transient") {
    pod.statuses[0].waiting.reset();
    pod.statuses[0].terminated = pod.statuses[0].last_terminated;
    pod.statuses[0].restart_count = 0;
    scene.now = at(140);
    CHECK(scene.one("container-crash").severity == Severity::Warning);
    CHECK(scene.one("container-crash").transient);
  }
  SECTION("malformed values are accepted") {
    pod.statuses[0].restart_count = -9;
    pod.statuses[0].last_terminated = model::TerminatedState{-1, 0, "", "", at(9), at(3)};
    CHECK(text_of(scene.one("container-crash").message) ==
          "CrashLoopBackOff: container main exits with code -1");
  }
}

TEST_CASE("the pod that holds a port is named", "[diagnosis]") {
  Scene scene;
  model::Pod& pod =
      scene.crashing_pod(1, "Error", "listen tcp 0.0.0.0:9100: bind: address already in use");
  CHECK(scene.ids() == "container-crash");  // no host network: the port is its own
  pod.host_network = true;
  model::Pod& other = scene.pod();
  other.meta.ns = "web";
  other.meta.name = "exporter";
  other.meta.controller.reset();
  model::PodSpec spec = *other.spec;
  spec.containers[0].ports = {{80, 9100, "", ""}};
  other.spec = spec;
  CHECK(text_of(scene.one("container-port-bind").message) ==
        "address already in use: container main cannot bind port 9100 of the node, likely held by "
        "pod web/exporter");
  const auto unheld = [&] {
    return text_of(scene.one("container-port-bind").message)
        .ends_with("held by a process that no pod declares");
  };
  model::Pod& exporter = scene.cluster.pods.front();  // sorted by now
  spec.containers[0].ports = {{80, 9100, "UDP", ""}};
  exporter.spec = spec;
  CHECK(unheld());
  spec.containers[0].ports = {{9100, 0, "", ""}};
  exporter.spec = spec;
  CHECK(unheld());
  exporter.host_network = true;
  CHECK_FALSE(unheld());
  exporter.host_network = false;
  scene.cluster.all_pods_known = false;
  CHECK(text_of(scene.one("container-port-bind").message)
            .ends_with("not all pods on the node were read"));
  scene.cluster.all_pods_known = true;
  scene.cluster.pods.erase(scene.cluster.pods.begin());
  CHECK(unheld());  // a server was asked for all pods
  scene.cluster.all_pods_assumed = true;
  CHECK(text_of(scene.one("container-port-bind").message).ends_with("pods of namespace x only"));
}

TEST_CASE("a young container that exited once without an error is not a crash yet", "[diagnosis]") {
  const auto severity_of = [](std::int64_t exit_code, std::int64_t restarts, std::int64_t age) {
    diagnosis::testing::TestStory story;
    constexpr auto test_now = diagnosis::testing::test_now;
    const auto at = [](std::int64_t seconds) { return diagnosis::testing::at(seconds); };
    story.nodes({"a"});
    model::Pod& pod = story.pod("a");
    pod.meta.created = at(test_now - age);
    pod.conditions = {
        {"Ready", "False", "ContainersNotReady", "", diagnosis::testing::at(test_now - age)}};
    model::ContainerStatus& status = pod.statuses.emplace_back();
    status.name = "plugin";
    status.restart_count = restarts;
    status.waiting = model::WaitingState{"CrashLoopBackOff", "back-off 10s"};
    status.last_terminated =
        model::TerminatedState{exit_code, 0, "Completed", "", {}, at(test_now)};
    const auto report =
        Reporter(story.cluster, {{}, at(test_now), {}}).report(story.cluster.daemon_sets.front());
    const auto& findings = report.nodes.front().findings();
    const auto crash = std::ranges::find(findings, FindingId::ContainerCrash, &Finding::id);
    REQUIRE(crash != findings.end());
    return std::pair(crash->severity, crash->transient);
  };
  CHECK(severity_of(0, 1, 8) == std::pair(Severity::Warning, true));
  CHECK(severity_of(1, 1, 8) == std::pair(Severity::Error, false));
  CHECK(severity_of(0, 2, 8) == std::pair(Severity::Error, false));
  CHECK(severity_of(0, 1, 90) == std::pair(Severity::Error, false));
}

TEST_CASE("without events a short previous run shows a crash", "[diagnosis]") {
  Scene scene;
  model::Pod& pod = scene.unready_pod();
  const auto ago = [&](int seconds) { return scene.now - std::chrono::seconds(seconds); };
  pod.statuses[0].running_since = ago(15);
  pod.statuses[0].restart_count = 300;
  pod.statuses[0].last_terminated = model::TerminatedState{1, 0, "Error", "", ago(610), ago(20)};
  CHECK(scene.ids() == "container-crash");
  SECTION("a long previous run does not") {
    pod.statuses[0].last_terminated = model::TerminatedState{1, 0, "Error", "", ago(620), ago(20)};
    CHECK(scene.ids() != "container-crash");
  }
  SECTION("a previous run that exited without an error does not") {
    pod.statuses[0].last_terminated =
        model::TerminatedState{0, 0, "Completed", "", ago(90), ago(20)};
    CHECK(scene.ids() != "container-crash");
  }
}

TEST_CASE("a container that the kubelet does not start again", "[diagnosis]") {
  Scene scene;
  const auto ago = [&](int seconds) { return scene.now - std::chrono::seconds(seconds); };
  model::Pod& pod = scene.ended_pod(0, "Completed");
  model::ContainerStatus& status = pod.statuses[0];
  const auto text = [&] { return text_of(scene.one("container-not-restarted").message); };
  SECTION("the exit, its age, the evidence and the fix are reported") {
    const Finding finding = scene.one("container-not-restarted");
    CHECK(text() ==
          "Completed: container main ended with exit code 0 30m ago, and the kubelet has not "
          "started it again although restartPolicy is Always");
    CHECK(finding.severity == Severity::Error);
    const ObjectRef its_pod{"Pod", "x", pod.meta.name.str()};
    const std::string at = "status.containerStatuses[0].state.terminated.";
    REQUIRE(finding.evidence.size() == 3);
    CHECK(finding.evidence[0] == Evidence(its_pod, at + "exitCode", "0"));
    CHECK(finding.evidence[1] == Evidence(its_pod, at + "reason", "Completed"));
    CHECK(finding.evidence[2] == Evidence(its_pod, at + "finishedAt", "2023-11-14T22:43:20Z"));
    CHECK(fix_of(finding).find("kubectl --namespace x delete pod agent-00001") !=
          std::string::npos);
  }
  SECTION("an error is not reported as a crash, however often the container restarted before") {
    status.restart_count = 8;
    status.terminated = model::TerminatedState{137, 0, "OOMKilled", "", ago(1900), ago(1800)};
    CHECK(scene.ids() == "container-not-restarted");
    CHECK(
        text().starts_with("OOMKilled: container main ended with exit code 137 (killed by "
                           "SIGKILL) 30m ago, and the kubelet"));
  }
  SECTION("the kubelet lost the container: the time is that of the condition") {
    status.terminated = model::TerminatedState{
        137, 0, "ContainerStatusUnknown", "The container could not be located", {}, {}};
    CHECK(scene.ids() == "container-crash");
    pod.conditions.push_back({"ContainersReady", "False", "", "", ago(1200)});
    CHECK(text() ==
          "ContainerStatusUnknown: container main ended with exit code 137 (killed by SIGKILL) 20m "
          "ago, and the kubelet has not started it again although restartPolicy is Always; "
          "termination message: \"The container could not be located\"");
    CHECK(scene.one("container-not-restarted").evidence[2].path ==
          "status.conditions[2].lastTransitionTime");
  }
  SECTION("a back-off can last five minutes") {
    status.terminated->finished = ago(599);
    CHECK(scene.ids().empty());
    status.terminated->finished = ago(600);
    CHECK(scene.ids() == "container-not-restarted");
  }
  SECTION("a container in CrashLoopBackOff") {
    status.last_terminated = status.terminated;
    status.terminated.reset();
    status.waiting = model::WaitingState{"CrashLoopBackOff", "back-off 5m0s"};
    CHECK(scene.ids() == "container-crash");
  }
  SECTION("a node that is not Ready, or has just come back") {
    model::Condition& ready = scene.node_named("n1").conditions[0];
    ready.last_transition = ago(599);
    CHECK(scene.ids().empty());
    ready.last_transition = ago(1200);
    CHECK(scene.ids() == "container-not-restarted");
    ready.status = "False";
    CHECK(scene.ids().empty());
  }
  SECTION("a policy of the container that does not restart it") {
    model::PodSpec spec = *pod.spec;
    spec.containers[0].restart_policy = GENERATE("Never", "OnFailure");
    pod.spec = spec;
    CHECK(scene.ids().empty());
  }
  SECTION("a policy of the container that restarts it after an error") {
    model::PodSpec spec = *pod.spec;
    spec.containers[0].restart_policy = "OnFailure";
    pod.spec = spec;
    status.terminated->exit_code = 3;
    CHECK(scene.ids() == "container-not-restarted");
  }
  SECTION("a start that has begun") {
    scene.event("agent-00001", "Pulling", "Pulling image \"registry.example/agent:1\"", 900).type =
        "Normal";
    CHECK(scene.ids() == "image-pulling");
    model::Event& pulled = scene.event(
        "agent-00001", "Pulled", "Successfully pulled image \"registry.example/agent:1\"", 800);
    CHECK(scene.ids() == "container-not-restarted");
    pulled.last = ago(20);
    CHECK(scene.ids().empty());
    // Events of the run that ended do not count.
    for (model::Event& event : scene.cluster.events) event.last = ago(2000);
    CHECK(scene.ids() == "container-not-restarted");
  }
}

TEST_CASE("an init container that ended is restarted only if it has to run", "[diagnosis]") {
  Scene scene;
  model::Pod& pod = pod_with_init(scene);
  pod.phase = "Running";
  pod.conditions.push_back({"Initialized", "True", "", "", at(3)});
  const auto end = [](model::ContainerStatus& status, std::int64_t code) {
    status.waiting.reset();
    status.terminated =
        model::TerminatedState{code, 0, code == 0 ? "Completed" : "Error", "", at(5), at(6)};
  };
  const auto run = [](model::ContainerStatus& status) {
    status.waiting.reset();
    status.running = status.ready = true;
    status.started = true;
    status.running_since = at(7);
  };
  end(pod.init_statuses[0], 0);
  run(pod.init_statuses[1]);
  run(pod.statuses[0]);
  SECTION("an init container that completed") { CHECK(scene.ids().empty()); }
  SECTION("a sidecar") {
    pod.init_statuses[1].running = pod.init_statuses[1].ready = false;
    end(pod.init_statuses[1], 0);
    CHECK(text_of(scene.one("container-not-restarted").message)
              .starts_with("Completed: container proxy ended with exit code 0 59m ago"));
  }
  SECTION("an init container that failed blocks the others") {
    pod.conditions[2].status = "False";
    end(pod.init_statuses[0], 1);
    end(pod.statuses[0], 0);  // in an earlier sandbox
    CHECK(scene.ids() == "init-blocked container-not-restarted");
  }
  SECTION("a container that init containers precede again") {
    pod.conditions[2].status = "False";
    pod.init_statuses[0].terminated.reset();
    pod.init_statuses[0].waiting = model::WaitingState{"PodInitializing", ""};
    end(pod.statuses[0], 0);
    CHECK(scene.ids().find("container-not-restarted") == std::string::npos);
  }
}
