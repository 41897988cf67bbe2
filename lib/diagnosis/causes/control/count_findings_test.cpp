// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/control/count_findings.h"

#include <catch2/catch.hpp>
#include <optional>

#include "diagnosis/catalogue/findings/daemonset.h"
#include "diagnosis/catalogue/test_fix.h"
#include "diagnosis/test_story.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using namespace dsdoctor::diagnosis::testing;

TEST_CASE("status can lag behind a pod's readiness or be ahead of it", "[diagnosis]") {
  TestStory story;
  story.nodes({"a", "b"});
  story.pod("a");
  model::Pod& pod = story.pod("b");
  const auto says = [&](std::int64_t ready, std::int64_t current, std::chrono::seconds age) {
    pod.conditions = {{"Ready", "True", "", "", at(test_now) - age}};
    story.ds().reported = {2, current, 0, ready, ready, 2};
    return !story.ask(count_findings).empty();
  };
  using namespace std::chrono_literals;
  CHECK_FALSE(says(1, 2, 3s));
  CHECK(says(1, 2, 60s));
  CHECK(says(0, 2, 3s));  // one pod's change does not explain two
  CHECK(says(1, 1, 3s));  // a pod that is not counted at all is not explained either
}

TEST_CASE("status can lag behind the pods of a rolling update", "[diagnosis]") {
  TestStory story;
  story.nodes({"a", "b"});
  story.pod("a");
  const auto is_outdated = [&] { return !story.ask(count_findings).empty(); };
  SECTION("a pod was created") {
    model::Pod& pod = story.pod("b");
    story.ds().reported = {2, 1, 0, 1, 1, 1};
    CHECK(is_outdated());
    pod.meta.created = at(test_now - 2);
    CHECK_FALSE(is_outdated());
    story.ds().reported.number_misscheduled = 1;
    CHECK(is_outdated());
    story.ds().reported = {2, 0, 0, 0, 0, 0};  // one pod does not explain two
    CHECK(is_outdated());
  }
  SECTION("a pod was deleted and its replacement does not exist yet") {
    story.ds().reported = {2, 2, 0, 2, 2, 2};
    story.cluster.known.events = true;
    CHECK(is_outdated());
    story.event("SuccessfulDelete", "Deleted pod: p2", test_now - 3);
    CHECK_FALSE(is_outdated());
    story.ds().reported.current_number_scheduled = 3;
    CHECK(is_outdated());
  }
  SECTION("a node has joined") {
    story.pod("b");
    model::Node& node = story.add_node("c");
    story.ds().reported = {2, 2, 0, 2, 2, 2};
    CHECK(is_outdated());
    node.meta.created = at(test_now - 4);
    CHECK_FALSE(is_outdated());
  }
  SECTION("a pod is available after its minReadySeconds") {
    story.ds().min_ready_seconds = 600;
    story.pod("b").conditions = {{"Ready", "True", "", "", at(test_now - 605)}};
    story.ds().reported = {2, 2, 0, 2, 1, 2};
    CHECK_FALSE(is_outdated());
    story.ds().min_ready_seconds = 300;
    CHECK(is_outdated());
  }
}

TEST_CASE("without pods and the namespace a node selector may explain the status", "[diagnosis]") {
  TestStory story;
  story.nodes({"a", "b"});
  story.ds().reported = {1, 1, 0, 1, 1, 1};
  story.cluster.pods_known = false;
  const auto explains = [&] {
    const auto findings = story.ask(count_findings);
    REQUIRE(findings.size() == 1);
    return text_of(findings.front().message)
        .ends_with("which is not in the input, has a node selector");
  };
  CHECK(explains());
  SECTION("nothing is reported if a server denied the read") {
    story.cluster.version = model::ServerVersion{1, 36, 0, "v1.36.0"};
    CHECK(story.ask(count_findings).empty());
  }
  SECTION("the namespace was read") {
    story.cluster.known.namespaces = true;
    CHECK_FALSE(explains());
  }
  SECTION("no selector makes more nodes eligible") {
    story.ds().reported.desired_number_scheduled = 3;
    CHECK_FALSE(explains());
  }
}

TEST_CASE("a late status is info if a changed node explains it", "[diagnosis]") {
  TestStory story;
  story.nodes({"a", "b"});
  story.pod("a");
  story.pod("b");
  story.node("b").taints = {{"dedicated", "", "NoSchedule"}};
  story.ds().reported = {2, 2, 0, 2, 2, 2};
  const auto late = [&] {
    const auto findings = story.ask(count_findings);
    REQUIRE(findings.size() == 1);
    const auto& notes = findings.front().message.notes;
    const std::vector<Message> late_notes = {phrase::ChangesOfNodesAreNotCounted{}};
    return notes == late_notes && findings.front().severity == Severity::Info;
  };
  CHECK_FALSE(late());  // unknown release
  story.cluster.version = model::ServerVersion{1, 32, 9, "v1.32.9"};
  CHECK_FALSE(late());
  story.cluster.version = model::ServerVersion{1, 33, 0, "v1.33.0"};
  CHECK(late());
  story.cluster.version.reset();
  story.node("a").kubelet_version = "v1.34.1";
  CHECK(late());
  story.ds().reported.number_ready = 0;  // pod changes trigger a recount
  CHECK_FALSE(late());
}

TEST_CASE("without nodes the pods of all nodes counted in status have their own findings",
          "[diagnosis]") {
  TestStory story;
  story.cluster.nodes_known = false;
  story.pod("a");
  story.pod("b").conditions = {{"Ready", "False", "", "", at(100)}};
  const auto severity = [&]() -> std::optional<Severity> {
    const auto findings = story.ask(reported_findings);
    if (findings.empty()) return std::nullopt;
    CHECK(ids(findings) == "daemonset-status-not-ready");
    return findings.front().severity;
  };
  story.ds().reported = {2, 2, 0, 1, 1, 2};
  CHECK_FALSE(severity());
  SECTION("the misscheduled pod is unknown") {
    story.ds().reported = {1, 1, 1, 1, 1, 1};
    CHECK(severity() == Severity::Info);
    const Finding told = story.ask(reported_findings).front();
    CHECK(text_of(told.message)
              .ends_with("which pods are misscheduled is unknown: nodes were not read"));
    CHECK(fix_of(told) == "ask for RBAC permission to list nodes, or include nodes in the input");
  }
  SECTION("a node has no pod") {
    story.ds().reported = {3, 2, 0, 1, 1, 2};
    CHECK(severity() == Severity::Error);
    story.ds().reported = {2, 1, 1, 1, 1, 1};  // one of the two pods is not on an eligible node
    CHECK(severity() == Severity::Error);
  }
  SECTION("a rolling update deleted a pod a moment ago") {
    story.ds().reported = {3, 2, 0, 2, 2, 1};
    story.event("SuccessfulDelete", "Deleted pod: agent-x", test_now - 5);
    CHECK(severity() == Severity::Info);
    story.ds().reported.updated_number_scheduled = 3;
    CHECK(severity() == Severity::Error);
  }
}
