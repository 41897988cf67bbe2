// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/problems/root.h"

#include <catch2/catch.hpp>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/rollout.h"
#include "diagnosis/problems/test_problems.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using namespace dsdoctor::diagnosis::testing;

TEST_CASE("a quota is one problem of its namespace and each failing container is a problem",
          "[problems]") {
  Finding first = found(FindingId::ContainerCrash, Severity::Error, "first");
  first.group = "main";
  Finding second = found(FindingId::ContainerCrash, Severity::Error, "second");
  second.group = "sidecar";
  const auto problems =
      joined({daemon_set("a", {node("n1", NodeVerdict::Missing, {quota("compute")}),
                               node("n2", NodeVerdict::NotReady, {first}),
                               node("n3", NodeVerdict::NotReady, {second})}),
              daemon_set("b", {node("n1", NodeVerdict::Missing, {quota("compute")})})});
  CHECK(ids(problems) == Ids{"create-quota-exceeded=x/compute", "container-crash=x/a#main",
                             "container-crash=x/a#sidecar"});
  CHECK(problems.problems[0].root == Root{"ResourceQuota", "x", "compute"});
}

TEST_CASE("the root can be another DaemonSet, of the same namespace or of another", "[problems]") {
  const DaemonSetReport report = daemon_set("a", {});
  Finding overlap = found(FindingId::DaemonsetSelectorOverlap, Severity::Critical, "overlap");
  overlap.root = "b";
  CHECK(root_of(overlap, report, nullptr) == Root{"DaemonSet", "x", "b"});
  Finding absent = found(FindingId::ProviderAbsent, Severity::Error, "absent");
  absent.root = "storage/driver";
  CHECK(root_of(absent, report, nullptr) == Root{"DaemonSet", "storage", "driver"});
}

TEST_CASE("quotas with different names and without a name are different problems", "[problems]") {
  const auto problems = joined({daemon_set("a", {node("n1", NodeVerdict::Missing, {quota("p")}),
                                                 node("n2", NodeVerdict::Missing, {quota("q")}),
                                                 node("n3", NodeVerdict::Missing, {quota("")})})});
  CHECK(ids(problems) ==
        Ids{"create-quota-exceeded=x/a", "create-quota-exceeded=x/p", "create-quota-exceeded=x/q"});
  CHECK(problems.problems[0].root == Root{"DaemonSet", "x", "a"});
}

TEST_CASE("full nodes are one problem and a request that fits on few nodes is another",
          "[problems]") {
  const auto short_of_cpu = [](const char* request) {
    Finding result = found(FindingId::SchedInsufficientCpu, Severity::Error, request);
    result.group = request;
    return result;
  };
  const auto pending = [&](const char* name, const char* request) {
    return node(name, NodeVerdict::Pending, {short_of_cpu(request)});
  };
  // Each DaemonSet has 5 eligible nodes.
  const auto problems = joined(
      {daemon_set("a", {pending("n1", "1 cpu"), pending("n2", "1 cpu")}),
       daemon_set("b", {pending("n2", "2 cpu")}),
       daemon_set("c", {pending("n1", "9 cpu"), pending("n2", "9 cpu"), pending("n3", "9 cpu")})});
  REQUIRE(ids(problems) == Ids{"sched-insufficient-cpu", "sched-insufficient-cpu=x/c#9-cpu"});
  CHECK(problems.problems[0].root.kind == "Node");
  CHECK(problems.problems[0].daemon_sets == std::vector<std::size_t>{0, 1});
  CHECK(problems.problems[1].daemon_sets == std::vector<std::size_t>{2});
}

