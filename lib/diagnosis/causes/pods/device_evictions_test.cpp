// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/pods/device_evictions.h"

#include "diagnosis/catalogue/test_fix.h"
#include "diagnosis/test_scene.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;

namespace {

/// A pod of n1 with claim agent-gpu-1 of its device gpu-0, one of two.
class DeviceScene : public Scene {
 public:
  DeviceScene() {
    cluster.version = model::ServerVersion{1, 37, 2, "v1.37.2"};
    cluster.known.device_taints = true;
    ds().pod_template.spec.resource_claims = {{"gpu", "", "gpus"}};
    claim_of(pod());
    model::ResourceSlice& slice = cluster.resource_slices.emplace_back();
    slice.meta.name = "n1-gpus";
    slice.driver = "gpu.example.com";
    slice.node_name = "n1";
    slice.pool = "n1";
    slice.generation = 4;
    slice.devices = {{"gpu-0", {}}, {"gpu-1", {}}};
  }

  void claim_of(const model::Pod& pod) {
    model::ResourceClaim& claim = cluster.resource_claims.emplace_back();
    claim.meta.ns = "x";
    claim.meta.name = "agent-gpu-1";
    claim.meta.controller = model::ControllerRef{"Pod", pod.meta.name, pod.meta.uid.str()};
    claim.requests = {{"gpu", {}, {}}};
    claim.devices = {{"gpu", "gpu.example.com", "n1", "gpu-0", {}}};
  }

  /// A rule for all devices of the driver, since 5 minutes.
  model::DeviceTaintRule& rule(std::string_view effect = "NoExecute") {
    model::DeviceTaintRule& rule = cluster.device_taint_rules.emplace_back();
    rule.meta.name = "maintenance";
    rule.selector = model::DeviceSelector{"gpu.example.com", "", ""};
    rule.taint = {"example.com/broken", "", effect, at(3300)};
    return rule;
  }

  /// The controller deletes the pod.
  void delete_pod() {
    model::Pod& pod = cluster.pods.front();
    pod.meta.deleted = now;
    pod.conditions.push_back({"DisruptionTarget", "True", "DeletionByDeviceTaintManager",
                              "Device Taint manager: deleting due to NoExecute taint", at(3599)});
  }

  void evicted(const char* name, std::int64_t ago) {
    model::Event& event =
        this->event(name, "DeviceTaintManagerEviction", "Marking for deletion", ago);
    event.type = "Normal";
    event.component = "device-taint-eviction";
    event.host = {};
    this->event(name, "Scheduled", "Successfully assigned x/agent to n1", ago + 5).type = "Normal";
  }

  std::string message() { return text_of(one("device-taint-eviction").message); }
};

constexpr const char* word = "DeletionByDeviceTaintManager: ";
constexpr const char* end = "; the pod is deleted and created again";

}  // namespace

TEST_CASE("the rule that deletes a daemon pod is named with its fix", "[devices]") {
  DeviceScene scene;
  scene.rule();
  scene.delete_pod();
  CHECK(
      scene.message() ==
      word +
          std::string(
              "DeviceTaintRule maintenance taints device gpu-0 with example.com/broken:NoExecute") +
          end);
  const Finding finding = scene.one("device-taint-eviction");
  CHECK(finding.root == "DeviceTaintRule/maintenance");
  const std::string fix = fix_of(finding);
  CHECK(fix.find("kubectl delete devicetaintrule maintenance") != std::string::npos);
  CHECK(fix.find("of a new ResourceClaimTemplate gpus") != std::string::npos);
  CHECK(fix.find("{key: example.com/broken, operator: Exists, effect: NoExecute}") !=
        std::string::npos);
  CHECK(text_of(finding.evidence.front()) ==
        "DeviceTaintRule/maintenance spec.taint: example.com/broken:NoExecute");
}

TEST_CASE("the last writer of the rule is named", "[devices]") {
  DeviceScene scene;
  model::FieldManager manager;
  manager.manager = "gpu-operator";
  manager.operation = "Update";
  manager.spec = true;
  scene.rule().meta.managers = {manager};
  scene.delete_pod();
  CHECK_THAT(scene.message(),
             Catch::Contains("DeviceTaintRule maintenance, written by gpu-operator,"));
}

