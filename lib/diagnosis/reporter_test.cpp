// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/reporter.h"

#include <catch2/catch.hpp>

#include "diagnosis/report/groups.h"
#include "diagnosis/test_story.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using diagnosis::testing::TestStory;
using dsdoctor::testing::at;
using model::Time;
using render::text_of;

namespace {

/// A cluster with DaemonSet x/agent, whose current revision has hash "new". Nodes named r… are
/// eligible, k… have an untolerated NoSchedule taint, n… an untolerated NoExecute one.
class ReporterStory : public TestStory {
 public:
  ReporterStory& nodes(std::initializer_list<const char*> names) {
    for (const std::string_view name : names) {
      model::Node& node = add_node(name);
      if (name.front() == 'k') node.taints = {{"keep", "", "NoSchedule"}};
      if (name.front() == 'n') node.taints = {{"no", "", "NoExecute"}};
    }
    return *this;
  }

  [[nodiscard]] DaemonSetReport report(Time now = at(1000)) const {
    return Reporter(cluster, {{}, now, {}}).report(cluster.daemon_sets.front());
  }

  /// "desired/current/misscheduled/ready/available/updated"
  [[nodiscard]] std::string counts(Time now = at(1000)) const {
    const auto c = report(now).evaluated.counts;
    std::string result;
    for (const std::int64_t count :
         {c.desired_number_scheduled, c.current_number_scheduled, c.number_misscheduled,
          c.number_ready, c.number_available, c.updated_number_scheduled}) {
      result += (result.empty() ? "" : "/") + std::to_string(count);
    }
    return result;
  }

  [[nodiscard]] std::string verdict(std::string_view node) const {
    const auto all = report();
    const auto found =
        std::ranges::find(all.nodes, node, [](const auto& n) { return n.name.view(); });
    return found == all.nodes.end() ? "?" : std::string(to_string(found->verdict()));
  }
};

void unbind(model::Pod& pod, const char* target) {
  ReporterStory::unbind(pod, target, "");
  pod.conditions.clear();
}

void make_old(model::Pod& pod) {
  pod.meta.labels = {{"app", "agent"}, {"controller-revision-hash", "old"}};
}

}  // namespace

// Cases and results were recorded with the controller of Kubernetes 1.36.2.
TEST_CASE("counts follow the controller's formulas", "[diagnosis]") {
  ReporterStory story;
  SECTION("a ready pod on each of three nodes") {
    story.nodes({"r1", "r2", "r3"});
    for (const char* node : {"r1", "r2", "r3"}) story.pod(node);
    CHECK(story.counts() == "3/3/0/3/3/3");
  }
  SECTION("no pod is outdated without revisions and generation") {
    story.nodes({"r1"}).pod("r1");
    story.cluster.revisions.clear();
    story.ds().reported = {1, 1, 0, 1, 1, 1};
    const auto report = story.report();
    CHECK_FALSE(report.evaluated.revision_known);
    CHECK_FALSE(report.nodes.front().pods().front().outdated);
    REQUIRE(report.differences);
    CHECK(report.differences->empty());
  }
  SECTION("a pod with an untolerated NoSchedule taint is misscheduled") {
    story.nodes({"k1", "r1", "r2"});
    for (const char* node : {"r1", "r2", "k1"}) story.pod(node);
    CHECK(story.counts() == "2/2/1/2/2/2");
  }
  SECTION("a node with an untolerated NoSchedule taint and without a pod") {
    story.nodes({"k1", "r1", "r2"});
    for (const char* node : {"r1", "r2"}) story.pod(node);
    CHECK(story.counts() == "2/2/0/2/2/2");
  }
  SECTION("a terminating pod on an excluded node") {
    story.nodes({"n1"}).pod("n1").meta.deleted = at(5);
    CHECK(story.counts() == "0/0/1/0/0/0");
  }
  SECTION("an unscheduled pod for an excluded node") {
    unbind(story.nodes({"n1"}).pod(""), "n1");
    CHECK(story.counts() == "0/0/1/0/0/0");
  }
  SECTION("an unscheduled pod for an eligible node") {
    unbind(story.nodes({"r1"}).pod(""), "r1");
    CHECK(story.counts() == "1/1/0/0/0/1");
  }
  SECTION("no pod") {
    story.nodes({"r1"});
    CHECK(story.counts() == "1/0/0/0/0/0");
  }
  SECTION("a pod of a deleted node") {
    story.pod("gone");
    CHECK(story.counts() == "0/0/0/0/0/0");
  }
  SECTION("a failed pod and a failed pod that is terminating") {
    model::Pod& pod = story.nodes({"r1"}).pod("r1");
    pod.phase = "Failed";
    pod.conditions.clear();
    CHECK(story.counts() == "1/1/0/0/0/1");
    pod.meta.deleted = at(5);
    CHECK(story.counts() == "1/0/0/0/0/0");
    story.cluster.version = model::ServerVersion{1, 25, 0, ""};
    CHECK(story.counts() == "1/1/0/0/0/1");
  }
  SECTION("a terminating pod that is still ready") {
    story.nodes({"r1"}).pod("r1").meta.deleted = at(5);
    CHECK(story.counts() == "1/1/0/1/1/1");
  }
  SECTION("minReadySeconds are exact to the second") {
    story.nodes({"r1"}).pod("r1");
    story.ds().min_ready_seconds = 30;
    CHECK(story.counts(at(30)) == "1/1/0/1/1/1");
    CHECK(story.counts(at(29)) == "1/1/0/1/0/1");
    story.cluster.version = model::ServerVersion{1, 33, 0, ""};
    CHECK(story.counts(at(30)) == "1/1/0/1/0/1");
  }
  SECTION("the oldest bound pod represents all pods of a node") {
    story.nodes({"r1"});
    make_old(story.pod("r1"));
    story.pod("r1").conditions.clear();
    CHECK(story.counts() == "1/1/0/1/1/0");
  }
  SECTION("a bound pod comes before an older unbound one") {
    story.nodes({"r1"});
    unbind(story.pod(""), "r1");
    model::Pod& bound = story.pod("r1");
    make_old(bound);
    bound.meta.created = at(50);
    CHECK(story.counts() == "1/1/0/1/1/0");
  }
}

