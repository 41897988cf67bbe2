// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/startup/refused_start.h"

#include <fmt/format.h>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/test_fix.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/test_scene.h"
#include "diagnosis/test_story.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;

TEST_CASE("a runtime error has the meaning of its text", "[diagnosis]") {
  struct Case {
    const char* text;
    const char* meaning;
  };
  const Case row = GENERATE(values<Case>({
      {"exec: \"/agent\": stat /agent: no such file or directory: unknown",
       "the command is not in the image"},
      {"exec: \"agent\": executable file not found in $PATH: unknown",
       "the command is not in the image"},
      {"error during container init: error mounting \"/host/data\" to rootfs at \"/data\": mount "
       "src=/host/data, dst=/data: no such file or directory: unknown",
       "a mount is refused"},
      {"error mounting \"/etc/agent\" to rootfs at \"/conf\": not a directory: unknown",
       "a file is mounted over a folder, or the reverse"},
      {"exec /agent: exec format error", "the program is made for another architecture, or its"},
      {"modprobe: ERROR: could not insert 'ip_tables': Exec format error",
       "container main does not start: modprobe"},
      {"chdir to cwd (\"/srv\") set in config.json failed: no such file or directory: unknown",
       "does not start: its working directory cannot be entered: chdir to cwd"},
      {"error during container init: exec: \"/etc/agent/run\": stat /etc/agent/run: not a "
       "directory",
       "the command is not in the image"},
      {"exec: \"/usr/bin/apparmor-loader\": stat /usr/bin/apparmor-loader: no such file or "
       "directory: unknown",
       "the command is not in the image"},
      {"exec: \"cgroup-exporter\": executable file not found in $PATH: unknown",
       "the command is not in the image"},
      {"failed to generate container \"3059\" spec: failed to generate spec: lstat "
       "/dev/infiniband/uverbs3: no such file or directory",
       "a device is missing or refused"},
      {"OCI runtime create failed: unable to retrieve OCI runtime error (open "
       "/run/containerd/io.containerd.runtime.v2.task/k8s.io/a/log.json: no such file or "
       "directory): exec: \"nvidia-container-runtime\": executable file not found in $PATH",
       "the container runtime of the node lacks a program"},
      {"lstat /dev/disk: input/output error", "container main does not start: lstat /dev/disk"},
      {"error running prestart hook #0: fork/exec /usr/bin/hook: no such file or directory",
       "container main does not start: error running prestart hook"},
  }));
  CAPTURE(row.text);
  Scene scene;
  scene.waiting_pod("RunContainerError", row.text);
  CHECK(text_of(scene.one("container-create").message).find(row.meaning) != std::string::npos);
}

TEST_CASE("each runtime error has its own fix", "[diagnosis]") {
  struct Case {
    const char* text;
    const char* step;
  };
  const Case row = GENERATE(values<Case>({
      {"executable file `/agent` not found: No such file or directory", "correct the command"},
      {"no command specified", "correct the command"},
      {"exec: \"/entrypoint.sh\": permission denied", "correct the command"},
      {"exec: \"/agent\": exec format error", "use an image that is built for"},
      {"unable to find user agent: no matching entries in passwd file", "set runAsUser"},
      {"path \"/sys/fs/bpf\" is mounted on \"/sys\" but it is not a shared mount",
       "correct the mount"},
      {"failed to inject CDI devices: unresolvable CDI devices management.nvidia.com/gpu=all",
       "check the device plugin's pod"},
      {"nvidia-container-cli: detection error: nvml error: driver/library version mismatch",
       "reinstall the NVIDIA driver"},
      {"nvidia-container-cli.real: initialization error: driver rpc error: timed out",
       "reinstall the NVIDIA driver"},
      {"nvidia-container-cli.real: requirement error: unsatisfied condition: arch>=7.0",
       "use an image that is built for the GPU"},
      {"nvidia-container-cli: device error: no-gpu-has-128MiB-to-run: unknown device",
       "check the device plugin's pod"},
      {"nvidia-container-cli: ldcache error: process /sbin/ldconfig failed with error code: 1",
       "check the NVIDIA container toolkit"},
      {"failed to mount rootfs component &{overlay overlay [index=off]}: invalid argument",
       "delete the pod"},
      {"failed to mount rootfs component: mount source: \"overlay\": no space left on device",
       "free disk space or inodes"},
      {"container init was OOM-killed (memory limit too low?)", "set requests and limits"},
      {"chdir to cwd (\"/etc/hosts\") set in config.json failed: not a directory",
       "correct workingDir of container main"},
      {"lstat /dev/nvidia0: no such file or directory", "check the device plugin's pod"},
      {"apparmor failed to apply profile: write /proc/self/attr/apparmor/exec: no such file or "
       "directory",
       "install the profile"},
      {"cannot load seccomp profile \"/a.json\": open /a.json: no such file or directory",
       "install the profile"},
      {"Error starting userland proxy: listen tcp4 0.0.0.0:9100: bind: address already in use",
       "free the host port"},
      {"mkdir /var/lib/containerd/snapshots/new-1: no space left on device",
       "free disk space or inodes"},
      {"context deadline exceeded", "check the load and the container runtime"},
      {"name \"a_b\" is reserved for \"3b6e\"", "check the load and the container runtime"},
      {"write /sys/fs/cgroup/kubepods.slice/memory.max: device or resource busy",
       "correct what the message names"},
      {"something new", "correct what the message names"},
  }));
  CAPTURE(row.text);
  Scene scene;
  scene.waiting_pod("RunContainerError", row.text);
  const Finding finding = scene.one("container-create");
  CHECK(fix_of(finding).starts_with(row.step));
  CHECK(finding.fix.size() == (fix_of(finding).starts_with("delete the pod") ? 2 : 1));
}

