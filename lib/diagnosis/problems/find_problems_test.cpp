// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/problems/find_problems.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/phrases.h"
#include "diagnosis/catalogue/findings/startup.h"
#include "diagnosis/problems/narrowing.h"
#include "diagnosis/problems/test_problems.h"
#include "diagnosis/reporter.h"
#include "testing/cluster_story.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using namespace dsdoctor::diagnosis::testing;

TEST_CASE("the failure of a node is one problem for all DaemonSets", "[problems]") {
  const auto problems = joined({daemon_set("a", {node("n1", NodeVerdict::Missing, {not_ready()})}),
                                daemon_set("b", {node("n1", NodeVerdict::NotReady, {not_ready()}),
                                                 node("n2", NodeVerdict::Running)})});
  REQUIRE(ids(problems) == Ids{"node-not-ready=n1"});
  CHECK(problems.problems[0].daemon_sets == std::vector<std::size_t>{0, 1});
  CHECK(problems.problems[0].placements.size() == 2);
  CHECK(problems.problems[0].action == Action::Needed);
  CHECK(problems.placements == 3);
  CHECK(problems.affected == 2);
}

TEST_CASE("problems that resolve without action come last and count only with threshold info",
          "[problems]") {
  Finding leaving =
      found(FindingId::NodeRemovedByClusterAutoscaler, Severity::Info, "is being removed");
  leaving.transient = true;
  const auto problems = joined({daemon_set("a", {node("n1", NodeVerdict::Misscheduled, {leaving}),
                                                 node("n2", NodeVerdict::Misscheduled, {leaving}),
                                                 node("n3", NodeVerdict::Missing, {quota("q")})})});
  REQUIRE(problems.problems.size() == 2);
  const Problem& last = problems.problems[1];
  CHECK(last.id == "node-removed-by-cluster-autoscaler");  // two nodes
  CHECK(last.action == Action::None);
  CHECK(last.severity == Severity::Info);
  CHECK_FALSE(counts(last, {}));
  CHECK(counts(last, {Severity::Info, {}}));
  CHECK(counts(problems.problems[0], {Severity::Error, {}}));
  CHECK_FALSE(counts(problems.problems[0], {Severity::Critical, {}}));
}

TEST_CASE("the main reason why a DaemonSet runs nowhere is critical", "[problems]") {
  auto report = daemon_set("a", {node("n1", NodeVerdict::Missing, {quota("q")})});
  report.evaluated.counts.number_ready = 0;
  CHECK(joined({report}).problems[0].severity == Severity::Critical);
  report.nodes.push_back(node("n2", NodeVerdict::NotReady, {not_ready()}));
  report.nodes.push_back(node("n3", NodeVerdict::NotReady, {not_ready()}));
  const auto problems = joined({report});
  REQUIRE(ids(problems) == Ids{"node-not-ready", "create-quota-exceeded=x/q"});
  CHECK(problems.problems[0].severity == Severity::Critical);
  CHECK(problems.problems[1].severity == Severity::Error);
  report.evaluated.counts.number_ready = 1;
  CHECK(joined({report}).problems[0].severity == Severity::Error);
}

TEST_CASE("only nodes with a missing pod count for a request that does not fit", "[problems]") {
  const Finding full = found(FindingId::SchedInsufficientCpu, Severity::Error, "9 cpu");
  auto report = daemon_set(
      "a", {node("n1", NodeVerdict::Pending, {full}), node("n2", NodeVerdict::Excluded, {full}),
            node("n3", NodeVerdict::Excluded, {full})});
  CHECK(joined({report}).problems[0].root.kind == "Node");
  report.nodes.set(1, node("n2", NodeVerdict::Pending, {full}).state);
  report.nodes.set(2, node("n3", NodeVerdict::Pending, {full}).state);
  CHECK(joined({report}).problems[0].root.kind == "DaemonSet");
}

