// SPDX-License-Identifier: Apache-2.0

// Checks that problems of whole clusters cover every wrong placement exactly once.

#include <catch2/catch.hpp>
#include <set>

#include "diagnosis/problems/find_problems.h"
#include "diagnosis/reporter.h"
#include "render/words/message_text.h"
#include "testing/cluster_reader.h"
#include "testing/rounds.h"
#include "testing/troubled_cluster.h"

using namespace dsdoctor;
using diagnosis::Problem;

namespace {

struct Answer {
  std::vector<diagnosis::DaemonSetReport> reports;
  diagnosis::Problems problems;
};

void find_problems(Answer& answer, const model::Cluster& cluster) {
  std::vector<const diagnosis::DaemonSetReport*> reports;
  for (const auto& report : answer.reports) reports.push_back(&report);
  answer.problems = diagnosis::find_problems(reports, cluster);
}

Answer answer_of(const model::Cluster& cluster, model::Time now) {
  const diagnosis::Reporter reporter(cluster, {{}, now, nullptr});
  Answer answer;
  for (const model::DaemonSet& ds : cluster.daemon_sets) {
    answer.reports.push_back(reporter.report(ds));
  }
  find_problems(answer, cluster);
  return answer;
}

/// Replaces all texts of a message by words that our own messages contain.
void disguise(diagnosis::Message& message) {
  const std::string words =
      "x; overdue since 2026-11-20 23:35:00 UTC (10m): low on resource, misscheduled (marked";
  for (diagnosis::Argument& argument : message.arguments) {
    if (std::holds_alternative<std::string>(argument.value)) argument.value = words;
    if (auto* text = std::get_if<diagnosis::ForeignText>(&argument.value)) text->text = words;
    if (auto* names = std::get_if<diagnosis::Argument::Names>(&argument.value)) *names = {words};
    if (auto* phrases = std::get_if<std::vector<diagnosis::Message>>(&argument.value)) {
      for (diagnosis::Message& phrase : *phrases) disguise(phrase);
    }
  }
  for (diagnosis::Message& note : message.notes) disguise(note);
}

void disguise(diagnosis::DaemonSetReport& report) {
  for (diagnosis::Finding& finding : report.findings) disguise(finding.message);
  for (std::uint32_t i = 0; i < report.nodes.states().size(); ++i) {
    report.nodes.change_state(i, [](diagnosis::NodeState& state) {
      for (diagnosis::Finding& finding : state.findings) disguise(finding.message);
    });
  }
}

/// All parts of a problem but its wording.
std::string decisions(const Problem& problem) {
  std::string result = problem.id;
  for (const std::string_view part :
       {problem.finding, to_string(problem.severity), to_string(problem.action)}) {
    result.append(" ").append(part);
  }
  for (const std::size_t i : problem.daemon_sets) result += " " + std::to_string(i);
  for (const model::Text& node : problem.nodes.items()) result += " " + node.str();
  for (const diagnosis::Beside& other : problem.also) result.append(" ").append(other.finding);
  return result;
}

std::vector<std::string> decisions(const Answer& answer) {
  std::vector<std::string> result;
  for (const Problem& problem : answer.problems.problems) result.push_back(decisions(problem));
  return result;
}

std::set<std::string> ids(const Answer& answer) {
  std::set<std::string> result;
  for (const Problem& problem : answer.problems.problems) {
    CAPTURE(problem.id);
    CHECK(result.insert(problem.id).second);  // unique
  }
  return result;
}

/// Checks that every wrong placement belongs to one problem, and no other placement to any.
void check_books(const Answer& answer) {
  std::set<diagnosis::Placement> wrong;
  std::size_t all = 0;
  for (std::uint32_t i = 0; i < answer.reports.size(); ++i) {
    const auto& nodes = answer.reports[i].nodes;
    for (std::uint32_t n = 0; n < nodes.size(); ++n) {
      if (nodes[n].verdict() != diagnosis::NodeVerdict::Excluded) ++all;
      if (diagnosis::is_wrong(nodes[n])) wrong.insert({i, n});
    }
  }
  std::set<diagnosis::Placement> explained;
  std::size_t sum = 0;
  for (const Problem& problem : answer.problems.problems) {
    sum += problem.placements.size();
    explained.insert(problem.placements.begin(), problem.placements.end());
    CHECK_FALSE(render::title_of(problem).text.empty());
    CHECK_FALSE(render::text_of(problem.message).empty());
    CHECK_FALSE(problem.finding.empty());
    CHECK_FALSE(problem.daemon_sets.empty());
  }
  CHECK(explained == wrong);
  CHECK(sum == wrong.size());  // no placement counts twice
  CHECK(answer.problems.affected == wrong.size());
  CHECK(answer.problems.placements == all);
}

void check_order(const std::vector<Problem>& problems) {
  for (std::size_t i = 1; i < problems.size(); ++i) {
    const Problem& a = problems[i - 1];
    const Problem& b = problems[i];
    CAPTURE(a.id, b.id);
    CHECK(diagnosis::needs_action(a) >= diagnosis::needs_action(b));
    if (diagnosis::needs_action(a) == diagnosis::needs_action(b)) CHECK(a.severity <= b.severity);
  }
}

}  // namespace

