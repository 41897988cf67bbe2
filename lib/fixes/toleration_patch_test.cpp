// SPDX-License-Identifier: Apache-2.0
#include "fixes/toleration_patch.h"

#include <catch2/catch.hpp>
#include <random>

#include "diagnosis/reporter.h"
#include "diagnosis/taints/taint_catalogue.h"
#include "render/words/message_text.h"

using namespace dsdoctor;
using namespace dsdoctor::fixes;
using diagnosis::NodeReport;
using render::text_of;

namespace {

std::string wait_of(const Suggestion& suggestion) {
  return suggestion.wait ? text_of(*suggestion.wait) : std::string();
}

model::Node node(const std::string& name, std::vector<model::Taint> taints) {
  model::Node result;
  result.meta.name = name;
  result.taints = std::move(taints);
  return result;
}

model::Cluster cluster_of(std::vector<model::Node> nodes) {
  model::Cluster cluster;
  cluster.nodes = std::move(nodes);
  std::ranges::sort(cluster.nodes, {}, [](const auto& n) { return n.meta.name.view(); });
  model::DaemonSet& ds = cluster.daemon_sets.emplace_back();
  ds.meta.ns = "x";
  ds.meta.name = "agent";
  ds.selector = model::LabelSelector{{{"app", "agent"}}, {}};
  return cluster;
}

/// Adds a pod that is bound to the node. REQUIRES: nodes are added in the order of their names.
model::Pod& add_pod(model::Cluster& cluster, const std::string& node_name) {
  model::Pod& pod = cluster.pods.emplace_back();
  pod.meta.ns = "x";
  pod.meta.name = "p-" + node_name;
  pod.meta.labels = {{"app", "agent"}};
  pod.meta.controller = model::ControllerRef{"DaemonSet", "agent", ""};
  pod.node_name = node_name;
  return pod;
}

std::vector<Suggestion> suggest(const model::Cluster& cluster) {
  const model::DaemonSet& ds = cluster.daemon_sets.front();
  const diagnosis::Reporter reporter(cluster, {});
  return suggestions(reporter, ds, reporter.report(ds)).offered;
}

}  // namespace

TEST_CASE("a toleration is as narrow as possible", "[fixes]") {
  using Row = std::tuple<std::string, model::Taint, model::Toleration, std::string>;
  const auto [name, taint, toleration, id] = GENERATE(values<Row>({
      {"no value",
       {"a", "", "NoSchedule"},
       {"a", "Exists", "", "NoSchedule", {}},
       "tolerate-a-NoSchedule"},
      {"a value",
       {"a", "x", "NoExecute"},
       {"a", "Equal", "x", "NoExecute", {}},
       "tolerate-a-x-NoExecute"},
      {"a timestamp",
       {"ToBeDeletedByClusterAutoscaler", "1601646271", "NoSchedule"},
       {"ToBeDeletedByClusterAutoscaler", "Exists", "", "NoSchedule", {}},
       "tolerate-ToBeDeletedByClusterAutoscaler-NoSchedule"},
      {"the node's own name",
       {"reserved", "n1", "NoSchedule"},
       {"reserved", "Exists", "", "NoSchedule", {}},
       "tolerate-reserved-NoSchedule"},
  }));
  CAPTURE(name);
  const auto found = suggest(cluster_of({node("n1", {taint})}));
  REQUIRE(found.size() == 1);
  CHECK(found[0].id == id);
  CHECK(found[0].change.added == std::vector<model::Toleration>{toleration});
  CHECK(found[0].creates_list);
  CHECK(found[0].effect.after == PlacementCounts{1, 0});
}

TEST_CASE("no toleration is offered if another rule excludes the node", "[fixes]") {
  auto cluster = cluster_of({node("n1", {{"a", "", "NoSchedule"}})});
  cluster.daemon_sets[0].pod_template.node_selector = {{"zone", "a"}};
  CHECK(suggest(cluster).empty());
}

