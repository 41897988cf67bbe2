// SPDX-License-Identifier: Apache-2.0
#include "fixes/today.h"

#include <catch2/catch.hpp>

#include "diagnosis/catalogue/findings/rollout.h"
#include "fixes/test_fixes.h"
#include "fixes/what_if.h"
#include "render/words/message_text.h"

using namespace dsdoctor;
using namespace dsdoctor::fixes;
using render::text_of;

TEST_CASE("a pod that does not fit is the problem of its node", "[fixes]") {
  model::Cluster before = three_nodes();
  before.nodes[1].taints = before.nodes[2].taints = {{"x", "", "NoSchedule"}};
  before.pods[0].phase = "Running";
  before.pods[0].conditions = {{"Ready", "True", "", "", model::Time()}};
  model::Container container;
  container.requests = {{"cpu", "2"}};
  before.daemon_sets[0].pod_template.labels = {{"app", "agent"}};
  before.daemon_sets[0].pod_template.spec.containers = {container};
  for (model::Node& node : before.nodes) node.allocatable = {{"cpu", "1"}, {"pods", "10"}};
  model::Cluster after = before;
  after.nodes[2].taints.clear();
  const auto diagnosed = [](const model::Cluster& cluster) {
    return diagnosis::Reporter(cluster, {}).report(cluster.daemon_sets.front());
  };
  const auto findings = [&] {
    diagnosis::DaemonSetReport report = diagnosed(after);
    Today(before, after, {diagnosed(before)}).complete(report);
    REQUIRE(report.nodes[2].findings().size() == 1);
    return report.nodes[2].findings().front();
  };
  SECTION("the pod does not fit") {
    CHECK(findings().id == diagnosis::FindingId::SchedNeverFits);
    CHECK(findings().severity == diagnosis::Severity::Error);
    CHECK_FALSE(findings().transient);
    return;
  }
  SECTION("the pod fits") {
    for (model::Node& node : after.nodes) node.allocatable.set("cpu", "4");
  }
  model::Pod other;
  other.meta.name = "other";
  other.node_name = after.nodes[2].meta.name;
  model::PodSpec of_other;
  of_other.priority = -10;
  other.spec = of_other;
  model::PodSpec& own = after.daemon_sets[0].pod_template.spec;
  SECTION("the pod may preempt pods with a lower default priority") { after.pods.push_back(other); }
  SECTION("the pod may preempt pods by its priority class") {
    own.priority_class = "system-node-critical";
    of_other.priority = 0;
    other.spec = of_other;
    after.pods.push_back(other);
  }
  SECTION("its priority class was not read") {
    own.priority_class = "mine";
    after.pods.push_back(other);
  }
  SECTION("no pod can be preempted") {
    SECTION("the other pod has ended") { other.phase = "Succeeded"; }
    SECTION("the preemption policy is Never") { own.preemption_policy = "Never"; }
    after.pods.push_back(other);
    CHECK(findings().id == diagnosis::FindingId::SchedNeverFits);
    return;
  }
  CHECK(findings().id == diagnosis::FindingId::NodeNewlyEligible);
  CHECK(findings().transient);
}

