#include "base/edit_distance.h"

#include <catch2/catch.hpp>

using namespace dsdoctor::base;

TEST_CASE("edit distance counts single steps", "[base]") {
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

TEST_CASE("near words come nearest first and are few", "[base]") {
  const std::vector<std::string> names = {"datadog-agent", "datadog-agents", "node-exporter",
                                          "kube-proxy", "datadog"};
  CHECK(near_words("datadog-agnet", names) ==
        std::vector<std::string>{"datadog-agent", "datadog-agents"});
  CHECK(near_words("exporter", names) == std::vector<std::string>{"node-exporter"});
  CHECK(near_words("zzz", names).empty());
  CHECK(near_words("datadog", names, 1) == std::vector<std::string>{"datadog"});
}
