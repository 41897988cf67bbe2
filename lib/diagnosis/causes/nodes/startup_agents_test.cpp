// SPDX-License-Identifier: Apache-2.0

// Startup taints, and the agents that remove them.

#include "diagnosis/causes/nodes/startup_agents.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "diagnosis/catalogue/test_fix.h"
#include "diagnosis/causes/nodes/test_node.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using namespace dsdoctor::diagnosis::testing;

namespace {

/// Adds DaemonSet kube-system/cilium, which tolerates every taint, and its pod on node a.
model::Pod& add_cilium(TestStory& story) {
  model::DaemonSet& agent = story.cluster.daemon_sets.emplace_back();
  agent.meta.ns = "kube-system";
  agent.meta.name = "cilium";
  agent.pod_template.tolerations = {{"", "Exists", "", ""}};
  model::Pod& pod = story.add_pod("cilium-1", "a");
  pod.meta.ns = "kube-system";
  pod.meta.controller = model::ControllerRef{"DaemonSet", "cilium", "uid-9"};
  pod.tolerations = agent.pod_template.tolerations;
  return pod;
}

}  // namespace

TEST_CASE("startup taints of two agents resolve without action if all DaemonSets are known",
          "[diagnosis]") {
  TestStory story;
  story.nodes({"a"});
  story.node("a").meta.created = at(0);
  story.node("a").taints = {
      {"node.cilium.io/agent-not-ready", "", "NoSchedule", at(test_now - 300)},
      {"ebs.csi.aws.com/agent-not-ready", "", "NoSchedule", at(test_now - 300)}};
  const auto passes = [&] {
    const auto findings =
        story.ask_node([](const NodeCase& c) { return node_findings(c, false); }, "a");
    return std::ranges::count(findings, true, &Finding::transient);
  };
  CHECK(passes() == 0);  // the agents may wait for each other
  story.cluster.known.every_daemon_set = true;
  CHECK(passes() == 2);
}

TEST_CASE("a startup taint resolves without action only if its remover can run", "[diagnosis]") {
  TestStory story;
  story.nodes({"a"});
  story.cluster.all_pods_known = true;
  story.node("a").meta.created = at(0);
  story.node("a").taints = {
      {"node.cilium.io/agent-not-ready", "", "NoSchedule", at(test_now - 300)}};
  CHECK(only_of_story(story, "node-startup-taint-stuck")
            .transient);  // the agent's DaemonSet is unknown
  model::DaemonSet& agent = story.cluster.daemon_sets.emplace_back();
  agent.meta.ns = "kube-system";
  agent.meta.name = "cilium";
  Finding finding = only_of_story(story, "node-startup-taint-stuck");
  CHECK_FALSE(finding.transient);
  CHECK(finding.severity == Severity::Error);
  CHECK(text_of(finding.message).ends_with("; the node is not eligible for DaemonSet cilium"));
  agent.pod_template.tolerations = {{"", "Exists", "", ""}};
  finding = only_of_story(story, "node-startup-taint-stuck");
  CHECK_FALSE(finding.transient);
  CHECK(text_of(finding.message).ends_with("; no pod of DaemonSet cilium runs on the node"));
  model::Pod& pod = story.add_pod("cilium-1", "a");
  pod.meta.ns = "kube-system";
  pod.meta.controller = model::ControllerRef{"DaemonSet", "cilium", "uid-9"};
  CHECK(only_of_story(story, "node-startup-taint-stuck").transient);
  pod.conditions = {{"Ready", "False", "", "", at(0)}};
  CHECK_FALSE(only_of_story(story, "node-startup-taint-stuck").transient);
  pod.meta.created = at(test_now - 60);  // it is starting
  CHECK(only_of_story(story, "node-startup-taint-stuck").transient);
  pod.statuses.emplace_back().waiting = model::WaitingState{"ImagePullBackOff", ""};
  CHECK_FALSE(only_of_story(story, "node-startup-taint-stuck").transient);
  pod.meta.deleted = at(test_now);
  CHECK(text_of(only_of_story(story, "node-startup-taint-stuck").message)
            .ends_with("; its pod cilium-1 is terminating"));
  pod.meta.deleted.reset();
  // A DaemonSet for another operating system never runs there, whatever it tolerates.
  model::DaemonSet twin = story.cluster.daemon_sets.back();
  twin.meta.name = "cilium-windows";
  twin.pod_template.node_selector = {{"kubernetes.io/os", "windows"}};
  story.cluster.daemon_sets.push_back(std::move(twin));
  CHECK(text_of(only_of_story(story, "node-startup-taint-stuck").message)
            .ends_with("; its pod cilium-1 is not ready"));
}

