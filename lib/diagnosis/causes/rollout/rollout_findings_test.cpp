#include "diagnosis/causes/rollout/rollout_findings.h"

#include <catch2/catch.hpp>

#include "diagnosis/catalogue/test_fix.h"
#include "diagnosis/causes/rollout/rollout_replay.h"
#include "diagnosis/test_story.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using namespace dsdoctor::diagnosis::testing;

namespace {

const Finding& find(const std::vector<Finding>& findings, std::string_view id) {
  const auto at = std::ranges::find(findings, id, &Finding::name);
  REQUIRE(at != findings.end());
  return *at;
}

/// Six nodes with an available pod of the old template each.
TestStory six_old() {
  TestStory story;
  story.nodes({"n1", "n2", "n3", "n4", "n5", "n6"});
  for (const char* node : {"n1", "n2", "n3", "n4", "n5", "n6"}) story.pod(node, "old");
  story.add_revision("old", 1, 6);
  return story;
}

void make_unready(model::Node& node) {
  node.conditions = {{"Ready", "Unknown", "NodeStatusUnknown", "", at(0)}};
}

void crash(model::Pod& pod) {
  pod.conditions = {{"Ready", "False", "ContainersNotReady", "", at(0)}};
  model::ContainerStatus& status = pod.statuses.emplace_back();
  status.name = "app";
  status.waiting = model::WaitingState{"CrashLoopBackOff", ""};
}

}  // namespace

TEST_CASE("nothing is said of pods that are all of the present template", "[rollout]") {
  TestStory story;
  story.nodes({"n1", "n2"});
  story.pod("n1");
  CHECK(story.ask(rollout_findings).empty());
  story.pod("n2");
  CHECK(story.ask(rollout_findings).empty());
  story.ds().update_strategy = "OnDelete";
  CHECK(story.ask(rollout_findings).empty());
}

TEST_CASE("with OnDelete old pods wait for somebody", "[rollout]") {
  TestStory story = six_old();
  story.ds().update_strategy = "OnDelete";
  story.cluster.pods.pop_back();
  story.cluster.pods.pop_back();
  story.pod("n5");
  story.pod("n6");
  const auto findings = story.ask(rollout_findings);
  CHECK(ids(findings) == "daemonset-ondelete-outdated");
  CHECK(findings.front().message ==
        "with update strategy OnDelete, 4 of 6 pods still run an older template, until somebody "
        "deletes them: p1 on n1, p2 on n2, p3 on n3, p4 on n4");
  CHECK(findings.front().evidence.back() ==
        "Pods by revision: new (revision 2), the present one: 2 pods; old (revision 1): 4 pods");
  CHECK(
      remedy(findings.front()).starts_with("one node after the other: kubectl -n x delete pod p1"));
}

TEST_CASE("pods are counted by revision", "[rollout]") {
  TestStory story = six_old();
  story.pod("n1");
  story.pod("n2").meta.deleted = at(5);
  story.cluster.pods[5].meta.labels = {{"app", "agent"}};
  const auto counts = story.ask(revision_counts);
  REQUIRE(counts.size() == 3);
  CHECK(counts[0] == RevisionCount{"new", 2, 1, true});
  CHECK(counts[1] == RevisionCount{"old", 1, 5, false});
  CHECK(counts[2] == RevisionCount{"", 0, 1, false});
}

