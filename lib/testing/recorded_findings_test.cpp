// SPDX-License-Identifier: Apache-2.0

// Checks the findings about pods in recorded clusters.

#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "diagnosis/causes/nodes/platform_findings.h"
#include "diagnosis/causes/pods/pod_findings.h"
#include "diagnosis/causes/pods/stray_findings.h"
#include "diagnosis/reporter.h"
#include "model/release.h"
#include "render/words/message_text.h"
#include "testing/cluster_reader.h"

using namespace dsdoctor;
using render::text_of;

namespace {

/// "falco container-oom ×30", a line for each DaemonSet and finding.
std::string found_in(const model::Cluster& cluster, model::Time now) {
  const diagnosis::Facts facts(cluster, now);
  const auto behaviour = diagnosis::behaviour_of(model::release_of(cluster).release);
  const diagnosis::PodIndex index(cluster, behaviour);
  const diagnosis::Reporter reporter(cluster, {{}, now, nullptr});
  std::map<std::string, int> counts;
  for (const model::DaemonSet& ds : cluster.daemon_sets) {
    const auto note = [&](const auto& findings) {
      for (const diagnosis::Finding& finding : findings) {
        CAPTURE(finding.name(), text_of(finding.message));
        CHECK_FALSE(finding.evidence.empty());
        ++counts[ds.meta.name.str() + " " + std::string(finding.name())];
      }
    };
    const auto claimed = index.claimed_by(ds);
    const diagnosis::TemplateRevision revision(ds, cluster);
    const auto report = reporter.report(ds);
    const std::vector<const model::Pod*> lost;
    const diagnosis::DaemonSetCase the_case{ds,   facts,    behaviour, claimed,
                                            lost, revision, report,    {}};
    note(diagnosis::stray_pod_findings(the_case));
    for (const auto& [node, finding] : diagnosis::architecture_findings(the_case)) {
      note(std::vector{finding});
    }
    for (const diagnosis::NodeReport& entry : report.nodes) {
      std::vector<const model::Pod*> pods;
      for (const model::Pod* pod : claimed.owned) {
        const model::Text* target = diagnosis::target_node(*pod);
        if (target != nullptr && *target == entry.name) pods.push_back(pod);
      }
      const diagnosis::NodeCase node{the_case, *model::find_node(cluster, entry.name), pods, entry};
      note(diagnosis::gone_pod_findings(node));
      note(diagnosis::pod_set_findings(node));
      for (const model::Pod* pod : pods) note(diagnosis::bound_pod_findings(node, *pod));
    }
  }
  std::string result;
  for (const auto& [what, count] : counts) result += what + " x" + std::to_string(count) + "\n";
  return result;
}

model::Time seconds(std::int64_t since_epoch) {
  return model::Time(std::chrono::seconds(since_epoch));
}

}  // namespace

TEST_CASE("every broken pod of the recorded cluster has its cause", "[conformance]") {
  const model::Cluster cluster = testing::recorded_cluster("mixed-40-nodes");
  CHECK(found_in(cluster, seconds(1'795'228'500)) ==  // 2026-11-21 02:35:00
        "datadog-agent pod-misscheduled x2\n"
        "falco container-crash x30\n"
        "falco container-oom x30\n"
        "falco pod-misscheduled x1\n"
        "fluent-bit pod-misscheduled x1\n"
        "hungry pod-misscheduled x1\n"
        "node-exporter pod-misscheduled x2\n"
        "windows-exporter image-pull x2\n");
}

TEST_CASE("pods on nodes that are not eligible have recorded findings", "[conformance]") {
  CHECK(found_in(testing::recorded_cluster("autoscaler-taint"), seconds(1'795'228'500)) ==
        "datadog-agent pod-misscheduled x1\n"
        "node-exporter pod-misscheduled x1\n");
  // The deleted pod is within its grace period, and a new one has just been bound.
  CHECK(found_in(testing::recorded_cluster("nfd-label-flip"), seconds(1'795'228'700)) ==
        "datadog-agent pod-not-acknowledged x1\n"
        "node-exporter pod-misscheduled x1\n");
}
