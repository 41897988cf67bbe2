#include "advice/cures.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "advice/what_if.h"
#include "diagnosis/reporter.h"
#include "diagnosis/taints/taint_catalogue.h"

using namespace dsdoctor;
using namespace dsdoctor::advice;

namespace {

class RandomClusters {
 public:
  explicit RandomClusters(unsigned seed) : random_(seed) {}

  unsigned pick(unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(random_); }

  model::Cluster next() {
    model::Cluster cluster;
    for (unsigned i = 0; i < 8; ++i) {
      model::Node node;
      node.meta.name = "n" + std::to_string(i);
      node.meta.labels = {{"zone", pick(2) == 0 ? "a" : "b"}, {"pool", pick(2) == 0 ? "x" : "y"}};
      for (unsigned t = pick(4); t > 0; --t) node.taints.push_back(taint());
      cluster.nodes.push_back(std::move(node));
    }
    model::DaemonSet& ds = cluster.daemon_sets.emplace_back();
    ds.meta.ns = "x";
    ds.meta.name = "agent";
    ds.selector = model::LabelSelector{{{"app", "agent"}}, {}};
    if (pick(3) == 0) ds.pod_template.node_selector = {{"zone", "a"}};
    for (unsigned t = pick(3); t > 0; --t) {
      ds.pod_template.tolerations.push_back(narrowest(taint(), "n0"));
    }
    for (const model::Node& node : cluster.nodes) {
      if (pick(2) == 0) add_pod(cluster, node.meta.name);
    }
    return cluster;
  }

 private:
  model::Taint taint() {
    const char* effects[] = {"NoSchedule", "NoExecute", "PreferNoSchedule"};
    return {std::string(1, static_cast<char>('a' + pick(3))), pick(2) == 0 ? "" : "v",
            effects[pick(3)]};
  }
  static void add_pod(model::Cluster& cluster, const model::Text& node) {
    model::Pod& pod = cluster.pods.emplace_back();
    pod.meta.ns = "x";
    pod.meta.name = "agent-" + node.str();
    pod.meta.labels = {{"app", "agent"}};
    pod.meta.controller = model::ControllerRef{"DaemonSet", "agent", ""};
    pod.node_name = node;
    pod.phase = "Running";
  }

  std::mt19937 random_;
};

diagnosis::ReportOptions verdicts_only() {
  diagnosis::ReportOptions options;
  options.diagnoses = false;
  return options;
}

diagnosis::DaemonSetReport report_of(const model::Cluster& cluster) {
  return diagnosis::Reporter(cluster, verdicts_only()).report(cluster.daemon_sets.front());
}

CureAnswer cure(const model::Cluster& cluster, const Target& target) {
  const diagnosis::Reporter reporter(cluster, verdicts_only());
  return cures(reporter, {&cluster.daemon_sets.front()}, target).front();
}

std::set<std::string> wanted(const model::Cluster& cluster,
                             const std::vector<model::Toleration>& added) {
  model::Cluster changed = cluster;
  tolerate(changed, added, {&changed.daemon_sets.front()});
  std::set<std::string> result;
  for (const auto& node : report_of(changed).nodes) {
    if (placement::should_run(node.decision())) result.insert(node.name.str());
  }
  return result;
}

std::set<std::string> names_of(const std::vector<model::Text>& names) {
  std::set<std::string> result;
  for (const auto& name : names) result.insert(name.str());
  return result;
}

/// Nodes that keep a pod without wanting it, and do not want one then.
std::set<std::string> unwanted_pods(const diagnosis::DaemonSetReport& report,
                                    const std::set<std::string>& wanted_then) {
  std::set<std::string> result;
  for (const auto& node : report.nodes) {
    const bool keeps = !node.pods().empty() && placement::should_continue(node.decision());
    if (keeps && !wanted_then.contains(node.name.str())) result.insert(node.name.str());
  }
  return result;
}

const Target all_targets[] = {{Target::Kind::Misscheduled, {}, {}},
                              {Target::Kind::Missing, {}, {}},
                              {Target::Kind::Node, "n3", {}},
                              {Target::Kind::Pool, "x", {}},
                              {Target::Kind::All, {}, {}}};

void add_node(model::Cluster& cluster, const char* name, std::vector<model::Taint> taints,
              model::Labels labels) {
  model::Node& node = cluster.nodes.emplace_back();
  node.meta.name = name;
  node.meta.labels = std::move(labels);
  node.taints = std::move(taints);
}

/// DaemonSet x/agent, which selects app=agent.
model::DaemonSet& add_agent(model::Cluster& cluster) {
  model::DaemonSet& ds = cluster.daemon_sets.emplace_back();
  ds.meta.ns = "x";
  ds.meta.name = "agent";
  ds.selector = model::LabelSelector{{{"app", "agent"}}, {}};
  return ds;
}

/// A pod of it that is Ready.
model::Pod& add_agent_pod(model::Cluster& cluster, const char* name, const char* node) {
  model::Pod& pod = cluster.pods.emplace_back();
  pod.meta.ns = "x";
  pod.meta.name = name;
  pod.meta.labels = {{"app", "agent"}};
  pod.meta.controller = model::ControllerRef{"DaemonSet", "agent", ""};
  pod.node_name = node;
  pod.phase = "Running";
  pod.conditions = {{"Ready", "True", "", "", model::Time()}};
  return pod;
}

}  // namespace