TEST_CASE("a state that resolves without action has a sentence about its end", "[fixes]") {
  struct Row {
    std::vector<model::Taint> taints;
    std::string wait;
    std::string risk;  // the beginning of the risk
  };
  const std::string transient = "A pod on a node in this state often cannot start";
  const Row row = GENERATE_COPY(values<Row>({
      {{{"mystery", "", "NoExecute"}}, "", "Nothing is known of the taint"},
      {{{"node.kubernetes.io/out-of-service", "", "NoExecute"}},
       "node.kubernetes.io/out-of-service is removed when the maintenance ends",
       "A pod on such a node can be stopped at any time"},
      {{{"node.kubernetes.io/unreachable", "", "NoSchedule"}},
       "node.kubernetes.io/unreachable is removed when the node recovers",
       transient},
      {{{"karpenter.sh/disrupted", "", "NoSchedule"}},
       "karpenter.sh/disrupted is removed with the node",
       "A pod that is evicted from such a node is created on it again"},
      {{{"node.cilium.io/agent-not-ready", "", "NoSchedule"}},
       "node.cilium.io/agent-not-ready is removed when its agent is ready",
       "The pod may start before the node is initialized"},
      {{{"nvidia.com/gpu", "present", "NoSchedule"}}, "", "The pods use resources of nodes"},
      // One of the taints is permanent.
      {{{"node.kubernetes.io/unreachable", "", "NoSchedule"}, {"reserved", "", "NoSchedule"}},
       "",
       transient},
      {{{"node.kubernetes.io/unreachable", "", "NoSchedule"},
        {"karpenter.sh/disrupted", "", "NoSchedule"}},
       "node.kubernetes.io/unreachable is removed when the node recovers; "
       "karpenter.sh/disrupted is removed with the node",
       transient},
  }));
  const auto cluster = cluster_of({node("n1", row.taints)});
  const model::DaemonSet& ds = cluster.daemon_sets.front();
  const diagnosis::Reporter reporter(cluster, {});
  const auto report = reporter.report(ds);
  auto [found, withheld] = suggestions(reporter, ds, report);
  std::ranges::move(withheld, std::back_inserter(found));
  REQUIRE(found.size() == 1);
  CAPTURE(found[0].id);
  CHECK(wait_of(found[0]) == row.wait);
  CHECK(text_of(found[0].risk).starts_with(row.risk));
}

TEST_CASE("a virtual node is recognized by its taint as well", "[fixes]") {
  CHECK(suggest(cluster_of({node("n1", {{"virtual-kubelet.io/provider", "azure", "NoSchedule"}})}))
            .empty());
  CHECK(suggest(cluster_of({node("n1", {{"azure.com/aci", "true", "NoSchedule"}})})).empty());
}

TEST_CASE("the end of a state is mentioned once for all of its taints", "[fixes]") {
  model::KnownTaint of_old;
  of_old.id = "old";
  of_old.key = "state";
  of_old.values = {"old"};
  of_old.effects = {"NoSchedule", "NoExecute"};
  of_old.lifecycle = model::TaintLifecycle::Leaving;
  model::KnownTaint of_new = of_old;
  of_new.id = "new";
  of_new.values = {"new"};
  const diagnosis::TaintCatalogue own({{of_old, of_new}});
  const auto cluster =
      cluster_of({node("n1", {{"state", "old", "NoSchedule"}, {"state", "new", "NoExecute"}})});
  diagnosis::ReportOptions options;
  options.taints = &own;
  const diagnosis::Reporter reporter(cluster, options);
  const model::DaemonSet& ds = cluster.daemon_sets.front();
  const auto found = suggestions(reporter, ds, reporter.report(ds)).offered;
  REQUIRE(found.size() == 1);
  CHECK(wait_of(found[0]) == "state is removed with the node");
}

