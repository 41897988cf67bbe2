// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/views/daemon_set_comparison.h"

#include <catch2/catch.hpp>

using namespace dsdoctor;

TEST_CASE("two DaemonSets differ on nodes that are eligible for only one of them", "[diagnosis]") {
  model::Cluster cluster;
  const auto node = [&](const char* name, const char* pool, std::vector<model::Taint> taints) {
    model::Node& added = cluster.nodes.emplace_back();
    added.meta.name = name;
    added.meta.labels = {{"pool", pool}};
    added.taints = std::move(taints);
  };
  node("a", "x", {});
  node("b", "y", {});
  node("c", "x", {{"k", "", "NoSchedule"}});
  node("d", "y", {{"k", "", "NoSchedule"}});
  model::DaemonSet first;
  first.meta.ns = "n";
  first.meta.name = "tolerant";
  first.pod_template.tolerations = {{"k", "Exists", "", "", {}}};
  model::DaemonSet second;
  second.meta.ns = "n";
  second.meta.name = "choosy";
  second.pod_template.node_selector = {{"pool", "x"}};
  cluster.daemon_sets = {second, first};
  const auto result = diagnosis::compare_daemon_sets(
      diagnosis::Reporter(cluster, {}), cluster.daemon_sets[1], cluster.daemon_sets[0]);
  CHECK(result.first.second == "tolerant");
  REQUIRE(result.nodes.size() == 3);
  CHECK(result.nodes[0].first.name == "b");
  CHECK(result.nodes[0].second.reasons().size() == 1);
  CHECK(result.nodes[2].second.reasons().size() == 2);
  CHECK(result.both == 1);
  CHECK(result.neither == 0);
}
