// SPDX-License-Identifier: Apache-2.0
#include "decode/yaml/yaml_to_json.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace dsdoctor;
using nlohmann::json;

namespace {

/// The only document as compact JSON, or the error.
std::string converted(const std::string& yaml) {
  std::vector<model::Warning> warnings;
  const auto documents = decode::yaml_to_json(yaml, "x.yaml", warnings);
  if (!documents) return base::to_string(documents.error());
  if (documents->size() != 1) return std::to_string(documents->size()) + " documents";
  return documents->front().dump();
}

}  // namespace

// All expected values are those of sigs.k8s.io/yaml v1.6.0, which kubectl uses.
TEST_CASE("scalars have the same types as in kubectl", "[decode][yaml]") {
  const auto [yaml, value] = GENERATE(table<std::string, std::string>({
      {"true", "true"},
      {"\"true\"", "\"true\""},
      {"yes", "true"},
      {"'yes'", "\"yes\""},
      {"y", "true"},
      {"N", "false"},
      {"on", "true"},
      {"Off", "false"},
      {"tRue", "\"tRue\""},
      {"~", "null"},
      {"", "null"},
      {"null", "null"},
      {"Null", "null"},
      {"nULL", "\"nULL\""},
      {"0", "0"},
      {"-0", "0"},
      {"+0", "0"},
      {"010", "8"},
      {"08", "8"},
      {"0o10", "8"},
      {"0O10", "8"},
      {"0x1F", "31"},
      {"0X1f", "31"},
      {"-0x1F", "-31"},
      {"0b101", "5"},
      {"-0b101", "-5"},
      {"0B1", "1"},
      {"1_000", "1000"},
      {"_1", "\"_1\""},
      {"1__0", "10"},
      {"0x_1", "1"},
      {"0_8", "8"},
      {"1_0.5", "10.5"},
      {"1e3", "1000"},
      {"1E+3", "1000"},
      {"1e-3", "0.001"},
      {"1.5e3", "1500"},
      {"1.", "1"},
      {".5", "0.5"},
      {"-.5", "-0.5"},
      {"+.5", "0.5"},
      {".", "\".\""},
      {"1.0", "1"},
      {"1.10", "1.1"},
      {"100000000000000000000", "1e+20"},
      {"1e21", "1e+21"},
      {"1e400", "\"1e400\""},
      {"0.1", "0.1"},
      {"123456789.123", "123456789.123"},
      {"9223372036854775807", "9223372036854775807"},
      {"9223372036854775808", "9223372036854775808"},
      {"18446744073709551615", "18446744073709551615"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"-9223372036854775809", "-9.223372036854776e+18"},
      {"2020-10-02", "\"2020-10-02\""},
      {"2020-10-02T13:44:31Z", "\"2020-10-02T13:44:31Z\""},
      {"1:30", "\"1:30\""},
      {"12:30:45", "\"12:30:45\""},
      {"1.2.3", "\"1.2.3\""},
      {"1e", "\"1e\""},
      {"+", "\"+\""},
      {"0x", "\"0x\""},
      {"0b", "\"0b\""},
      {"0b2", "\"0b2\""},
      {"00", "0"},
      {"0.0", "0"},
      {"07e1", "70"},
      {"v1", "\"v1\""},
      {"!!str 5", "\"5\""},
      {"!!int \"5\"", "5"},
      {"!!str true", "\"true\""},
      {"!!float 5", "5"},
      {"! 5", "\"5\""},
      {"!foo 5", "\"5\""},
      {"|\n  x\n  y", "\"x\\ny\""},
      {">-\n  x\n  y", "\"x y\""},
      {"'it''s'", "\"it's\""},
      {"\"\\u00e9\\x41\"", "\"éA\""},
      {"x # c", "\"x\""},
      {"x#c", "\"x#c\""},
      {"[1, 'two', 3.0]", "[1,\"two\",3]"},
      {"{b: }", "{\"b\":null}"},
  }));
  CAPTURE(yaml);
  CHECK(converted("a: " + yaml) == "{\"a\":" + value + "}");
}

TEST_CASE("keys have the same text as in kubectl", "[decode][yaml]") {
  const auto [key, name] = GENERATE(table<std::string, std::string>({
      {"yes", "true"},
      {"'yes'", "yes"},
      {"010", "8"},
      {"1.10", "1.1"},
      {"1e3", "1000"},
      {"true", "true"},
      {"\"true\"", "true"},
      {"5", "5"},
      {"? a\n", "a"},
  }));
  CAPTURE(key);
  CHECK(converted(key + ": x") == json({{name, "x"}}).dump());
  CHECK(converted("~: x") == "x.yaml:1:1: a key is missing; null is not a key");
}

