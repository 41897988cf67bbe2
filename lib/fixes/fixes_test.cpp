// SPDX-License-Identifier: Apache-2.0
#include "fixes/fixes.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "diagnosis/catalogue/findings/rollout.h"
#include "diagnosis/catalogue/findings/scheduling.h"
#include "diagnosis/reporter.h"
#include "diagnosis/taints/taint_catalogue.h"
#include "fixes/test_fixes.h"
#include "fixes/what_if.h"
#include "render/words/message_text.h"

using namespace dsdoctor;
using namespace dsdoctor::fixes;
using render::text_of;

TEST_CASE("tolerations are not offered for Fargate and virtual nodes", "[fixes]") {
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
  const FixAnswer all = fix(cluster, {FixTarget::Kind::All, {}, {}});
  REQUIRE(all.suggestions.size() == 1);
  CHECK(all.suggestions[0].effect.gained == std::vector<model::Text>{"gpu"});
  CHECK(all.suggestions[0].change.added.size() == 2);  // one patch tolerates both taints
  REQUIRE(all.incurable.size() == 2);
  CHECK(text_of(all.incurable[0].why) == "no DaemonSet pod runs on a Fargate node");
  CHECK(all.incurable[0].nodes == std::vector<model::Text>{"fargate-1"});
  CHECK(all.incurable[1].nodes == std::vector<model::Text>{"virtual"});
  REQUIRE(all.alternatives.size() == 2);
  CHECK(all.alternatives[0].id == "exclude-fargate-nodes");
  CHECK(all.alternatives[1].id == "exclude-virtual-nodes");
  const FixAnswer each = fix(cluster, {});
  CHECK(each.suggestions.size() == 1);
  CHECK(each.alternatives.empty());
  CHECK(needs_nothing(each));
}

TEST_CASE("a DaemonSet that the controller ignores gets no patch", "[fixes]") {
  model::Cluster cluster;
  add_node(cluster, "gpu", {{"gpu", "", "NoSchedule"}}, {});
  model::DaemonSet& ds = cluster.daemon_sets.emplace_back();
  ds.meta.ns = "x";
  ds.meta.name = "agent";
  ds.selector = model::LabelSelector{{{"app", "agent"}}, {}};
  CHECK(fix(cluster, {}).suggestions.size() == 1);
  const auto has_patch = [&](const FixTarget& target) {
    const FixAnswer answer = fix(cluster, target);
    CHECK_FALSE(needs_nothing(answer));
    return !answer.suggestions.empty() || !answer.alternatives.empty();
  };
  SECTION("it is being deleted") { ds.meta.deleted = model::Time(); }
  SECTION("its selector is empty") { ds.selector = model::LabelSelector(); }
  CHECK_FALSE(has_patch({}));
  CHECK_FALSE(has_patch({FixTarget::Kind::Node, "gpu", {}}));
}

TEST_CASE("one toleration breaks a circle of startup taints", "[fixes]") {
  model::Cluster cluster;
  cluster.all_pods_known = true;
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
  const auto answers = fixes_for(reporter, {&cilium, &ebs}, {});
  REQUIRE(answers[0].suggestions.size() == 1);
  CHECK(answers[0].suggestions[0].recommended);
  CHECK_FALSE(answers[0].suggestions[0].wait);
  CHECK(text_of(answers[0].suggestions[0].purpose).find("cilium waits for") != std::string::npos);
  REQUIRE(answers[1].suggestions.size() == 1);
  CHECK_FALSE(answers[1].suggestions[0].recommended);
  CHECK_FALSE(answers[1].suggestions[0].wait);
}

TEST_CASE("an eligible node without a finding is described by its verdict", "[fixes]") {
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
  const FixAnswer all = fix(cluster, {FixTarget::Kind::All, {}, {}});
  REQUIRE(all.incurable.size() == 1);
  CHECK(text_of(all.incurable[0].why) == "eligible, no toleration is missing; " + row.why);
  CHECK_FALSE(all.incurable[0].finding);
  CHECK_FALSE(needs_nothing(all));
  const FixAnswer each = fix(cluster, {});
  REQUIRE(each.incurable.size() == (row.pods_known ? 1U : 0U));
  if (row.pods_known) CHECK(text_of(each.incurable[0].why) == row.why);
  CHECK_FALSE(needs_nothing(each));
}

