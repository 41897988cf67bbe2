// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/control/identity_findings.h"

#include <catch2/catch.hpp>

#include "diagnosis/causes/control/count_findings.h"
#include "diagnosis/reporter.h"
#include "diagnosis/test_story.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using namespace dsdoctor::diagnosis::testing;

namespace {

/// "standing id, standing id" of the findings about a node.
std::string said_of(const TestStory& story, std::string_view name) {
  const DaemonSetReport report =
      Reporter(story.cluster, {{}, at(test_now), {}}).report(story.cluster.daemon_sets.front());
  const auto node = report.nodes.find(name);
  std::string result;
  for (const Finding& finding : node->findings()) {
    result += result.empty() ? "" : ", ";
    result += std::string(to_string(finding.standing)) + " " + std::string(finding.name());
  }
  return result;
}

}  // namespace

TEST_CASE("a DaemonSet's deletion explains missing pods but not existing ones", "[diagnosis]") {
  TestStory story;
  story.nodes({"a", "b"});
  story.cluster.nodes[0].meta.created = at(test_now - 10);  // eligible for a moment only
  story.ds().meta.deleted = at(test_now - 100);
  model::Pod& pod = story.pod("b");
  CHECK(said_of(story, "a") == "primary daemonset-being-deleted, context node-newly-eligible");
  CHECK(said_of(story, "b").empty());
  pod.phase = "Pending";
  pod.conditions = {{"PodScheduled", "True", "", "", at(100)}};
  CHECK(said_of(story, "b") == "primary pod-not-acknowledged");
  const auto causes = story.ask(identity_causes);
  REQUIRE(ids(causes) == "daemonset-being-deleted");
  CHECK(ids(story.ask(identity_findings)).find("being-deleted") == std::string::npos);
}

TEST_CASE("a foreground deletion waits for the pods", "[diagnosis]") {
  TestStory story;
  story.nodes({"a"});
  story.ds().meta.deleted = at(test_now - 300);
  story.ds().meta.finalizers = {"foregroundDeletion"};
  model::Pod& pod = story.pod("a");
  pod.meta.deleted = at(test_now + 300);
  CHECK(story.ask(identity_causes).front().transient);
  pod.meta.deleted = at(test_now - 61);
  CHECK_FALSE(story.ask(identity_causes).front().transient);
}

TEST_CASE("a foreground deletion names the pod that it waits for", "[diagnosis]") {
  TestStory story;
  story.nodes({"a", "b"});
  story.ds().meta.deleted = at(test_now - 300);
  story.ds().meta.finalizers = {"foregroundDeletion"};
  story.pod("a");
  story.pod("b");
  const auto text = [&] { return text_of(story.ask(identity_causes).front().message); };
  const auto names = [&](const char* what) { return text().find(what) != std::string::npos; };
  CHECK(names(", waits for pod p1 on a, and 1 more: "));
  story.node("b").conditions = {{"Ready", "Unknown", "", "", at(0)}};
  CHECK(names(", waits for pod p2 on b, whose kubelet does not report, and 1 more: "));
  const Finding finding = story.ask(identity_causes).front();
  REQUIRE(finding.fix.size() == 3);
  CHECK(to_string(*finding.fix[0].command) == "kubectl delete node b");
  CHECK(to_string(*finding.fix[1].command) ==
        "kubectl --namespace x delete pod p2 --grace-period=0 --force");
  SECTION("not if the pods are left behind") {
    story.ds().meta.finalizers = {"orphan"};
    CHECK_FALSE(names("waits for pod"));
  }
}

TEST_CASE("a DaemonSet with a blocked deletion does not resolve without action", "[diagnosis]") {
  TestStory story;
  story.nodes({"a"});
  story.cluster.nodes[0].meta.created = at(test_now - 10);
  story.ds().meta.deleted = at(test_now - 10);
  story.ds().meta.finalizers = {"example.com/hold"};
  model::Namespace& ns = story.cluster.namespaces.emplace_back();
  ns.meta.name = story.ds().meta.ns;
  ns.phase = "Terminating";
  const auto report =
      Reporter(story.cluster, {{}, at(test_now), {}}).report(story.cluster.daemon_sets.front());
  REQUIRE(report.nodes.size() == 1);
  REQUIRE(ids(report.nodes[0].findings()).find("node-newly-eligible") != std::string::npos);
  CHECK(std::ranges::none_of(report.nodes[0].findings(), &Finding::transient));
  CHECK(text_of(report.nodes[0].findings().front().message)
            .find(", with its namespace x (Terminating): the controller creates") !=
        std::string::npos);
}

TEST_CASE("an eviction loop is reported once", "[diagnosis]") {
  TestStory story;
  story.nodes({"a"});
  story.node("a").taints = {{"maint", "", "NoExecute"}};
  story.ds().pod_template.tolerations = {{"maint", "Exists", "", "", 300}};
  story.pod("a");
  CHECK(said_of(story, "a") == "primary toleration-seconds-loop");
}