TEST_CASE("an object that pods of several DaemonSets need is one problem", "[problems]") {
  const auto failing = [](FindingId id, const char* root, const char* group) {
    Finding result = found(id, Severity::Error, "cannot start");
    result.root = root;
    result.group = group;
    return node("n1", NodeVerdict::NotReady, {result});
  };
  using enum FindingId;
  const auto image = [&](const char* why) { return failing(ImagePull, "Image/r/agent:1", why); };
  CHECK(ids(joined({daemon_set("a", {image("denied")}), daemon_set("b", {image("denied")})})) ==
        Ids{"image-pull=r/agent:1#denied"});
  CHECK(ids(joined({daemon_set("a", {image("denied")}), daemon_set("b", {image("unknown")})})) ==
        Ids{"image-pull=r/agent:1#denied", "image-pull=r/agent:1#unknown"});
  const auto problems = joined({daemon_set("a", {failing(ContainerConfig, "Secret/token", "one")}),
                                daemon_set("b", {failing(ContainerConfig, "Secret/token", "two")}),
                                daemon_set("c", {failing(ContainerConfig, "", "three")})});
  CHECK(ids(problems) == Ids{"container-config=x/token", "container-config=x/c#three"});
  CHECK(problems.problems[0].root.kind == "Secret");
  CHECK(problems.problems[0].daemon_sets.size() == 2);
}

TEST_CASE("the DaemonSet is the root of a request that fits on at most half of its nodes",
          "[problems]") {
  const Finding full = found(FindingId::SchedInsufficientCpu, Severity::Error, "9 cpu");
  auto report = daemon_set("a", {node("n0", NodeVerdict::Running)});
  for (const char* name : {"n1", "n2", "n3"}) {
    report.nodes.push_back(node(name, NodeVerdict::Pending, {full}));
  }
  const auto root_of_eligible = [&](std::int64_t nodes) {
    report.evaluated.counts.desired_number_scheduled = nodes;
    return joined({report}).problems[0].root.kind;
  };
  CHECK(root_of_eligible(5) == "DaemonSet");
  CHECK(root_of_eligible(6) == "DaemonSet");  // half of them
  CHECK(root_of_eligible(7) == "Node");
}

TEST_CASE("the text of a root has no empty parts", "[problems]") {
  CHECK(root_text({"Node", "", ""}) == "Node");
  CHECK(root_text({"Taint", "", "k:NoSchedule"}) == "Taint/k:NoSchedule");
  CHECK(root_text({"DaemonSet", "x", "a"}) == "DaemonSet/x/a");
  CHECK(name_of({"DaemonSet", "x", "a"}) == "x/a");
  CHECK(name_of({"Taint", "", "k:NoSchedule"}) == "k:NoSchedule");
}

TEST_CASE("a node selector that a namespace adds is the namespace's problem", "[problems]") {
  const auto adding = [](const Argument::Names& labels) {
    return make_finding(finding::DriftNamespaceNodeSelector{.labels = labels,
                                                            .node_count = 1,
                                                            .nodes = Argument::Names{"n1"},
                                                            .pods_have_it = true},
                        {}, {.ns = "x"});
  };
  Finding of_pod = found(FindingId::SchedNodeSelector, Severity::Error, "requires env=prod");
  of_pod.group = "env=prod";
  auto report = daemon_set("a", {node("n1", NodeVerdict::Pending, {of_pod})});
  report.findings = {adding({"disk=ssd", "env=prod"})};
  const auto problems = joined({report});
  REQUIRE(ids(problems) == Ids{"drift-namespace-node-selector=x"});
  CHECK(problems.problems[0].root == Root{"Namespace", "", "x"});
  CHECK(problems.problems[0].placements.size() == 1);
  CHECK(problems.problems[0].also ==
        std::vector<Beside>{{"sched-node-selector", said("requires env=prod")}});

  // The kubelet may also reject the pod, without a finding.
  NodeState failed;
  failed.verdict = NodeVerdict::Failed;
  failed.pods.emplace_back().name = "a-1";
  auto rejected = daemon_set("a", {OwnNodeReport("n1", failed)});
  rejected.findings = {adding({"env=prod"})};
  CHECK(joined({rejected}).problems.size() == 2);  // it is not known about which nodes
  rejected.findings[0].nodes = {"n0", "n1"};
  CHECK(joined({rejected}).problems.size() == 1);
  rejected.findings[0].nodes = {"n0", "n2"};
  CHECK(joined({rejected}).problems.size() == 2);

  // Findings about another label do not count, and neither does an informational one.
  for (const char* label : {"disk=ssd", "env=production", "prod-env=prod"}) {
    report.findings = {adding({label})};
    CHECK(joined({report}).problems.size() == 2);
  }
  report.findings = {adding({"env=prod"})};
  report.findings[0].severity = Severity::Info;
  CHECK(ids(joined({report})) == Ids{"sched-node-selector=x/a#env-prod"});
}

