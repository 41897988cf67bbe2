// SPDX-License-Identifier: Apache-2.0
#include "decode/json/item_splitter.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <random>

#include "decode/cluster/cluster_builder.h"

using namespace dsdoctor;
using decode::ItemSplitter;
using nlohmann::json;

namespace {

struct Split {
  std::vector<std::string> items;
  std::optional<base::Error> error;
  std::string envelope;
};

Split split(const std::string& body, std::size_t chunk) {
  Split result;
  ItemSplitter splitter("body", [&](std::string_view item, std::size_t index) -> base::Status {
    CHECK(index == result.items.size());
    result.items.emplace_back(item);
    return std::monostate{};
  });
  for (std::size_t at = 0; at < body.size(); at += chunk) {
    // A separate copy, so that sanitizers detect a read past the chunk.
    const std::string piece = body.substr(at, chunk);
    if (const auto fed = splitter.feed(piece); !fed) {
      result.error = fed.error();
      return result;
    }
  }
  const auto envelope = splitter.finish();
  if (envelope) {
    result.envelope = *envelope;
  } else {
    result.error = envelope.error();
  }
  return result;
}

constexpr std::size_t chunk_sizes[] = {1, 7, 63, 64, 65, 4096};

/// Values that are hard to skip: quotes, backslash runs, brackets and `items` within strings.
class Hostile {
 public:
  explicit Hostile(unsigned seed) : random_(seed) {}

  json list() {
    json items = json::array();
    for (unsigned i = pick(6); i > 0; --i) items.push_back(object(3));
    json result = {{"kind", "NodeList"}, {"metadata", {{"continue", text()}}}, {text(), value(2)}};
    result["items"] = items;
    return result;
  }
  int indent() { return int(pick(3)) * 2 - 1; }

 private:
  unsigned pick(unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(random_); }
  std::string text() {
    static const std::vector<std::string> parts = {
        "\\", "\"", "{", "}", "[", "]", "items", ":", ",", "é", "\n", "\\\\\"", " ", "x", "\u0001"};
    std::string result;
    for (unsigned i = pick(6); i > 0; --i) result += parts[pick(unsigned(parts.size()))];
    return result == "items" ? "item" : result;
  }
  json object(unsigned depth) {
    json result = json::object();
    for (unsigned i = pick(4); i > 0; --i)
      result[text() + (pick(5) == 0 ? "items" : "")] = value(depth);
    return result;
  }
  json value(unsigned depth) {
    switch (pick(depth == 0 ? 3 : 5)) {
      case 0: return text();
      case 1: return pick(1000);
      case 2: return pick(2) == 0 ? json(nullptr) : json(true);
      case 3: return object(depth - 1);
      default: {
        json array = json::array();
        for (unsigned i = pick(4); i > 0; --i) array.push_back(value(depth - 1));
        return array;
      }
    }
  }
  std::mt19937 random_;
};

}  // namespace

TEST_CASE("items are the same as those of a parser of the whole body", "[decode][splitter]") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    Hostile hostile(seed);
    const json list = hostile.list();
    const std::string body = list.dump(hostile.indent());
    for (const std::size_t chunk : chunk_sizes) {
      CAPTURE(seed, chunk, body);
      const Split found = split(body, chunk);
      REQUIRE_FALSE(found.error);
      REQUIRE(found.items.size() == list["items"].size());
      for (std::size_t i = 0; i < found.items.size(); ++i) {
        CHECK(json::parse(found.items[i]) == list["items"][i]);
      }
      CHECK(json::parse(found.envelope)["metadata"] == list["metadata"]);
    }
  }
}

TEST_CASE("the list's own fields may be before or after its items", "[decode][splitter]") {
  const std::string after =
      R"({"items":[{"a":1},{"b":[{}]}],"kind":"List","metadata":{"continue":"x"}})";
  for (const std::size_t chunk : chunk_sizes) {
    const Split found = split(after, chunk);
    REQUIRE_FALSE(found.error);
    CHECK(found.items == std::vector<std::string>{R"({"a":1})", R"({"b":[{}]})"});
    CHECK(json::parse(found.envelope)["kind"] == "List");
  }
}

TEST_CASE("a body that is not a complete list is rejected", "[decode][splitter]") {
  const auto [body, complaint] = GENERATE(table<std::string, std::string>({
      {"", "the body is empty; expected a JSON list"},
      {"  \n", "the body is empty; expected a JSON list"},
      {R"({"items":[{"a":1},{"b":)", "the list is cut off inside items[1]"},
      {R"({"items":[{"a":1})", "the list is cut off after 1 items"},
      {R"({"kind":"NodeList","meta)", "the list is cut off before its items"},
      {R"({"kind":"Node"})", "Node is not a list: it has no items"},
      {R"({"items":[1]})", "items[0] is a number; expected an object"},
      {R"({"items":[{}{}]})", "items[0] is followed by \"{\"; expected a comma or ]"},
      {R"({"items":[{},]})", "items[1] is missing: found \"]\""},
      {R"({"items":[{"a":")" + std::string(100, 'x') + R"(","b":\"}"},{}]})",
       "items[0] has a backslash outside of a string"},
      {R"({"items":{}})", "items is an object; expected an array"},
      {R"({"items":[]} x)", "unexpected text after the end of the list: \"x\""},
      {"<!DOCTYPE html><html></html>",
       "this is an HTML page, not JSON: a proxy or a login page answered instead of the API "
       "server"},
      {"hello", "the body begins with \"hello\"; expected a JSON object"},
  }));
  for (const std::size_t chunk : chunk_sizes) {
    CAPTURE(body, chunk);
    const Split found = split(body, chunk);
    REQUIRE(found.error);
    CHECK(found.error->what == complaint);
    CHECK(found.error->where == "body");
  }
}

TEST_CASE("nesting beyond the limit is rejected with the limit in the message",
          "[decode][splitter]") {
  const auto error_at = [](int depth, const std::string& begin, const std::string& end) {
    const auto more = static_cast<std::size_t>(depth);
    const std::string body = begin + std::string(more, '[') + std::string(more, ']') + end;
    std::vector<std::string> errors;
    for (const std::size_t chunk : chunk_sizes) {
      const Split found = split(body, chunk);
      errors.push_back(found.error ? found.error->what : "");
    }
    REQUIRE(errors == std::vector<std::string>(errors.size(), errors.front()));
    return errors.front();
  };
  CHECK(error_at(997, R"({"kind":"List","items":[{"a":)", "}]}") == "");
  CHECK(error_at(998, R"({"kind":"List","items":[{"a":)", "}]}") ==
        "items[0] is nested more than 1000 levels deep");
  CHECK(error_at(999, R"({"kind":"List","a":)", R"(,"items":[]})") == "");
  CHECK(error_at(1000, R"({"kind":"List","a":)", R"(,"items":[]})") ==
        "the list is nested more than 1000 levels deep");
}

TEST_CASE("nesting without end is rejected", "[decode][splitter]") {
  const std::string body = R"({"items":[{"a":)" + std::string(100'000, '[');
  const Split found = split(body, 4096);
  REQUIRE(found.error);
  CHECK(found.error->what == "items[0] is nested more than 1000 levels deep");
}
