// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/problems/problem_id.h"

#include <catch2/catch.hpp>

#include "diagnosis/problems/test_problems.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using namespace dsdoctor::diagnosis::testing;

namespace {

Finding crash(const char* group) {
  Finding result = found(FindingId::ContainerCrash, Severity::Error, "CrashLoopBackOff");
  result.group = group;
  return result;
}

OwnNodeReport failing(const char* node_name, const char* group) {
  return node(node_name, NodeVerdict::NotReady, {crash(group)});
}

}  // namespace

TEST_CASE("the group of the findings distinguishes problems with the same finding and root",
          "[problems]") {
  const DaemonSetReport report =
      daemon_set("a", {failing("n1", "main|1|Error"), failing("n2", "main|2|Error"),
                       failing("n3", "side car|1|Error")});
  CHECK(ids(joined({report})) == Ids{"container-crash=x/a#main-1-error",
                                     "container-crash=x/a#main-2-error",
                                     "container-crash=x/a#side-car-1-error"});
}

TEST_CASE("an id does not depend on other problems", "[problems]") {
  CHECK(ids(joined({daemon_set("a", {failing("n1", "main|1|Error")})})) ==
        Ids{"container-crash=x/a#main-1-error"});
  CHECK(ids(joined({daemon_set("a", {failing("n1", "")})})) == Ids{"container-crash=x/a"});
}

TEST_CASE("a hash distinguishes groups that look the same in an id", "[problems]") {
  const Ids all =
      ids(joined({daemon_set("a", {failing("n1", "main|1"), failing("n2", "main-1")})}));
  REQUIRE(all.size() == 2);
  CHECK(all[0] != all[1]);
  for (const std::string& id : all) CHECK(id.starts_with("container-crash=x/a#main-1-"));
}

TEST_CASE("a long part of an id is shortened and has a hash", "[problems]") {
  const std::string one = std::string(60, 'a') + "1";
  const std::string other = std::string(60, 'a') + "2";
  const Ids all =
      ids(joined({daemon_set("a", {failing("n1", one.c_str()), failing("n2", other.c_str())})}));
  REQUIRE(all.size() == 2);
  CHECK(all[0] != all[1]);
  CHECK(all[0].size() < 90);
}

TEST_CASE("ids of problems that differ only in their action have it except for the most urgent",
          "[problems]") {
  Finding overdue = crash("main");
  overdue.overdue_since = model::Time{};
  const DaemonSetReport report =
      daemon_set("a", {node("n1", NodeVerdict::NotReady, {overdue}), failing("n2", "main")});
  CHECK(ids(joined({report})) ==
        Ids{"container-crash=x/a#main", "container-crash=x/a#main+overdue"});
}

TEST_CASE("a problem is accepted by its id or by globs of its parts", "[problems]") {
  const Problems problems = joined({daemon_set("a", {failing("n1", "main|1|Error")})});
  REQUIRE(problems.problems.size() == 1);
  const auto is_accepted = [&](const Accepted& accepted) {
    return accepts(accepted, problems.problems[0]);
  };
  CHECK(is_accepted({"container-crash", "x/a", "main-1-error"}));
  CHECK(is_accepted({"container-*", "x/*", "main-*"}));
  CHECK(is_accepted({"container-crash", ""}));
  CHECK_FALSE(is_accepted({"container-crash", "x/a", "main-2-error"}));
  CHECK_FALSE(is_accepted({"container-crash", "x/b"}));
  CHECK_FALSE(is_accepted({"container-oom", ""}));
}
