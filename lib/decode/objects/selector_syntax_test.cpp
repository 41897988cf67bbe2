// SPDX-License-Identifier: Apache-2.0
#include "decode/objects/selector_syntax.h"

#include <catch2/catch.hpp>

using namespace dsdoctor;
using Requirement = model::NodeSelectorRequirement;

TEST_CASE("label selectors are parsed as in kubectl", "[decode]") {
  using Row = std::tuple<std::string, std::vector<Requirement>>;
  const auto [text, expected] = GENERATE(values<Row>({
      {"", {}},
      {" ", {}},
      {"a", {{"a", "Exists", {}}}},
      {"!a", {{"a", "DoesNotExist", {}}}},
      {"a=b", {{"a", "In", {"b"}}}},
      {"a == b", {{"a", "In", {"b"}}}},
      {"a!=b,c", {{"a", "NotIn", {"b"}}, {"c", "Exists", {}}}},
      {"a=", {{"a", "In", {""}}}},
      {"a=,b", {{"a", "In", {""}}, {"b", "Exists", {}}}},
      {"a in (x, y)", {{"a", "In", {"x", "y"}}}},
      {"a notin (x),b>5", {{"a", "NotIn", {"x"}}, {"b", "Gt", {"5"}}}},
      {"k8s.io/x<7", {{"k8s.io/x", "Lt", {"7"}}}},
      {"in in (in)", {{"in", "In", {"in"}}}},
  }));
  CAPTURE(text);
  const auto parsed = decode::parse_label_selector(text);
  REQUIRE(parsed);
  CHECK(*parsed == expected);
}

TEST_CASE("an error in a selector names the column", "[decode]") {
  const auto [text, where, what] = GENERATE(table<std::string, std::string, std::string>({
      {"=b", "column 1", "found \"=\", expected a label key"},
      {"a in b", "column 6", "found \"b\", expected \"(\""},
      {"a in (b", "column 8", "found the end, expected \",\" or \")\""},
      {"a b", "column 3", "found \"b\", expected one of = == != in notin < > or a comma"},
      {"a,", "column 3", "found the end, expected a label key"},
      {"a=b c", "column 5", "found \"c\", expected a comma or the end"},
  }));
  CAPTURE(text);
  const auto parsed = decode::parse_label_selector(text);
  REQUIRE_FALSE(parsed);
  CHECK(parsed.error().where == where);
  CHECK(parsed.error().what == what);
}