TEST_CASE("the first matching row of the table is the verdict", "[diagnosis]") {
  ReporterStory story;
  story.nodes({"k1", "n1", "r1"});
  CHECK(story.verdict("r1") == "missing");
  CHECK(story.verdict("k1") == "excluded");
  CHECK(story.verdict("n1") == "excluded");
  SECTION("the state of the pod") {
    model::Pod& pod = story.pod("r1");
    CHECK(story.verdict("r1") == "running");
    pod.conditions[0].status = "False";
    CHECK(story.verdict("r1") == "not-ready");
    pod.phase = "Succeeded";
    CHECK(story.verdict("r1") == "failed");
    pod.phase = "Running";
    pod.meta.deleted = at(5);
    CHECK(story.verdict("r1") == "terminating");
    unbind(pod, "r1");
    CHECK(story.verdict("r1") == "terminating");
    pod.meta.deleted.reset();
    CHECK(story.verdict("r1") == "pending");
  }
  SECTION("the decision for the node") {
    story.pod("k1");
    story.pod("n1");
    CHECK(story.verdict("k1") == "misscheduled");
    CHECK(story.verdict("n1") == "removing");
  }
  SECTION("two pods are a duplicate unless surge explains them") {
    story.pod("r1");
    make_old(story.pod("r1"));
    CHECK(story.verdict("r1") == "duplicate");
    story.ds().max_surge = model::IntOrPercent{1, false};
    CHECK(story.verdict("r1") == "running");
    story.cluster.revisions.clear();  // the current revision need not be known
    CHECK(story.verdict("r1") == "running");
    story.ds().update_strategy = "OnDelete";
    CHECK(story.verdict("r1") == "duplicate");
  }
  SECTION("surge explains only two pods of different revisions") {
    story.ds().max_surge = model::IntOrPercent{1, false};
    story.pod("r1");
    story.pod("r1");
    CHECK(story.verdict("r1") == "duplicate");
    make_old(story.pod("r1"));
    CHECK(story.verdict("r1") == "duplicate");
    story.cluster.pods.pop_back();
    for (model::Pod& pod : story.cluster.pods) pod.meta.labels = {{"app", "agent"}};
    CHECK(story.verdict("r1") == "duplicate");
  }
  SECTION("a terminating pod beside its successor") {
    story.pod("r1").meta.deleted = at(5);
    story.pod("r1");
    CHECK(story.verdict("r1") == "running");
  }
  SECTION("no pod is missing if no pods were read") {
    story.cluster.pods_known = false;
    CHECK(story.verdict("r1") == "unknown");
    CHECK(story.verdict("k1") == "excluded");
  }
  SECTION("only the pods of its own namespace matter") {
    story.cluster.namespaces_without_pods = {"a"};
    CHECK(story.verdict("r1") == "missing");
    story.cluster.namespaces_without_pods = {"a", model::Text(story.report().ns)};
    CHECK(story.verdict("r1") == "unknown");
    CHECK_FALSE(story.report().covered);
    story.pod("r1");
    CHECK(story.verdict("r1") == "running");
  }
}