TEST_CASE("with selected nodes a DaemonSet may run on nodes that are not selected", "[problems]") {
  Finding full = found(FindingId::SchedInsufficientCpu, Severity::Error, "1 cpu");
  auto report = daemon_set("a", {node("n1", NodeVerdict::Pending, {full})});
  report.evaluated.counts = {};
  report.evaluated.counts.desired_number_scheduled = 1;
  report.all_nodes = 1;
  CHECK(joined({report}).problems[0].severity == Severity::Critical);
  CHECK(joined({report}).problems[0].root.kind == "DaemonSet");
  report.all_nodes = 9;
  CHECK(joined({report}).problems[0].severity == Severity::Error);
  CHECK(joined({report}).problems[0].root.kind == "Node");
}

TEST_CASE("a DaemonSet is not stopped if no pods were read", "[problems]") {
  Finding foreign = found(FindingId::NodeOsMismatch, Severity::Error, "windows");
  auto report = daemon_set("a", {node("n1", NodeVerdict::Unknown, {foreign})});
  report.evaluated.counts.number_ready = 0;
  report.covered = false;
  CHECK(joined({report}).problems[0].severity == Severity::Error);
}

TEST_CASE("a problem has the highest severity of its findings in any order", "[problems]") {
  auto mild = daemon_set("a", {});
  mild.findings = {quota("q")};
  mild.findings.front().severity = Severity::Warning;
  mild.findings.front().message = said("mild");
  auto grave = daemon_set("b", {});
  grave.findings = {quota("q")};
  grave.findings.front().severity = Severity::Critical;
  grave.findings.front().message = said("grave");
  grave.findings.front().fix = {{"raise it"}};
  for (const auto& reports : {std::vector{mild, grave}, std::vector{grave, mild}}) {
    const auto problems = joined(reports);
    REQUIRE(problems.problems.size() == 1);
    CHECK(problems.problems[0].severity == Severity::Critical);
    CHECK(text_of(problems.problems[0].message) == "grave");
    CHECK(problems.problems[0].fix == grave.findings.front().fix);
  }
}

TEST_CASE("a wrong placement without a finding is a problem of its verdict", "[problems]") {
  const auto problems = joined(
      {daemon_set("a", {node("n1", NodeVerdict::Missing), node("n2", NodeVerdict::Removing)})});
  CHECK(ids(problems) == Ids{"missing=x/a", "removing=x/a"});
  CHECK(problems.problems[1].action == Action::None);
}

TEST_CASE("a summary is listed under the problem that it summarizes", "[problems]") {
  auto report = daemon_set("a", {node("n1", NodeVerdict::Missing, {quota("q")})});
  report.findings = {found(FindingId::DaemonsetNoneRunning, Severity::Critical, "runs nowhere"),
                     found(FindingId::DaemonsetBestEffort, Severity::Info, "best effort")};
  const auto problems = joined({report});
  REQUIRE(problems.problems.size() == 1);
  REQUIRE(problems.problems[0].also.size() == 1);
  CHECK(problems.problems[0].also[0].finding == "daemonset-none-running");
  REQUIRE(problems.remarks.size() == 1);
  CHECK(problems.remarks[0].finding == "daemonset-best-effort");
  report.nodes = {};
  CHECK(ids(joined({report})) == Ids{"daemonset-none-running=x/a"});
  report.findings.push_back(found(FindingId::CreateRefused, Severity::Error, "refused"));
  report.findings.push_back(report.findings[1]);
  const auto of_daemon_set = joined({report});
  REQUIRE(ids(of_daemon_set) == Ids{"create-refused=x/a"});
  CHECK(of_daemon_set.problems[0].also ==
        std::vector<Beside>{{"daemonset-none-running", said("runs nowhere")}});
  REQUIRE(of_daemon_set.remarks.size() == 1);
  CHECK(of_daemon_set.remarks[0].daemon_sets == std::vector<std::size_t>{0});  // once
}