TEST_CASE("a node is described by the cause of its problem", "[fixes]") {
  model::Cluster cluster;
  add_node(cluster, "n", {}, {});
  const model::DaemonSet& ds = add_agent(cluster);
  diagnosis::Finding finding;
  finding.id = diagnosis::FindingId::NodeDiskPressure;
  finding.severity = diagnosis::Severity::Warning;
  finding.standing = diagnosis::Standing::Context;
  finding.message = diagnosis::phrase::PodIsRejected{.reason = "DiskPressure"};
  diagnosis::ReportOptions options = verdicts_only();
  options.completes = [&](diagnosis::DaemonSetReport& report) {
    report.nodes.change(0, [&](auto& state) { state.findings = {finding}; });
  };
  const auto why = [&] {
    const diagnosis::Reporter reporter(cluster, options);
    const FixAnswer answer = fixes_for(reporter, {&ds}, {}).front();
    REQUIRE(answer.incurable.size() == 1);
    CHECK(answer.incurable[0].finding.has_value());
    return text_of(answer.incurable[0].why);
  };
  CHECK(why() == "DiskPressure");
  add_agent_pod(cluster, "agent-1", "n");  // the pod is healthy, the node is not
  CHECK(why() == "DiskPressure");
  finding.transient = true;
  CHECK(why() == "DiskPressure; resolves without action");
}

namespace {

/// A node with a pod, with taints, and with a finding.
struct Patients {
  const char* name;
  std::vector<model::Taint> taints;
  bool terminating;
  std::optional<diagnosis::Finding> finding;
  bool needs_nothing;
  std::string why = {};  // why no toleration helps
};

diagnosis::Finding known(diagnosis::FindingId id, diagnosis::Severity severity, bool transient) {
  diagnosis::Finding result;
  result.id = id;
  result.severity = severity;
  result.standing = diagnosis::Standing::Primary;
  result.message = diagnosis::phrase::PodIsRejected{.reason = "why"};
  result.transient = transient;
  return result;
}

}  // namespace

TEST_CASE("nodes with the same problem are shown together", "[fixes]") {
  model::Cluster cluster;
  for (const char* name : {"a", "b", "c", "d"}) add_node(cluster, name, {}, {});
  const model::DaemonSet& ds = add_agent(cluster);
  diagnosis::ReportOptions options = verdicts_only();
  options.completes = [&](diagnosis::DaemonSetReport& report) {
    for (std::size_t i = 0; i < report.nodes.size(); ++i) {
      auto finding =
          known(diagnosis::FindingId::SchedInsufficientCpu, diagnosis::Severity::Error, i == 3);
      finding.message = diagnosis::phrase::Shortage{.allocatable = "4",
                                                    .free = std::to_string(i),
                                                    .ignored = diagnosis::Argument::Names(),
                                                    .largest = {},
                                                    .repeated = {},
                                                    .request = "2",
                                                    .resource = "cpu",
                                                    .used = "",
                                                    .why = {}};
      finding.group = "2 cpu";
      report.nodes.change(i, [&](auto& state) { state.findings = {finding}; });
    }
  };
  const diagnosis::Reporter reporter(cluster, options);
  const FixAnswer answer = fixes_for(reporter, {&ds}, {}).front();
  REQUIRE(answer.incurable.size() == 2);
  CHECK(answer.incurable[0].nodes == std::vector<model::Text>{"a", "b", "c"});
  CHECK(text_of(answer.incurable[0].why) ==
        "Insufficient cpu: requested 2 cpu; for example on a: Insufficient cpu: requested 2 cpu, "
        "free 0 of 4");
  CHECK(answer.incurable[1].nodes == std::vector<model::Text>{"d"});  // resolves without action
}

TEST_CASE("a toleration that is never advised is offered if the node is requested", "[fixes]") {
  model::Cluster cluster;
  add_node(cluster, "n", {{"node.kubernetes.io/unreachable", "", "NoSchedule"}}, {});
  const model::DaemonSet& ds = add_agent(cluster);
  add_agent_pod(cluster, "agent-1", "n");
  const FixAnswer each = fix(cluster, {});
  CHECK(each.suggestions.empty());
  REQUIRE(each.withheld.size() == 1);
  CHECK(each.withheld[0].advised == model::Advised::No);
  const FixAnswer asked = fix(cluster, {FixTarget::Kind::Node, "n", {}});
  CHECK(asked.suggestions.size() == 1);
  CHECK(asked.withheld.empty());
  // A selection of nodes is not a request for a fix of these nodes.
  const auto every_node = [](const model::Node&) { return true; };
  const diagnosis::Reporter reporter(cluster, verdicts_only());
  const FixAnswer selected = fixes_for(reporter, {&ds}, {}, every_node).front();
  CHECK(selected.suggestions.empty());
  CHECK(selected.withheld.size() == 1);
}

