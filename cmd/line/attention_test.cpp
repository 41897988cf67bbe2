// SPDX-License-Identifier: Apache-2.0
#include "line/attention.h"

#include <catch2/catch.hpp>

#include "diagnosis/catalogue/catalogue.h"

using namespace dsdoctor;
using namespace dsdoctor::cmd;
using Catch::Matchers::Contains;

TEST_CASE("an ignored problem is a finding with an optional root after =", "[cmd][line]") {
  const auto attention = parse_attention("error", {"node-*", "create-quota-exceeded=logging/*"});
  REQUIRE(attention);
  CHECK(attention->threshold == diagnosis::Severity::Error);
  REQUIRE(attention->ignored.size() == 2);
  CHECK(attention->ignored[0].root.empty());
  CHECK(attention->ignored[1].finding == "create-quota-exceeded");
  CHECK(attention->ignored[1].root == "logging/*");
}

TEST_CASE("an older id of a finding is accepted", "[cmd][line]") {
  std::size_t older = 0;
  for (const auto& entry : diagnosis::listed_entries()) {
    if (entry.alias.empty() || entry.family == diagnosis::Family::Terms) continue;
    CAPTURE(entry.alias);
    const auto attention = parse_attention("info", {std::string(entry.alias) + "=a/b"});
    REQUIRE(attention);
    CHECK(attention->ignored.at(0).finding == entry.id);
    CHECK(attention->ignored.at(0).root == "a/b");
    ++older;
  }
  CHECK(older > 0);
}

TEST_CASE("an invalid severity or finding or limit is an error", "[cmd][line]") {
  CHECK_THAT(parse_attention("grave", {}).error().what, Contains("must be critical, error"));
  const auto refused = [](const std::string& ignored) {
    return parse_attention("info", {ignored}).error().what;
  };
  CHECK(refused("create-quota-exceded") ==
        "--ignore \"create-quota-exceded\": no finding is called \"create-quota-exceded\"; did you "
        "mean create-quota-exceeded?");
  CHECK_THAT(refused("xyzzy=a/b"), Contains("no finding is called \"xyzzy\"; \"kubectl dsdoctor"));
  CHECK_THAT(refused("zzz-*"), Contains("no finding is called"));
  CHECK_THAT(refused("node-?"), Contains("--ignore \"node-?\": only * (any characters)"));
  CHECK_THAT(refused("node-*={a,b}"), Contains("only * (any characters)"));
  CHECK_THAT(refused("=a"), Contains("the form is ID, ID=ROOT or ID=ROOT#PART"));
  for (const char* text : {"-1", "many", "3x", "99999999999999999999999"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_limit(text));
  }
  CHECK(*parse_limit("") == std::nullopt);
  CHECK(*parse_limit("0") == 0U);
}
