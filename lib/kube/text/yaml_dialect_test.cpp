// SPDX-License-Identifier: Apache-2.0

// Files are read with libyaml and kubeconfigs with yaml-cpp: both must understand the same YAML.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "decode/yaml/yaml_to_json.h"
#include "kube/text/yaml_fields.h"

using namespace dsdoctor;
using nlohmann::json;

namespace {

// The values are those of sigs.k8s.io/yaml v1.6.0.
const std::vector<std::pair<std::string, json>> plain_scalars = {
    {"yes", true},
    {"Off", false},
    {"~", nullptr},
    {"null", nullptr},
    {"010", 8},
    {"0x1F", 31},
    {"0o17", 15},
    {"0b101", 5},
    {"1_000", 1000},
    {"-7", -7},
    {"1e3", 1000},
    {"1.10", 1.1},
    {".5", 0.5},
    {"1.0", 1},
    {"+4", 4},
    {"nULL", "nULL"},
    {"1:30", "1:30"},
    {"1.2.3", "1.2.3"},
    {"v1", "v1"},
    {"_1", "_1"},
    {"a#b", "a#b"},
    {"a:b", "a:b"},
    {"http://x", "http://x"},
    {"!!str 5", "5"},
    {"!!int '5'", 5},
    {"! 5", "5"},
    {"!own 5", "5"},
    {"a b", "a b"},
    {"-x", "-x"},
    {"2020-10-02", "2020-10-02"},
    {"18446744073709551615", 18446744073709551615U}};

const std::vector<std::string> strings = {"",
                                          " a",
                                          "a ",
                                          "yes",
                                          "010",
                                          "null",
                                          "a: b",
                                          "a #b",
                                          "- x",
                                          "[x",
                                          "{{ .V }}",
                                          "#",
                                          "@x",
                                          "%x",
                                          "*a",
                                          "&a",
                                          "!t",
                                          "'",
                                          "\"",
                                          "\\",
                                          "\\n",
                                          "\xC3\xA9",
                                          "\xF0\x9F\x98\x80",
                                          "a\nb",
                                          "a\n",
                                          "a\n\nb\n\n",
                                          "x\n  y\n",
                                          "\ta",
                                          "a\tb",
                                          "<<",
                                          "?",
                                          "a,b]}",
                                          "---",
                                          "...",
                                          "a\x01"
                                          "b"};

/// Writes random documents, and knows their values.
class Author {
 public:
  explicit Author(unsigned seed) : random_(seed) {}

  json write_document() {
    if (any(3)) text += "---\n";
    return write_block(0, 0);
  }

  std::string text;
  std::size_t duplicates = 0;

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }
  bool any(std::size_t of) { return below(of) == 0; }

  /// A mapping or list on lines of its own.
  json write_block(std::size_t indent, int depth) {
    const std::string margin(indent, ' ');
    const std::size_t count = 1 + below(4);
    if (any(3)) {
      json list = json::array();
      for (std::size_t i = 0; i < count; ++i) {
        text += margin + "-";
        list.push_back(write_value(indent, depth, false));
      }
      return list;
    }
    json mapping = json::object();
    for (std::size_t i = 0; i < count; ++i) {
      const std::string key = fmt::format("k{}", below(6));
      if (any(8)) text += "\n" + margin + "# a comment: of 'one' line\n";
      text += margin + (any(4) ? "\"" + key + "\"" : key) + ":";
      json value = write_value(indent, depth, true);
      if (mapping.contains(key)) ++duplicates;
      mapping[key] = std::move(value);
    }
    return mapping;
  }

  /// The value of a key or an entry of a list, up to the end of its line or lines.
  json write_value(std::size_t indent, int depth, bool of_key) {
    if (!anchors_.empty() && any(8)) {
      const auto& [name, value] = anchors_[below(anchors_.size())];
      text += " *" + name + "\n";
      return value;
    }
    std::string anchor;
    if (any(8)) {
      anchor = fmt::format("a{}", ++named_);
      text += " &" + anchor;
    }
    json value;
    if (depth < 4 && any(2)) {
      text += any(6) ? " # and so on\n" : "\n";
      const bool deeper = !of_key || any(2);
      value = write_nested(indent, deeper, depth + 1);
    } else if (any(3)) {
      text += " ";
      value = write_flow(depth + 1);
      text += "\n";
    } else if (anchor.empty() && any(4)) {  // yaml-cpp 0.7 misreads a literal with an anchor
      value = write_literal(indent);
    } else {
      text += " ";
      value = write_scalar(false);
      text += any(8) ? " # said\n" : "\n";
    }
    if (!anchor.empty()) anchors_.emplace_back(anchor, value);
    return value;
  }

  /// A list may have the same indentation as its key.
  json write_nested(std::size_t indent, bool deeper, int depth) {
    if (deeper) return write_block(indent + 1 + below(3), depth);
    const std::string margin(indent, ' ');
    json list = json::array();
    for (std::size_t i = 0; i < 1 + below(3); ++i) {
      text += margin + "-";
      list.push_back(write_value(indent, depth, false));
    }
    return list;
  }