TEST_CASE("a node problem has the same group for every container", "[diagnosis]") {
  struct Case {
    const char* text;
    const char* group;
  };
  const Case row = GENERATE(values<Case>({
      {"mkdir /var/lib/containerd/new-1: no space left on device", "disk"},
      {"context deadline exceeded", "runtime-slow"},
      {"nvidia-container-cli: nvml error: driver/library version mismatch", "driver"},
      {"failed to mount container storage: hcsshim::PrepareLayer - failed failed in Win32",
       "store"},
  }));
  Scene scene;
  scene.waiting_pod("CreateContainerError", row.text);
  CHECK(scene.one("container-create").root == "Node");
  CHECK(scene.one("container-create").group == row.group);
}

TEST_CASE("an OOM-killed init process needs a higher limit or free memory", "[diagnosis]") {
  Scene scene;
  scene.ds().pod_template.spec.containers[0].limits.set("memory", "4Mi");
  scene.waiting_pod("RunContainerError", "container init was OOM-killed (memory limit too low?)");
  CHECK(fix_of(scene.one("container-create")).starts_with("raise the memory limit"));
}

TEST_CASE("a failure that usually resolves by retry is overdue after a minute", "[diagnosis]") {
  const auto [reason, text, id] = GENERATE(table<const char*, const char*, const char*>({
      {"CreateContainerConfigError",
       "failed to sync secret cache: timed out waiting for the condition", "container-config"},
      {"CreateContainerError", "context deadline exceeded", "container-create"},
  }));
  CAPTURE(reason);
  Scene scene;
  model::Pod& pod = scene.waiting_pod(reason, text);
  pod.start_time = scene.now - std::chrono::seconds(59);
  CHECK(scene.one(id).transient);
  CHECK(scene.one(id).severity == Severity::Info);
  pod.start_time = scene.now - std::chrono::seconds(60);
  CHECK_FALSE(scene.one(id).transient);
  CHECK(scene.one(id).severity == Severity::Error);
  CHECK(scene.one(id).overdue_since == scene.now);
  SECTION("a container that has run is measured from its last exit") {
    pod.statuses[0].last_terminated =
        model::TerminatedState{1, 0, "Error", "", at(100), scene.now - std::chrono::seconds(10)};
    CHECK(scene.one(id).transient);
    pod.statuses[0].last_terminated->reason = "StartError";  // it has not run
    CHECK_FALSE(scene.one(id).transient);
  }
  SECTION("an init container follows the same rule") {
    model::PodSpec spec = *pod.spec;
    spec.init_containers = {Scene::container("main")};
    pod.spec = spec;
    pod.init_statuses = {pod.statuses[0]};
    pod.statuses[0].waiting = model::WaitingState{"PodInitializing", ""};
    CHECK_FALSE(scene.one("init-blocked").transient);
    CHECK(scene.one("init-blocked").overdue_since == scene.now);
    pod.start_time = scene.now - std::chrono::seconds(1);
    CHECK(scene.one("init-blocked").transient);
    CHECK(scene.one("init-blocked").severity == Severity::Info);
  }
  SECTION("a permanent failure is never transient") {
    pod.start_time = scene.now - std::chrono::seconds(1);
    pod.statuses[0].waiting = model::WaitingState{reason, "secret \"tls\" not found"};
    CHECK_FALSE(scene.one(id).transient);
  }
}

