// SPDX-License-Identifier: Apache-2.0
#include "fixes/shared_fixes.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "fixes/test_fixes.h"

using namespace dsdoctor;
using namespace dsdoctor::fixes;

namespace {

/// A cluster with a tainted node and DaemonSets, each with a pod on both nodes.
model::Cluster cluster_with(const std::vector<std::string>& daemon_sets) {
  model::Cluster cluster;
  add_node(cluster, "n1", {{"homelab", "arm", "NoSchedule"}}, {});
  add_node(cluster, "n2", {}, {});
  for (const std::string& name : daemon_sets) {
    model::DaemonSet& ds = add_agent(cluster);
    ds.meta.name = name;
    ds.selector = model::LabelSelector{{{"app", name}}, {}};
    for (const char* node : {"n1", "n2"}) {
      model::Pod& pod = add_agent_pod(cluster, (name + "-" + node).c_str(), node);
      pod.meta.labels = {{"app", name}};
      pod.meta.controller = model::ControllerRef{"DaemonSet", name, ""};
    }
  }
  return cluster;
}

std::vector<FixAnswer> answers_for(const model::Cluster& cluster) {
  std::vector<const model::DaemonSet*> all;
  for (const model::DaemonSet& ds : cluster.daemon_sets) all.push_back(&ds);
  const diagnosis::Reporter reporter(cluster, verdicts_only());
  return fixes_for(reporter, all, {});
}

}  // namespace

TEST_CASE("DaemonSets that lack the same toleration share one fix", "[fixes]") {
  model::Cluster cluster = cluster_with({"a", "b", "c"});
  cluster.daemon_sets[2].pod_template.tolerations = {{"homelab", "Exists", "", "", {}}};
  const std::vector<FixAnswer> answers = answers_for(cluster);
  const SharedFixes shared = shared_fixes(answers);
  REQUIRE(shared.fixes.size() == 2);  // the toleration, and the removal of the taint
  for (const SharedFix& each : shared.fixes) {
    CHECK(each.answers == std::vector<std::size_t>{0, 1});
    CHECK(each.effect.before == PlacementCounts{2, 2});
    CHECK(each.effect.after == PlacementCounts{4, 0});
    CHECK(each.effect.gained == std::vector<model::Text>{"n1"});
  }
  REQUIRE(shared.fixes[0].suggestion != nullptr);
  CHECK(shared.fixes[0].suggestion->id == "tolerate-homelab-arm-NoSchedule");
  CHECK(shared.fixes[0].restarted_pods == 4);
  CHECK(shared.fixes[1].alternative != nullptr);
  CHECK(shared.contains(answers[1].suggestions[0]));
  CHECK(shared.contains(answers[0].alternatives[0]));
}

TEST_CASE("fixes that differ, or of one DaemonSet, are not shared", "[fixes]") {
  CHECK(shared_fixes(answers_for(cluster_with({"a"}))).fixes.empty());
  model::Cluster cluster = cluster_with({"a", "b"});
  SECTION("the pods of one are replaced by hand") {
    cluster.daemon_sets[1].update_strategy = "OnDelete";
    const SharedFixes shared = shared_fixes(answers_for(cluster));
    REQUIRE(shared.fixes.size() == 1);  // the removal of the taint replaces no pods
    CHECK(shared.fixes[0].alternative != nullptr);
  }
  SECTION("one rolling update waits") {
    for (model::Pod& pod : cluster.pods) {
      if (pod.meta.name == "b-n2") pod.conditions = {{"Ready", "False", "", "", model::Time()}};
    }
    for (const SharedFix& each : shared_fixes(answers_for(cluster)).fixes) {
      CHECK(each.suggestion == nullptr);
    }
  }
}