TEST_CASE("nobody removes a startup taint whose agent has no DaemonSet", "[diagnosis]") {
  TestStory story;
  story.nodes({"a"});
  story.cluster.all_pods_known = true;
  story.node("a").meta.created = at(0);
  story.node("a").taints = {
      {"node.cilium.io/agent-not-ready", "", "NoSchedule", at(test_now - 700)}};
  const auto text = [&] {
    return text_of(only_of_story(story, "node-startup-taint-stuck").message);
  };
  CHECK(text().starts_with("the node waits since "));  // one namespace may have been read
  story.cluster.known.every_daemon_set = true;
  const Finding finding = only_of_story(story, "node-startup-taint-stuck");
  CHECK(text_of(finding.message)
            .starts_with("node.cilium.io/agent-not-ready:NoSchedule stays (since "));
  CHECK(text().ends_with(": no DaemonSet of the cluster runs cilium, whose pod removes it"));
  CHECK_FALSE(finding.transient);
  CHECK_FALSE(finding.overdue_since);
  CHECK(fix_of(finding).find("kubectl taint node a node.cilium.io/agent-not-ready:NoSchedule-") !=
        std::string::npos);
  story.cluster.known.every_daemon_set = false;
  model::DaemonSet& other = story.cluster.daemon_sets.emplace_back();
  other.meta.ns = "y";
  other.meta.name = "other";
  CHECK(text().ends_with(": no DaemonSet that was read runs cilium, whose pod removes it"));
  SECTION("the node may be waiting for an agent that is being installed") {
    story.node("a").taints[0].time_added = at(test_now - 60);
    CHECK(text().starts_with("the node waits since "));
  }
  SECTION("an agent by this name") {
    other.meta.name = "cilium-agent";
    CHECK(text().starts_with("the node waits since "));
  }
}

TEST_CASE("an agent that waits for another agent's taint starts as soon as that agent runs",
          "[diagnosis]") {
  TestStory story;
  story.nodes({"a"});
  story.cluster.all_pods_known = true;
  story.node("a").meta.created = at(0);
  story.node("a").taints = {
      {"node.cilium.io/agent-not-ready", "", "NoSchedule", at(test_now - 300)},
      {"ebs.csi.aws.com/agent-not-ready", "", "NoSchedule", at(test_now - 300)}};
  story.ds().pod_template.tolerations = {{"node.cilium.io/agent-not-ready", "Exists", "", ""}};
  const auto add_agent = [&](const char* name, const model::Taint& own) {
    model::DaemonSet& agent = story.cluster.daemon_sets.emplace_back();
    agent.meta.ns = "kube-system";
    agent.meta.name = name;
    agent.pod_template.tolerations = {{own.key, "Exists", "", ""}};
  };
  story.cluster.known.every_daemon_set = true;
  add_agent("cilium", story.node("a").taints[0]);
  add_agent("ebs-csi-node", story.node("a").taints[1]);
  const auto waits = [&] { return only_of_story(story, "node-startup-taint-stuck").transient; };
  model::Pod& pod = story.add_pod("cilium-1", "a");
  pod.meta.ns = "kube-system";
  pod.meta.controller = model::ControllerRef{"DaemonSet", "cilium", "uid-9"};
  CHECK(waits());
  pod.conditions = {{"Ready", "False", "", "", at(0)}};
  CHECK_FALSE(waits());  // the other agent is stuck
  pod.conditions = {{"Ready", "True", "", "", at(0)}};
  CHECK(waits());
  story.cluster.daemon_sets.back().pod_template.node_selector = {{"os", "windows"}};
  CHECK_FALSE(waits());
  story.cluster.all_pods_known = false;
  CHECK(waits());  // its pod can be one of those that were not read
}

TEST_CASE("agents that start one after the other are evaluated once each", "[diagnosis]") {
  TestStory story;
  story.nodes({"a"});
  story.cluster.all_pods_known = story.cluster.known.every_daemon_set = true;
  story.node("a").meta.created = at(0);
  constexpr int agents = 40;
  const auto key = [](int i) { return fmt::format("x{}.csi.example.com/agent-not-ready", i); };
  // Each agent tolerates its own taint and those of the later agents.
  for (int i = 0; i < agents; ++i) {
    story.node("a").taints.push_back({key(i), "", "NoSchedule", at(test_now - 300)});
    model::DaemonSet& agent = story.cluster.daemon_sets.emplace_back();
    agent.meta.ns = "kube-system";
    agent.meta.name = fmt::format("x{}-csi", i);
    for (int j = i; j < agents; ++j) {
      agent.pod_template.tolerations.push_back({key(j), "Exists", "", ""});
    }
  }
  model::Pod& pod = story.add_pod("x0-1", "a");
  pod.meta.ns = "kube-system";
  pod.meta.controller = model::ControllerRef{"DaemonSet", "x0-csi", "uid-9"};
  const auto waits = [&] {
    const auto findings =
        story.ask_node([](const NodeCase& c) { return node_findings(c, false); }, "a");
    CHECK(findings.size() == story.node("a").taints.size());
    return std::ranges::count(findings, true, &Finding::transient);
  };
  CHECK(waits() == agents);
  pod.conditions = {{"Ready", "False", "", "", at(0)}};
  CHECK(waits() == 0);
  story.node("a").taints.resize(16);
  CHECK(waits() == 0);
  pod.conditions = {{"Ready", "True", "", "", at(0)}};
  CHECK(waits() == 16);
}