TEST_CASE("a summary is listed under a problem of its own DaemonSet", "[problems]") {
  const auto other = daemon_set("a", {node("n1", NodeVerdict::Missing, {quota("q")})});
  auto report = daemon_set("b", {node("n1", NodeVerdict::Running)});
  report.findings = {found(FindingId::DaemonsetNoneRunning, Severity::Error, "runs nowhere")};
  CHECK(ids(joined({other, report})) ==
        Ids{"create-quota-exceeded=x/q", "daemonset-none-running=x/b"});
  report.findings.push_back(found(FindingId::CreateRefused, Severity::Error, "refused"));
  const auto problems = joined({other, report});
  REQUIRE(ids(problems) == Ids{"create-quota-exceeded=x/q", "create-refused=x/b"});
  CHECK(problems.problems[0].also.empty());
  CHECK(problems.problems[1].also ==
        std::vector<Beside>{{"daemonset-none-running", said("runs nowhere")}});
}

TEST_CASE("a failing newest revision is the problem instead of the failure of its pods",
          "[problems]") {
  auto report = daemon_set(
      "a", {node("n1", NodeVerdict::NotReady,
                 {found(FindingId::ContainerCrash, Severity::Error, "CrashLoopBackOff")}),
            node("n2", NodeVerdict::Running)});
  report.findings = {found(FindingId::RolloutNewBroken, Severity::Error, "the newest fails")};
  const auto problems = joined({report});
  REQUIRE(ids(problems) == Ids{"rollout-new-broken=x/a"});
  CHECK(title_text(problems.problems[0]) == "the newest fails");
  CHECK(problems.problems[0].placements.size() == 1);
  CHECK(problems.problems[0].also[0].finding == "container-crash");
  report.findings.push_back(found(FindingId::DaemonsetSharedClaim, Severity::Error, "shared"));
  CHECK(ids(joined({report})) == Ids{"rollout-new-broken=x/a", "daemonset-shared-claim=x/a"});
  report.findings.pop_back();
  report.nodes.set(0, node("n1", NodeVerdict::Running).state);
  CHECK(joined({report}).affected == 0);
  report.findings.push_back(found(FindingId::CreateRefused, Severity::Error, "refused"));
  CHECK(ids(joined({report})) == Ids{"create-refused=x/a", "rollout-new-broken=x/a"});
  report.all_nodes = 9;  // other nodes are not selected, and the finding may be about them
  CHECK(ids(joined({report})).empty());
  report.findings[0].nodes = {"n1"};
  CHECK(ids(joined({report})) == Ids{"rollout-new-broken=x/a"});
}

TEST_CASE("a newest revision is not the problem if other DaemonSets have the same failure",
          "[problems]") {
  Finding pull = found(FindingId::ImagePull, Severity::Error, "ImagePullBackOff");
  pull.root = "Image/r/agent:2";
  auto report = daemon_set("a", {node("n1", NodeVerdict::NotReady, {pull})});
  report.findings = {found(FindingId::RolloutNewBroken, Severity::Error, "the newest fails")};
  const auto alone = joined({report});
  REQUIRE(ids(alone) == Ids{"rollout-new-broken=x/a"});
  CHECK(alone.problems[0].root.kind == "DaemonSet");
  const auto shared =
      joined({report, daemon_set("b", {node("n1", NodeVerdict::NotReady, {pull})})});
  REQUIRE(ids(shared) == Ids{"image-pull=r/agent:2"});
  CHECK(shared.problems[0].also ==
        std::vector<Beside>{{"rollout-new-broken", said("the newest fails")}});
}

TEST_CASE("a newest revision is the problem only for failures of startup and readiness",
          "[problems]") {
  const auto [id, led] = GENERATE(table<FindingId, bool>({
      {FindingId::ContainerCrash, true},
      {FindingId::ProbeFailing, true},
      {FindingId::CreateRefused, false},  // not of a pod
      {FindingId::NodeNotReady, false},   // of the node
  }));
  auto report =
      daemon_set("a", {node("n1", NodeVerdict::NotReady, {found(id, Severity::Error, "fails")})});
  report.findings = {found(FindingId::RolloutNewBroken, Severity::Error, "the newest fails")};
  CHECK(joined({report}).problems.size() == (led ? 1 : 2));
}

