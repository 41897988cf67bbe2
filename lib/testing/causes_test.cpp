// SPDX-License-Identifier: Apache-2.0

// Checks the whole diagnosis of recorded clusters: the one primary cause of each node, and no
// finding in a healthy cluster.

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "diagnosis/reporter.h"
#include "render/words/message_text.h"
#include "testing/cluster_reader.h"

using namespace dsdoctor;
using diagnosis::NodeVerdict;
using render::text_of;

namespace {

constexpr std::int64_t recorded_at = 1'795'228'800;  // 2026-11-21 02:40 UTC, after all recordings

model::Time at(std::int64_t seconds) { return model::Time(std::chrono::seconds(seconds)); }

std::vector<diagnosis::DaemonSetReport> reports_of(const model::Cluster& cluster) {
  diagnosis::ReportOptions options;
  options.now = at(recorded_at);
  const diagnosis::Reporter reporter(cluster, options);
  std::vector<diagnosis::DaemonSetReport> result;
  for (const model::DaemonSet& ds : cluster.daemon_sets) result.push_back(reporter.report(ds));
  return result;
}

std::string primary_of(const diagnosis::NodeReport& node) {
  if (node.findings().empty()) return "";
  const diagnosis::Finding& first = node.findings().front();
  return first.standing == diagnosis::Standing::Primary ? std::string(first.name()) : "";
}

bool has(const diagnosis::NodeReport& node, std::string_view prefix) {
  return std::ranges::any_of(
      node.findings(), [&](const auto& finding) { return finding.name().starts_with(prefix); });
}

/// Number of nodes with that verdict by primary cause.
std::map<std::string, int> primaries(const std::vector<diagnosis::DaemonSetReport>& reports,
                                     NodeVerdict verdict) {
  std::map<std::string, int> result;
  for (const auto& report : reports) {
    for (const auto& node : report.nodes) {
      if (node.verdict() == verdict) ++result[primary_of(node)];
    }
  }
  return result;
}

const diagnosis::DaemonSetReport& report_named(
    const std::vector<diagnosis::DaemonSetReport>& reports, std::string_view name) {
  const auto at = std::ranges::find_if(reports, [&](const auto& r) { return r.name == name; });
  REQUIRE(at != reports.end());
  return *at;
}

diagnosis::NodeReport node_named(const diagnosis::DaemonSetReport& report, std::string_view name) {
  const auto at = report.nodes.find(name);
  REQUIRE(at);
  return *at;
}

bool says(const diagnosis::DaemonSetReport& report, std::string_view id) {
  return std::ranges::count(report.findings, id, &diagnosis::Finding::name) > 0;
}

}  // namespace

TEST_CASE("every pending or failing pod has its cause on its own node", "[causes][conformance]") {
  const auto reports = reports_of(testing::recorded_cluster("mixed-40-nodes"));
  using Counts = std::map<std::string, int>;
  // By the scheduler's messages 35 pods miss a host port, 33 cpu or memory, and 9 hit the maximum
  // of pods; the 78th pod is on a node that is no longer eligible.
  CHECK(primaries(reports, NodeVerdict::Pending) == Counts{{"sched-host-port", 35},
                                                           {"sched-insufficient-cpu", 32},
                                                           {"sched-never-fits", 1},
                                                           {"sched-too-many-pods", 9}});
  // All crashing containers ended with OOMKilled.
  CHECK(primaries(reports, NodeVerdict::NotReady) ==
        Counts{{"container-oom", 29}, {"image-pull", 2}});
  CHECK(primaries(reports, NodeVerdict::Misscheduled) ==
        Counts{{"node-not-ready", 2}, {"node-removed-by-cluster-autoscaler", 5}});
  for (const auto& report : reports) {
    for (const auto& node : report.nodes) {
      if (node.verdict() == NodeVerdict::NotReady && has(node, "container-oom")) {
        CHECK(has(node, "container-crash"));
      }
      for (const auto& finding : node.findings()) {
        CAPTURE(finding.name());
        CHECK_FALSE(text_of(finding.message).empty());
        CHECK_FALSE(finding.evidence.empty());
      }
    }
  }
  CHECK(says(report_named(reports, "nowhere"), "daemonset-no-eligible-node"));
}

