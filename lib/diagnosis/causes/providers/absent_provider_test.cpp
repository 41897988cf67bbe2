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

TEST_CASE("a volume of the driver shows the need without an event", "[providers]") {
  Waits story;
  model::Pod& pod = story.add_pod("db-0", "n2");
  pod.meta.controller = model::ControllerRef{"StatefulSet", "db", "sts", "apps/v1"};
  pod.meta.labels = {};
  pod.start_time = at(test_now - 600);
  model::PodSpec spec;
  spec.volumes = {{"data", "csi", "blob.example.com"}};
  SECTION("by its claim") {
    spec.volumes = {{"data", "persistentVolumeClaim", "data-0"}};
    model::PersistentVolumeClaim& claim = story.cluster.claims.emplace_back();
    claim.meta.ns = "x";
    claim.meta.name = "data-0";
    claim.volume_name = "pv-1";
    model::PersistentVolume& volume = story.cluster.volumes.emplace_back();
    volume.meta.name = "pv-1";
    volume.driver = "blob.example.com";
  }
  pod.spec = spec;
  REQUIRE(story.findings().size() == 1);
  const Finding finding = story.findings()[0];
  CHECK(finding.severity == Severity::Warning);
  CHECK(text_of(finding.message) ==
        "volumes of driver blob.example.com on n2, needed by pod x/db-0: DaemonSet x/agent is not "
        "eligible there: taint reserved:NoSchedule");
  CHECK(finding.evidence[0].path == "spec.volumes[0]");
  SECTION("it is an error for a pod that does not run") {
    story.cluster.pods.back().phase = "Pending";
    CHECK(story.findings()[0].severity == Severity::Error);
  }
  SECTION("nothing if the pod has ended, if the driver is another one, or if it is there") {
    SECTION("ended") { story.cluster.pods.back().phase = "Succeeded"; }
    SECTION("another driver") {
      story.ds().pod_template.spec.containers[0].plugin_drivers = {"other.example.com"};
    }
    SECTION("there") { story.pod("n2"); }
    SECTION("a virtual node, whose provider mounts volumes itself") {
      story.node("n2").meta.labels.set("type", "virtual-kubelet");
    }
    CHECK(story.findings().empty());
  }
}

TEST_CASE("a device that no node offers leads to its plugin", "[providers]") {
  Waits story;
  story.ds().pod_template.spec.containers[0].plugin_drivers.clear();
  story.ds().pod_template.spec.volumes = {
      {"plugins", "hostPath", "/var/lib/kubelet/device-plugins"}};
  story.node("n2").meta.labels.set("accelerator", "npu");
  model::Pod& pod = story.add_pod("job-0", "");
  pod.meta.controller = model::ControllerRef{"Job", "train", "job", "batch/v1"};
  pod.meta.labels = {};
  pod.meta.created = at(test_now - 600);
  pod.phase = "Pending";
  pod.node_selector = {{"accelerator", "npu"}};
  pod.tolerations = std::vector<model::Toleration>{{"reserved", "Exists", "", ""}};
  pod.conditions = {{"PodScheduled", "False", "Unschedulable",
                     "0/3 nodes are available: 1 Insufficient example.com/npu, 2 node(s) didn't "
                     "match Pod's node affinity/selector.",
                     at(test_now - 590)}};
  REQUIRE(story.findings().size() == 1);
  CHECK(
      text_of(story.findings()[0].message) ==
      "resource example.com/npu is not offered on n2, needed by pod x/job-0: DaemonSet x/agent is "
      "not eligible there: taint reserved:NoSchedule");
  CHECK(story.findings()[0].severity == Severity::Warning);
  CHECK(story.findings()[0].basis == Basis::Suspected);
  SECTION("not if the pod requires no label of such nodes: they may have no device") {
    SECTION("none") { story.cluster.pods.back().node_selector = {}; }
    SECTION("one of every node") {
      story.node("n2").meta.labels.set("kubernetes.io/os", "linux");
      story.cluster.pods.back().node_selector = {{"kubernetes.io/os", "linux"}};
    }
    CHECK(story.findings().empty());
  }
  SECTION("not if a label keeps the plugin off: it is for other nodes") {
    story.ds().pod_template.node_selector = {{"gpu", "true"}};
    CHECK(story.findings().empty());
  }
  SECTION("pods that lack nothing do not use up the number of pods that are compared") {
    for (int i = 0; i < 60; ++i) {
      model::Pod& other = story.add_pod("a-" + std::to_string(i), "");
      other.meta.controller.reset();
      other.node_selector = {{"accelerator", "npu"}};
      other.phase = "Pending";
    }
    std::ranges::rotate(story.cluster.pods, story.cluster.pods.end() - 60);
    CHECK(story.findings().size() == 1);
  }
  SECTION("not if the pod could not run on the node") {
    story.cluster.pods.back().tolerations = {};
    CHECK(story.findings().empty());
  }
  SECTION("not if the node offers it") {
    story.node("n2").allocatable.set("example.com/npu", "1");
    CHECK(story.findings().empty());
  }
  SECTION("not within the first minute") {
    story.cluster.pods.back().meta.created = at(test_now - 20);
    CHECK(story.findings().empty());
  }
}

}  // namespace dsdoctor::diagnosis::testing
