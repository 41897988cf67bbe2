// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/gates.h"

#include <catch2/catch.hpp>

#include "diagnosis/test_story.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using diagnosis::testing::test_now;
using diagnosis::testing::TestStory;
using dsdoctor::testing::at;
using render::text_of;

namespace {

/// Node "gold" has taint sla=950 and "plain" none; DaemonSet x/agent tolerates sla above 500 and
/// runs on both. The nodes are older than the DaemonSet.
class Story : public TestStory {
 public:
  Story() {
    nodes({"gold", "plain"});
    for (model::Node& node : cluster.nodes) node.meta.created = at(-100);
    node("gold").taints = {{"sla", "950", "NoSchedule"}};
    ds().meta.uid = "uid-1";
    ds().meta.created = at(0);
    ds().generation = 3;
    tolerates("Gt", "500");
    pod("gold");
    pod("plain");
    reports(2, 0);
  }

  void tolerates(std::string_view op, std::string_view value) {
    ds().pod_template.tolerations = {{"sla", op, value, "NoSchedule"}};
  }
  void reports(std::int64_t desired, std::int64_t misscheduled) {
    ds().observed_generation = ds().generation;
    ds().reported = {desired, desired, misscheduled, desired, desired, desired};
  }

  [[nodiscard]] std::optional<GateSetting> gate(std::optional<bool> given = {}) const {
    return comparison_gate(cluster, {{}, at(test_now), {}}, given);
  }
  /// "on counters: message", "none"
  [[nodiscard]] std::string setting(std::optional<bool> given = {}) const {
    const auto found = gate(given);
    return found ? (found->enabled ? "on: " : "off: ") + text_of(found->reason) : "none";
  }
};

const std::string stored =
    "on: assumed on because the API server accepted operator Gt in DaemonSet x/agent";

}  // namespace

TEST_CASE("counters that fit one setting prove it", "[gates]") {
  Story story;
  CHECK(story.setting() ==
        "on: on: no other setting fits the status of DaemonSet x/agent (2 desired, 0 "
        "misscheduled)");
  CHECK(story.gate()->source == GateSource::Counters);
  CHECK_FALSE(story.gate()->is_assumed());
  story.reports(1, 1);  // stored earlier, or the gate is on in the API server only
  CHECK(story.setting() ==
        "off: off: no other setting fits the status of DaemonSet x/agent (1 desired, 1 "
        "misscheduled)");
  story.tolerates("Lt", "1000");
  CHECK(story.gate()->enabled == false);
  story.reports(2, 0);
  CHECK(story.gate()->enabled == true);
  CHECK(story.gate()->source == GateSource::Counters);
}

TEST_CASE("counters that fit no setting or both prove nothing", "[gates]") {
  Story story;
  SECTION("no setting") { story.reports(7, 0); }
  SECTION("both") { story.node("gold").taints[0].value = "100"; }
  SECTION("not an integer on the node") { story.node("gold").taints[0].value = "0950"; }
  SECTION("an older generation") { story.ds().observed_generation = 2; }
  SECTION("never observed") { story.ds().observed_generation = 0; }
  SECTION("not all nodes were read") { story.cluster.all_nodes_known = false; }
  SECTION("the node joined after the last known count") {
    story.reports(1, 1);
    story.node("gold").meta.created = at(5000);
  }
  CHECK(story.setting() == stored);
  CHECK(story.gate()->source == GateSource::StoredObject);
  CHECK(story.gate()->is_assumed());
}

TEST_CASE("a controller that worked later has counted the node", "[gates]") {
  Story story;
  story.reports(1, 1);
  story.node("gold").meta.created = at(5000);
  model::Pod& other = story.pod("plain");
  other.meta.ns = "y";
  other.meta.created = at(6000);
  CHECK(story.gate()->source == GateSource::Counters);
  CHECK_FALSE(story.gate()->enabled);
}

TEST_CASE("only desiredNumberScheduled is compared if pods are not known", "[gates]") {
  Story story;
  story.cluster.pods.clear();
  CHECK(story.gate()->source == GateSource::StoredObject);
  story.cluster.pods_known = false;
  CHECK(story.gate()->source == GateSource::Counters);
}

