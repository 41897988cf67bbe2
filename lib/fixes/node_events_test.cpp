// SPDX-License-Identifier: Apache-2.0
#include "fixes/node_events.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <string>

#include "fixes/what_if.h"
#include "testing/cluster_story.h"

namespace dsdoctor::fixes {
namespace {

/// DaemonSet x/agent with pods on n1, where it is misscheduled, and on n2.
struct EventScene {
  dsdoctor::testing::ClusterStory story;

  EventScene() {
    story.add_node("n1").taints = {{"dedicated", "gpu", "NoSchedule"}};
    story.add_node("n2");
    story.add_pod("agent-1", "n1");
    story.add_pod("agent-2", "n2");
    story.cluster.all_pods_known = true;
    story.cluster.known.disruption_budgets = true;
  }
  [[nodiscard]] NodeEventForecast event(NodeEdit::Kind kind, const char* nodes) {
    std::ranges::sort(story.cluster.pods, {}, [](const model::Pod& pod) {
      return std::pair(pod.meta.ns.view(), pod.meta.name.view());
    });
    diagnosis::ReportOptions options;
    options.now = dsdoctor::testing::at(3600);
    const diagnosis::Reporter reporter(story.cluster, options);
    NodeEdit edit{kind, {nodes, nodes, {}}, {}, {}, {}};
    return forecast_event(reporter, edit, {&story.ds()});
  }
  [[nodiscard]] std::string end_of(NodeEdit::Kind kind, const char* node) {
    const NodeEventForecast found = event(kind, node);
    REQUIRE(found.pods.size() == 1);
    return std::string(to_string(found.pods.front().end));
  }
};

using Kind = NodeEdit::Kind;

}  // namespace

TEST_CASE("a misscheduled pod survives only what does not end it", "[fixes][events]") {
  EventScene scene;
  CHECK(scene.end_of(Kind::Drain, "n1") == "stays");
  CHECK(scene.end_of(Kind::Reboot, "n1") == "gone-if-ended");
  CHECK(scene.event(Kind::Reboot, "n1").pods.front().reasons.size() == 1);
  CHECK(scene.end_of(Kind::Delete, "n1") == "gone");
  CHECK(scene.end_of(Kind::Reboot, "n2") == "again");
  scene.story.node("n2").taints = {{"x", "", "NoExecute"}};
  CHECK(scene.end_of(Kind::Reboot, "n2") == "gone");
}

TEST_CASE("kubectl drain treats daemon pods by their kind and their phase", "[fixes][events]") {
  EventScene scene;
  scene.story.cluster.pods.back().phase = "Failed";
  CHECK(scene.end_of(Kind::Drain, "n2") == "evicted");
  CHECK(scene.end_of(Kind::Drain, "n1") == "stays");
  model::DaemonSet& ds = scene.story.ds();
  ds.other_kind = model::OtherKind{"apps.kruise.io/v1alpha1", "DaemonSet"};
  for (model::Pod& pod : scene.story.cluster.pods) {
    pod.meta.controller->api_version = ds.other_kind->api_version;
  }
  CHECK(scene.end_of(Kind::Drain, "n1") == "evicted");
}

TEST_CASE("a finalizer keeps a pod that ends", "[fixes][events]") {
  EventScene scene;
  for (model::Pod& pod : scene.story.cluster.pods) pod.meta.finalizers = {"example.com/wait"};
  CHECK(scene.end_of(Kind::Delete, "n1") == "stuck");
  CHECK(scene.event(Kind::Delete, "n1").pods.front().finalizer == "example.com/wait");
  CHECK(scene.end_of(Kind::Drain, "n1") == "stays");
}

TEST_CASE("a drain names what stops it, as far as all pods were read", "[fixes][events]") {
  EventScene scene;
  model::Pod& pod = scene.story.add_pod("by-hand", "n1");
  pod.meta.labels = {{"app", "web"}};
  pod.meta.controller.reset();
  model::PodDisruptionBudget budget;
  budget.meta.ns = "x";
  budget.meta.name = "web";
  budget.selector.emplace();
  budget.selector->match_labels = {{"app", "web"}};
  scene.story.cluster.disruption_budgets.push_back(budget);
  const NodeEventForecast all = scene.event(Kind::Drain, "n*");
  CHECK(all.nodes.size() == 2);
  CHECK(all.others_known);
  CHECK(all.evicted == 1);
  REQUIRE(all.unmanaged.size() == 1);
  CHECK(all.unmanaged.front().pod == "by-hand");
  REQUIRE(all.budgets.size() == 1);
  CHECK(all.budgets.front().budget == "web");
  CHECK(scene.event(Kind::Drain, "n2").evicted == 0);
  scene.story.cluster.all_pods_known = false;
  CHECK_FALSE(scene.event(Kind::Drain, "n1").others_known);
  scene.story.cluster.crowded_nodes = {"n1"};
  CHECK(scene.event(Kind::Drain, "n1").others_known);
  CHECK_FALSE(scene.event(Kind::Drain, "n*").others_known);
}

TEST_CASE("a deleted node takes its pods along", "[fixes][events]") {
  EventScene scene;
  WhatIf what_if;
  what_if.edits = {{Kind::Delete, {"n1", "n1", {}}, {}, {}, {}}};
  const auto after = with_changes(scene.story.cluster, what_if);
  REQUIRE(after);
  REQUIRE(after->nodes.size() == 1);
  CHECK(after->nodes.front().meta.name == "n2");
  REQUIRE(after->pods.size() == 1);
  CHECK(after->pods.front().meta.name == "agent-2");
}

TEST_CASE("the pace of a rollout is that of pods that have not restarted", "[fixes][events]") {
  EventScene scene;
  scene.story.ds().max_unavailable = model::IntOrPercent{1, false};
  const auto pace = [&] {
    diagnosis::ReportOptions options;
    options.now = dsdoctor::testing::at(3600);
    const diagnosis::Reporter reporter(scene.story.cluster, options);
    return pace_of(reporter, scene.story.ds());
  };
  for (model::Pod& pod : scene.story.cluster.pods) {
    pod.meta.created = dsdoctor::testing::at(-14);
  }
  REQUIRE(pace().until_ready);
  CHECK(pace().until_ready->count() == 14);
  CHECK(pace().pods == 2);
  CHECK(pace().rounds == 2);
  CHECK(pace().grace.count() == 30);
  scene.story.ds().update_strategy = "OnDelete";
  CHECK(pace().rounds == 0);
}

}  // namespace dsdoctor::fixes