TEST_CASE("a DaemonSet without eligible nodes gets a recommended patch", "[fixes]") {
  model::Cluster cluster;
  add_node(cluster, "a", {{"dedicated", "db", "NoSchedule"}}, {});
  add_node(cluster, "b", {{"dedicated", "db", "NoSchedule"}}, {});
  add_node(cluster, "c", {{"dedicated", "web", "NoSchedule"}}, {});
  const model::DaemonSet& ds = add_agent(cluster);
  diagnosis::Finding none =
      known(diagnosis::FindingId::DaemonsetNoEligibleNode, diagnosis::Severity::Error, false);
  diagnosis::ReportOptions options = verdicts_only();
  options.completes = [&](diagnosis::DaemonSetReport& report) { report.findings = {none}; };
  const auto found = [&] {
    const diagnosis::Reporter reporter(cluster, options);
    return fixes_for(reporter, {&ds}, {}).front().suggestions;
  };
  REQUIRE(found().size() == 2);
  CHECK(found()[0].recommended);
  CHECK(found()[0].id == "tolerate-dedicated-db-NoSchedule");
  CHECK(found()[0].advised == model::Advised::Yes);
  CHECK_FALSE(found()[1].recommended);
  none.severity = diagnosis::Severity::Info;  // intended
  CHECK_FALSE(found()[0].recommended);
}

TEST_CASE("no fix is needed if all is well or resolves without action", "[fixes]") {
  using enum diagnosis::Severity;
  using Id = diagnosis::FindingId;
  const model::Taint not_ready{"node.kubernetes.io/not-ready", "", "NoSchedule"};
  const model::Taint draining{"node.kubernetes.io/out-of-service", "", "NoExecute"};
  const model::Taint reserved{"amd.com/gpu", "", "NoSchedule"};
  const model::Taint evicting{"reserved", "", "NoExecute"};
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
      {"held by a finalizer", {}, true, known(Id::PodTerminatingStuck, Info, false), false, "why"},
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
       false},
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
      {"deleted, since a taint says so", {evicting}, false, {}, true},
      {"misscheduled for good", {reserved}, false, {}, false},
      {"misscheduled, and it resolves",
       {reserved},
       false,
       known(Id::PodTerminatingStuck, Info, true),
       true},
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
    return fixes_for(reporter, {&ds}, {}).front();
  };
  CHECK(needs_nothing(answer()) == row.needs_nothing);
  for (const Suggestion& each : answer().suggestions) {
    CHECK(each.recommended == (row.taints.front() == reserved && !row.needs_nothing));
  }
  if (!row.why.empty()) {
    REQUIRE(answer().incurable.size() == 1);
    CHECK(text_of(answer().incurable[0].why) == row.why);
    CHECK(answer().incurable[0].finding.has_value());
  } else {
    CHECK(answer().incurable.empty());
  }
  {
    const diagnosis::Reporter reporter(cluster, options);
    const FixAnswer of_node = fixes_for(reporter, {&ds}, {FixTarget::Kind::Node, "n", {}}).front();
    CHECK(targets_need_nothing(of_node) == row.needs_nothing);
    if (row.terminating && !row.needs_nothing) {
      REQUIRE(of_node.incurable.size() == 1);
      CHECK(text_of(of_node.incurable[0].why) == row.why);
    }
  }
  // Problems of the DaemonSet as a whole need action as well.
  of_daemon_set = {known(Id::CreateQuotaExceeded, Error, true)};
  CHECK(needs_nothing(answer()) == row.needs_nothing);
  of_daemon_set = {known(Id::DaemonsetFewerThanNodes, Warning, false)};  // sums up other findings
  CHECK_FALSE(needs_nothing(answer()));
  const FixAnswer summed = answer();
  const bool is_told = !summed.incurable.empty() ||
                       std::ranges::any_of(summed.suggestions, &Suggestion::recommended);
  CHECK(summed.problems.size() == (is_told ? 0U : 1U));
  of_daemon_set = {known(Id::CreateQuotaExceeded, Error, false)};
  CHECK_FALSE(needs_nothing(answer()));
  of_daemon_set.clear();
  cluster.nodes_known = false;
  CHECK_FALSE(needs_nothing(answer()));
}