TEST_CASE("pods are claimed as the controller claims them", "[diagnosis]") {
  ReporterStory story;
  story.nodes({"r1"});
  model::Pod& pod = story.pod("r1");
  SECTION("a pod with reference and labels is claimed") { CHECK(story.verdict("r1") == "running"); }
  SECTION("a pod of another namespace is not claimed") {
    pod.meta.ns = "y";
    CHECK(story.verdict("r1") == "missing");
  }
  SECTION("a pod with another owner UID is not claimed") {
    pod.meta.controller->uid = "uid-2";
    CHECK(story.verdict("r1") == "missing");
  }
  SECTION("a pod with another owner kind was claimed by UID before 1.33") {
    pod.meta.controller->kind = "Job";
    CHECK(story.verdict("r1") == "missing");
    story.cluster.version = model::ServerVersion{1, 32, 0, ""};
    CHECK(story.verdict("r1") == "running");
  }
  SECTION("a pod is released if the labels do not match") {
    pod.meta.labels = {{"app", "other"}};
    CHECK(story.verdict("r1") == "missing");
    CHECK(std::ranges::count(story.report().findings, "pod-released", &Finding::name) == 1);
  }
  SECTION("a pod without an owner is adopted unless it is terminating") {
    pod.meta.controller.reset();
    CHECK(story.verdict("r1") == "running");
    CHECK(std::ranges::count(story.report().findings, "pod-orphaned", &Finding::name) == 1);
    pod.meta.deleted = at(5);
    CHECK(story.verdict("r1") == "missing");
  }
  SECTION("a DaemonSet that is being deleted adopts nothing") {
    pod.meta.controller.reset();
    story.ds().meta.deleted = at(5);
    CHECK(story.verdict("r1") == "missing");
  }
  SECTION("a pod is claimed by name if a dump has no UIDs") {
    pod.meta.controller->uid = {};
    CHECK(story.verdict("r1") == "running");
    pod.meta.controller->uid = "uid-1";
    story.ds().meta.uid = {};
    CHECK(story.verdict("r1") == "running");
  }
}

TEST_CASE("the target node of an unbound pod is the first name in its affinity", "[diagnosis]") {
  using Terms = std::vector<model::NodeSelectorTerm>;
  const auto target = [](std::optional<Terms> terms) -> std::string {
    model::Pod pod;
    if (terms) pod.node_affinity = model::NodeSelector{*terms};
    const model::Text* node = target_node(pod);
    return node ? node->str() : "none";
  };
  const auto name = [](const char* op, std::vector<model::Text> values) {
    return model::NodeSelectorTerm{{}, {{"metadata.name", op, std::move(values)}}};
  };
  CHECK(target(std::nullopt) == "none");
  CHECK(target(Terms{}) == "none");
  CHECK(target(Terms{name("In", {"x"}), name("In", {"y"})}) == "x");
  CHECK(target(Terms{name("NotIn", {"x"}), name("In", {"y"})}) == "y");
  CHECK(target(Terms{name("In", {"x", "y"}), name("In", {"z"})}) == "none");
  CHECK(target(Terms{{{{"kubernetes.io/hostname", "In", {"x"}}}, {}}}) == "none");
}

TEST_CASE("a pod is up to date by revision hash or by template generation", "[diagnosis]") {
  ReporterStory story;
  story.nodes({"r1"});
  model::Pod& pod = story.pod("r1");
  make_old(pod);
  CHECK(story.counts() == "1/1/0/1/1/0");
  pod.meta.labels = {{"app", "agent"}, {"pod-template-generation", "3"}};
  story.ds().annotations = {{"deprecated.daemonset.template.generation", "3"}};
  CHECK(story.counts() == "1/1/0/1/1/1");
  story.ds().annotations = {{"deprecated.daemonset.template.generation", "three"}};
  CHECK(story.counts() == "1/1/0/1/1/0");
}

