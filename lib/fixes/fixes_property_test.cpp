// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "diagnosis/report/reach.h"
#include "fixes/fixes.h"
#include "fixes/test_fixes.h"
#include "fixes/what_if.h"
#include "render/words/message_text.h"

using namespace dsdoctor;
using namespace dsdoctor::fixes;
using render::text_of;

namespace {

class RandomClusters {
 public:
  explicit RandomClusters(unsigned seed) : random_(seed) {}

  unsigned pick(unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(random_); }

  model::Cluster next() {
    model::Cluster cluster;
    for (unsigned i = 0; i < 8; ++i) {
      model::Node node;
      node.meta.name = "n" + std::to_string(i);
      node.meta.labels = {{"zone", pick(2) == 0 ? "a" : "b"}, {"pool", pick(2) == 0 ? "x" : "y"}};
      for (unsigned t = pick(4); t > 0; --t) node.taints.push_back(taint());
      cluster.nodes.push_back(std::move(node));
    }
    model::DaemonSet& ds = cluster.daemon_sets.emplace_back();
    ds.meta.ns = "x";
    ds.meta.name = "agent";
    ds.selector = model::LabelSelector{{{"app", "agent"}}, {}};
    if (pick(3) == 0) ds.pod_template.node_selector = {{"zone", "a"}};
    for (unsigned t = pick(3); t > 0; --t) {
      ds.pod_template.tolerations.push_back(narrowest(taint(), "n0"));
    }
    for (const model::Node& node : cluster.nodes) {
      if (pick(2) == 0) add_pod(cluster, node.meta.name);
    }
    return cluster;
  }

 private:
  model::Taint taint() {
    const char* effects[] = {"NoSchedule", "NoExecute", "PreferNoSchedule"};
    const char* keys[] = {"amd.com/gpu", "cloud.google.com/compute-class", "unknown"};
    const char* key = keys[pick(3)];
    return {key, pick(2) == 0 ? "" : "v", effects[pick(3)]};
  }
  static void add_pod(model::Cluster& cluster, const model::Text& node) {
    model::Pod& pod = cluster.pods.emplace_back();
    pod.meta.ns = "x";
    pod.meta.name = "agent-" + node.str();
    pod.meta.labels = {{"app", "agent"}};
    pod.meta.controller = model::ControllerRef{"DaemonSet", "agent", ""};
    pod.node_name = node;
    pod.phase = "Running";
  }

  std::mt19937 random_;
};

std::set<std::string> wanted(const model::Cluster& cluster,
                             const std::vector<model::Toleration>& added) {
  model::Cluster changed = cluster;
  tolerate(changed.daemon_sets.front(), added);
  std::set<std::string> result;
  for (const auto& node : report_of(changed).nodes) {
    if (placement::should_run(node.decision())) result.insert(node.name.str());
  }
  return result;
}

/// Nodes that have a pod which is not evicted, and that are not eligible after the change.
std::set<std::string> unwanted_pods(const diagnosis::DaemonSetReport& report,
                                    const std::set<std::string>& wanted_then) {
  std::set<std::string> result;
  for (const auto& node : report.nodes) {
    const bool keeps = !node.pods().empty() && placement::should_continue(node.decision());
    if (keeps && !wanted_then.contains(node.name.str())) result.insert(node.name.str());
  }
  return result;
}

const FixTarget all_targets[] = {{FixTarget::Kind::Misscheduled, {}, {}},
                                 {FixTarget::Kind::Missing, {}, {}},
                                 {FixTarget::Kind::Node, "n3", {}},
                                 {FixTarget::Kind::Pool, "x", {}},
                                 {FixTarget::Kind::All, {}, {}}};

}  // namespace

