// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/views/taint_matrix.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

#include "diagnosis/reporter.h"
#include "placement/tolerates.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;

namespace {

model::Node node(const std::string& name, std::vector<model::Taint> taints) {
  model::Node result;
  result.meta.name = name;
  result.taints = std::move(taints);
  return result;
}

model::DaemonSet daemon_set(const std::string& name, std::vector<model::Toleration> tolerations) {
  model::DaemonSet result;
  result.meta.ns = "x";
  result.meta.name = name;
  result.pod_template.tolerations = std::move(tolerations);
  return result;
}

TaintMatrix matrix_of(const model::Cluster& cluster, const ReportOptions& options = {}) {
  std::vector<const model::DaemonSet*> all;
  for (const auto& ds : cluster.daemon_sets) all.push_back(&ds);
  return taint_matrix(cluster, all, options);
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  const char* one_of(std::initializer_list<const char*> words) {
    return *(words.begin() + below(words.size()));
  }
  std::size_t below(std::size_t end) { return engine_() % end; }

  model::Taint taint() {
    return {one_of({"a", "b", "node.kubernetes.io/unschedulable",
                    "node.kubernetes.io/network-unavailable", "node.kubernetes.io/not-ready"}),
            one_of({"", "1", "2", "1601646271", "1601646272", "n1"}),
            one_of({"NoSchedule", "NoExecute", "PreferNoSchedule", "nonsense"})};
  }
  model::Toleration toleration() {
    return {one_of({"", "a", "b", "node.kubernetes.io/not-ready"}),
            one_of({"", "Equal", "Exists", "Lt", "Gt", "nonsense"}),
            one_of({"", "1", "2", "1601646271"}),
            one_of({"", "NoSchedule", "NoExecute", "PreferNoSchedule"}), std::nullopt};
  }
  model::Cluster cluster() {
    model::Cluster result;
    for (int i = 0; i < 6; ++i) {
      model::Node& of = result.nodes.emplace_back(node("n" + std::to_string(i), {}));
      for (std::size_t n = below(4); n > 0; --n) of.taints.push_back(taint());
    }
    for (int i = 0; i < 4; ++i) {
      auto& ds = result.daemon_sets.emplace_back(daemon_set("d" + std::to_string(i), {}));
      ds.pod_template.host_network = below(2) == 0;
      for (std::size_t n = below(4); n > 0; --n) {
        ds.pod_template.tolerations.push_back(toleration());
      }
    }
    return result;
  }

 private:
  std::mt19937 engine_;
};

}  // namespace

TEST_CASE("the matrix agrees with placement for every pair", "[taints]") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const model::Cluster cluster = random.cluster();
    ReportOptions options;
    options.gates.taint_toleration_comparison_operators = seed % 2 == 0;
    const TaintMatrix matrix = matrix_of(cluster, options);
    std::size_t on_nodes = 0;
    for (std::size_t column = 0; column < matrix.taints.size(); ++column) {
      const TaintRow& row = matrix.taints[column];
      CHECK(row.decides == placement::is_blocking(row.taint));
      on_nodes += row.nodes.size();
      for (const TaintedNode& tainted : row.nodes) {
        const model::Taint taint{row.taint.key, tainted.value, row.taint.effect};
        for (std::size_t i = 0; i < matrix.daemon_sets.size(); ++i) {
          CAPTURE(seed, column, i, taint.key.view(), taint.value.view(), taint.effect.view());
          const model::PodTemplate& of = cluster.daemon_sets[i].pod_template;
          const TaintCell& cell = matrix.daemon_sets[i].cells[column];
          const auto among = [&](const std::vector<model::Toleration>& list) {
            return std::ranges::any_of(list, [&](const model::Toleration& toleration) {
              return placement::tolerates(toleration, taint, options.gates);
            });
          };
          CHECK(among(placement::effective_tolerations(of.tolerations, of.host_network)) ==
                (cell.treatment != Treatment::NotTolerated));
          CHECK(among(of.tolerations) == (cell.treatment == Treatment::Tolerated));
          CHECK(cell.by.has_value() == (cell.treatment != Treatment::NotTolerated));
          if (cell.by) CHECK(placement::tolerates(*cell.by, taint, options.gates));
          if (cell.treatment == Treatment::Tolerated) {
            CHECK(of.tolerations.at(cell.index) == *cell.by);
          }
        }
      }
    }
    std::size_t wanted = 0;
    for (const auto& of : cluster.nodes) wanted += of.taints.size();
    CHECK(on_nodes == wanted);
  }
}

