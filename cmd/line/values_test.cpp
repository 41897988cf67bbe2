// SPDX-License-Identifier: Apache-2.0
#include "line/values.h"

#include <catch2/catch.hpp>
#include <string>

using namespace dsdoctor;
using Catch::Matchers::StartsWith;

TEST_CASE("a selector that no label can meet is an error", "[line]") {
  const auto [text, what] = GENERATE(table<std::string, std::string>({
      {"-a=b", "\"-a\" is not a label key"},
      {"!a.b/c/d", "\"a.b/c/d\" is not a label key"},
      {"A.b/c", "\"A.b/c\" is not a label key"},
      {"a,b in (x,-y)", "\"-y\" is not a label value"},
      {"a!=" + std::string(64, 'x'), "\"" + std::string(64, 'x') + "\" is not a label value"},
      {"a>x", "\"x\" is not an integer"},
      {"a<", "\"\" is not an integer"},
      {"a>-5", "\"-5\" is not a label value"},
      {"a in b", "found \"b\""},
  }));
  CAPTURE(text);
  const auto parsed = cmd::parse_selector(text);
  REQUIRE_FALSE(parsed);
  CHECK(parsed.error().kind == base::ErrorKind::Usage);
  CHECK_THAT(parsed.error().what, StartsWith(what));
}

TEST_CASE("keys and values of valid labels are accepted", "[line]") {
  for (const char* text :
       {"", "a=", "app.kubernetes.io/name in (x_y,,Z.1)", "!a", "a>007", "A-1"}) {
    CAPTURE(text);
    CHECK(cmd::parse_selector(text));
  }
}

TEST_CASE("feature gates are parsed like by kube-controller-manager", "[line]") {
  const auto gate = [](const std::string& text) {
    auto gates = cmd::parse_feature_gates(text);
    if (!gates) FAIL(base::to_string(gates.error()));
    return gates->taint_toleration_comparison_operators;
  };
  CHECK(gate("") == std::nullopt);
  CHECK(gate("AllBeta=true") == std::nullopt);
  CHECK(gate("TaintTolerationComparisonOperators=true") == true);
  CHECK(gate("AllAlpha=true") == true);
  CHECK(gate("AllAlpha=true,TaintTolerationComparisonOperators=false") == false);
  CHECK(gate("TaintTolerationComparisonOperators=false,AllAlpha=true") == false);
  CHECK_FALSE(cmd::parse_feature_gates("Foo=true"));
  CHECK_FALSE(cmd::parse_feature_gates("TaintTolerationComparisonOperators"));
  CHECK_FALSE(cmd::parse_feature_gates("TaintTolerationComparisonOperators=yes"));
}

TEST_CASE("the flag --validate takes the words and booleans of kubectl", "[line]") {
  using enum cmd::FieldValidation;
  for (const char* text : {"strict", "true", "1", "T"}) {
    CHECK(*cmd::parse_validation(text) == Strict);
  }
  for (const char* text : {"ignore", "false", "0", "F"}) {
    CHECK(*cmd::parse_validation(text) == Ignore);
  }
  CHECK(*cmd::parse_validation("warn") == Warn);
  for (const std::string text : {"", "Strict", "yes", "none"}) {
    const auto parsed = cmd::parse_validation(text);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().kind == base::ErrorKind::Usage);
    CHECK(parsed.error().what == "invalid argument \"" + text +
                                     "\" for \"--validate\" flag: must be one of: strict (or "
                                     "true), warn, ignore (or false)");
  }
}
