// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/diagnose.h"

#include <catch2/catch.hpp>

#include "diagnosis/catalogue/test_fix.h"
#include "diagnosis/causes/control/identity_findings.h"
#include "diagnosis/reporter.h"
#include "diagnosis/test_story.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using namespace dsdoctor::diagnosis::testing;

namespace {

DaemonSetReport report_of(const TestStory& story, bool named = false) {
  ReportOptions options;
  options.now = at(test_now);
  options.named = named;
  return Reporter(story.cluster, options).report(story.cluster.daemon_sets.front());
}

NodeReport node_of(const DaemonSetReport& report, std::string_view name) {
  const auto found = report.nodes.find(name);
  REQUIRE(found);
  return *found;
}

const Finding* find_finding(const std::vector<Finding>& findings, std::string_view id) {
  const auto found = std::ranges::find(findings, id, &Finding::name);
  return found == findings.end() ? nullptr : &*found;
}

model::Container requesting(model::Labels requests) {
  model::Container result;
  result.name = "main";
  result.requests = std::move(requests);
  return result;
}

}  // namespace

TEST_CASE("unbound pods of deleted nodes are reported as one finding", "[diagnose]") {
  TestStory story;
  story.nodes({"a"});
  story.pod("a");
  TestStory::unbind(story.pod(""), "gone-1", "");
  TestStory::unbind(story.pod(""), "gone-2", "");
  const DaemonSetReport report = report_of(story);
  const Finding* finding = find_finding(report.findings, "sched-target-gone");
  REQUIRE(finding != nullptr);
  CHECK(finding->severity == Severity::Error);
  CHECK(text_of(finding->message) ==
        "2 pods wait for a node that does not exist: p2 for gone-1, p3 for gone-2");
  SECTION("the finding is informational for new pods") {
    for (model::Pod& pod : story.cluster.pods) pod.meta.created = at(test_now - 10);
    const DaemonSetReport fresh = report_of(story);
    REQUIRE(find_finding(fresh.findings, "sched-target-gone") != nullptr);
    CHECK(find_finding(fresh.findings, "sched-target-gone")->severity == Severity::Info);
  }
  SECTION("the finding needs a list of nodes") {
    story.cluster.nodes_known = false;
    CHECK(find_finding(report_of(story).findings, "sched-target-gone") == nullptr);
  }
}

TEST_CASE("obstacles of the next pod are predicted for an unexplained missing pod", "[diagnose]") {
  TestStory story;
  story.nodes({"a"});
  story.node("a").allocatable = {{"cpu", "4"}, {"memory", "8Gi"}, {"pods", "31"}};
  story.cluster.all_pods_known = true;
  story.cluster.known.events = true;
  story.ds().pod_template.spec.containers = {requesting({{"cpu", "5"}})};
  const auto missing = report_of(story);
  const NodeReport node = node_of(missing, "a");
  CHECK(node.verdict() == NodeVerdict::Missing);
  REQUIRE(node.findings().size() >= 2);
  CHECK(node.findings()[0].id == FindingId::CreateSilent);
  CHECK(node.findings()[0].standing == Standing::Primary);
  const Finding* predicted = find_finding(node.findings(), "sched-never-fits");
  REQUIRE(predicted != nullptr);
  CHECK(predicted->basis == Basis::Predicted);
  CHECK(predicted->standing == Standing::Context);
  SECTION("nothing is predicted after a rejection") {
    story.event("FailedCreate", "Error creating: pods \"agent-\" is forbidden: exceeded quota: q",
                test_now - 60);
    const auto refused = report_of(story);
    CHECK(find_finding(node_of(refused, "a").findings(), "sched-never-fits") == nullptr);
  }
}