TEST_CASE("a startup taint without a time can be younger than its node", "[diagnosis]") {
  TestStory story;
  story.nodes({"a"});
  story.node("a").meta.created = at(0);
  story.node("a").taints = {{"node.cilium.io/agent-not-ready", "", "NoSchedule"}};
  Finding finding = only_of_story(story, "node-startup-taint-stuck");
  CHECK(text_of(finding.message).find(" since 2023-11-14 22:13:20 UTC") != std::string::npos);
  CHECK(finding.overdue_since == at(600));
  const auto add_pod_of = [&](const char* kind, std::int64_t ago) -> model::Pod& {
    model::Pod& pod = story.add_pod(fmt::format("{}-{}", kind, ago).c_str(), "a");
    pod.meta.controller = model::ControllerRef{kind, "other", "uid-8"};
    pod.meta.created = at(test_now - ago);
    return pod;
  };
  add_pod_of("Node", 3000);  // a static pod
  add_pod_of("ReplicaSet", 3000).tolerations =
      std::vector<model::Toleration>{{"", "Exists", "", "", {}}};
  CHECK(only_of_story(story, "node-startup-taint-stuck").overdue_since == at(600));
  // It was bound to the node without tolerating the taint.
  add_pod_of("ReplicaSet", 2000);
  finding = only_of_story(story, "node-startup-taint-stuck");
  CHECK(text_of(finding.message).find(" since ") == std::string::npos);
  CHECK_FALSE(finding.overdue_since);
  CHECK_FALSE(finding.transient);
  add_pod_of("ReplicaSet", 500);
  CHECK(only_of_story(story, "node-startup-taint-stuck").transient);
}

TEST_CASE("a startup taint is transient if its agent has just become ready", "[diagnosis]") {
  TestStory story;
  story.nodes({"a"});
  story.cluster.all_pods_known = true;
  story.cluster.known.every_daemon_set = true;
  story.node("a").meta.created = at(0);
  story.node("a").taints = {{"node.cilium.io/agent-not-ready", "", "NoSchedule"}};
  model::Pod& pod = add_cilium(story);
  const auto passes = [&](const char* ready, std::int64_t ago) {
    pod.conditions = {{"Ready", ready, "", "", at(test_now - ago)}};
    return only_of_story(story, "node-startup-taint-stuck").transient;
  };
  CHECK(passes("True", 100));
  CHECK_FALSE(passes("True", 200));
  CHECK(passes("False", 500));
  CHECK_FALSE(passes("False", 700));
  story.node("a").taints[0].time_added = at(test_now - 5000);
  CHECK_FALSE(passes("True", 100));  // the taint was added earlier
  story.node("a").taints[0].time_added.reset();
  model::ContainerStatus& status = pod.statuses.emplace_back();
  status.restart_count = 2;
  status.last_terminated =
      model::TerminatedState{1, 0, "Error", "", at(test_now - 700), at(test_now - 90)};
  CHECK(passes("True", 100));
  status.last_terminated =
      model::TerminatedState{1, 0, "Error", "", at(test_now - 600), at(test_now - 90)};
  CHECK_FALSE(passes("True", 100));
  pod.statuses.clear();
  pod.statuses.emplace_back().waiting = model::WaitingState{"CrashLoopBackOff", ""};
  CHECK_FALSE(passes("False", 500));
}