TEST_CASE("the set for a target cures it, no part of it does, and nothing else changes",
          "[advice][property]") {
  RandomClusters clusters(5);
  std::size_t cured = 0;
  for (int round = 0; round < 400; ++round) {
    const model::Cluster cluster = clusters.next();
    const auto report = report_of(cluster);
    for (const Target& target : all_targets) {
      const CureAnswer answer = cure(cluster, target);
      std::set<std::string> curable;
      for (const auto& node : report.nodes) {
        const model::Node& object = *model::find_node(cluster, node.name);
        if (is_target(target, node, object) && is_curable(node)) curable.insert(node.name.str());
      }
      CAPTURE(round, to_string(target));
      REQUIRE(answer.suggestions.size() == (curable.empty() ? 0U : 1U));
      if (curable.empty()) continue;
      ++cured;
      const Suggestion& one = answer.suggestions.front();
      auto list = one.change.added;
      const auto before = wanted(cluster, {});
      const auto after = wanted(cluster, list);
      CHECK(std::ranges::includes(after, curable));
      // The nodes that become eligible, and no others, are those that were predicted.
      std::set<std::string> gained;
      std::ranges::set_difference(after, before, std::inserter(gained, gained.end()));
      std::set<std::string> foretold;
      for (const auto& name : one.effect.gained) foretold.insert(name.str());
      CHECK(gained == foretold);
      CHECK(one.effect.lost.empty());
      CHECK(names_of(one.effect.deletes) == unwanted_pods(report, after));
      CHECK(std::ssize(after) == one.effect.after.desired_number_scheduled);
      std::ranges::reverse(list);
      CHECK(wanted(cluster, list) == after);
      for (std::size_t i = 0; i < list.size(); ++i) {
        auto part = list;
        part.erase(part.begin() + static_cast<std::ptrdiff_t>(i));
        CHECK_FALSE(std::ranges::includes(wanted(cluster, part), curable));
      }
    }
  }
  CHECK(cured > 500);
}

TEST_CASE("what is recommended is advised, and never the other way round", "[advice][property]") {
  RandomClusters clusters(7);
  std::size_t recommended = 0;
  for (int round = 0; round < 200; ++round) {
    const model::Cluster cluster = clusters.next();
    const CureAnswer answer = cure(cluster, {});
    for (const Suggestion& each : answer.suggestions) {
      CHECK(each.recommended == (each.advised == model::Advised::Yes));
      CHECK_FALSE((each.recommended && !each.wait.empty()));
      recommended += each.recommended ? 1 : 0;
    }
    if (!needs_nothing(answer)) continue;
    for (const auto& node : answer.report.nodes) {
      using diagnosis::NodeVerdict;
      CHECK((node.verdict() == NodeVerdict::Running || node.verdict() == NodeVerdict::Excluded ||
             node.verdict() == NodeVerdict::Removing));
    }
  }
  CHECK(recommended > 50);
}

TEST_CASE("no toleration brings a DaemonSet to Fargate and virtual nodes", "[advice]") {
  model::Cluster cluster;
  add_node(cluster, "fargate-1", {{"eks.amazonaws.com/compute-type", "fargate", "NoSchedule"}},
           {{"eks.amazonaws.com/compute-type", "fargate"}});
  add_node(cluster, "gpu", {{"gpu", "", "NoSchedule"}, {"team", "ml", "NoSchedule"}}, {});
  add_node(cluster, "virtual", {{"virtual-kubelet.io/provider", "azure", "NoSchedule"}},
           {{"type", "virtual-kubelet"}});
  model::DaemonSet& ds = cluster.daemon_sets.emplace_back();
  ds.meta.ns = "x";
  ds.meta.name = "agent";
  ds.selector = model::LabelSelector{{{"app", "agent"}}, {}};
  const CureAnswer all = cure(cluster, {Target::Kind::All, {}, {}});
  REQUIRE(all.suggestions.size() == 1);
  CHECK(all.suggestions[0].effect.gained == std::vector<model::Text>{"gpu"});
  CHECK(all.suggestions[0].change.added.size() == 2);  // one patch for both taints
  REQUIRE(all.incurable.size() == 2);
  CHECK(all.incurable[0].why == "not offered: Fargate node, runs no DaemonSet pods");
  CHECK(all.incurable[0].nodes == std::vector<model::Text>{"fargate-1"});
  CHECK(all.incurable[1].nodes == std::vector<model::Text>{"virtual"});
  REQUIRE(all.alternatives.size() == 2);
  CHECK(all.alternatives[0].id == "exclude-fargate-nodes");
  CHECK(all.alternatives[1].id == "exclude-virtual-nodes");
  const CureAnswer each = cure(cluster, {});
  CHECK(each.suggestions.size() == 1);
  CHECK(each.alternatives.empty());
  CHECK(needs_nothing(each));
}

