// SPDX-License-Identifier: Apache-2.0
#include "fixes/effects/toleration_effects.h"

#include <catch2/catch.hpp>
#include <random>

#include "fixes/test_fixes.h"
#include "fixes/toleration_patch.h"

using namespace dsdoctor;
using namespace dsdoctor::fixes;

namespace {

/// Clusters of one DaemonSet whose nodes have taints of many keys and values, and pods in any
/// state.
class TaintedFleets {
 public:
  explicit TaintedFleets(unsigned seed) : random_(seed) {}

  unsigned pick(unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(random_); }
  bool chance(unsigned one_in) { return pick(one_in) == 0; }

  model::Cluster next() {
    model::Cluster cluster;
    model::DaemonSet& ds = add_agent(cluster);
    ds.update_strategy = chance(4) ? "OnDelete" : "RollingUpdate";
    if (chance(2)) ds.max_unavailable = amount();
    if (chance(3)) ds.max_surge = amount();
    if (chance(4)) ds.pod_template.node_selector = {{"zone", "a"}};
    if (chance(3)) ds.pod_template.tolerations.push_back(narrowest(taint(), "n0"));
    for (unsigned i = 0; i < 8; ++i) {
      const std::string name = "n" + std::to_string(i);
      std::vector<model::Taint> taints;
      for (unsigned t = pick(4); t > 0; --t) taints.push_back(taint());
      add_node(cluster, name.c_str(), std::move(taints), {{"zone", chance(3) ? "b" : "a"}});
      if (chance(4)) {
        cluster.nodes.back().conditions = {{"Ready", "Unknown", "", "", model::Time()}};
      }
      for (unsigned p = pick(3); p > 0; --p) {
        add_pod(cluster, name + "-" + std::to_string(p), name);
      }
    }
    return cluster;
  }

  model::Toleration toleration() {
    model::Toleration result = narrowest(taint(), "n0");
    if (chance(8)) result = {"", "Exists", "", chance(2) ? "" : "NoExecute", std::nullopt};
    if (chance(8)) result.effect = "";
    if (chance(8) && result.op == "Equal") result.op = "";
    if (chance(8) && result.effect == "NoExecute") result.toleration_seconds = 60;
    return result;
  }

 private:
  model::IntOrPercent amount() {
    return chance(2) ? model::IntOrPercent{pick(3), false}
                     : model::IntOrPercent{10 * pick(6), true};
  }
  model::Taint taint() {
    const char* effects[] = {"NoSchedule", "NoExecute", "PreferNoSchedule"};
    return {std::string(1, static_cast<char>('a' + pick(4))),
            chance(3) ? "" : std::to_string(pick(3)), effects[pick(3)]};
  }
  void add_pod(model::Cluster& cluster, const std::string& name, const std::string& node) {
    model::Pod& pod = add_agent_pod(cluster, name.c_str(), node.c_str());
    if (chance(4)) pod.conditions.front().status = "False";
    if (chance(6)) pod.phase = "Failed";
    if (chance(6)) pod.meta.deleted = model::Time();
    if (chance(2)) pod.tolerations = std::vector<model::Toleration>{toleration()};
  }

  std::mt19937 random_;
};

}  // namespace

TEST_CASE("tolerations are predicted as by evaluating every node", "[fixes][property]") {
  TaintedFleets fleets(11);
  std::size_t gained = 0;
  std::size_t misscheduled = 0;
  std::size_t paused = 0;
  for (int round = 0; round < 3000; ++round) {
    const model::Cluster cluster = fleets.next();
    const diagnosis::Reporter reporter(cluster, verdicts_only());
    const model::DaemonSet& ds = cluster.daemon_sets.front();
    const auto report = reporter.report(ds);
    const TolerationEffects effects(reporter, ds, report);
    for (int i = 0; i < 4; ++i) {
      TemplateChange change;
      for (unsigned n = fleets.pick(3); n > 0; --n) change.added.push_back(fleets.toleration());
      const Effect of_all = effect_of(reporter, ds, change, report);
      CAPTURE(round, i);
      REQUIRE(effects.of(change) == of_all);
      gained += of_all.gained.size();
      misscheduled += of_all.after.number_misscheduled > 0 ? 1U : 0U;
      paused += of_all.waits_for.empty() ? 0U : 1U;
    }
  }
  CHECK(gained > 3000);
  CHECK(misscheduled > 300);
  CHECK(paused > 300);
}
