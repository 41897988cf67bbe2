// SPDX-License-Identifier: Apache-2.0

// Features that the node's kubelet lacks, and devices that are tainted.

#include "diagnosis/catalogue/test_fix.h"
#include "diagnosis/causes/pending/test_pending.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using namespace dsdoctor::diagnosis::testing;

namespace {

constexpr const char* features_differ = "node(s) didn't match Pod's required features";

/// A pod that restarts all containers, on Kubernetes 1.37.2.
class FeatureStory : public PendingStory {
 public:
  FeatureStory() {
    cluster.version = model::ServerVersion{1, 37, 2, "v1.37.2"};
    node().kubelet_version = "v1.37.2";
    node().declared_features = {"InPlacePodLevelResourcesVerticalScaling"};
    spec.containers[0].restart_actions = {"RestartAllContainers"};
  }

  std::string message() { return text_of(finding("sched-node-features").message); }
  std::string fix() { return fix_of(finding("sched-node-features")); }
};

/// A pod with an unallocated claim; the node has two devices.
class DevicePendingStory : public PendingStory {
 public:
  DevicePendingStory() {
    spec.resource_claims = {{"gpu", "", "gpus"}};
    model::ResourceClaim& claim = cluster.resource_claims.emplace_back();
    claim.meta.ns = "x";
    claim.meta.name = "agent-1-gpu";
    claim.meta.controller = model::ControllerRef{"Pod", "agent-1", "uid-pod"};
    claim.requests = {{"gpu", {}, {}}};
    model::ResourceSlice& slice = cluster.resource_slices.emplace_back();
    slice.meta.name = "n-gpus";
    slice.driver = "gpu.example.com";
    slice.node_name = "n";
    slice.pool = "n";
    slice.devices = {{"gpu-0", {}}, {"gpu-1", {}}};
    says(words_for_one("cannot allocate all claims"));
  }
  model::DeviceTaintRule& rule() {
    model::DeviceTaintRule& rule = cluster.device_taint_rules.emplace_back();
    rule.meta.name = "maintenance";
    rule.selector.emplace();
    rule.taint = {"example.com/broken", "yes", "NoSchedule", at(1)};
    return rule;
  }
  std::string message() { return text_of(finding("sched-resource-claim").message); }
};

}  // namespace

TEST_CASE("a feature that the node does not declare is named with its field", "[pending]") {
  FeatureStory story;
  SECTION("the feature gate is off") {
    story.says(words_for_one(features_differ));
    CHECK(story.message() ==
          "n does not declare feature RestartAllContainersOnContainerExits, which "
          "containers[0].restartPolicyRules[0].action: RestartAllContainers requires: feature gate "
          "RestartAllContainersOnContainerExits is off in its kubelet v1.37.2");
    CHECK(holds(story.fix(), "turn on feature gate RestartAllContainersOnContainerExits"));
    CHECK_FALSE(holds(story.fix(), "upgrade"));
    CHECK(
        holds(story.fix(), "remove spec.template.spec.containers[0].restartPolicyRules[0].action"));
    CHECK(story.finding("sched-node-features").basis == Basis::Confirmed);
  }
  SECTION("the kubelet is older") {
    story.says(words_for_one(features_differ));
    story.node().kubelet_version = "v1.35.4";
    CHECK(holds(story.message(), ": its kubelet v1.35.4 is older than 1.36"));
    CHECK(holds(story.fix(), "upgrade the node's kubelet to 1.36 or newer"));
    CHECK_FALSE(holds(story.fix(), "feature gate"));
  }
  SECTION("a kubelet of 1.36 can have the report of features off") {
    story.says(words_for_one(features_differ));
    story.node().kubelet_version = "v1.36.3";
    story.node().declared_features.clear();
    CHECK(
        holds(story.message(), "RestartAllContainersOnContainerExits or NodeDeclaredFeatures is"));
  }
  SECTION("the kubelet has not reported") {
    story.node().kubelet_version = {};
    CHECK(holds(story.message(), ": its kubelet has not reported its version"));
  }
  SECTION("the container runtime may lack it, too") {
    story.spec.containers[0].restart_actions.clear();
    story.spec.host_users = false;
    story.pod.host_network = true;
    CHECK(holds(story.message(),
                "hostUsers: false requires: feature gate "
                "UserNamespacesHostNetworkSupport is off in its kubelet v1.37.2, "
                "or its container runtime does not support it"));
    CHECK(holds(story.fix(), "update the node's container runtime"));
  }
}

