// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/views/node_history.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "diagnosis/diagnose.h"
#include "testing/cluster_reader.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;

namespace {

NodeHistory history(const model::Cluster& then, const model::Cluster& now,
                    const std::function<bool(const model::Node&)>& selects = {}) {
  const Reporter before(then, {});
  const Reporter after(now, {});
  const auto side = [](const Reporter& reporter) {
    HistorySide result{reporter, {}};
    for (const auto& ds : reporter.cluster().daemon_sets) result.daemon_sets.push_back(&ds);
    return result;
  };
  return node_history(side(before), side(after), selects);
}

/// A line for each flip: "shop/agent n1 running -> misscheduled +1 -0".
std::string flips(const NodeHistory& history) {
  std::string result;
  for (const VerdictFlip& flip : history.flips) {
    result += fmt::format("{}/{} {} {} -> {} +{} -{}{}\n", flip.ns.view(), flip.name.view(),
                          flip.node.view(), to_string(flip.before), to_string(flip.after),
                          flip.come.size(), flip.gone.size(), flip.node_changed ? "" : " ds");
  }
  return result;
}

/// Nodes a to d, and a DaemonSet with a pod on each of them.
model::Cluster small() {
  model::Cluster cluster;
  model::DaemonSet& ds = cluster.daemon_sets.emplace_back();
  ds.meta.ns = "shop";
  ds.meta.name = "agent";
  ds.meta.uid = "u";
  ds.selector = model::LabelSelector{{{"app", "agent"}}, {}};
  ds.pod_template.labels = {{"app", "agent"}};
  for (const char* name : {"a", "b", "c", "d"}) {
    model::Node& node = cluster.nodes.emplace_back();
    node.meta.name = name;
    node.meta.labels = {{"pool", "x"}};
    model::Pod& pod = cluster.pods.emplace_back();
    pod.meta.ns = "shop";
    pod.meta.name = fmt::format("agent-{}", name);
    pod.meta.labels = {{"app", "agent"}};
    pod.meta.controller = model::ControllerRef{"DaemonSet", "agent", "u"};
    pod.node_name = name;
    pod.phase = "Running";
    pod.conditions = {{"Ready", "True", "", "", model::Time()}};
  }
  return cluster;
}

}  // namespace

TEST_CASE("a cluster has no changes compared with itself", "[history]") {
  const model::Cluster cluster = dsdoctor::testing::recorded_cluster("mixed-40-nodes");
  const NodeHistory same = history(cluster, cluster);
  CHECK(same.empty());
  CHECK(same.pod_flips.empty());
  CHECK(same.compared_nodes == cluster.nodes.size());
}

TEST_CASE("changes of taints and labels and templates flip verdicts", "[history]") {
  const model::Cluster then = small();
  model::Cluster now = small();
  now.nodes[0].taints = {{"x", "y", "NoSchedule"}};
  CHECK(flips(history(then, now)) == "shop/agent a running -> misscheduled +1 -0\n");
  CHECK(flips(history(now, then)) == "shop/agent a misscheduled -> running +0 -1\n");

  now = small();
  now.daemon_sets[0].pod_template.node_selector = {{"pool", "y"}};
  now.nodes[1].meta.labels = {{"pool", "y"}};
  CHECK(flips(history(then, now)) ==
        "shop/agent a running -> removing +1 -0 ds\n"
        "shop/agent c running -> removing +1 -0 ds\n"
        "shop/agent d running -> removing +1 -0 ds\n");
}

TEST_CASE("added and removed and changed nodes are reported", "[history]") {
  model::Cluster then = small();
  model::Cluster now = small();
  then.nodes.erase(then.nodes.begin());
  now.nodes.pop_back();
  now.nodes[1].meta.labels = {{"pool", "z"}, {"new", ""}};
  now.nodes[2].taints = {{"x", "", "PreferNoSchedule"}};
  const NodeHistory found = history(then, now);
  REQUIRE(found.nodes.size() == 4);
  CHECK(found.compared_nodes == 2);
  CHECK(found.nodes[0].kind == NodeChangeKind::Added);
  CHECK(found.nodes[0].labels.only_second.size() == 1);
  CHECK(found.nodes[1].kind == NodeChangeKind::Changed);
  CHECK(found.nodes[1].labels.changed.size() == 1);
  CHECK(found.nodes[1].labels.only_second.size() == 1);
  CHECK(found.nodes[2].taints_only_second.size() == 1);
  CHECK(found.nodes[3].kind == NodeChangeKind::Removed);
  CHECK(found.flips.empty());

  const auto only_b = [](const model::Node& node) { return node.meta.name == "b"; };
  CHECK(history(then, now, only_b).nodes.size() == 1);
}

TEST_CASE("a verdict that changes only by pods is not a flip of the node", "[history]") {
  const model::Cluster then = small();
  model::Cluster now = small();
  now.pods.pop_back();
  const NodeHistory found = history(then, now);
  CHECK(found.empty());
  REQUIRE(found.pod_flips.size() == 1);
  CHECK(found.pod_flips[0].node == "d");
  CHECK(found.pod_flips[0].before == NodeVerdict::Running);
  CHECK(found.pod_flips[0].after == NodeVerdict::Missing);
}