TEST_CASE("aliases and merge keys are resolved as kubectl resolves them", "[decode][yaml]") {
  const auto [yaml, value] = GENERATE(table<std::string, std::string>({
      {"a: &x {b: 1}\nc: *x", R"({"a":{"b":1},"c":{"b":1}})"},
      {"a: &x {b: 1}\nc: {<<: *x, b: 2}", R"({"a":{"b":1},"c":{"b":2}})"},
      {"a: &x {b: 1}\nc: {b: 2, <<: *x}", R"({"a":{"b":1},"c":{"b":1}})"},
      {"a: &x {b: 1}\nd: &y {b: 3, e: 4}\nc: {<<: [*x, *y]}",
       R"({"a":{"b":1},"c":{"b":1,"e":4},"d":{"b":3,"e":4}})"},
      {"a: &x {b: 1}\nc: {\"<<\": *x}", R"({"a":{"b":1},"c":{"<<":{"b":1}}})"},
      {"c: {<<: 5}", "x.yaml:1:9: << supports mappings only"},
      {"a: &k nn\nb: {*k : 1}", R"({"a":"nn","b":{"nn":1}})"},
      {"a: 1\na: 2", R"({"a":2})"},
      {"a: 1\nb: &x 2\na: 3\nc: *x", R"({"a":3,"b":2,"c":2})"},
      {"a: &x {b: &x 1}\nc: *x", R"({"a":{"b":1},"c":1})"},
      {"a: &x 1\nb: &x 2\nc: *x", R"({"a":1,"b":2,"c":2})"},
      {"a: &x 1\nb: &x [*x]", "x.yaml:2:8: an alias refers to a value that contains it"},
      {"c: {d: &x {b: 1}, <<: [*x, {b: 2, e: 3}], <<: {e: 4}}",
       R"({"c":{"b":1,"d":{"b":1},"e":4}})"},
  }));
  CAPTURE(yaml);
  CHECK(converted(yaml) == value);
}

TEST_CASE("a merged key is not a duplicate key", "[decode][yaml]") {
  std::vector<model::Warning> warnings;
  CHECK(decode::yaml_to_json("a: &x {b: 1}\nc: {<<: *x, b: 2}", "x.yaml", warnings));
  CHECK(warnings.empty());
  CHECK(decode::yaml_to_json("c: {b: 1, b: 2}", "x.yaml", warnings));
  CHECK(warnings.size() == 1);
}

TEST_CASE("nested anchors are limited but not anchors side by side", "[decode][yaml]") {
  std::string nested = "a: ";
  for (int depth = 0; depth < 400; ++depth) nested += "&a" + std::to_string(depth) + " [";
  nested += "&b " + std::string(20'000, 'x') + std::string(400, ']');
  std::vector<model::Warning> warnings;
  const auto refused = decode::yaml_to_json(nested, "x.yaml", warnings);
  REQUIRE_FALSE(refused);
  CHECK(base::to_string(refused.error()).find("more than 16 times the size of the file") !=
        std::string::npos);
  std::string beside;
  for (int i = 0; i < 3000; ++i) {
    beside += fmt::format("k{0}: &a{0} {{name: value-{0}}}\nl{0}: *a{0}\n", i);
  }
  CHECK(decode::yaml_to_json(beside, "x.yaml", warnings));
}

TEST_CASE("aliases nested without brackets are limited", "[decode][yaml]") {
  std::string yaml = "a0: &a0 [x]\n";
  for (int i = 1; i < 600; ++i) {
    const std::string name = "a" + std::to_string(i);
    yaml += name + ": &" + name + " [*a" + std::to_string(i - 1) + "]\n";
  }
  CHECK(converted(yaml) == "x.yaml:499:14: values are nested more than 500 levels deep");
}

