// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/report/node_pool.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>

namespace dsdoctor::diagnosis {

TEST_CASE("equal values of a label have equal numbers", "[pool]") {
  model::Cluster cluster;
  constexpr std::array<const char*, 5> pools_of_nodes = {"a", "b", "", "a", nullptr};
  for (const char* pool : pools_of_nodes) {
    model::Node& node = cluster.nodes.emplace_back();
    if (pool != nullptr) node.meta.labels = {{"pool", pool}, {"kubernetes.io/os", "linux"}};
  }
  const TellingLabels labels(cluster);
  const auto column_of = [&](std::string_view key) {
    const auto at = std::ranges::find(telling_labels(), key);
    return labels.column(static_cast<std::size_t>(at - telling_labels().begin()));
  };
  const TellingLabels::Column pools = column_of("pool");
  REQUIRE(pools.size() == 5);
  CHECK(pools[0] == pools[3]);
  CHECK(pools[0] != pools[1]);
  CHECK(pools[2] != TellingLabels::none);  // an empty value is a value
  CHECK(pools[4] == TellingLabels::none);
  const TellingLabels::Column systems = column_of("kubernetes.io/os");
  CHECK(std::ranges::count(systems, systems[0]) == 4);
}

}  // namespace dsdoctor::diagnosis
