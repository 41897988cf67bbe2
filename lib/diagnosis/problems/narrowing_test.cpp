// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/problems/narrowing.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "diagnosis/problems/test_problems.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using namespace dsdoctor::diagnosis::testing;

TEST_CASE("the problems of one DaemonSet keep its own placements", "[problems]") {
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

TEST_CASE("a narrowed problem has the message of the first placement that is left", "[problems]") {
  const auto refused = [](const std::string& message) {
    Finding result = quota("q");
    result.message = said("exceeded quota: q, " + message);
    result.evidence = {{{"ResourceQuota", "x", "q"}, "status.used", message}};
    return result;
  };
  std::vector<DaemonSetReport> reports = {
      daemon_set("a", {node("n1", NodeVerdict::Missing, {refused("a on n1")}),
                       node("n2", NodeVerdict::Missing, {refused("a on n2")})}),
      daemon_set("b", {node("n1", NodeVerdict::Missing, {refused("b on n1")})}),
      daemon_set("c", {node("n1", NodeVerdict::Running)})};
  reports[2].findings = {found(FindingId::CreateRefused, Severity::Error, "refused"), refused("c")};
  const std::vector<const DaemonSetReport*> pointers = {&reports[0], &reports[1], &reports[2]};
  const Problems all = joined(reports);
  const auto of = [](const Problems& problems) {
    const auto at = std::ranges::find(problems.problems, "create-quota-exceeded=x/q", &Problem::id);
    REQUIRE(at != problems.problems.end());
    CHECK(text_of(at->message) == "exceeded quota: q, " + at->evidence.at(0).value);
    return at->evidence.at(0).value;
  };
  CHECK(of(all) == "a on n1");
  CHECK(of(only(all, pointers, 0)) == "a on n1");
  CHECK(of(only(all, pointers, 1)) == "b on n1");
  CHECK(of(only(all, pointers, 2)) == "c");
  CHECK(of(narrowed(all, pointers, {[](Placement at) { return at.node == 1; }})) == "a on n2");
}

TEST_CASE("among findings of equal severity the message is that of the first DaemonSet",
          "[problems]") {
  std::vector<DaemonSetReport> reports = {daemon_set("a", {node("n1", NodeVerdict::Running)}),
                                          daemon_set("b", {node("n1", NodeVerdict::Running)}),
                                          daemon_set("c", {node("n1", NodeVerdict::Running)})};
  for (DaemonSetReport& report : reports) {
    report.findings = {quota("q")};
    report.findings[0].message = said("exceeded quota: q, " + report.name.str());
  }
  CHECK(text_of(joined(reports).problems.at(0).message) == "exceeded quota: q, a");
  reports[1].findings[0].severity = Severity::Critical;
  CHECK(text_of(joined(reports).problems.at(0).message) == "exceeded quota: q, b");
}

TEST_CASE("problems can be narrowed by placement and by DaemonSet", "[problems]") {
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

TEST_CASE("the problems of one DaemonSet keep its own findings and remarks", "[problems]") {
  std::vector<DaemonSetReport> reports = {daemon_set("a", {}), daemon_set("b", {})};
  reports[0].findings = {found(FindingId::CreateRefused, Severity::Error, "refused"),
                         found(FindingId::DaemonsetBestEffort, Severity::Info, "best effort")};
  reports[1].findings = {found(FindingId::DaemonsetSharedClaim, Severity::Error, "shared")};
  const std::vector<const DaemonSetReport*> pointers = {&reports[0], &reports[1]};
  const Problems all = joined(reports);
  const Problems first = only(all, pointers, 0);
  CHECK(ids(first) == Ids{"create-refused=x/a"});
  REQUIRE(first.remarks.size() == 1);
  CHECK(first.remarks[0].daemon_sets == std::vector<std::size_t>{0});
  const Problems second = only(all, pointers, 1);
  CHECK(ids(second) == Ids{"daemonset-shared-claim=x/b"});
  CHECK(second.remarks.empty());
  // A narrowing by placement alone drops problems without placements.
  CHECK(narrowed(all, pointers, {[](Placement) { return true; }}).problems.empty());
}

TEST_CASE("a problem is kept for a DaemonSet that has it without placements", "[problems]") {
  std::vector<DaemonSetReport> reports = {
      daemon_set("a", {node("n1", NodeVerdict::Missing, {quota("q")})}),
      daemon_set("b", {node("n1", NodeVerdict::Running)}),
      daemon_set("c", {node("n1", NodeVerdict::Missing, {quota("q")})})};
  for (DaemonSetReport& report : reports) report.findings = {quota("q")};
  const std::vector<const DaemonSetReport*> pointers = {&reports[0], &reports[1], &reports[2]};
  const Problems all = joined(reports);
  REQUIRE(ids(all) == Ids{"create-quota-exceeded=x/q"});
  CHECK(all.problems[0].daemon_sets == std::vector<std::size_t>{0, 1, 2});
  const Problems second = only(all, pointers, 1);
  REQUIRE(ids(second) == Ids{"create-quota-exceeded=x/q"});
  CHECK(second.problems[0].placements.empty());
  CHECK(second.problems[0].nodes.empty());
  const auto asked = [&](std::size_t placed, bool of_finding) {
    const Problems left = narrowed(all, pointers,
                                   {[&](Placement at) { return at.daemon_set == placed; },
                                    [&](const Problem&, std::size_t) { return of_finding; }});
    return left.problems.empty() ? std::vector<std::size_t>() : left.problems[0].daemon_sets;
  };
  CHECK(asked(2, true) == std::vector<std::size_t>{1, 2});
  CHECK(asked(0, false) == std::vector<std::size_t>{0});
  CHECK(asked(1, true) == std::vector<std::size_t>{1});
  CHECK(asked(1, false).empty());
}
