// SPDX-License-Identifier: Apache-2.0

// Inputs without end, or that would expand beyond any memory.

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "decode/cluster/document_stream.h"
#include "decode/json/held_items.h"
#include "decode/json/json_padding.h"

using namespace dsdoctor;
using decode::ClusterBuilder;

namespace {

/// A beginning, and then the same piece forever.
class Endless final : public decode::ByteStream {
 public:
  Endless(std::string beginning, std::string again)
      : beginning_(std::move(beginning)), again_(std::move(again)) {}
  base::Result<std::string_view> next() override {
    const bool first = given_ == 0 && !beginning_.empty();
    const std::string_view piece = first ? beginning_ : again_;
    given_ += piece.size();
    REQUIRE(given_ < std::size_t{600} << 20U);  // otherwise this test would not end
    return piece;
  }
  [[nodiscard]] std::size_t given() const { return given_; }

 private:
  std::string beginning_;
  std::string again_;
  std::size_t given_ = 0;
};

std::string repeated(std::string_view text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

std::string error_of(decode::ByteStream& stream) {
  ClusterBuilder builder("default", decode::ObjectLimit(1000));
  std::vector<model::Warning> warnings;
  decode::StreamedFile file{stream, "x"};
  file.most_at_once = std::uint64_t{24} << 20U;
  const auto status = decode::read_document_stream(file, builder, warnings);
  return status ? "" : base::to_string(status.error());
}

TEST_CASE("an endless stream is an error", "[limits]") {
  SECTION("zero bytes as from /dev/zero") {
    Endless zeros("", std::string(1U << 20U, '\0'));
    CHECK(error_of(zeros) == "x: this is binary data, not JSON or YAML");
    CHECK(zeros.given() < std::size_t{20} << 20U);
  }
  SECTION("YAML") {
    Endless lines("", repeated("a: b\n---\n", 100'000));
    CHECK(error_of(lines) == "x: is larger than 24 MiB, the limit for what is no list of JSON");
  }
  SECTION("a JSON array") {
    Endless items("[", repeated("{\"kind\":\"Node\"},", 100'000));
    CHECK(error_of(items) == "x: is larger than 24 MiB, the limit for what is no list of JSON");
  }
  SECTION("a list") {
    Endless items(R"({"apiVersion":"v1","kind":"NodeList","items":[)",
                  repeated(R"({"metadata":{"name":"n"}},)", 100'000));
    CHECK(error_of(items) == "x: more than 1000 objects, which is the limit");
  }
  SECTION("a list of invalid events that each cause a warning") {
    Endless items(R"({"apiVersion":"v1","kind":"EventList","items":[)",
                  repeated(R"({"metadata":{"name":7}},)", 100'000));
    CHECK(error_of(items) == "x: more than 1000 objects, which is the limit");
  }
  SECTION("one object") {
    Endless text(R"({"apiVersion":"v1","kind":")", std::string(1U << 20U, 'x'));
    CHECK(error_of(text).find("an object of more than 64 MiB") != std::string::npos);
  }
  SECTION("text after an object") {
    Endless text(R"({"apiVersion":"v1","kind":"List","items":[]} x)", std::string(1U << 20U, 'x'));
    CHECK(error_of(text) ==
          "x: more than 256 MiB behind the last object of JSON, which is the limit");
  }
}

TEST_CASE("endless brackets cause a short error", "[limits]") {
  for (const char* bracket : {"[", "{\"a\":", "{\"a\":["}) {
    for (const std::size_t times : {2'000U, 3'000'000U}) {
      ClusterBuilder builder;
      std::vector<model::Warning> warnings;
      const auto status = decode::read_documents(repeated(bracket, times), "x", builder, warnings);
      REQUIRE_FALSE(status);
      CHECK(base::to_string(status.error()) ==
            "x:1:1: values are nested more than 1000 levels deep");
    }
  }
}

TEST_CASE("the path of an error is short", "[limits]") {
  ClusterBuilder builder;
  std::vector<model::Warning> warnings;
  const std::string text = repeated("{\"" + std::string(5000, 'k') + "\":", 100);
  const auto status = decode::read_documents(text, "x", builder, warnings);
  REQUIRE_FALSE(status);
  CHECK(base::to_string(status.error()).size() < 400);
}

TEST_CASE("a builder rejects objects beyond its limit", "[limits]") {
  ClusterBuilder builder("default", decode::ObjectLimit(3));
  const auto add = [&](std::string json) {
    const std::size_t size = json.size();
    json.append(decode::json_padding, ' ');
    return builder.add_json(std::string_view(json).substr(0, size), decode::Kind::Node, {"x"});
  };
  for (int i = 0; i < 3; ++i) CHECK(add(R"({"metadata":{"name":"n"}})"));
  CHECK_FALSE(add(R"({"metadata":{"name":"n"}})"));
  CHECK_FALSE(add(R"({"metadata":{"name":"m"}})"));
  CHECK(decode::ObjectLimit::usual >= 3'000'000);  // a million pods with their events
}

/// Adds objects of a file of `size` bytes until one is rejected.
std::string refused(std::size_t size, bool packed, decode::Kind kind,
                    const std::function<std::string(std::size_t)>& object) {
  ClusterBuilder builder;
  builder.given(size, packed);
  for (std::size_t i = 0; i < 1'000'000; ++i) {
    std::string json = object(i);
    const std::size_t length = json.size();
    json.append(decode::json_padding, ' ');
    const auto added = builder.add_json(std::string_view(json).substr(0, length), kind, {"x"});
    if (!added) return base::to_string(added.error());
  }
  return "";
}

TEST_CASE("memory for files has a limit that grows with their size", "[limits]") {
  const auto named = [](std::size_t i) {
    return R"({"metadata":{"name":"n)" + std::to_string(i) + "\"}}";
  };
  CHECK(refused(1'000'000, false, decode::Kind::Node, named) ==
        "x: the objects take more than 43 MiB of memory, the limit for files of this size");
  CHECK(refused(1'000'000, true, decode::Kind::Node, named) ==
        "x: the objects take more than 211 MiB of memory, the limit for packed files of this size");
  CHECK(refused(0, false, decode::Kind::Event, named).find("more than 40 MiB") !=
        std::string::npos);
  CHECK(refused(std::size_t{1} << 30U, false, decode::Kind::Namespace, named).empty());
}

TEST_CASE("memory for one object has a limit", "[limits]") {
  const std::string taints =
      "{\"metadata\":{\"name\":\"n\"},\"spec\":{\"taints\":[" + repeated("{},", 999'999) + "{}]}}";
  const std::string limit = "the object takes more than 8 MiB of memory, the limit for one";
  const std::string error =
      refused(taints.size(), false, decode::Kind::Node, [&](std::size_t) { return taints; });
  CAPTURE(error);
  CHECK(error.find("Node/n spec.taints[") != std::string::npos);
  CHECK(error.ends_with(limit));
  const std::string labels = "{\"metadata\":{\"name\":\"n\",\"labels\":{" +
                             repeated("\"\":\"\",", 999'999) + "\"\":\"\"}}}";
  CHECK(
      refused(0, false, decode::Kind::Node, [&](std::size_t) { return labels; }).ends_with(limit));
}

TEST_CASE("a large text is read in pieces with the same errors", "[limits]") {
  const std::string many =
      repeated(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}},)", 90'000);
  const std::string items = many.substr(0, many.size() - 1);
  const auto error_in = [](std::string text, std::size_t* nodes = nullptr) -> std::string {
    ClusterBuilder builder;
    std::vector<model::Warning> warnings;
    const auto status = decode::read_documents(std::move(text), "x", builder, warnings);
    if (nodes != nullptr) *nodes = builder.build().nodes.size();
    return status ? "" : base::to_string(status.error());
  };
  REQUIRE(items.size() > std::size_t{4} << 20U);
  std::size_t nodes = 0;
  CHECK(error_in("[" + items + R"(,{"apiVersion":"v1","kind":"Node","metadata":{"name":"m"}}]
{"apiVersion":"v1","kind":"Node","metadata":{"name":"o"}})",
                 &nodes) == "");
  CHECK(nodes == 3);
  CHECK(error_in("[" + items + ",7]") == "x: items[90000] is a number; expected an object");
  const std::string block =
      repeated("- {apiVersion: v1, kind: Node, metadata: {name: node}}\n", 9'000);
  CHECK(error_in("kind: List\nitems:\n" + block, &nodes) == "");
  CHECK(nodes == 1);
  CHECK(error_in("apiVersion: v1\nitems:\n" + block + "kind: NodeList\n", &nodes) == "");
  CHECK(nodes == 1);
  CHECK(error_in(block + "- {apiVersion: v1, kind: Node, metadata: {name: m}}\n---\n" + block,
                 &nodes) == "");
  CHECK(nodes == 2);
  CHECK(error_in("items:\n" + block) ==
        "x: a list without kind; is the file cut off? kind: List comes after items");
  CHECK(error_in("kind: List\nitems:\n" + block + "items: []\n").find("items is given twice") !=
        std::string::npos);
  CHECK(error_in("kind: List\nitems:\n" + block + "--- seven\n") ==
        "x document 2: expected an object or a List, as kubectl get -o yaml prints it");
  const std::string flow =
      repeated("{apiVersion: v1, kind: Node, metadata: {name: node}},", 90'000);
  CHECK(
      error_in("kind: List\nitems: [" + flow + "{apiVersion: v1, kind: Node, metadata: {name: m}}]",
               &nodes) == "");
  CHECK(nodes == 2);
}

TEST_CASE("objects of unused kinds have no size limit", "[limits]") {
  const std::string config =
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"a":")" +
      repeated("x", 3'500'000) + "\"}}";
  const std::string node =
      R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n","annotations":{"a":")" +
      repeated("x", 3'500'000) + "\"}}}";
  const auto error_in = [](std::string text, std::size_t& skipped) -> std::string {
    ClusterBuilder builder;
    std::vector<model::Warning> warnings;
    const auto status = decode::read_documents(std::move(text), "x", builder, warnings);
    skipped = builder.skipped();
    return status ? "" : base::to_string(status.error());
  };
  const std::string head = R"({"apiVersion":"v1","kind":"List","items":[)";
  std::size_t skipped = 0;
  CHECK(error_in(config, skipped) == "");
  CHECK(skipped == 1);
  CHECK(error_in(head + config + "," + config + "]}", skipped) == "");
  CHECK(skipped == 2);
  const std::string schema = R"({"apiVersion":"x/v1","kind":"Schema","items":{"type":")" +
                             repeated("x", 3'500'000) + "\"}}";
  CHECK(error_in(schema, skipped) == "");
  CHECK(skipped == 1);
  // Large values are read in pieces.
  for (const char* items : {"[7,{}]", R"(["x",{}])", R"([{"a":1},7])", "[{},[1],{},null]"}) {
    CAPTURE(items);
    for (const char* kind : {"Schema", "ThingList"}) {
      const std::string of = fmt::format(R"("apiVersion":"x/v1","kind":"{}")", kind);
      CHECK(error_in(fmt::format(R"({{{},"items":{}}})", of, items) + config, skipped) == "");
      CHECK(error_in(fmt::format(R"({{"items":{},{}}})", items, of) + config, skipped) == "");
    }
  }
  const std::string nodes = R"([{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}},7])";
  const std::string odd = "x: items[1] is a number; expected an object";
  CHECK(error_in(head.substr(0, head.size() - 1) + nodes + "}" + config, skipped) == odd);
  CHECK(error_in(R"({"items":)" + nodes + R"(,"apiVersion":"v1","kind":"NodeList"})" + config,
                 skipped) == odd);
  const std::string limit = "an object of more than 3 MiB, the limit; an API server takes no more";
  CHECK(error_in(node, skipped) == "x: " + limit);
  CHECK(error_in(head + config + "," + node + "]}", skipped) == "x items[1]: " + limit);
}

TEST_CASE("items held until their kind is known keep order and content", "[limits]") {
  decode::HeldItems held;
  const std::string large(3'000'000, 'x');
  held.add("{}", 3);
  held.add(large, 200);
  held.add("[]", 70'000);
  std::vector<std::pair<std::string, std::size_t>> got;
  CHECK(held.take([&](std::string_view json, std::size_t index) {
    got.emplace_back(json, index);
    return base::Status(std::monostate{});
  }));
  CHECK(got ==
        std::vector<std::pair<std::string, std::size_t>>{{"{}", 3}, {large, 200}, {"[]", 70'000}});
}

TEST_CASE("the template of pods counts once", "[limits]") {
  const auto pod = [](std::size_t i) {
    return R"({"metadata":{"name":"p)" + std::to_string(i) +
           R"(","ownerReferences":[{"kind":"DaemonSet","name":"d","uid":"u","controller":true}]},)"
           R"("spec":{"containers":[)" +
           repeated("{},", 50) + "{}]}}";
  };
  const std::string alone =
      R"({"metadata":{"name":"p"},"spec":{"containers":[)" + repeated("{},", 50) + "{}]}}";
  const auto accepted = [&](const std::function<std::string(std::size_t)>& object) {
    std::size_t count = 0;
    (void)refused(0, false, decode::Kind::Pod, [&](std::size_t i) {
      count = i;
      return object(i);
    });
    return count;
  };
  CHECK(accepted(pod) > 10 * accepted([&](std::size_t) { return alone; }));
}

TEST_CASE("the first warnings about objects and the number of others are kept", "[limits]") {
  ClusterBuilder builder;
  for (int i = 0; i < 1'200; ++i) {
    std::string json = R"({"metadata":{"name":7}})";
    const std::size_t length = json.size();
    json.append(decode::json_padding, ' ');
    CHECK(builder.add_json(std::string_view(json).substr(0, length), decode::Kind::Event, {"x"}));
  }
  const auto warnings = builder.take_warnings();
  REQUIRE(warnings.size() == 1'001);
  CHECK(warnings.front().what == "expected a string, found a number; ignored");
  CHECK(warnings.back().what == "and 200 more warnings");
}

}  // namespace