TEST_CASE("data that was not read does not count as changed", "[history]") {
  const model::Cluster then = small();
  model::Cluster now = small();
  now.pods.clear();
  now.pods_known = false;
  CHECK(history(then, now).pod_flips.empty());
  CHECK(history(now, then).pod_flips.empty());
}

TEST_CASE("a flip is caused by the DaemonSet if its old template decides as before", "[history]") {
  const model::Cluster then = small();
  model::Cluster now = small();
  now.nodes.front().meta.labels.set("patched", "yes");
  now.daemon_sets.front().pod_template.node_selector = {{"pool", "y"}};
  const NodeHistory found = history(then, now);
  REQUIRE(found.flips.size() == 4);
  CHECK_FALSE(found.flips[0].node_changed);  // the node got an unrelated label
  now.nodes.front().meta.labels.set("pool", "y");
  now.nodes[1].taints = {{"gpu", "", "NoSchedule"}};
  const NodeHistory both = history(then, now);
  REQUIRE(both.flips.size() == 3);
  CHECK(both.flips[0].node == "b");
  CHECK(both.flips[0].node_changed);
  CHECK_FALSE(both.flips[1].node_changed);
}

TEST_CASE("neither the order of taints nor an unrelated taint is the cause of a flip",
          "[history]") {
  model::Cluster then = small();
  then.nodes[0].taints = {{"a", "", "NoSchedule"}, {"b", "", "NoSchedule"}};
  model::Cluster now = small();
  now.nodes[0].taints = {{"b", "", "NoSchedule"}, {"c", "", "NoSchedule"}, {"a", "", "NoSchedule"}};
  now.daemon_sets.front().pod_template.tolerations = {{"", "Exists", "", "", {}}};
  const NodeHistory found = history(then, now);
  REQUIRE(found.flips.size() == 1);
  CHECK_FALSE(found.flips[0].node_changed);
}

TEST_CASE("a DaemonSet that only one side has is not compared", "[history]") {
  const model::Cluster then = small();
  model::Cluster now = small();
  now.daemon_sets.front().meta.name = "other";
  const NodeHistory found = history(then, now);
  CHECK(found.only_then == std::vector<NodeHistory::Name>{{"shop", "agent"}});
  CHECK(found.only_now == std::vector<NodeHistory::Name>{{"shop", "other"}});
}

TEST_CASE("without nodes nothing is compared", "[history]") {
  const model::Cluster then = small();
  model::Cluster now = small();
  now.nodes_known = false;
  CHECK_FALSE(history(then, now).comparable);
}

TEST_CASE("a node that was deleted and added again is a changed node", "[history]") {
  model::Cluster then = small();
  model::Cluster now = small();
  then.nodes[1].meta.uid = "first";
  CHECK(history(then, now).empty());  // without a UID the change is not visible
  now.nodes[1].meta.uid = "first";
  CHECK(history(then, now).empty());
  now.nodes[1].meta.uid = "second";
  const NodeHistory found = history(then, now);
  REQUIRE(found.nodes.size() == 1);
  CHECK(found.nodes[0].name == "b");
  CHECK(found.nodes[0].recreated);
  CHECK(found.nodes[0].kind == NodeChangeKind::Changed);
}

TEST_CASE("a node that an incomplete list lacks is neither added nor removed", "[history]") {
  const model::Time noon = std::chrono::sys_days{std::chrono::year{2026} / 11 / 20};
  model::Cluster some = small();
  some.nodes.pop_back();
  some.all_nodes_known = false;
  const model::Cluster all = small();
  const NodeHistory later = history(some, all);
  CHECK(later.nodes.empty());
  CHECK(later.nodes_only_now == std::vector<model::Text>{"d"});
  const NodeHistory earlier = history(all, some);
  CHECK(earlier.nodes.empty());
  CHECK(earlier.nodes_only_then == std::vector<model::Text>{"d"});

  model::Cluster grown = small();
  grown.nodes.back().meta.created = noon + std::chrono::hours{1};
  ReportOptions at_noon;
  at_noon.now = noon;
  const Reporter before(some, at_noon);
  const Reporter after(grown, {});
  const NodeHistory found = node_history({before, {}}, {after, {}});
  REQUIRE(found.nodes.size() == 1);  // created after the earlier state
  CHECK(found.nodes[0].kind == NodeChangeKind::Added);
}

TEST_CASE("verdicts are not compared with an input without pods", "[history]") {
  const model::Cluster all = small();
  model::Cluster none = small();
  none.pods.clear();
  const NodeHistory found = history(none, all);
  CHECK_FALSE(found.verdicts_comparable);
  CHECK(found.kinds_only_now == std::vector<std::string_view>{"Pod"});
  CHECK(found.pod_flips.empty());
  CHECK(history(all, none).pod_flips.empty());

  none.known.pod_group_members = true;  // an empty list of pods
  CHECK(history(none, all).verdicts_comparable);
  CHECK(history(none, all).pod_flips.size() == 4);
}

TEST_CASE("a cluster of which only the needed objects were read lacks no kinds", "[history]") {
  model::Cluster files = small();
  files.events.emplace_back().meta.name = "e";
  const model::Cluster live = small();
  const Reporter before(files, {});
  const Reporter after(live, {});
  CHECK(node_history({before, {}}, {after, {}}).kinds_only_then ==
        std::vector<std::string_view>{"Event"});
  CHECK(node_history({before, {}}, {after, {}, false}).kinds_only_then.empty());
}