TEST_CASE("a taint is one problem for all of its values", "[problems]") {
  const auto tainted = [](const char* name, const char* value, NodeVerdict verdict) {
    Finding cause = found(FindingId::PodMisscheduled, Severity::Warning, value);
    OwnNodeReport result = node(name, verdict, {cause});
    NodeState state = *result.state;
    state.reasons = std::vector<placement::Reason>{
        placement::NodeSelectorMismatch{"disk", "ssd", {}},
        placement::UntoleratedTaint{{"reserved", value, "NoSchedule"}, 0, {}}};
    result.state = std::move(state);
    return result;
  };
  const auto problem = [](const std::vector<OwnNodeReport>& nodes) {
    const Problems problems = joined({daemon_set("a", nodes)});
    REQUIRE(problems.problems.size() == 1);
    return problems.problems[0];
  };
  const Problem one = problem({tainted("n1", "x", NodeVerdict::Misscheduled),
                               tainted("n2", "y", NodeVerdict::Misscheduled)});
  CHECK(one.id == "pod-misscheduled=reserved:NoSchedule");
  CHECK(title_text(one) == "misscheduled: taint reserved=x:NoSchedule is not tolerated");
  CHECK(one.placements.size() == 2);
  CHECK(title_text(problem({tainted("n1", "", NodeVerdict::Removing)})) ==
        "taint reserved:NoSchedule is not tolerated");
  // Without a taint the DaemonSet is the root.
  CHECK(problem({node("n1", NodeVerdict::Misscheduled,
                      {found(FindingId::PodMisscheduled, Severity::Warning, "why")})})
            .id == "pod-misscheduled=x/a");
}

TEST_CASE("a taint is the root only of findings that it causes", "[problems]") {
  OwnNodeReport refused = node("n1", NodeVerdict::Missing, {quota("q")});
  NodeState state = *refused.state;
  state.reasons = std::vector<placement::Reason>{
      placement::UntoleratedTaint{{"reserved", "", "NoSchedule"}, 0, {}}};
  refused.state = std::move(state);
  auto report = daemon_set("a", {refused});
  CHECK(ids(joined({report})) == Ids{"create-quota-exceeded=x/q"});
  report.findings = {found(FindingId::PodMisscheduled, Severity::Warning, "of no node")};
  CHECK(ids(joined({report})) == Ids{"create-quota-exceeded=x/q", "pod-misscheduled=x/a"});
}

TEST_CASE("each taint is a separate problem", "[problems]") {
  const auto tainted = [](const char* name, const char* key) {
    OwnNodeReport result = node(name, NodeVerdict::Misscheduled,
                                {found(FindingId::PodMisscheduled, Severity::Warning, "why")});
    NodeState state = *result.state;
    state.reasons =
        std::vector<placement::Reason>{placement::UntoleratedTaint{{key, "", "NoSchedule"}, 0, {}}};
    result.state = std::move(state);
    return result;
  };
  const auto problems =
      joined({daemon_set("a", {tainted("n1", "a"), tainted("n2", "b"), tainted("n3", "b")})});
  CHECK(ids(problems) == Ids{"pod-misscheduled=b:NoSchedule", "pod-misscheduled=a:NoSchedule"});
}

TEST_CASE("a sandbox that the node cannot create is a problem of the node", "[problems]") {
  const auto sandbox = [](const char* root) {
    Finding result = found(FindingId::Sandbox, Severity::Error, "FailedCreatePodSandBox");
    result.root = root;
    result.group = "cni";
    return result;
  };
  const auto of = [&](const char* root) {
    return joined({daemon_set("a", {node("n1", NodeVerdict::NotReady, {sandbox(root)})}),
                   daemon_set("b", {node("n1", NodeVerdict::NotReady, {sandbox(root)})})});
  };
  CHECK(ids(of("Node")) == Ids{"sandbox=n1#cni"});
  CHECK(of("Node").problems[0].root.kind == "Node");
  CHECK(ids(of("")) == Ids{"sandbox=x/a#cni", "sandbox=x/b#cni"});
}