TEST_CASE("the fix for a target is minimal and has only the predicted effect",
          "[fixes][property]") {
  RandomClusters clusters(5);
  std::size_t fixed = 0;
  for (int round = 0; round < 400; ++round) {
    const model::Cluster cluster = clusters.next();
    const auto report = report_of(cluster);
    for (const FixTarget& target : all_targets) {
      const FixAnswer answer = fix(cluster, target);
      std::set<std::string> curable;
      for (const auto& node : report.nodes) {
        const model::Node& object = *model::find_node(cluster, node.name);
        if (is_target(target, node, object) && is_curable(node)) curable.insert(node.name.str());
      }
      CAPTURE(round, to_string(target));
      REQUIRE(answer.suggestions.size() == (curable.empty() ? 0U : 1U));
      if (curable.empty()) continue;
      ++fixed;
      const Suggestion& one = answer.suggestions.front();
      auto list = one.change.added;
      const auto before = wanted(cluster, {});
      const auto after = wanted(cluster, list);
      CHECK(std::ranges::includes(after, curable));
      // The nodes that become eligible are exactly the predicted ones.
      std::set<std::string> gained;
      std::ranges::set_difference(after, before, std::inserter(gained, gained.end()));
      std::set<std::string> foretold;
      for (const auto& name : one.effect.gained) foretold.insert(name.str());
      CHECK(gained == foretold);
      CHECK(one.effect.lost.empty());
      CHECK(names_of(one.effect.deletes) == unwanted_pods(report, after));
      CHECK(std::ssize(after) == one.effect.after.desired_number_scheduled);
      std::ranges::reverse(list);
      CHECK(wanted(cluster, list) == after);
      for (std::size_t i = 0; i < list.size(); ++i) {
        auto part = list;
        part.erase(part.begin() + static_cast<std::ptrdiff_t>(i));
        CHECK_FALSE(std::ranges::includes(wanted(cluster, part), curable));
      }
    }
  }
  CHECK(fixed > 500);
}

TEST_CASE("a suggestion is advised exactly if it is recommended", "[fixes][property]") {
  RandomClusters clusters(7);
  std::size_t recommended = 0;
  for (int round = 0; round < 200; ++round) {
    model::Cluster cluster = clusters.next();
    // Half of the rolling updates do not wait for nodes without a ready pod.
    if (round % 2 == 0) {
      cluster.daemon_sets[0].max_unavailable = model::IntOrPercent{100, true};
      for (model::Pod& pod : cluster.pods) pod.conditions = {{"Ready", "True", "", "", {}}};
    }
    const FixAnswer answer = fix(cluster, {});
    for (const Suggestion& each : answer.suggestions) {
      const auto is_unknown = [](const model::Toleration& of) { return of.key == "unknown"; };
      const bool overrides_unknown = std::ranges::any_of(each.change.added, is_unknown);
      CHECK_FALSE((each.recommended && overrides_unknown));
      CHECK(each.recommended == (each.advised == model::Advised::Yes));
      CHECK_FALSE((each.recommended && each.wait));
      recommended += each.recommended ? 1 : 0;
    }
    // The commands of a script run one after the other.
    CHECK(std::ranges::count_if(answer.suggestions, &Suggestion::recommended) <= 1);
    if (!needs_nothing(answer)) continue;
    for (const auto& node : answer.report.nodes) {
      using diagnosis::NodeVerdict;
      CHECK((node.verdict() == NodeVerdict::Running || node.verdict() == NodeVerdict::Excluded ||
             node.verdict() == NodeVerdict::Removing));
    }
  }
  CHECK(recommended > 10);
}

TEST_CASE("every requested node has a fix or is healthy or is reported as having no fix",
          "[fixes][property]") {
  RandomClusters clusters(6);
  for (int round = 0; round < 200; ++round) {
    const model::Cluster cluster = clusters.next();
    const FixAnswer answer = fix(cluster, {FixTarget::Kind::All, {}, {}});
    std::set<std::string> told;
    for (const Incurable& each : answer.incurable) {
      CHECK_FALSE(text_of(each.why).empty());
      for (const auto& name : each.nodes) told.insert(name.str());
    }
    for (const auto& node : answer.report.nodes) {
      using diagnosis::NodeVerdict;
      const bool well =
          node.verdict() == NodeVerdict::Running || node.verdict() == NodeVerdict::Terminating;
      CHECK(told.contains(node.name.str()) == (!well && !is_curable(node)));
    }
  }
}