TEST_CASE("a failing postStart hook means that the container has started", "[diagnosis]") {
  Scene scene;
  scene.waiting_pod("PostStartHookError", "Exec lifecycle hook ([/post.sh]) failed: no space left");
  const Finding finding = scene.one("container-create");
  CHECK(text_of(finding.message)
            .starts_with("PostStartHookError: container main starts, but its postStart hook fails: "
                         "Exec lifecycle"));
  CHECK(fix_of(finding).starts_with("correct the postStart hook of container main"));
}

TEST_CASE("an image that runs on other nodes of the architecture is damaged on this one",
          "[diagnosis]") {
  Scene scene;
  scene.node("n2");
  scene.pod("n2");
  const char* text = "exec /agent: exec format error";
  SECTION("a crashing container") {
    scene.crashing_pod(255, "Error", text);
    CHECK(scene.ids() == "container-crash");
    CHECK(text_of(scene.one("container-crash").message)
              .find("; its image on the node is likely damaged: it runs on other amd64 nodes") !=
          std::string::npos);
    CHECK(fix_of(scene.one("container-crash")).starts_with("remove the image from node n1"));
  }
  SECTION("a container that does not start") {
    scene.crashing_pod(128, "StartError", text);
    CHECK(scene.ids() == "container-create");
    CHECK(fix_of(scene.one("container-create")).starts_with("remove the image from node n1"));
  }
  SECTION("a running program can report this error about another program") {
    scene.crashing_pod(1, "Error", "plugin loader: fork/exec /plugins/foo: exec format error");
    CHECK(text_of(scene.one("container-crash").message).find("damaged") == std::string::npos);
  }
  SECTION("an older runtime reports this error as the program's own exit") {
    scene.crashing_pod(1, "Error",
                       "standard_init_linux.go:228: exec user process caused: exec format error");
    CHECK(text_of(scene.one("container-crash").message).find("damaged") != std::string::npos);
  }
  SECTION("an image on a node of another architecture proves nothing") {
    scene.node_named("n2").architecture = "arm64";
    scene.crashing_pod(255, "Error", text);
    CHECK(scene.ids() == "container-crash node-arch-mismatch");
    CHECK(fix_of(scene.one("container-crash")).find("crictl") == std::string::npos);
  }
}

TEST_CASE("a configuration error is a missing object only if the text says so", "[diagnosis]") {
  struct Case {
    const char* text;
    const char* step;
  };
  const Case row = GENERATE(values<Case>({
      {"couldn't find key token in Secret mon/agent-token", "create the missing Secret"},
      {"secret \"agent-token\" not found", "create the missing Secret"},
      {"container has runAsNonRoot and image will run as root", "set runAsUser"},
      {"container's runAsUser breaks non-root policy", "set runAsUser"},
      {"failed to sync secret cache: timed out waiting for the condition", "wait; if it lasts"},
      {"services have not yet been read at least once, cannot construct envvars",
       "wait; if it lasts"},
      {"stat /opt/agent: no such file or directory", "create the path on node n1"},
      {"missing value for \"NODE_NAME\"", "correct what the message names in container main"},
      {"failed to prepare subPath for volumeMount \"conf\" of container \"agent\"",
       "correct what the message names in container main"},
      {"", "correct what the message names in container main"},
  }));
  CAPTURE(row.text);
  Scene scene;
  scene.waiting_pod("CreateContainerConfigError", row.text);
  CHECK(fix_of(scene.one("container-config")).starts_with(row.step));
}

