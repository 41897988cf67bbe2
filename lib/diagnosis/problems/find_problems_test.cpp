#include "diagnosis/problems/find_problems.h"

#include <catch2/catch.hpp>

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;

namespace {

Finding finding(FindingId id, Severity severity, std::string message) {
  Finding result;
  result.id = id;
  result.severity = severity;
  result.message = std::move(message);
  result.standing = Standing::Primary;
  return result;
}

OwnNodeReport node(const char* name, NodeVerdict verdict, std::vector<Finding> findings = {}) {
  NodeState state;
  state.verdict = verdict;
  state.findings = std::move(findings);
  return {name, std::move(state)};
}

DaemonSetReport daemon_set(const char* name, const std::vector<OwnNodeReport>& nodes) {
  DaemonSetReport result;
  result.ns = "x";
  result.name = name;
  for (const OwnNodeReport& one : nodes) result.nodes.push_back(one);
  result.evaluated.counts.desired_number_scheduled = 5;
  result.evaluated.counts.number_ready = 1;
  return result;
}

Finding not_ready() { return finding(FindingId::NodeNotReady, Severity::Error, "NotReady"); }

Finding quota(const char* name) {
  Finding result = finding(FindingId::CreateQuotaExceeded, Severity::Error, "exceeded quota");
  result.root = name;
  return result;
}

Problems joined(const std::vector<DaemonSetReport>& reports,
                const std::vector<Accepted>& ignored = {}) {
  std::vector<const DaemonSetReport*> pointers;
  for (const DaemonSetReport& report : reports) pointers.push_back(&report);
  return find_problems(pointers, {}, ignored);
}

std::vector<std::string> ids(const Problems& problems) {
  std::vector<std::string> result;
  for (const Problem& problem : problems.problems) result.push_back(problem.id);
  return result;
}

using Ids = std::vector<std::string>;

}  // namespace