TEST_CASE("an unknown template does not match any revision", "[diagnosis]") {
  ReporterStory story;
  story.nodes({"r1"});
  story.pod("r1");
  story.ds().template_fingerprint = 0;
  CHECK_FALSE(story.report().evaluated.revision_known);
  story.cluster.revisions.front().template_fingerprint = 0;
  CHECK_FALSE(story.report().evaluated.revision_known);
  story.ds().template_fingerprint = 7;
  CHECK_FALSE(story.report().evaluated.revision_known);
  story.cluster.revisions.front().template_fingerprint = 7;
  CHECK(story.report().evaluated.revision_known);
}

TEST_CASE("nodes with the same verdict and reasons are one group", "[diagnosis]") {
  ReporterStory story;
  story.nodes({"k1", "k2", "k3", "r1"});
  story.ds().pod_template.node_selector = {{"zone", "a"}};
  for (model::Node& node : story.cluster.nodes) node.meta.labels = {{"pool", "p"}, {"zone", "a"}};
  story.cluster.nodes[0].taints = {{"ToBeDeletedByClusterAutoscaler", "1601646271", "NoSchedule"}};
  story.cluster.nodes[1].taints = {{"ToBeDeletedByClusterAutoscaler", "1601646299", "NoSchedule"}};
  story.cluster.nodes[2].taints.clear();
  story.cluster.nodes[2].meta.labels = {{"zone", "b"}};
  story.pod("r1");
  const DaemonSetReport report = story.report();
  const auto groups = group_nodes(report, TellingLabels(story.cluster));
  REQUIRE(groups.size() == 3);
  CHECK(groups[0].nodes.size() == 2);
  CHECK(groups[0].reasons[0].value_varies);
  REQUIRE(groups[1].reasons[0].haves.size() == 1);
  CHECK(groups[1].reasons[0].haves[0] == HaveCount{model::Text("b"), 1});
  CHECK(groups[2].verdict == NodeVerdict::Running);
  const auto all_causes = causes(report);
  REQUIRE(all_causes.size() == 2);
  CHECK(all_causes[0].nodes.size() == 2);
}

TEST_CASE("pods on nodes that do not exist are a difference", "[diagnosis]") {
  dsdoctor::testing::ClusterStory story;
  story.add_node("a");
  story.add_pod("agent-aaaaa", "a");
  story.add_pod("agent-bbbbb", "gone");
  const Reporter reporter(story.cluster, {{}, at(1000), {}});
  const DaemonSetReport report = reporter.report(story.ds());
  CHECK(report.nodes.size() == 1);
  REQUIRE(report.vanished_nodes.size() == 1);
  CHECK(report.vanished_nodes[0].name == "gone");
  CHECK(report.vanished_nodes[0].verdict() == NodeVerdict::Removing);
  CHECK(report.evaluated.counts.current_number_scheduled == 1);
  REQUIRE(report.vanished_nodes[0].findings().size() == 1);
  CHECK(report.vanished_nodes[0].findings()[0].name() == "pod-on-missing-node");
}

TEST_CASE("nodes may exist that were not read", "[diagnosis]") {
  dsdoctor::testing::ClusterStory story;
  story.add_node("a");
  story.add_pod("agent-aaaaa", "a");
  story.add_pod("agent-bbbbb", "elsewhere");
  story.cluster.all_nodes_known = false;
  model::DaemonSet& ds = story.ds();
  ds.generation = ds.observed_generation = 1;
  ds.reported = {2, 2, 0, 2, 2, 2};
  const auto told = [&] {
    std::set<std::string> names;
    const Reporter reporter(story.cluster, {{}, at(1000), {}});
    const DaemonSetReport report = reporter.report(ds);
    CHECK(report.nodes.size() == 1);
    CHECK(report.vanished_nodes.size() == story.cluster.events.size());
    for (const Finding& finding : report.findings) names.emplace(finding.name());
    return names;
  };
  const std::set<std::string> untrue = {"pod-on-missing-node", "daemonset-status-inconsistent",
                                        "daemonset-none-running", "daemonset-no-eligible-node",
                                        "daemonset-status-not-ready"};
  const auto untrue_in = [&](const std::set<std::string>& names) {
    std::vector<std::string> result;
    std::ranges::set_intersection(names, untrue, std::back_inserter(result));
    return result;
  };
  using Words = std::vector<std::string>;
  CHECK(untrue_in(told()).empty());
  SECTION("an event shows that the node was deleted") {
    model::Event& event = story.cluster.events.emplace_back();
    event.kind = "Node";
    event.name = "elsewhere";
    event.reason = "RemovingNode";
    CHECK(untrue_in(told()) == Words{"pod-on-missing-node"});
  }
  SECTION("nodes that were not read may be the eligible ones") {
    story.cluster.nodes[0].taints = {{"k", "", "NoSchedule"}};
    story.cluster.pods.erase(story.cluster.pods.begin());
    CHECK(untrue_in(told()).empty());
    story.cluster.nodes[0].taints.clear();
    CHECK(untrue_in(told()).empty());
  }
  SECTION("the status reports unready pods of nodes that were not read") {
    ds.reported.number_ready = 1;
    CHECK(untrue_in(told()) == Words{"daemonset-status-not-ready"});
  }
  SECTION("a status that counts fewer nodes than were read is outdated") {
    ds.reported.desired_number_scheduled = 0;
    CHECK(untrue_in(told()) == Words{"daemonset-status-inconsistent"});
  }
}

