// Problems over whole clusters: the books balance, whatever is wrong.

#include <catch2/catch.hpp>
#include <set>

#include "diagnosis/problems/find_problems.h"
#include "diagnosis/reporter.h"
#include "testing/cluster_reader.h"
#include "testing/troubled_cluster.h"
#include "render/words/message_text.h"

using namespace dsdoctor;
using diagnosis::Problem;

namespace {

struct Answer {
  std::vector<diagnosis::DaemonSetReport> reports;
  diagnosis::Problems problems;
};

Answer answer_of(const model::Cluster& cluster, model::Time now) {
  const diagnosis::Reporter reporter(cluster, {{}, now, nullptr});
  Answer answer;
  for (const model::DaemonSet& ds : cluster.daemon_sets) {
    answer.reports.push_back(reporter.report(ds));
  }
  std::vector<const diagnosis::DaemonSetReport*> reports;
  for (const auto& report : answer.reports) reports.push_back(&report);
  answer.problems = diagnosis::find_problems(reports, cluster);
  return answer;
}

/// Every wrong placement has one cause, and no other placement has any.
void check_books(const Answer& answer) {
  std::set<diagnosis::Placement> wrong;
  std::size_t all = 0;
  for (std::uint32_t i = 0; i < answer.reports.size(); ++i) {
    const auto& nodes = answer.reports[i].nodes;
    all += nodes.size();
    for (std::uint32_t n = 0; n < nodes.size(); ++n) {
      if (diagnosis::is_wrong(nodes[n])) wrong.insert({i, n});
    }
  }
  std::set<diagnosis::Placement> explained;
  std::size_t sum = 0;
  for (const Problem& problem : answer.problems.problems) {
    sum += problem.placements.size();
    explained.insert(problem.placements.begin(), problem.placements.end());
    CHECK_FALSE(render::title_of(problem).text.empty());
    CHECK_FALSE(problem.finding.empty());
    CHECK_FALSE(problem.daemon_sets.empty());
  }
  CHECK(explained == wrong);
  CHECK(sum == wrong.size());  // none is told twice
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

TEST_CASE("every wrong placement belongs to one problem, on recorded clusters", "[problems]") {
  const std::string name =
      GENERATE("autoscaler-taint", "autoscaler-taint-patched", "controller-forbidden",
               "mixed-40-nodes", "nfd-label-flip", "status-lag");
  CAPTURE(name);
  const Answer answer =
      answer_of(testing::recorded_cluster(name), model::Time(std::chrono::seconds(1'795'000'000)));
  check_books(answer);
  check_order(answer.problems.problems);
}

TEST_CASE("every wrong placement belongs to one problem, on random clusters", "[problems]") {
  const auto seed = GENERATE(range(1U, 21U));
  CAPTURE(seed);
  const testing::TroubledSize size = {10 + 7 * seed, 1 + seed, 5 * (seed % 7)};
  const Answer answer = answer_of(testing::troubled_cluster(seed, size), testing::troubled_now());
  check_books(answer);
  check_order(answer.problems.problems);
}

TEST_CASE("a quiet cluster has no problem", "[problems]") {
  const Answer answer =
      answer_of(testing::troubled_cluster(1, {30, 8, 0}), testing::troubled_now());
  for (const Problem& problem : answer.problems.problems) FAIL_CHECK(problem.id);
}
