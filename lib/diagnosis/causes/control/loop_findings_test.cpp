// SPDX-License-Identifier: Apache-2.0

// Pods that are replaced over and over. The scenarios in testdata/scenarios/sequences show the
// answers.

#include "diagnosis/causes/control/loop_findings.h"

#include <catch2/catch.hpp>
#include <string>

#include "diagnosis/test_story.h"

namespace dsdoctor::diagnosis::testing {
namespace {

/// Two nodes with ready pods of an old template.
class Calm : public TestStory {
 public:
  Calm() {
    nodes({"a", "b"});
    pod("a");
    pod("b");
    cluster.known.events = true;
  }

  /// Adds revisions of other templates, the newest last.
  void revise(std::initializer_list<std::int64_t> times) {
    std::int64_t number = 2;
    for (const std::int64_t time : times) {
      ++number;
      add_revision("h" + std::to_string(number), number, static_cast<std::uint64_t>(number));
      cluster.revisions.back().meta.created = at(time);
    }
  }

  /// Adds `count` creations and deletions of pods until `last`.
  void recreate(std::int64_t count, std::int64_t first, std::int64_t last) {
    for (const char* reason : {"SuccessfulCreate", "SuccessfulDelete"}) {
      model::Event& event = this->event(reason, "pod: agent-x2x4c", last);
      event.first = at(first);
      event.count = count;
    }
  }

  [[nodiscard]] std::string text() const {
    const auto found = ask(loop_finding);
    return found ? text_of(found->message) : "none";
  }
};

}  // namespace

TEST_CASE("three changes of the template within five minutes are a loop", "[loops]") {
  Calm story;
  CHECK(story.text() == "none");
  SECTION("until shortly before") {
    story.revise({test_now - 200, test_now - 120, test_now - 30});
    CHECK(story.text() ==
          "3 changes of the template within 2m50s, the last 30s ago; no pod gets old");
    CHECK(story.ask(loop_finding)->severity == Severity::Critical);
  }
  SECTION("not if a backup was restored") {
    story.revise({test_now - 32, test_now - 31, test_now - 30});
    CHECK(story.text() == "none");
  }
  SECTION("not two") {
    story.revise({test_now - 120, test_now - 30});
    CHECK(story.text() == "none");
  }
  SECTION("not if they have ended") {
    story.revise({test_now - 290, test_now - 200, test_now - 121});
    CHECK(story.text() == "none");
  }
  SECTION("not within an hour") {
    story.revise({test_now - 3000, test_now - 1000, test_now - 30});
    CHECK(story.text() == "none");
  }
  SECTION("not if it is being deleted") {
    story.revise({test_now - 200, test_now - 120, test_now - 30});
    story.ds().meta.deleted = at(test_now - 10);
    CHECK(story.text() == "none");
  }
}

TEST_CASE("the last change of a loop is named", "[loops]") {
  Calm story;
  story.revise({test_now - 200, test_now - 120, test_now - 30});
  auto& revisions = story.cluster.revisions;
  for (auto& revision : revisions) {
    revision.pod_template.spec.containers.emplace_back().name = "main";
  }
  SECTION("a restart") {
    for (auto& revision : revisions) revision.pod_template.restarted_at = revision.meta.name;
    CHECK_THAT(story.text(), Catch::Matchers::Contains(", each only a restart (annotation "));
    revisions[revisions.size() - 2].pod_template.host_network = true;
    CHECK_THAT(story.text(), !Catch::Matchers::Contains("restart"));
  }
  SECTION("a field, and its writers") {
    revisions.back().pod_template.spec.containers[0].image = "agent:2";
    model::FieldManager writer;
    writer.manager = "argocd-controller";
    writer.spec = true;
    writer.time = at(test_now - 30);
    story.ds().meta.managers.push_back(writer);
    writer.manager = "kubectl-edit";
    writer.time = at(test_now - 3000);
    story.ds().meta.managers.push_back(writer);
    CHECK_THAT(story.text(),
               Catch::Matchers::Contains(": the last is image of main none → agent:2; written by "
                                         "argocd-controller; no pod gets old"));
  }
}

TEST_CASE("five creations for a node within ten minutes are a loop", "[loops]") {
  Calm story;
  SECTION("until shortly before") {
    story.recreate(10, test_now - 500, test_now - 10);
    CHECK(story.text() ==
          "the controller has created 10 pods within 10m and deletes them again, although the "
          "template is not newer; no pod gets old");
  }
  SECTION("not one rollout, and not four") {
    story.recreate(9, test_now - 500, test_now - 10);
    CHECK(story.text() == "none");
  }
  SECTION("a repeated event counts in proportion") {
    story.recreate(60, test_now - 6000, test_now - 10);
    CHECK(story.text() == "none");
  }
  SECTION("not if they have ended") {
    story.recreate(10, test_now - 500, test_now - 130);
    CHECK(story.text() == "none");
  }
  SECTION("not if the pods end by themselves") {
    story.recreate(10, test_now - 500, test_now - 10);
    story.event("FailedDaemonPod", "Found failed daemon pod x/p on node a", test_now - 10);
    CHECK(story.text() == "none");
  }
  SECTION("not if a change of the template took most nodes away") {
    story.nodes({"c", "d", "e", "f"});
    story.recreate(13, test_now - 500, test_now - 10);
    for (const char* name : {"a", "b"}) story.node(name).meta.labels.set("disk", "ssd");
    story.ds().pod_template.node_selector = {{"disk", "ssd"}};
    CHECK(story.text() != "none");
    story.revise({test_now - 400});
    CHECK(story.text() == "none");
  }
}

TEST_CASE("the pod of a single node that is replaced again and again is a loop", "[loops]") {
  Calm story;
  model::FieldManager& writer = story.node("a").meta.managers.emplace_back();
  writer.manager = "kubectl-label";
  writer.labels = {model::Text("tier")};
  writer.time = at(test_now - 40);
  const auto replace = [&](std::int64_t times, const char* node, std::int64_t every) {
    for (std::int64_t i = 0; i < times; ++i) {
      const std::string pod = "agent-x2x4" + std::string(1, static_cast<char>('b' + i));
      const std::int64_t when = test_now - 30 - every * (times - 1 - i);
      model::Event& bound = story.add_event(
          "Pod", pod, "Scheduled", "Successfully assigned x/" + pod + " to " + node, at(when));
      bound.ns = "x";
      bound.last = at(when);
      if (i + 1 < times) {
        story.event("SuccessfulDelete", ("Deleted pod: " + pod).c_str(), when + every / 2);
      }
    }
  };
  SECTION("five times within ten minutes") {
    replace(5, "a", 60);
    CHECK(story.text() ==
          "the controller has created 5 pods on a within 10m and deletes them again, although the "
          "template is not newer; written by kubectl label; no pod gets old");
    CHECK(story.ask(loop_finding)->nodes == std::vector<std::string>{"a"});
    SECTION("but not if they end by themselves") {
      story.event("FailedDaemonPod", "Found failed daemon pod x/agent-x2x4b on node a", test_now);
      CHECK(story.text() == "none");
    }
  }
  SECTION("four times are not enough") {
    replace(4, "a", 60);
    CHECK(story.text() == "none");
  }
  SECTION("not within ten minutes") {
    replace(5, "a", 300);
    CHECK(story.text() == "none");
  }
  SECTION("pods that are not deleted are not replaced") {
    replace(5, "a", 60);
    std::erase_if(story.cluster.events,
                  [](const model::Event& event) { return event.reason == "SuccessfulDelete"; });
    CHECK(story.text() == "none");
  }
}

}  // namespace dsdoctor::diagnosis::testing
