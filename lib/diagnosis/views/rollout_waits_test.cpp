// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/views/rollout_waits.h"

#include <catch2/catch.hpp>

#include "diagnosis/test_story.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using dsdoctor::diagnosis::testing::test_now;
using dsdoctor::diagnosis::testing::TestStory;
using dsdoctor::testing::at;

namespace {

/// "Pod/p1 on n1: it is not ready", a line for each.
std::string waits_of(const TestStory& story) {
  const DaemonSetReport report =
      Reporter(story.cluster, {{}, at(test_now), {}}).report(story.cluster.daemon_sets[0]);
  const auto waits = rollout_waits(report);
  if (!waits) return "not known";
  std::string result;
  for (const RolloutWait& wait : *waits) {
    result += wait.object.kind + "/" + wait.object.name + " on " + wait.node.str() + ": " +
              render::text_of(wait.why) + "\n";
  }
  return result;
}

}  // namespace

TEST_CASE("a rollout waits for each eligible node without an available current pod", "[rollout]") {
  TestStory story;
  story.nodes({"n1", "n2", "n3", "n4"});
  story.ds().generation = story.ds().observed_generation = 2;
  for (const char* node : {"n1", "n2", "n3", "n4"}) story.pod(node);
  CHECK(waits_of(story).empty());
  story.add_revision("old", 1, 6);
  story.cluster.pods[1].meta.labels.set("controller-revision-hash", "old");
  CHECK(waits_of(story) == "Pod/p2 on n2: its template is an older one\n");
  SECTION("a node without a pod") {
    story.cluster.pods.pop_back();
    CHECK(waits_of(story).find("Node/n4 on n4: ") != std::string::npos);
  }
  SECTION("a node that is not eligible does not count") {
    story.cluster.nodes[1].taints = {{"no", "", "NoSchedule"}};
    CHECK(waits_of(story).empty());
  }
  SECTION("the spec has not been observed") {
    story.ds().generation = 3;
    CHECK(waits_of(story).starts_with(
        "DaemonSet/agent on : the controller has not processed the spec yet\n"));
  }
  SECTION("not all nodes or pods were read") {
    SECTION("nodes") { story.cluster.all_nodes_known = false; }
    SECTION("pods") {
      story.cluster.pods_known = false;
      story.cluster.pods.clear();
    }
    CHECK(waits_of(story) == "not known");
  }
  SECTION("a DaemonSet that is being deleted has no rollout") {
    story.ds().meta.deleted = at(test_now - 5);
    CHECK(waits_of(story).empty());
  }
}
