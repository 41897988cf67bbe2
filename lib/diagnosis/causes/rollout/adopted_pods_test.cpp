// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/rollout/adopted_pods.h"

#include <catch2/catch.hpp>

#include "diagnosis/catalogue/test_fix.h"
#include "diagnosis/test_story.h"
#include "model/annotations.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using namespace dsdoctor::diagnosis::testing;

namespace {

std::vector<Finding> adopted(const DaemonSetCase& c) {
  std::vector<Finding> findings;
  if (auto finding = adopted_pod_finding(c)) findings.push_back(*std::move(finding));
  return findings;
}

model::PodTemplate with_image(const char* image) {
  model::PodTemplate pod_template;
  pod_template.spec.containers.emplace_back().name = "main";
  pod_template.spec.containers.back().image = image;
  return pod_template;
}

/// Two nodes with pods of revision "old" that have the DaemonSet's template generation.
TestStory recreated() {
  TestStory story;
  story.nodes({"n1", "n2"});
  story.ds().annotations.set(model::Text(model::template_generation_annotation), "1");
  story.ds().pod_template = with_image("agent:2");
  story.ds().meta.created = at(500);
  story.add_revision("old", 1, 6);
  story.cluster.revisions.back().pod_template = with_image("agent:1");
  for (const char* node : {"n1", "n2"}) {
    model::Pod& pod = story.pod(node, "old");
    pod.meta.labels.set("pod-template-generation", "1");
    pod.meta.created = at(100);
  }
  return story;
}

}  // namespace

TEST_CASE("adopted pods of another template are never replaced", "[rollout]") {
  TestStory story = recreated();
  const auto findings = story.ask(adopted);
  REQUIRE(ids(findings) == "drift-adopted-pods");
  CHECK(text_of(findings.front().message) ==
        "2 pods of another template (image of main agent:1 → agent:2) up to date by "
        "pod-template-generation alone, so that the controller never replaces them: they are older "
        "than the DaemonSet, which adopted them; p1 on n1, p2 on n2");
  CHECK(findings.front().nodes == std::vector<std::string>{"n1", "n2"});
  CHECK(fix_of(findings.front()).ends_with("kubectl -n x rollout restart ds/agent"));
  SECTION("OnDelete") {
    story.ds().update_strategy = "OnDelete";
    CHECK(fix_of(story.ask(adopted).front()).ends_with("kubectl -n x delete pod p1"));
  }
  SECTION("the revision of the pods was orphaned, or was not read") {
    story.cluster.revisions.back().meta.controller.reset();
    story.cluster.revisions.back().meta.name = "agent-old";
    CHECK(text_of(story.ask(adopted).front().message).find("agent:1 → agent:2") !=
          std::string::npos);
    story.cluster.revisions.pop_back();
    CHECK(text_of(story.ask(adopted).front().message)
              .starts_with("2 pods of another template up to date by"));
  }
  SECTION("younger pods, as after a restored etcd") {
    story.ds().meta.created = at(50);
    CHECK(text_of(story.ask(adopted).front().message).find("adopted") == std::string::npos);
  }
}

TEST_CASE("pods that will be replaced, or are of the template, are not adopted ones", "[rollout]") {
  TestStory story = recreated();
  SECTION("another generation: outdated") {
    for (model::Pod& pod : story.cluster.pods) pod.meta.labels.set("pod-template-generation", "3");
  }
  SECTION("the current hash with an older generation, as after a rollback") {
    for (model::Pod& pod : story.cluster.pods) {
      pod.meta.labels.set("controller-revision-hash", "new");
      pod.meta.labels.set("pod-template-generation", "0");
    }
  }
  SECTION("two revisions of the same template") {
    story.cluster.revisions.back().template_fingerprint = 7;
  }
  SECTION("the controller has not processed the template yet") {
    story.ds().generation = 2;
    story.ds().observed_generation = 1;
  }
  SECTION("revisions were not read") { story.cluster.revisions.clear(); }
  SECTION("terminating pods") {
    for (model::Pod& pod : story.cluster.pods) pod.meta.deleted = at(900);
  }
  CHECK(story.ask(adopted).empty());
}
