// SPDX-License-Identifier: Apache-2.0

#include "fixes/fleet/fleet.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "diagnosis/catalogue/findings/rollout.h"
#include "render/words/message_text.h"

using namespace dsdoctor;
using diagnosis::Action;
using diagnosis::Severity;

namespace {

diagnosis::Message rejected(const std::string& why) {
  return diagnosis::phrase::PodIsRejected{.reason = why};
}

fixes::ClusterProblem problem(const std::string& id, const diagnosis::Root& root,
                              std::size_t placements, const std::string& why) {
  fixes::ClusterProblem result;
  result.problem.id = id;
  result.problem.finding = "create-quota-exceeded";
  result.problem.severity = Severity::Error;
  result.problem.root = root;
  result.problem.title = result.problem.message = rejected(why);
  result.placements = placements;
  return result;
}

fixes::ClusterAnswer cluster(const std::string& name, std::vector<fixes::ClusterProblem> problems) {
  fixes::ClusterAnswer result;
  result.name = name;
  result.problems = std::move(problems);
  return result;
}

std::vector<std::size_t> clusters_of(const fixes::FleetProblem& problem) {
  std::vector<std::size_t> result;
  for (const auto& part : problem.parts) result.push_back(part.cluster);
  return result;
}

const diagnosis::Root quota{"ResourceQuota", "logging", "compute"};

}  // namespace

TEST_CASE("the same root in several clusters is one problem", "[fixes][fleet]") {
  const auto joined =
      fixes::joined({cluster("a", {problem("q=logging/compute", quota, 1, "x")}), cluster("b", {}),
                     cluster("c", {problem("q=logging/compute", quota, 5, "x")})});
  REQUIRE(joined.size() == 1);
  CHECK(joined[0].placements == 6);
  CHECK(clusters_of(joined[0]) == std::vector<std::size_t>{2, 0});
  CHECK(joined[0].problem.id == "q=logging/compute");
  CHECK(render::title_of(joined[0].problem).text == render::text_of(rejected("x")));
}

TEST_CASE("other roots and parts are other problems", "[fixes][fleet]") {
  const diagnosis::Root other{"ResourceQuota", "logging", "pods"};
  const auto joined = fixes::joined({cluster("a", {problem("q=logging/compute", quota, 1, "x"),
                                                   problem("q=logging/pods", other, 1, "x"),
                                                   problem("q=logging/pods#7", other, 1, "x")}),
                                     cluster("b", {problem("q=logging/pods#7", other, 1, "x")})});
  REQUIRE(joined.size() == 3);
  CHECK(joined[0].parts.size() == 2);
  CHECK(joined[0].problem.id == "q=logging/pods#7");
}

TEST_CASE("nodes of different clusters are joined without their names", "[fixes][fleet]") {
  const auto joined =
      fixes::joined({cluster("a", {problem("q=ip-1", {"Node", "", "ip-1"}, 1, "why-a")}),
                     cluster("b", {problem("q=ip-2", {"Node", "", "ip-2"}, 3, "why-b")})});
  REQUIRE(joined.size() == 1);
  CHECK(joined[0].problem.root == diagnosis::Root{"Node", "", ""});
  CHECK(joined[0].problem.id == "create-quota-exceeded");
  CHECK(joined[0].clusters == 2);
  // The title has only what both have in common; the example is that of the most placements.
  CHECK(render::title_of(joined[0].problem).text.find("why") == std::string::npos);
  CHECK(render::example_of(joined[0].problem) == render::text_of(rejected("why-b")));
}

TEST_CASE("a cluster with a problem on several nodes counts once", "[fixes][fleet]") {
  const auto joined =
      fixes::joined({cluster("a", {problem("q=ip-1", {"Node", "", "ip-1"}, 1, "x"),
                                   problem("q=ip-2", {"Node", "", "ip-2"}, 3, "x")}),
                     cluster("b", {})});
  REQUIRE(joined.size() == 1);
  CHECK(joined[0].clusters == 1);
  CHECK(joined[0].parts.size() == 2);
}

TEST_CASE("a problem that resolves without action in some clusters is another one there",
          "[fixes][fleet]") {
  auto mild = problem("q=logging/compute", quota, 9, "x");
  mild.problem.action = Action::None;
  mild.problem.severity = Severity::Info;
  const auto other = problem("q=logging/pods", {"ResourceQuota", "logging", "pods"}, 1, "x");
  auto waiting = other;
  waiting.problem.action = Action::None;
  const auto joined = fixes::joined({cluster("a", {mild}),
                                     cluster("b", {problem("q=logging/compute", quota, 1, "x")}),
                                     cluster("c", {waiting})});
  REQUIRE(joined.size() == 3);
  CHECK(joined[0].problem.action == Action::Needed);
  CHECK(clusters_of(joined[0]) == std::vector<std::size_t>{1});
  CHECK(joined[1].problem.action == Action::None);
  CHECK(joined[2].problem.severity == Severity::Info);
}

TEST_CASE("a cluster is recognized by its oldest node", "[fixes][fleet]") {
  const auto node = [](const char* name, const char* uid, int minute) {
    model::Node result;
    result.meta.name = name;
    result.meta.uid = std::string_view(uid);
    result.meta.created = base::Time(std::chrono::minutes(minute));
    return result;
  };
  const char* old = "5ad0ab28-5b61-4b0e-9a35-a1a7a1b7a1c3";
  const char* young = "6ad0ab28-5b61-4b0e-9a35-a1a7a1b7a1c3";
  model::Cluster cluster;
  CHECK(fixes::identity_of(cluster).empty());
  cluster.nodes = {node("a", young, 9), node("b", old, 1)};
  CHECK(fixes::identity_of(cluster) == old);
  cluster.nodes = {node("a", "n-0", 1)};
  CHECK(fixes::identity_of(cluster).empty());
}
