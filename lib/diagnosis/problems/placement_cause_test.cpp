// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/problems/placement_cause.h"

#include <catch2/catch.hpp>

#include "diagnosis/catalogue/findings/rollout.h"
#include "diagnosis/reporter.h"
#include "render/words/message_text.h"
#include "testing/cluster_story.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using dsdoctor::testing::at;
using render::text_of;

namespace {

Finding told(const char* message, Severity severity, Standing standing) {
  Finding result;
  result.severity = severity;
  result.standing = standing;
  result.message = phrase::PodIsRejected{.reason = message};
  return result;
}

OwnNodeReport node_with(NodeVerdict verdict, std::vector<Finding> findings = {}) {
  NodeState state;
  state.verdict = verdict;
  state.findings = std::move(findings);
  return {"n1", std::move(state)};
}

}  // namespace

TEST_CASE("the cause of a placement is its primary finding or else the most severe one",
          "[problems]") {
  using enum Severity;
  using enum Standing;
  using enum NodeVerdict;
  using Row = std::tuple<NodeVerdict, std::vector<Finding>, std::string>;
  const auto [verdict, findings, cause] = GENERATE_COPY(values<Row>({
      {Missing, {}, "none"},
      {Missing, {told("a", Warning, Primary), told("b", Error, Also)}, "a"},
      {Missing, {told("a", Info, Primary)}, "a"},
      {Missing, {told("a", Warning, Also), told("b", Error, Also)}, "b"},
      {Missing, {told("a", Warning, Context), told("b", Info, Context)}, "a"},
      {Missing, {told("a", Info, Context)}, "none"},  // Info is not a cause
      {Running, {told("a", Info, Context)}, "a"},
  }));
  CAPTURE(cause);
  const OwnNodeReport report = node_with(verdict, findings);
  const Finding* found = cause_of(NodeReport(report));
  CHECK((found == nullptr ? "none" : text_of(found->message)) == cause);
}

TEST_CASE("an eligible node without a ready pod is an error", "[problems]") {
  using enum NodeVerdict;
  const auto [verdict, least] = GENERATE(table<NodeVerdict, Severity>({
      {Missing, Severity::Error},
      {Failed, Severity::Error},
      {Pending, Severity::Error},
      {NotReady, Severity::Error},
      {Misscheduled, Severity::Warning},
      {Removing, Severity::Warning},
      {Duplicate, Severity::Warning},
  }));
  const OwnNodeReport report = node_with(verdict);
  CHECK(severity_of(report, nullptr) == least);
  Finding cause = told("a", Severity::Info, Standing::Primary);
  CHECK(severity_of(report, &cause) == least);
  cause.severity = Severity::Critical;
  CHECK(severity_of(report, &cause) == Severity::Critical);
}

TEST_CASE("the action of a placement follows from its cause and its verdict", "[problems]") {
  const OwnNodeReport missing = node_with(NodeVerdict::Missing);
  const OwnNodeReport removing = node_with(NodeVerdict::Removing);
  CHECK(action_of(missing, nullptr) == Action::Needed);
  CHECK(action_of(removing, nullptr) == Action::None);
  CHECK(action_of(node_with(NodeVerdict::Terminating), nullptr) == Action::None);
  Finding cause = told("a", Severity::Error, Standing::Primary);
  CHECK(action_of(removing, &cause) == Action::Needed);
  cause.overdue_since = at(0);
  CHECK(action_of(missing, &cause) == Action::Overdue);
  cause.transient = true;
  CHECK(action_of(missing, &cause) == Action::None);
}

TEST_CASE("the earlier of two times is the known one if only one is known", "[problems]") {
  CHECK_FALSE(earlier(std::nullopt, std::nullopt));
  CHECK(earlier(at(1), std::nullopt) == at(1));
  CHECK(earlier(std::nullopt, at(2)) == at(2));
  CHECK(earlier(at(2), at(1)) == at(1));
  CHECK(earlier(at(1), at(2)) == at(1));
}

TEST_CASE("a node is not ready since the transition of its condition", "[problems]") {
  dsdoctor::testing::ClusterStory story;
  model::Node& node = story.add_node("n1");
  CHECK_FALSE(not_ready_since(node));
  node.conditions[0].status = "Unknown";
  CHECK(not_ready_since(node) == at(0));
  node.conditions.clear();
  CHECK_FALSE(not_ready_since(node));
}

TEST_CASE("a pod is misscheduled since the taint was added", "[problems]") {
  dsdoctor::testing::ClusterStory story;
  model::Node& node = story.add_node("n1");
  model::Pod& pod = story.add_pod("agent-1", "n1");
  pod.meta.created = at(1);
  pod.conditions = {{"Ready", "False", "", "", at(2)}};  // long before
  const auto since = [&] {
    const DaemonSetReport report = Reporter(story.cluster, {}).report(story.ds());
    REQUIRE(report.nodes[0].verdict() == NodeVerdict::Misscheduled);
    return since_of(report, report.nodes[0], story.cluster);
  };
  node.taints = {{"dedicated", "gpu", "NoSchedule", at(50)}, {"x", "", "NoSchedule", at(40)}};
  CHECK(since() == at(40));
  pod.meta.created = at(60);  // created after the taint, with a nodeName
  CHECK(since() == at(60));
  node.taints[1].time_added.reset();
  CHECK_FALSE(since());  // the taint without a time may have been the first
}

TEST_CASE("a placement has the start and end time of its pod", "[problems]") {
  dsdoctor::testing::ClusterStory story;
  story.add_node("n1");
  model::Pod& pod = story.add_pod("agent-1", "n1");
  const auto since = [&] {
    const DaemonSetReport report = Reporter(story.cluster, {}).report(story.ds());
    return since_of(report, report.nodes[0], story.cluster);
  };
  const auto end = [&] {
    const DaemonSetReport report = Reporter(story.cluster, {}).report(story.ds());
    return end_of(report, report.nodes[0], story.cluster);
  };
  CHECK_FALSE(since());
  CHECK_FALSE(end());
  pod.conditions = {{"Ready", "False", "", "", at(5)}};
  CHECK(since() == at(5));
  pod.meta.created = at(3);
  dsdoctor::testing::ClusterStory::unbind(pod, "n1", "");
  CHECK(since() == at(3));
  pod.meta.deleted = at(9);
  CHECK(since() == at(9));
  CHECK(end() == at(9));
  // The pod is only in the report, not in the cluster.
  const DaemonSetReport report = Reporter(story.cluster, {}).report(story.ds());
  story.cluster.pods.clear();
  CHECK_FALSE(since_of(report, report.nodes[0], story.cluster));
  CHECK_FALSE(end_of(report, report.nodes[0], story.cluster));
  CHECK_FALSE(since());  // no pod
  CHECK_FALSE(end());
}
