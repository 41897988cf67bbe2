// SPDX-License-Identifier: Apache-2.0
#include "fixes/effects/settled.h"

#include <catch2/catch.hpp>

#include "diagnosis/reporter.h"
#include "fixes/effects/template_change.h"

using namespace dsdoctor;
using namespace dsdoctor::fixes;

namespace {

using Texts = std::vector<model::Text>;

/// A DaemonSet with a ready pod on each node.
struct Fleet {
  Fleet() {
    model::DaemonSet& ds = cluster.daemon_sets.emplace_back();
    ds.meta.ns = "x";
    ds.meta.name = "agent";
    ds.selector = model::LabelSelector{{{"app", "agent"}}, {}};
  }

  [[nodiscard]] model::DaemonSet& ds() { return cluster.daemon_sets.front(); }

  /// Adds a node with a pod. REQUIRES: nodes are added in the order of their names.
  model::Node& add_node(const char* name, std::vector<model::Taint> taints = {}) {
    model::Pod& pod = cluster.pods.emplace_back();
    pod.meta.ns = "x";
    pod.meta.name = std::string("agent-") + name;
    pod.meta.labels = {{"app", "agent"}};
    pod.meta.controller = model::ControllerRef{"DaemonSet", "agent", ""};
    pod.node_name = name;
    pod.phase = "Running";
    pod.conditions = {{"Ready", "True", "", "", model::Time()}};
    model::Node& node = cluster.nodes.emplace_back();
    node.meta.name = name;
    node.taints = std::move(taints);
    return node;
  }

  void make_unready(const char* node) {
    for (model::Pod& pod : cluster.pods) {
      if (pod.node_name == node) pod.conditions.front().status = "False";
    }
  }

  /// The effect by kind of node. Checks that an evaluation node by node has the same result.
  template <typename Change>
  [[nodiscard]] Effect effect(const Change& change) const {
    const Effect shared = effect(change, true);
    const Effect one_by_one = effect(change, false);
    CHECK(shared.after == one_by_one.after);
    CHECK(shared.gained == one_by_one.gained);
    CHECK(shared.lost == one_by_one.lost);
    CHECK(shared.deletes == one_by_one.deletes);
    return shared;
  }

  template <typename Change>
  [[nodiscard]] Effect effect(const Change& change, bool by_kind) const {
    diagnosis::ReportOptions options;
    options.diagnoses = false;
    options.by_kind = by_kind;
    const diagnosis::Reporter reporter(cluster, options);
    const model::DaemonSet& ds = cluster.daemon_sets.front();
    return effect_of(reporter, ds, change, reporter.report(ds));
  }

  /// The effect of a template change that does not change placement.
  [[nodiscard]] Effect of_annotation() const {
    TemplateChange change;
    change.annotations.set("a", "b");
    return effect(change);
  }

  /// The effect of a change without consequences.
  [[nodiscard]] Effect of_nothing() const {
    const std::vector<model::Node> changed;  // none
    return effect(changed);
  }

  model::Cluster cluster;
};

const model::Taint reserved{"reserved", "", "NoSchedule"};

void stop_kubelet(model::Node& node) {
  node.conditions = {{"Ready", "Unknown", "NodeStatusUnknown", "", model::Time()}};
}

}  // namespace

TEST_CASE("a rolling update leaves no misscheduled pod", "[fixes][settled]") {
  Fleet fleet;
  for (const char* name : {"a", "b", "c", "d"}) fleet.add_node(name, {reserved});
  fleet.add_node("e");
  const Effect effect = fleet.of_annotation();
  CHECK(effect.before == PlacementCounts{1, 4});
  CHECK(effect.after == PlacementCounts{1, 0});
  CHECK(effect.deletes == Texts{"a", "b", "c", "d"});
  CHECK(effect.replaced == 1);
  CHECK(fleet.of_nothing().after == PlacementCounts{1, 4});

  fleet.ds().update_strategy = "OnDelete";
  const Effect on_delete = fleet.of_annotation();
  CHECK(on_delete.after == PlacementCounts{1, 4});
  CHECK(on_delete.deletes.empty());
  CHECK(on_delete.replaced == 0);
}

