// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/providers/lack.h"

#include <catch2/catch.hpp>
#include <string>

using namespace dsdoctor;
using diagnosis::Lack;
using diagnosis::Provides;

namespace {

std::string lack_text(const char* reason, const char* message) {
  model::Event event;
  event.reason = reason;
  event.message = message;
  const auto lack = diagnosis::lack_of(event);
  if (!lack) return "none";
  switch (lack->what) {
    case Provides::Driver: return "driver " + lack->name;
    case Provides::Network: return "network " + lack->name;
    case Provides::Device: return "device " + lack->name;
    case Provides::Path: return "path " + lack->name;
  }
  return "";
}

}  // namespace

TEST_CASE("events name the driver that is not registered", "[providers]") {
  CHECK(lack_text("FailedMount",
                  "MountVolume.MountDevice failed for volume \"pvc-1\" : kubernetes.io/csi: "
                  "attacher.MountDevice failed to create newCsiDriverClient: driver name "
                  "rbd.csi.ceph.com not found in the list of registered CSI drivers") ==
        "driver rbd.csi.ceph.com");
  CHECK(lack_text("FailedAttachVolume",
                  "AttachVolume.Attach failed for volume \"pvc-1\" : CSINode ip-10-0-0-1 does not "
                  "contain driver ebs.csi.aws.com") == "driver ebs.csi.aws.com");
  CHECK(
      lack_text("FailedMapVolume",
                "rpc error: code = Unavailable desc = connection error: desc = \"transport: Error "
                "while dialing: dial unix /var/lib/kubelet/plugins/pd.csi.storage.gke.io/csi.sock: "
                "connect: connection refused\"") == "driver pd.csi.storage.gke.io");
  CHECK(lack_text("FailedPrepareDynamicResources",
                  "prepare dynamic resources: DRA driver gpu.example.com is not registered") ==
        "driver gpu.example.com");
  CHECK(lack_text("FailedPrepareDynamicResources",
                  "failed to get gRPC client for driver: plugin name gpu.example.com not found in "
                  "the list of registered DRA plugins") == "driver gpu.example.com");
}

TEST_CASE("events name the network, a device or a path", "[providers]") {
  CHECK(lack_text("FailedCreatePodSandBox",
                  "failed to setup network for sandbox \"ab\": cni plugin not initialized") ==
        "network ");
  CHECK(lack_text("FailedCreatePodSandBox",
                  "failed to find plugin \"macvlan\" in path [/opt/cni/bin]") == "network macvlan");
  CHECK(lack_text("NetworkNotReady",
                  "network is not ready: container runtime network not ready: NetworkReady=false "
                  "reason:NetworkPluginNotReady message:Network plugin returns error") ==
        "network ");
  CHECK(
      lack_text("UnexpectedAdmissionError",
                "Allocate failed due to can't allocate unregistered device example.com/gpu, which "
                "is unexpected") == "device example.com/gpu");
  CHECK(lack_text("FailedMount",
                  "MountVolume.SetUp failed for volume \"s\" : hostPath type check failed: "
                  "/run/identity is not a directory") == "path /run/identity");
}

TEST_CASE("other failures name nothing that a DaemonSet provides", "[providers]") {
  for (const char* message :
       {"", "driver name ", "driver name  not found in the list of registered CSI drivers",
        "secret \"db\" not found", "Unable to attach or mount volumes: unmounted volumes=[data]",
        "dial unix /run/containerd/containerd.sock: connection refused",
        "hostPath type check failed: run is not a directory"}) {
    CAPTURE(message);
    CHECK(lack_text("FailedMount", message) == "none");
  }
  CHECK(lack_text("FailedCreatePodSandBox", "no space left on device") == "none");
  CHECK(lack_text("BackOff", "cni plugin not initialized") == "none");
}

TEST_CASE("an unbound pod lacks the extended resources of the scheduler's message", "[providers]") {
  model::Pod pod;
  model::Condition scheduled;
  scheduled.type = "PodScheduled";
  scheduled.status = "False";
  scheduled.message =
      "0/4 nodes are available: 1 Insufficient cpu, 2 Insufficient example.com/gpu, 3 Insufficient "
      "example.com/gpu. preemption: 0/4 nodes are available: 4 Preemption is not helpful.";
  pod.conditions = {scheduled};
  CHECK(diagnosis::lacks_of_unbound(pod) ==
        std::vector<Lack>{{Provides::Device, "example.com/gpu"}});
  scheduled.status = "True";
  pod.conditions = {scheduled};
  CHECK(diagnosis::lacks_of_unbound(pod).empty());
}
