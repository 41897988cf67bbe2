// SPDX-License-Identifier: Apache-2.0

// Compares our counts with those that the DaemonSet controller wrote in recorded clusters.

#include <catch2/catch.hpp>

#include "diagnosis/reporter.h"
#include "testing/cluster_reader.h"

using namespace dsdoctor;

namespace {

diagnosis::ReportOptions options() {
  return {{}, model::Time(std::chrono::hours(24 * 365 * 60)), nullptr};  // after all recordings
}

diagnosis::DaemonSetReport report_of(const model::Cluster& cluster, std::string_view name) {
  for (const model::DaemonSet& ds : cluster.daemon_sets) {
    if (ds.meta.name == name) return diagnosis::Reporter(cluster, options()).report(ds);
  }
  FAIL("no DaemonSet " << name);
  return {};
}

std::size_t count(const diagnosis::DaemonSetReport& report, diagnosis::NodeVerdict verdict) {
  return report.nodes.count(verdict);
}

}  // namespace

TEST_CASE("counts agree with the controller's on recorded clusters", "[conformance]") {
  const std::string name =
      GENERATE("autoscaler-taint", "autoscaler-taint-patched", "mixed-40-nodes", "nfd-label-flip");
  const model::Cluster cluster = testing::recorded_cluster(name);
  const diagnosis::Reporter reporter(cluster, options());
  REQUIRE(!cluster.daemon_sets.empty());
  for (const model::DaemonSet& ds : cluster.daemon_sets) {
    CAPTURE(name, ds.meta.name.str());
    const auto report = reporter.report(ds);
    CHECK(report.evaluated.counts.desired_number_scheduled == ds.reported.desired_number_scheduled);
    CHECK(report.evaluated.counts == ds.reported);
    REQUIRE(report.differences.has_value());
    CHECK(report.differences->empty());
  }
}

TEST_CASE("the newest revision is that of the current template", "[conformance]") {
  const std::string name = GENERATE("autoscaler-taint", "autoscaler-taint-patched",
                                    "mixed-40-nodes", "nfd-label-flip", "status-lag");
  const model::Cluster cluster = testing::recorded_cluster(name);
  for (const model::DaemonSet& ds : cluster.daemon_sets) {
    CAPTURE(name, ds.meta.name.str());
    const model::ControllerRevision* newest = nullptr;
    for (const auto& revision : cluster.revisions) {
      if (revision.meta.controller->uid != ds.meta.uid) continue;
      if (newest == nullptr || revision.revision > newest->revision) newest = &revision;
    }
    REQUIRE(newest != nullptr);
    CHECK(newest->template_fingerprint == ds.template_fingerprint);
    CHECK(ds.template_fingerprint != 0);
  }
}

TEST_CASE("a stale status is reported as stale", "[conformance]") {
  const model::Cluster cluster = testing::recorded_cluster("status-lag");
  const auto falco = report_of(cluster, "falco");
  CHECK(falco.evaluated.counts.desired_number_scheduled == 33);
  CHECK(falco.evaluated.counts.number_misscheduled == 1);
  REQUIRE(falco.differences.has_value());
  CHECK(!falco.differences->empty());
  CHECK(std::ranges::count(falco.findings, "daemonset-status-inconsistent",
                           &diagnosis::Finding::name) == 1);
  for (const model::DaemonSet& ds : cluster.daemon_sets) {
    if (ds.meta.name == "falco") continue;
    CAPTURE(ds.meta.name.str());
    CHECK(report_of(cluster, ds.meta.name).differences->empty());
  }
}

TEST_CASE("a controller without RBAC permissions is reported", "[conformance]") {
  const model::Cluster cluster = testing::recorded_cluster("controller-forbidden");
  const auto kube_proxy = report_of(cluster, "kube-proxy");
  CHECK(kube_proxy.evaluated.counts.desired_number_scheduled == 27);
  CHECK(std::ranges::count(kube_proxy.findings, "controller-not-observing",
                           &diagnosis::Finding::name) == 1);
  CHECK(report_of(cluster, "datadog-agent").evaluated.counts.desired_number_scheduled == 0);
}

TEST_CASE("recorded clusters have the expected verdicts", "[conformance]") {
  using diagnosis::NodeVerdict;
  const model::Cluster autoscaler = testing::recorded_cluster("autoscaler-taint");
  const auto agent = report_of(autoscaler, "datadog-agent");
  CHECK(count(agent, NodeVerdict::Misscheduled) == 1);
  CHECK(count(agent, NodeVerdict::Running) == 26);

  const model::Cluster patched = testing::recorded_cluster("autoscaler-taint-patched");
  const auto rolled = report_of(patched, "datadog-agent");
  CHECK(count(rolled, NodeVerdict::Running) == 26);
  CHECK(count(rolled, NodeVerdict::Terminating) == 1);  // the rollout replaces that pod
  CHECK(std::ranges::none_of(rolled.nodes,
                             [](const auto& node) { return diagnosis::is_wrong(node.verdict()); }));
  CHECK(rolled.evaluated.counts.updated_number_scheduled == 7);

  const model::Cluster flipped = testing::recorded_cluster("nfd-label-flip");
  const auto avx = report_of(flipped, "avx-agent");
  CHECK(count(avx, NodeVerdict::Removing) == 1);
  CHECK(count(avx, NodeVerdict::Running) == 4);
}
