// SPDX-License-Identifier: Apache-2.0
#include "fixes/what_if.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "diagnosis/reporter.h"
#include "fixes/test_fixes.h"

using namespace dsdoctor;
using namespace dsdoctor::fixes;

namespace {

NodeEdit edit(NodeEdit::Kind kind, const char* glob, model::Taint taint) {
  return {kind, {glob, glob, {}}, std::move(taint), {}, {}};
}

NodeEdit label(NodeEdit::Kind kind, const char* glob, const char* key, const char* value) {
  return {kind, {glob, glob, {}}, {}, key, value};
}

Consequence between(const model::Cluster& before, const model::Cluster& after) {
  diagnosis::ReportOptions options;
  options.diagnoses = false;
  const auto& [old, ds] = std::tie(before.daemon_sets.front(), after.daemon_sets.front());
  const auto then = diagnosis::Reporter(before, options).report(old);
  const auto now = diagnosis::Reporter(after, options).report(ds);
  return consequence({&old, &then, before}, {&ds, &now, after}, {});
}

}  // namespace

TEST_CASE("a what-if equals the same change of the input", "[fixes]") {
  const model::Cluster before = three_nodes();
  model::Cluster by_hand = before;
  by_hand.nodes[0].taints.push_back({"k", "v", "NoExecute"});
  by_hand.nodes[1].taints.push_back({"k", "v", "NoExecute"});
  by_hand.nodes[2].meta.labels.set("disk", "ssd");
  WhatIf what_if;
  what_if.edits = {edit(NodeEdit::Kind::Taint, "a*", {"k", "v", "NoExecute"}),
                   label(NodeEdit::Kind::Label, "b1", "disk", "ssd")};
  const auto after = with_changes(before, what_if);
  REQUIRE(after);
  CHECK(*after == by_hand);

  // The reverse edits restore the cluster.
  WhatIf back;
  back.edits = {edit(NodeEdit::Kind::Untaint, "a*", {"k", "", ""}),
                label(NodeEdit::Kind::Unlabel, "b1", "disk", "")};
  CHECK(*with_changes(*after, back) == before);
}

TEST_CASE("a pod that a change evicts is reported as deleted", "[fixes]") {
  const model::Cluster before = three_nodes();
  WhatIf what_if;
  what_if.edits = {edit(NodeEdit::Kind::Taint, "*", {"k", "v", "NoExecute"})};
  const auto result = between(before, *with_changes(before, what_if));
  REQUIRE(result.flips.size() == 3);
  CHECK(result.flips[0].after.verdict() == diagnosis::NodeVerdict::Removing);
  CHECK(fate(result, result.flips[0]) == "its pod would be deleted");
  CHECK(result.flips[1].before == diagnosis::NodeVerdict::Missing);
  CHECK(fate(result, result.flips[1]) == "the node would not be eligible");
  what_if.edits = {edit(NodeEdit::Kind::Cordon, "*", {})};
  CHECK(between(before, *with_changes(before, what_if)).flips.empty());
}

TEST_CASE("a rollout deletes pods that would have stayed misscheduled", "[fixes]") {
  const model::Cluster before = three_nodes();
  WhatIf what_if;
  what_if.edits = {edit(NodeEdit::Kind::Taint, "*", {"k", "v", "NoSchedule"})};
  model::Cluster after = *with_changes(before, what_if);
  Consequence result = between(before, after);
  REQUIRE(result.flips.front().after.verdict() == diagnosis::NodeVerdict::Misscheduled);
  CHECK(fate(result, result.flips.front()) == "its pod would be misscheduled");
  CHECK(result.after.counts.number_misscheduled == 1);
  after.daemon_sets.front().pod_template.host_network = true;
  result = between(before, after);
  CHECK(fate(result, result.flips.front()) == "its pod would be deleted");
  CHECK(result.after.counts.number_misscheduled == 0);
  after.daemon_sets.front().update_strategy = "OnDelete";
  result = between(before, after);
  CHECK(fate(result, result.flips.front()) == "its pod would be misscheduled");
  CHECK(result.after.counts.number_misscheduled == 1);
}

