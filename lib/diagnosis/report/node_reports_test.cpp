// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/report/node_reports.h"

#include <catch2/catch.hpp>
#include <random>
#include <set>

namespace dsdoctor::diagnosis {
namespace {

NodeState state(NodeVerdict verdict) {
  NodeState result;
  result.verdict = verdict;
  return result;
}

std::vector<std::pair<std::string, NodeVerdict>> listed(const NodeReports& reports) {
  std::vector<std::pair<std::string, NodeVerdict>> result;
  for (const NodeReport& node : reports) result.emplace_back(node.name.str(), node.verdict());
  return result;
}

NodeReports four_nodes() {
  NodeReports result(NodeNames(std::vector<model::Text>{"a", "b", "c", "d"}));
  const auto missing = result.add_state(state(NodeVerdict::Missing));
  for (int i = 0; i < 3; ++i) result.append(missing);
  result.append(state(NodeVerdict::Running));
  return result;
}

}  // namespace

TEST_CASE("nodes that share a state are counted and changed individually", "[node-reports]") {
  NodeReports nodes = four_nodes();
  CHECK(nodes.count(NodeVerdict::Missing) == 3);
  nodes.change(1, [](NodeState& changed) { changed.verdict = NodeVerdict::Failed; });
  CHECK(nodes.count(NodeVerdict::Missing) == 2);
  CHECK(nodes.count(NodeVerdict::Failed) == 1);
  CHECK(listed(nodes) ==
        std::vector<std::pair<std::string, NodeVerdict>>{{"a", NodeVerdict::Missing},
                                                         {"b", NodeVerdict::Failed},
                                                         {"c", NodeVerdict::Missing},
                                                         {"d", NodeVerdict::Running}});
}

TEST_CASE("a selection of nodes keeps names and states even if selected twice", "[node-reports]") {
  const NodeReports nodes = four_nodes();
  const NodeReports some = nodes.only({1, 2, 3});
  CHECK(&some.names() == &nodes.names());
  const NodeReports two = some.only({0, 2});
  CHECK(listed(two) == std::vector<std::pair<std::string, NodeVerdict>>{
                           {"b", NodeVerdict::Missing}, {"d", NodeVerdict::Running}});
  CHECK(two.name_index(1) == 3);
  CHECK(two.count(NodeVerdict::Missing) == 1);
}

TEST_CASE("nodes with their own names can be sorted and selected and found", "[node-reports]") {
  NodeReports nodes;
  for (const char* name : {"n3", "n1", "n2"}) nodes.push_back({name, state(NodeVerdict::Pending)});
  nodes.sort_by_name();
  CHECK(nodes.front().name == "n1");
  CHECK(nodes.find("n3").value().verdict() == NodeVerdict::Pending);
  CHECK_FALSE(nodes.find("n0"));
  CHECK_FALSE(nodes.find("n4"));
  CHECK_FALSE(NodeReports().find("n1"));
  CHECK(nodes.only({1}).front().name == "n2");
}

TEST_CASE("nodes are found by state and a state can change for all its nodes", "[node-reports]") {
  NodeReports nodes = four_nodes();
  const auto places = [&](NodeVerdict verdict) {
    const base::IndexRuns found =
        nodes.where([&](const NodeState& of) { return of.verdict == verdict; });
    return std::vector<std::size_t>(found.begin(), found.end());
  };
  CHECK(places(NodeVerdict::Missing) == std::vector<std::size_t>{0, 1, 2});
  CHECK(places(NodeVerdict::Failed).empty());
  nodes.change(1, [](NodeState& changed) { changed.verdict = NodeVerdict::Failed; });
  nodes.change_state(nodes.state_of(0),
                     [](NodeState& changed) { changed.verdict = NodeVerdict::Unknown; });
  CHECK(places(NodeVerdict::Unknown) == std::vector<std::size_t>{0, 2});
  CHECK(places(NodeVerdict::Failed) == std::vector<std::size_t>{1});
  // No node has this state anymore.
  nodes.change(1, [](NodeState& changed) { changed.verdict = NodeVerdict::Running; });
  int asked = 0;
  CHECK(nodes.where([&](const NodeState& of) { return ++asked, of.verdict == NodeVerdict::Failed; })
            .empty());
  CHECK(asked == 3);
}

TEST_CASE("more states than fit into one byte are distinguished", "[node-reports]") {
  constexpr std::size_t many = 70'000;  // one, two and four bytes a node
  std::vector<model::Text> names;
  for (std::size_t i = 0; i < many; ++i) names.emplace_back(std::to_string(i));
  NodeReports nodes{NodeNames(std::move(names))};
  for (std::size_t i = 0; i < many; ++i) {
    NodeState own;
    own.pods.push_back({.name = std::to_string(i), .phase = {}, .reason = {}});
    nodes.append(std::move(own));
  }
  std::size_t wrong = 0;
  for (const NodeReport& node : nodes) wrong += node.pods().front().name == node.name ? 0 : 1;
  CHECK(wrong == 0);
}

TEST_CASE("runs of indexes contain the indexes that were added", "[node-reports]") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::set<std::size_t> expected;
    for (std::size_t i = 0; i < 60; ++i) {
      if (random() % 4 != static_cast<unsigned>(round) % 4) expected.insert(i);
    }
    base::IndexRuns runs;
    for (const std::size_t i : expected) runs.push_back(i);
    CAPTURE(round);
    CHECK(std::vector<std::size_t>(runs.begin(), runs.end()) ==
          std::vector<std::size_t>(expected.begin(), expected.end()));
    REQUIRE(runs.size() == expected.size());
    std::size_t place = 0;
    for (const std::size_t i : expected) CHECK(runs[place++] == i);
    for (std::size_t i = 0; i < 62; ++i) CHECK(runs.contains(i) == expected.contains(i));
  }
}

}  // namespace dsdoctor::diagnosis