TEST_CASE("a toleration is not recommended against the advice for a taint", "[fixes]") {
  model::KnownTaint guarded;
  guarded.id = "guarded";
  guarded.key = "guarded";
  guarded.effects = {"NoSchedule"};
  guarded.lifecycle = model::TaintLifecycle::Permanent;
  guarded.in_general = model::Advised::No;
  guarded.suggested = model::Toleration{"guarded", "Exists", "", "NoSchedule", {}};
  const diagnosis::TaintCatalogue own({{guarded}});
  model::Cluster cluster;
  add_node(cluster, "n", {{"guarded", "", "NoSchedule"}}, {});
  const model::DaemonSet& ds = add_agent(cluster);
  add_agent_pod(cluster, "agent-1", "n");
  diagnosis::ReportOptions options = verdicts_only();
  options.taints = &own;
  const diagnosis::Reporter reporter(cluster, options);
  const FixAnswer answer = fixes_for(reporter, {&ds}, {}).front();
  REQUIRE(answer.suggestions.size() == 1);
  CHECK_FALSE(answer.suggestions[0].recommended);
  CHECK(answer.suggestions[0].advised == model::Advised::No);
  CHECK(text_of(answer.suggestions[0].purpose).ends_with(" usually should not"));
  CHECK_FALSE(needs_nothing(answer));  // the pod stays misscheduled
}

TEST_CASE("nodes that are not eligible are described by their reasons", "[fixes]") {
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
  const FixAnswer answer = fixes_for(reporter, {&ds}, {FixTarget::Kind::All, {}, {}}).front();
  REQUIRE(answer.incurable.size() == 1);
  CHECK(text_of(answer.incurable[0].why).starts_with("excluded by more than taints: "));
  CHECK(text_of(answer.incurable[0].why).find(", ") != std::string::npos);
  CHECK_FALSE(answer.incurable[0].finding);
}

TEST_CASE("a running pod on a Fargate node is not a problem", "[fixes]") {
  model::Cluster cluster;
  add_node(cluster, "fargate-1", {}, {{"eks.amazonaws.com/compute-type", "fargate"}});
  add_agent(cluster);
  const auto incurable = [&] {
    return fix(cluster, {FixTarget::Kind::All, {}, {}}).incurable.size();
  };
  CHECK(incurable() == 1);
  add_agent_pod(cluster, "agent-1", "fargate-1");
  CHECK(incurable() == 0);
}

TEST_CASE("nodes requested by name get one patch for all of their taints", "[fixes]") {
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
  CHECK(fix(cluster, {}).suggestions.size() == 3);
  const diagnosis::Reporter reporter(cluster, verdicts_only());
  const auto is_not_c = [](const model::Node& node) { return node.meta.name != "c"; };
  const FixAnswer answer = fixes_for(reporter, {&ds}, {}, is_not_c).front();
  REQUIRE(answer.suggestions.size() == 1);
  CHECK(answer.suggestions.front().change.added.size() == 2);
  CHECK(names_of(answer.suggestions.front().effect.gained) == std::set<std::string>{"a", "b"});
  const auto is_c = [](const model::Node& node) { return node.meta.name == "c"; };
  const auto of_c = fixes_for(reporter, {&ds}, {}, is_c).front().suggestions;
  REQUIRE(of_c.size() == 1);
  CHECK(names_of(of_c.front().effect.gained) == std::set<std::string>{"c"});
}