TEST_CASE("a node without a kubelet uses up the budget even if it is not eligible",
          "[fixes][settled]") {
  Fleet fleet;
  stop_kubelet(fleet.add_node("a", {reserved}));
  fleet.add_node("b");
  CHECK(
      fleet.of_annotation().waits_for.empty());  // its pod counts as available until it is deleted
  fleet.make_unready("a");
  CHECK(fleet.of_annotation().waits_for == Texts{"a"});
  CHECK(fleet.of_annotation().budget == "maxUnavailable 1");
  SECTION("not with maxSurge") {
    fleet.ds().max_surge = model::IntOrPercent{1, false};
    CHECK(fleet.of_annotation().waits_for.empty());
  }
  SECTION("not if its deletion is confirmed") {
    fleet.cluster.nodes[0].conditions = {{"Ready", "True", "", "", model::Time()}};
    CHECK(fleet.of_annotation().waits_for.empty());
  }
}

TEST_CASE("pods that end without action do not count in the end", "[fixes][settled]") {
  Fleet fleet;
  fleet.add_node("a", {reserved});
  SECTION("a failed pod is deleted and not created again") {
    fleet.cluster.pods[0].phase = GENERATE("Failed", "Succeeded");
    CHECK(fleet.of_nothing().after == PlacementCounts{0, 0});
    CHECK(fleet.of_nothing().deletes.empty());
  }
  SECTION("a terminating pod ends") {
    fleet.cluster.pods[0].meta.deleted = model::Time();
    CHECK(fleet.of_nothing().after == PlacementCounts{0, 0});
    CHECK(fleet.of_nothing().deletes.empty());
  }
  SECTION("a pod that is not bound to the node stays") {
    fleet.cluster.pods[0].node_name = {};
    fleet.cluster.pods[0].node_affinity =
        model::NodeSelector{{{{}, {{"metadata.name", "In", {"a"}}}}}};
    CHECK(fleet.of_nothing().before == PlacementCounts{0, 1});
    CHECK(fleet.of_nothing().after == PlacementCounts{0, 1});
  }
}

TEST_CASE("pods are evicted by their own tolerations", "[fixes][settled]") {
  Fleet fleet;
  fleet.add_node("a", {reserved, {"work", "", "NoExecute"}});
  fleet.ds().pod_template.tolerations = {{"work", "Exists", "", "", 60}};
  auto& pod = fleet.cluster.pods[0];
  const auto left = [&](std::vector<model::Toleration> tolerations) {
    pod.tolerations = std::move(tolerations);
    return fleet.of_nothing().after.number_misscheduled;
  };
  CHECK(left({{"work", "Exists", "", "", 60}}) == 0);
  CHECK(left({}) == 0);
  CHECK(left({{"work", "Exists", "", "", {}}}) == 1);
  // The first matching toleration decides.
  CHECK(left({{"work", "Exists", "", "", {}}, {"work", "Exists", "", "", 60}}) == 1);
  CHECK(left({{"work", "Exists", "", "", 60}, {"work", "Exists", "", "", {}}}) == 0);
  CHECK(fleet.of_nothing().deletes == Texts{"a"});
}

TEST_CASE("a deletion that no kubelet confirms does not finish", "[fixes][settled]") {
  Fleet fleet;
  stop_kubelet(fleet.add_node("a", {reserved}));
  fleet.add_node("b");
  const Effect effect = fleet.of_annotation();
  CHECK(effect.after == PlacementCounts{1, 1});
  CHECK(effect.unconfirmed == Texts{"a"});
  CHECK(effect.deletes.empty());
  fleet.cluster.nodes[0].taints.push_back({"node.kubernetes.io/out-of-service", "", "NoExecute"});
  CHECK(fleet.of_annotation().after == PlacementCounts{1, 0});
  CHECK(fleet.of_annotation().unconfirmed.empty());
}

TEST_CASE("a rollout waits if its budget is used up", "[fixes][settled]") {
  Fleet fleet;
  for (const char* name : {"a", "b", "c"}) fleet.add_node(name);
  CHECK(fleet.of_annotation().waits_for.empty());
  fleet.make_unready("b");
  CHECK(fleet.of_annotation().waits_for == Texts{"b"});
  CHECK(fleet.of_annotation().budget == "maxUnavailable 1");
  fleet.ds().max_unavailable = model::IntOrPercent{50, true};  // of 3: 2
  CHECK(fleet.of_annotation().waits_for.empty());
  fleet.ds().max_unavailable = model::IntOrPercent{0, false};  // without maxSurge it counts as 1
  CHECK(fleet.of_annotation().budget == "maxUnavailable 1");
  fleet.ds().max_surge = model::IntOrPercent{1, false};
  CHECK(fleet.of_annotation().budget == "maxSurge 1");
  fleet.make_unready("a");
  fleet.make_unready("c");
  CHECK(fleet.of_annotation().waits_for.empty());  // no pod is left to wait
}

