// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/views/node_load.h"

#include <catch2/catch.hpp>

#include "diagnosis/reporter.h"
#include "testing/cluster_story.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;

TEST_CASE("the load of a node has its pods and whether all DaemonSets are included", "[load]") {
  dsdoctor::testing::ClusterStory story;
  story.add_node("n1").allocatable = {{"pods", "10"}};
  story.add_pod("agent-1", "n1");
  story.add_pod("agent-2", "n1");  // created by a surge
  model::DaemonSet& other = story.cluster.daemon_sets.emplace_back(story.ds());
  other.meta.name = "other";
  other.meta.uid = "uid-2";
  other.selector = model::LabelSelector{{{"app", "other"}}, {}};
  other.pod_template.labels = {{"app", "other"}};
  story.cluster.known.daemon_sets = story.cluster.known.every_daemon_set = true;
  const auto load = [&](std::size_t daemon_sets) {
    const Reporter reporter(story.cluster, {});
    std::vector<DaemonSetReport> reports;
    for (const auto& ds : story.cluster.daemon_sets) reports.push_back(reporter.report(ds));
    std::vector<std::pair<const model::DaemonSet*, const DaemonSetReport*>> pairs;
    for (std::size_t i = 0; i < daemon_sets; ++i) {
      pairs.emplace_back(&story.cluster.daemon_sets[i], &reports[i]);
    }
    return load_of(story.cluster, story.cluster.nodes.front(), pairs);
  };
  CHECK(load(2).pods == 3);  // including one that is not created yet
  CHECK(load(2).shares.size() == 2);
  CHECK(load(2).of_all);
  CHECK(load(1).pods == 2);
  CHECK_FALSE(load(1).of_all);
  story.cluster.known.every_daemon_set = false;  // one namespace was read
  CHECK_FALSE(load(2).of_all);
}