TEST_CASE("a taint of the driver is named with its slice", "[devices]") {
  DeviceScene scene;
  scene.cluster.resource_slices[0].devices[0].taints = {
      {"gpu.example.com/unhealthy", "ecc", "NoExecute", at(3300)}};
  scene.delete_pod();
  CHECK_THAT(scene.message(), Catch::Contains("driver gpu.example.com taints device gpu-0 "
                                              "with gpu.example.com/unhealthy=ecc:NoExecute"));
  const Finding finding = scene.one("device-taint-eviction");
  CHECK(fix_of(finding).find("kubectl get resourceslice n1-gpus -o yaml") != std::string::npos);
  CHECK(fix_of(finding).find("devicetaintrule") == std::string::npos);
  CHECK(text_of(finding.evidence.front())
            .starts_with("ResourceSlice/n1-gpus spec.devices[0].taints[0]: "));
}

TEST_CASE("a loop of deletion and creation is counted", "[devices]") {
  DeviceScene scene;
  scene.rule();
  auto& tolerations = scene.cluster.resource_claims[0].devices[0].tolerations;
  for (const char* name : {"agent-aaaaa", "agent-bbbbb"}) scene.evicted(name, 300);
  SECTION("tolerated for some seconds only") {
    tolerations = {{"example.com/broken", "Exists", "", "NoExecute", 600}};
    CHECK_THAT(scene.message(),
               Catch::Contains("tolerates for 600s only") &&
                   Catch::Contains("the pod is deleted by 2023-11-14 23:18:20 UTC") &&
                   Catch::Contains("2 evictions within the last hour"));
  }
  SECTION("tolerated without effect: the scheduler counts it, the controller does not") {
    tolerations = {{"example.com/broken", "Exists", "", "", {}}};
    scene.cluster.resource_claims[0].requests[0].tolerations = tolerations;
    CHECK_THAT(
        scene.message(),
        Catch::Contains("Kubernetes 1.37 ignores the ResourceClaim's toleration without effect"));
    scene.cluster.version = model::ServerVersion{1, 38, 0, "v1.38.0"};
    CHECK_THAT(scene.message(), Catch::Contains("no device of its claims has a NoExecute taint"));
  }
}

TEST_CASE("evictions of pods that do not exist any more are explained by the node's devices",
          "[devices]") {
  DeviceScene scene;
  scene.cluster.pods.clear();
  scene.cluster.resource_claims.clear();
  CHECK(scene.ids().empty());
  scene.evicted("agent-aaaaa", 60);
  SECTION("by a rule") {
    scene.rule();
    CHECK_THAT(scene.message(),
               Catch::Contains("DeviceTaintRule maintenance taints 2 of 2 devices of "
                               "gpu.example.com on the node with example.com/broken:NoExecute;"));
  }
  SECTION("by a taint that is gone") {
    CHECK_THAT(scene.message(), Catch::Contains("no device of its claims has a NoExecute taint"));
    CHECK(scene.one("device-taint-eviction").root.empty());
  }
  SECTION("by something that was not read") {
    scene.cluster.known.device_taints = false;
    CHECK_THAT(scene.message(), Catch::Contains("which was not read"));
  }
}

TEST_CASE("healthy pods with devices have no finding", "[devices]") {
  DeviceScene scene;
  SECTION("no taint") {}
  SECTION("a tolerated taint") {
    scene.rule();
    scene.cluster.resource_claims[0].devices[0].tolerations = {
        {"example.com/broken", "Exists", "", "NoExecute", {}}};
  }
  SECTION("a rule for other devices") { scene.rule().selector->device = "gpu-1"; }
  SECTION("NoSchedule does not evict") { scene.rule("NoSchedule"); }
  SECTION("a taint on which the controller has not acted for minutes") { scene.rule(); }
  SECTION("one eviction that is over") { scene.evicted("agent-aaaaa", 600); }
  SECTION("evictions that are over, before another problem") {
    scene.evicted("agent-aaaaa", 60);
    scene.evicted("agent-bbbbb", 60);
    scene.cluster.pods[0].conditions[1].status = "False";
    scene.cluster.pods[0].statuses[0].ready = false;
    for (const Finding& one : scene.found()) CHECK(one.name() != "device-taint-eviction");
    return;
  }
  SECTION("a template without claims") {
    scene.rule();
    scene.ds().pod_template.spec.resource_claims.clear();
    scene.cluster.pods[0].spec = scene.ds().pod_template.spec;
    scene.evicted("agent-aaaaa", 60);
    scene.evicted("agent-bbbbb", 60);
  }
  CHECK(scene.ids().empty());
}