TEST_CASE("a controller without an RBAC permission is the cause everywhere",
          "[causes][conformance]") {
  model::Cluster cluster = testing::recorded_cluster("controller-forbidden");
  cluster.pods_known = true;  // there are no pods, according to every status
  cluster.known.revisions = cluster.known.events = true;  // there are none of these either
  const auto reports = reports_of(cluster);
  for (const auto& report : reports) {
    CAPTURE(report.name.view());
    CHECK(says(report, "controller-rbac-forbidden"));
  }
  const auto& proxy = report_named(reports, "kube-proxy");
  CHECK(std::ranges::all_of(proxy.nodes, [](const auto& node) {
    return primary_of(node) == "controller-rbac-forbidden";
  }));
}

TEST_CASE("a flipped label is reported with its writer", "[causes][conformance]") {
  const auto reports = reports_of(testing::recorded_cluster("nfd-label-flip"));
  const auto& node =
      node_named(report_named(reports, "avx-agent"), "ip-10-0-1-5.eu-west-1.compute.internal");
  REQUIRE(primary_of(node) == "node-label-changed");
  CHECK_THAT(text_of(node.findings().front().message), Catch::Matchers::Contains("nfd-master"));
}

TEST_CASE("a node that is being removed is the cause for its pod", "[causes][conformance]") {
  const auto reports = reports_of(testing::recorded_cluster("autoscaler-taint"));
  for (const char* name : {"datadog-agent", "node-exporter"}) {
    const auto& report = report_named(reports, name);
    const auto at =
        std::ranges::find(report.nodes, NodeVerdict::Misscheduled, &diagnosis::NodeReport::verdict);
    REQUIRE(at != report.nodes.end());
    CHECK(primary_of(*at) == "node-removed-by-cluster-autoscaler");
    CHECK(at->findings().front().transient);
  }
}

