// SPDX-License-Identifier: Apache-2.0

// Ordinary processes of a node and its pod need no action until they take too long; checked at
// several times.

#include <catch2/catch.hpp>

#include "diagnosis/reporter.h"
#include "diagnosis/test_story.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using namespace dsdoctor::diagnosis::testing;

namespace {

/// Id of the first finding of the node, with "!" if it needs action.
std::string told(const TestStory& story, std::string_view name = "a") {
  const DaemonSetReport report =
      Reporter(story.cluster, {{}, at(test_now), {}}).report(story.cluster.daemon_sets.front());
  const auto node = report.nodes.find(name);
  if (node->findings().empty()) return "";
  const Finding& first = node->findings().front();
  return std::string(first.name()) +
         (first.transient || first.severity == Severity::Info ? "" : "!");
}

/// Node a with a pod that is being deleted because a label was removed from the node.
TestStory label_gone(std::int64_t deletion) {
  TestStory story;
  story.nodes({"a"});
  story.ds().pod_template.node_selector = {{"pool", "x"}};
  model::Pod& pod = story.pod("a");
  pod.meta.deleted = at(deletion);
  pod.meta.grace_seconds = 30;
  return story;
}

model::FieldManager wrote(std::int64_t when, model::FieldManager result = {}) {
  result.manager = "kubectl";
  result.operation = "Update";
  result.time = at(when);
  return result;
}

}  // namespace

TEST_CASE("a pod that is deleted after a label change is stuck when it is overdue",
          "[diagnosis][in-time]") {
  CHECK(told(label_gone(test_now + 20)) == "node-label-changed");
  CHECK(told(label_gone(test_now - 300)) == "pod-terminating-stuck!");
  SECTION("a computed label may be wrong") {
    TestStory story = label_gone(test_now + 20);
    story.ds().pod_template.node_selector = {{"feature.node.kubernetes.io/avx", "true"}};
    CHECK(told(story) == "node-label-changed!");
    story.cluster.pods.front().meta.deleted = at(test_now - 300);
    CHECK(told(story) == "node-label-changed!");
  }
  SECTION("a computed label of a vendor may be wrong") {
    TestStory story = label_gone(test_now + 20);
    story.node("a").feature_labels = "cpu-model.id";
    story.ds().pod_template.node_selector = {
        {GENERATE("a/b", "nvidia.com/gpu", "nvidia.feature.node.kubernetes.io/x"), "true"}};
    const bool is_computed =
        !story.ds().pod_template.node_selector.begin()->first.view().starts_with("a/");
    CHECK(told(story) == (is_computed ? "node-label-changed!" : "node-label-changed"));
  }
  SECTION("no label change is reported if the old template did not require the label") {
    TestStory story = label_gone(test_now + 20);
    story.add_revision("old", 1, 6);
    model::Pod& pod = story.cluster.pods.front();
    pod.meta.labels.set("controller-revision-hash", "old");
    CHECK(told(story).empty());
    pod.node_selector = {{"pool", "x"}};
    CHECK(told(story) == "node-label-changed");
  }
}

TEST_CASE("an agent waits for the other startup taints of a new node", "[diagnosis][in-time]") {
  TestStory story;
  story.nodes({"a"});
  story.ds().meta.name = "ebs-csi-node";
  story.ds().pod_template.tolerations = {{"ebs.csi.aws.com/agent-not-ready", "Exists", "", ""}};
  const auto taint = [&](const char* other, std::int64_t age) {
    story.node("a").meta.created = at(test_now - age);
    story.node("a").taints = {{"ebs.csi.aws.com/agent-not-ready", "", "NoExecute"},
                              {other, "", "NoSchedule"}};
  };
  taint("node.kubernetes.io/not-ready", 30);
  CHECK(told(story) == "node-startup-taint-stuck");
  taint("node.cloudprovider.kubernetes.io/uninitialized", 30);
  CHECK(told(story).ends_with("!") == false);
  taint("node.kubernetes.io/not-ready", 601);
  CHECK(told(story) == "node-startup-taint-stuck!");
  taint("node.cilium.io/agent-not-ready", 300);
  CHECK(told(story) == "node-startup-taint-stuck");
  story.cluster.known.every_daemon_set = true;  // no DaemonSet removes the taint
  CHECK(told(story) == "node-startup-taint-stuck!");
  taint("dedicated", 30);
  CHECK(told(story) == "node-startup-taint-stuck!");
}

TEST_CASE("the removal of a node without a time in its taint has the time of the writer",
          "[diagnosis][in-time]") {
  TestStory story;
  story.nodes({"a"});
  story.cluster.crowded_nodes = {"a"};
  model::Node& node = story.node("a");
  node.meta.created = at(0);
  story.pod("a");
  node.taints = {{"karpenter.sh/disrupted", "", "NoSchedule"}};
  CHECK(told(story) == "node-karpenter-disrupted");
  model::FieldManager writer;
  writer.taints = true;
  node.meta.managers = {wrote(test_now - 600, writer)};
  CHECK(told(story) == "node-karpenter-disrupted");
  node.meta.managers = {wrote(test_now - 2000, writer)};
  CHECK(told(story) == "node-karpenter-disrupted!");
}

TEST_CASE("a missing pod on a newly eligible node needs no action", "[diagnosis][in-time]") {
  TestStory story;
  story.nodes({"a", "b"});
  story.pod("b");
  story.cluster.known.events = true;
  CHECK(told(story) == "create-silent!");
  model::FieldManager writer;
  writer.labels = {"pool"};
  story.node("a").meta.labels = story.node("b").meta.labels = {{"pool", "x"}};
  model::NodeSelectorTerm term;
  term.match_expressions = {{"pool", "In", {"x"}}};
  story.ds().pod_template.node_affinity = model::NodeSelector{{term}};
  story.node("a").meta.managers = {wrote(test_now - 60, writer)};
  CHECK(told(story) == "node-newly-eligible");
}

TEST_CASE("pods of a node that is Ready again become ready without action",
          "[diagnosis][in-time]") {
  TestStory story;
  story.nodes({"a"});
  model::Pod& pod = story.pod("a");
  pod.conditions = {{"Ready", "False", "", "", at(test_now - 60)},
                    {"ContainersReady", "True", "", "", at(100)}};
  model::ContainerStatus& status = pod.statuses.emplace_back();
  status.name = "app";
  status.running = status.ready = true;
  story.node("a").conditions.front().last_transition = at(test_now - 1);
  CHECK(told(story) == "not-ready-node");
  SECTION("a pod that waits for a readiness gate is not included") {
    model::PodSpec gated;
    gated.readiness_gates = {"example.com/ready"};
    pod.spec = gated;
    CHECK(told(story) != "not-ready-node");
    pod.conditions.push_back({"example.com/ready", "True", "", "", at(100)});
    CHECK(told(story) == "not-ready-node");
  }
  story.node("a").conditions.front().last_transition = at(test_now - 121);
  CHECK(told(story).empty());
}