TEST_CASE("a budget that failing new pods exhaust is not another problem", "[problems]") {
  auto report = daemon_set(
      "a", {node("n1", NodeVerdict::NotReady,
                 {found(FindingId::ContainerCrash, Severity::Error, "CrashLoopBackOff")})});
  report.findings = {found(FindingId::RolloutNewBroken, Severity::Error, "the newest fails"),
                     found(FindingId::RolloutBudget, Severity::Error, "maxUnavailable 1")};
  const auto problems = joined({report});
  REQUIRE(ids(problems) == Ids{"rollout-new-broken=x/a"});
  CHECK(problems.problems[0].also.back() == Beside{"rollout-budget", said("maxUnavailable 1")});
  report.findings.erase(report.findings.begin());
  CHECK(ids(joined({report})) == Ids{"container-crash=x/a", "rollout-budget=x/a"});
}

TEST_CASE("other findings of a placement are listed under its cause except for explanations",
          "[problems]") {
  Finding also = found(FindingId::CreateRefused, Severity::Warning, "also");
  also.standing = Standing::Also;
  Finding context = found(FindingId::NodeCordoned, Severity::Info, "context");
  context.standing = Standing::Context;
  const auto problems =
      joined({daemon_set("a", {node("n1", NodeVerdict::Missing, {quota("q"), also, context})})});
  REQUIRE(problems.problems.size() == 1);
  CHECK(problems.problems[0].also == std::vector<Beside>{{"create-refused", said("also")}});
}

TEST_CASE("placements without a cause are joined by their verdict", "[problems]") {
  const auto problems = joined({daemon_set(
      "a", {node("n1", NodeVerdict::Missing), node("n2", NodeVerdict::Missing),
            node("n3", NodeVerdict::NotReady), node("n4", NodeVerdict::NotReady, {quota("q")}),
            node("n5", NodeVerdict::NotReady)})});
  REQUIRE(ids(problems) == Ids{"missing=x/a", "not-ready=x/a", "create-quota-exceeded=x/q"});
  CHECK(problems.problems[0].placements == Placements{{0, 0}, {0, 1}});
  CHECK(problems.problems[1].placements == Placements{{0, 2}, {0, 4}});
}

TEST_CASE("nodes that share a state are counted one by one", "[problems]") {
  // The main problem, which stops the DaemonSet, is the one with the most nodes.
  DaemonSetReport report = daemon_set("a", {});
  report.nodes = NodeReports(NodeNames(std::vector<model::Text>{"n1", "n2", "n3", "n4", "n5"}));
  const auto well = report.nodes.add_state(node("", NodeVerdict::Running).state);
  const auto refused = report.nodes.add_state(node("", NodeVerdict::Missing, {quota("q")}).state);
  const auto silent = report.nodes.add_state(node("", NodeVerdict::Missing).state);
  for (const auto state : {well, refused, silent, silent, silent}) report.nodes.append(state);
  report.evaluated.counts.number_ready = 0;
  const auto problems = joined({report});
  REQUIRE(ids(problems) == Ids{"missing=x/a", "create-quota-exceeded=x/q"});
  CHECK(problems.problems[0].severity == Severity::Critical);
  CHECK(problems.problems[0].placements.size() == 3);
  CHECK(problems.problems[1].severity == Severity::Error);
}

TEST_CASE("the main problem is the one with the most nodes even without a common state",
          "[problems]") {
  DaemonSetReport report = daemon_set("a", {});
  report.nodes =
      NodeReports(NodeNames(std::vector<model::Text>{"n1", "n2", "n3", "n4", "n5", "n6", "n7"}));
  const auto silent = report.nodes.add_state(node("", NodeVerdict::Missing).state);
  for (int i = 0; i < 3; ++i) report.nodes.append(silent);
  for (int i = 0; i < 4; ++i) {
    report.nodes.append(node("", NodeVerdict::Missing, {quota("q")}).state);
  }
  report.evaluated.counts.number_ready = 0;
  CHECK(ids(joined({report})) == Ids{"create-quota-exceeded=x/q", "missing=x/a"});
}

