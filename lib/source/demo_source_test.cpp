// SPDX-License-Identifier: Apache-2.0
#include "source/demo_source.h"

#include <catch2/catch.hpp>
#include <map>
#include <set>

using namespace dsdoctor;

namespace {

model::Cluster demo() {
  source::DemoSource demo;
  auto snapshot = demo.load({});
  if (!snapshot) FAIL(base::to_string(snapshot.error()));
  CHECK(snapshot->info.kind == "demo");
  CHECK(snapshot->omissions.empty());
  CHECK(snapshot->warnings.empty());
  return snapshot->cluster;
}

/// Returns the nodes with a pod of that DaemonSet.
std::set<std::string> nodes_with(const model::Cluster& cluster, const model::DaemonSet& ds) {
  std::set<std::string> nodes;
  for (const model::Pod& pod : cluster.pods) {
    if (!pod.meta.controller || pod.meta.controller->uid != ds.meta.uid) continue;
    CHECK(pod.meta.controller->name == ds.meta.name);
    CHECK(pod.meta.ns == ds.meta.ns);
    CHECK(pod.meta.labels.find("controller-revision-hash") != nullptr);
    CHECK(pod.meta.labels.find("pod-template-generation") != nullptr);
    CHECK_FALSE(pod.node_name.empty());
    nodes.insert(pod.node_name.str());
  }
  return nodes;
}

}  // namespace

TEST_CASE("the demo shows its documented problems", "[source][demo]") {
  const model::Cluster cluster = demo();
  CHECK(cluster.nodes.size() == 12);
  REQUIRE(cluster.daemon_sets.size() == 4);
  std::map<std::string, const model::DaemonSet*> named;
  for (const auto& ds : cluster.daemon_sets)
    named[ds.meta.ns.str() + "/" + ds.meta.name.str()] = &ds;
  const auto& datadog = *named.at("datadog/datadog-agent");
  CHECK(datadog.reported.desired_number_scheduled == 11);
  CHECK(datadog.reported.current_number_scheduled == 11);
  CHECK(datadog.reported.number_misscheduled == 1);
  CHECK(nodes_with(cluster, datadog).contains("ip-10-0-1-7"));
  CHECK(nodes_with(cluster, datadog).size() == 12);
  const auto& fluent = *named.at("logging/fluent-bit");
  CHECK(fluent.reported.desired_number_scheduled == fluent.reported.current_number_scheduled + 1);
  CHECK(nodes_with(cluster, fluent).size() == 11);
  const auto& exporter = *named.at("monitoring/node-exporter");
  CHECK(exporter.reported.number_misscheduled == 0);
  const auto& proxy = *named.at("kube-system/kube-proxy");
  CHECK(proxy.reported.number_ready == 12);
  CHECK(nodes_with(cluster, proxy).size() == 12);
}

TEST_CASE("the demo's pods all belong to its DaemonSets and nodes", "[source][demo]") {
  const model::Cluster cluster = demo();
  std::size_t owned = 0;
  for (const auto& ds : cluster.daemon_sets) {
    for (const std::string& name : nodes_with(cluster, ds)) {
      CHECK(std::ranges::count(cluster.nodes, name,
                               [](const auto& node) { return node.meta.name.str(); }) == 1);
      ++owned;
    }
  }
  CHECK(owned + 1 == cluster.pods.size());  // plus one pod of a Deployment, which blocks a drain
}