TEST_CASE("an unknown taint gives no recommended patch, but its removal", "[fixes]") {
  model::Cluster cluster;
  add_node(cluster, "a", {{"drain", "", "NoSchedule"}}, {});
  cluster.nodes[0].taints[0].time_added = model::Time() + std::chrono::hours(24);
  add_node(cluster, "b", {}, {});
  add_agent(cluster);
  add_agent_pod(cluster, "agent-a", "a");
  add_agent_pod(cluster, "agent-b", "b");
  const FixAnswer answer = fix(cluster, {});
  CHECK_FALSE(recommends_patch(answer));
  REQUIRE(answer.suggestions.size() == 1);
  CHECK(text_of(answer.suggestions[0].purpose) == "only if the pod should run on these nodes");
  CHECK(text_of(answer.suggestions[0].risk) ==
        "Nothing is known of the taint; it was added to a 1970-01-02 00:00:00 UTC. Ask who added "
        "it before you override it.");
  REQUIRE(answer.alternatives.size() == 1);
  const Alternative& removal = answer.alternatives[0];
  REQUIRE(removal.nodes);
  CHECK(removal.nodes->kind == NodeCommand::Kind::Untaint);
  CHECK(removal.nodes->nodes == std::vector<model::Text>{"a"});
  CHECK(removal.effect.after == PlacementCounts{2, 0});
  SECTION("the taint is known") {
    cluster.nodes[0].taints[0].key = "amd.com/gpu";
    CHECK(recommends_patch(fix(cluster, {})));
    CHECK(fix(cluster, {}).alternatives.empty());
  }
  SECTION("many nodes have it: their pool sets it again") {
    for (int i = 0; i < 10; ++i) {
      const std::string name = "p" + std::to_string(i);
      add_node(cluster, name.c_str(), {{"drain", "", "NoSchedule"}}, {});
      add_agent_pod(cluster, ("agent-" + name).c_str(), name.c_str());
    }
    CHECK(fix(cluster, {}).alternatives.empty());
  }
  SECTION("it is not the only one: the other is that of a pool") {
    cluster.nodes[0].taints.push_back({"pool", "", "NoSchedule"});
    CHECK(fix(cluster, {}).alternatives.size() == 1);
    for (int i = 0; i < 10; ++i) {
      const std::string name = "p" + std::to_string(i);
      add_node(cluster, name.c_str(), {{"pool", "", "NoSchedule"}}, {});
    }
    CHECK(fix(cluster, {}).alternatives.empty());
  }
  SECTION("the DaemonSet has no pod there") {
    cluster.pods.clear();
    CHECK(fix(cluster, {}).alternatives.empty());
  }
}

TEST_CASE("nothing is recommended whose rolling update cannot finish", "[fixes]") {
  model::Cluster cluster;
  add_node(cluster, "dead", {}, {});
  add_node(cluster, "gpu", {{"amd.com/gpu", "", "NoSchedule"}}, {});
  add_node(cluster, "well", {}, {});
  add_agent(cluster);
  for (const char* node : {"dead", "gpu", "well"}) {
    add_agent_pod(cluster, (std::string("agent-") + node).c_str(), node);
  }
  REQUIRE(recommends_patch(fix(cluster, {})));
  cluster.pods[0].conditions = {{"Ready", "False", "", "", model::Time()}};
  const FixAnswer stuck = fix(cluster, {});
  CHECK_FALSE(recommends_patch(stuck));
  REQUIRE(stuck.suggestions.size() == 1);
  CHECK(stuck.suggestions[0].effect.waits_for == std::vector<model::Text>{"dead"});
  CHECK(text_of(stuck.suggestions[0].risk).starts_with("The rolling update cannot finish"));
  REQUIRE(stuck.incurable.size() == 1);
  CHECK(stuck.incurable[0].nodes == std::vector<model::Text>{"dead"});
  cluster.daemon_sets[0].max_unavailable = model::IntOrPercent{2, false};
  CHECK(recommends_patch(fix(cluster, {})));
}

TEST_CASE("a patch for several nodes does not hide smaller recommended ones", "[fixes]") {
  model::Cluster cluster;
  add_node(cluster, "a", {{"cloud.google.com/compute-class", "db", "NoSchedule"}}, {});
  add_node(cluster, "b", {{"cloud.google.com/compute-class", "ml", "NoSchedule"}}, {});
  const model::DaemonSet& ds = add_agent(cluster);
  add_agent_pod(cluster, "agent-a", "a");
  const diagnosis::Reporter reporter(cluster, verdicts_only());
  const auto every_node = [](const model::Node&) { return true; };
  const auto found = fixes_for(reporter, {&ds}, {}, every_node).front().suggestions;
  REQUIRE(found.size() == 2);
  CHECK(found[0].recommended);
  CHECK(names_of(found[0].effect.gained) == std::set<std::string>{"a"});
  CHECK_FALSE(found[1].recommended);
  CHECK(names_of(found[1].effect.gained) == std::set<std::string>{"a", "b"});
}