TEST_CASE("the closest node and a similar label are shown", "[diagnosis]") {
  TestStory story;
  story.nodes({"a", "b"});
  story.ds().pod_template.node_selector = {{"disktype", "ssd"}};
  const auto said = [&] {
    for (const Finding& finding : story.ask(identity_findings)) {
      if (finding.name() == "daemonset-no-eligible-node") return text_of(finding.message);
    }
    return std::string();
  };
  SECTION("fewer failed requirements first and then a node with the label") {
    story.node("b").meta.labels = {{"disktype", "hdd"}};
    CHECK(said().find("closest node: b") != std::string::npos);
    story.node("b").taints = {{"x", "", "NoSchedule"}};
    CHECK(said().find("closest node: a") != std::string::npos);
  }
  SECTION("the key is spelled differently") {
    story.node("b").meta.labels = {{"Disk-Type", "ssd"}};
    CHECK(said().find("; b has Disk-Type=ssd") != std::string::npos);
  }
  SECTION("the value is spelled differently") {
    story.node("b").meta.labels = {{"disktype", "SSD"}};
    CHECK(said().find("; b has disktype=SSD") != std::string::npos);
  }
  SECTION("another key is not similar") {
    story.node("b").meta.labels = {{"storage", "ssd"}};
    CHECK(said().find("b has") == std::string::npos);
  }
}
TEST_CASE("a DaemonSet without an eligible node is an error if that is unexpected", "[diagnosis]") {
  TestStory story;
  story.nodes({"a", "b"});
  for (model::Node& node : story.cluster.nodes)
    node.meta.labels = {{"pool", "web"}, {"disk", "ssd"}};
  const auto severity = [&] {
    const auto findings = story.ask(identity_findings);
    REQUIRE(ids(findings) == "daemonset-no-eligible-node");
    return findings.front().severity;
  };
  story.ds().pod_template.node_selector = {{"role", "db"}};
  CHECK(severity() == Severity::Info);  // for hours, and its status agrees
  SECTION("created a moment ago") {
    story.ds().meta.created = at(test_now - 600);
    CHECK(severity() == Severity::Error);
    story.ds().pod_template.node_selector = {{"pool", "gpu"}};  // scaled to zero
    CHECK(severity() == Severity::Info);
  }
  SECTION("its status disagrees or was never written") {
    story.ds().reported.desired_number_scheduled = 2;
    CHECK(severity() == Severity::Error);
    story.ds().reported = {};
    story.ds().observed_generation = 0;
    CHECK(severity() == Severity::Error);
  }
  SECTION("a node has a similar label") {
    for (const auto& [key, value] : {std::pair("disk", "SSD"), std::pair("Disk", "ssd")}) {
      story.ds().pod_template.node_selector = {{key, value}};
      CHECK(severity() == Severity::Error);
    }
    story.ds().pod_template.node_selector = {{"disks", "ssd"}};
    CHECK(severity() == Severity::Info);  // for hours
    story.ds().meta.created = at(test_now - 600);
    CHECK(severity() == Severity::Warning);
    story.ds().meta.created = at(test_now - 7200);
    story.ds().pod_template.node_selector = {{"disk", "hdd"}};
    CHECK(severity() == Severity::Info);
    story.node("a").meta.labels = {{"spot", "true"}};
    story.ds().pod_template.node_selector = {{"spot", "yes"}};  // the pool exists
    CHECK(severity() == Severity::Error);
  }
  SECTION("a node has the label by its present name") {
    story.node("a").meta.labels = {{"node-role.kubernetes.io/control-plane", "true"}};
    story.ds().pod_template.node_selector = {{"node-role.kubernetes.io/master", ""}};
    CHECK(severity() == Severity::Error);
    story.node("a").meta.labels = {{"topology.kubernetes.io/zone", "b"}};
    story.ds().pod_template.node_selector = {{"failure-domain.beta.kubernetes.io/zone", "a"}};
    CHECK(severity() == Severity::Info);
    story.node("a").meta.labels = {{"topology.kubernetes.io/zone", "a"}};
    CHECK(severity() == Severity::Error);
  }
  SECTION("a node's label says that its value passes") {
    story.node("a").meta.labels = {{"nvidia.com/gpu.deploy.driver", "paused-for-driver-upgrade"}};
    story.ds().pod_template.node_selector = {{"nvidia.com/gpu.deploy.driver", "true"}};
    CHECK(severity() == Severity::Error);
    story.node("a").meta.labels = {{"nvidia.com/gpu.deploy.driver", "false"}};
    CHECK(severity() == Severity::Info);
  }
  SECTION("the controller has worked for it") {
    const auto assigned = [&](const char* pod, const char* message) {
      story.add_event("Pod", pod, "Scheduled", message, at(test_now - 100)).ns = "x";
    };
    story.event("SuccessfulDelete", "Deleted pod: agent-x7x2k", test_now - 100);
    CHECK(severity() == Severity::Error);
    assigned("agent-x7x2k", "Successfully assigned x/agent-x7x2k to gone-1");
    CHECK(severity() == Severity::Info);  // with the node of an autoscaler
    story.event("SuccessfulCreate", "Created pod: agent-2bcdf", test_now - 100);
    CHECK(severity() == Severity::Error);
    story.ds().pod_template.node_selector = {{"pool", "gpu"}};
    CHECK(severity() == Severity::Info);
    assigned("agent-2bcdf", "Successfully assigned x/agent-2bcdf to b");
    CHECK(severity() == Severity::Error);
  }
  SECTION("a selector that keeps it at zero names its writer") {
    story.ds().pod_template.node_selector = {{"flagger.app/scale-to-zero", "true"}};
    story.ds().generation = story.ds().observed_generation = 2;
    model::FieldManager& writer = story.ds().meta.managers.emplace_back();
    writer.manager = "flagger";
    writer.operation = "Update";
    writer.spec = true;
    writer.time = at(test_now - 600);
    const auto findings = story.ask(identity_findings);
    REQUIRE(ids(findings) == "daemonset-no-eligible-node");
    CHECK(findings.front().severity == Severity::Info);
    CHECK(text_of(findings.front().message).ends_with("; flagger keeps it at zero"));
  }
  SECTION("the selector matches nodes but taints exclude them") {
    story.ds().pod_template.node_selector = {};
    for (model::Node& node : story.cluster.nodes) node.taints = {{"dedicated", "", "NoSchedule"}};
    CHECK(severity() == Severity::Error);
  }
  SECTION("pods exist") {
    story.pod("a");
    CHECK(severity() == Severity::Error);
  }
  SECTION("the template changed today") {
    story.ds().generation = story.ds().observed_generation = 2;
    model::FieldManager& writer = story.ds().meta.managers.emplace_back();
    writer.operation = "Update";
    writer.spec = true;
    writer.time = at(test_now - 7200);
    CHECK(severity() == Severity::Error);
  }
}