TEST_CASE("a DaemonSet that the controller does not act on gets no patch", "[advice]") {
  model::Cluster cluster;
  add_node(cluster, "gpu", {{"gpu", "", "NoSchedule"}}, {});
  model::DaemonSet& ds = cluster.daemon_sets.emplace_back();
  ds.meta.ns = "x";
  ds.meta.name = "agent";
  ds.selector = model::LabelSelector{{{"app", "agent"}}, {}};
  CHECK(cure(cluster, {}).suggestions.size() == 1);
  const auto has_patch = [&](const Target& target) {
    const CureAnswer answer = cure(cluster, target);
    CHECK_FALSE(needs_nothing(answer));
    return !answer.suggestions.empty() || !answer.alternatives.empty();
  };
  SECTION("it is being deleted") { ds.meta.deleted = model::Time(); }
  SECTION("its selector is empty") { ds.selector = model::LabelSelector(); }
  CHECK_FALSE(has_patch({}));
  CHECK_FALSE(has_patch({Target::Kind::Node, "gpu", {}}));
}

TEST_CASE("one toleration breaks a circle of startup taints", "[advice]") {
  model::Cluster cluster;
  add_node(cluster, "new",
           {{"node.cilium.io/agent-not-ready", "", "NoSchedule"},
            {"ebs.csi.aws.com/agent-not-ready", "", "NoExecute"}},
           {});
  for (const char* name : {"cilium", "ebs-csi-node"}) {
    model::DaemonSet& ds = cluster.daemon_sets.emplace_back();
    ds.meta.ns = "kube-system";
    ds.meta.name = name;
    ds.selector = model::LabelSelector{{{"app", name}}, {}};
  }
  model::DaemonSet& cilium = cluster.daemon_sets[0];
  cilium.pod_template.host_network = true;
  cilium.pod_template.tolerations = {{"node.cilium.io/agent-not-ready", "Exists", "", "", {}}};
  model::DaemonSet& ebs = cluster.daemon_sets[1];
  ebs.pod_template.tolerations = {{"ebs.csi.aws.com/agent-not-ready", "Exists", "", "", {}}};
  const diagnosis::Reporter reporter(cluster, verdicts_only());
  const auto answers = cures(reporter, {&cilium, &ebs}, {});
  REQUIRE(answers[0].suggestions.size() == 1);
  CHECK(answers[0].suggestions[0].recommended);
  CHECK(answers[0].suggestions[0].wait.empty());
  CHECK(answers[0].suggestions[0].purpose.find("cilium does not tolerate") != std::string::npos);
  REQUIRE(answers[1].suggestions.size() == 1);
  CHECK_FALSE(answers[1].suggestions[0].recommended);
  CHECK(answers[1].suggestions[0].wait.empty());
}

TEST_CASE("every node that was asked for has a fix, is fine, or is said to have no fix",
          "[advice][property]") {
  RandomClusters clusters(6);
  for (int round = 0; round < 200; ++round) {
    const model::Cluster cluster = clusters.next();
    const CureAnswer answer = cure(cluster, {Target::Kind::All, {}, {}});
    std::set<std::string> told;
    for (const Incurable& each : answer.incurable) {
      CHECK_FALSE(each.why.empty());
      for (const auto& name : each.nodes) told.insert(name.str());
    }
    for (const auto& node : answer.report.nodes) {
      using diagnosis::NodeVerdict;
      const bool well =
          node.verdict() == NodeVerdict::Running || node.verdict() == NodeVerdict::Terminating;
      CHECK(told.contains(node.name.str()) == (!well && !is_curable(node)));
    }
  }
}

TEST_CASE("an eligible node that no finding explains is told by its verdict", "[advice]") {
  struct Row {
    std::string why;
    std::size_t pods;
    bool bound;
    const char* phase;
    bool pods_known = true;
  };
  const Row row = GENERATE(values<Row>({
      {"the pod is missing", 0, true, ""},
      {"the pod failed", 1, true, "Failed"},
      {"several pods run", 2, true, "Running"},
      {"the pod is pending", 1, false, "Pending"},
      {"the pod is not ready", 1, true, "Running"},
      {"unknown: pods were not read", 0, true, "", false},
  }));
  CAPTURE(row.why);
  model::Cluster cluster;
  add_node(cluster, "n", {}, {});
  add_agent(cluster);
  for (const char* name : {"agent-1", "agent-2"}) {
    if (cluster.pods.size() == row.pods) break;
    model::Pod& pod = add_agent_pod(cluster, name, row.bound ? "n" : "");
    pod.node_affinity = model::NodeSelector{{{{}, {{"metadata.name", "In", {"n"}}}}}};
    pod.phase = row.phase;
    pod.conditions.clear();
  }
  cluster.pods_known = row.pods_known;
  const CureAnswer all = cure(cluster, {Target::Kind::All, {}, {}});
  REQUIRE(all.incurable.size() == 1);
  CHECK(all.incurable[0].why == "eligible, no toleration is missing; " + row.why);
  CHECK_FALSE(all.incurable[0].finding);
  CHECK_FALSE(needs_nothing(all));
  const CureAnswer each = cure(cluster, {});
  REQUIRE(each.incurable.size() == (row.pods_known ? 1U : 0U));
  if (row.pods_known) CHECK(each.incurable[0].why == row.why);
  CHECK_FALSE(needs_nothing(each));
}