TEST_CASE("a node's trouble is one problem, whichever DaemonSets it hits", "[problems]") {
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

TEST_CASE("a quota is one problem of its namespace; containers fail each in their own way",
          "[problems]") {
  Finding first = finding(FindingId::ContainerCrash, Severity::Error, "first");
  first.group = "main";
  Finding second = finding(FindingId::ContainerCrash, Severity::Error, "second");
  second.group = "sidecar";
  const auto problems =
      joined({daemon_set("a", {node("n1", NodeVerdict::Missing, {quota("compute")}),
                               node("n2", NodeVerdict::NotReady, {first}),
                               node("n3", NodeVerdict::NotReady, {second})}),
              daemon_set("b", {node("n1", NodeVerdict::Missing, {quota("compute")})})});
  CHECK(ids(problems) ==
        Ids{"create-quota-exceeded=x/compute", "container-crash=x/a", "container-crash=x/a"});
  CHECK(problems.problems[0].root == Root{"ResourceQuota", "x", "compute"});
}

TEST_CASE("what resolves without action comes last, and counts only where it is asked for",
          "[problems]") {
  Finding leaving =
      finding(FindingId::NodeRemovedByClusterAutoscaler, Severity::Info, "is being removed");
  leaving.transient = true;
  const auto problems = joined({daemon_set("a", {node("n1", NodeVerdict::Misscheduled, {leaving}),
                                                 node("n2", NodeVerdict::Misscheduled, {leaving}),
                                                 node("n3", NodeVerdict::Missing, {quota("q")})})});
  REQUIRE(problems.problems.size() == 2);
  const Problem& last = problems.problems[1];
  CHECK(last.id == "node-removed-by-cluster-autoscaler");  // of two nodes
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

TEST_CASE("full nodes are one problem, a request that fits on few nodes is another", "[problems]") {
  const auto short_of_cpu = [](const char* request) {
    Finding result = finding(FindingId::SchedInsufficientCpu, Severity::Error, request);
    result.group = request;
    return result;
  };
  const auto pending = [&](const char* name, const char* request) {
    return node(name, NodeVerdict::Pending, {short_of_cpu(request)});
  };
  // each has 5 eligible nodes
  const auto problems = joined(
      {daemon_set("a", {pending("n1", "1 cpu"), pending("n2", "1 cpu")}),
       daemon_set("b", {pending("n2", "2 cpu")}),
       daemon_set("c", {pending("n1", "9 cpu"), pending("n2", "9 cpu"), pending("n3", "9 cpu")})});
  REQUIRE(ids(problems) == Ids{"sched-insufficient-cpu", "sched-insufficient-cpu=x/c"});
  CHECK(problems.problems[0].root.kind == "Node");
  CHECK(problems.problems[0].daemon_sets == std::vector<std::size_t>{0, 1});
  CHECK(problems.problems[1].daemon_sets == std::vector<std::size_t>{2});
}

TEST_CASE("of a selection of nodes it is not known where else a DaemonSet runs", "[problems]") {
  Finding full = finding(FindingId::SchedInsufficientCpu, Severity::Error, "1 cpu");
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

TEST_CASE("a wrong placement without a finding is a problem of its verdict", "[problems]") {
  const auto problems = joined(
      {daemon_set("a", {node("n1", NodeVerdict::Missing), node("n2", NodeVerdict::Removing)})});
  CHECK(ids(problems) == Ids{"missing=x/a", "removing=x/a"});
  CHECK(problems.problems[1].action == Action::None);
}

TEST_CASE("what only sums up is told beside the problem that it sums up", "[problems]") {
  auto report = daemon_set("a", {node("n1", NodeVerdict::Missing, {quota("q")})});
  report.findings = {finding(FindingId::DaemonsetNoneRunning, Severity::Critical, "runs nowhere"),
                     finding(FindingId::DaemonsetBestEffort, Severity::Info, "best effort")};
  const auto problems = joined({report});
  REQUIRE(problems.problems.size() == 1);
  REQUIRE(problems.problems[0].also.size() == 1);
  CHECK(problems.problems[0].also[0].finding == "daemonset-none-running");
  REQUIRE(problems.remarks.size() == 1);
  CHECK(problems.remarks[0].finding == "daemonset-best-effort");
  report.nodes = {};
  CHECK(ids(joined({report})) == Ids{"daemonset-none-running=x/a"});
}

TEST_CASE("a newest revision that fails comes before how its pods fail", "[problems]") {
  auto report = daemon_set(
      "a", {node("n1", NodeVerdict::NotReady,
                 {finding(FindingId::ContainerCrash, Severity::Error, "CrashLoopBackOff")}),
            node("n2", NodeVerdict::Running)});
  report.findings = {finding(FindingId::RolloutNewBroken, Severity::Error, "the newest fails")};
  const auto problems = joined({report});
  REQUIRE(ids(problems) == Ids{"rollout-new-broken=x/a"});
  CHECK(problems.problems[0].title == "the newest fails");
  CHECK(problems.problems[0].placements.size() == 1);
  CHECK(problems.problems[0].also[0].finding == "container-crash");
  report.nodes.set(0, node("n1", NodeVerdict::Running).state);
  CHECK(joined({report}).affected == 0);
}

TEST_CASE("accepted problems are left out and counted", "[problems]") {
  const std::vector<DaemonSetReport> reports = {
      daemon_set("a", {node("n1", NodeVerdict::Missing, {quota("compute")}),
                       node("n2", NodeVerdict::NotReady, {not_ready()})})};
  CHECK(ids(joined(reports, {{"create-*", "x/comp*"}})) == Ids{"node-not-ready=n2"});
  CHECK(joined(reports, {{"create-*", ""}}).ignored == 1);
  CHECK(ids(joined(reports, {{"node-not-ready", "n*"}})) == Ids{"create-quota-exceeded=x/compute"});
  CHECK(joined(reports, {{"node-not-ready", "m*"}, {"create-quota-exceeded", "y/*"}}).ignored == 0);
}

TEST_CASE("the part of one DaemonSet keeps its own placements", "[problems]") {
  const std::vector<DaemonSetReport> reports = {
      daemon_set("a", {node("n1", NodeVerdict::Missing, {not_ready()})}),
      daemon_set("b", {node("n1", NodeVerdict::Missing, {not_ready()}),
                       node("n2", NodeVerdict::Missing, {quota("q")})})};
  const std::vector<const DaemonSetReport*> pointers = {&reports[0], &reports[1]};
  const auto all = joined(reports);
  const Problems first = only(all, pointers, 0);
  CHECK(ids(first) == Ids{"node-not-ready=n1"});
  CHECK(first.problems[0].placements == Placements{{0, 0}});
  CHECK(only(all, pointers, 1).affected == 2);
}

TEST_CASE("evidence is an object, a path and a value", "[problems]") {
  const Evidence whole = evidence_of("Node/gpu-1 spec.taints[0]: dedicated");
  CHECK(whole.object == "Node/gpu-1");
  CHECK(whole.path == "spec.taints[0]");
  CHECK(whole.value == "dedicated");
  CHECK(evidence_of("the scheduler's message").value == "the scheduler's message");
  const Evidence bare = evidence_of("Pod/x status.phase");
  CHECK(bare.path == "status.phase");
  CHECK(bare.value.empty());
}

TEST_CASE("what should have resolved is overdue, and comes before what resolves", "[problems]") {
  const model::Time due(std::chrono::hours(100));
  Finding late = finding(FindingId::NodeRemovedByClusterAutoscaler, Severity::Warning, "late");
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

TEST_CASE("problems of what is asked about", "[problems]") {
  const std::vector<DaemonSetReport> reports = {
      daemon_set("a", {node("n1", NodeVerdict::Missing, {not_ready()}),
                       node("n2", NodeVerdict::NotReady, {not_ready()})}),
      daemon_set("b", {node("n2", NodeVerdict::NotReady, {not_ready()})})};
  const std::vector<const DaemonSetReport*> pointers = {&reports[0], &reports[1]};
  const Problems all = joined(reports);
  const Problems missing =
      narrowed(all, pointers, {[&](Placement at) {
                 return reports[at.daemon_set].nodes[at.node].verdict() == NodeVerdict::Missing;
               }});
  REQUIRE(missing.problems.size() == 1);
  CHECK(missing.problems[0].nodes == std::vector<model::Text>{"n1"});
  CHECK(missing.problems[0].daemon_sets == std::vector<std::size_t>{0});
  CHECK(missing.affected == 1);
  const Problems second = only(all, pointers, 1);
  REQUIRE(second.problems.size() == 1);
  CHECK(second.problems[0].nodes == std::vector<model::Text>{"n2"});
  CHECK(second.problems[0].placements == Placements{{0, 0}});
}