TEST_CASE("an answer about some nodes omits the needs of others", "[fixes]") {
  model::Cluster cluster;
  add_node(cluster, "well", {}, {});
  add_node(cluster, "leaving", {{"ToBeDeletedByClusterAutoscaler", "1", "NoSchedule"}}, {});
  add_node(cluster, "reserved", {{"amd.com/gpu", "", "NoSchedule"}}, {});
  add_node(cluster, "empty", {{"amd.com/gpu", "", "NoSchedule"}}, {});
  model::DaemonSet& ds = add_agent(cluster);
  for (const char* node : {"well", "leaving", "reserved"}) {
    add_agent_pod(cluster, (std::string("agent-") + node).c_str(), node);
  }
  // Requested by --for, and by a selection of nodes.
  const auto by_target = [&](const char* name) {
    return fix(cluster, {FixTarget::Kind::Node, name, {}});
  };
  const auto by_selection = [&](const char* name) {
    const diagnosis::Reporter reporter(cluster, verdicts_only());
    const auto is_it = [=](const model::Node& node) { return node.meta.name == name; };
    return fixes_for(reporter, {&ds}, {}, is_it).front();
  };
  const auto nothing_is_said = [](const FixAnswer& answer) {
    return answer.suggestions.empty() && answer.alternatives.empty() && answer.incurable.empty() &&
           targets_need_nothing(answer) && !needs_nothing(answer);
  };
  CHECK(nothing_is_said(by_target("well")));
  CHECK(nothing_is_said(by_selection("well")));
  for (const FixAnswer& leaving : {by_target("leaving"), by_selection("leaving")}) {
    CHECK(targets_need_nothing(leaving));  // it resolves without action, and the answer says so
    REQUIRE(leaving.suggestions.size() == 1);
    CHECK(leaving.suggestions[0].wait);
    REQUIRE(!leaving.alternatives.empty());
    CHECK(leaving.alternatives[0].id == "evict-on-scale-down");
  }
  for (const char* name : {"reserved", "empty"}) {
    for (const FixAnswer& wanted : {by_target(name), by_selection(name)}) {
      CHECK_FALSE(targets_need_nothing(wanted));
      CHECK(wanted.suggestions.size() == 1);
    }
  }
  CHECK_FALSE(targets_need_nothing(fix(cluster, {})));
  cluster.pods_known = false;
  CHECK_FALSE(targets_need_nothing(by_target("well")));
}

TEST_CASE("a Fargate node is not made eligible even if it is requested", "[fixes]") {
  model::Cluster cluster;
  add_node(cluster, "fargate-1", {{"a", "", "NoSchedule"}},
           {{"eks.amazonaws.com/compute-type", "fargate"}});
  add_node(cluster, "m1", {{"a", "", "NoSchedule"}}, {});
  const model::DaemonSet& ds = add_agent(cluster);
  const auto offered = [&](const char* name) {
    const diagnosis::Reporter reporter(cluster, verdicts_only());
    const auto is_it = [name](const model::Node& node) { return node.meta.name == name; };
    return fixes_for(reporter, {&ds}, {}, is_it).front().suggestions.size();
  };
  CHECK(offered("fargate-1") == 0);
  CHECK(offered("m1") == 1);
  add_node(cluster, "m2", {{"a", "", "NoSchedule"}, {"b", "", "NoSchedule"}}, {});
  CHECK(offered("fargate-1") == 0);
  CHECK(offered("m1") == 1);
  const auto alternatives_for = [&](const char* name) {
    std::set<std::string> ids;
    for (const Alternative& each : fix(cluster, {FixTarget::Kind::Node, name, {}}).alternatives) {
      ids.insert(each.id);
    }
    return ids;
  };
  CHECK(alternatives_for("fargate-1") == std::set<std::string>{"exclude-fargate-nodes"});
  CHECK(alternatives_for("m1") == std::set<std::string>{"untaint-node-a-NoSchedule"});
}

TEST_CASE("a rollout deletes pods on nodes that are not eligible", "[fixes]") {
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
  const auto one = fix(cluster, {FixTarget::Kind::Node, "a", {}}).suggestions.front();
  CHECK(one.effect.after == PlacementCounts{2, 0});
  CHECK(one.effect.deletes == std::vector<model::Text>{"b"});
  CHECK(one.restarted_pods == 2U);
  ds.update_strategy = "OnDelete";
  const auto other = fix(cluster, {FixTarget::Kind::Node, "a", {}}).suggestions.front();
  CHECK(other.effect.after == PlacementCounts{2, 1});
  CHECK(other.effect.deletes.empty());
  CHECK(other.restarted_pods == 0U);
}