TEST_CASE("what is told of a node is the cause that its problem has", "[advice]") {
  model::Cluster cluster;
  add_node(cluster, "n", {}, {});
  const model::DaemonSet& ds = add_agent(cluster);
  diagnosis::Finding finding;
  finding.id = diagnosis::FindingId::NodeDiskPressure;
  finding.severity = diagnosis::Severity::Warning;
  finding.standing = diagnosis::Standing::Context;
  finding.message = "DiskPressure";
  diagnosis::ReportOptions options = verdicts_only();
  options.completes = [&](diagnosis::DaemonSetReport& report) {
    report.nodes.change(0, [&](auto& state) { state.findings = {finding}; });
  };
  const auto why = [&] {
    const diagnosis::Reporter reporter(cluster, options);
    const CureAnswer answer = cures(reporter, {&ds}, {}).front();
    REQUIRE(answer.incurable.size() == 1);
    CHECK(answer.incurable[0].finding.has_value());
    return answer.incurable[0].why;
  };
  CHECK(why() == "DiskPressure");
  add_agent_pod(cluster, "agent-1", "n");  // well, but for the node
  CHECK(why() == "DiskPressure");
  finding.transient = true;
  CHECK(why() == "DiskPressure; resolves without action");
}

namespace {

/// One node with a pod, bent by taints, and a finding that is known of it.
struct Patients {
  const char* name;
  std::vector<model::Taint> taints;
  bool terminating;
  std::optional<diagnosis::Finding> finding;
  bool needs_nothing;
  std::string why = {};  // of what no toleration helps
};

diagnosis::Finding known(diagnosis::FindingId id, diagnosis::Severity severity, bool transient) {
  diagnosis::Finding result;
  result.id = id;
  result.severity = severity;
  result.standing = diagnosis::Standing::Primary;
  result.message = "why";
  result.transient = transient;
  return result;
}

}  // namespace

TEST_CASE("nothing is to be done where all is well or resolves", "[advice]") {
  using enum diagnosis::Severity;
  using Id = diagnosis::FindingId;
  const model::Taint not_ready{"node.kubernetes.io/not-ready", "", "NoSchedule"};
  const model::Taint draining{"node.kubernetes.io/out-of-service", "", "NoExecute"};
  const model::Taint reserved{"reserved", "", "NoSchedule"};
  const Patients row = GENERATE_COPY(values<Patients>({
      {"running", {}, false, {}, true},
      {"running, and worth a remark", {}, false, known(Id::PodWarming, Info, true), true},
      {"running where something is wrong",
       {},
       false,
       known(Id::NodeDiskPressure, Warning, false),
       false,
       "why"},
      {"terminating", {}, true, {}, true},
      {"stuck", {}, true, known(Id::PodTerminatingStuck, Warning, false), false, "why"},
      {"terminating within its grace period",
       {},
       true,
       known(Id::PodTerminatingStuck, Info, true),
       true},
      {"terminating, and worth a remark", {}, true, known(Id::NodeCordoned, Info, false), true},
      {"deleted by the controller", {draining}, false, {}, true},
      {"misscheduled while the node is not ready", {not_ready}, false, {}, true},
      {"misscheduled, and worth a remark",
       {not_ready},
       false,
       known(Id::NodeCordoned, Info, false),
       true},
      {"misscheduled where something else is wrong",
       {not_ready},
       false,
       known(Id::NodeNotReady, Error, false),
       false,
       "why"},
      {"misscheduled where something else resolves",
       {not_ready},
       false,
       known(Id::NodeNotReady, Error, true),
       true,
       "why; resolves without action"},
      {"misscheduled for good", {reserved}, false, {}, false},
  }));
  CAPTURE(row.name);
  model::Cluster cluster;
  add_node(cluster, "n", row.taints, {});
  model::DaemonSet& ds = add_agent(cluster);
  model::Pod& pod = add_agent_pod(cluster, "agent-1", "n");
  if (row.terminating) pod.meta.deleted = model::Time();
  diagnosis::ReportOptions options = verdicts_only();
  std::vector<diagnosis::Finding> of_daemon_set;
  options.completes = [&](diagnosis::DaemonSetReport& report) {
    report.findings = of_daemon_set;
    if (!row.finding) return;
    report.nodes.change(0, [&](auto& state) { state.findings = {*row.finding}; });
  };
  const auto answer = [&] {
    const diagnosis::Reporter reporter(cluster, options);
    return cures(reporter, {&ds}, {}).front();
  };
  CHECK(needs_nothing(answer()) == row.needs_nothing);
  if (!row.why.empty()) {
    REQUIRE(answer().incurable.size() == 1);
    CHECK(answer().incurable[0].why == row.why);
    CHECK(answer().incurable[0].finding.has_value());
  } else {
    CHECK(answer().incurable.empty());
  }
  // What is wrong with the DaemonSet as a whole has to be done as well.
  of_daemon_set = {known(Id::CreateQuotaExceeded, Error, true)};
  CHECK(needs_nothing(answer()) == row.needs_nothing);
  of_daemon_set = {known(Id::DaemonsetFewerThanNodes, Warning, false)};  // sums up
  CHECK(needs_nothing(answer()) == row.needs_nothing);
  of_daemon_set = {known(Id::CreateQuotaExceeded, Error, false)};
  CHECK_FALSE(needs_nothing(answer()));
  of_daemon_set.clear();
  cluster.nodes_known = false;
  CHECK_FALSE(needs_nothing(answer()));
}

