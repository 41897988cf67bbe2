// SPDX-License-Identifier: Apache-2.0
#include "question/printing.h"

#include <catch2/catch.hpp>

#include "fixes/explanation.h"
#include "render/data/yaml.h"
#include "testing/cluster_reader.h"

using namespace dsdoctor;

TEST_CASE("incremental output equals the whole document", "[cmd][output]") {
  const model::Cluster cluster = testing::recorded_cluster("mixed-40-nodes");
  const diagnosis::Reporter reporter(cluster, {});
  std::vector<const model::DaemonSet*> daemon_sets;
  SECTION("with several DaemonSets") {
    for (const auto& ds : cluster.daemon_sets) daemon_sets.push_back(&ds);
    REQUIRE(daemon_sets.size() > 1);
  }
  SECTION("without DaemonSets") {}
  const fixes::Explanation explanation = fixes::explain(reporter, daemon_sets);
  const render::Envelope envelope;
  render::Presentation style;
  style.by_class = GENERATE(false, true);
  const render::Json document = render::to_json(explanation, envelope, style);
  std::string json;
  std::string yaml;
  render::write_json(explanation, envelope, style, [&](std::string_view text) { json += text; });
  render::write_yaml(explanation, envelope, style, [&](std::string_view text) { yaml += text; });
  CHECK(json == render::json_text(document));
  CHECK(yaml == render::yaml_text(document));
}
