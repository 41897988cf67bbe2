// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/pools/pool_forecast.h"

#include <catch2/catch.hpp>
#include <string>

#include "testing/cluster_story.h"

namespace dsdoctor::diagnosis {
namespace {

model::NodeSelectorRequirement required(const char* key, const char* op,
                                        std::vector<model::Text> values = {}) {
  return {key, op, std::move(values)};
}

model::NodeTemplate pool_of(std::vector<model::NodeSelectorRequirement> requirements,
                            model::Labels labels = {}) {
  return {.kind = "NodePool",
          .name = "p",
          .labels = std::move(labels),
          .requirements = std::move(requirements)};
}

/// A DaemonSet that selects nodes by terms, of which one has to match.
struct Forecaster {
  dsdoctor::testing::ClusterStory story;

  Forecaster& term(std::vector<model::NodeSelectorRequirement> expressions) {
    auto& affinity = story.ds().pod_template.node_affinity;
    if (!affinity) affinity.emplace();
    affinity->terms.push_back({std::move(expressions), {}});
    return *this;
  }
  [[nodiscard]] PoolDaemon on(const model::NodeTemplate& of) { return all(of).daemons.front(); }
  [[nodiscard]] PoolForecast all(const model::NodeTemplate& of) {
    return forecast(story.cluster, NodesOfPools(story.cluster), of, {&story.ds()}, {});
  }
  [[nodiscard]] std::string_view reach(const model::NodeTemplate& of) {
    return to_string(on(of).reach);
  }
};

std::string text_of(const std::vector<LabelValue>& values) {
  std::string result;
  for (const LabelValue& value : values) {
    result += result.empty() ? "" : " ";
    result += value.kind == LabelValue::Kind::Absent  ? "absent"
              : value.kind == LabelValue::Kind::Other ? "(other)"
                                                      : value.value.str();
  }
  return result;
}

}  // namespace

TEST_CASE("a requirement of the pool can meet a selector always, at times or never", "[pools]") {
  Forecaster arm;
  arm.term({required("kubernetes.io/arch", "In", {"arm64"})});
  CHECK(arm.reach(pool_of({required("kubernetes.io/arch", "In", {"arm64"})})) == "each");
  CHECK(arm.reach(pool_of({required("kubernetes.io/arch", "In", {"arm64", "amd64"})})) == "some");
  CHECK(arm.reach(pool_of({required("kubernetes.io/arch", "NotIn", {"arm64"})})) == "none");
  CHECK(arm.reach(pool_of({required("kubernetes.io/arch", "NotIn", {"amd64"})})) == "some");
  CHECK(arm.reach(pool_of({})) == "some");  // the pool leaves it open
  CHECK(arm.reach(pool_of({}, {{"kubernetes.io/arch", "arm64"}})) == "each");
  CHECK(arm.reach(pool_of({}, {{"kubernetes.io/arch", "amd64"}})) == "none");
}

TEST_CASE("a label that nothing gives to new nodes is absent", "[pools]") {
  Forecaster team;
  team.term({required("team", "In", {"a"})});
  CHECK(team.reach(pool_of({})) == "none");
  CHECK(team.reach(pool_of({required("team", "In", {"a"})})) == "each");
  CHECK(team.reach(pool_of({required("team", "Exists")})) == "some");
  Forecaster not_team;
  not_team.term({required("team", "NotIn", {"a"})});
  CHECK(not_team.reach(pool_of({})) == "each");
  CHECK(not_team.reach(pool_of({required("team", "NotIn", {"a"})})) == "each");
  Forecaster without;
  without.term({required("team", "DoesNotExist")});
  CHECK(without.reach(pool_of({})) == "each");
  CHECK(without.reach(pool_of({required("team", "Exists")})) == "none");
  // A cloud that knows nothing of team can leave it out.
  CHECK(without.reach(pool_of({required("team", "NotIn", {"a"})})) == "some");
}

TEST_CASE("terms together can cover all nodes that no term covers alone", "[pools]") {
  Forecaster both;
  both.term({required("kubernetes.io/os", "In", {"linux"})})
      .term({required("kubernetes.io/os", "In", {"windows"})});
  CHECK(both.reach(pool_of({})) == "each");
  Forecaster two_labels;
  two_labels.term({required("topology.kubernetes.io/zone", "In", {"a"})})
      .term({required("kubernetes.io/arch", "In", {"arm64"})});
  const PoolDaemon daemon = two_labels.on(pool_of({}));
  CHECK(to_string(daemon.reach) == "some");
  REQUIRE(daemon.decides.size() == 2);
  CHECK(daemon.decides[0].key == "kubernetes.io/arch");
  CHECK(daemon.decides[1].key == "topology.kubernetes.io/zone");
}

TEST_CASE("the label that decides is named with its values", "[pools]") {
  Forecaster zones;
  zones.term({required("topology.kubernetes.io/zone", "In", {"a", "b"})});
  const PoolDaemon daemon =
      zones.on(pool_of({required("topology.kubernetes.io/zone", "In", {"b", "c"})}));
  REQUIRE(daemon.decides.size() == 1);
  CHECK(text_of(daemon.decides.front().with) == "b");
  CHECK(text_of(daemon.decides.front().without) == "c");
  const PoolDaemon open = zones.on(pool_of({}));
  REQUIRE(open.decides.size() == 1);
  CHECK(text_of(open.decides.front().with) == "a b");
  CHECK(text_of(open.decides.front().without) == "(other) absent");
}

TEST_CASE("old and present names of a label have one value", "[pools]") {
  Forecaster old;
  old.story.ds().pod_template.node_selector = {{"beta.kubernetes.io/arch", "arm64"}};
  CHECK(old.reach(pool_of({required("kubernetes.io/arch", "In", {"arm64"})})) == "each");
  old.term({required("kubernetes.io/arch", "NotIn", {"arm64"})});
  CHECK(old.reach(pool_of({})) == "none");  // both cannot hold
}

TEST_CASE("an open operating system is that of all present nodes", "[pools]") {
  Forecaster linux_only;
  linux_only.term({required("kubernetes.io/os", "In", {"linux"})});
  CHECK(linux_only.reach(pool_of({})) == "some");
  linux_only.story.add_node("a").meta.labels = {{"kubernetes.io/os", "linux"}};
  CHECK(linux_only.reach(pool_of({})) == "each");
  CHECK(linux_only.all(pool_of({})).assumed_os == "linux");
  CHECK(linux_only.reach(pool_of({required("kubernetes.io/os", "In", {"windows"})})) == "none");
  CHECK(linux_only.all(pool_of({required("beta.kubernetes.io/os", "In", {"linux"})}))
            .assumed_os.empty());
  linux_only.story.add_node("b").meta.labels = {{"kubernetes.io/os", "windows"}};
  CHECK(linux_only.reach(pool_of({})) == "some");
  Forecaster every;
  every.story.add_node("a").meta.labels = {{"kubernetes.io/os", "linux"}};
  CHECK(every.all(pool_of({})).assumed_os.empty());
}

TEST_CASE("numbers are compared at the bounds", "[pools]") {
  Forecaster large;
  large.term({required("karpenter.k8s.aws/instance-cpu", "Gt", {"8"})});
  const auto cpus = [](const char* op, const char* bound) {
    return pool_of({required("karpenter.k8s.aws/instance-cpu", op, {bound})});
  };
  CHECK(large.reach(cpus("Gt", "8")) == "each");
  CHECK(large.reach(cpus("Gt", "7")) == "some");
  CHECK(large.reach(cpus("Lt", "10")) == "some");
  CHECK(large.reach(cpus("Lt", "9")) == "none");
  CHECK(large.reach(pool_of({required("karpenter.k8s.aws/instance-cpu", "In", {"4", "16"})})) ==
        "some");
}

TEST_CASE("a label that a program sets later is named with the program", "[pools]") {
  Forecaster gpu;
  gpu.story.ds().pod_template.node_selector = {{"feature.node.kubernetes.io/pci-10de", "true"}};
  const PoolDaemon daemon = gpu.on(pool_of({}));
  CHECK(to_string(daemon.reach) == "some");
  REQUIRE(daemon.decides.size() == 1);
  CHECK(later_writer(daemon.decides.front().key) == "node-feature-discovery");
  CHECK(later_writer("team").empty());
}

TEST_CASE("taints keep a DaemonSet off, startup taints only until they are removed", "[pools]") {
  Forecaster agent;
  model::NodeTemplate pool = pool_of({});
  pool.startup_taints = {{"cni", "", "NoExecute"}, {"soft", "", "PreferNoSchedule"}};
  CHECK(agent.reach(pool) == "each");
  REQUIRE(agent.on(pool).waits_for.size() == 1);
  CHECK(agent.on(pool).waits_for.front().key == "cni");
  pool.taints = {{"gpu", "", "NoSchedule"}};
  REQUIRE(agent.reach(pool) == "none");
  CHECK(agent.on(pool).reasons.size() == 1);
  // The most suitable node has the label, and only the taint.
  agent.story.ds().pod_template.node_selector = {{"feature.node.kubernetes.io/x", "true"}};
  CHECK(agent.on(pool).reasons.size() == 1);
  agent.story.ds().pod_template.node_selector = {};
  agent.story.ds().pod_template.tolerations = {{"", "Exists", "", ""}};
  CHECK(agent.reach(pool) == "each");
  CHECK(agent.on(pool).waits_for.empty());
}

TEST_CASE("requirements that exclude each other are found", "[pools]") {
  CHECK(contradicted_label(pool_of({required("a", "In", {"x"}), required("a", "In", {"y"})})) ==
        "a");
  CHECK(contradicted_label(pool_of({required("a", "Gt", {"4"}), required("a", "Lt", {"5"})})) ==
        "a");
  CHECK(contradicted_label(pool_of({required("a", "Gt", {"4"}), required("a", "Lt", {"6"})}))
            .empty());
  CHECK(contradicted_label(pool_of({required("a", "NotIn", {"x"})}, {{"a", "x"}})) == "a");
  CHECK(contradicted_label(pool_of({required("kubernetes.io/os", "DoesNotExist")})) ==
        "kubernetes.io/os");
  Forecaster agent;
  CHECK(agent.all(pool_of({required("a", "In")})).contradicted == "a");
}

TEST_CASE("too many combinations of labels lead to some", "[pools]") {
  Forecaster many;
  std::vector<model::NodeSelectorRequirement> expressions;
  for (int i = 0; i < 14; ++i) {
    const std::string key = "topology.kubernetes.io/l" + std::to_string(i);
    many.term({{model::Text(key), "In", {"a"}}});
  }
  const PoolDaemon daemon = many.on(pool_of({}));
  CHECK(to_string(daemon.reach) == "some");
  CHECK(daemon.decides.empty());
}

TEST_CASE("pods of low priority stay Pending on a small node", "[pools]") {
  dsdoctor::testing::ClusterStory story;
  const auto add = [&](const char* name, const char* cpu, std::int64_t priority) {
    model::DaemonSet ds = story.ds();
    ds.meta.name = name;
    ds.pod_template.spec.containers.resize(1);
    ds.pod_template.spec.containers.front().requests = {{"cpu", cpu}};
    ds.pod_template.spec.priority = priority;
    story.cluster.daemon_sets.push_back(std::move(ds));
  };
  add("critical", "1", 1000);
  add("even-1", "600m", 0);
  add("even-2", "600m", 0);
  add("huge", "3", 0);
  std::vector<const model::DaemonSet*> daemon_sets;
  for (const auto& ds : story.cluster.daemon_sets) daemon_sets.push_back(&ds);
  model::NodeTemplate pool = pool_of({});
  pool.capacity = {{"cpu", "2"}, {"pods", "10"}};
  const PoolForecast found =
      forecast(story.cluster, NodesOfPools(story.cluster), pool, daemon_sets, {});
  REQUIRE(found.shortage.pending.size() == 1);
  CHECK(found.daemons[found.shortage.pending.front()].name == "huge");
  CHECK(found.shortage.contending.size() == 2);  // even-1 and even-2
  CHECK(to_string(found.requests.at("cpu")) == "5200m");
  pool.capacity = {{"cpu", "10"}, {"pods", "4"}};
  CHECK(forecast(story.cluster, NodesOfPools(story.cluster), pool, daemon_sets, {})
            .shortage.contending.size() == 4);
  pool.capacity = {{"cpu", "10"}, {"pods", "5"}};
  CHECK(forecast(story.cluster, NodesOfPools(story.cluster), pool, daemon_sets, {})
            .shortage.contending.empty());
}

TEST_CASE("the capacity of a NodePool is that of its smallest node", "[pools]") {
  dsdoctor::testing::ClusterStory story;
  for (const auto& [name, cpu] : {std::pair("big", "16"), {"small", "4"}, {"foreign", "1"}}) {
    model::Node& node = story.add_node(name);
    node.allocatable = {{"cpu", cpu}, {"pods", "20"}};
    if (std::string_view(name) != "foreign") node.meta.labels = {{"karpenter.sh/nodepool", "p"}};
  }
  const model::NodeTemplate pool = pool_of({}, {{"karpenter.sh/nodepool", "p"}});
  const PoolForecast found =
      forecast(story.cluster, NodesOfPools(story.cluster), pool, {&story.ds()}, {});
  CHECK(found.capacity_of == "small");
  CHECK(to_string(found.capacity.at("cpu")) == "4");
}

}  // namespace dsdoctor::diagnosis