TEST_CASE("where such DaemonSets should not run, no toleration is recommended", "[advice]") {
  model::KnownTaint guarded;
  guarded.id = "guarded";
  guarded.key = "guarded";
  guarded.effects = {"NoSchedule"};
  guarded.lifecycle = model::TaintLifecycle::Permanent;
  guarded.in_general = model::Advised::No;
  const diagnosis::TaintCatalogue own({{guarded}});
  model::Cluster cluster;
  add_node(cluster, "n", {{"guarded", "", "NoSchedule"}}, {});
  const model::DaemonSet& ds = add_agent(cluster);
  add_agent_pod(cluster, "agent-1", "n");
  diagnosis::ReportOptions options = verdicts_only();
  options.taints = &own;
  const diagnosis::Reporter reporter(cluster, options);
  const CureAnswer answer = cures(reporter, {&ds}, {}).front();
  REQUIRE(answer.suggestions.size() == 1);
  CHECK_FALSE(answer.suggestions[0].recommended);
  CHECK(answer.suggestions[0].advised == model::Advised::No);
  CHECK(answer.suggestions[0].purpose.ends_with(" usually should not"));
  CHECK_FALSE(needs_nothing(answer));  // the pod stays misscheduled
}

TEST_CASE("of nodes that are not eligible the clauses are told, whatever else is known",
          "[advice]") {
  model::Cluster cluster;
  add_node(cluster, "n", {{"k", "", "NoSchedule"}}, {});
  model::DaemonSet& ds = add_agent(cluster);
  ds.pod_template.node_name = "other";
  ds.pod_template.node_selector = {{"disk", "ssd"}};
  diagnosis::ReportOptions options = verdicts_only();
  options.completes = [&](diagnosis::DaemonSetReport& report) {
    report.nodes.change(0, [&](auto& state) {
      state.findings = {
          known(diagnosis::FindingId::NodeNotReady, diagnosis::Severity::Error, false)};
    });
  };
  const diagnosis::Reporter reporter(cluster, options);
  const CureAnswer answer = cures(reporter, {&ds}, {Target::Kind::All, {}, {}}).front();
  REQUIRE(answer.incurable.size() == 1);
  CHECK(answer.incurable[0].why.starts_with("excluded by more than taints: "));
  CHECK(answer.incurable[0].why.find(", ") != std::string::npos);
  CHECK_FALSE(answer.incurable[0].finding);
}

TEST_CASE("a pod that runs on a Fargate node is no trouble", "[advice]") {
  model::Cluster cluster;
  add_node(cluster, "fargate-1", {}, {{"eks.amazonaws.com/compute-type", "fargate"}});
  add_agent(cluster);
  const auto incurable = [&] {
    return cure(cluster, {Target::Kind::All, {}, {}}).incurable.size();
  };
  CHECK(incurable() == 1);
  add_agent_pod(cluster, "agent-1", "fargate-1");
  CHECK(incurable() == 0);
}

TEST_CASE("whoever set a taint of a state removes it", "[advice]") {
  using enum model::TaintLifecycle;
  CHECK_FALSE(passes(nullptr));
  model::KnownTaint known;
  for (const auto lifecycle : {Unknown, Permanent}) {
    known.lifecycle = lifecycle;
    CHECK_FALSE(passes(&known));
  }
  for (const auto lifecycle : {Transient, Leaving, UntilReady, Maintenance}) {
    known.lifecycle = lifecycle;
    CHECK(passes(&known));
  }
}

TEST_CASE("a narrowed toleration loses what it said", "[advice]") {
  model::Cluster cluster;
  add_node(cluster, "db-1", {{"dedicated", "db", "NoSchedule"}}, {});
  add_node(cluster, "fargate-1", {{"eks.amazonaws.com/compute-type", "fargate", "NoSchedule"}},
           {{"eks.amazonaws.com/compute-type", "fargate"}});
  add_node(cluster, "plain", {}, {});
  add_node(cluster, "sick", {{"node.kubernetes.io/network-unavailable", "", "NoSchedule"}}, {});
  model::DaemonSet& ds = cluster.daemon_sets.emplace_back();
  ds.meta.ns = "x";
  ds.meta.name = "agent";
  ds.selector = model::LabelSelector{{{"app", "agent"}}, {}};
  ds.pod_template.tolerations = {{"", "Exists", "", "", {}}};
  const CureAnswer answer = cure(cluster, {});
  REQUIRE(answer.alternatives.size() == 2);
  const Alternative& fargate = answer.alternatives[0];
  CHECK(fargate.id == "exclude-fargate-nodes");
  CHECK(fargate.effect.lost == std::vector<model::Text>{"fargate-1"});
  const Alternative& narrow = answer.alternatives[1];
  CHECK(narrow.id == "narrow-toleration-0");
  REQUIRE(narrow.change);
  CHECK(narrow.change->removed == 0U);
  CHECK(narrow.change->added ==
        std::vector<model::Toleration>{{"dedicated", "Equal", "db", "NoSchedule", {}}});
  CHECK(narrow.effect.lost == std::vector<model::Text>{"fargate-1", "sick"});
}