TEST_CASE("varying values are one row if all DaemonSets treat them in the same way", "[taints]") {
  const model::Taint early{"ToBeDeletedByClusterAutoscaler", "1601646271", "NoSchedule"};
  const model::Taint late{"ToBeDeletedByClusterAutoscaler", "1601646300", "NoSchedule"};
  model::Cluster cluster;
  cluster.nodes = {node("a", {late}), node("b", {early})};
  cluster.daemon_sets = {daemon_set("d", {})};
  const TaintMatrix alike = matrix_of(cluster);
  REQUIRE(alike.taints.size() == 1);
  CHECK(alike.taints[0].value_varies);
  CHECK(alike.taints[0].nodes.size() == 2);
  CHECK(alike.taints[0].since == model::Time(std::chrono::seconds(1601646271)));
  CHECK(alike.taints[0].known->id == "ca-to-be-deleted");

  cluster.daemon_sets[0].pod_template.tolerations = {
      {early.key, "Equal", early.value, "NoSchedule", {}}};
  const TaintMatrix apart = matrix_of(cluster);
  REQUIRE(apart.taints.size() == 2);
  CHECK_FALSE(apart.taints[0].value_varies);
}

TEST_CASE("a folded row has the catalogue entry of each value", "[taints]") {
  model::Cluster cluster;
  cluster.nodes = {node("a", {{"dedicated", "edge", "NoSchedule"}}),
                   node("b", {{"dedicated", "mine", "NoSchedule"}})};
  const TaintMatrix folded = with_values_folded(matrix_of(cluster));
  REQUIRE(folded.taints.size() == 1);
  const TaintRow& row = folded.taints.front();
  CHECK(row.known == nullptr);
  REQUIRE(row.known_values.size() == 2);
  CHECK(row.known_values[0].first == "edge");
  CHECK(row.known_values[0].second->id == "ibm-dedicated-edge");
  CHECK(row.known_values[1].first == "mine");
  cluster.nodes.pop_back();
  CHECK(with_values_folded(matrix_of(cluster)).taints.front().known_values.empty());
}

TEST_CASE("a row has the earliest time of its taint", "[taints]") {
  model::Cluster cluster;
  model::Taint taint{"a", "", "NoExecute"};
  const model::Time noon(std::chrono::hours(12));
  cluster.nodes = {node("a", {taint}), node("b", {taint})};
  cluster.nodes[1].taints[0].time_added = noon;
  const TaintMatrix matrix = matrix_of(cluster);
  REQUIRE(matrix.taints.size() == 1);
  CHECK(matrix.taints[0].since == noon);
  CHECK_FALSE(matrix.taints[0].nodes[0].since);
  CHECK(matrix.taints[0].nodes[1].since == noon);
}

TEST_CASE("only selected nodes are included", "[taints]") {
  model::Cluster cluster;
  cluster.nodes = {node("a", {{"k", "", "NoSchedule"}}), node("b", {}),
                   node("c", {{"k", "", "NoSchedule"}})};
  const auto selects = [](const model::Node& of) { return of.meta.name != "c"; };
  const TaintMatrix matrix = taint_matrix(cluster, {}, {}, selects);
  CHECK(matrix.nodes == 2);
  CHECK(matrix.tainted_nodes == 1);
  REQUIRE(matrix.taints.size() == 1);
  CHECK(matrix.taints[0].nodes.size() == 1);
}