TEST_CASE("problems are distinguished by finding and by DaemonSet", "[problems]") {
  const auto failing = [](FindingId id) { return found(id, Severity::Error, "fails"); };
  CHECK(ids(joined({daemon_set(
            "a", {node("n1", NodeVerdict::NotReady, {failing(FindingId::ContainerCrash)}),
                  node("n2", NodeVerdict::NotReady, {failing(FindingId::ProbeFailing)})})})) ==
        Ids{"container-crash=x/a", "probe-failing=x/a"});
  CHECK(ids(joined({daemon_set("a", {node("n1", NodeVerdict::Missing)}),
                    daemon_set("b", {node("n1", NodeVerdict::Missing)})})) ==
        Ids{"missing=x/a", "missing=x/b"});
}

TEST_CASE("a problem of nodes began with the first of them", "[problems]") {
  dsdoctor::testing::ClusterStory story;
  for (const char* name : {"n1", "n2"}) {
    story.add_node(name).conditions = {{"Ready", "False", "", "", dsdoctor::testing::at(9)}};
  }
  story.node("n2").conditions[0].last_transition = dsdoctor::testing::at(3);
  DaemonSetReport report = daemon_set("a", {});
  Finding cause = not_ready();
  const auto since = [&] {
    report.nodes = NodeReports(NodeNames(std::vector<model::Text>{"n1", "n2"}));
    const auto shared = report.nodes.add_state(node("", NodeVerdict::Missing, {cause}).state);
    for (int i = 0; i < 2; ++i) report.nodes.append(shared);
    const Problems problems = find_problems({&report}, story.cluster);
    REQUIRE(problems.problems.size() == 1);
    CHECK(problems.problems[0].placements.size() == 2);
    return problems.problems[0].since;
  };
  CHECK(since() == dsdoctor::testing::at(3));
  cause = quota("q");  // not of a node
  CHECK_FALSE(since());
}

TEST_CASE("a problem has a start time if all of its misplaced pods have one", "[problems]") {
  dsdoctor::testing::ClusterStory story;
  for (const char* name : {"n1", "n2"}) {
    story.add_node(name).taints = {{"a", "", "NoSchedule", dsdoctor::testing::at(9)}};
    story.add_pod(std::string("agent-") + name, name).meta.created = dsdoctor::testing::at(1);
  }
  const auto since = [&] {
    const DaemonSetReport report = Reporter(story.cluster, {}).report(story.ds());
    const Problems problems = find_problems({&report}, story.cluster);
    const auto at = std::ranges::find_if(
        problems.problems, [](const Problem& problem) { return !problem.placements.empty(); });
    REQUIRE(at != problems.problems.end());
    return at->since;
  };
  CHECK(since() == dsdoctor::testing::at(9));
  SECTION("one pod has no start time") {
    story.node("n2").taints[0].time_added.reset();
    CHECK_FALSE(since());
  }
  SECTION("only the taint of the problem counts") {
    for (const char* name : {"n1", "n2"}) {
      story.node(name).taints.push_back({"z", "", "NoExecute", dsdoctor::testing::at(5)});
    }
    story.ds().pod_template.tolerations = {{"z", "Exists", "", "", {}}};
    CHECK(since() == dsdoctor::testing::at(9));
  }
}