TEST_CASE("a toleration is not narrowed where another says as much", "[advice]") {
  model::Cluster cluster;
  model::Node& node = cluster.nodes.emplace_back();
  node.meta.name = "db-1";
  node.taints = {{"dedicated", "db", "NoSchedule"}, {"dedicated", "db", "NoExecute"}};
  model::DaemonSet& ds = cluster.daemon_sets.emplace_back();
  ds.meta.ns = "x";
  ds.meta.name = "agent";
  auto& list = ds.pod_template.tolerations;
  const model::Toleration everything{"", "Exists", "", "", {}};
  const model::Toleration schedule{"", "Exists", "", "NoSchedule", {}};
  const model::Toleration execute{"", "Exists", "", "NoExecute", 60};
  const auto offers = [&] {
    std::vector<std::string> ids;
    for (const Alternative& each : cure(cluster, {}).alternatives) ids.push_back(each.id);
    return ids;
  };
  using Ids = std::vector<std::string>;
  list = {everything, everything};
  CHECK(offers().empty());
  list = {everything, schedule};
  CHECK(offers() == Ids{"narrow-toleration-0"});
  list = {everything, schedule, execute};
  CHECK(offers().empty());
  list = {schedule, execute};
  CHECK(offers() == Ids{"narrow-toleration-0", "narrow-toleration-1"});
  const CureAnswer answer = cure(cluster, {});
  CHECK(answer.alternatives[1].change->added ==
        std::vector<model::Toleration>{{"dedicated", "Equal", "db", "NoExecute", 60}});
}

TEST_CASE("nodes that are asked for by name get one patch for all of their taints", "[advice]") {
  model::Cluster cluster;
  for (const char* name : {"a", "b", "c"}) {
    model::Node& node = cluster.nodes.emplace_back();
    node.meta.name = name;
    node.taints = {{name, "", "NoSchedule"}};
  }
  model::DaemonSet& ds = cluster.daemon_sets.emplace_back();
  ds.meta.ns = "x";
  ds.meta.name = "agent";
  ds.selector = model::LabelSelector{{{"app", "agent"}}, {}};
  CHECK(cure(cluster, {}).suggestions.size() == 3);
  diagnosis::ReportOptions options = verdicts_only();
  options.selects = [](const model::Node& node) { return node.meta.name != "c"; };
  const diagnosis::Reporter reporter(cluster, options);
  const CureAnswer answer = cures(reporter, {&ds}, {}).front();
  REQUIRE(answer.suggestions.size() == 1);
  CHECK(answer.suggestions.front().change.added.size() == 2);
  CHECK(names_of(answer.suggestions.front().effect.gained) == std::set<std::string>{"a", "b"});
  options.selects = [](const model::Node& node) { return node.meta.name == "c"; };
  const diagnosis::Reporter of_one(cluster, options);
  const auto of_c = cures(of_one, {&ds}, {}).front().suggestions;
  REQUIRE(of_c.size() == 1);
  CHECK(names_of(of_c.front().effect.gained) == std::set<std::string>{"c"});
}

TEST_CASE("a rollout deletes for good what is not wanted, without one it stays", "[advice]") {
  model::Cluster cluster;
  const auto add = [&](const char* name, std::vector<model::Taint> taints) {
    model::Node& node = cluster.nodes.emplace_back();
    node.meta.name = name;
    node.taints = std::move(taints);
    model::Pod& pod = cluster.pods.emplace_back();
    pod.meta.ns = "x";
    pod.meta.name = std::string("agent-") + name;
    pod.meta.labels = {{"app", "agent"}};
    pod.meta.controller = model::ControllerRef{"DaemonSet", "agent", ""};
    pod.node_name = name;
  };
  add("a", {{"dedicated", "db", "NoSchedule"}});
  add("b", {{"gpu", "", "NoSchedule"}});
  add("c", {});
  model::DaemonSet& ds = cluster.daemon_sets.emplace_back();
  ds.meta.ns = "x";
  ds.meta.name = "agent";
  ds.selector = model::LabelSelector{{{"app", "agent"}}, {}};
  const auto one = cure(cluster, {Target::Kind::Node, "a", {}}).suggestions.front();
  CHECK(one.effect.after == PlacementCounts{2, 0});
  CHECK(one.effect.deletes == std::vector<model::Text>{"b"});
  CHECK(one.restarted_pods == 2U);
  ds.update_strategy = "OnDelete";
  const auto other = cure(cluster, {Target::Kind::Node, "a", {}}).suggestions.front();
  CHECK(other.effect.after == PlacementCounts{2, 1});
  CHECK(other.effect.deletes.empty());
  CHECK(other.restarted_pods == 0U);
}

TEST_CASE("an exclusion is added to every term that can match", "[advice]") {
  model::PodTemplate before;
  TemplateChange change;
  change.requirements = {{"type", "NotIn", {"virtual-kubelet"}}};
  CHECK(changed(before, change).node_affinity->terms.size() == 1);
  before.node_affinity = model::NodeSelector{{{{{"zone", "In", {"a"}}}, {}}, {}}};
  const auto after = changed(before, change).node_affinity->terms;
  REQUIRE(after.size() == 2);
  CHECK(after[0].match_expressions.size() == 2);
  CHECK(after[1].match_expressions.empty());
  before.node_affinity = model::NodeSelector{{{{}, {{"metadata.name", "In", {"n1"}}}}}};
  CHECK(changed(before, change).node_affinity->terms[0].match_expressions == change.requirements);
}