TEST_CASE("current causes still hold where nothing changes", "[fixes]") {
  model::Cluster before = three_nodes();
  std::vector<diagnosis::DaemonSetReport> reports;
  reports.push_back(report_of(before));
  diagnosis::Finding finding;
  finding.id = diagnosis::FindingId::CreateRefused;
  finding.severity = diagnosis::Severity::Error;
  for (std::size_t i = 0; i < reports.front().nodes.size(); ++i) {
    reports.front().nodes.change(i, [&](auto& state) { state.findings = {finding}; });
  }
  reports.front().findings = {finding};
  const auto left = [&](const model::Cluster& after) {
    diagnosis::DaemonSetReport report = report_of(after);
    Today(before, after, reports).complete(report);
    std::vector<std::size_t> counts;
    for (const auto& node : report.nodes) counts.push_back(node.findings().size());
    counts.push_back(report.findings.size());
    return counts;
  };
  using Counts = std::vector<std::size_t>;
  CHECK(left(before) == Counts{1, 1, 1, 1});
  model::Cluster after = before;
  after.nodes[0].taints = {{"x", "", "NoSchedule"}};
  CHECK(left(after) == Counts{0, 1, 1, 1});
  {
    auto of_counts = reports;
    of_counts.front().findings.front().id = diagnosis::FindingId::DaemonsetFewerThanNodes;
    diagnosis::DaemonSetReport report = report_of(after);
    Today(before, after, of_counts).complete(report);
    CHECK(report.findings.empty());
  }
  after = before;
  after.nodes[0].meta.labels.set("a", "b");  // the verdict is unchanged, the node is not
  CHECK(left(after) == Counts{0, 1, 1, 1});
  {
    // The reasons of a node that is not eligible explain everything.
    model::Cluster tainted = before;
    tainted.nodes[0].taints = {{"x", "", "NoSchedule"}};
    model::Cluster labelled = tainted;
    labelled.nodes[0].meta.labels.set("a", "b");
    diagnosis::DaemonSetReport today = report_of(tainted);
    today.nodes.change(0, [&](auto& state) { state.findings = {finding}; });
    diagnosis::DaemonSetReport then = report_of(labelled);
    Today(tainted, labelled, {today}).complete(then);
    CHECK(then.nodes[0].findings().size() == 1);
    model::Cluster larger = before;
    larger.nodes.emplace_back().meta.name = "new";
    diagnosis::DaemonSetReport more = report_of(larger);
    Today(before, larger, {report_of(before)}).complete(more);
    const auto at = more.nodes.find("new");
    REQUIRE(at);
    REQUIRE(at->findings().size() == 1);
    CHECK(text_of(at->findings()[0].message) == "a pod would be created");
  }
  after = before;
  tolerate(after.daemon_sets.front(), {{"x", "Exists", "", "", {}}});
  CHECK(left(after) == Counts{1, 1, 1, 1});
  after = before;
  after.pods[0].reason = "x";  // the pod is different
  CHECK(left(after) == Counts{0, 1, 1, 1});
  after = before;
  after.daemon_sets.front().pod_template.host_network = true;
  CHECK(left(after) == Counts{0, 0, 0, 0});
  CHECK(Today(before, after, reports).without_causes() == std::vector<std::string>{"x/agent"});
  after.daemon_sets.clear();
  CHECK(Today(before, after, reports).without_causes().empty());

  SECTION("notes and findings about tolerations are evaluated again") {
    reports.front().findings.push_back(finding);
    reports.front().findings[0].severity = diagnosis::Severity::Info;
    reports.front().findings[1].id = diagnosis::FindingId::TolerationDead;
    CHECK(left(before) == Counts{1, 1, 1, 0});
  }
  SECTION("nodes that are not in the current report have no causes") {
    base::IndexRuns first;
    first.push_back(0);
    reports.front().nodes = reports.front().nodes.only(first);
    CHECK(left(before) == Counts{1, 0, 0, 1});
  }
  SECTION("a DaemonSet that was not requested has no current causes") {
    reports.front().name = "other";
    CHECK(left(before) == Counts{0, 0, 0, 0});
  }
}

namespace {

/// The current findings that remain in a diagnosis of the changed cluster.
struct Change {
  model::Cluster before = three_nodes();
  model::Cluster after = before;
  std::vector<diagnosis::Finding> today;  // of the DaemonSet
  std::vector<diagnosis::Finding> anew;

  static diagnosis::Finding of(diagnosis::FindingId id, std::string message,
                               std::vector<std::string> nodes = {}) {
    diagnosis::Finding result;
    result.id = id;
    result.severity = diagnosis::Severity::Error;
    result.message = diagnosis::phrase::PodIsRejected{.reason = message};
    result.nodes = std::move(nodes);
    return result;
  }
  [[nodiscard]] std::vector<std::string> left() const {
    diagnosis::DaemonSetReport then = report_of(before);
    then.findings = today;
    diagnosis::DaemonSetReport report = report_of(after);
    report.findings = anew;
    Today(before, after, {then}).complete(report);
    std::vector<std::string> messages;
    for (const auto& finding : report.findings) messages.push_back(text_of(finding.message));
    return messages;
  }
};

using Messages = std::vector<std::string>;

}  // namespace

