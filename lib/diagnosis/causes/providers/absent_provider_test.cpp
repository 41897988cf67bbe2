// SPDX-License-Identifier: Apache-2.0

// Pods that wait for what DaemonSet x/agent provides. The scenarios in testdata/scenarios/providers
// show the answers.

#include "diagnosis/causes/providers/absent_provider.h"

#include <catch2/catch.hpp>
#include <string>

#include "diagnosis/test_story.h"

namespace dsdoctor::diagnosis::testing {
namespace {

constexpr const char* no_driver =
    "kubernetes.io/csi: attacher.MountDevice failed to create newCsiDriverClient: driver name "
    "blob.example.com not found in the list of registered CSI drivers";

/// The driver x/agent is kept off n2 and n3, where pods of a StatefulSet wait for it.
class Waits : public TestStory {
 public:
  Waits() {
    nodes({"n1", "n2", "n3"});
    cluster.all_pods_known = true;
    ds().pod_template.spec.containers.emplace_back().plugin_drivers = {"blob.example.com"};
    for (const char* name : {"n2", "n3"}) {
      model::Taint taint;
      taint.key = "reserved";
      taint.effect = "NoSchedule";
      node(name).taints = {taint};
    }
    pod("n1");
  }

  /// Adds a pod of a StatefulSet that is not started because of `message`.
  model::Pod& waiting(const char* name, const char* on, const char* message) {
    model::Pod& result = add_pod(name, on);
    result.meta.controller = model::ControllerRef{"StatefulSet", "db", "sts", "apps/v1"};
    result.meta.labels = {};
    result.phase = "Pending";
    result.start_time = at(test_now - 600);
    add_event("Pod", name, "FailedMount", message, at(test_now - 60));
    return result;
  }

  [[nodiscard]] std::vector<Finding> findings() const {
    const DaemonSetReport report = Reporter(cluster, {{}, at(test_now), {}}).report(ds_());
    std::vector<Finding> result;
    for (const Finding& finding : report.findings) {
      if (finding.id == FindingId::ProviderAbsent) result.push_back(finding);
    }
    return result;
  }

 private:
  [[nodiscard]] const model::DaemonSet& ds_() const { return cluster.daemon_sets.front(); }
};

}  // namespace

TEST_CASE("pods of any owner that wait for the DaemonSet are a problem of it", "[providers]") {
  Waits story;
  CHECK(story.findings().empty());
  story.waiting("db-0", "n2", no_driver);
  REQUIRE(story.findings().size() == 1);
  CHECK(text_of(story.findings()[0].message) ==
        "FailedMount: driver blob.example.com is not registered on n2, needed by pod x/db-0: "
        "DaemonSet x/agent is not eligible there: taint reserved:NoSchedule");
  story.waiting("db-1", "n3", no_driver);
  REQUIRE(story.findings().size() == 1);
  const Finding finding = story.findings()[0];
  CHECK(text_of(finding.message) ==
        "FailedMount: driver blob.example.com is not registered on n2, n3, needed by 2 pods: "
        "DaemonSet x/agent is not eligible there: taint reserved:NoSchedule");
  CHECK(finding.nodes == std::vector<std::string>{"n2", "n3"});
  CHECK(finding.severity == Severity::Error);
  REQUIRE(finding.fix.size() == 1);
  CHECK(to_string(*finding.fix[0].command) ==
        "kubectl dsdoctor suggest agent --namespace x --for node/n2");
}

TEST_CASE("each obstacle of the DaemonSet has its own finding", "[providers]") {
  Waits story;
  story.waiting("db-0", "n2", no_driver);
  story.waiting("db-1", "n3", no_driver);
  story.node("n3").taints[0].key = "other";
  CHECK(story.findings().size() == 2);
}

TEST_CASE("pods that do not wait for the DaemonSet do not count", "[providers]") {
  Waits story;
  model::Pod& pod = story.waiting("db-0", "n2", no_driver);
  REQUIRE(story.findings().size() == 1);
  SECTION("its node may have just started") { pod.start_time = at(test_now - 20); }
  SECTION("it is being deleted") { pod.meta.deleted = at(test_now); }
  SECTION("it has started since") {
    story.add_event("Pod", "db-0", "Pulled", "", at(test_now - 10));
  }
  SECTION("it runs") {
    pod.phase = "Running";
    pod.statuses = {};
  }
  SECTION("the driver is ready on its node") { story.pod("n2"); }
  SECTION("it needs another driver") {
    story.cluster.events[0].message =
        "driver name other.example.com not found in the list of registered CSI drivers";
  }
  SECTION("the DaemonSet is not a driver") {
    story.ds().pod_template.spec.containers[0].plugin_drivers.clear();
  }
  CHECK(story.findings().empty());
}

}  // namespace dsdoctor::diagnosis::testing