TEST_CASE("a node that declares the feature does not block the pod", "[pending]") {
  FeatureStory story;
  story.node().declared_features.emplace_back("RestartAllContainersOnContainerExits");
  SECTION("without a message") {}
  SECTION("the scheduler's message is older") { story.says(words_for_one(features_differ)); }
  for (const std::string& id : story.ids()) CHECK(id != "sched-node-features");
}

TEST_CASE("on releases without the rule or with a gate the scheduler's word decides", "[pending]") {
  FeatureStory story;
  story.says(words_for_one("Too many pods"));
  CHECK(story.finding("sched-node-features").basis == Basis::Recomputed);
  for (const int minor : {35, 36, 39}) {
    CAPTURE(minor);
    story.cluster.version = model::ServerVersion{1, minor, 0, ""};
    for (const std::string& id : story.ids()) CHECK(id != "sched-node-features");
  }
}

TEST_CASE("a feature that is not known is reported in the scheduler's words", "[pending]") {
  FeatureStory story;
  story.spec.containers[0].restart_actions.clear();
  story.says(words_for_one(features_differ));
  CHECK(holds(story.message(), "the scheduler rejects n: node(s) didn't match Pod's required"));
  CHECK(holds(story.fix(), "compare status.declaredFeatures"));
  CHECK_FALSE(holds(story.fix(), "upgrade"));
  story.node().kubelet_version = "v1.36.3";
  CHECK(holds(story.fix(), "upgrade the node's kubelet to 1.37 or newer"));
}

TEST_CASE("a missing pod's features are predicted", "[pending]") {
  FeatureStory story;
  story.ds().pod_template.spec = story.spec;
  const auto findings = story.predicted();
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].name() == "sched-node-features");
  CHECK(findings[0].evidence.back().path ==
        "spec.template.spec.containers[0].restartPolicyRules[0].action");
}

TEST_CASE("tainted devices are named where the scheduler finds none", "[pending]") {
  DevicePendingStory story;
  CHECK_FALSE(holds(story.message(), "taints"));
  SECTION("by a rule") {
    story.rule();
    CHECK(holds(story.message(),
                "cannot allocate all claims: DeviceTaintRule maintenance taints 2 of 2 devices of "
                "gpu.example.com on the "
                "node with example.com/broken=yes:NoSchedule, which the claim does not tolerate"));
    const std::string fix = fix_of(story.finding("sched-resource-claim"));
    CHECK(holds(fix, "kubectl delete devicetaintrule maintenance"));
    CHECK(story.finding("sched-resource-claim").evidence.back().object.kind == "DeviceTaintRule");
    CHECK(holds(fix,
                "{key: example.com/broken, operator: Equal, value: \"yes\", effect: "
                "NoSchedule}"));
  }
  SECTION("by the driver") {
    story.cluster.resource_slices[0].devices[1].taints = {{"sick", "", "NoExecute", {}}};
    CHECK(holds(story.message(), "driver gpu.example.com taints 1 of 2 devices"));
    CHECK(holds(fix_of(story.finding("sched-resource-claim")), "kubectl get resourceslice n-gpus"));
  }
  SECTION("not of drivers that other pods of the DaemonSet do not use") {
    story.rule();
    model::ResourceClaim other = story.cluster.resource_claims[0];
    other.meta.name = "agent-2-gpu";
    other.meta.controller->name = "agent-2";
    other.meta.controller->uid = "uid-other";
    other.devices = {{"gpu", "gpu.example.com", "m", "gpu-0", {}}};
    story.cluster.resource_claims.push_back(other);
    CHECK(holds(story.message(), "taints"));
    story.cluster.resource_claims.back().devices[0].driver = "nic.example.com";
    CHECK_FALSE(holds(story.message(), "taints"));
  }
  SECTION("not for another reason") {
    story.rule();
    story.says(words_for_one("resourceclaim not available on the node"));
    CHECK_FALSE(holds(story.message(), "taints"));
  }
  SECTION("not if the claim tolerates it") {
    story.rule();
    story.cluster.resource_claims[0].requests[0].tolerations = {{"", "Exists", "", "", {}}};
    CHECK_FALSE(holds(story.message(), "taints"));
  }
  SECTION("not without the claim, whose tolerations are unknown") {
    story.rule();
    story.cluster.resource_claims.clear();
    CHECK_FALSE(holds(story.message(), "taints"));
  }
}
