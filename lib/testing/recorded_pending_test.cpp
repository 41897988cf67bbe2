// SPDX-License-Identifier: Apache-2.0

// Compares our filters with the events of a real scheduler in a recorded cluster.

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "diagnosis/causes/pending/pending.h"
#include "diagnosis/causes/pending/pending_case.h"
#include "diagnosis/report/report.h"
#include "model/release.h"
#include "scheduling/messages.h"
#include "testing/cluster_reader.h"

using namespace dsdoctor;
using diagnosis::Finding;

namespace {

const model::DaemonSet* owner_of(const model::Pod& pod, const model::Cluster& cluster) {
  if (!pod.meta.controller || pod.meta.controller->kind != "DaemonSet") return nullptr;
  const auto at = std::ranges::find(cluster.daemon_sets, pod.meta.controller->uid,
                                    [](const model::DaemonSet& ds) { return ds.meta.uid; });
  return at == cluster.daemon_sets.end() ? nullptr : &*at;
}

std::vector<Finding> findings_of(const model::Pod& pod, const model::DaemonSet& ds,
                                 const diagnosis::Facts& facts) {
  const model::Cluster& cluster = facts.cluster();
  const auto behaviour = diagnosis::behaviour_of(model::release_of(cluster).release);
  const diagnosis::PodIndex::Claimed claimed;
  const diagnosis::TemplateRevision revision(ds, cluster);
  const diagnosis::DaemonSetReport report;
  const std::vector<const model::Pod*> lost;
  const diagnosis::DaemonSetCase of{ds, facts, behaviour, claimed, lost, revision, report, {}};
  const model::Text* target = diagnosis::target_node(pod);
  REQUIRE(target != nullptr);
  const model::Node* node = model::find_node(cluster, *target);
  REQUIRE(node != nullptr);
  const std::vector<const model::Pod*> pods = {&pod};
  const diagnosis::OwnNodeReport entry;
  return diagnosis::pending_findings({of, *node, pods, entry}, pod);
}

}  // namespace

TEST_CASE("every reason of a real scheduler is found", "[conformance]") {
  model::Cluster cluster = testing::recorded_cluster("mixed-40-nodes");
  cluster.all_pods_known = true;
  const diagnosis::Facts facts(cluster, model::Time(std::chrono::hours(24 * 365 * 60)));
  std::map<std::string, int> seen;
  for (const model::Pod& pod : cluster.pods) {
    const model::DaemonSet* ds = owner_of(pod, cluster);
    if (ds == nullptr || diagnosis::is_bound(pod)) continue;
    const auto condition = model::find_condition(pod.conditions, "PodScheduled");
    REQUIRE(condition != nullptr);
    const auto said = scheduling::parse_scheduler_message(condition->message);
    REQUIRE(!said.reasons.empty());
    const auto findings = findings_of(pod, *ds, facts);
    for (const auto& reason : said.reasons) {
      CAPTURE(pod.meta.name.str(), condition->message.str(), reason.text);
      const auto found = std::ranges::find(findings, diagnosis::id_of(reason.filter), &Finding::id);
      REQUIRE(found != findings.end());
      CHECK(found->basis == diagnosis::Basis::Confirmed);
    }
    ++seen[std::string(to_string(diagnosis::id_of(said.reasons.front().filter)))];
  }
  CHECK(seen == std::map<std::string, int>{{"sched-host-port", 35},
                                           {"sched-insufficient-cpu", 33},
                                           {"sched-taint", 1},
                                           {"sched-too-many-pods", 9}});
}