namespace {

model::Node healthy_node(std::size_t index) {
  model::Node node;
  node.meta.name = "n" + std::to_string(1000 + index);
  node.meta.created = at(recorded_at - 86'400);
  node.meta.labels = {{"kubernetes.io/os", "linux"}, {"pool", index % 10 == 0 ? "gpu" : "main"}};
  if (index < 3) node.taints = {{"node-role.kubernetes.io/control-plane", "", "NoSchedule"}};
  if (index % 10 == 0) node.taints = {{"nvidia.com/gpu", "present", "NoSchedule"}};
  if (index == 7) node.unschedulable = true;  // cordoned, which daemon pods tolerate
  node.allocatable = {{"cpu", "8"}, {"memory", "32Gi"}, {"pods", "110"}};
  node.os = "linux";
  node.architecture = "amd64";
  model::Condition ready{"Ready", "True", "KubeletReady", "", at(recorded_at - 80'000)};
  ready.last_heartbeat = at(recorded_at - 20);
  node.conditions = {ready};
  return node;
}

model::DaemonSet healthy_daemon_set(std::size_t index) {
  model::DaemonSet ds;
  ds.meta.ns = "ns" + std::to_string(index % 5);
  ds.meta.name = "agent-" + std::to_string(100 + index);
  ds.meta.uid = "uid-" + std::to_string(index);
  ds.meta.created = at(recorded_at - 50'000);
  ds.generation = 3;
  ds.observed_generation = 3;
  ds.selector = model::LabelSelector{{{"app", ds.meta.name}}, {}};
  ds.pod_template.labels = {{"app", ds.meta.name}};
  if (index % 3 == 0) ds.pod_template.tolerations = {{"", "Exists", "", "", {}}};
  if (index % 7 == 1) ds.pod_template.node_selector = {{"pool", "gpu"}};
  if (index % 7 == 1) ds.pod_template.tolerations = {{"nvidia.com/gpu", "Exists", "", "", {}}};
  model::Container container;
  container.name = "main";
  container.requests = {{"cpu", "10m"}, {"memory", "16Mi"}};
  ds.pod_template.spec.containers = {container};
  ds.template_fingerprint = index + 1;
  return ds;
}

/// A pod that has been Ready for half a day, of the current revision.
model::Pod healthy_pod(const model::DaemonSet& ds, const model::Node& node) {
  model::Pod pod;
  pod.meta.ns = ds.meta.ns;
  pod.meta.name = ds.meta.name.str() + "-" + node.meta.name.str();
  pod.meta.uid = "pod-" + pod.meta.name.str();
  pod.meta.created = at(recorded_at - 45'000);
  pod.meta.labels = {{"app", ds.meta.name}, {"controller-revision-hash", "h"}};
  pod.meta.controller = model::ControllerRef{"DaemonSet", ds.meta.name, ds.meta.uid.str()};
  pod.node_name = node.meta.name;
  pod.phase = "Running";
  pod.start_time = pod.meta.created;
  pod.conditions = {{"PodScheduled", "True", "", "", pod.meta.created},
                    {"Ready", "True", "", "", at(recorded_at - 44'000)}};
  pod.tolerations = placement::effective_tolerations(ds.pod_template.tolerations, false);
  pod.node_selector = ds.pod_template.node_selector;
  pod.spec = ds.pod_template.spec;
  model::ContainerStatus status;
  status.name = "main";
  status.ready = true;
  status.running = true;
  status.running_since = at(recorded_at - 44'500);
  pod.statuses = {status};
  return pod;
}

model::Cluster healthy_cluster(std::size_t daemon_sets, std::size_t nodes) {
  model::Cluster cluster;
  cluster.all_pods_known = true;
  for (std::size_t i = 0; i < nodes; ++i) cluster.nodes.push_back(healthy_node(i));
  for (std::size_t i = 0; i < daemon_sets; ++i) {
    model::DaemonSet& ds = cluster.daemon_sets.emplace_back(healthy_daemon_set(i));
    const placement::Evaluator evaluator(ds.pod_template, {});
    std::int64_t wanted = 0;
    for (const model::Node& node : cluster.nodes) {
      if (!placement::should_run(evaluator.decide(node))) continue;
      ++wanted;
      cluster.pods.push_back(healthy_pod(ds, node));
    }
    ds.reported = {wanted, wanted, 0, wanted, wanted, wanted};
    model::ControllerRevision& revision = cluster.revisions.emplace_back();
    revision.meta.ns = ds.meta.ns;
    revision.meta.name = ds.meta.name.str() + "-h";
    revision.meta.labels = {{"controller-revision-hash", "h"}};
    revision.meta.controller = model::ControllerRef{"DaemonSet", ds.meta.name, ds.meta.uid.str()};
    revision.revision = 1;
    revision.template_fingerprint = ds.template_fingerprint;
  }
  return cluster;
}

}  // namespace

TEST_CASE("a healthy cluster of 50 DaemonSets on 200 nodes has no finding", "[causes]") {
  const model::Cluster cluster = healthy_cluster(50, 200);
  std::size_t running = 0;
  for (const auto& report : reports_of(cluster)) {
    for (const auto& finding : report.findings) {
      FAIL_CHECK(report.name.view() << ": " << finding.name() << ": " << text_of(finding.message));
    }
    for (const auto& node : report.nodes) {
      running += node.verdict() == NodeVerdict::Running ? 1 : 0;
      for (const auto& finding : node.findings()) {
        FAIL_CHECK(node.name.view() << ": " << finding.name() << ": " << text_of(finding.message));
      }
    }
  }
  CHECK(running > 5000);
}