TEST_CASE("an unbound pod is diagnosed even if its node is not eligible", "[diagnose]") {
  TestStory story;
  story.nodes({"a"});
  story.node("a").allocatable = {{"cpu", "4"}, {"memory", "8Gi"}, {"pods", "31"}};
  story.node("a").taints = {{"hold", "", "NoSchedule"}};
  story.cluster.all_pods_known = true;
  model::Pod& pod = story.pod("");
  TestStory::unbind(pod, "a", "");
  pod.spec = model::PodSpec{};
  model::PodSpec spec;
  spec.containers = {requesting({{"cpu", "5"}})};
  pod.spec = spec;
  const auto report = report_of(story);
  const NodeReport node = node_of(report, "a");
  CHECK(node.verdict() == NodeVerdict::Misscheduled);
  REQUIRE_FALSE(node.findings().empty());
  CHECK(node.findings().front().id == FindingId::PodMisscheduled);
  const Finding* pending = find_finding(node.findings(), "sched-never-fits");
  REQUIRE(pending != nullptr);
  CHECK(pending->standing == Standing::Context);
}

TEST_CASE("a node whose clock is ahead is reported", "[diagnose]") {
  TestStory story;
  story.nodes({"a", "b"});
  story.node("b").conditions[0].last_heartbeat = at(test_now + 20);
  CHECK(find_finding(report_of(story, true).findings, "clock-skew") == nullptr);
  story.node("b").conditions[0].last_heartbeat = at(test_now + 90);
  const auto report = report_of(story, true);
  const Finding* finding = find_finding(report.findings, "clock-skew");
  REQUIRE(finding != nullptr);
  CHECK(finding->severity == Severity::Info);
  CHECK(
      text_of(finding->message).starts_with("clock skew: the clock of 1 node is ahead by up to "));
  CHECK(find_finding(report_of(story).findings, "clock-skew") == nullptr);  // not named
}

TEST_CASE("pods and templates of a deleted DaemonSet are found", "[diagnose]") {
  TestStory story;
  story.nodes({"a", "b"});
  CHECK(absence_findings(story.cluster, "x", "other").empty());
  CHECK(absence_findings(story.cluster, "y", "agent").empty());
  story.pod("a");
  story.pod("b");
  story.pod("b").phase = "Succeeded";
  const auto findings = absence_findings(story.cluster, "x", "agent");
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].id == FindingId::DaemonsetAbsent);
  CHECK(text_of(findings[0].message) ==
        "2 pods of it still exist, on 2 nodes: p1, p2; ControllerRevision agent-new in namespace x "
        "still has its template");
  CHECK(fix_of(findings[0])
            .starts_with("recover the template: kubectl get controllerrevision -n x agent-new"));
  CHECK(absence_findings(story.cluster, "", "agent") == findings);

  // kubectl delete --cascade=orphan removes the owner.
  for (model::Pod& pod : story.cluster.pods) {
    pod.meta.controller.reset();
    pod.meta.name = "agent-" + pod.meta.name.str() + "xyz";
    pod.meta.labels.set("controller-revision-hash", "new");
  }
  const auto orphans = absence_findings(story.cluster, "x", "agent");
  REQUIRE(orphans.size() == 1);
  CHECK(text_of(orphans[0].message).starts_with("2 pods of it still exist, on 2 nodes: "));
  story.cluster.revisions.clear();
  CHECK(absence_findings(story.cluster, "x", "agen").empty());
  for (model::Pod& pod : story.cluster.pods) pod.meta.labels = {{"app", "agent"}};
  CHECK(absence_findings(story.cluster, "x", "agent").empty());
}

TEST_CASE("the diagnosis uses taints that the user described", "[diagnose]") {
  TestStory story;
  story.nodes({"a"});
  story.node("a").taints = {{"example.com/leaving", "", "NoSchedule"}};
  story.pod("a");
  model::KnownTaint mine;
  mine.key = "example.com/leaving";
  mine.effects = {"NoSchedule"};
  mine.meaning = "The node goes away.";
  mine.lifecycle = model::TaintLifecycle::Leaving;
  const TaintCatalogue catalogue(std::vector<std::vector<model::KnownTaint>>{{mine}});
  ReportOptions options;
  options.now = at(test_now);
  CHECK_FALSE(report_of(story).nodes[0].findings()[0].transient);
  options.taints = &catalogue;
  const auto report = Reporter(story.cluster, options).report(story.ds());
  CHECK(report.nodes[0].findings()[0].id == FindingId::PodMisscheduled);
  CHECK(report.nodes[0].findings()[0].transient);
}
