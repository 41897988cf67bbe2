// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/rollout/template_change.h"

#include <catch2/catch.hpp>

#include "diagnosis/rollout/lost_nodes.h"
#include "diagnosis/test_story.h"

namespace dsdoctor::diagnosis::testing {
namespace {

std::vector<std::string> changes(const model::PodTemplate& before,
                                 const model::PodTemplate& after) {
  std::vector<std::string> result;
  for (const TemplateChange& change : template_changes(before, after)) {
    result.push_back(text_of(change));
  }
  return result;
}

model::PodTemplate with_image(const char* image) {
  model::PodTemplate result;
  model::Container& main = result.spec.containers.emplace_back();
  main.name = "main";
  main.image = image;
  return result;
}

}  // namespace

TEST_CASE("changes of a template are listed by field", "[rollout]") {
  const model::PodTemplate before = with_image("a:1");
  CHECK(changes(before, before).empty());
  model::PodTemplate after = with_image("a:2");
  after.node_selector = {{"disk", "ssd"}};
  after.tolerations = {{"gpu", "Exists", "", "NoSchedule"}, {"", "Exists", "", ""}};
  after.host_network = true;
  after.spec.containers[0].requests.set("cpu", "1");
  after.spec.containers[0].ports.push_back({80, 8080, "", ""});
  after.spec.containers.emplace_back().name = "side";
  after.spec.containers.back().image = "b:1";
  after.spec.priority_class = "high";
  CHECK(changes(before, after) ==
        std::vector<std::string>{
            "image of main a:1 → a:2", "image of side none → b:1", "nodeSelector disk none → ssd",
            "tolerations none → any key (Exists), gpu:NoSchedule (Exists)",
            "hostNetwork false → true", "host ports none → 8080",
            "request of main for cpu none → 1", "priorityClassName none → high"});
  CHECK(changes(after, before).size() == 8);
}

TEST_CASE("the order of tolerations does not count, and a restart has no field", "[rollout]") {
  model::PodTemplate before = with_image("a:1");
  before.tolerations = {{"a", "Exists", "", ""}, {"b", "Exists", "", ""}};
  model::PodTemplate after = before;
  std::swap(after.tolerations[0], after.tolerations[1]);
  CHECK(changes(before, after).empty());
  CHECK_FALSE(is_restart(before, after));
  after.restarted_at = "2026-11-20T12:00:00Z";
  CHECK(is_restart(before, after));
  after.spec.containers[0].image = "a:2";
  CHECK_FALSE(is_restart(before, after));
}

TEST_CASE("the nodes that a change of the template excludes are found", "[rollout]") {
  TestStory story;
  story.nodes({"a", "b", "c"});
  story.node("a").meta.labels.set("disk", "ssd");
  story.node("c").unschedulable = true;
  auto& revisions = story.cluster.revisions;
  revisions.clear();
  story.add_revision("h1", 1, 1);
  story.add_revision("h2", 2, 2);
  story.add_revision("h3", 3, 7);
  for (std::size_t i = 0; i < 3; ++i) revisions[i].pod_template = with_image("a:1");
  revisions[2].pod_template.spec.containers[0].image = "a:2";
  for (const std::size_t i : {1U, 2U}) revisions[i].pod_template.node_selector = {{"disk", "ssd"}};
  story.ds().pod_template = revisions[2].pod_template;
  const auto lost = [&] { return story.ask(lost_by_template); };
  REQUIRE(lost().revision != nullptr);
  CHECK(lost().revision->revision == 2);  // the third changed only the image
  CHECK(lost().nodes == std::vector<std::string>{"b", "c"});
  CHECK(lost().changes.size() == 1);
  SECTION("not if the revision of the template was not read") {
    story.ds().template_fingerprint = 9;
    CHECK(lost().revision == nullptr);
  }
  SECTION("not if the older template could not be read") {
    revisions[0].pod_template = {};
    CHECK(lost().revision == nullptr);
  }
  SECTION("not if no node is lost") {
    for (const char* name : {"b", "c"}) story.node(name).meta.labels.set("disk", "ssd");
    CHECK(lost().revision == nullptr);
  }
}

}  // namespace dsdoctor::diagnosis::testing