TEST_CASE("a configuration error is grouped without the pod's name", "[diagnosis]") {
  const auto text = [](const char* pod, const char* uid) {
    return fmt::format(
        "container has runAsNonRoot and image will run as root (pod: \"{}_x({})\", "
        "container: main)",
        pod, uid);
  };
  Scene scene;
  scene.node("n2");
  scene.waiting_pod("CreateContainerConfigError", text("agent-00001", "pod-uid-1"));
  scene.waiting_pod("CreateContainerConfigError", text("agent-00002", "pod-uid-2"), "n2");
  const Finding finding = scene.one("container-config");
  CHECK(text_of(finding.message) ==
        "CreateContainerConfigError: container main: container has runAsNonRoot and image will run "
        "as root");
  const auto of_other = scene.found("n2");
  REQUIRE(of_other.size() == 1);
  CHECK(of_other[0].group == finding.group);
}

TEST_CASE("a program missing on the node is not the container's command", "[diagnosis]") {
  Scene scene;
  scene.waiting_pod("CreateContainerError",
                    "failed to create containerd container: get apparmor_parser version: exec: "
                    "\"apparmor_parser\": executable file not found in $PATH");
  const Finding finding = scene.one("container-create");
  CHECK(text_of(finding.message).find("the node lacks the program apparmor_parser") !=
        std::string::npos);
  CHECK(fix_of(finding) == "install the program that the message names on node n1");
  CHECK(finding.root == "Node");
}

TEST_CASE("a configuration that works on another node needs no correction", "[diagnosis]") {
  Scene scene;
  scene.node("n2");
  scene.waiting_pod("CreateContainerConfigError",
                    "cannot find volume \"kube-api-access-x\" to mount into container \"main\"");
  model::Pod& other = scene.pod("n2");
  CHECK(fix_of(scene.one("container-config")).starts_with("delete the pod"));
  other.meta.labels.set("controller-revision-hash", "old");
  CHECK(fix_of(scene.one("container-config")).starts_with("correct what the message names"));
}

namespace {

constexpr const char* unknown_refusal = "unable to setup user: resource temporarily unavailable";

/// Three nodes with pods of two containers, of which `probe` does not start.
struct RefusedEverywhere {
  RefusedEverywhere() {
    scene.node("n2");
    scene.node("n3");
    spec.containers = {Scene::container("main"), Scene::container("probe")};
    for (const char* node : {"n1", "n2", "n3"}) {
      model::Pod& pod = scene.unready_pod(node);
      pod.statuses[0].ready = true;
      model::ContainerStatus& status = pod.statuses.emplace_back();
      status.name = "probe";
      status.waiting = model::WaitingState{"CrashLoopBackOff", "back-off 5m0s"};
      status.last_terminated = model::TerminatedState{128,
                                                      0,
                                                      "StartError",
                                                      std::string(unknown_refusal) +
                                                          " (container 0123456789abcdef of pod " +
                                                          pod.meta.name.str() + ")",
                                                      at(100),
                                                      at(130)};
    }
  }

  model::Container& probe() { return spec.containers[1]; }
  model::ContainerStatus& status(std::size_t pod) { return scene.cluster.pods[pod].statuses[1]; }
  void run(model::ContainerStatus& status) {
    status.waiting.reset();
    status.running = status.ready = true;
  }
  Finding finding() {
    for (model::Pod& pod : scene.cluster.pods) pod.spec = spec;
    return scene.one("container-create");
  }
  std::string text() { return text_of(finding().message); }
  std::string fix() { return fix_of(finding()); }

  Scene scene;
  model::PodSpec spec = scene.ds().pod_template.spec;
};

}  // namespace

