// SPDX-License-Identifier: Apache-2.0
#include "fixes/explanation.h"

#include <catch2/catch.hpp>
#include <set>

#include "diagnosis/catalogue/findings/daemonset.h"
#include "diagnosis/catalogue/findings/phrases.h"
#include "diagnosis/catalogue/findings/rollout.h"
#include "render/words/message_text.h"

using namespace dsdoctor;
using namespace dsdoctor::fixes;
using diagnosis::Finding;
using diagnosis::FindingId;
using diagnosis::NodeVerdict;
using diagnosis::Severity;
using render::text_of;

namespace {

/// DaemonSets x/a and x/b, and nodes n1 and n2; pods of x/a run on n1 and on a deleted node.
model::Cluster two_daemon_sets() {
  model::Cluster cluster;
  for (const char* name : {"n1", "n2"}) cluster.nodes.emplace_back().meta.name = name;
  for (const char* name : {"a", "b"}) {
    model::DaemonSet& ds = cluster.daemon_sets.emplace_back();
    ds.meta.ns = "x";
    ds.meta.name = name;
    ds.selector = model::LabelSelector{{{"app", name}}, {}};
  }
  for (const char* node : {"gone", "n1"}) {
    model::Pod& pod = cluster.pods.emplace_back();
    pod.meta.ns = "x";
    pod.meta.name = std::string("a-") + node;
    pod.meta.labels = {{"app", "a"}};
    pod.meta.controller = model::ControllerRef{"DaemonSet", "a", ""};
    pod.node_name = node;
    pod.phase = "Running";
    pod.conditions = {{"Ready", "True", "", "", model::Time()}};
  }
  return cluster;
}

Explanation explained(const model::Cluster& cluster, diagnosis::ReportOptions options,
                      const Selection& selection = {}, const Details& details = {}) {
  std::vector<const model::DaemonSet*> daemon_sets;
  for (const model::DaemonSet& ds : cluster.daemon_sets) daemon_sets.push_back(&ds);
  return explain(diagnosis::Reporter(cluster, std::move(options)), daemon_sets, {}, details,
                 selection);
}

Finding finding(FindingId id, Severity severity, diagnosis::Standing standing) {
  Finding result;
  result.id = id;
  result.severity = severity;
  result.standing = standing;
  result.message = diagnosis::phrase::PodIsRejected{.reason = std::string(result.name())};
  return result;
}

std::vector<std::string> names_of(const DaemonSetAnswer& answer) {
  std::vector<std::string> result;
  for (const auto& node : answer.report.nodes) result.push_back(node.name.str());
  return result;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("nodes are only selected if they were read", "[fixes]") {
  model::Cluster cluster = two_daemon_sets();
  const Selection selection = {
      .selects = [](const model::Node& node) { return node.meta.name != "n2"; }};
  CHECK(names_of(explained(cluster, {}).daemon_sets[0]) == Names{"n1", "n2"});
  CHECK(names_of(explained(cluster, {}, selection).daemon_sets[0]) == Names{"n1"});
  // A node that only a pod names cannot be selected by its labels.
  cluster.nodes_known = false;
  CHECK(names_of(explained(cluster, {}, selection).daemon_sets[0]) == Names{"n1"});
  CHECK(names_of(explained(cluster, {}).daemon_sets[0]) == Names{"gone", "n1", "n2"});
}

TEST_CASE("the note that explains late status is shown once", "[fixes]") {
  diagnosis::ReportOptions options;
  options.diagnoses = false;
  options.completes = [](diagnosis::DaemonSetReport& report) {
    report.findings = {
        finding(FindingId::DaemonsetNoneRunning, Severity::Error, diagnosis::Standing::Also)};
    report.findings[0].message.notes = {diagnosis::phrase::ChangesOfNodesAreNotCounted{},
                                        diagnosis::phrase::DaemonSetIgnored{}};
  };
  const Explanation both = explained(two_daemon_sets(), options);
  const auto notes = [&](std::size_t i) {
    return both.daemon_sets[i].report.findings[0].message.notes;
  };
  REQUIRE(notes(0).size() == 2);
  CHECK(text_of(notes(0).front()).starts_with("since Kubernetes 1.33 the controller does not"));
  CHECK(notes(1) == std::vector<diagnosis::Message>{diagnosis::phrase::DaemonSetIgnored{}});
}

TEST_CASE("an answer is conclusive or not by the data that was read", "[fixes]") {
  struct Row {
    bool nodes_known;
    bool pods_known;
    bool covered;
    bool observed;
    bool conclusive;
    bool answered;
  };
  const Row row = GENERATE(values<Row>({
      {true, true, true, false, true, true},
      {true, false, false, true, false, false},   // running pods are unknown
      {false, true, true, true, false, true},     // status and pods
      {false, true, true, false, false, false},   // the status is of an older generation
      {false, false, false, true, false, false},  // only the status was read
  }));
  CAPTURE(row.nodes_known, row.pods_known, row.covered, row.observed);
  Explanation explanation;
  diagnosis::DaemonSetReport& report = explanation.daemon_sets.emplace_back().report;
  report.evaluated.nodes_known = row.nodes_known;
  report.evaluated.pods_known = row.pods_known;
  report.covered = row.covered;
  report.observed = row.observed;
  CHECK(is_conclusive(explanation) == row.conclusive);
  CHECK(is_answered(explanation) == row.answered);
  report.reported.number_misscheduled = 1;  // only its node shows whether to act
  CHECK(is_answered(explanation) == row.conclusive);
  explanation.daemon_sets[0].alert = diagnosis::AlertReport();  // an alert only needs the status
  CHECK(is_conclusive(explanation));
}

TEST_CASE("an alert or a problem makes an answer wrong", "[fixes]") {
  DaemonSetAnswer answer;
  CHECK_FALSE(is_wrong(answer));
  answer.has_problem = true;
  CHECK(is_wrong(answer));
  answer.alert = diagnosis::AlertReport();
  CHECK_FALSE(is_wrong(answer));
  answer.alert->holds = true;
  CHECK(is_wrong(answer));
}

TEST_CASE("an answer reduced to one DaemonSet has all of its problems", "[fixes]") {
  // x/a lacks a pod, x/b does not; the namespace of both is being deleted.
  model::Cluster cluster = two_daemon_sets();
  for (const char* node : {"n1", "n2"}) {
    model::Pod pod = cluster.pods[1];
    pod.meta.name = std::string("b-") + node;
    pod.meta.labels = {{"app", "b"}};
    pod.meta.controller = model::ControllerRef{"DaemonSet", "b", ""};
    pod.node_name = node;
    cluster.pods.push_back(pod);
  }
  model::Namespace& ns = cluster.namespaces.emplace_back();
  ns.meta.name = "x";
  ns.phase = "Terminating";
  const Explanation both = explained(cluster, {});
  for (const std::size_t i : {0U, 1U}) {
    const auto is_of_it = [&](const diagnosis::Problem& problem) {
      return std::ranges::binary_search(problem.daemon_sets, i);
    };
    const auto& alone = only(both, i).problems.problems;
    CHECK(std::ranges::find(alone, "create-namespace-terminating", &diagnosis::Problem::finding) !=
          alone.end());
    CHECK(std::ranges::count_if(both.problems.problems, is_of_it) == std::ssize(alone));
  }
}

TEST_CASE("healthy nodes are omitted unless they have a problem", "[fixes]") {
  diagnosis::DaemonSetReport report;
  const auto add = [&](const char* name, NodeVerdict verdict, std::vector<Finding> findings) {
    diagnosis::NodeState state;
    state.verdict = verdict;
    state.findings = std::move(findings);
    report.nodes.push_back({name, std::move(state)});
  };
  const Finding grave =
      finding(FindingId::NodeDiskPressure, Severity::Warning, diagnosis::Standing::Context);
  add("a", NodeVerdict::Running, {});
  add("b", NodeVerdict::Running, {grave});
  add("c", NodeVerdict::Excluded, {grave});
  add("d", NodeVerdict::Terminating, {});
  add("e", NodeVerdict::Missing, {});
  const auto listed = [&](Selection::Nodes nodes) {
    std::vector<std::size_t> result;
    const base::IndexRuns found = listed_nodes(report, nodes).value();
    for (const std::size_t at : found) result.push_back(at);
    return result;
  };
  CHECK(listed(Selection::Nodes::Unhealthy) == std::vector<std::size_t>{1, 3, 4});
  CHECK(listed(Selection::Nodes::Wrong) == std::vector<std::size_t>{1, 4});
  CHECK_FALSE(listed_nodes(report, Selection::Nodes::All));
}

TEST_CASE("groups contain only listed nodes", "[fixes]") {
  const model::Cluster cluster = two_daemon_sets();
  const auto nodes_in_groups = [](const DaemonSetAnswer& answer) {
    std::size_t result = 0;
    for (const auto& group : answer.groups) result += group.nodes.size();
    return result;
  };
  const Explanation all = explained(cluster, {});
  CHECK(nodes_in_groups(all.daemon_sets[0]) == 2);
  CHECK_FALSE(all.daemon_sets[0].listed);
  const Explanation wrong = explained(cluster, {}, {.nodes = Selection::Nodes::Wrong});
  CHECK(nodes_in_groups(wrong.daemon_sets[0]) == wrong.daemon_sets[0].listed.value().size());
  CHECK(nodes_in_groups(wrong.daemon_sets[0]) == 1);
  CHECK(names_of(wrong.daemon_sets[0]) == Names{"n1", "n2"});
}

TEST_CASE("findings shown with nodes are not repeated for the DaemonSet", "[fixes]") {
  using enum diagnosis::Standing;
  DaemonSetAnswer answer;
  answer.report.findings = {
      finding(FindingId::CreateQuotaExceeded, Severity::Error, Also),
      finding(FindingId::DaemonsetBestEffort, Severity::Info, Context),
      finding(FindingId::DaemonsetNoEligibleNode, Severity::Info, Context),
  };
  const auto said = [&](bool all) {
    std::vector<std::string> result;
    for (const Finding* one : findings_to_say(answer, all)) result.emplace_back(one->name());
    return result;
  };
  const auto of_node = [&](NodeVerdict verdict, std::vector<Finding> findings) {
    diagnosis::NodeState state;
    state.verdict = verdict;
    state.findings = std::move(findings);
    answer.report.nodes = {};
    answer.report.nodes.push_back({"n", std::move(state)});
    answer.groups = {{verdict, {}, {0}, {}}};
    return said(false);
  };
  const Names both = {"create-quota-exceeded", "daemonset-no-eligible-node"};
  const Names one = {"daemonset-no-eligible-node"};
  const Finding quota = finding(FindingId::CreateQuotaExceeded, Severity::Error, Primary);
  Finding beside = quota;
  beside.standing = Also;
  CHECK(said(false) == both);
  CHECK(said(true).size() == 3);
  CHECK(of_node(NodeVerdict::Missing, {}) == both);
  CHECK(of_node(NodeVerdict::Missing, {beside}) == both);
  CHECK(of_node(NodeVerdict::Missing, {quota}) == one);
  CHECK(said(true).size() == 3);
  CHECK(of_node(NodeVerdict::Running, {quota}) == both);  // nothing is wrong on the node
  // A controller that does not act at all is shown for the DaemonSet as well.
  answer.report.findings = {finding(FindingId::ControllerNotObserving, Severity::Error, Also)};
  CHECK(of_node(NodeVerdict::Missing, {finding(FindingId::ControllerNotObserving, Severity::Error,
                                               Primary)}) == Names{"controller-not-observing"});
}

TEST_CASE("a diff keeps only problems of missing and unexpected pods", "[fixes]") {
  model::Cluster cluster = two_daemon_sets();
  cluster.pods[1].conditions[0].status = "False";
  const Explanation all = explained(cluster, {});
  const Explanation differing =
      explained(cluster, {}, {.problems = Selection::Problems::OfDifferences});
  const auto count = [](const Explanation& explanation) {
    return std::ranges::count(explanation.problems.problems, "pod-on-missing-node",
                              &diagnosis::Problem::finding);
  };
  CHECK(count(all) == 1);
  CHECK(count(differing) == 1);
  CHECK(placement_diffs(differing).size() == 2);
  CHECK(differing.problems.problems.size() < all.problems.problems.size());
  for (const auto& problem : differing.problems.problems) {
    for (const diagnosis::Placement at : problem.placements) {
      const auto& nodes = differing.daemon_sets[at.daemon_set].report.nodes;
      CHECK(diagnosis::is_difference(nodes[at.node].verdict()));
    }
  }
}

TEST_CASE("a selection drops problems of nodes that do not exist", "[fixes]") {
  const model::Cluster cluster = two_daemon_sets();
  const Explanation explanation =
      explained(cluster, {}, {.selects = [](const model::Node&) { return true; }});
  CHECK(std::ranges::count(explanation.problems.problems, "pod-on-missing-node",
                           &diagnosis::Problem::finding) == 0);
  CHECK(placement_diffs(explanation).size() == 2);
}

TEST_CASE("a selection drops findings about other nodes", "[fixes]") {
  const model::Cluster cluster = two_daemon_sets();
  diagnosis::ReportOptions options;
  options.diagnoses = false;
  options.completes = [](diagnosis::DaemonSetReport& report) {
    const auto of = [](FindingId id, std::vector<std::string> nodes) {
      Finding result = finding(id, Severity::Error, diagnosis::Standing::Also);
      result.nodes = std::move(nodes);
      return result;
    };
    report.findings = {of(FindingId::NodeCniDeadlock, {"n1"}),
                       of(FindingId::RolloutNewBroken, {"n1", "n2"}),
                       of(FindingId::DaemonsetSharedClaim, {})};
  };
  const Explanation explanation =
      explained(cluster, options,
                {.selects = [](const model::Node& node) { return node.meta.name == "n2"; }});
  std::vector<std::string_view> left;
  for (const Finding& each : explanation.daemon_sets[0].report.findings) {
    left.push_back(each.name());
  }
  CHECK(left == std::vector<std::string_view>{"rollout-new-broken", "daemonset-shared-claim"});
}

TEST_CASE("a single node keeps the problems of the control plane", "[fixes]") {
  model::Cluster cluster = two_daemon_sets();
  cluster.pods.clear();
  diagnosis::ReportOptions options;
  options.diagnoses = false;
  options.completes = [](diagnosis::DaemonSetReport& report) {
    report.findings = {
        finding(FindingId::ControllerNotObserving, Severity::Error, diagnosis::Standing::Also),
        finding(FindingId::DaemonsetSharedClaim, Severity::Error, diagnosis::Standing::Also)};
  };
  const auto ids = [&](const Selection& selection) {
    std::set<std::string> result;
    for (const auto& problem : explained(cluster, options, selection).problems.problems) {
      result.emplace(problem.finding);
    }
    return result;
  };
  CHECK(ids({}) ==
        std::set<std::string>{"controller-not-observing", "daemonset-shared-claim", "missing"});
  CHECK(ids({.problems = Selection::Problems::OfOneNode}) ==
        std::set<std::string>{"controller-not-observing", "missing"});
}

TEST_CASE("an alert keeps the problems that make it hold", "[fixes]") {
  model::Cluster cluster = two_daemon_sets();
  cluster.nodes[0].taints = {{"reserved", "", "NoSchedule"}};
  for (model::DaemonSet& ds : cluster.daemon_sets) {
    ds.generation = 1;
    ds.observed_generation = 1;
  }
  cluster.daemon_sets[0].reported.number_misscheduled = 1;
  const auto has = [](const Explanation& explanation, std::string_view id) {
    return std::ranges::count(explanation.problems.problems, id, &diagnosis::Problem::finding) > 0;
  };
  const Explanation all = explained(cluster, {});
  CHECK(has(all, "pod-on-missing-node"));
  using enum Details::Timelines;
  const Explanation explanation =
      explained(cluster, {}, {.alert = diagnosis::Alert::MisScheduled},
                {.timelines = GENERATE(values({None, OfWrongNodes, OfEveryNode}))});
  CHECK(explanation.daemon_sets[0].alert->holds);
  CHECK_FALSE(explanation.daemon_sets[1].alert->holds);
  CHECK(explanation.daemon_sets[1].report.timeline.has_value());
  CHECK(explanation.problems.problems.size() < all.problems.problems.size());
  for (const auto& problem : explanation.problems.problems) {
    for (const diagnosis::Placement at : problem.placements) {
      CHECK(explanation.daemon_sets[at.daemon_set].alert->nodes.contains(at.node));
    }
  }
}

TEST_CASE("an alert keeps problems without nodes if they explain it", "[fixes]") {
  model::Cluster cluster = two_daemon_sets();
  for (model::DaemonSet& ds : cluster.daemon_sets) ds.generation = ds.observed_generation = 1;
  cluster.daemon_sets[0].reported.desired_number_scheduled = 2;
  cluster.daemon_sets[0].reported.current_number_scheduled = 1;
  diagnosis::ReportOptions options;
  options.diagnoses = false;
  options.completes = [](diagnosis::DaemonSetReport& report) {
    for (const auto id : {FindingId::CreateRefused, FindingId::DaemonsetSharedClaim}) {
      report.findings.push_back(finding(id, Severity::Error, diagnosis::Standing::Also));
    }
  };
  const Explanation explanation =
      explained(cluster, options, {.alert = diagnosis::Alert::NotScheduled});
  CHECK(explanation.daemon_sets[0].alert->holds);
  CHECK_FALSE(explanation.daemon_sets[1].alert->holds);
  std::set<std::string> left;
  for (const auto& problem : explanation.problems.problems) left.insert(problem.id);
  CHECK(left == std::set<std::string>{"create-refused=x/a", "missing=x/a"});
}
