// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/matrix/placement_matrix.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "diagnosis/problems/find_problems.h"
#include "diagnosis/reporter.h"
#include "testing/rounds.h"
#include "testing/troubled_cluster.h"

namespace dsdoctor::diagnosis {
namespace {

/// A cluster with its reports and problems.
struct TroubledMatrix {
  model::Cluster cluster;
  std::vector<DaemonSetReport> made;
  std::vector<const DaemonSetReport*> reports;
  Problems problems;
  std::vector<std::size_t> rows;

  explicit TroubledMatrix(model::Cluster of) : cluster(std::move(of)) {
    const Reporter reporter(cluster, {{}, dsdoctor::testing::troubled_now(), nullptr});
    for (const model::DaemonSet& ds : cluster.daemon_sets) made.push_back(reporter.report(ds));
    for (const DaemonSetReport& report : made) reports.push_back(&report);
    problems = find_problems(reports, cluster);
    std::set<std::size_t> troubled;
    for (const Problem& problem : problems.problems) {
      troubled.insert(problem.daemon_sets.begin(), problem.daemon_sets.end());
    }
    rows.assign(troubled.begin(), troubled.end());
  }

  [[nodiscard]] PlacementMatrix matrix(const NodeIndex& index, std::size_t most) const {
    return placement_matrix(reports, problems, index, cluster, rows, most);
  }
};

/// The problem of each placement with one: (DaemonSet, name of the node) -> index.
std::map<std::pair<std::size_t, std::string>, std::size_t> placements_of(
    const TroubledMatrix& scene) {
  std::map<std::pair<std::size_t, std::string>, std::size_t> result;
  for (std::size_t p = 0; p < scene.problems.problems.size(); ++p) {
    for (const Placement at : scene.problems.problems[p].placements) {
      result[{at.daemon_set, scene.made[at.daemon_set].nodes[at.node].name.str()}] = p;
    }
  }
  return result;
}

}  // namespace

TEST_CASE("each node is in one class, whose cells are true for it", "[diagnosis][matrix]") {
  const auto seed = GENERATE(range(1U, 1 + dsdoctor::testing::rounds(6)));
  CAPTURE(seed);
  const TroubledMatrix scene(
      dsdoctor::testing::troubled_cluster(seed, {20 + 15 * seed, 6 * seed, 4 * seed}));
  const NodeIndex index(scene.reports);
  const PlacementMatrix matrix = scene.matrix(index, 1'000);
  const auto problems = placements_of(scene);
  CHECK(matrix.rest.nodes.empty());
  std::vector<bool> seen(index.names().size());
  for (const NodeClass& each : matrix.classes) {
    REQUIRE(each.cells.size() == scene.rows.size());
    for (const std::size_t node : each.nodes) {
      CHECK_FALSE(seen[node]);
      seen[node] = true;
      for (std::size_t row = 0; row < scene.rows.size(); ++row) {
        const MatrixCell& cell = each.cells[row];
        const std::string name = index.names()[node].str();
        const auto report = scene.made[scene.rows[row]].nodes.find(name);
        REQUIRE(report.has_value());
        CHECK(cell.verdict == report->verdict());
        const auto problem = problems.find({scene.rows[row], name});
        CHECK(cell.problem ==
              (problem == problems.end() ? std::nullopt : std::optional(problem->second)));
        CHECK(cell.nodes == (cell.problem ? each.nodes.size() : 0));
      }
    }
  }
  CHECK(std::ranges::find(seen, false) == seen.end());
}

TEST_CASE("classes are as large as possible", "[diagnosis][matrix]") {
  const TroubledMatrix scene(dsdoctor::testing::troubled_cluster(3, {80, 12, 4}));
  const NodeIndex index(scene.reports);
  const PlacementMatrix matrix = scene.matrix(index, 1'000);
  std::set<std::string> keys;
  for (const NodeClass& each : matrix.classes) {
    std::string key(each.pool);
    for (const MatrixCell& cell : each.cells) {
      key += fmt::format(",{}-{}", static_cast<int>(*cell.verdict), cell.problem.value_or(9'999));
    }
    CHECK(keys.insert(key).second);
  }
}

TEST_CASE("the smallest classes are joined beyond the limit", "[diagnosis][matrix]") {
  const TroubledMatrix scene(dsdoctor::testing::troubled_cluster(2, {120, 20, 6}));
  const NodeIndex index(scene.reports);
  const std::size_t all = scene.matrix(index, 1'000).classes.size();
  REQUIRE(all > 5);
  const PlacementMatrix matrix = scene.matrix(index, 5);
  CHECK(matrix.classes.size() == 5);
  CHECK(matrix.classes_of_rest >= 1);
  std::size_t nodes = matrix.rest.nodes.size();
  std::size_t smallest = nodes;
  for (const NodeClass& each : matrix.classes) {
    nodes += each.nodes.size();
    smallest = std::min(smallest, each.nodes.size());
  }
  CHECK(nodes == index.names().size());
  // A joined cell counts its nodes with a problem, and names the first of their problems.
  const auto problems = placements_of(scene);
  for (std::size_t row = 0; row < scene.rows.size(); ++row) {
    std::size_t wrong = 0;
    std::optional<std::size_t> first;
    for (const std::size_t node : matrix.rest.nodes) {
      const auto at = problems.find({scene.rows[row], index.names()[node].str()});
      if (at == problems.end()) continue;
      ++wrong;
      first = std::min(first.value_or(at->second), at->second);
    }
    CHECK(matrix.rest.cells[row].nodes == wrong);
    CHECK(matrix.rest.cells[row].problem == first);
  }
}

TEST_CASE("a class has the pool and the trait that its nodes share", "[diagnosis][matrix]") {
  const TroubledMatrix scene(dsdoctor::testing::troubled_cluster(4, {90, 14, 6}));
  const NodeIndex index(scene.reports);
  const PlacementMatrix matrix = scene.matrix(index, 1'000);
  REQUIRE_FALSE(matrix.label.empty());
  std::set<std::string_view> pools;
  std::string_view last;
  for (const NodeClass& each : matrix.classes) {
    // Classes of one pool are neighbours.
    if (each.pool != last) CHECK(pools.insert(each.pool).second);
    last = each.pool;
    for (const std::size_t node : each.nodes) {
      const model::Node* of = model::find_node(scene.cluster, index.names()[node].view());
      REQUIRE(of != nullptr);
      const model::Text* value = of->meta.labels.find(matrix.label);
      CHECK((value == nullptr ? std::string_view() : value->view()) == each.pool);
    }
  }
  CHECK(pools.size() > 1);
}

TEST_CASE("a taint that only some nodes of a pool have is their trait", "[diagnosis][matrix]") {
  model::Cluster cluster;
  for (int i = 0; i < 6; ++i) {
    model::Node node;
    node.meta.name = model::Text(fmt::format("n{}", i));
    node.meta.labels = {{model::Text("pool"), model::Text(i < 4 ? "a" : "b")}};
    if (i < 2)
      node.taints.push_back({model::Text("gpu"), model::Text("x"), model::Text("NoSchedule")});
    cluster.nodes.push_back(std::move(node));
  }
  model::DaemonSet ds;
  ds.meta.ns = model::Text("x");
  ds.meta.name = model::Text("agent");
  cluster.daemon_sets.push_back(ds);
  // No pod exists, so each eligible node lacks one; two nodes are not eligible.
  const TroubledMatrix scene(std::move(cluster));
  const NodeIndex index(scene.reports);
  const PlacementMatrix matrix = scene.matrix(index, 60);
  REQUIRE(matrix.classes.size() == 3);
  CHECK(matrix.label == "pool");
  CHECK(matrix.classes[0].pool == "a");
  std::set<std::string> traits;
  for (const NodeClass& each : matrix.classes) traits.insert(each.trait);
  CHECK(traits.contains("gpu:NoSchedule"));
  CHECK(scene.matrix(NodeIndex({}), 60).classes.empty());
}

}  // namespace dsdoctor::diagnosis