TEST_CASE("a refusal on all nodes is not the fault of one node", "[diagnosis]") {
  RefusedEverywhere story;
  CHECK(story.text().ends_with("; it fails alike on 3 nodes and starts on none"));
  CHECK(story.fix().starts_with("correct what the message names in container probe of the"));
  CHECK(story.fix().find("n1") == std::string::npos);
  SECTION("it runs on the other nodes: this one may be the cause") {
    story.run(story.status(1));
    story.run(story.status(2));
    CHECK(story.text().find("alike") == std::string::npos);
    CHECK(story.fix().starts_with(
        "check the container runtime of node n1; the container starts on other nodes"));
    story.probe().added_capabilities = {"SYS_ADMIN"};  // they are enough on the other nodes
    CHECK(story.text().find("SYS_ADMIN") == std::string::npos);
  }
  SECTION("it runs on one of the other nodes") {
    story.run(story.status(2));
    CHECK(story.text().find("alike") == std::string::npos);
    CHECK(story.fix().starts_with("correct what the message names in the template, or check"));
  }
  SECTION("other nodes have other errors") {
    model::TerminatedState other = *story.status(2).last_terminated;
    other.message = "something else";
    story.status(2).last_terminated = other;
    CHECK(story.text().find("alike") == std::string::npos);
  }
  SECTION("pods of another revision do not count") {
    for (const std::size_t i : {1U, 2U}) {
      story.scene.cluster.pods[i].meta.labels.set("controller-revision-hash", "old");
      story.run(story.status(i));
    }
    CHECK(story.text().find("alike") == std::string::npos);
    CHECK(story.fix().starts_with("correct what the message names in the template, or check"));
  }
  SECTION("pods that have not come so far do not count") {
    story.status(2).last_terminated.reset();
    story.status(2).waiting = model::WaitingState{"ContainerCreating", ""};
    CHECK(story.text().ends_with("; it fails alike on 2 nodes and starts on none"));
  }
  SECTION("a known cause is not compared") {
    for (const std::size_t i : {0U, 1U, 2U}) {
      model::TerminatedState end = *story.status(i).last_terminated;
      end.message = "exec: \"/agent\": executable file not found";
      story.status(i).last_terminated = end;
    }
    CHECK(story.text().find("alike") == std::string::npos);
  }
}

TEST_CASE("settings that only the refused container of a pod has are shown", "[diagnosis]") {
  RefusedEverywhere story;
  const auto shows = [&](const std::string& settings) {
    return story.text().ends_with("; only this container of the pod has " + settings);
  };
  SECTION("a seccomp profile") {
    story.probe().seccomp_type = "Localhost";
    story.probe().seccomp_profile = "profiles/probe.json";
    CHECK(shows("seccompProfile Localhost profiles/probe.json"));
    const Finding finding = story.finding();
    CHECK(fix_of(finding).starts_with("set seccompProfile of container probe to type Unconfined"));
    CHECK(finding.fix.size() == 1);
    CHECK(finding.evidence.back() ==
          Evidence({"Pod", "x", "agent-00001"},
                   "spec.containers[1].securityContext.seccompProfile.localhostProfile",
                   "profiles/probe.json"));
    story.probe().seccomp_type = "Unconfined";
    CHECK(story.text().ends_with("starts on none"));
    story.probe().seccomp_type = "RuntimeDefault";
    CHECK(shows("seccompProfile RuntimeDefault"));
    story.spec.seccomp_type = "RuntimeDefault";  // the other container has the same
    CHECK(story.text().ends_with("starts on none"));
  }
  SECTION("capabilities") {
    story.probe().added_capabilities = {"SYS_ADMIN", "BPF", "NET_ADMIN"};
    story.probe().dropped_capabilities = {"ALL"};
    story.spec.containers[0].added_capabilities = {"NET_ADMIN"};
    CHECK(shows("capabilities SYS_ADMIN, BPF and dropped capabilities ALL"));
    const Finding finding = story.finding();
    CHECK(fix_of(finding).starts_with(
        "check capabilities and privileged in securityContext of container probe"));
    CHECK(finding.evidence.back() ==
          Evidence({"Pod", "x", "agent-00001"},
                   "spec.containers[1].securityContext.capabilities.drop", "ALL"));
    story.spec.containers[0] = story.probe();
    story.spec.containers[0].name = "main";
    CHECK(story.text().ends_with("starts on none"));
  }
  SECTION("privileged, which makes a seccomp profile ineffective") {
    story.probe().privileged = true;
    story.probe().seccomp_type = "RuntimeDefault";
    CHECK(shows("privileged"));
  }
  SECTION("nothing if the other containers do not start either") {
    story.probe().privileged = true;
    model::ContainerStatus& main = story.scene.cluster.pods[0].statuses[0];
    main.running = main.ready = false;
    main.waiting = model::WaitingState{"ContainerCreating", ""};
    CHECK(story.text().ends_with("starts on none"));
  }
  SECTION("also without other nodes, of which one may run it") {
    story.scene.cluster.pods.resize(1);
    story.probe().privileged = true;
    CHECK(shows("privileged"));
    CHECK(story.fix().find("or check the container runtime of node n1") != std::string::npos);
  }
}