TEST_CASE("a problem that resolves without action ends with the last of its pods", "[problems]") {
  dsdoctor::testing::ClusterStory story;
  DaemonSetReport report = daemon_set("a", {});
  report.nodes = {};
  for (const auto& [name, pod, ends] :
       {std::tuple("n1", "agent-1", 5), std::tuple("n2", "agent-2", 9),
        std::tuple("n3", "agent-3", 7)}) {
    story.add_node(name);
    story.add_pod(pod, name).meta.deleted = dsdoctor::testing::at(ends);
    NodeState state = *node(name, NodeVerdict::Removing).state;
    state.pods.resize(1);
    state.pods[0].name = pod;
    state.pods[0].terminating = true;
    report.nodes.push_back({name, state});
  }
  const Problems problems = find_problems({&report}, story.cluster);
  REQUIRE(ids(problems) == Ids{"removing=x/a"});
  CHECK(problems.problems[0].action == Action::None);
  CHECK(problems.problems[0].since == dsdoctor::testing::at(5));
  CHECK(problems.problems[0].resolves_at == dsdoctor::testing::at(9));
}

TEST_CASE("a temporary obstacle of a node is one problem for all excluded DaemonSets",
          "[problems]") {
  const Finding stuck = found(FindingId::NodeStartupTaintStuck, Severity::Error, "taint stuck");
  const auto kept_out = [&](const char* name) {
    NodeState state;
    state.verdict = NodeVerdict::Excluded;
    state.decision = placement::Decision::Keep;
    state.findings = {stuck};
    state.reasons = std::vector<placement::Reason>{
        placement::UntoleratedTaint{{"x.io/agent-not-ready", "", "NoSchedule"}, 0, {}}};
    state.known = {nullptr};
    return OwnNodeReport{name, std::move(state)};
  };
  const auto fewer = [&](const char* name) {
    auto report = daemon_set(name, {kept_out("n1"), node("n2", NodeVerdict::Running)});
    report.findings = {found(FindingId::DaemonsetFewerThanNodes, Severity::Warning, "1 of 2")};
    return report;
  };
  std::vector<DaemonSetReport> reports = {fewer("a"), fewer("b")};
  auto problems = joined(reports);
  REQUIRE(ids(problems) == Ids{"node-startup-taint-stuck=n1"});
  const Problem& alone = problems.problems[0];
  CHECK(alone.severity == Severity::Warning);
  CHECK(title_text(alone) == "taint stuck");
  CHECK(alone.daemon_sets == std::vector<std::size_t>{0, 1});
  CHECK(alone.placements.empty());
  CHECK(alone.left_out.size() == 2);
  CHECK(alone.also == std::vector<Beside>{{"daemonset-fewer-than-nodes", said("1 of 2")}});
  CHECK(problems.affected == 0);

  // The problem of a single DaemonSet, and of one whose pod fails because of the taint.
  const auto pointers = std::vector<const DaemonSetReport*>{&reports[0], &reports[1]};
  CHECK(only(problems, pointers, 1).problems[0].left_out == Placements{{0, 0}});
  reports.push_back(daemon_set("c", {node("n1", NodeVerdict::NotReady, {stuck})}));
  problems = joined(reports);
  REQUIRE(ids(problems) == Ids{"node-startup-taint-stuck=n1"});
  CHECK(problems.problems[0].severity == Severity::Error);
  CHECK(problems.problems[0].daemon_sets.size() == 3);
  CHECK(problems.affected == 1);
}

TEST_CASE("a too broad toleration is listed under the node on which no pod can work",
          "[problems]") {
  const Finding foreign = found(FindingId::NodeOsMismatch, Severity::Error, "windows");
  const Finding broad = found(FindingId::TolerationTooBroad, Severity::Error, "all taints");
  const Finding refused = found(FindingId::CreateRefused, Severity::Error, "refused");
  std::vector<DaemonSetReport> reports = {
      daemon_set("a", {node("w1", NodeVerdict::NotReady, {foreign})}),
      daemon_set("b", {node("n1", NodeVerdict::Running)})};
  reports[0].findings = {broad};
  auto problems = joined(reports);
  REQUIRE(ids(problems) == Ids{"node-os-mismatch=x/a"});
  CHECK(problems.problems[0].also ==
        std::vector<Beside>{{"toleration-too-broad", said("all taints")}});
  reports[0].findings = {broad, refused};
  CHECK(joined(reports).problems.size() == 2);  // other findings do not belong to the node
  reports[0].findings.clear();
  reports[1].findings = {broad};
  CHECK(joined(reports).problems.size() == 2);  // the toleration is that of another DaemonSet
}