TEST_CASE("a stuck startup taint needs action at any age", "[fixes]") {
  auto cluster = cluster_of({node("n1", {{"node.cilium.io/agent-not-ready", "", "NoSchedule"}})});
  const model::Time start{std::chrono::seconds(1'700'000'000)};
  cluster.nodes[0].meta.created = start;
  model::Pod& pod = cluster.pods.emplace_back();  // bound to the node without tolerating the taint
  pod.meta.ns = "y";
  pod.meta.name = "web-1";
  pod.meta.created = start + std::chrono::hours(1);
  pod.meta.controller = model::ControllerRef{"ReplicaSet", "web", "uid-9"};
  pod.node_name = "n1";
  const auto wait_after = [&](std::chrono::seconds age) {
    diagnosis::ReportOptions options;
    options.now = *pod.meta.created + age;
    const diagnosis::Reporter reporter(cluster, options);
    const model::DaemonSet& ds = cluster.daemon_sets.front();
    auto [found, withheld] = suggestions(reporter, ds, reporter.report(ds));
    std::ranges::move(withheld, std::back_inserter(found));
    return wait_of(found.at(0));
  };
  CHECK(wait_after(std::chrono::minutes(9)) ==
        "node.cilium.io/agent-not-ready is removed when its agent is ready");
  CHECK(wait_after(std::chrono::minutes(11)).empty());
}

TEST_CASE("a circle of startup taints of other agents has no influence", "[fixes]") {
  auto cluster = cluster_of({node("new", {{"node.cilium.io/agent-not-ready", "", "NoSchedule"},
                                          {"ebs.csi.aws.com/agent-not-ready", "", "NoExecute"}})});
  REQUIRE(suggest(cluster).size() == 1);
  CHECK(suggest(cluster)[0].wait);  // no agent waits for another
  for (const char* name : {"cilium", "ebs-csi-node"}) {
    model::DaemonSet& ds = cluster.daemon_sets.emplace_back();
    ds.meta.ns = "y";
    ds.meta.name = name;
    ds.selector = model::LabelSelector{{{"app", name}}, {}};
  }
  cluster.daemon_sets[1].pod_template.tolerations = {
      {"node.cilium.io/agent-not-ready", "Exists", "", "", {}}};
  cluster.daemon_sets[2].pod_template.tolerations = {
      {"ebs.csi.aws.com/agent-not-ready", "Exists", "", "", {}}};
  REQUIRE(suggest(cluster).size() == 1);
  CHECK_FALSE(suggest(cluster)[0].recommended);
}

TEST_CASE("an unnecessary toleration is not recommended", "[fixes]") {
  auto cluster = cluster_of({node("a", {{"node.kubernetes.io/not-ready", "", "NoSchedule"}}),
                             node("b", {{"cloud.google.com/compute-class", "db", "NoSchedule"}}),
                             node("c", {{"karpenter.sh/disrupted", "", "NoSchedule"}}),
                             node("d", {{"cloud.google.com/compute-class", "web", "NoSchedule"}}),
                             node("e", {{"repair", "", "NoExecute"}})});
  for (const char* name : {"a", "c", "d", "e"}) add_pod(cluster, name);
  const auto found = suggest(cluster);
  REQUIRE(found.size() == 5);
  CHECK(found[0].id == "tolerate-cloud.google.com/compute-class-web-NoSchedule");
  CHECK(found[0].recommended);
  CHECK(found[0].effect.before == PlacementCounts{0, 4});
  CHECK(found[0].effect.after == PlacementCounts{1, 0});
  for (std::size_t i = 1; i < found.size(); ++i) CHECK_FALSE(found[i].recommended);
  // The purpose of the taint is to have the pod deleted.
  const auto evicted = std::ranges::find(found, "tolerate-repair-NoExecute", &Suggestion::id);
  REQUIRE(evicted != found.end());
  CHECK(text_of(evicted->purpose) == "only if the pod should run on these nodes");

  // While the newest revision fails, another change of the template is not the fix.
  const diagnosis::Reporter reporter(cluster, {});
  diagnosis::DaemonSetReport report = reporter.report(cluster.daemon_sets.front());
  report.findings.emplace_back().id = diagnosis::FindingId::RolloutNewBroken;
  report.findings.back().severity = diagnosis::Severity::Error;
  const auto held = suggestions(reporter, cluster.daemon_sets.front(), report).offered;
  REQUIRE(held.size() == 5);
  for (const Suggestion& each : held) {
    CHECK_FALSE(each.recommended);
    CHECK(
        text_of(each.risk).starts_with("The newest revision of the template fails: roll it back"));
  }
}

TEST_CASE("a patch is not recommended if its new pod would not stay", "[fixes]") {
  auto cluster = cluster_of({node("n1", {{"amd.com/gpu", "", "NoSchedule"}})});
  model::Pod& pod = add_pod(cluster, "n1");
  pod.phase = "Running";
  pod.conditions = {{"Ready", "True", "", "", model::Time()}};
  model::DaemonSet& ds = cluster.daemon_sets.front();
  REQUIRE(suggest(cluster).front().recommended);
  const auto warns = [&](std::string_view text) {
    const auto found = suggest(cluster);
    REQUIRE(found.size() == 1);
    CHECK_FALSE(found[0].recommended);
    CHECK(text_of(found[0].risk).find(text) != std::string::npos);
  };
  SECTION("the new pod tolerates a NoExecute taint only for some time") {
    cluster.nodes[0].taints.push_back({"keep", "", "NoExecute"});
    ds.pod_template.tolerations = {{"", "Exists", "", "NoExecute", 300}};
    warns("a NoExecute taint of n1 for some time only");
  }
  SECTION("kube-controller-manager does not report") {
    model::Lease& lease = cluster.leases.emplace_back();
    lease.meta.ns = "kube-system";
    lease.meta.name = "kube-controller-manager";
    lease.renewed = model::Time() - std::chrono::hours(1'000'000);
    warns("kube-controller-manager does not renew its lease");
  }
  SECTION("the new pod needs the host port of the old one") {
    ds.pod_template.spec.containers.resize(1);
    ds.pod_template.spec.containers[0].ports = {{9100, 9100, "TCP", ""}};
    REQUIRE(suggest(cluster).front().recommended);
    ds.max_surge = model::IntOrPercent{1, false};
    warns("maxSurge creates the new pod beside the old one");
    cluster.pods.clear();
    CHECK(text_of(suggest(cluster).front().risk).find("maxSurge") == std::string::npos);
  }
  SECTION("no pod is created") {
    const diagnosis::Reporter reporter(cluster, {});
    diagnosis::DaemonSetReport report = reporter.report(ds);
    report.findings.emplace_back().id = diagnosis::FindingId::CreateQuotaExceeded;
    report.findings.back().severity = diagnosis::Severity::Error;
    CHECK_FALSE(suggestions(reporter, ds, report).offered.front().recommended);
    report.findings.back().transient = true;
    CHECK(suggestions(reporter, ds, report).offered.front().recommended);
  }
}

TEST_CASE("one patch for several nodes is recommended if each needs its part", "[fixes]") {
  auto cluster = cluster_of({node("a", {{"cloud.google.com/compute-class", "db", "NoSchedule"}}),
                             node("b", {{"cloud.google.com/compute-class", "web", "NoSchedule"}}),
                             node("c", {{"cloud.google.com/compute-class", "db", "NoSchedule"}})});
  const auto one = [&](const NodeFilter& asked) {
    const diagnosis::Reporter reporter(cluster, {});
    const model::DaemonSet& ds = cluster.daemon_sets.front();
    return *suggestion_for(reporter, ds, reporter.report(ds), asked);
  };
  const auto all = [](const NodeReport&) { return true; };
  add_pod(cluster, "a");
  CHECK(one([](const NodeReport& entry) { return entry.name != "b"; }).recommended);
  CHECK_FALSE(one(all).recommended);  // b has no problem
  CHECK(text_of(one(all).purpose) == "only if the pod should run on these nodes");
  add_pod(cluster, "b");
  CHECK(one(all).recommended);
}

TEST_CASE("several necessary patches become one", "[fixes]") {
  auto cluster = cluster_of({node("a", {{"cloud.google.com/compute-class", "db", "NoSchedule"}}),
                             node("b", {{"cloud.google.com/compute-class", "web", "NoSchedule"}}),
                             node("c", {{"gpu", "", "NoSchedule"}})});
  for (const char* on : {"a", "b"}) add_pod(cluster, on);
  const auto found = suggest(cluster);
  REQUIRE(found.size() == 4);
  CHECK(found[0].id ==
        "tolerate-cloud.google.com/compute-class-db-NoSchedule-cloud.google.com/"
        "compute-class-web-NoSchedule");
  CHECK(found[0].recommended);
  CHECK(found[0].effect.gained == std::vector<model::Text>{"a", "b"});
  CHECK(found[0].effect.deletes.empty());
  CHECK(found[0].effect.after == PlacementCounts{2, 0});
  for (std::size_t i = 1; i < found.size(); ++i) {
    CHECK_FALSE(found[i].recommended);
    CHECK(found[i].advised == model::Advised::Depends);
  }
  CHECK(text_of(found[1].purpose) ==
        "only if the other nodes should have no pod: a part of what is recommended");
  CHECK(count_for_other_nodes(found, 1) == 1);  // c
  SECTION("one patch tolerates all taints of the others") {
    cluster.nodes[0].taints.front().value = "a";  // the node's name: needs every value
    const auto of_every_value = suggest(cluster);
    REQUIRE(of_every_value.size() == 3);
    CHECK(of_every_value[0].id == "tolerate-cloud.google.com/compute-class-NoSchedule");
    CHECK(of_every_value[0].recommended);
    CHECK_FALSE(of_every_value[1].recommended);
  }
}

TEST_CASE("an agent should tolerate its own startup taint", "[fixes]") {
  auto cluster = cluster_of(
      {node("new", {{"node.cilium.io/agent-not-ready", "", "NoExecute"}}), node("well", {})});
  CHECK_FALSE(suggest(cluster)[0].recommended);
  cluster.daemon_sets[0].meta.name = "cilium";
  const auto found = suggest(cluster);
  REQUIRE(found.size() == 1);
  CHECK(found[0].recommended);
  CHECK(text_of(found[0].purpose).starts_with("which resolves a deadlock: "));
  CHECK_FALSE(found[0].wait);
  model::DaemonSet other = cluster.daemon_sets[0];
  other.meta.name = "cilium-node";
  other.pod_template.tolerations = {{"", "Exists", "", "", {}}};
  cluster.daemon_sets.push_back(std::move(other));
  CHECK_FALSE(suggest(cluster)[0].recommended);  // that pod removes the taint
}

TEST_CASE("a suggestion fixes its nodes and is minimal", "[fixes][property]") {
  std::mt19937 random(11);
  const auto pick = [&](unsigned n) {
    return std::uniform_int_distribution<unsigned>(0, n - 1)(random);
  };
  const char* effects[] = {"NoSchedule", "NoExecute", "PreferNoSchedule"};
  std::size_t checked = 0;
  for (int round = 0; round < 500; ++round) {
    std::vector<model::Node> nodes;
    for (unsigned i = 0; i < 6; ++i) {
      std::vector<model::Taint> taints;
      for (unsigned t = pick(4); t > 0; --t) {
        taints.push_back(
            {std::string(1, char('a' + pick(3))), pick(2) == 0 ? "" : "v", effects[pick(3)]});
      }
      nodes.push_back(node("n" + std::to_string(i), taints));
    }
    auto cluster = cluster_of(nodes);
    model::PodTemplate& pod = cluster.daemon_sets[0].pod_template;
    if (pick(2) == 0) pod.tolerations = {{"a", "Exists", "", "NoSchedule", {}}};
    for (const Suggestion& suggestion : suggest(cluster)) {
      REQUIRE_FALSE(suggestion.effect.gained.empty());
      const auto wanted_with = [&](const std::vector<model::Toleration>& added) {
        model::PodTemplate fixed = pod;
        fixed.tolerations.insert(fixed.tolerations.end(), added.begin(), added.end());
        const placement::Evaluator evaluator(fixed, {});
        std::int64_t count = 0;
        for (const auto& each : cluster.nodes) {
          count += placement::should_run(evaluator.decide(each)) ? 1 : 0;
        }
        return count;
      };
      CHECK(wanted_with(suggestion.change.added) ==
            suggestion.effect.after.desired_number_scheduled);
      CHECK(wanted_with({}) == suggestion.effect.before.desired_number_scheduled);
      for (std::size_t i = 0; i < suggestion.change.added.size(); ++i) {
        auto part = suggestion.change.added;
        part.erase(part.begin() + std::ptrdiff_t(i));
        CHECK(wanted_with(part) < suggestion.effect.after.desired_number_scheduled);
        ++checked;
      }
    }
  }
  CHECK(checked > 1000);
}
