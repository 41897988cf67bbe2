// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/providers/absent_writer.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "diagnosis/test_story.h"

namespace dsdoctor::diagnosis::testing {

TEST_CASE("labels are awaited whose writer is kept off by the value of a toleration",
          "[providers]") {
  TestStory story;
  story.nodes({"cpu", "gpu"});
  story.node("gpu").taints = {{"example.com/gpu", "yes", "NoSchedule", {}}};
  story.ds().pod_template.spec.containers.emplace_back().image = "r/node-feature-discovery:1";
  story.ds().pod_template.tolerations = {{"example.com/gpu", "Equal", "present", "NoSchedule"}};
  model::DaemonSet plugin;
  plugin.meta.ns = "x";
  plugin.meta.name = "plugin";
  plugin.generation = 1;
  plugin.observed_generation = 1;
  plugin.pod_template.node_selector = {{"feature.node.kubernetes.io/pci.present", "true"}};
  plugin.pod_template.tolerations = {{"example.com/gpu", "Exists", "", ""}};
  story.cluster.daemon_sets.push_back(plugin);
  story.ds().reported.desired_number_scheduled = 1;
  story.ds().generation = 1;
  story.ds().observed_generation = 1;
  const auto text = [&]() -> std::string {
    std::set<std::string> texts;
    for (const model::DaemonSet& ds : story.cluster.daemon_sets) {
      const DaemonSetReport report = Reporter(story.cluster, {{}, at(test_now), {}}).report(ds);
      for (const Finding& finding : report.findings) {
        if (finding.id == FindingId::LabelWriterAbsent) texts.insert(text_of(finding.message));
      }
    }
    return texts.empty() ? "none" : *texts.begin() + (texts.size() > 1 ? " and more" : "");
  };
  CHECK(text() ==
        "1 DaemonSet waits for label feature.node.kubernetes.io/pci.present: x/agent writes it and "
        "is not eligible on gpu: its toleration of example.com/gpu has value present, the taint is "
        "example.com/gpu=yes:NoSchedule");
  model::DaemonSet& writer = story.cluster.daemon_sets.front();
  model::DaemonSet& waits = story.cluster.daemon_sets.back();
  SECTION("not if it is kept off on purpose") { writer.pod_template.tolerations.clear(); }
  SECTION("not if the other does not tolerate the taint either") {
    waits.pod_template.tolerations.clear();
  }
  SECTION("not if the other runs on another node") { waits.reported.desired_number_scheduled = 1; }
  SECTION("not if it waits for another label") {
    waits.pod_template.node_selector = {{"pool", "gpu"}};
  }
  SECTION("not if this is another agent") {
    writer.pod_template.spec.containers[0].image = "r/agent:1";
  }
  CHECK(text() == "none");
}

}  // namespace dsdoctor::diagnosis::testing