TEST_CASE("a problem that stops one of its DaemonSets is critical", "[problems]") {
  auto stopped = daemon_set("a", {node("n1", NodeVerdict::Missing, {quota("q")})});
  stopped.evaluated.counts.number_ready = 0;
  auto other = daemon_set(
      "b", {node("n1", NodeVerdict::Missing, {quota("q")}), node("n2", NodeVerdict::Running)});
  other.evaluated.counts.number_ready = 1;
  const auto problems = joined({other, stopped});
  REQUIRE(problems.problems.size() == 1);
  CHECK(problems.problems[0].severity == Severity::Critical);
  CHECK(joined({other}).problems[0].severity == Severity::Error);
}

TEST_CASE("the nodes of a problem are sorted by name", "[problems]") {
  const auto problems = joined({daemon_set(
      "a", {node("n2", NodeVerdict::Missing, {quota("q")}),
            node("n1", NodeVerdict::Missing, {quota("q")}), node("n3", NodeVerdict::Running)})});
  CHECK(problems.problems[0].nodes == std::vector<model::Text>{"n1", "n2"});
}

TEST_CASE("the nodes of a problem are listed without duplicates in a large cluster", "[problems]") {
  std::vector<OwnNodeReport> many;
  for (int i = 100; i < 300; ++i) {
    many.push_back(node(std::to_string(i).c_str(), NodeVerdict::Running));
  }
  for (const std::size_t i : {3U, 64U, 199U}) {
    many[i].state = node("", NodeVerdict::Missing, {quota("q")}).state;
  }
  CHECK(joined({daemon_set("a", many)}).problems[0].nodes ==
        std::vector<model::Text>{"103", "164", "299"});
  const auto problems = joined({daemon_set("a", {node("n1", NodeVerdict::Missing, {quota("q")}),
                                                 node("n3", NodeVerdict::Missing, {quota("q")})}),
                                daemon_set("b", {node("n2", NodeVerdict::Missing, {quota("q")}),
                                                 node("n3", NodeVerdict::Missing, {quota("q")})})});
  CHECK(problems.problems[0].nodes == std::vector<model::Text>{"n1", "n2", "n3"});
}

TEST_CASE("a title is the common part of all messages or else that of the catalogue",
          "[problems]") {
  const auto killed = [](const char* container, std::chrono::seconds ran) {
    Finding result = make_finding(finding::ContainerOom{.container = container,
                                                        .its_limit_is_low = true,
                                                        .limit = "128Mi",
                                                        .only_deletion_replaces_the_pod = false,
                                                        .ran = ran,
                                                        .restarts = std::optional<std::int64_t>(),
                                                        .the_node_ran_out = false});
    result.standing = Standing::Primary;
    return result;
  };
  const auto of_both = [](const Finding& first, const Finding& second) {
    return joined({daemon_set("a", {node("n1", NodeVerdict::NotReady, {first}),
                                    node("n2", NodeVerdict::NotReady, {second})})})
        .problems.at(0);
  };
  using namespace std::chrono_literals;
  const std::string exceeds = "OOMKilled: container agent exceeds its memory limit of 128Mi";
  CHECK(title_text(of_both(killed("agent", 3s), killed("agent", 3s))) ==
        exceeds + " 3s after start");
  const Problem differs = of_both(killed("agent", 3s), killed("agent", 12s));
  CHECK(title_text(differs) == exceeds);
  CHECK(text_of(differs.message) == exceeds + " 3s after start");  // message of the first node
  CHECK(title_text(of_both(killed("one", 3s), killed("two", 3s))) ==
        find_listed("container-oom")->title);
}