  json write_literal(std::size_t indent) {
    const std::string margin(indent + 2, ' ');
    text += " |\n" + margin + "one: 1\n\n" + margin + "  two # 2\n" + margin + "three\n";
    return "one: 1\n\n  two # 2\nthree\n";
  }

  json write_flow(int depth) {
    if (depth > 5 || any(3)) return write_scalar(true);
    const std::size_t count = below(4);
    const bool is_list = any(2);
    json value = is_list ? json::array() : json::object();
    text += is_list ? "[" : "{";
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) text += any(2) ? "," : " , ";
      if (is_list) {
        value.push_back(write_flow(depth + 1));
      } else {
        const std::string key = fmt::format("f{}", i);
        text += key + ": ";
        value[key] = write_flow(depth + 1);
      }
    }
    text += is_list ? "]" : "}";
    return value;
  }

  json write_scalar(bool in_flow) {
    if (any(2)) {
      const auto& [plain, value] = plain_scalars[below(plain_scalars.size())];
      if (!in_flow || plain.find(':') == plain.npos) {
        text += plain;
        return value;
      }
    }
    const std::string& string = strings[below(strings.size())];
    if (any(2) && string.find_first_of("\n\x01") == string.npos) {
      text += '\'';
      for (const char c : string) text += c == '\'' ? "''" : std::string(1, c);
      text += '\'';
    } else {
      text += json(string).dump();
    }
    return string;
  }

  std::mt19937 random_;
  int named_ = 0;
  std::vector<std::pair<std::string, json>> anchors_;
};

}  // namespace

TEST_CASE("kubeconfigs and files are the same YAML", "[kube][yaml]") {
  for (unsigned seed = 1; seed <= 3000; ++seed) {
    Author author(seed);
    const json value = author.write_document();
    CAPTURE(seed, author.text);
    std::vector<model::Warning> warnings;
    const auto documents = decode::yaml_to_json(author.text, "x.yaml", warnings);
    REQUIRE(documents);
    REQUIRE(documents->size() == 1);
    REQUIRE(documents->front() == value);
    REQUIRE(warnings.size() == author.duplicates);
    const auto node = kube::first_yaml_document(author.text);
    REQUIRE(node);
    REQUIRE(kube::to_json(*node) == value);
  }
}

TEST_CASE("merge keys are the same in kubeconfigs and files", "[kube][yaml]") {
  const std::string anchors = "a: &a {k: 1}\nb: &b {k: 2, l: 3}\nd: &d {<<: *b, m: 4}\n";
  const std::string mappings[] = {"{<<: *a, k: 5}",
                                  "{k: 5, <<: *a}",
                                  "{k: 5, k: 6, <<: *a, k: 7}",
                                  "{<<: [*a, *b]}",
                                  "{<<: [*b, *a], o: 8}",
                                  "{<<: *a, <<: *b}",
                                  "{<<: *d}",
                                  "{<<: [*a, *d], k: 9}",
                                  "{\"<<\": 1, k: 5}",
                                  "{<<: {k: 1, <<: *d}}",
                                  "{<<: {<<: [*d, *a]}}",
                                  "{k: 5, <<: {l: 1}}",
                                  "{<<: [{m: 1}, *d], l: 2}",
                                  "{<<: *b, '<<': {k: 1}}"};
  for (const std::string& mapping : mappings) {
    CAPTURE(mapping);
    std::vector<model::Warning> warnings;
    const std::string text = anchors + "c: " + mapping + "\n";
    const auto documents = decode::yaml_to_json(text, "x.yaml", warnings);
    REQUIRE(documents);
    const auto node = kube::first_yaml_document(text);
    REQUIRE(node);
    std::vector<std::string> problems;
    auto whole = kube::YamlFields(*node, "", problems);
    auto fields = whole.fields("c");
    REQUIRE(fields);
    for (const char* const key : {"k", "l", "m", "o"}) {
      const json value = documents->front()["c"].value(key, json());
      CHECK(fields->text(key) == (value.is_null() ? "" : value.dump()));
    }
    CHECK(problems.empty());
  }
}

TEST_CASE("kubeconfigs and files reject the same texts in the same line", "[kube][yaml]") {
  const std::pair<std::string, int> texts[] = {
      {"a:\n\tb: 1\n", 2}, {"a: [1, 2\nb: 3\n", 2}, {"a: {b: 1\n", 2},
      {"a: b: c\n", 1},    {"a: *x\n", 1},          {"a: 1\n b: 2\n", 2},
      {"a: @x\n", 1},      {"a: \"\\q\"\n", 1},     {std::string(2000, '['), 1},
  };
  for (const auto& [text, line] : texts) {
    CAPTURE(text);
    std::vector<model::Warning> warnings;
    const auto documents = decode::yaml_to_json(text, "x.yaml", warnings);
    const auto node = kube::first_yaml_document(text);
    REQUIRE_FALSE(documents);
    REQUIRE_FALSE(node);
    CHECK(documents.error().where.starts_with(fmt::format("x.yaml:{}:", line)));
    CHECK(node.error().what.starts_with(fmt::format("yaml: line {}: ", line)));
  }
}
