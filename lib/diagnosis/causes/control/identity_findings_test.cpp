#include "diagnosis/causes/control/identity_findings.h"

#include <catch2/catch.hpp>

#include "diagnosis/reporter.h"
#include "diagnosis/test_story.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using namespace dsdoctor::diagnosis::testing;

namespace {

/// "standing id, standing id" of a node's findings.
std::string said_of(const TestStory& story, std::string_view name) {
  const DaemonSetReport report =
      Reporter(story.cluster, {{}, at(test_now), {}}).report(story.cluster.daemon_sets.front());
  const auto node =
      std::ranges::find(report.nodes, name, [](const auto& n) { return n.name.view(); });
  std::string result;
  for (const Finding& finding : node->findings) {
    result += result.empty() ? "" : ", ";
    result += std::string(to_string(finding.standing)) + " " + std::string(finding.name());
  }
  return result;
}

}  // namespace

TEST_CASE("a DaemonSet that is being deleted explains what is missing, no pod that is there",
          "[diagnosis]") {
  TestStory story;
  story.nodes({"a", "b"});
  story.cluster.nodes[0].meta.created = at(test_now - 10);  // eligible for moments only
  story.ds().meta.deleted = at(test_now - 100);
  model::Pod& pod = story.pod("b");
  CHECK(said_of(story, "a") == "primary daemonset-being-deleted, context node-newly-eligible");
  CHECK(said_of(story, "b").empty());
  pod.phase = "Pending";
  pod.conditions = {{"PodScheduled", "True", "", "", at(100)}};
  CHECK(said_of(story, "b") == "primary pod-not-acknowledged");
  const auto causes = story.ask(identity_causes);
  REQUIRE(ids(causes) == "daemonset-being-deleted");
  CHECK(ids(story.ask(identity_findings)).find("being-deleted") == std::string::npos);
}

TEST_CASE("a loop of evictions is told once", "[diagnosis]") {
  TestStory story;
  story.nodes({"a"});
  story.node("a").taints = {{"maint", "", "NoExecute"}};
  story.ds().pod_template.tolerations = {{"maint", "Exists", "", "", 300}};
  story.pod("a");
  CHECK(said_of(story, "a") == "primary toleration-seconds-loop");
}