TEST_CASE("a title includes the DaemonSets without placements in the problem", "[problems]") {
  const auto terminating = [](const char* message) {
    Finding result = found(FindingId::CreateNamespaceTerminating, Severity::Error, message);
    result.root = "x";
    return result;
  };
  const Finding lacks =
      terminating("Terminating: namespace x is being deleted; 1 node without pod");
  auto first = daemon_set("a", {node("n1", NodeVerdict::Missing, {lacks})});
  first.findings = {lacks};
  auto second = daemon_set("b", {node("n1", NodeVerdict::Running)});
  second.findings = {lacks};
  const auto title = [&] {
    const Problems problems = joined({first, second});
    REQUIRE(ids(problems) == Ids{"create-namespace-terminating=x"});
    return title_text(problems.problems[0]);
  };
  CHECK(title() == text_of(lacks.message));
  second.findings = {terminating("Terminating: namespace x is being deleted, and the DaemonSet")};
  CHECK(title() == find_listed("create-namespace-terminating")->title);
  first.nodes.set(0, node("n1", NodeVerdict::Running).state);
  CHECK(title() == find_listed("create-namespace-terminating")->title);
}

TEST_CASE("a problem with messages of different ids has the title of the catalogue", "[problems]") {
  Finding lacks = found(FindingId::CreateNamespaceTerminating, Severity::Error, "");
  lacks.root = "x";
  lacks.message = phrase::TaintNotTolerated{.taint = "a:NoSchedule"};
  auto first = daemon_set("a", {node("n1", NodeVerdict::Missing, {lacks})});
  auto second = daemon_set("b", {node("n1", NodeVerdict::Running)});
  lacks.message = phrase::OnNodes{.finding = lacks.message, .nodes = Argument::Names{"n1"}};
  second.findings = {lacks};
  CHECK(title_text(joined({first, second}).problems.at(0)) ==
        find_listed("create-namespace-terminating")->title);
}

TEST_CASE("accepted problems are counted but not listed", "[problems]") {
  const std::vector<DaemonSetReport> reports = {
      daemon_set("a", {node("n1", NodeVerdict::Missing, {quota("compute")}),
                       node("n2", NodeVerdict::NotReady, {not_ready()})})};
  CHECK(ids(joined(reports, {{"create-*", "x/comp*"}})) == Ids{"node-not-ready=n2"});
  CHECK(joined(reports, {{"create-*", ""}}).ignored == 1);
  CHECK(ids(joined(reports, {{"node-not-ready", "n*"}})) == Ids{"create-quota-exceeded=x/compute"});
  CHECK(joined(reports, {{"node-not-ready", "m*"}, {"create-quota-exceeded", "y/*"}}).ignored == 0);
  // A problem of several nodes is accepted only if all of them are.
  const std::vector<DaemonSetReport> two = {
      daemon_set("a", {node("n1", NodeVerdict::NotReady, {not_ready()}),
                       node("n2", NodeVerdict::NotReady, {not_ready()})})};
  CHECK(joined(two, {{"node-not-ready", "n1"}}).ignored == 0);
  const Problems all = joined(two, {{"node-not-ready", "n*"}});
  CHECK(all.ignored == 1);
  CHECK(all.affected == 0);
  CHECK(all.accepted == std::vector<std::size_t>{0});
  const Problems some = joined(reports, {{"create-*", ""}});
  CHECK(some.affected == 1);
  CHECK(some.accepted.empty());  // the DaemonSet has another problem
}

TEST_CASE("overdue problems come before those that resolve without action", "[problems]") {
  const model::Time due(std::chrono::hours(100));
  Finding late = found(FindingId::NodeRemovedByClusterAutoscaler, Severity::Warning, "late");
  late.overdue_since = due;
  Finding early = late;
  early.overdue_since.reset();
  early.transient = true;
  const auto problems = joined({daemon_set("a", {node("n1", NodeVerdict::Misscheduled, {early}),
                                                 node("n2", NodeVerdict::Misscheduled, {late})})});
  REQUIRE(problems.problems.size() == 2);
  CHECK(problems.problems[0].action == Action::Overdue);
  CHECK(problems.problems[0].resolves_at == due);
  CHECK(problems.problems[1].action == Action::None);
}
