// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/startup/volume_findings.h"

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/test_fix.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/test_scene.h"
#include "diagnosis/test_story.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;

TEST_CASE("a volume that cannot be mounted is reported", "[diagnosis]") {
  Scene scene;
  model::Pod& pod = scene.waiting_pod("ContainerCreating");
  model::Event& event =
      scene.event("agent-00001", "FailedMount",
                  "MountVolume.SetUp failed for volume \"tls\" : secret \"agent-tls\" not found");
  SECTION("the missing object is named") {
    const Finding finding = scene.one("volume-mount");
    CHECK(text_of(finding.message) ==
          "FailedMount: volume tls cannot be mounted: an object or a key that it mounts does not "
          "exist: secret \"agent-tls\" not found");
    CHECK(fix_of(finding).starts_with("create the missing object or key"));
    CHECK(finding.group == "tls|FailedMount|object");
  }
  SECTION("an optional source never blocks") {
    model::PodSpec spec = *pod.spec;
    spec.volumes = {{"tls", "secret", "agent-tls", false, true}};
    pod.spec = spec;
    CHECK(scene.ids() == "creating-slow");
  }
  SECTION("a failure within the first minute is transient") {
    pod.start_time = scene.now - std::chrono::seconds(30);
    CHECK(scene.one("volume-mount").transient);
  }
  SECTION("an attachment that succeeded later is ignored") {
    event.reason = "FailedAttachVolume";
    scene.event("agent-00001", "SuccessfulAttachVolume",
                "AttachVolume.Attach succeeded for volume \"tls\" ", 10);
    CHECK(scene.ids() == "creating-slow");
  }
  SECTION("an attachment of another volume does not count") {
    event.reason = "FailedAttachVolume";
    event.message = "Multi-Attach error for volume \"pvc-1\" Volume is already used";
    scene.event("agent-00001", "SuccessfulAttachVolume",
                "AttachVolume.Attach succeeded for volume \"pvc-2\" ", 10);
    CHECK(scene.one("volume-mount").group == "pvc|FailedAttachVolume|elsewhere");
  }
  SECTION("a disk attached to another node blocks the mount") {
    event.message = "Multi-Attach error for volume \"pvc-1\" Volume is already used";
    CHECK(scene.one("volume-mount").group == "pvc|FailedMount|elsewhere");
  }
  SECTION("a very long text is truncated") {
    event.message = std::string(100'000, 'x');
    CHECK(text_of(scene.one("volume-mount").message).size() < 400);
  }
}

TEST_CASE("a sandbox is created after all volumes are mounted", "[diagnosis]") {
  Scene scene;
  scene.waiting_pod("ContainerCreating");
  scene.event("agent-00001", "FailedMount",
              "MountVolume.SetUp failed for volume \"conf\" : failed to sync configmap cache", 300);
  scene.event("agent-00001", "FailedCreatePodSandBox", "cni: connection is unauthorized", 100);
  CHECK(scene.ids() == "sandbox");
  scene.cluster.events[0].last = scene.now;
  CHECK(scene.ids() == "volume-mount sandbox");
}

TEST_CASE("the kubelet's summary of volumes has no cause", "[diagnosis]") {
  Scene scene;
  respec(scene).volumes = {{"certs", "secret", "agent-tls", false, false},
                           {"conf", "configMap", "agent", false, false}};
  scene.waiting_pod("ContainerCreating");
  const auto fails = [&](const char* text, std::int64_t ago) {
    scene.event("agent-00001", "FailedMount", text, ago);
  };
  fails(
      "Unable to attach or mount volumes: unmounted volumes=[certs], unattached volumes=[certs "
      "conf]: timed out waiting for the condition",
      10);
  CHECK(scene.one("volume-mount").group == "certs|FailedMount|slow");
  fails("MountVolume.SetUp failed for volume \"conf\" : configmap \"agent\" not found", 90);
  CHECK(scene.one("volume-mount").group == "certs|FailedMount|slow");  // mounted by now
  fails("MountVolume.SetUp failed for volume \"certs\" : secret \"agent-tls\" not found", 98);
  CHECK(scene.one("volume-mount").group == "certs|FailedMount|object");
  fails("Multi-Attach error for volume \"pvc-1\" Volume is already used by pod(s) web-0", 60);
  CHECK(scene.one("volume-mount").group == "pvc|FailedMount|elsewhere");
  for (model::Event& event : scene.cluster.events) {
    if (event.message.view().starts_with("Multi")) event.reason = "FailedAttachVolume";
  }
  CHECK(text_of(scene.one("volume-mount").message)
            .starts_with("FailedAttachVolume: volume pvc-1 cannot be attached: its volume "
                         "is attached to another"));
  scene.event("agent-00001", "SuccessfulAttachVolume",
              "AttachVolume.Attach succeeded for volume \"pvc-1\" ", 50);
  CHECK(scene.one("volume-mount").group == "certs|FailedMount|object");
}

TEST_CASE("the kubelet's summary is matched by whole volume names", "[diagnosis]") {
  Scene scene;
  respec(scene).volumes = {{"data", "configMap", "x", false, false},
                           {"data-big", "configMap", "y", false, false}};
  scene.waiting_pod("ContainerCreating");
  scene.event("agent-00001", "FailedMount",
              "MountVolume.SetUp failed for volume \"data\" : configmap \"x\" not found", 900);
  scene.event("agent-00001", "FailedMount",
              "Unable to attach or mount volumes: unmounted volumes=[data-big], unattached "
              "volumes=[data data-big]: timed out waiting for the condition",
              10);
  CHECK(scene.one("volume-mount").group == "data-big|FailedMount|slow");
}

TEST_CASE("every problem with a volume or a sandbox has a fix", "[diagnosis]") {
  Scene scene;
  scene.waiting_pod("ContainerCreating");
  model::Event& event = scene.event("agent-00001", "FailedMount", "");
  for (const char* text : {"something new", "timed out", "access denied", "no such host"}) {
    event.message = text;
    CAPTURE(text);
    CHECK(!fix_of(scene.one("volume-mount")).empty());
  }
  event.message = "MountVolume.SetUp failed for volume \"conf\" : no space left on device";
  CHECK(scene.one("volume-mount").root == "Node");
  CHECK(scene.one("volume-mount").group == "disk");
  event.reason = "FailedCreatePodSandBox";
  event.message = "mkdir /run/containerd: no space left on device";
  CHECK(fix_of(scene.one("sandbox")).starts_with("free disk space on node n1"));
}
