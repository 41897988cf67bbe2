// SPDX-License-Identifier: Apache-2.0

// Random clusters: a DaemonSet is not reported as healthy while a pod needs what it provides on a
// node that it excludes.

#include <catch2/catch.hpp>
#include <random>
#include <set>
#include <string>

#include "diagnosis/test_story.h"

namespace dsdoctor::diagnosis::testing {
namespace {

constexpr const char* driver_name = "blob.example.com";

/// A cluster of up to eight nodes, some tainted, with a driver's DaemonSet that tolerates some of
/// the taints and has a pod on every eligible node, and with pods of other owners.
class RandomCluster : public TestStory {
 public:
  explicit RandomCluster(std::uint32_t seed) : random_(seed) {
    cluster.all_pods_known = true;
    ds().pod_template.spec.containers.emplace_back().plugin_drivers = {driver_name};
    for (const char* key : {"team", "gpu"}) {
      if (one_in(2)) ds().pod_template.tolerations.push_back({key, "Exists", "", ""});
    }
    const std::size_t nodes = 2 + random_() % 7;
    for (std::size_t i = 0; i < nodes; ++i) add_random_node("n" + std::to_string(i));
  }

  /// The nodes on which a pod needs the driver and has no pod of the DaemonSet.
  [[nodiscard]] const std::set<std::string>& victims() const { return victims_; }

 private:
  bool one_in(std::uint32_t n) { return random_() % n == 0; }

  void add_random_node(const std::string& name) {
    model::Node& node = add_node(name);
    bool is_eligible = true;
    for (const char* key : {"team", "gpu"}) {
      if (!one_in(3)) continue;
      model::Taint& taint = node.taints.emplace_back();
      taint.key = key;
      taint.effect = "NoSchedule";
      const auto tolerates = [&](const model::Toleration& one) { return one.key == key; };
      is_eligible &= std::ranges::any_of(ds().pod_template.tolerations, tolerates);
    }
    if (is_eligible) pod(name.c_str());
    if (one_in(2)) return;
    if (add_other_pod(name) && !is_eligible) victims_.insert(name);
  }

  /// A pod that waits for the driver, has its volume, or does not need it. Returns whether it needs
  /// it.
  bool add_other_pod(const std::string& node) {
    model::Pod& pod = add_pod("web-" + node, node);
    pod.meta.controller = model::ControllerRef{"StatefulSet", "web", "sts", "apps/v1"};
    pod.meta.labels = {};
    pod.start_time = at(test_now - 600);
    const std::size_t kind = random_() % 3;
    if (kind == 0) {
      pod.phase = "Pending";
      add_event("Pod", pod.meta.name, "FailedMount",
                std::string("driver name ") + driver_name +
                    " not found in the list of registered CSI drivers",
                at(test_now - 60));
    } else if (kind == 1) {
      model::PodSpec spec;
      spec.volumes = {{"data", "csi", driver_name}};
      pod.spec = spec;
    }
    return kind != 2;
  }

  std::mt19937 random_;
  std::set<std::string> victims_;
};

}  // namespace

TEST_CASE("no DaemonSet is healthy while a pod needs it on a node that it excludes",
          "[providers]") {
  std::size_t with_victims = 0;
  for (std::uint32_t seed = 1; seed <= 500; ++seed) {
    CAPTURE(seed);
    const RandomCluster story(seed);
    const DaemonSetReport report =
        Reporter(story.cluster, {{}, at(test_now), {}}).report(story.cluster.daemon_sets.front());
    std::set<std::string> reported;
    for (const Finding& finding : report.findings) {
      if (finding.id != FindingId::ProviderAbsent) continue;
      CHECK(finding.severity <= Severity::Warning);
      for (const auto& node : finding.nodes) reported.insert(std::string(node));
    }
    CHECK(reported == story.victims());
    with_victims += story.victims().empty() ? 0 : 1;
  }
  CHECK(with_victims > 100);  // the clusters are not all trivial
}

}  // namespace dsdoctor::diagnosis::testing