TEST_CASE("findings that depend on nodes or template come from the changed cluster", "[fixes]") {
  using enum diagnosis::FindingId;
  Change change;
  change.today = {Change::of(NodeCniDeadlock, "a1: deadlock", {"a1"}),
                  Change::of(TolerationDead, "dead, 2"),
                  Change::of(DaemonsetSharedClaim, "all 2 pods"),
                  Change::of(RolloutNewBroken, "the newest fails", {"a1"})};
  CHECK(change.left() == Messages{"the newest fails"});
  change.anew = {Change::of(NodeCniDeadlock, "a2: deadlock", {"a2"}),
                 Change::of(TolerationDead, "dead, 1"),
                 Change::of(TolerationOldMasterKey, "old key"),  // not caused by the change
                 Change::of(DaemonsetSharedClaim, "all 3 pods"),
                 Change::of(RolloutNewBroken, "the newest is not known", {"a2"})};
  CHECK(change.left() == Messages{"the newest fails", "a2: deadlock", "dead, 1", "all 3 pods"});
  change.after.daemon_sets.front().pod_template.host_network = true;
  CHECK(change.left().empty());
  change.anew = {Change::of(DaemonsetNoEligibleNode, "none is eligible")};
  CHECK(change.left() == Messages{"none is eligible"});
}

TEST_CASE("the reason for missing pods holds while pods are missing", "[fixes]") {
  Change change;
  change.today = {Change::of(diagnosis::FindingId::CreateRefused, "2 nodes")};
  change.anew = {Change::of(diagnosis::FindingId::CreateRefused, "1 node")};
  CHECK(change.left() == Messages{"2 nodes"});
  change.after.nodes[1].taints = {{"x", "", "NoSchedule"}};
  CHECK(change.left() == Messages{"1 node"});
  change.after.nodes[2].taints = {{"x", "", "NoSchedule"}};
  CHECK(change.left().empty());
}

TEST_CASE("outdated pods keep their causes", "[fixes]") {
  const model::Cluster before = three_nodes();
  diagnosis::DaemonSetReport today = report_of(before);
  today.nodes.change(0, [](auto& state) { state.findings.resize(1); });
  diagnosis::DaemonSetReport report = report_of(before);
  report.nodes.change(0, [](auto& state) { state.pods.front().outdated = true; });
  Today(before, before, {today}).complete(report);
  CHECK(report.nodes[0].findings().size() == 1);
  CHECK(report.nodes[0].pods().front().outdated);
}

TEST_CASE("a node whose kubelet does not report is the problem of its pod", "[fixes]") {
  using enum diagnosis::FindingId;
  model::Cluster before = three_nodes();
  model::Cluster after = before;
  after.nodes[0].taints = {{"x", "", "NoExecute"}};
  diagnosis::DaemonSetReport today = report_of(before);
  today.nodes.change(0, [](auto& state) {
    state.findings = {Change::of(NodeUnreachable, "silent"), Change::of(ContainerCrash, "crash")};
  });
  const auto left = [&](std::vector<diagnosis::Finding> anew) {
    diagnosis::DaemonSetReport report = report_of(after);
    report.nodes.change(0, [&](auto& state) { state.findings = std::move(anew); });
    Today(before, after, {today}).complete(report);
    Messages messages;
    for (const auto& finding : report.nodes[0].findings())
      messages.push_back(text_of(finding.message));
    return messages;
  };
  CHECK(left({}).empty());  // it will be deleted
  CHECK(left({Change::of(PodDoomedNotRemoved, "not removed")}).empty());
  CHECK(left({Change::of(PodTerminatingStuck, "stuck")}) == Messages{"stuck"});
  after.nodes[0].conditions = {{"Ready", "Unknown", "", "", {}}};
  CHECK(left({}) == Messages{"silent"});
  CHECK(left({Change::of(PodTerminatingStuck, "stuck")}) == Messages{"stuck"});
}

