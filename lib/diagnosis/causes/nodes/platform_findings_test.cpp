// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/nodes/platform_findings.h"

#include "diagnosis/catalogue/test_fix.h"
#include "diagnosis/test_scene.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;

namespace {

/// Adds six arm64 nodes with crashing pods and twenty amd64 nodes with healthy pods, besides n1.
void mixed_architectures(Scene& scene) {
  scene.pod("n1");
  for (int i = 0; i < 20; ++i) {
    const std::string name = "amd-" + std::to_string(i);
    scene.node(name.c_str());
    scene.pod(name.c_str());
  }
  for (int i = 0; i < 6; ++i) {
    const std::string name = "arm-" + std::to_string(i);
    scene.node(name.c_str()).architecture = "arm64";
    scene.crashing_pod(1, "Error", "", name.c_str());
  }
}

}  // namespace

TEST_CASE("an image that is not built for an architecture is reported", "[diagnosis]") {
  Scene scene;
  mixed_architectures(scene);
  SECTION("suspected if all nodes of the architecture crash") {
    CHECK(scene.ids("arm-0") == "container-crash node-arch-mismatch");
    const Finding finding = scene.one("node-arch-mismatch", "arm-3");
    CHECK(finding.severity == Severity::Warning);
    CHECK(finding.basis == Basis::Suspected);
    CHECK(finding.group == "arm64|registry.example/agent:1");
    CHECK(scene.ids("n1").empty());
  }
  SECTION("confirmed by the kernel's message") {
    for (model::Pod& pod : scene.cluster.pods) {
      if (pod.node_name == "arm-1") {
        pod.statuses[0].last_terminated->message = "exec /agent: exec format error";
      }
    }
    const Finding finding = scene.one("node-arch-mismatch", "arm-1");
    CHECK(finding.severity == Severity::Error);
    CHECK(finding.basis == Basis::Confirmed);
    CHECK(text_of(finding.message) ==
          "image registry.example/agent:1 is not built for arm64: 1 node: exec /agent: exec format "
          "error");
  }
  SECTION("not confirmed if a node of the architecture runs the image") {
    scene.node("arm-fine").architecture = "arm64";
    model::Pod& fine = scene.pod("arm-fine");
    const auto found = [&] {
      for (model::Pod& pod : scene.cluster.pods) {
        if (pod.node_name == "arm-1") {
          pod.statuses[0].last_terminated->message = "exec /agent: exec format error";
        }
      }
      return scene.ids("arm-1");
    };
    SECTION("with the same image") { CHECK(found() == "container-crash"); }
    SECTION("with the image of another revision") {
      model::PodSpec spec = *fine.spec;
      spec.containers[0].image = "registry.example/agent:0";
      fine.spec = spec;
      CHECK(found() == "container-crash node-arch-mismatch");
    }
  }
  SECTION("not confirmed by a message about other programs") {
    for (model::Pod& pod : scene.cluster.pods) {
      if (pod.node_name == "arm-1") {
        pod.statuses[0].last_terminated->message =
            "modprobe: ERROR: could not insert 'ip_tables': Exec format error";
      }
    }
    scene.node_named("arm-1").meta.labels = {{"karpenter.sh/nodepool", "new"}};
    CHECK(scene.one("node-arch-mismatch", "arm-1").basis == Basis::Suspected);
  }
  SECTION("confirmed by CRI-O's message") {
    for (model::Pod& pod : scene.cluster.pods) {
      if (pod.node_name == "arm-2") {
        pod.statuses[0].waiting = model::WaitingState{
            "ErrImagePull", "no image found in image index for architecture \"arm64\""};
      }
    }
    CHECK(scene.ids("arm-2") == "image-pull node-arch-mismatch");
  }
  SECTION("confirmed by the registry's message") {
    for (model::Pod& pod : scene.cluster.pods) {
      if (pod.node_name == "arm-2") {
        pod.statuses[0].waiting =
            model::WaitingState{"ErrImagePull", "no match for platform in manifest"};
      }
    }
    CHECK(scene.ids("arm-2") == "image-pull node-arch-mismatch");
  }
  SECTION("not suspected if one node of the architecture is healthy") {
    scene.node("arm-fine").architecture = "arm64";
    scene.pod("arm-fine");
    CHECK(scene.ids("arm-0") == "container-crash");
  }
  SECTION("not suspected if another attribute also separates the nodes") {
    for (model::Node& node : scene.cluster.nodes) {
      if (node.architecture == "arm64") node.meta.labels = {{"karpenter.sh/nodepool", "new"}};
    }
    CHECK(scene.ids("arm-0") == "container-crash");
  }
  SECTION("not suspected if the containers run out of memory") {
    for (model::Pod& pod : scene.cluster.pods) {
      if (pod.statuses[0].last_terminated) pod.statuses[0].last_terminated->reason = "OOMKilled";
    }
    CHECK(scene.ids("arm-0") == "container-oom container-crash");
  }
}

