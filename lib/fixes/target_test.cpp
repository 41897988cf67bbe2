// SPDX-License-Identifier: Apache-2.0
#include "fixes/target.h"

#include <catch2/catch.hpp>
#include <string>

#include "fixes/test_fixes.h"

using namespace dsdoctor;
using namespace dsdoctor::fixes;

TEST_CASE("the flag --for accepts targets", "[fixes]") {
  const auto [text, said, key] = GENERATE(table<std::string, std::string, std::string>({
      {"misscheduled", "the misscheduled nodes", ""},
      {"missing", "the eligible nodes without a pod", ""},
      {"all", "all nodes", ""},
      {"node/a.b", "node a.b", ""},
      {"nodes/a.b", "node a.b", ""},
      {"no/a.b", "node a.b", ""},
      {"pool=gpu", "the nodes of pool gpu", ""},
      {"pool=team.example/pool=gpu", "the nodes of pool gpu", "team.example/pool"},
  }));
  CAPTURE(text);
  const auto target = parse_target(text);
  REQUIRE(target);
  CHECK(to_string(*target) == said);
  CHECK(target->key == key);
}

TEST_CASE("the flag --for rejects invalid targets", "[fixes]") {
  CHECK(to_string(FixTarget()) == "every node");  // not a value of --for
  const std::string text =
      GENERATE("", "node/", "nodes/", "pool=", "pool==x", "pool=x=", "everything", "misscheduled ");
  CAPTURE(text);
  const auto target = parse_target(text);
  REQUIRE_FALSE(target);
  CHECK(target.error().what == "invalid argument \"" + text +
                                   "\" for \"--for\" flag: must be misscheduled, missing, "
                                   "node/NAME, pool=NAME or all");
}

TEST_CASE("each target means certain nodes", "[fixes]") {
  model::Cluster cluster;
  add_node(cluster, "a", {{"reserved", "", "NoSchedule"}},
           {{"karpenter.sh/nodepool", "gpu"}, {"team", "ml"}});
  add_node(cluster, "b", {}, {{"team", "web"}});
  add_node(cluster, "c", {{"reserved", "", "NoSchedule"}}, {});
  add_node(cluster, "d", {}, {});
  add_agent(cluster);
  add_agent_pod(cluster, "agent-a", "a");
  add_agent_pod(cluster, "agent-b", "b");
  const auto report = report_of(cluster);
  const auto nodes = [&](const FixTarget& target) {
    std::string result;
    for (const auto& entry : report.nodes) {
      if (is_target(target, entry, *model::find_node(cluster, entry.name))) {
        result += entry.name.str();
      }
    }
    return result;
  };
  using Kind = FixTarget::Kind;
  CHECK(nodes({Kind::Each, {}, {}}) == "abcd");
  CHECK(nodes({Kind::All, {}, {}}) == "abcd");
  CHECK(nodes({Kind::Misscheduled, {}, {}}) == "a");
  CHECK(nodes({Kind::Missing, {}, {}}) == "d");
  CHECK(nodes({Kind::Node, "b", {}}) == "b");
  CHECK(nodes({Kind::Pool, "gpu", {}}) == "a");
  CHECK(nodes({Kind::Pool, "web", "team"}) == "b");
}