TEST_CASE("a pod that is late to terminate is so on a node that becomes eligible", "[fixes]") {
  model::Cluster before = three_nodes();
  before.nodes[0].taints = {{"x", "", "NoExecute"}};
  before.pods[0].meta.deleted = model::Time{};
  model::Cluster after = before;
  after.nodes[0].taints.clear();
  diagnosis::DaemonSetReport report = report_of(after);
  REQUIRE(report.nodes[0].verdict() == diagnosis::NodeVerdict::Terminating);
  report.nodes.change(0, [](auto& state) {
    state.findings = {Change::of(diagnosis::FindingId::PodTerminatingStuck, "stuck")};
  });
  Today(before, after, {report_of(before)}).complete(report);
  REQUIRE(report.nodes[0].findings().size() == 1);
  CHECK(text_of(report.nodes[0].findings()[0].message) == "stuck");
}

TEST_CASE("pods of a new DaemonSet would be created", "[fixes]") {
  model::Cluster after = three_nodes();
  after.pods.clear();
  after.nodes[0].taints = {{"x", "", "NoSchedule"}};
  const auto messages = [&](const model::Cluster& before,
                            std::vector<diagnosis::DaemonSetReport> today) {
    diagnosis::DaemonSetReport report = report_of(after);
    Today(before, after, std::move(today)).complete(report);
    std::string result;
    for (const auto& node : report.nodes) {
      result += node.name.str() + ": ";
      for (const auto& finding : node.findings()) {
        CHECK(finding.transient);
        result += text_of(finding.message);
      }
      result += "; ";
    }
    return result;
  };
  model::Cluster before = after;
  before.daemon_sets.clear();
  CHECK(messages(before, {}) == "a1: ; a2: a pod would be created; b1: a pod would be created; ");
  after.daemon_sets.front().meta.deleted = model::Time();
  CHECK(messages(before, {}) == "a1: ; a2: ; b1: ; ");  // the finding about the DaemonSet is kept
  after.daemon_sets.front().meta.deleted.reset();
  // A different template makes nodes eligible as well.
  before = after;
  before.daemon_sets.front().pod_template.node_selector = {{"pool", "b"}};
  CHECK(messages(before, {report_of(before)}) == "a1: ; a2: a pod would be created; b1: ; ");
}

TEST_CASE("current causes end if the reasons change", "[fixes]") {
  model::Cluster before = three_nodes();
  before.nodes[0].taints = {{"k", "", "NoExecute"}, {"l", "", "NoSchedule"}};
  before.nodes[1].taints = {{"l", "", "NoSchedule"}, {"m", "", "NoSchedule"}};
  before.nodes[2].taints = {{"m", "", "NoSchedule"}};
  before.pods.clear();
  diagnosis::DaemonSetReport today = report_of(before);
  for (std::size_t i = 0; i < today.nodes.size(); ++i) {
    today.nodes.change(i, [&](auto& state) { state.findings.resize(1); });
  }
  const auto kept = [&](const char* tolerated) {
    model::Cluster after = before;
    tolerate(after.daemon_sets.front(), {{tolerated, "Exists", "", "", {}}});
    diagnosis::DaemonSetReport report = report_of(after);
    Today(before, after, {today}).complete(report);
    std::string nodes;
    for (const auto& node : report.nodes) {
      if (node.findings().empty()) continue;
      nodes += node.name.str() + " ";
      if (text_of(node.findings()[0].message) == "a pod would be created") {
        CHECK(node.findings()[0].transient);
        nodes += "(created) ";
      }
    }
    return nodes;
  };
  CHECK(kept("other") == "a1 a2 b1 ");
  CHECK(kept("k") == "a2 b1 ");  // a1 is still excluded, but would keep a pod
  CHECK(kept("l") == "b1 ");     // one reason fewer
  CHECK(kept("m") == "a1 b1 (created) ");
}
