#include "advice/target.h"

#include <catch2/catch.hpp>
#include <string>

using namespace dsdoctor::advice;

TEST_CASE("targets as --for takes them", "[advice]") {
  const auto [text, said, key] = GENERATE(table<std::string, std::string, std::string>({
      {"misscheduled", "the misscheduled nodes", ""},
      {"missing", "the nodes without a pod", ""},
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

TEST_CASE("what is no target for --for", "[advice]") {
  CHECK(to_string(Target()) == "every node");  // nobody names it
  const std::string text =
      GENERATE("", "node/", "nodes/", "pool=", "pool==x", "pool=x=", "everything", "misscheduled ");
  CAPTURE(text);
  const auto target = parse_target(text);
  REQUIRE_FALSE(target);
  CHECK(target.error().what == "invalid argument \"" + text +
                                   "\" for \"--for\" flag: must be misscheduled, missing, "
                                   "node/NAME, pool=NAME or all");
}