TEST_CASE("a node of another operating system is reported", "[diagnosis]") {
  Scene scene;
  scene.pod("n1");
  model::Node& windows = scene.node("win-1");
  windows.os = "windows";
  SECTION("it gets an image that it cannot run") {
    const char* text =
        GENERATE("no matching manifest for windows/amd64 10.0.20348 in the manifest list entries",
                 "no match for platform in manifest: not found");
    scene.waiting_pod("ErrImagePull", text, "win-1");
    CHECK(scene.ids("win-1") == "image-pull node-os-mismatch");
    const Finding finding = scene.one("node-os-mismatch", "win-1");
    CHECK(text_of(finding.message) == "1 node runs windows, but the pod is built for linux");
    CHECK(fix_of(finding).ends_with("{\"kubernetes.io/os\":\"linux\"}}}}}'"));
    CHECK(finding.evidence.back().value.find(text) != std::string::npos);
  }
  SECTION("it gets such an image and the pod's own operating system is unknown") {
    scene.cluster.pods.clear();
    scene.waiting_pod("ErrImagePull", "no matching manifest for windows/amd64 10.0.20348", "win-1");
    CHECK(scene.ids("win-1") == "image-pull node-os-mismatch");
    CHECK(text_of(scene.one("node-os-mismatch", "win-1").message) ==
          "1 node runs windows, but the pod is not built for it");
    CHECK(fix_of(scene.one("node-os-mismatch", "win-1")) ==
          "build the image for windows, or exclude these nodes");
    // The image is built for another Windows release.
    scene.node("win-2").os = "windows";
    scene.pod("win-2");
    CHECK(scene.ids("win-1") == "image-pull");
    // A template that requires Windows gets it.
    scene.ds().pod_template.node_selector = {{"kubernetes.io/os", "windows"}};
    for (const char* name : {"win-1", "win-2"}) {
      scene.node_named(name).meta.labels = {{"kubernetes.io/os", "windows"}};
    }
    CHECK(scene.ids("win-1") == "image-pull");
  }
  SECTION("its kubelet rejects the pod") {
    scene.ds().pod_template.spec.os = "linux";
    scene.pod("win-1");
    model::Pod& pod = scene.cluster.pods.back();
    pod.phase = "Failed";
    pod.reason = "PodOSNotSupported";
    pod.conditions.clear();
    CHECK(scene.ids("win-1") == "kubelet-os-refused node-os-mismatch");
  }
  SECTION("it gets a pod with a Linux-only mount") {
    scene.ds().pod_template.spec.volumes = {{"proc", "hostPath", "/proc", true, false}};
    scene.waiting_pod("ContainerCreating", "", "win-1");
    CHECK(scene.ids("win-1") == "creating-slow node-os-mismatch");
  }
  SECTION("its pod is ready") {
    scene.ds().pod_template.spec.os = "linux";
    scene.pod("win-1");
    CHECK(scene.ids("win-1").empty());
  }
  SECTION("the template's own selector excludes it") {
    windows.meta.labels = {{"kubernetes.io/os", "windows"}};
    scene.node_named("n1").meta.labels = {{"kubernetes.io/os", "linux"}};
    scene.ds().pod_template.node_selector = {{"kubernetes.io/os", "linux"}};
    const Finding finding = scene.one("node-os-mismatch", "win-1");
    CHECK(finding.severity == Severity::Info);
    CHECK(fix_of(finding).empty());
  }
}
