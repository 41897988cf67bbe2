// SPDX-License-Identifier: Apache-2.0
#include "fixes/effects/template_change.h"

#include <catch2/catch.hpp>

#include "fixes/test_fixes.h"

using namespace dsdoctor;
using namespace dsdoctor::fixes;

TEST_CASE("an exclusion is added to every term that can match", "[fixes]") {
  model::PodTemplate before;
  TemplateChange change;
  change.requirements = {{"type", "NotIn", {"virtual-kubelet"}}};
  CHECK(changed(before, change).node_affinity->terms.size() == 1);
  before.node_affinity = model::NodeSelector{{{{{"zone", "In", {"a"}}}, {}}, {}}};
  const auto after = changed(before, change).node_affinity->terms;
  REQUIRE(after.size() == 2);
  CHECK(after[0].match_expressions.size() == 2);
  CHECK(after[1].match_expressions.empty());
  before.node_affinity = model::NodeSelector{{{{}, {{"metadata.name", "In", {"n1"}}}}}};
  CHECK(changed(before, change).node_affinity->terms[0].match_expressions == change.requirements);
}

TEST_CASE("a change reports whether it touches tolerations", "[fixes]") {
  TemplateChange change;
  change.requirements = {{"type", "NotIn", {"virtual-kubelet"}}};
  CHECK_FALSE(change.touches_tolerations());
  change.added = {{"gpu", "Exists", "", "", {}}};
  CHECK(change.touches_tolerations());
  change.added.clear();
  change.removed = 0;
  CHECK(change.touches_tolerations());
}

TEST_CASE("a node is visited if it is in both report and cluster", "[fixes]") {
  model::Cluster cluster;
  cluster.nodes_known = false;  // two were read, others are only known from pods
  add_node(cluster, "b", {}, {});
  add_node(cluster, "d", {}, {});
  add_agent(cluster);
  add_agent_pod(cluster, "agent-1", "a");
  add_agent_pod(cluster, "agent-2", "c");
  add_agent_pod(cluster, "agent-3", "d");
  add_agent_pod(cluster, "agent-4", "e");
  const auto visited = [&](const diagnosis::DaemonSetReport& report) {
    std::string names;
    for_each_node(report, cluster, [&](const auto& entry, const model::Node& node) {
      CHECK(entry.name == node.meta.name);
      names += entry.name.str();
    });
    return names;
  };
  const diagnosis::DaemonSetReport report = report_of(cluster);
  CHECK(report.nodes.size() == 5);
  CHECK(visited(report) == "bd");
  cluster.nodes_known = true;
  CHECK(visited(report_of(cluster)) == "bd");
}