TEST_CASE("pods are not created or deleted if the controller does not act", "[fixes]") {
  model::Cluster before = three_nodes();
  model::DaemonSet& ds = before.daemon_sets.front();
  ds.pod_template.node_selector = {{"disk", "ssd"}};
  before.nodes[0].meta.labels.set("disk", "ssd");
  SECTION("it is being deleted") { ds.meta.deleted = model::Time(); }
  SECTION("its selector is empty") { ds.selector = model::LabelSelector(); }
  WhatIf what_if;
  what_if.edits = {label(NodeEdit::Kind::Label, "a2", "disk", "ssd"),
                   label(NodeEdit::Kind::Unlabel, "a1", "disk", "")};
  const auto result = between(before, *with_changes(before, what_if));
  CHECK(result.after.counts.current_number_scheduled == 0);
  CHECK(result.settled.deletes.empty());
  for (const Flip& flip : result.flips) {
    CHECK(fate(result, flip).find("would be created") == std::string_view::npos);
    CHECK(fate(result, flip).find("would be deleted") == std::string_view::npos);
  }
  CHECK_FALSE(result.flips.empty());
}

TEST_CASE("deletions that happen without the change are not effects of it", "[fixes]") {
  model::Cluster before = three_nodes();
  before.nodes[0].taints.push_back({"k", "v", "NoExecute"});  // its pod is still there
  WhatIf what_if;
  what_if.edits = {edit(NodeEdit::Kind::Cordon, "a2", {})};
  Consequence result = between(before, *with_changes(before, what_if));
  CHECK(result.before.counts.number_misscheduled == 1);
  CHECK(result.after.counts == result.before.counts);
  CHECK(result.settled.deletes.empty());

  // A pod that is already terminating is not an effect either.
  model::Cluster ending = before;
  ending.pods.front().meta.deleted = model::Time{};
  result = between(ending, *with_changes(ending, what_if));
  CHECK(result.after.counts == result.before.counts);

  // The same with a change on another node.
  what_if.edits = {edit(NodeEdit::Kind::Taint, "b1", {"k", "v", "NoExecute"})};
  result = between(before, *with_changes(before, what_if));
  CHECK(result.after.counts.desired_number_scheduled == 1);
  CHECK(result.after.counts.number_misscheduled == 1);
  CHECK(result.settled.deletes.empty());

  // It is an effect if the pod stays.
  what_if.edits = {edit(NodeEdit::Kind::Untaint, "a1", {"k", "v", "NoExecute"})};
  result = between(before, *with_changes(before, what_if));
  CHECK(result.after.counts.number_misscheduled == 0);
  CHECK(result.after.counts.current_number_scheduled == 1);
}

TEST_CASE("edits that change nothing are errors", "[fixes]") {
  const model::Cluster cluster = three_nodes();
  const auto error_of = [&](const NodeEdit& one) {
    WhatIf what_if;
    what_if.edits = {one};
    const auto result = with_changes(cluster, what_if);
    return result ? std::string() : to_string(result.error());
  };
  CHECK(error_of(edit(NodeEdit::Kind::Taint, "c1", {"k", "", "NoSchedule"})) ==
        "nodes \"c1\" not found");
  CHECK(error_of(edit(NodeEdit::Kind::Taint, "c*", {"k", "", "NoSchedule"})) ==
        "no node matches \"c*\"");
  CHECK(error_of(edit(NodeEdit::Kind::Untaint, "a*", {"k", "", "NoSchedule"})) ==
        "taint \"k:NoSchedule\" not found on node a*");
  CHECK(error_of(edit(NodeEdit::Kind::Untaint, "a1", {"k", "", ""})) ==
        "taint \"k\" not found on node a1");
  CHECK(error_of(label(NodeEdit::Kind::Unlabel, "a1", "zone", "")) ==
        "label \"zone\" not found on node a1");
  NodeEdit by_label = edit(NodeEdit::Kind::Cordon, "", {});
  by_label.nodes = {"pool=c", "", {{"pool", "In", {"c"}}}};
  CHECK(error_of(by_label) == "no node matches \"pool=c\"");
  WhatIf misspelt;
  misspelt.edits = {edit(NodeEdit::Kind::Cordon, "b11", {})};
  CHECK(with_changes(cluster, misspelt).error().hints ==
        std::vector<std::string>{"did you mean: b1", "did you mean: a1"});
  WhatIf again;
  again.nodes = {cluster.nodes[1]};
  CHECK(to_string(with_changes(cluster, again).error()) ==
        "node \"a2\" already exists, so it cannot be added");
}