TEST_CASE("a node without a pod uses up the budget unless it is new or pods surge",
          "[fixes][settled]") {
  Fleet fleet;
  for (const char* name : {"a", "b", "c"}) fleet.add_node(name);
  fleet.cluster.pods.pop_back();
  CHECK(fleet.of_annotation().waits_for == Texts{"c"});
  fleet.ds().max_surge = model::IntOrPercent{1, false};
  CHECK(fleet.of_annotation().waits_for.empty());
  fleet.ds().max_surge.reset();
  fleet.cluster.nodes[2].taints = {reserved};
  TemplateChange change;
  change.added = {{"reserved", "Exists", "", "", {}}};
  const Effect effect = fleet.effect(change);
  CHECK(effect.gained == Texts{"c"});
  CHECK(effect.waits_for.empty());
}

TEST_CASE("a pod that is only in the report is not evicted", "[fixes][settled]") {
  Fleet fleet;
  fleet.add_node("a", {reserved, {"work", "", "NoExecute"}});
  fleet.ds().pod_template.tolerations = {{"work", "Exists", "", "", 60}};
  fleet.cluster.pods[0].tolerations = fleet.ds().pod_template.tolerations;
  diagnosis::ReportOptions options;
  options.diagnoses = false;
  const diagnosis::DaemonSetReport report =
      diagnosis::Reporter(fleet.cluster, options).report(fleet.ds());
  CHECK(fleet.of_nothing().after == PlacementCounts{0, 0});
  fleet.cluster.pods.clear();
  const diagnosis::Reporter without(fleet.cluster, options);
  const std::vector<model::Node> changed;  // none
  CHECK(effect_of(without, fleet.ds(), changed, report).after == PlacementCounts{0, 1});
}

TEST_CASE("without eligible nodes a percentage allows no deletion of available pods",
          "[fixes][settled]") {
  Fleet fleet;
  fleet.add_node("a", {reserved});
  fleet.add_node("b", {reserved});
  fleet.make_unready("b");
  fleet.ds().max_unavailable = model::IntOrPercent{10, true};
  CHECK(fleet.of_annotation().after == PlacementCounts{0, 1});
  CHECK(fleet.of_annotation().deletes == Texts{"b"});
  fleet.ds().max_unavailable = model::IntOrPercent{1, false};
  CHECK(fleet.of_annotation().after == PlacementCounts{0, 0});
}

TEST_CASE("a rollout that is paused replaces no available pod", "[fixes][settled]") {
  Fleet fleet;
  fleet.add_node("a", {reserved});
  fleet.add_node("b");
  fleet.add_node("c");
  const auto effect = [&] {
    diagnosis::ReportOptions options;
    options.diagnoses = false;
    const diagnosis::Reporter reporter(fleet.cluster, options);
    diagnosis::DaemonSetReport report = reporter.report(fleet.ds());
    for (std::size_t i = 0; i < report.nodes.size(); ++i) {
      report.nodes.change(i, [](auto& state) { state.pods[0].outdated = true; });
    }
    const std::vector<model::Node> changed;  // none
    return effect_of(reporter, fleet.ds(), changed, report);
  };
  CHECK(fleet.of_nothing().after == PlacementCounts{2, 1});  // no rollout
  CHECK(effect().after == PlacementCounts{2, 0});
  CHECK(effect().deletes == Texts{"a"});
  fleet.make_unready("b");
  CHECK(effect().waits_for == Texts{"b"});
  CHECK(effect().after == PlacementCounts{2, 1});
  CHECK(effect().deletes.empty());
  CHECK(effect().before != PlacementCounts{3, 1});
  CHECK(effect().before != PlacementCounts{2, 0});
  fleet.make_unready("a");  // an unavailable pod needs no budget
  CHECK(effect().after == PlacementCounts{2, 0});
}
