// SPDX-License-Identifier: Apache-2.0
#include "base/edit_distance.h"

#include <catch2/catch.hpp>

using namespace dsdoctor::base;

TEST_CASE("edit distance counts single edits", "[base]") {
  const auto [a, b, distance] = GENERATE(table<std::string, std::string, std::size_t>({
      {"", "", 0},
      {"", "abc", 3},
      {"falco", "falco", 0},
      {"falco", "flaco", 1},
      {"falco", "falcon", 1},
      {"falco", "balco", 1},
      {"kitten", "sitting", 3},
      {"abc", "", 3},
  }));
  CAPTURE(a, b);
  CHECK(edit_distance(a, b) == distance);
  CHECK(edit_distance(b, a) == distance);
}

TEST_CASE("a text is within one edit if the distance is at most 1", "[base]") {
  std::vector<std::string> words = {""};
  for (std::size_t i = 0; i < words.size() && words[i].size() < 4; ++i) {
    for (const char letter : {'a', 'b', 'c'}) words.push_back(words[i] + letter);
  }
  std::size_t near = 0;
  std::size_t wrong = 0;
  for (const std::string& a : words) {
    for (const std::string& b : words) {
      const bool expected = edit_distance(a, b) <= 1;
      near += expected ? 1 : 0;
      wrong += is_within_one_edit(a, b) == expected ? 0 : 1;
    }
  }
  CHECK(near > words.size());
  CHECK(wrong == 0);
}

TEST_CASE("near words are sorted by distance and limited in number", "[base]") {
  const std::vector<std::string> names = {"datadog-agent", "datadog-agents", "node-exporter",
                                          "kube-proxy", "datadog"};
  CHECK(near_words("datadog-agnet", names) ==
        std::vector<std::string>{"datadog-agent", "datadog-agents"});
  CHECK(near_words("exporter", names) == std::vector<std::string>{"node-exporter"});
  CHECK(near_words("zzz", names).empty());
  CHECK(near_words("datadog", names, 1) == std::vector<std::string>{"datadog"});
}