TEST_CASE("taints are set and removed by key and effect as kubectl does", "[fixes]") {
  model::Cluster cluster = three_nodes();
  const std::vector<model::Taint> before = {{"k", "v", "NoSchedule"}, {"k", "v", "NoExecute"}};
  cluster.nodes[0].taints = before;
  const auto taints_after = [&](NodeEdit::Kind kind, const model::Taint& taint) {
    WhatIf what_if;
    what_if.edits = {edit(kind, "a1", taint)};
    const auto after = with_changes(cluster, what_if);
    REQUIRE(after);
    return after->nodes[0].taints;
  };
  using Taints = std::vector<model::Taint>;
  using Kind = NodeEdit::Kind;
  CHECK(taints_after(Kind::Taint, {"k", "w", "NoExecute"}) ==
        Taints{before[0], {"k", "w", "NoExecute"}});
  CHECK(taints_after(Kind::Taint, {"j", "", "NoExecute"}).size() == 3);
  CHECK(taints_after(Kind::Taint, {"k", "", "PreferNoSchedule"}).size() == 3);
  CHECK(taints_after(Kind::Untaint, {"k", "", "NoSchedule"}) == Taints{before[1]});
  CHECK(taints_after(Kind::Untaint, {"k", "", ""}).empty());
  // It is enough that one of several nodes has the taint.
  WhatIf several;
  several.edits = {edit(Kind::Untaint, "*", {"k", "", ""})};
  CHECK(with_changes(cluster, several)->nodes[0].taints.empty());
}

TEST_CASE("only tolerations that a template lacks are added to it", "[fixes]") {
  using Tolerations = std::vector<model::Toleration>;
  model::Cluster cluster = three_nodes();
  model::DaemonSet& ds = cluster.daemon_sets[0];
  ds.template_fingerprint = 7;
  const Tolerations kept = {{"k", "Exists", "", "", {}}, {"v", "", "w", "NoExecute", {}}};
  ds.pod_template.tolerations = kept;
  CHECK(tolerate(ds, kept).empty());
  CHECK(tolerate(ds, {{"v", "Equal", "w", "NoExecute", {}}}).empty());
  CHECK(ds.pod_template.tolerations == kept);
  CHECK(ds.template_fingerprint == 7);
  const Tolerations others = {{"k", "Exists", "", "NoSchedule", {}}, {"k", "Exists", "", "", 5}};
  CHECK(tolerate(ds, {kept[0], others[0], others[1], others[0]}) == others);
  CHECK(ds.pod_template.tolerations == Tolerations{kept[0], kept[1], others[0], others[1]});
  CHECK(ds.template_fingerprint == 0);
}

TEST_CASE("nodes are picked by labels if no name is given", "[fixes]") {
  const model::Cluster before = three_nodes();
  WhatIf what_if;
  what_if.edits = {edit(NodeEdit::Kind::Cordon, "", {})};
  what_if.edits[0].nodes = {"pool=a", "", {{"pool", "In", {"a"}}}};
  const auto after = with_changes(before, what_if);
  REQUIRE(after);
  CHECK(after->nodes[0].unschedulable);
  CHECK(after->nodes[1].unschedulable);
  CHECK_FALSE(after->nodes[2].unschedulable);
  CHECK(after->nodes[0].taints ==
        std::vector<model::Taint>{{"node.kubernetes.io/unschedulable", "", "NoSchedule"}});
}