TEST_CASE("a dead node with a terminating pod uses up maxUnavailable", "[rollout]") {
  TestStory story = six_old();
  make_unready(story.node("n1"));
  story.cluster.pods[0].meta.deleted = at(1'000);
  const auto findings = story.ask(rollout_findings);
  CHECK(ids(findings) == "rollout-stuck rollout-budget");
  CHECK(find(findings, "rollout-stuck").message ==
        "the rollout stands still: 5 of 6 nodes still with an older template, nothing has moved "
        "for 2 h");
  CHECK(find(findings, "rollout-stuck").severity == Severity::Error);
  CHECK(find(findings, "rollout-budget").message ==
        "maxUnavailable 1 is used up by 1 node: n1 (pod p1 should have been gone for 2 h, its node "
        "is not ready); 5 old pods have to wait");
}

TEST_CASE("what uses a unit of maxUnavailable", "[rollout]") {
  TestStory story = six_old();
  const auto units = [&] {
    std::string result;
    for (const BudgetUnit& unit : story.ask(replay_rollout).units) {
      result += std::string(unit.node) + ":" + std::to_string(static_cast<int>(unit.use)) + " ";
    }
    return result;
  };
  CHECK(units().empty());
  CHECK(story.ask(replay_rollout).waiting == 6);
  SECTION("no pod") {
    story.cluster.pods.erase(story.cluster.pods.begin());
    CHECK(units() == "n1:0 ");
  }
  SECTION("two old pods, but not a terminating one beside an old one") {
    story.pod("n2", "old").meta.deleted = at(9'999);
    CHECK(units().empty());
    story.pod("n2", "old");
    CHECK(units() == "n2:1 ");
  }
  SECTION("an old and a new one") {
    story.pod("n3");
    CHECK(units() == "n3:2 ");
  }
  SECTION("a new one that is not available yet") {
    story.cluster.pods[0].meta.labels = {{"app", "agent"}, {"controller-revision-hash", "new"}};
    CHECK(units().empty());
    story.ds().min_ready_seconds = 10'001;
    CHECK(units().substr(0, 5) == "n1:3 ");
  }
  SECTION("an old one that is not available is replaced in any case") {
    story.cluster.pods[5].conditions.clear();
    CHECK(units() == "n6:4 ");
    CHECK(story.ask(replay_rollout).waiting == 5);
  }
  SECTION("a pod that is over and on its way out does not count at all") {
    story.cluster.pods[5].phase = "Failed";
    story.cluster.pods[5].meta.deleted = at(9'000);
    CHECK(units() == "n6:0 ");
  }
}

TEST_CASE("limits are those of the controller", "[rollout]") {
  TestStory story = six_old();
  const auto limits = [&](std::optional<model::IntOrPercent> unavailable,
                          std::optional<model::IntOrPercent> surge) {
    story.ds().max_unavailable = unavailable;
    story.ds().max_surge = surge;
    const RolloutReplay replay = story.ask(replay_rollout);
    return std::pair(replay.max_unavailable, replay.max_surge);
  };
  using Limits = std::pair<std::int64_t, std::int64_t>;
  CHECK(limits({}, {}) == Limits{1, 0});
  CHECK(limits({{30, true}}, {}) == Limits{2, 0});
  CHECK(limits({{0, false}}, {{0, true}}) == Limits{1, 0});
  CHECK(limits({{0, false}}, {{10, true}}) == Limits{0, 1});
  CHECK(limits({{-5, false}}, {}) == Limits{1, 0});
  CHECK(limits({{INT64_MAX, true}}, {}).first > 0);
}

TEST_CASE("a rollout that gets on is only paced", "[rollout]") {
  TestStory story = six_old();
  story.ds().min_ready_seconds = 300;
  story.cluster.pods.erase(story.cluster.pods.begin());
  model::Pod& fresh = story.pod("n1");
  fresh.meta.created = at(9'970);
  fresh.conditions = {{"Ready", "True", "", "", at(9'980)}};
  const auto findings = story.ask(rollout_findings);
  CHECK(ids(findings) == "rollout-paced drift-outdated-pods");
  CHECK(findings[0].severity == Severity::Info);
  CHECK(findings[0].message ==
        "the rollout is under way: 5 of 6 nodes still with an older template, 1 at a time; "
        "maxUnavailable 1 in use by n1 (pod p6 has been ready for 20 s of 300 s); minReadySeconds "
        "300 makes that at least 25 min more");
  CHECK(findings[1].message ==
        "pods by revision of the template: new (revision 2), the present one: 1 pod; old (revision "
        "1): 5 pods");
  SECTION("a template of just now cannot be stuck") {
    story.cluster.pods.pop_back();
    story.cluster.revisions.front().meta.created = at(9'900);
    CHECK(ids(story.ask(rollout_findings)) == "rollout-paced drift-outdated-pods");
  }
  SECTION("nor can one that the controller has not seen") {
    story.ds().generation = 2;
    CHECK(story.ask(rollout_findings).empty());
  }
  SECTION("without revisions nothing can be said") {
    story.cluster.revisions.clear();
    CHECK(story.ask(rollout_findings).empty());
  }
}

TEST_CASE("a new template that works nowhere", "[rollout]") {
  TestStory story = six_old();
  story.cluster.pods.erase(story.cluster.pods.begin());
  crash(story.pod("n1"));
  const auto findings = story.ask(rollout_findings);
  CHECK(ids(findings) == "rollout-stuck rollout-new-broken rollout-budget");
  CHECK(findings[1].message ==
        "every pod of the new template (1 pod) has the same fault: container app crashes");
  CHECK(remedy(findings[1]) == "kubectl -n x rollout undo ds/agent");
  CHECK(findings[2].message.find("n1 (pod p6: container app crashes)") != std::string::npos);
  SECTION("one pod that works takes that back") {
    story.cluster.pods.erase(story.cluster.pods.begin());
    story.pod("n2");
    CHECK(ids(story.ask(rollout_findings)) == "rollout-stuck rollout-budget");
  }
  SECTION("so does a node that is to blame itself") {
    make_unready(story.node("n1"));
    CHECK(ids(story.ask(rollout_findings)) == "rollout-stuck rollout-budget");
  }
}

TEST_CASE("a rollout with room that does not move is the controller's matter", "[rollout]") {
  TestStory story = six_old();
  const auto findings = story.ask(rollout_findings);
  CHECK(ids(findings) == "rollout-stuck");
  CHECK(findings.front().message.ends_with("the controller is free to replace pods and does not"));
}

TEST_CASE("with maxSurge the new pod must fit beside the old one", "[rollout]") {
  TestStory story = six_old();
  story.ds().max_surge = model::IntOrPercent{1, false};
  story.ds().max_unavailable = model::IntOrPercent{0, false};
  model::Pod& fresh = story.pod("n1");
  TestStory::unbind(fresh, "n1",
                    "0/6 nodes are available: 1 node(s) didn't have free ports for the requested "
                    "pod ports, 5 node(s) didn't satisfy plugin(s) [NodeAffinity].");
  model::Container container;
  container.name = "app";
  container.ports = {{9100, 9100, "", ""}};
  model::PodSpec with_port;
  with_port.containers = {container};
  SECTION("a host port can never surge, stuck or not") {
    fresh.spec = with_port;
    story.cluster.pods[0].spec = with_port;
    CHECK(ids(story.ask(rollout_findings)) == "rollout-stuck rollout-surge-port");
    story.cluster.revisions.front().meta.created = at(9'900);
    const auto findings = story.ask(rollout_findings);
    CHECK(ids(findings) == "rollout-surge-port drift-outdated-pods");
    CHECK(findings.front().message ==
          "new pods cannot start beside the old ones on n1: both want host port 9100/TCP, so "
          "maxSurge can never work");
    CHECK(remedy(findings.front()) ==
          "kubectl -n x patch ds agent --type=merge -p '{\"spec\":{\"updateStrategy\":"
          "{\"rollingUpdate\":{\"maxSurge\":0,\"maxUnavailable\":1}}}}'");
    SECTION("unless the new pod was only just made") {
      fresh.meta.created = at(9'950);
      CHECK(ids(story.ask(rollout_findings)) == "rollout-paced drift-outdated-pods");
    }
  }
  SECTION("room for two") {
    fresh.conditions.front().message =
        "0/6 nodes are available: 1 Insufficient cpu, 5 node(s) didn't satisfy plugin(s).";
    CHECK(ids(story.ask(rollout_findings)) == "rollout-stuck rollout-surge-room");
  }
  SECTION("any other reason uses up maxSurge") {
    fresh.conditions.front().message = "0/6 nodes are available: 6 node(s) had taints.";
    const auto findings = story.ask(rollout_findings);
    CHECK(ids(findings) == "rollout-stuck rollout-surge");
    CHECK(findings.back().message ==
          "maxSurge 1 is used up by 1 node: n1 (pod p7 is not scheduled); 5 old pods have to wait");
  }
  SECTION("an old pod of a vanished node aborts every step") {
    story.cluster.pods.pop_back();
    story.cluster.nodes.erase(story.cluster.nodes.begin());
    const auto findings = story.ask(rollout_findings);
    CHECK(ids(findings) == "rollout-stuck rollout-surge");
    CHECK(findings.back().message.find("node n1 is gone") == 0);
  }
}