TEST_CASE("counters that contradict each other prove nothing", "[gates]") {
  Story story;
  model::DaemonSet other = story.ds();
  other.meta.name = "other";
  other.meta.uid = "uid-2";
  other.reported = {1, 0, 0, 0, 0, 0};
  story.cluster.daemon_sets.push_back(other);
  CHECK(story.setting() == stored +
                               "; the counters of DaemonSets x/agent and x/other contradict each "
                               "other");
}

TEST_CASE("an API server without the gate rejects pods with Gt or Lt", "[gates]") {
  Story story;
  story.reports(9, 9);
  story.event("FailedCreate",
              "Error creating: Pod \"agent-x\" is invalid: spec.tolerations[0].operator: "
              "Unsupported value: \"Gt\": supported values: \"Equal\", \"Exists\"",
              9000);
  CHECK(story.setting() ==
        "off: assumed off because the API server rejects pods with such an operator");
  model::Pod& later = story.pod("plain");
  later.tolerations = story.ds().pod_template.tolerations;
  later.meta.created = at(9500);
  CHECK(story.setting() == stored);
  later.meta.created = at(8500);
  CHECK(story.gate()->source == GateSource::Rejection);
  story.cluster.events[0].message =
      "Error creating: Pod \"agent-x\" is invalid: spec.tolerations[0].operator: Unsupported "
      "value: \"gt\": supported values: \"Equal\", \"Exists\"";
  CHECK(story.setting() == stored);
}

TEST_CASE("the setting without evidence", "[gates]") {
  Story story;
  story.ds().meta.uid = "";
  story.ds().meta.created.reset();
  story.ds().observed_generation = 0;
  CHECK(story.setting() == "off: assumed off, the default up to Kubernetes 1.37");
  CHECK(story.setting(true) == "on: on by --feature-gates");
  CHECK(story.setting(false) == "off: off by --feature-gates");
  story.tolerates("Gt", "0500");
  CHECK(story.setting() == "none");
  story.tolerates("Exists", "");
  CHECK(story.setting() == "none");
  CHECK(story.setting(true) == "on: on by --feature-gates");
}

TEST_CASE("a release without the gate", "[gates]") {
  Story story;
  story.cluster.version = model::ServerVersion{1, 34, 2, "v1.34.2"};
  CHECK(story.setting() == "off: off, because Kubernetes 1.34 does not have it");
  CHECK(story.setting(true) == "off: off, because Kubernetes 1.34 does not have it");
  story.cluster.version = model::ServerVersion{1, 35, 0, "v1.35.0"};
  CHECK(story.gate()->enabled);
  CHECK(story.gate(true)->source == GateSource::Override);
  story.cluster.version.reset();  // a kubelet is only a lower bound
  story.node("gold").kubelet_version = "v1.34.2";
  CHECK(story.gate()->enabled);
}

TEST_CASE("the finding about the gate names both outcomes if the gate is not known", "[gates]") {
  Story story;
  const auto message = [&]() -> std::string {
    ReportOptions options{{}, at(test_now), {}};
    set_gates(story.cluster, std::nullopt, options);
    const DaemonSetReport report = Reporter(story.cluster, options).report(story.ds());
    for (const Finding& finding : report.findings) {
      if (finding.id == FindingId::TolerationComparisonGate) return text_of(finding.message);
    }
    return "none";
  };
  const std::string begin =
      "operator Gt of a toleration depends on feature gate TaintTolerationComparisonOperators, "
      "which "
      "is ";
  CHECK(message() == begin +
                         "on: no other setting fits the status of DaemonSet x/agent (2 desired, 0 "
                         "misscheduled)");
  story.ds().observed_generation = 0;
  CHECK(message() == begin +
                         "assumed on because the API server accepted operator Gt in DaemonSet "
                         "x/agent; if it is off in kube-controller-manager, 1 node is not "
                         "eligible: gold");
  story.ds().meta.uid = "";
  story.ds().meta.created.reset();
  CHECK(message() == begin +
                         "assumed off, the default up to Kubernetes 1.37; if it is on in "
                         "kube-controller-manager, 1 node is eligible: gold");
  story.node("gold").taints[0].value = "0950";  // the gate would not help
  CHECK(message() == "none");
}