TEST_CASE("a manifest replaces the spec and keeps pods and status", "[fixes]") {
  model::Cluster before = three_nodes();
  before.daemon_sets[0].reported.desired_number_scheduled = 3;
  model::DaemonSet manifest;
  manifest.meta.ns = "x";
  manifest.meta.name = "agent";
  manifest.selector = model::LabelSelector{{{"app", "agent"}}, {}};
  manifest.pod_template.labels = {{"app", "agent"}};
  manifest.pod_template.node_selector = {{"pool", "b"}};
  WhatIf what_if;
  what_if.daemon_sets = {manifest};
  const auto after = with_changes(before, what_if);
  REQUIRE(after);
  REQUIRE(after->daemon_sets.size() == 1);
  CHECK(after->daemon_sets[0].meta.uid == "1");
  CHECK(after->daemon_sets[0].reported.desired_number_scheduled == 3);
  CHECK(after->daemon_sets[0].template_fingerprint == 0);
  const auto result = between(before, *after);
  REQUIRE(result.flips.size() == 2);
  CHECK(result.flips[0].after.verdict() == diagnosis::NodeVerdict::Removing);
  CHECK(result.flips[1].after.verdict() == diagnosis::NodeVerdict::Excluded);
}

TEST_CASE("a manifest without the API's defaults changes nothing", "[fixes]") {
  model::Cluster before = three_nodes();
  model::DaemonSet& stored = before.daemon_sets[0];
  stored.pod_template.labels = {{"app", "agent"}};
  model::Container container;
  container.name = "agent";
  container.image = "registry.example:5000/agent";
  container.image_pull_policy = "Always";
  container.requests = {{"cpu", "100m"}, {"memory", "128Mi"}};
  container.ports = {{80, 0, "TCP", ""}};
  container.liveness_probe = model::Probe{"exec", 0, 10, 1, 3};
  stored.pod_template.spec.containers = {container};
  stored.pod_template.spec.scheduler_name = "default-scheduler";
  stored.pod_template.spec.grace_seconds = 30;
  model::DaemonSet manifest = stored;
  model::PodSpec& spec = manifest.pod_template.spec;
  spec.scheduler_name = {};
  spec.grace_seconds.reset();
  spec.containers[0].image_pull_policy = {};
  spec.containers[0].requests = {{"cpu", "0.1"}, {"memory", "131072Ki"}};
  spec.containers[0].ports = {{80, 0, "", ""}};
  spec.containers[0].liveness_probe = model::Probe{"exec", 0, 0, 0, 0};
  WhatIf what_if;
  what_if.daemon_sets = {manifest};
  const auto after = with_changes(before, what_if);
  REQUIRE(after);
  CHECK(after->daemon_sets[0].pod_template == stored.pod_template);
  CHECK_FALSE(between(before, *after).replaces_pods);
  what_if.daemon_sets[0].pod_template.spec.containers[0].requests.set("cpu", "101m");
  CHECK(between(before, *with_changes(before, what_if)).replaces_pods);
  // A hand-written file that was read as the cluster has no defaults either.
  before.daemon_sets[0] = manifest;
  what_if.daemon_sets = {manifest};
  CHECK_FALSE(between(before, *with_changes(before, what_if)).replaces_pods);
}

TEST_CASE("a manifest that the API server rejects is an error", "[fixes]") {
  const model::Cluster before = three_nodes();
  model::DaemonSet manifest = before.daemon_sets[0];
  manifest.pod_template.labels = {{"app", "other"}};
  WhatIf what_if;
  what_if.daemon_sets = {manifest};
  const auto unmatched = with_changes(before, what_if);
  REQUIRE_FALSE(unmatched);
  CHECK(
      unmatched.error().what ==
      "DaemonSet \"x/agent\" is invalid: spec.template.metadata.labels: `selector` does not match "
      "template `labels`");
  manifest.selector = model::LabelSelector{{{"app", "other"}}, {}};
  what_if.daemon_sets = {manifest};
  const auto immutable = with_changes(before, what_if);
  REQUIRE_FALSE(immutable);
  CHECK(immutable.error().what ==
        "DaemonSet \"x/agent\" is invalid: spec.selector: field is immutable");
  manifest.meta.name = "another";
  what_if.daemon_sets = {manifest};
  CHECK(with_changes(before, what_if));
  manifest = before.daemon_sets[0];
  manifest.selector.reset();
  manifest.meta.name = GENERATE("agent", "another");
  what_if.daemon_sets = {manifest};
  CHECK(to_string(with_changes(before, what_if).error()) ==
        fmt::format("DaemonSet \"x/{}\" is invalid: spec.selector: Required value",
                    manifest.meta.name.view()));
  manifest.selector = model::LabelSelector();
  what_if.daemon_sets = {manifest};
  CHECK(with_changes(before, what_if)
            .error()
            .what.ends_with("spec.selector: empty selector is invalid for daemonset"));
  // A DaemonSet that was read from files may lack a selector.
  manifest.meta.name = "agent";
  model::Cluster without = before;
  without.daemon_sets[0].selector.reset();
  manifest.selector = model::LabelSelector{{{"app", "agent"}}, {}};
  manifest.pod_template.labels = {{"app", "agent"}};
  what_if.daemon_sets = {manifest};
  CHECK(with_changes(without, what_if));
}