TEST_CASE("an agent must tolerate its own startup taint", "[diagnosis]") {
  TestStory story;
  story.nodes({"a"});
  story.ds().meta.name = "cilium";
  story.node("a").meta.created = at(0);
  story.node("a").taints = {
      {"node.cilium.io/agent-not-ready", "", "NoSchedule", at(test_now - 300)}};
  Finding finding = only_of_story(story, "node-startup-taint-stuck");
  CHECK(finding.severity == Severity::Critical);
  CHECK(fix_of(finding) == "tolerate the taint: kubectl dsdoctor suggest cilium -n x");
  // Another taint excludes the agent's pod: that is the one to report.
  story.ds().pod_template.tolerations = {{"node.cilium.io/agent-not-ready", "Exists", "", ""}};
  story.node("a").taints.push_back({"dedicated", "gpu", "NoSchedule"});
  finding = only_of_story(story, "node-startup-taint-stuck");
  CHECK(text_of(finding.message).ends_with("; it does not tolerate dedicated=gpu:NoSchedule"));
  CHECK(
      fix_of(finding) ==
      "tolerate the taint that excludes it, or remove that taint: kubectl dsdoctor suggest cilium "
      "-n x --for node/a");
  SECTION("another DaemonSet of the agent removes it") {
    story.ds().pod_template.tolerations.clear();
    story.node("a").taints.pop_back();
    model::DaemonSet other = story.ds();
    other.meta.name = "cilium-node";
    other.pod_template.tolerations = {{"", "Exists", "", ""}};
    story.cluster.daemon_sets.push_back(std::move(other));
    CHECK(text_of(only_of_story(story, "node-startup-taint-stuck").message).find("only the pod") ==
          std::string::npos);
  }
}

TEST_CASE("a startup taint that stays although its agent is ready is not waited for",
          "[diagnosis]") {
  TestStory story;
  story.nodes({"a"});
  story.cluster.all_pods_known = true;
  story.node("a").meta.created = at(0);
  story.node("a").taints = {{"node.cilium.io/agent-not-ready", "", "NoSchedule"}};
  model::Pod& pod = add_cilium(story);
  pod.meta.created = at(0);
  pod.conditions = {{"Ready", "True", "", "", at(test_now - 700)}};
  const auto text = [&] {
    return text_of(only_of_story(story, "node-startup-taint-stuck").message);
  };
  const Finding finding = only_of_story(story, "node-startup-taint-stuck");
  CHECK(text() ==
        "node.cilium.io/agent-not-ready:NoSchedule stays, although pod cilium-1 of cilium, which "
        "removes it, has been ready there for more than ten minutes");
  CHECK_FALSE(finding.transient);
  CHECK(fix_of(finding).find("kubectl --namespace kube-system logs cilium-1") != std::string::npos);
  SECTION("the time of the taint counts, if it is known") {
    story.node("a").taints[0].time_added = at(test_now - 800);
    CHECK(text().find("stays (since ") != std::string::npos);
    story.node("a").taints[0].time_added = at(test_now - 300);
    CHECK(text().starts_with("the node waits since "));
  }
  SECTION("an agent that has just become ready needs a moment") {
    story.cluster.pods.back().conditions[0].last_transition = at(test_now - 60);
    CHECK(text().starts_with("the node waits since "));
  }
  SECTION("an agent that is not ready is waited for") {
    story.cluster.pods.back().conditions[0].status = "False";
    CHECK(text().starts_with("the node waits since "));
  }
}

TEST_CASE("a network plugin and a cloud controller manager wait for each other", "[diagnosis]") {
  TestStory story;
  story.nodes({"a"});
  story.cluster.all_pods_known = true;
  model::Node& node = story.node("a");
  node.taints = {{"node.cloudprovider.kubernetes.io/uninitialized", "true", "NoSchedule"}};
  node.conditions = {{"Ready", "False", "KubeletNotReady",
                      "container runtime network not ready: NetworkReady=false "
                      "reason:NetworkPluginNotReady message:cni plugin not initialized",
                      at(0)}};
  story.ds().pod_template.host_network = true;
  story.ds().pod_template.spec.volumes = {{"net", "hostPath", "/etc/cni/net.d"}};
  story.ds().pod_template.spec.containers.emplace_back().mounts.emplace_back().name = "net";
  model::Pod& pod = story.add_pod("aws-cloud-controller-manager-1", "a");
  pod.phase = "Pending";
  pod.meta.controller = model::ControllerRef{"ReplicaSet", "ccm", "uid-9", "apps/v1"};
  const auto ids_there = [&] {
    return ids(story.ask_node([](const NodeCase& c) { return node_findings(c, false); }, "a"));
  };
  REQUIRE(ids_there().find("node-cni-deadlock") != std::string::npos);
  CHECK(text_of(only_of_story(story, "node-cni-deadlock").message)
            .ends_with("does not tolerate node.cloudprovider.kubernetes.io/uninitialized; pod "
                       "aws-cloud-controller-manager-1, which removes that taint, waits for the "
                       "network"));
  SECTION("a manager on the host network does not wait") {
    story.cluster.pods.back().host_network = true;
  }
  SECTION("nor does one that runs") { story.cluster.pods.back().phase = "Running"; }
  SECTION("nor another pod") { story.cluster.pods.back().meta.name = "web-1"; }
  if (story.cluster.pods.back().host_network || story.cluster.pods.back().phase == "Running" ||
      story.cluster.pods.back().meta.name == "web-1") {
    CHECK(ids_there().find("node-cni-deadlock") == std::string::npos);
  }
}
