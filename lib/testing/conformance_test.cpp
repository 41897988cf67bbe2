// SPDX-License-Identifier: Apache-2.0

// Compares our answers with those of Kubernetes' own code.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "placement/verdict.h"
#include "testing/cluster_reader.h"
#include "testing/gzip_file.h"

using namespace dsdoctor;
using nlohmann::json;

namespace {

/// '0': does not run, does not stay; '1': does not run, stays; '3': runs.
char digit(placement::Decision decision) {
  switch (decision) {
    case placement::Decision::Run: return '3';
    case placement::Decision::Keep: return '1';
    case placement::Decision::Exclude: return '0';
  }
  return '?';
}

bool is_nameless(const json& node) { return node["metadata"]["name"] == ""; }

model::Cluster cluster_of(const json& row) {
  json node = row["node"];
  if (is_nameless(node))
    node["metadata"]["name"] = "to-be-cleared";  // every decoder rejects an empty name
  const json ds = {{"apiVersion", "apps/v1"},
                   {"kind", "DaemonSet"},
                   {"metadata", {{"name", "x"}, {"namespace", "default"}}},
                   {"spec", {{"template", row["template"]}}}};
  const json list = {{"apiVersion", "v1"}, {"kind", "List"}, {"items", {node, ds}}};
  model::Cluster cluster = testing::cluster_from_json(list.dump());
  if (is_nameless(row["node"])) cluster.nodes.front().meta.name = {};
  return cluster;
}

}  // namespace

TEST_CASE("every edge case has the same result as Kubernetes", "[conformance]") {
  const json rows = json::parse(testing::read_file(DSDOCTOR_TESTDATA "/edge-cases.json"));
  CHECK(rows.size() == 210);
  for (const json& row : rows) {
    CAPTURE(row["id"].get<std::string>(), row["reason"].get<std::string>());
    const model::Cluster cluster = cluster_of(row);
    const placement::Evaluator evaluator(cluster.daemon_sets.front().pod_template,
                                         {row["gate"].get<bool>()});
    const placement::Verdict verdict = evaluator.evaluate(cluster.nodes.front());
    CHECK(placement::should_run(verdict.decision) == row["shouldRun"].get<bool>());
    CHECK(placement::should_continue(verdict.decision) == row["shouldContinueRunning"].get<bool>());
    CHECK(verdict.reasons.empty() == (verdict.decision == placement::Decision::Run));
  }
}

TEST_CASE("every pair of the recorded random clusters has the same result as Kubernetes",
          "[conformance]") {
  const std::string name = GENERATE("valid-1", "valid-2", "valid-3", "valid-4", "wild-5", "wild-6");
  CAPTURE(name);
  const json file =
      json::parse(testing::read_gzip(DSDOCTOR_TESTDATA "/oracle/" + name + ".json.gz"));
  const model::Cluster cluster = testing::cluster_from_json(file["cluster"].dump());
  // The digits are in the order of the list, which is possibly not sorted.
  std::vector<std::string> order;
  for (const json& item : file["cluster"]["items"]) {
    if (item["kind"] == "Node") order.push_back(item["metadata"]["name"]);
  }
  std::size_t pairs = 0;
  for (const model::DaemonSet& ds : cluster.daemon_sets) {
    const std::string key = ds.meta.ns.str() + "/" + ds.meta.name.str();
    CAPTURE(key);
    const placement::Evaluator evaluator(ds.pod_template, {});
    std::string ours;
    for (const std::string& node_name : order) {
      const model::Node* node = model::find_node(cluster, node_name);
      REQUIRE(node != nullptr);
      const placement::Verdict verdict = evaluator.evaluate(*node);
      CHECK(verdict.reasons.empty() == (verdict.decision == placement::Decision::Run));
      ours += digit(verdict.decision);
      ++pairs;
    }
    CHECK(ours == file["expect"][key].get<std::string>());
  }
  CHECK(pairs == 20'000);
}