TEST_CASE("an unclosed string is rejected wherever the file ends", "[decode][yaml]") {
  const auto [yaml, answer] = GENERATE(table<std::string, std::string>({
      {"a: \"x\n", "x.yaml:1:4: the quoted string that begins here is not closed"},
      {"a: 'x\n b: c\n", "x.yaml:1:4: the quoted string that begins here is not closed"},
      {"a: 'it''s\n", "x.yaml:1:4: the quoted string that begins here is not closed"},
      {"a: \"x\\\"\n", "x.yaml:1:4: the quoted string that begins here is not closed"},
      {"a: &a \"x\n", "x.yaml:1:7: the quoted string that begins here is not closed"},
      {"a: !!str 'x\n", "x.yaml:1:10: the quoted string that begins here is not closed"},
      {"a: \"x", "x.yaml:1:4: the quoted string that begins here is not closed"},
      {"a: 'x'", R"({"a":"x"})"},
      {"a: é\nb: \"é\"\n", R"({"a":"é","b":"é"})"},
      {"a: \"x\\\\\"", R"({"a":"x\\"})"},
      {"a: |\n  \"x\n", R"({"a":"\"x\n"})"},
  }));
  CAPTURE(yaml);
  CHECK(converted(yaml) == answer);
}

TEST_CASE("text after a value is rejected and does not loop forever", "[decode][yaml]") {
  const std::string ended =
      ": unexpected text after the value: a line is not indented like the others, or a document "
      "does not begin with ---";
  const auto [yaml, answer] = GENERATE_COPY(table<std::string, std::string>({
      {", a", "x.yaml:1:1" + ended},
      {"--- , a", "x.yaml:1:5" + ended},
      {"a\n...\n, a", "x.yaml:3:1" + ended},
      {"  a: 1\n , b: 2", "x.yaml:2:2" + ended},
      {"{a: 1}\nb: 2\n", "x.yaml:2:1" + ended},
      {"- a\nb: 2\n", "x.yaml:2:1" + ended},
      {"x:\n- a: 1\n]\n", "x.yaml:3:1: a closing bracket without an opening one"},
      {"%YAML 1.1\nb: 2\n", "x.yaml:2:1" + ended},
      {"a\n...\n%YAML 1.1\nb\n...\nc\n", "x.yaml:4:1" + ended},
      {"  a: 1\nb: 2\n", "x.yaml:2:1" + ended},
      {"a: 1\n...\n# c\n\nb: 2\n", "2 documents"},
      {"a: 1\n---\nb: 2\n...\n---\n", "2 documents"},
      {"a: 1\n...\n b: [2\n", "x.yaml:4:1: a list opened with [ is not closed"},
      {"%YAML 1.1\n---\na: 1\n...\n%YAML 1.1\n---\nb: 2\n", "2 documents"},
  }));
  CAPTURE(yaml);
  CHECK(converted(yaml) == answer);
}

TEST_CASE("a key without colon is rejected as in kubectl", "[decode][yaml]") {
  const std::string lacks = ": the colon after this key is missing; is the file cut off?";
  const auto [yaml, answer] = GENERATE_COPY(table<std::string, std::string>({
      {"a: b\nc", "x.yaml:2:1" + lacks},
      {"a:\n  b: c\n  d\n", "x.yaml:3:3" + lacks},
      {"a: b\n\"c\"\n", "x.yaml:2:1" + lacks},
      {"a: b\nc:", R"({"a":"b","c":null})"},
      {"c:\na: b", R"({"a":"b","c":null})"},
      {"? a\n? b\n", R"({"a":null,"b":null})"},
      {"{a: , b}", R"({"a":null,"b":null})"},
      {"{a:, b}", "x.yaml:1:3: a space is missing behind this colon"},
  }));
  CAPTURE(yaml);
  CHECK(converted(yaml) == answer);
}

TEST_CASE("columns count characters", "[decode][yaml]") {
  CHECK(converted("é: x: y\n") ==
        "x.yaml:1:5: unexpected value: check the indentation, and quote a string that contains \": "
        "\"");
}

TEST_CASE("empty documents are left out", "[decode][yaml]") {
  CHECK(converted("---\n---\na: 1\n---\n# end\n") == R"({"a":1})");
  CHECK(converted("") == "0 documents");
  CHECK(converted("--- {a: 1}\n--- {b: 2}\n") == "2 documents");
}

TEST_CASE("an anchor without a name is rejected", "[decode]") {
  std::vector<model::Warning> warnings;
  const auto documents = decode::yaml_to_json(
      R"(&"kind":"List","apiVersion":"v1","items":[{"kind":"tode")", "f", warnings);
  REQUIRE_FALSE(documents);
  CHECK(documents.error().kind == base::ErrorKind::Malformed);
}
