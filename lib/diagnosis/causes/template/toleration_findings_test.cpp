// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/template/toleration_findings.h"

#include <catch2/catch.hpp>

#include "diagnosis/catalogue/test_fix.h"
#include "diagnosis/test_story.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using namespace dsdoctor::diagnosis::testing;

namespace {

/// A worker and two special nodes, with a ready pod on each.
TestStory special_nodes() {
  TestStory story;
  story.nodes({"cp", "gpu", "w"});
  story.node("cp").taints = {{"node-role.kubernetes.io/control-plane", "", "NoSchedule"}};
  story.node("gpu").taints = {{"nvidia.com/gpu", "", "NoSchedule"}};
  for (const char* node : {"cp", "gpu", "w"}) story.pod(node);
  story.ds().pod_template.tolerations = {{"", "Exists", "", ""}};
  model::Container container;
  container.name = "app";
  container.requests = {{"cpu", "100m"}};
  story.ds().pod_template.spec.containers = {container};
  return story;
}

}  // namespace

TEST_CASE("a broad toleration is information while its pods work", "[toleration]") {
  TestStory story = special_nodes();
  CHECK(story.ask(toleration_findings).empty());
  const Finding lint = only(story.ask(lint_findings));
  CHECK(lint.id == FindingId::TolerationTooBroad);
  CHECK(lint.severity == Severity::Info);
  CHECK(text_of(lint.message) ==
        "the template tolerates every taint; 2 nodes are eligible only because of it: cp "
        "(node-role.kubernetes.io/control-plane), gpu (nvidia.com/gpu)");
}

TEST_CASE("a broad toleration is the cause of pods that fail on special nodes", "[toleration]") {
  TestStory story = special_nodes();
  story.cluster.pods[1].conditions.front().status = "False";
  const Finding finding = only(story.ask(toleration_findings));
  CHECK(finding.severity == Severity::Warning);
  CHECK(text_of(finding.message).ends_with("; its pod does not work on gpu (nvidia.com/gpu)"));
  CHECK(story.ask(lint_findings).empty());
  SECTION("an error if no such pod can work") {
    story.node("gpu").meta.labels = {{"type", "virtual-kubelet"}};
    CHECK(only(story.ask(toleration_findings)).severity == Severity::Error);
    story.node("gpu").meta.labels = {};
    story.node("gpu").os = "windows";
    CHECK(only(story.ask(toleration_findings)).severity == Severity::Error);
  }
  SECTION("an agent that prepares nodes keeps its broad toleration") {
    CHECK(fix_of(finding).starts_with("replace it with one toleration for each taint"));
    story.ds().pod_template.spec.volumes = {
        {.name = "cni", .kind = "hostPath", .source = "/opt/cni/bin"}};
    CHECK(fix_of(only(story.ask(toleration_findings))) ==
          "keep it, and exclude node pools by node affinity (operator NotIn)");
  }
  SECTION("not if the pod itself fails on ordinary nodes as well") {
    story.cluster.pods[2].conditions.front().status = "False";
    CHECK(story.ask(toleration_findings).empty());
    story.node("gpu").os = "windows";
    CHECK(only(story.ask(toleration_findings)).severity == Severity::Error);
  }
  SECTION("not if the pod has never been bound to the node") {
    TestStory::unbind(story.cluster.pods[1], "gpu", "");
    story.node("gpu").os = "windows";
    CHECK(story.ask(toleration_findings).empty());
    CHECK(only(story.ask(lint_findings)).severity == Severity::Info);
  }
  SECTION("not for a node in a temporary bad state") {
    story.node("gpu").taints = {{"node.kubernetes.io/not-ready", "", "NoSchedule"}};
    CHECK(story.ask(toleration_findings).empty());
  }
  SECTION("not on a node whose kubelet is down") {
    story.node("gpu").conditions.front().status = GENERATE("Unknown", "False");
    CHECK(story.ask(toleration_findings).empty());
  }
  SECTION("not if another toleration makes the node eligible anyway") {
    story.ds().pod_template.tolerations.push_back({"nvidia.com/gpu", "Exists", "", ""});
    CHECK(story.ask(toleration_findings).empty());
  }
}

