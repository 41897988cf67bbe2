// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/rollout/rollout_findings.h"

#include <catch2/catch.hpp>

#include "diagnosis/catalogue/test_fix.h"
#include "diagnosis/causes/rollout/revision_counts.h"
#include "diagnosis/rollout/rollout_replay.h"
#include "diagnosis/test_story.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using namespace dsdoctor::diagnosis::testing;

namespace {

std::vector<Finding> rollouts(const DaemonSetCase& c) { return rollout_findings(c, true); }

const Finding& find(const std::vector<Finding>& findings, std::string_view id) {
  const auto at = std::ranges::find(findings, id, &Finding::name);
  REQUIRE(at != findings.end());
  return *at;
}

/// Six nodes, each with an available pod of the old template.
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

TEST_CASE("without outdated pods nothing is reported", "[rollout]") {
  TestStory story;
  story.nodes({"n1", "n2"});
  story.pod("n1");
  CHECK(story.ask(rollouts).empty());
  story.pod("n2");
  CHECK(story.ask(rollouts).empty());
  story.ds().update_strategy = "OnDelete";
  CHECK(story.ask(rollouts).empty());
}

TEST_CASE("with OnDelete outdated pods must be deleted", "[rollout]") {
  TestStory story = six_old();
  story.ds().update_strategy = "OnDelete";
  story.cluster.pods.pop_back();
  story.cluster.pods.pop_back();
  story.pod("n5");
  story.pod("n6");
  const auto findings = story.ask(rollouts);
  CHECK(ids(findings) == "daemonset-ondelete-outdated");
  CHECK(text_of(findings.front().message) ==
        "OnDelete: 4 of 6 pods outdated until they are deleted: p1 on n1, p2 on n2, p3 on n3, p4 "
        "on n4");
  const std::string label = "metadata.labels['controller-revision-hash']";
  CHECK(findings.front().evidence ==
        std::vector<Evidence>{{{"DaemonSet", "x", "agent"}, "spec.updateStrategy.type", "OnDelete"},
                              {{"Pod", "x", "p5"}, label, "new"},
                              {{"Pod", "x", "p1"}, label, "old"}});
  CHECK(
      fix_of(findings.front())
          .starts_with("delete the outdated pods, one node at a time: kubectl -n x delete pod p1"));
  story.ds().max_unavailable = model::IntOrPercent{2, false};  // stored, and not used yet
  CHECK(fix_of(story.ask(rollouts).front())
            .find("it begins immediately and replaces all outdated pods, at most 2 at a time") !=
        std::string::npos);
}

TEST_CASE("with OnDelete pods that nobody deletes for weeks have their age", "[rollout]") {
  TestStory story = six_old();
  story.ds().update_strategy = "OnDelete";
  const auto days_ago = [](int days) { return at(test_now) - std::chrono::days(days); };
  model::ControllerRevision& newer = story.cluster.revisions[0];
  model::ControllerRevision& older = story.cluster.revisions[1];
  const auto text = [&] {
    return text_of(find(story.ask(rollouts), "daemonset-ondelete-outdated").message);
  };
  CHECK(text().ends_with("and 1 more"));  // the times are not known
  older.meta.created = days_ago(60);
  newer.meta.created = days_ago(21);
  CHECK(text().ends_with(
      "; 6 of them for two weeks or longer: revision 2 replaced revision 1 21d ago"));
  SECTION("not if the newer revision is young") {
    newer.meta.created = days_ago(13);
    CHECK(text().ends_with("and 1 more"));
  }
  SECTION("not if a rollback made an old revision the newest") {
    older.meta.created = days_ago(20);
    CHECK(text().ends_with("and 1 more"));
  }
  SECTION("the first revision after that of the pods counts") {
    newer.meta.created = days_ago(1);
    newer.revision = 3;
    story.add_revision("between", 2, 5);
    story.cluster.revisions.back().meta.created = days_ago(30);
    CHECK(text().ends_with(
        "; 6 of them for two weeks or longer: revision 2 replaced revision 1 30d ago"));
    story.cluster.pods[0].meta.labels.set("controller-revision-hash", "between");
    CHECK(text().find("; 5 of them for two weeks or longer") != std::string::npos);
  }
  SECTION("not without the revision of the pods") {
    story.cluster.revisions.pop_back();
    CHECK(text().ends_with("and 1 more"));
  }
}

TEST_CASE("with OnDelete a pod that would not be replaced is not to be deleted", "[rollout]") {
  TestStory story = six_old();
  story.ds().update_strategy = "OnDelete";
  const auto deletes = [&](bool creates_pods) {
    const auto findings =
        story.ask([&](const DaemonSetCase& c) { return rollout_findings(c, creates_pods); });
    const std::string text = fix_of(find(findings, "daemonset-ondelete-outdated"));
    const bool result = text.find("delete pod") != std::string::npos;
    CHECK(result == (text.find("repair first what keeps new pods") == std::string::npos));
    CHECK(result == (text.find("RollingUpdate") != std::string::npos));
    return result;
  };
  CHECK(deletes(true));
  CHECK_FALSE(deletes(false));
  SECTION("after the rollback only the failing revision's own pods are to be deleted") {
    story.cluster.pods.erase(story.cluster.pods.begin());
    crash(story.pod("n1"));
    CHECK_FALSE(deletes(true));
    const auto findings = story.ask(rollouts);
    CHECK(fix_of(find(findings, "rollout-new-broken")).find("kubectl -n x delete pod p6") !=
          std::string::npos);
  }
  SECTION("new pods that do not work block the deletion for any cause") {
    story.cluster.pods.erase(story.cluster.pods.begin());
    model::Pod& pod = story.pod("n1");
    CHECK(deletes(true));
    pod.conditions = {{"Ready", "False", "", "", at(0)}};
    pod.meta.created = at(test_now - 299);
    CHECK(deletes(true));
    pod.meta.created = at(test_now - 300);
    CHECK_FALSE(deletes(true));
    crash(pod);
    crash(story.cluster.pods.front());  // a pod of the old revision crashes as well
    CHECK_FALSE(deletes(true));
  }
  SECTION("kube-controller-manager does not renew its lease") {
    model::Lease& lease = story.cluster.leases.emplace_back();
    lease.meta.ns = "kube-system";
    lease.meta.name = "kube-controller-manager";
    lease.renewed = at(test_now - 600);
    CHECK_FALSE(deletes(true));
    CHECK(text_of(find(story.ask(rollouts), "daemonset-ondelete-outdated").message)
              .ends_with("; kube-controller-manager does not renew its lease"));
    story.event("SuccessfulCreate", "Created pod: p1", test_now - 60);
    CHECK(deletes(true));
  }
  SECTION("pods of nodes that are not eligible are not replaced") {
    story.node("n1").taints = {{"maint", "", "NoSchedule"}};
    CHECK(text_of(find(story.ask(rollouts), "daemonset-ondelete-outdated").message)
              .starts_with("OnDelete: 5 of 5 pods outdated until they are deleted: p2 on"));
  }
}

TEST_CASE("outdated pods are reported even if no node was read", "[rollout]") {
  TestStory story = six_old();
  story.cluster.nodes.clear();
  story.cluster.nodes_known = false;
  story.ds().reported = {6, 6, 0, 6, 6, 0};
  SECTION("OnDelete") {
    story.ds().update_strategy = "OnDelete";
    const auto findings = story.ask(rollouts);
    REQUIRE(ids(findings) == "daemonset-ondelete-outdated");
    CHECK(text_of(findings.front().message).starts_with("OnDelete: 6 of 6 pods outdated"));
    // the controller's status does not count pods on nodes that are not eligible
    story.ds().reported.updated_number_scheduled = 6;
    CHECK(story.ask(rollouts).empty());
  }
  SECTION("a rolling update, with surge or without") {
    CHECK(ids(story.ask(rollouts)).find("rollout-stuck") != std::string::npos);
    story.ds().max_surge = model::IntOrPercent{1, false};
    const auto findings = story.ask(rollouts);
    CHECK(ids(findings).find("rollout-stuck") != std::string::npos);
    for (const Finding& finding : findings) {
      CHECK(text_of(finding.message).find("does not exist") == std::string::npos);
    }
  }
}

TEST_CASE("a rollout without any progress is neglected", "[rollout]") {
  TestStory story = six_old();
  using namespace std::chrono_literals;
  const auto neglects = [](std::chrono::seconds silence) {
    return [silence](const DaemonSetCase& c) { return neglects_rollout(c, silence); };
  };
  const auto for_long = neglects(10h);
  CHECK(story.ask(for_long));
  SECTION("not if the silence is short") { CHECK_FALSE(story.ask(neglects(100s))); }
  SECTION("not within a quarter of an hour") {
    story.cluster.revisions.front().meta.created = at(test_now - 899);
    CHECK_FALSE(story.ask(for_long));
  }
  SECTION("not if the budget is used up") {
    story.cluster.pods[0].meta.deleted = at(1'000);
    CHECK_FALSE(story.ask(for_long));
  }
  SECTION("not with OnDelete") {
    story.ds().update_strategy = "OnDelete";
    CHECK_FALSE(story.ask(for_long));
  }
  SECTION("a controller that creates no pods has its own finding") {
    const auto findings =
        story.ask([](const DaemonSetCase& c) { return rollout_findings(c, false); });
    CHECK(text_of(find(findings, "rollout-stuck").message).find("the controller does not") ==
          std::string::npos);
    CHECK(text_of(find(story.ask(rollouts), "rollout-stuck").message)
              .find("the controller does not") != std::string::npos);
  }
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
  const auto findings = story.ask(rollouts);
  CHECK(ids(findings) == "rollout-budget rollout-stuck");
  CHECK(text_of(find(findings, "rollout-stuck").message) ==
        "rolling update is stuck: 5 of 6 nodes outdated, 1 pod terminating, no progress for 150m");
  CHECK(find(findings, "rollout-stuck").severity == Severity::Error);
  CHECK(
      text_of(find(findings, "rollout-budget").message) ==
      "maxUnavailable 1 is used up by 1 node: n1 (pod p1 is Terminating, 150m overdue, its node is "
      "NotReady); 5 old pods not updated yet");
  SECTION("a dead node is named immediately") {
    story.cluster.revisions.front().meta.created = at(test_now - 60);
    const auto early = story.ask(rollouts);
    CHECK(ids(early) == "rollout-budget drift-outdated-pods");
    CHECK(text_of(early.front().message).find("n1 (") != std::string::npos);
  }
}

TEST_CASE("a unit of maxUnavailable has one of five uses", "[rollout]") {
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
  SECTION("an old and a new pod") {
    story.pod("n3");
    CHECK(units() == "n3:2 ");
  }
  SECTION("a new pod that is not available yet") {
    story.cluster.pods[0].meta.labels = {{"app", "agent"}, {"controller-revision-hash", "new"}};
    CHECK(units().empty());
    story.ds().min_ready_seconds = 10'001;
    CHECK(units().substr(0, 5) == "n1:3 ");
  }
  SECTION("an unavailable old pod is replaced in any case") {
    story.cluster.pods[5].conditions.clear();
    CHECK(units() == "n6:4 ");
    CHECK(story.ask(replay_rollout).waiting == 5);
  }
  SECTION("a finished pod that is terminating does not count") {
    story.cluster.pods[5].phase = "Failed";
    story.cluster.pods[5].meta.deleted = at(9'000);
    CHECK(units() == "n6:0 ");
  }
}

TEST_CASE("the limits equal the controller's", "[rollout]") {
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

TEST_CASE("a rollout in progress is only paced", "[rollout]") {
  TestStory story = six_old();
  story.ds().min_ready_seconds = 300;
  story.cluster.pods.erase(story.cluster.pods.begin());
  model::Pod& fresh = story.pod("n1");
  fresh.meta.created = at(9'970);
  fresh.conditions = {{"Ready", "True", "", "", at(9'980)}};
  const auto findings = story.ask(rollouts);
  CHECK(ids(findings) == "rollout-paced drift-outdated-pods");
  CHECK(findings[0].severity == Severity::Info);
  CHECK(text_of(findings[0].message) ==
        "rolling update in progress: 5 of 6 nodes outdated, 1 at a time; maxUnavailable 1 in use "
        "by n1 (pod p6 has been ready for 20s of 300s); at least 25m more (minReadySeconds 300)");
  CHECK(text_of(findings[1].message) ==
        "pods by revision: new (revision 2), current: 1 pod; old (revision 1): 5 pods");
  SECTION("a new template cannot be stuck yet") {
    story.cluster.pods.pop_back();
    story.cluster.revisions.front().meta.created = at(9'900);
    CHECK(ids(story.ask(rollouts)) == "rollout-paced drift-outdated-pods");
  }
  SECTION("a template that the controller has not observed is not reported") {
    story.ds().generation = 2;
    CHECK(story.ask(rollouts).empty());
  }
  SECTION("without revisions nothing is reported") {
    story.cluster.revisions.clear();
    CHECK(story.ask(rollouts).empty());
  }
}

TEST_CASE("a new template that fails on every node is reported as broken", "[rollout]") {
  TestStory story = six_old();
  story.cluster.pods.erase(story.cluster.pods.begin());
  crash(story.pod("n1"));
  const auto findings = story.ask(rollouts);
  CHECK(ids(findings) == "rollout-new-broken rollout-budget rollout-stuck");
  CHECK(text_of(findings[0].message) ==
        "CrashLoopBackOff of container app in the only pod of the newest revision: container app "
        "exits repeatedly; 5 of 5 pods of older revisions are available");
  CHECK(fix_of(findings[0]) ==
        "roll back: kubectl rollout undo daemonset/agent -n x\nrepair what its pods lack: kubectl "
        "-n x describe pod p6");
  CHECK(text_of(findings[1].message).find("n1 (pod p6: CrashLoopBackOff of container app)") !=
        std::string::npos);
  SECTION("immediately and not after a quarter of an hour") {
    story.cluster.pods.back().meta.created = at(test_now - 60);
    CHECK(ids(story.ask(rollouts)) == "rollout-new-broken drift-outdated-pods");
  }
  SECTION("a pod between two crashes still counts as failing") {
    model::Pod& pod = story.cluster.pods.back();
    pod.statuses[0].waiting.reset();
    pod.statuses[0].running = true;
    pod.statuses[0].restart_count = 2;
    pod.statuses[0].last_terminated =
        model::TerminatedState{1, 0, "Error", "", at(test_now - 60), at(test_now - 50)};
    pod.conditions = {{"Ready", "True", "", "", at(test_now - 40)}};
    CHECK(find(story.ask(rollouts), "rollout-new-broken").severity == Severity::Error);
  }
  SECTION("old pods that crash in the same way rule out the change as the cause") {
    crash(story.cluster.pods.front());
    CHECK(ids(story.ask(rollouts)) == "rollout-budget rollout-stuck");
  }
  SECTION("a pod that can still become ready is not failing") {
    model::Pod& pod = story.cluster.pods.back();
    pod.statuses[0].waiting.reset();
    pod.statuses[0].running = true;
    pod.statuses[0].running_since = at(test_now - 30);
    CHECK(ids(story.ask(rollouts)) == "rollout-paced drift-outdated-pods");
    pod.statuses[0].last_terminated =
        model::TerminatedState{0, 0, "Completed", "", at(0), at(test_now - 60)};
    CHECK(ids(story.ask(rollouts)) == "rollout-budget rollout-stuck");
    pod.statuses[0].last_terminated.reset();
    pod.statuses[0].running_since = at(test_now - 300);
    CHECK(find(story.ask(rollouts), "rollout-new-broken").group == "/app");
  }
  SECTION("one working pod rules out the change as the cause") {
    story.cluster.pods.erase(story.cluster.pods.begin());
    story.pod("n2");
    CHECK(ids(story.ask(rollouts)) == "rollout-budget rollout-stuck");
  }
  SECTION("a NotReady node rules out the change as the cause") {
    make_unready(story.node("n1"));
    CHECK(ids(story.ask(rollouts)) == "rollout-budget rollout-stuck");
  }
}

TEST_CASE("a broken new template is reported even if no old pod is left", "[rollout]") {
  TestStory story;
  story.nodes({"n1"});
  crash(story.pod("n1"));
  CHECK(story.ask(rollouts).empty());  // there is no revision to roll back to
  story.add_revision("old", 1, 6);
  CHECK(story.ask(rollouts).empty());  // nothing shows that the change is the cause
  for (auto& revision : story.cluster.revisions) {
    if (revision.revision == 2) revision.meta.created = at(test_now - 600);
  }
  CHECK(ids(story.ask(rollouts)) == "rollout-new-broken");
}

TEST_CASE("a rollout that is stuck with budget left is the controller's problem", "[rollout]") {
  TestStory story = six_old();
  const auto findings = story.ask(rollouts);
  CHECK(ids(findings) == "rollout-stuck");
  CHECK(
      text_of(findings.front().message)
          .ends_with("maxUnavailable 1 is not used up, but the controller does not replace pods"));
  CHECK(fix_of(findings.front()) == "check the log of kube-controller-manager for x/agent");
}

TEST_CASE("a surge that is stuck with budget left is the controller's problem", "[rollout]") {
  TestStory story = six_old();
  story.ds().max_surge = model::IntOrPercent{1, false};
  story.ds().max_unavailable = model::IntOrPercent{0, false};
  const auto findings = story.ask(rollouts);
  CHECK(ids(findings) == "rollout-stuck");
  CHECK(text_of(findings.front().message)
            .ends_with("maxSurge 1 is not used up, but the controller does not create new pods"));
}

TEST_CASE("recreating a rejected pod is not progress", "[rollout]") {
  TestStory story = six_old();
  story.ds().max_surge = model::IntOrPercent{1, false};
  story.ds().max_unavailable = model::IntOrPercent{0, false};
  model::Pod& fresh = story.pod("n1");
  fresh.meta.created = at(test_now - 30);
  fresh.phase = "Failed";
  fresh.conditions = {};
  SECTION("rejected because of the node") {
    fresh.reason = "Evicted";
    fresh.message = "Pod was rejected: The node had condition: [DiskPressure]. ";
    const auto findings = story.ask(rollouts);
    CHECK(ids(findings) == "rollout-surge rollout-stuck");
    CHECK(text_of(findings.front().message) ==
          "maxSurge 1 is used up by 1 node: n1 (pod p7 is Failed (Evicted)); 5 old pods not "
          "updated yet");
  }
  SECTION("rejected because of the template") {
    fresh.reason = "SysctlForbidden";
    CHECK(find(story.ask(rollouts), "rollout-new-broken").group == "SysctlForbidden/");
    std::erase_if(story.cluster.pods, [](const model::Pod& pod) { return pod.meta.name == "p1"; });
    CHECK(ids(story.ask(rollouts)).find("new-broken") == std::string::npos);
  }
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
  SECTION("a host port never allows a surge whether stuck or not") {
    fresh.spec = with_port;
    story.cluster.pods[0].spec = with_port;
    CHECK(ids(story.ask(rollouts)) == "rollout-surge-port rollout-stuck");
    story.cluster.revisions.front().meta.created = at(9'900);
    const auto findings = story.ask(rollouts);
    CHECK(ids(findings) == "rollout-surge-port drift-outdated-pods");
    CHECK(
        text_of(findings.front().message) ==
        "maxSurge: new pods cannot start next to the old pods on n1: both need host port 9100/TCP");
    CHECK(fix_of(findings.front()) ==
          "use maxUnavailable instead of maxSurge: kubectl -n x patch ds agent --type=merge -p "
          "'{\"spec\":{\"updateStrategy\":"
          "{\"rollingUpdate\":{\"maxSurge\":0,\"maxUnavailable\":1}}}}'");
    SECTION("unless the new pod has just been created") {
      fresh.meta.created = at(9'950);
      CHECK(ids(story.ask(rollouts)) == "rollout-paced drift-outdated-pods");
    }
  }
  SECTION("no room for both pods") {
    fresh.conditions.front().message =
        "0/6 nodes are available: 1 Insufficient cpu, 5 node(s) didn't satisfy plugin(s).";
    CHECK(ids(story.ask(rollouts)) == "rollout-surge-room rollout-stuck");
  }
  SECTION("any other reason uses up maxSurge") {
    fresh.conditions.front().message = "0/6 nodes are available: 6 node(s) had taints.";
    const auto findings = story.ask(rollouts);
    CHECK(ids(findings) == "rollout-surge rollout-stuck");
    CHECK(text_of(find(findings, "rollout-surge").message) ==
          "maxSurge 1 is used up by 1 node: n1 (pod p7 is not scheduled); 5 old pods not updated "
          "yet");
  }
  SECTION("an old pod of a missing node aborts every sync") {
    story.cluster.pods.pop_back();
    story.cluster.nodes.erase(story.cluster.nodes.begin());
    const auto findings = story.ask(rollouts);
    CHECK(ids(findings) == "rollout-surge rollout-stuck");
    CHECK(
        text_of(find(findings, "rollout-surge").message).find("maxSurge: node n1 does not exist") ==
        0);
  }
}