TEST_CASE("a node is visited where both report and cluster have it", "[advice]") {
  model::Cluster cluster;
  cluster.nodes_known = false;  // two were read, others are known from pods alone
  add_node(cluster, "b", {}, {});
  add_node(cluster, "d", {}, {});
  add_agent(cluster);
  add_agent_pod(cluster, "agent-1", "a");
  add_agent_pod(cluster, "agent-2", "c");
  add_agent_pod(cluster, "agent-3", "d");
  add_agent_pod(cluster, "agent-4", "e");
  const auto visited = [&](const diagnosis::DaemonSetReport& report) {
    std::string names;
    for_each_node(report, cluster, [&](const auto& entry, const model::Node& node) {
      CHECK(entry.name == node.meta.name);
      names += entry.name.str();
    });
    return names;
  };
  const diagnosis::DaemonSetReport report = report_of(cluster);
  CHECK(report.nodes.size() == 5);
  CHECK(visited(report) == "bd");
  cluster.nodes_known = true;
  CHECK(visited(report_of(cluster)) == "bd");
}

TEST_CASE("nodes can be labelled or untainted, where that is all", "[advice]") {
  model::Cluster cluster;
  add_node(cluster, "a", {}, {{"disk", "hdd"}});
  add_node(cluster, "b", {{"dedicated", "db", "NoSchedule"}}, {{"disk", "ssd"}});
  add_node(cluster, "c", {{"node.kubernetes.io/not-ready", "", "NoSchedule"}}, {{"disk", "ssd"}});
  model::DaemonSet& ds = cluster.daemon_sets.emplace_back();
  ds.meta.ns = "x";
  ds.meta.name = "agent";
  ds.pod_template.node_selector = {{"disk", "ssd"}};
  const auto a = cure(cluster, {Target::Kind::Node, "a", {}});
  CHECK(a.suggestions.empty());
  REQUIRE(a.alternatives.size() == 1);
  CHECK(a.alternatives[0].id == "label-node-disk-ssd");
  CHECK(a.alternatives[0].nodes->overwrites);
  const auto b = cure(cluster, {Target::Kind::Node, "b", {}});
  REQUIRE(b.alternatives.size() == 1);
  CHECK(b.alternatives[0].id == "untaint-node-dedicated-NoSchedule");
  CHECK(b.alternatives[0].effect.after.desired_number_scheduled == 1);
  const auto c = cure(cluster, {Target::Kind::Node, "c", {}});
  CHECK(c.alternatives.empty());
  // The label that the selector wants is one that the affinity forbids.
  ds.pod_template.node_affinity = model::NodeSelector{{{{{"disk", "In", {"hdd"}}}, {}}}};
  CHECK(cure(cluster, {Target::Kind::Node, "a", {}}).alternatives.empty());
}

TEST_CASE("nodes that need the same change are one command", "[advice]") {
  model::Cluster cluster;
  add_node(cluster, "a", {}, {{"pool", "x"}});
  add_node(cluster, "b", {}, {{"pool", "x"}, {"disk", "hdd"}});
  add_node(cluster, "c", {{"k", "", "NoSchedule"}}, {{"pool", "x"}});  // needs both kinds
  add_node(cluster, "d", {}, {});
  add_node(cluster, "e", {{"k", "", "NoSchedule"}, {"k", "", "PreferNoSchedule"}},
           {{"pool", "x"}, {"disk", "ssd"}});
  add_node(cluster, "f", {}, {{"pool", "x"}, {"disk", "ssd"}});
  model::DaemonSet& ds = add_agent(cluster);
  ds.pod_template.node_selector = {{"disk", "ssd"}};
  add_node(cluster, "g", {}, {{"disk", "hdd"}, {"arch", "arm"}});
  const Target pool{Target::Kind::Pool, "x", "pool"};
  const CureAnswer answer = cure(cluster, pool);
  REQUIRE(answer.alternatives.size() == 2);
  const Alternative& label = answer.alternatives[0];
  CHECK(label.id == "label-node-disk-ssd");
  CHECK(label.what == "label 2 nodes as the node selector requires");
  CHECK(label.nodes->nodes == std::vector<model::Text>{"a", "b"});
  CHECK(label.nodes->overwrites);
  CHECK(label.effect.gained == std::vector<model::Text>{"a", "b"});
  const Alternative& untaint = answer.alternatives[1];
  CHECK(untaint.id == "untaint-node-k-NoSchedule");
  CHECK(untaint.what == "remove the taint from node e");
  CHECK(untaint.effect.gained == std::vector<model::Text>{"e"});
  CHECK(cure(cluster, {Target::Kind::All, {}, {}}).alternatives.empty());  // nobody named nodes
  ds.pod_template.node_selector = {{"arch", "amd"}, {"disk", "ssd"}};
  const CureAnswer both = cure(cluster, {Target::Kind::Node, "g", {}});
  REQUIRE(both.alternatives.size() == 1);
  CHECK(both.alternatives[0].id == "label-node-arch-amd-disk-ssd");
  CHECK(both.alternatives[0].nodes->overwrites);
  ds.pod_template.node_selector = {{"disk", "ssd"}};
  // Node affinity can be met in many ways.
  ds.pod_template.node_affinity = model::NodeSelector{{{{{"gpu", "Exists", {}}}, {}}}};
  CHECK(cure(cluster, pool).alternatives.empty());
}