TEST_CASE("a manifest of a new DaemonSet is inserted in sorted order", "[fixes]") {
  const auto [ns, name] = GENERATE(
      table<const char*, const char*>({{"x", "other"}, {"x", "a"}, {"w", "agent"}, {"y", "a"}}));
  WhatIf what_if;
  what_if.daemon_sets.resize(1);
  what_if.daemon_sets[0].meta.ns = ns;
  what_if.daemon_sets[0].meta.name = name;
  what_if.daemon_sets[0].selector = model::LabelSelector{{{"app", "other"}}, {}};
  what_if.daemon_sets[0].pod_template.labels = {{"app", "other"}};
  const auto after = with_changes(three_nodes(), what_if);
  REQUIRE(after->daemon_sets.size() == 2);
  CHECK(std::ranges::is_sorted(after->daemon_sets, {}, [](const model::DaemonSet& ds) {
    return std::pair(ds.meta.ns, ds.meta.name);
  }));
}

TEST_CASE("an added node is inserted in sorted order", "[fixes]") {
  const std::string name = GENERATE("a0", "a3", "z");
  WhatIf what_if;
  what_if.nodes.resize(1);
  what_if.nodes[0].meta.name = name;
  const auto after = with_changes(three_nodes(), what_if);
  REQUIRE(after->nodes.size() == 4);
  CHECK(std::ranges::is_sorted(after->nodes, {}, [](const auto& node) { return node.meta.name; }));
}

TEST_CASE("a node that already exists cannot be added", "[fixes]") {
  const model::Cluster cluster = three_nodes();
  const diagnosis::Reporter reporter(cluster, {});
  const auto pick = [](const model::Cluster& of) {
    return std::vector<const model::DaemonSet*>{&of.daemon_sets.front()};
  };
  WhatIf what_if;
  what_if.nodes = {cluster.nodes[0]};
  const auto result = imagine(what_if, pick, reporter, pick(cluster));
  REQUIRE_FALSE(result);
  CHECK(to_string(result.error()) == "node \"a1\" already exists, so it cannot be added");
}

TEST_CASE("the fate of a node's pod depends on both of its verdicts", "[fixes]") {
  using enum diagnosis::NodeVerdict;
  using Verdict = diagnosis::NodeVerdict;
  using Row = std::tuple<std::optional<Verdict>, Verdict, std::string>;
  const auto [before, after, said] = GENERATE(values<Row>({
      {Excluded, Missing, "a pod would be created"},
      {Running, Removing, "its pod would be deleted"},
      {Running, Misscheduled, "its pod would be misscheduled"},
      {Removing, Misscheduled, "its pod would not be evicted"},
      {Missing, Excluded, "the node would not be eligible"},
      {std::nullopt, Excluded, ""},
      {Misscheduled, Running, "the node would be eligible"},
      {Misscheduled, Pending, "the node would be eligible"},
      {Misscheduled, NotReady, "the node would be eligible"},
      {Misscheduled, Failed, "the node would be eligible"},
      {Misscheduled, Duplicate, "the node would be eligible"},
      {Misscheduled, Terminating, "the node would be eligible"},
      {Excluded, Unknown, ""},
  }));
  diagnosis::NodeState state;
  state.verdict = after;
  const Flip flip{"n", before, {"n", state}};
  Consequence of;
  CHECK(fate(of, flip) == said);
  of.settled.deletes = {"m", "n"};
  CHECK(fate(of, flip) == "its pod would be deleted");
  of.settled.unconfirmed = {"n"};
  CHECK(fate(of, flip) ==
        "its pod would be stuck Terminating, because the kubelet does not report");
}