TEST_CASE("the old key of the control plane's taint is reported", "[toleration]") {
  TestStory story = special_nodes();
  story.ds().pod_template.tolerations = {
      {"node-role.kubernetes.io/master", "Exists", "", "NoSchedule"}};
  const Finding finding = only(story.ask(toleration_findings));
  CHECK(finding.id == FindingId::TolerationOldMasterKey);
  CHECK(text_of(finding.message) ==
        "the template tolerates only node-role.kubernetes.io/master, the key before Kubernetes "
        "1.24; 1 node with node-role.kubernetes.io/control-plane not eligible because of it: cp");
  CHECK(
      fix_of(finding).find(
          "tolerate the new taint: kubectl -n x patch ds agent --type=json -p '[{\"op\":\"add\"") ==
      0);
  SECTION("not if both keys are tolerated") {
    story.ds().pod_template.tolerations.push_back(
        {"node-role.kubernetes.io/control-plane", "Exists", "", ""});
    CHECK(story.ask(toleration_findings).empty());
  }
  SECTION("not if nodes also have the old key or another taint") {
    story.node("cp").taints.push_back({"gpu", "", "NoSchedule"});
    CHECK(story.ask(toleration_findings).empty());
    story.node("cp").taints = {{"node-role.kubernetes.io/master", "", "NoSchedule"}};
    CHECK(story.ask(toleration_findings).empty());
  }
  SECTION("not if the effect does not match either") {
    story.ds().pod_template.tolerations.front().effect = "NoExecute";
    CHECK(story.ask(toleration_findings).empty());
  }
}

TEST_CASE("tolerations of taints that no node has are reported", "[toleration]") {
  TestStory story = special_nodes();
  story.ds().pod_template.tolerations = {
      {"nvidia.com/gpu", "Exists", "", ""},
      {"node.kubernetes.io/not-ready", "Exists", "", "NoExecute"},
      {"node.kubernetes.io/disk-pressure", "Exists", "", "NoExecute"},
      {"ToBeDeletedByClusterAutoscaler", "Exists", "", ""},
      {"dedicated", "Equal", "infra", "NoSchedule"}};
  const Finding finding = only(story.ask(lint_findings));
  CHECK(finding.id == FindingId::TolerationDead);
  CHECK(finding.severity == Severity::Info);
  CHECK(text_of(finding.message) == "no node has a taint for: dedicated=infra:NoSchedule");
  CHECK(finding.evidence ==
        std::vector{Evidence({"DaemonSet", "x", "agent"}, "spec.template.spec.tolerations[4].key",
                             "dedicated")});
  SECTION("a taint of any effect counts") {
    story.node("w").taints = {{"dedicated", "infra", "PreferNoSchedule"}};
    CHECK(ids(story.ask(lint_findings)) == "toleration-dead");
    story.ds().pod_template.tolerations.back().effect = "";
    CHECK(story.ask(lint_findings).empty());
  }
  SECTION("nodes that were not read prove nothing") {
    story.cluster.nodes_known = false;
    CHECK(story.ask(lint_findings).empty());
  }
}

TEST_CASE("pods without requests are reported", "[toleration]") {
  TestStory story = special_nodes();
  story.ds().pod_template.tolerations.clear();
  CHECK(story.ask(lint_findings).empty());
  story.ds().pod_template.spec.containers.front().requests = {{"ephemeral-storage", "1Gi"}};
  CHECK(only(story.ask(lint_findings)).id == FindingId::DaemonsetBestEffort);
  story.ds().pod_template.spec.limits = model::Labels{{"memory", "1Gi"}};
  CHECK(story.ask(lint_findings).empty());
}