TEST_CASE("the report has the nodes of pods if no node could be read", "[diagnosis]") {
  dsdoctor::testing::ClusterStory story;
  story.cluster.nodes_known = false;
  story.add_pod("agent-aaaaa", "a");
  model::Pod& crashing = story.add_pod("agent-bbbbb", "b");
  crashing.conditions = {{"Ready", "False", "ContainersNotReady", "", at(0)}};
  model::ContainerStatus& status = crashing.statuses.emplace_back();
  status.name = "agent";
  status.waiting = model::WaitingState{"CrashLoopBackOff", ""};
  story.ds().reported.desired_number_scheduled = 3;
  story.ds().reported.number_ready = 1;
  const Reporter reporter(story.cluster, {{}, at(1000), {}});
  const DaemonSetReport report = reporter.report(story.ds());
  REQUIRE(report.nodes.size() == 2);
  CHECK(report.nodes[0].verdict() == NodeVerdict::Running);
  CHECK_FALSE(report.nodes[0].node_known());
  CHECK(report.nodes[1].verdict() == NodeVerdict::NotReady);
  CHECK_FALSE(report.nodes[1].findings().empty());
  CHECK(report.vanished_nodes.empty());
  CHECK(report.all_nodes == 0);
  const auto told =
      std::ranges::find(report.findings, "daemonset-status-not-ready", &Finding::name);
  REQUIRE(told != report.findings.end());
  CHECK(text_of(told->message).starts_with("status reports 3 desired, 0 current, 1 ready"));
  // A pod that was read has its own findings.
  story.ds().reported = {3, 3, 0, 2, 2, 3};
  const DaemonSetReport all_told = reporter.report(story.ds());
  CHECK(std::ranges::count(all_told.findings, "daemonset-status-not-ready", &Finding::name) == 0);
}

TEST_CASE("the status reports unready pods if no pod could be read", "[diagnosis]") {
  dsdoctor::testing::ClusterStory story;
  story.add_node("a");
  story.add_node("b");
  story.cluster.pods_known = false;
  model::DaemonSetCounts& reported = story.ds().reported;
  reported = {2, 2, 0, 2, 2, 2};
  const auto ask = [&] {
    return Reporter(story.cluster, {{}, at(100'000), {}}).report(story.ds());
  };
  const auto told = [](const DaemonSetReport& report) {
    return std::ranges::find(report.findings, "daemonset-status-not-ready", &Finding::name);
  };
  const DaemonSetReport well = ask();
  CHECK(told(well) == well.findings.end());
  CHECK_FALSE(well.differences);  // one counter of six agrees
  reported.number_ready = 0;
  const DaemonSetReport down = ask();
  REQUIRE(told(down) != down.findings.end());
  CHECK(told(down)->severity == Severity::Error);
  CHECK(text_of(told(down)->message) ==
        "status reports 2 desired, 2 current, 0 ready, 0 misscheduled; which nodes have a pod is "
        "unknown: pods were not read");
  reported = {2, 2, 1, 2, 2, 2};
  const DaemonSetReport strays = ask();
  REQUIRE(told(strays) != strays.findings.end());
  CHECK(told(strays)->severity == Severity::Info);  // the pods may be about to be deleted
  reported = {5, 2, 0, 5, 5, 5};
  REQUIRE(ask().differences);
  CHECK(ask().differences->size() == 1);
  reported.number_ready = 0;
  story.ds().meta.created = at(100'000 - 5);
  const DaemonSetReport young = ask();
  REQUIRE(told(young) != young.findings.end());
  CHECK(told(young)->severity == Severity::Info);
}
