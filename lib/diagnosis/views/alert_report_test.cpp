// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/views/alert_report.h"

#include <catch2/catch.hpp>

#include "diagnosis/reporter.h"
#include "testing/cluster_story.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using dsdoctor::testing::at;

namespace {

/// DaemonSet x/agent with a ready pod on each of nodes a and b, and a matching status.
class AlertStory : public dsdoctor::testing::ClusterStory {
 public:
  AlertStory() {
    ds().meta.created = at(-100'000);
    ds().annotations = {{"deprecated.daemonset.template.generation", "2"}};
    ds().reported = {2, 2, 0, 2, 2, 2};
    for (const char* name : {"a", "b"}) {
      model::Node& node = add_node(name);
      node.meta.created = at(-90'000);
      node.conditions.clear();
      model::Pod& pod = add_pod(std::string("agent-") + name, name);
      pod.meta.labels.set("pod-template-generation", "2");
      pod.meta.created = at(-80'000);
      pod.conditions = {{"Ready", "True", "", "", at(-80'000)}};
    }
    cluster.all_pods_known = true;
    cluster.version = model::ServerVersion{1, 32, 0, "v1.32.0"};
  }

  void write_status(std::int64_t when) {
    model::FieldManager& writer = ds().meta.managers.emplace_back();
    writer.manager = "kube-controller-manager";
    writer.subresource = "status";
    writer.time = at(when);
  }

  [[nodiscard]] AlertReport judge(Alert alert, model::Time now = at(0)) const {
    const Facts facts(cluster, now);
    const auto report = Reporter(cluster, {{}, now, {}}).report(cluster.daemon_sets[0]);
    return judge_alert(alert, cluster.daemon_sets[0], report, facts);
  }
  model::Node& node() { return cluster.nodes[0]; }
  model::Pod& pod() { return cluster.pods[0]; }
};

}  // namespace

TEST_CASE("an alert is found by its name or in a notification", "[diagnosis][alert]") {
  for (const char* text :
       {"KubeDaemonSetMisScheduled", "misscheduled", "MISSCHEDULED", "KubeDaemonSetMisscheduled",
        "[FIRING:1] KubeDaemonSetMisScheduled (datadog-agent datadog warning)",
        "alertname=\"KubeDaemonSetMisScheduled\", daemonset=\"datadog-agent\"",
        "1 Pods of DaemonSet datadog/datadog-agent are running where they are not supposed to "
        "run."}) {
    CAPTURE(text);
    CHECK(alert_in(text) == Alert::MisScheduled);
  }
  CHECK(alert_in("2 Pods of DaemonSet x/y are not scheduled.") == Alert::NotScheduled);
  CHECK(alert_in("DaemonSet x/y has not finished or progressed for at least 15 minutes") ==
        Alert::RolloutStuck);
  for (const Alert alert : all_alerts) CHECK(alert_in(to_string(alert)) == alert);
  CHECK_FALSE(alert_in(""));
  CHECK_FALSE(alert_in("KubePodNotReady"));
  CHECK_FALSE(alert_in("KubeDaemonSetNotScheduled KubeDaemonSetMisScheduled"));
}

TEST_CASE("no alert holds for a healthy DaemonSet", "[diagnosis][alert]") {
  const AlertStory story;
  for (const Alert alert : all_alerts) {
    const AlertReport report = story.judge(alert);
    CHECK_FALSE(report.holds);
    CHECK(report.should_hold == false);
    CHECK(report.nodes.empty());
    CHECK(report.clearing.empty());
    CHECK_FALSE(report.clears_by_itself);
    CHECK_FALSE(report.since);
  }
}

TEST_CASE("a node that the autoscaler removes clears the alert when it is gone",
          "[diagnosis][alert]") {
  AlertStory story;
  story.ds().reported.number_misscheduled = 1;
  story.node().taints = {{"ToBeDeletedByClusterAutoscaler", "1699999400", "NoSchedule"}};
  model::Pod slow;
  slow.meta.name = "slow";
  slow.node_name = "a";
  slow.phase = "Running";
  model::PodSpec spec;
  spec.grace_seconds = 600;
  slow.spec = spec;
  story.cluster.pods.push_back(slow);
  AlertReport report = story.judge(Alert::MisScheduled);
  CHECK(report.holds);
  CHECK(report.should_hold == true);
  CHECK(report.nodes == base::IndexRuns{0});
  REQUIRE(report.clearing.size() == 1);
  CHECK(report.clearing[0].how == Clearing::NodeGone);
  CHECK(report.clearing[0].longest_grace == 600);
  CHECK(report.clearing[0].knows_all_pods);
  CHECK_FALSE(report.clearing[0].about);  // 1699999400 + 600 has passed, the drain may take longer
  CHECK(story.judge(Alert::MisScheduled, at(-1)).clearing[0].about == at(0));
  CHECK(report.clears_by_itself == true);
  CHECK(report.since == at(-600));
  CHECK_FALSE(fires_already(report));  // the window is 900 s; it may have held before that
  story.ds().meta.created = at(-700);
  CHECK(fires_already(story.judge(Alert::MisScheduled)) == false);
  story.ds().meta.created.reset();
  CHECK(fires_already(story.judge(Alert::MisScheduled, at(300))) == true);
  // After the start of the drain the pod's own deletionTimestamp is used.
  story.cluster.pods.back().meta.deleted = at(50);
  story.cluster.all_pods_known = false;
  report = story.judge(Alert::MisScheduled);
  CHECK(report.clearing[0].about == at(50));
  CHECK_FALSE(report.clearing[0].knows_all_pods);
}

TEST_CASE("the clearing of MisScheduled depends on the taint or deletion", "[diagnosis][alert]") {
  AlertStory story;
  story.ds().reported.number_misscheduled = 1;
  const auto how = [&] {
    const AlertReport report = story.judge(Alert::MisScheduled);
    REQUIRE(report.clearing.size() == 1);
    return report.clearing[0].how;
  };
  story.node().taints = {{"dedicated", "gpu", "NoSchedule"}};
  CHECK(how() == Clearing::Nothing);
  CHECK(story.judge(Alert::MisScheduled).clears_by_itself == false);
  CHECK_FALSE(story.judge(Alert::MisScheduled).since);
  story.pod().meta.deleted = at(20);
  CHECK(how() == Clearing::PodGone);
  CHECK(story.judge(Alert::MisScheduled).clearing[0].about == at(20));
  story.pod().meta.deleted.reset();
  story.node().taints = {{"node.kubernetes.io/not-ready", "", "NoSchedule", at(-1000)}};
  CHECK(how() == Clearing::NodeWell);
  CHECK_FALSE(story.judge(Alert::MisScheduled).clears_by_itself);
  story.node().conditions = {{"Ready", "True", "", "", at(-2000)}};
  CHECK(how() == Clearing::TaintGone);
  CHECK_FALSE(story.judge(Alert::MisScheduled).clears_by_itself);
  story.node().conditions.clear();
  CHECK(story.judge(Alert::MisScheduled).since == at(-1000));
  story.node().meta.deleted = at(-5);
  CHECK(how() == Clearing::NodeGone);
  story.node().meta.deleted.reset();
  story.node().taints = {{"maintenance", "", "NoExecute"}};
  CHECK(how() == Clearing::PodGone);  // the controller deletes it
}

TEST_CASE("NotScheduled holds for a missing pod", "[diagnosis][alert]") {
  AlertStory story;
  story.cluster.pods.erase(story.cluster.pods.begin());
  story.ds().reported = {2, 1, 0, 1, 1, 1};
  model::FieldManager writer;
  writer.spec = true;
  writer.operation = "Update";
  writer.time = at(-700);
  story.ds().meta.managers = {writer};
  // Without events the time of the last pod is not known.
  CHECK_FALSE(story.judge(Alert::NotScheduled).since);
  story.cluster.known.events = true;
  const AlertReport report = story.judge(Alert::NotScheduled);
  CHECK(report.holds);
  CHECK(report.terms ==
        std::vector<AlertTerm>{{"currentNumberScheduled", 1, "desiredNumberScheduled", 2, true}});
  CHECK(report.nodes == base::IndexRuns{0});
  CHECK(report.since == at(-700));
  CHECK(fires_already(report) == true);  // the window is ten minutes
  // After an hour the event of a deletion would have expired.
  CHECK(story.judge(Alert::NotScheduled, at(36'000)).since == at(36'000 - 3600));
  model::Event& event = story.cluster.events.emplace_back();
  event.kind = "DaemonSet";
  event.ns = "x";
  event.name = "agent";
  event.reason = "SuccessfulDelete";
  event.first = event.last = at(-30);
  CHECK(story.judge(Alert::NotScheduled).since == at(-30));
  CHECK_FALSE(fires_already(story.judge(Alert::NotScheduled)));
  model::Event& killed = story.cluster.events.emplace_back();
  killed.kind = "Pod";
  killed.ns = "x";
  killed.name = "agent-eu-x7x2k";  // belongs to DaemonSet agent-eu
  killed.reason = "Killing";
  killed.first = killed.last = at(-10);
  CHECK(story.judge(Alert::NotScheduled).since == at(-30));
  killed.name = "agent-x7x2k";
  CHECK(story.judge(Alert::NotScheduled).since == at(-10));
  CHECK_FALSE(story.judge(Alert::MisScheduled).holds);
  // A missing pod also counts for RolloutStuck.
  CHECK(story.judge(Alert::RolloutStuck).holds);
}

TEST_CASE("the reported status decides whether an alert holds", "[diagnosis][alert]") {
  AlertStory story;
  story.ds().reported.number_misscheduled = 1;
  AlertReport report = story.judge(Alert::MisScheduled);
  CHECK(report.holds);
  CHECK(report.should_hold == false);
  CHECK(report.nodes.empty());
  story.ds().reported.number_misscheduled = 0;
  story.node().taints = {{"dedicated", "gpu", "NoSchedule"}};
  report = story.judge(Alert::MisScheduled);
  CHECK_FALSE(report.holds);
  CHECK(report.should_hold == true);
  story.cluster.pods_known = false;
  CHECK_FALSE(story.judge(Alert::MisScheduled).should_hold);
}

TEST_CASE("a rollout in progress is not stuck", "[diagnosis][alert]") {
  AlertStory story;
  story.ds().reported = {2, 2, 0, 2, 2, 1};
  story.pod().meta.labels.set("pod-template-generation", "1");
  story.cluster.pods[1].meta.created = at(-200);
  AlertReport report = story.judge(Alert::RolloutStuck);
  CHECK_FALSE(report.holds);
  CHECK(report.should_hold == false);
  CHECK(report.progressed == at(-200));
  CHECK(report.nodes == base::IndexRuns{0});
  report = story.judge(Alert::RolloutStuck, at(101));
  CHECK(report.holds);
  CHECK_FALSE(report.since);                           // the time of the change is not known
  CHECK(report.clearing[0].how == Clearing::Passing);  // five minutes are not enough
  // With OnDelete nothing replaces the old pod.
  story.ds().update_strategy = "OnDelete";
  report = story.judge(Alert::RolloutStuck, at(101));
  CHECK(report.clearing[0].how == Clearing::Nothing);
  CHECK(report.clears_by_itself == false);
}

TEST_CASE("an overdue deletion or a finding of the rollout does not resolve without action",
          "[diagnosis][alert]") {
  AlertStory story;
  story.ds().reported = {2, 2, 0, 2, 2, 1};
  story.pod().meta.labels.set("pod-template-generation", "1");
  story.ds().update_strategy = "RollingUpdate";
  story.cluster.pods[1].conditions = {{"Ready", "False", "", "", at(-9000)}};
  story.cluster.pods[1].meta.created = at(-9000);
  AlertReport report = story.judge(Alert::RolloutStuck, at(9000));
  REQUIRE_FALSE(report.clearing.empty());
  for (const ClearingNodes& entry : report.clearing) CHECK(entry.how == Clearing::Nothing);
  CHECK(report.clears_by_itself == false);
  // A NoExecute taint that should have ended the pod long ago.
  story.ds().reported = {1, 2, 1, 2, 2, 2};
  story.node().taints = {{"dedicated", "gpu", "NoExecute", at(-9000)}};
  report = story.judge(Alert::MisScheduled, at(9000));
  REQUIRE(report.clearing.size() == 1);
  CHECK(report.clearing[0].how == Clearing::Nothing);
}

TEST_CASE("a pod that is not available keeps a rollout stuck", "[diagnosis][alert]") {
  AlertStory story;
  story.ds().reported = {2, 2, 0, 1, 1, 2};
  story.pod().conditions = {{"Ready", "False", "", "", at(-4000)}};
  const AlertReport report = story.judge(Alert::RolloutStuck);
  CHECK(report.holds);
  CHECK(report.nodes == base::IndexRuns{0});
  CHECK(report.since == at(-4000));
  CHECK(report.clearing[0].how == Clearing::NotKnown);
}

TEST_CASE("a pod that is not bound has kept a rollout stuck since it was created",
          "[diagnosis][alert]") {
  AlertStory story;
  story.ds().reported.number_available = 1;
  story.pod().meta.created = at(-3'600);
  story.pod().conditions.clear();
  SECTION("not bound") { AlertStory::unbind(story.pod(), "a", ""); }
  SECTION("failed") { story.pod().phase = "Failed"; }
  CHECK(story.judge(Alert::RolloutStuck).since == at(-3'300));  // no progress five minutes later
}

TEST_CASE("an alert holds at least since the last write of status", "[diagnosis][alert]") {
  AlertStory story;
  story.ds().reported.number_misscheduled = 1;
  story.node().taints = {{"node.kubernetes.io/not-ready", "", "NoSchedule", at(-5000)}};
  const auto since = [&] { return story.judge(Alert::MisScheduled).since; };
  CHECK(since() == at(-5000));
  // Since 1.33 a taint alone does not make the controller count.
  story.cluster.version = model::ServerVersion{1, 33, 0, "v1.33.0"};
  CHECK_FALSE(since());
  story.write_status(-300);
  CHECK(since() == at(-300));
  CHECK_FALSE(fires_already(story.judge(Alert::MisScheduled)));  // status is written at any change
  story.ds().reported.number_misscheduled = 0;
  CHECK_FALSE(since());
}

TEST_CASE("a missing pod counts at least since the last write of status", "[diagnosis][alert]") {
  AlertStory story;
  story.cluster.known.events = true;
  story.cluster.pods.erase(story.cluster.pods.begin());
  story.ds().reported = {2, 1, 0, 1, 1, 1};
  CHECK(story.judge(Alert::NotScheduled).since == at(-3600));
  // A pod that was deleted by force leaves no event.
  story.write_status(-120);
  CHECK(story.judge(Alert::NotScheduled).since == at(-120));
}

TEST_CASE("a write of status may have changed the number of updated pods", "[diagnosis][alert]") {
  AlertStory story;
  story.ds().reported = {2, 2, 0, 1, 1, 1};
  story.write_status(-958);
  CHECK(story.judge(Alert::RolloutStuck).since == at(-658));
  story.pod().conditions = {{"Ready", "False", "", "", at(-960)}};
  CHECK(story.judge(Alert::RolloutStuck).since == at(-658));
  story.pod().conditions = {{"Ready", "False", "", "", at(-5000)}};  // unavailable before
  CHECK(story.judge(Alert::RolloutStuck).since == at(-5000));
}

TEST_CASE("a pod that is not bound yet is progress", "[diagnosis][alert]") {
  AlertStory story;
  story.ds().reported = {2, 2, 0, 1, 1, 2};
  model::Pod& pod = story.pod();
  pod.meta.created = at(-200);
  pod.node_name = {};
  pod.node_affinity = model::NodeSelector{{{{}, {{"metadata.name", "In", {"a"}}}}}};
  pod.phase = "Pending";
  pod.conditions = {{"PodScheduled", "False", "Unschedulable", "", at(-200)}};
  const AlertReport report = story.judge(Alert::RolloutStuck);
  CHECK(report.progressed == at(-200));
  CHECK_FALSE(report.holds);
  CHECK(story.judge(Alert::RolloutStuck, at(101)).holds);
}

TEST_CASE("a pod that replaces one of the same template is not progress", "[diagnosis][alert]") {
  AlertStory story;
  story.ds().reported = {2, 2, 0, 1, 1, 2};
  story.pod().conditions = {{"Ready", "False", "", "", at(-200)}};
  story.pod().meta.created = at(-200);
  model::FieldManager writer;
  writer.spec = true;
  writer.operation = "Update";
  writer.time = at(-100'000);
  story.ds().meta.managers = {writer};
  for (model::Node& node : story.cluster.nodes) node.meta.created = at(-100'000);
  story.cluster.pods[1].meta.created = at(-99'900);
  AlertReport report = story.judge(Alert::RolloutStuck);
  CHECK(report.holds);
  CHECK(report.progressed == at(-99'900));
  SECTION("it may be the last one of a slow rollout") {
    story.cluster.pods[1].meta.created = at(-900);
    story.ds().meta.managers[0].time = at(-2000);
    CHECK_FALSE(story.judge(Alert::RolloutStuck).holds);
  }
  SECTION("its node is new") {
    story.node().meta.created = at(-260);
    CHECK_FALSE(story.judge(Alert::RolloutStuck).holds);
  }
  SECTION("the pod of a new node does not belong to the rollout") {
    story.cluster.nodes[1].meta.created = at(-1100);
    story.cluster.pods[1].meta.created = at(-1000);
    CHECK(story.judge(Alert::RolloutStuck).holds);
    CHECK(story.judge(Alert::RolloutStuck).progressed == at(-1000));
  }
  SECTION("a taint of its node was removed just before") {
    model::FieldManager taints;
    taints.taints = true;
    taints.operation = "Update";
    taints.time = at(-210);
    story.node().meta.managers = {taints};
    CHECK_FALSE(story.judge(Alert::RolloutStuck).holds);
  }
  SECTION("it could not be created before") {
    model::Event& event = story.cluster.events.emplace_back();
    event.kind = "DaemonSet";
    event.ns = "x";
    event.name = "agent";
    event.reason = "FailedCreate";
    event.first = event.last = at(-260);
    CHECK_FALSE(story.judge(Alert::RolloutStuck).holds);
  }
  SECTION("the time of the template is not known") {
    story.ds().meta.managers.clear();
    CHECK_FALSE(story.judge(Alert::RolloutStuck).holds);
  }
}

TEST_CASE("a new template is progress for five minutes", "[diagnosis][alert]") {
  AlertStory story;
  story.ds().reported = {2, 2, 0, 2, 2, 0};
  story.ds().update_strategy = GENERATE("RollingUpdate", "OnDelete");
  for (model::Pod& pod : story.cluster.pods) pod.meta.labels.set("pod-template-generation", "1");
  model::FieldManager writer;
  writer.spec = true;
  writer.operation = "Update";
  writer.time = at(-200);
  story.ds().meta.managers = {writer};
  AlertReport report = story.judge(Alert::RolloutStuck);
  CHECK_FALSE(report.holds);
  CHECK(report.progressed == at(-200));
  report = story.judge(Alert::RolloutStuck, at(200));
  CHECK(report.holds);
  CHECK(report.since == at(100));
}

TEST_CASE("an alert does not clear without action after kubelet failure or with a finalizer",
          "[diagnosis][alert]") {
  AlertStory story;
  story.ds().reported.number_misscheduled = 1;
  story.node().taints = {{"dedicated", "gpu", "NoSchedule"}};
  story.pod().meta.deleted = at(20);
  const auto clears = [&] { return story.judge(Alert::MisScheduled).clears_by_itself; };
  CHECK(clears() == true);
  SECTION("a dead kubelet") {
    story.node().conditions = {{"Ready", "Unknown", "", "", at(-100)}};
    CHECK_FALSE(clears());
    CHECK(story.judge(Alert::MisScheduled).clearing[0].how == Clearing::NodeWell);
  }
  SECTION("a finalizer") {
    story.pod().meta.finalizers = {"example.com/hold"};
    CHECK(clears() == false);
  }
  SECTION("overdue") {
    story.pod().meta.deleted = at(-61);
    CHECK(clears() == false);
  }
  SECTION("a removal that takes too long") {
    story.pod().meta.deleted.reset();
    story.node().taints = {{"ToBeDeletedByClusterAutoscaler", "1699999000", "NoSchedule"}};
    CHECK(clears() == true);
    story.node().taints = {{"ToBeDeletedByClusterAutoscaler", "1699990000", "NoSchedule"}};
    story.cluster.all_pods_known = false;
    CHECK(clears() == true);  // a pod may have a grace period of a day
    story.cluster.crowded_nodes = {story.node().meta.name};
    CHECK(clears() == false);
  }
}

TEST_CASE("only findings that explain an alert are listed with it", "[diagnosis][alert]") {
  AlertStory story;
  story.ds().reported = {2, 2, 1, 2, 2, 1};
  story.ds().pod_template.node_name = "b";  // causes a finding that does not explain an alert
  story.node().taints = {{"dedicated", "gpu", "NoSchedule"}};
  const auto findings = story.judge(Alert::MisScheduled).findings;
  CHECK(std::ranges::find(findings, "daemonset-pinned-to-node") == findings.end());
  CHECK(std::ranges::find(findings, "daemonset-status-inconsistent") == findings.end());
  CHECK_FALSE(findings.empty());
}

TEST_CASE("invalid counts and times do not cause errors", "[diagnosis][alert]") {
  AlertStory story;
  story.ds().reported = {-5, 7, -1, 0, 0, 0};
  CHECK_FALSE(story.judge(Alert::NotScheduled).holds);
  CHECK_FALSE(story.judge(Alert::MisScheduled).holds);
  CHECK(story.judge(Alert::RolloutStuck).holds);
  story.node().taints = {{"ToBeDeletedByClusterAutoscaler", "-1", "NoSchedule"}};
  model::PodSpec spec;
  spec.grace_seconds = std::numeric_limits<std::int64_t>::max();
  story.pod().spec = spec;
  const AlertReport report = story.judge(Alert::MisScheduled);
  REQUIRE(report.clearing.size() == 1);
  CHECK_FALSE(report.clearing[0].about);
  CHECK_FALSE(report.since);
}
