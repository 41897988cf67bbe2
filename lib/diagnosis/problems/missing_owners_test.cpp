// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/problems/missing_owners.h"

#include <functional>

#include "diagnosis/test_scene.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;

namespace {

/// A pod whose DaemonSet x/agent does not exist, in a whole list of DaemonSets.
Scene orphaned() {
  Scene scene;
  scene.pod();
  scene.cluster.daemon_sets.clear();
  scene.cluster.known.own_daemon_set_list = true;
  return scene;
}

}  // namespace

TEST_CASE("pods of a DaemonSet that does not exist are a problem", "[diagnosis][problems]") {
  Scene scene = orphaned();
  const auto problems = problems_of_missing_owners(scene.cluster, {});
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].finding == "pod-owner-missing");
  CHECK(problems[0].id == "pod-owner-missing=x/agent");
  CHECK(problems[0].daemon_sets.empty());
  CHECK(
      text_of(problems[0].message) ==
      "1 pod of DaemonSet x/agent, which does not exist: agent-00001 on n1; the garbage collector "
      "deletes such pods");
  CHECK(problems_of_missing_owners(scene.cluster, {"x"}).size() == 1);
  CHECK(problems_of_missing_owners(scene.cluster, {"y"}).empty());
}

TEST_CASE("pods that end anyway are not pods of a missing owner", "[diagnosis][problems]") {
  const auto change = GENERATE(
      as<std::function<void(model::Pod&)>>(), [](model::Pod& pod) { pod.meta.deleted = at(0); },
      [](model::Pod& pod) { pod.phase = "Failed"; },
      [](model::Pod& pod) { pod.phase = "Succeeded"; },
      [](model::Pod& pod) { pod.meta.controller.reset(); },
      [](model::Pod& pod) { pod.meta.controller->kind = "ReplicaSet"; });
  Scene scene = orphaned();
  change(scene.cluster.pods[0]);
  CHECK(problems_of_missing_owners(scene.cluster, {}).empty());
}

TEST_CASE("an owner is missing only in a list of DaemonSets alone", "[diagnosis][problems]") {
  Scene scene = orphaned();
  scene.cluster.known.own_daemon_set_list = false;
  CHECK(problems_of_missing_owners(scene.cluster, {}).empty());
}

TEST_CASE("the owner of new pods may have been created after the list", "[diagnosis][problems]") {
  Scene scene = orphaned();
  scene.cluster.pods[0].meta.created = at(3590);
  CHECK(problems_of_missing_owners(scene.cluster, {"", at(3540)}).empty());
  CHECK(problems_of_missing_owners(scene.cluster, {}).size() == 1);
  scene.cluster.pods[0].meta.created = at(3500);
  CHECK(problems_of_missing_owners(scene.cluster, {"", at(3540)}).size() == 1);
}
