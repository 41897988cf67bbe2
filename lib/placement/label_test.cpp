// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "placement/integers.h"
#include "placement/label_selector.h"
#include "placement/label_syntax.h"

using namespace dsdoctor;
using namespace dsdoctor::placement;

TEST_CASE("label keys are validated as Kubernetes validates them", "[placement]") {
  const auto [key, legal] = GENERATE(table<std::string, bool>({
      {"a", true},
      {"A.b_c-d", true},
      {"aAzZ09", true},
      {"A", true},
      {"Z", true},
      {"z", true},
      {"0", true},
      {"9", true},
      {"[", false},
      {"@", false},
      {"`", false},
      {"{", false},
      {":", false},
      {"z9/x", true},
      {"a0/x", true},
      {"Z/x", false},
      {"example.com/x", true},
      {"e-x.a1/x", true},
      {std::string(63, 'a'), true},
      {std::string(64, 'a'), false},
      {std::string(253, 'p') + "/x", true},
      {std::string(254, 'p') + "/x", false},
      {"", false},
      {"/x", false},
      {"a/", false},
      {"a/b/c", false},
      {"Example.com/x", false},
      {"-a", false},
      {"a.", false},
      {"a b", false},
      {"a\n", false},
      {"a..b/x", false},
      {"-a.com/x", false},
      {"a.com-/x", false},
      {"a.-b/x", false},
      {"a_b.com/x", false},
      {"é", false},
  }));
  CAPTURE(key);
  CHECK(is_label_key(key) == legal);
}

TEST_CASE("label values are validated as Kubernetes validates them", "[placement]") {
  CHECK(is_label_value(""));
  CHECK(is_label_value(std::string(63, 'a')));
  CHECK_FALSE(is_label_value(std::string(64, 'a')));
  CHECK_FALSE(is_label_value("-1"));
  CHECK_FALSE(is_label_value("x\n"));
}

TEST_CASE("keys that differ only in case and punctuation are recognized", "[placement]") {
  CHECK(differs_in_spelling("A", "a"));
  CHECK(differs_in_spelling("Z", "z"));
  CHECK(differs_in_spelling("a-b_c.d", "aBCD"));
  CHECK_FALSE(differs_in_spelling("a", "a"));
  CHECK_FALSE(differs_in_spelling("a", "b"));
  CHECK_FALSE(differs_in_spelling("@", "`"));  // the code points next to the letters
  CHECK_FALSE(differs_in_spelling("[", "{"));
}

TEST_CASE("node affinity and tolerations parse integers by different rules", "[placement]") {
  using Number = std::optional<std::int64_t>;
  const auto [text, lenient, canonical] = GENERATE(table<std::string, Number, Number>({
      {"5", 5, 5},
      {"0", 0, 0},
      {"007", 7, {}},
      {"-5", -5, -5},
      {"+5", 5, {}},
      {"-0", 0, {}},
      {"+-5", {}, {}},
      {"", {}, {}},
      {"-", {}, {}},
      {"+", {}, {}},
      {" 5", {}, {}},
      {"5 ", {}, {}},
      {"3.5", {}, {}},
      {"1e3", {}, {}},
      {"0x10", {}, {}},
      {"1_000", {}, {}},
      {"9223372036854775807", INT64_MAX, INT64_MAX},
      {"9223372036854775808", {}, {}},
      {"-9223372036854775808", INT64_MIN, INT64_MIN},
  }));
  CAPTURE(text);
  CHECK(parse_lenient_integer(text) == lenient);
  CHECK(parse_canonical_integer(text) == canonical);
  // The parsers do not read past the end of a string_view.
  const std::string longer = text + "1";
  CHECK(parse_lenient_integer(std::string_view(longer).substr(0, text.size())) == lenient);
}

TEST_CASE("a label selector matches as in Kubernetes", "[placement]") {
  const model::Labels labels = {
      {"a", "x"}, {"n", "5"}, {"e", ""}, {"a key", "x"}, {"v", "a value"}};
  using Row = std::tuple<std::string, model::LabelSelector, bool>;
  const auto [name, selector, expected] = GENERATE(values<Row>({
      {"empty", {}, true},
      {"equal", {{{"a", "x"}}, {}}, true},
      {"another value", {{{"a", "y"}}, {}}, false},
      {"absent", {{{"b", ""}}, {}}, false},
      {"a key that the API refuses", {{{"a key", "x"}}, {}}, false},
      {"a value that the API refuses", {{{"v", "a value"}}, {}}, false},
      {"In", {{}, {{"a", "In", {"y", "x"}}}}, true},
      {"In without values", {{}, {{"a", "In", {}}}}, false},
      {"In absent", {{}, {{"b", "In", {"x"}}}}, false},
      {"NotIn absent", {{}, {{"b", "NotIn", {"x"}}}}, true},
      {"NotIn listed", {{}, {{"a", "NotIn", {"y", "x"}}}}, false},
      {"NotIn others", {{}, {{"a", "NotIn", {"y"}}}}, true},
      {"NotIn without values", {{}, {{"b", "NotIn", {}}}}, false},
      {"Exists empty", {{}, {{"e", "Exists", {}}}}, true},
      {"Exists absent", {{}, {{"b", "Exists", {}}}}, false},
      {"Exists with values", {{}, {{"a", "Exists", {"x"}}}}, false},
      {"DoesNotExist", {{}, {{"a", "DoesNotExist", {}}}}, false},
      {"DoesNotExist absent", {{}, {{"b", "DoesNotExist", {}}}}, true},
      {"DoesNotExist with values", {{}, {{"b", "DoesNotExist", {"x"}}}}, false},
      {"all must hold", {{{"a", "x"}}, {{"b", "Exists", {}}}}, false},
      {"numbers are for the command line", {{}, {{"n", "Gt", {"4"}}}}, false},
      {"unknown operator", {{}, {{"a", "in", {"x"}}}}, false},
  }));
  CAPTURE(name);
  CHECK(matches(selector, labels) == expected);
  CHECK(satisfies(labels, {"n", "Gt", {"4"}}));
  CHECK_FALSE(satisfies(labels, {"a", "Lt", {"4"}}));
  CHECK_FALSE(satisfies(labels, {"n", "Gt", {"many"}}));
  CHECK_FALSE(satisfies(labels, {"n", "Gt", {"4", "3"}}));
  CHECK_FALSE(satisfies(labels, {"n", "Gt", {}}));
  CHECK_FALSE(satisfies(labels, {"b", "Gt", {"4"}}));
  CHECK_FALSE(satisfies(labels, {"n", "Gt", {"5"}}));
  CHECK_FALSE(satisfies(labels, {"n", "Lt", {"5"}}));
  CHECK(satisfies(labels, {"n", "Lt", {"6"}}));
  // A key or value that the API rejects selects nothing.
  CHECK_FALSE(satisfies(labels, {"a key", "DoesNotExist", {}}));
  CHECK_FALSE(satisfies(labels, {"a", "NotIn", {"a value"}}));
}
