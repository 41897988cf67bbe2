#include "decode/documents.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "decode/yaml_scalar.h"
#include "decode/yaml_to_json.h"
#include "testing/gzip_file.h"

using namespace dsdoctor;
using nlohmann::json;

namespace {

struct Read {
  model::Cluster cluster;
  std::vector<model::Warning> warnings;
  std::optional<base::Error> error;
};

Read read(const std::string& content) {
  Read result;
  decode::ClusterBuilder builder;
  const auto status = decode::read_documents(content, "f", builder, result.warnings);
  if (!status) result.error = status.error();
  result.cluster = builder.build();
  return result;
}

const std::string node_a = R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}})";
const std::string node_b = R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"b"}})";

}  // namespace

TEST_CASE("every form of input gives the same cluster", "[decode]") {
  const auto [form, content] = GENERATE(table<std::string, std::string>({
      {"List", R"({"kind":"List","apiVersion":"v1","items":[)" + node_a + "," + node_b + "]}"},
      {"typed list",
       R"({"kind":"NodeList","items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]})"},
      {"kind after items",
       R"({"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}],"kind":"NodeList"})"},
      {"one after the other", node_a + "\n" + node_b},
      {"byte order mark and CRLF", "\xEF\xBB\xBF" + node_a + "\r\n" + node_b + "\r\n"},
      {"YAML documents", "apiVersion: v1\nkind: Node\nmetadata: {name: a}\n---\n---\n" + node_b},
      {"YAML List", "kind: List\nitems:\n- " + node_a +
                        "\n- apiVersion: v1\n  kind: Node\n  metadata:\n    name: b\n"},
      {"YAML typed list",
       "kind: NodeList\nitems: [{metadata: {name: a}}, {metadata: {name: b}}]\n"},
      {"with other kinds", R"({"kind":"List","items":[{"apiVersion":"v1","kind":"Secret"},)" +
                               node_a + "," + node_b + "]}"},
  }));
  CAPTURE(form);
  const Read result = read(content);
  REQUIRE_FALSE(result.error);
  REQUIRE(result.cluster.nodes.size() == 2);
  CHECK(result.cluster.nodes[0].meta.name == "a");
  CHECK(result.cluster.nodes[1].meta.name == "b");
}

TEST_CASE("an empty typed list says that there is none", "[decode]") {
  CHECK(read(R"({"kind":"PodList","items":[]})").cluster.pods_known);
  CHECK(read("kind: PodList\nitems: []\n").cluster.pods_known);
  CHECK_FALSE(read(R"({"kind":"List","items":[]})").cluster.pods_known);
}

TEST_CASE("a dump in YAML is the same cluster as in JSON", "[decode]") {
  const std::string text = testing::read_file(DSDOCTOR_TESTDATA "/clusters/nfd-label-flip.json");
  const Read from_json = read(text);
  // JSON is YAML: only the first byte tells them apart.
  const Read from_yaml = read("---\n" + text);
  REQUIRE_FALSE(from_json.error);
  REQUIRE_FALSE(from_yaml.error);
  CHECK(from_json.cluster == from_yaml.cluster);
}

TEST_CASE("what is wrong with a file is told with its place", "[decode]") {
  const auto [content, where, what] = GENERATE(table<std::string, std::string, std::string>({
      {"[1]", "f:1:1", "an object or a List is expected here, as kubectl get -o json prints it"},
      {"just text", "f document 1",
       "an object or a List is expected here, as kubectl get -o yaml prints it"},
      {node_a + "\n{\"a\":tru}", "f:2:9",
       "syntax error while parsing value - invalid literal; last read: '\"a\":tru}'"},
      {"kind: Node\n\tmetadata: {}\n", "f:2:1",
       "a tab is used for indentation; YAML allows only blanks there"},
      {"a: [1, 2\n", "f:2:1", "this is no valid YAML: end of sequence flow not found"},
      {"a: \"\xff\"\n", "f:1:5", "the text is not valid UTF-8 here"},
      {"a: &x [*x]\n", "f:1:8", "an alias refers to a value that contains it"},
      {"a: {<<: 5}\n", "f:1:9", "<< merges mappings only"},
  }));
  CAPTURE(content);
  const Read result = read(content);
  REQUIRE(result.error);
  CHECK(result.error->where == where);
  CHECK(result.error->what == what);
}

TEST_CASE("hostile YAML ends with a message", "[decode]") {
  REQUIRE(read("a: " + std::string(100'000, '[')).error);
  const Read deep = read("a: " + std::string(600, '[') + std::string(600, ']'));
  REQUIRE(deep.error);
  CHECK(deep.error->what == "values are nested more than 500 levels deep");
  std::string bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) bomb += (j == 0 ? "" : ",") + before;
    bomb += "]\n";
  }
  const Read exploded = read(bomb);
  REQUIRE(exploded.error);
  CHECK(exploded.error->what == "more than 10 million values; is this a bomb?");
}

TEST_CASE("a key given twice counts last, with a warning", "[decode]") {
  std::vector<model::Warning> warnings;
  const auto documents = decode::yaml_to_json("a: 1\nb: 2\na: 3\n", "f", warnings);
  REQUIRE(documents);
  CHECK(documents->front() == json({{"a", 3}, {"b", 2}}));
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].where == "f:3");
}

TEST_CASE("merge keys and aliases are resolved", "[decode]") {
  std::vector<model::Warning> warnings;
  const auto documents =
      decode::yaml_to_json("x: &x {a: 1, b: 2}\ny: {<<: *x, b: 3}\nz: *x\n", "f", warnings);
  REQUIRE(documents);
  CHECK(documents->front()["y"] == json({{"a", 1}, {"b", 3}}));
  CHECK(documents->front()["z"] == json({{"a", 1}, {"b", 2}}));
}

TEST_CASE("plain scalars are typed as kubectl types them", "[decode]") {
  const auto [text, value] = GENERATE(table<std::string, std::string>({
      {"true", "true"},
      {"yes", "true"},
      {"Off", "false"},
      {"n", "false"},
      {"~", "null"},
      {"", "null"},
      {"Null", "null"},
      {"5", "5"},
      {"-5", "-5"},
      {"+5", "5"},
      {"010", "8"},
      {"0x10", "16"},
      {"0o17", "15"},
      {"0b11", "3"},
      {"1_000", "1000"},
      {"0.5", "0.5"},
      {"1e3", "\"1e3\""},
      {"1e+3", "1000.0"},
      {"5m", "\"5m\""},
      {"v1", "\"v1\""},
      {"1.2.3", "\"1.2.3\""},
      {"2026-01-01", "\"2026-01-01\""},
      {"-", "\"-\""},
      {".", "\".\""},
      {"9223372036854775807", "9223372036854775807"},
  }));
  CAPTURE(text);
  CHECK(decode::plain_scalar(text).dump() == value);
}
