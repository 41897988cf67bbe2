// SPDX-License-Identifier: Apache-2.0
#include "fixes/live_patch.h"

#include <catch2/catch.hpp>

#include "fixes/test_fixes.h"

using namespace dsdoctor;
using namespace dsdoctor::fixes;

namespace {

const model::Toleration of_db{"team", "Equal", "db", "NoSchedule", {}};
const model::Toleration of_everything{"", "Exists", "", "", {}};
const model::Toleration imagined{"gpu", "Exists", "", "NoSchedule", {}};

/// The suggestion for node a, whose pod is misscheduled, with more what-if tolerations.
struct ImaginedScene {
  model::Cluster cluster;
  Changed changed;

  explicit ImaginedScene(std::vector<model::Toleration> kept,
                         const model::Toleration& also = imagined) {
    add_node(cluster, "a", {{"team", "db", "NoSchedule"}}, {});
    model::DaemonSet& ds = add_agent(cluster);
    ds.pod_template.tolerations = std::move(kept);
    ds.pod_template.tolerations.push_back(also);
    add_agent_pod(cluster, "agent-1", "a");
    changed.consequences.emplace_back();
    changed.consequences.back().ns = ds.meta.ns;
    changed.consequences.back().name = ds.meta.name;
    changed.consequences.back().tolerated = {also};
  }

  [[nodiscard]] FixAnswer answer(const FixTarget& target = {}) const {
    std::vector<FixAnswer> result = {fix(cluster, target)};
    fit_to_cluster(result, changed);
    return result.front();
  }
};

}  // namespace

TEST_CASE("a patch adds what-if tolerations to the existing list", "[fixes]") {
  const bool has_list = GENERATE(false, true);
  const std::vector<model::Toleration> kept(has_list ? 1 : 0, {"x", "Exists", "", "", {}});
  const ImaginedScene scene(kept);
  const FixAnswer answer = scene.answer();
  CHECK(answer.ds->pod_template.tolerations == kept);
  REQUIRE(answer.suggestions.size() == 1);
  const Suggestion& one = answer.suggestions.front();
  CHECK(one.creates_list == !has_list);
  CHECK(one.change.added == std::vector<model::Toleration>{imagined, of_db});
  CHECK(one.change.imagined == 1);
  CHECK_FALSE(one.of_manifest);
  const diagnosis::Reporter reporter(scene.cluster, verdicts_only());
  Explanation explanation = explain(reporter, {&scene.cluster.daemon_sets.front()});
  fit_to_cluster(explanation, {&scene.cluster.daemon_sets.front()}, scene.changed);
  const Suggestion& same = explanation.daemon_sets.front().suggestions.front();
  CHECK(same.change == one.change);
  CHECK(same.creates_list == one.creates_list);
}

TEST_CASE("what-if tolerations are not removed from the list", "[fixes]") {
  const FixAnswer answer = ImaginedScene({{"x", "Exists", "", "", {}}}, of_everything)
                               .answer({FixTarget::Kind::All, {}, {}});
  REQUIRE(answer.alternatives.size() == 1);
  CHECK(answer.alternatives.front().id == "narrow-toleration-1");
  const TemplateChange& change = *answer.alternatives.front().change;
  CHECK_FALSE(change.removed);
  CHECK(change.added == std::vector<model::Toleration>{of_db});
  CHECK(change.imagined == 0);
}

TEST_CASE("a DaemonSet of a manifest is changed in the manifest", "[fixes]") {
  ImaginedScene scene({});
  scene.changed.manifests = {{"x", "agent"}};
  CHECK(scene.answer().suggestions.front().of_manifest);
  CHECK(scene.answer().owners.empty());
  scene.changed.manifests = {{"y", "agent"}};
  CHECK_FALSE(scene.answer().suggestions.front().of_manifest);
}