TEST_CASE("every wrong placement of recorded clusters belongs to one problem", "[problems]") {
  const std::string name =
      GENERATE("autoscaler-taint", "autoscaler-taint-patched", "controller-forbidden",
               "mixed-40-nodes", "nfd-label-flip", "status-lag");
  CAPTURE(name);
  const Answer answer =
      answer_of(testing::recorded_cluster(name), model::Time(std::chrono::seconds(1'795'000'000)));
  check_books(answer);
  check_order(answer.problems.problems);
}

TEST_CASE("every wrong placement of random clusters belongs to one problem", "[problems]") {
  const auto seed = GENERATE(range(1U, 1 + testing::rounds(20)));
  CAPTURE(seed);
  const testing::TroubledSize size = {10 + 7 * seed, 1 + seed, 5 * (seed % 7)};
  const Answer answer = answer_of(testing::troubled_cluster(seed, size), testing::troubled_now());
  check_books(answer);
  check_order(answer.problems.problems);
}

TEST_CASE("a cluster without faults has no problem", "[problems]") {
  const Answer answer =
      answer_of(testing::troubled_cluster(1, {30, 8, 0}), testing::troubled_now());
  for (const Problem& problem : answer.problems.problems) FAIL_CHECK(problem.id);
}

TEST_CASE("the wording of findings has no influence on problems", "[problems]") {
  const auto seed = GENERATE(range(1U, 1 + testing::rounds(8)));
  CAPTURE(seed);
  const model::Cluster cluster = testing::troubled_cluster(seed, {60, 12, 30});
  Answer answer = answer_of(cluster, testing::troubled_now());
  const std::vector<std::string> before = decisions(answer);
  REQUIRE_FALSE(before.empty());
  for (diagnosis::DaemonSetReport& report : answer.reports) disguise(report);
  find_problems(answer, cluster);
  CHECK(decisions(answer) == before);
}

TEST_CASE("ids of problems are unique and survive a new pod", "[problems]") {
  const auto seed = GENERATE(range(1U, 1 + testing::rounds(8)));
  CAPTURE(seed);
  model::Cluster cluster = testing::troubled_cluster(seed, {60, 12, 30});
  const std::set<std::string> before = ids(answer_of(cluster, testing::troubled_now()));
  for (model::Pod& pod : cluster.pods) {
    pod.meta.uid = pod.meta.uid.str() + "-new";
    const std::string name = pod.meta.name.str() + "-zz9zz";
    for (model::Event& event : cluster.events) {
      if (event.kind == "Pod" && event.name == pod.meta.name) {
        event.name = name;
        event.uid = pod.meta.uid.str();
      }
    }
    pod.meta.name = name;
  }
  CHECK(ids(answer_of(cluster, testing::troubled_now())) == before);
}