TEST_CASE("a DaemonSet whose only nodes are temporarily excluded will have eligible nodes again",
          "[diagnosis]") {
  TestStory story;
  story.nodes({"a", "b"});
  story.node("a").meta.labels = {{"pool", "gpu"}};
  story.ds().pod_template.node_selector = {{"pool", "gpu"}};
  model::Node& node = story.node("a");
  const auto severity_of = [&](std::string_view id) {
    const auto report = Reporter(story.cluster, {{}, at(test_now), {}}).report(story.ds());
    const auto found = std::ranges::find(report.findings, id, &Finding::name);
    return found == report.findings.end() ? Severity::Info : found->severity;
  };
  SECTION("the node is being removed") {
    node.taints = {{"ToBeDeletedByClusterAutoscaler", "1700009900", "NoSchedule"}};
    CHECK(severity_of("daemonset-no-eligible-node") == Severity::Info);
    CHECK(severity_of("daemonset-fewer-than-nodes") == Severity::Info);
    story.node("b").meta.labels = node.meta.labels;
    story.node("b").taints = {{"dedicated", "", "NoSchedule"}};
    CHECK(severity_of("daemonset-no-eligible-node") == Severity::Error);  // the remaining node
    story.node("b").meta.labels = {};
    node.taints.push_back({"dedicated", "", "NoSchedule"});
    CHECK(severity_of("daemonset-no-eligible-node") == Severity::Error);
    node.taints = {{"ToBeDeletedByClusterAutoscaler", "1700000000", "NoSchedule"}};
    story.cluster.all_pods_known = true;
    CHECK(severity_of("daemonset-no-eligible-node") == Severity::Error);  // for hours
  }
  SECTION("the node is not ready: that is the problem") {
    node.taints = {{"node.kubernetes.io/unreachable", "", "NoSchedule", at(1'000)}};
    node.conditions = {{"Ready", "Unknown", "NodeStatusUnknown", "", at(1'000)}};
    CHECK(severity_of("daemonset-no-eligible-node") == Severity::Info);
    CHECK(severity_of("daemonset-fewer-than-nodes") == Severity::Error);
    // Other nodes are reserved for other pods.
    story.node("b").meta.labels = node.meta.labels;
    story.node("b").taints = {{"node-role.kubernetes.io/control-plane", "", "NoSchedule"}};
    CHECK(severity_of("daemonset-no-eligible-node") == Severity::Info);
  }
}

TEST_CASE("a template that is pinned to one node is reported", "[diagnosis]") {
  TestStory story;
  story.nodes({"a", "b"});
  story.ds().pod_template.node_name = "c";
  const auto findings = story.ask(identity_findings);
  REQUIRE(ids(findings) == "daemonset-pinned-to-node");
  CHECK(findings.front().severity == Severity::Error);
  CHECK(text_of(findings.front().message).find("there is no such node") != std::string::npos);
  story.ds().pod_template.node_name = "b";
  CHECK(story.ask(identity_findings).front().severity == Severity::Warning);
}