TEST_CASE("nodes that cannot run the pods are excluded where the pods fail", "[advice]") {
  model::Cluster cluster;
  add_node(cluster, "plain", {}, {});
  add_node(cluster, "win", {}, {{"kubernetes.io/os", "windows"}});
  model::DaemonSet& ds = add_agent(cluster);
  model::Pod& pod = add_agent_pod(cluster, "agent-win", "win");
  const auto offered = [&](const Target& target) { return cure(cluster, target).alternatives; };
  CHECK(offered({}).empty());  // a pod that is well shows that the node can run it
  pod.conditions.clear();
  REQUIRE(offered({}).size() == 1);
  const Alternative exclusion = offered({}).front();
  CHECK(exclusion.id == "exclude-windows-nodes");
  CHECK(exclusion.change->requirements ==
        std::vector<model::NodeSelectorRequirement>{{"kubernetes.io/os", "NotIn", {"windows"}}});
  CHECK(exclusion.effect.lost == std::vector<model::Text>{"win"});
  CHECK(exclusion.risk == "Pods on these nodes are deleted.");
  CHECK(offered({Target::Kind::Node, "win", {}}).size() == 1);
  CHECK(offered({Target::Kind::Node, "plain", {}}).empty());
  SECTION("the pods are made for Windows") {
    ds.pod_template.spec.os = "windows";
    CHECK(offered({}).empty());
  }
  SECTION("they are not eligible there") {
    ds.pod_template.node_selector = {{"kubernetes.io/os", "linux"}};
    CHECK(offered({}).empty());
  }
}

TEST_CASE("cluster-autoscaler can evict the pod of a node that it removes", "[advice]") {
  model::Cluster cluster;
  add_node(cluster, "a", {{"ToBeDeletedByClusterAutoscaler", "1601646271", "NoSchedule"}}, {});
  add_node(cluster, "b", {{"reserved", "", "NoSchedule"}}, {});
  model::DaemonSet& ds = add_agent(cluster);
  const auto offers = [&](const Target& target) {
    const auto found = cure(cluster, target).alternatives;
    return std::ranges::count(found, "evict-on-scale-down", &Alternative::id) == 1;
  };
  CHECK_FALSE(offers({}));  // there is no pod
  add_agent_pod(cluster, "agent-a", "a");
  add_agent_pod(cluster, "agent-b", "b");
  CHECK(offers({}));
  CHECK(offers({Target::Kind::Node, "a", {}}));
  CHECK_FALSE(offers({Target::Kind::Node, "b", {}}));
  const auto found = cure(cluster, {}).alternatives;
  CHECK(found.front().change->annotations ==
        model::Labels{{"cluster-autoscaler.kubernetes.io/enable-ds-eviction", "true"}});
  ds.pod_template.tolerations = {{"ToBeDeletedByClusterAutoscaler", "Exists", "", "", {}}};
  CHECK_FALSE(offers({}));
}

TEST_CASE("only what tolerates every taint that blocks is narrowed", "[advice]") {
  model::Cluster cluster;
  add_node(cluster, "db-1", {{"dedicated", "db", "NoSchedule"}}, {{"zone", "a"}});
  add_node(cluster, "db-2", {{"other", "x", "NoSchedule"}}, {{"zone", "b"}});
  model::DaemonSet& ds = add_agent(cluster);
  auto& list = ds.pod_template.tolerations;
  list = {{"", "Exists", "", "PreferNoSchedule", {}},
          {"dedicated", "Exists", "", "", {}},
          {"", "Equal", "", "", {}}};
  CHECK(cure(cluster, {}).alternatives.empty());
  list.push_back({"", "Exists", "", "NoSchedule", {}});
  CHECK(cure(cluster, {Target::Kind::Node, "db-1", {}}).alternatives.empty());  // asked for a node
  REQUIRE(cure(cluster, {}).alternatives.size() == 1);
  CHECK(cure(cluster, {}).alternatives[0].what ==
        "narrow spec.template.spec.tolerations[3], which tolerates every taint with effect "
        "NoSchedule");
  CHECK(cure(cluster, {}).alternatives[0].change->added ==
        std::vector<model::Toleration>{{"other", "Equal", "x", "NoSchedule", {}}});
  ds.pod_template.node_selector = {{"zone", "a"}};  // db-2 is not eligible, whatever is tolerated
  CHECK(cure(cluster, {}).alternatives[0].change->added.empty());
}

TEST_CASE("which nodes a target means", "[advice]") {
  model::Cluster cluster;
  add_node(cluster, "a", {{"reserved", "", "NoSchedule"}},
           {{"karpenter.sh/nodepool", "gpu"}, {"team", "ml"}});
  add_node(cluster, "b", {}, {{"team", "web"}});
  add_node(cluster, "c", {{"reserved", "", "NoSchedule"}}, {});
  add_agent(cluster);
  add_agent_pod(cluster, "agent-a", "a");
  add_agent_pod(cluster, "agent-b", "b");
  const auto report = report_of(cluster);
  const auto nodes = [&](const Target& target) {
    std::string result;
    for (const auto& entry : report.nodes) {
      if (is_target(target, entry, *model::find_node(cluster, entry.name))) {
        result += entry.name.str();
      }
    }
    return result;
  };
  using Kind = Target::Kind;
  CHECK(nodes({Kind::Each, {}, {}}) == "abc");
  CHECK(nodes({Kind::All, {}, {}}) == "abc");
  CHECK(nodes({Kind::Misscheduled, {}, {}}) == "a");
  CHECK(nodes({Kind::Missing, {}, {}}) == "c");
  CHECK(nodes({Kind::Node, "b", {}}) == "b");
  CHECK(nodes({Kind::Pool, "gpu", {}}) == "a");
  CHECK(nodes({Kind::Pool, "web", "team"}) == "b");
}
