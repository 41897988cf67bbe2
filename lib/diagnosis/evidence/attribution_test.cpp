// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/evidence/attribution.h"

#include <catch2/catch.hpp>

#include "testing/cluster_story.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using dsdoctor::testing::at;

namespace {

model::FieldManager manager(const char* name, const char* operation, int seconds) {
  model::FieldManager result;
  result.manager = name;
  result.operation = operation;
  result.time = at(seconds);
  return result;
}

}  // namespace

TEST_CASE("the newest Update is the likely writer of a label", "[diagnosis][attribution]") {
  model::ObjectMeta meta;
  CHECK_FALSE(label_writer(meta, "pool"));
  meta.managers = {manager("kubectl", "Apply", 90), manager("kubectl-label", "Update", 20),
                   manager("nfd-master", "Update", 50), manager("kubelet", "Update", 99)};
  meta.managers[0].labels = meta.managers[1].labels = meta.managers[2].labels = {"pool", "x"};
  meta.managers[3].labels = {"pool"};
  meta.managers[3].subresource = "status";  // a heartbeat
  const auto writer = label_writer(meta, "pool");
  REQUIRE(writer);
  CHECK(writer->manager == "nfd-master");
  CHECK(writer->not_later_than == at(50));
  CHECK(
      to_string(*writer) ==
      "node-feature-discovery (nfd-master) (or 2 others), not later than 2023-11-14 22:14:10 UTC");
  CHECK_FALSE(label_writer(meta, "poo"));
}

TEST_CASE("taints have a common writer and only a cordoned node has a cordon writer",
          "[diagnosis][attribution]") {
  model::Node node;
  node.meta.managers = {manager("kubectl-taint", "Update", 5), manager("kubectl", "Update", 7)};
  node.meta.managers[0].taints = true;
  node.meta.managers[1].unschedulable = true;
  node.meta.managers[1].time.reset();
  CHECK(to_string(*taints_writer(node)) == "kubectl taint, not later than 2023-11-14 22:13:25 UTC");
  CHECK_FALSE(cordon_writer(node));
  node.unschedulable = true;
  CHECK(to_string(*cordon_writer(node)) ==
        "kubectl (apply --server-side, cordon, uncordon or drain)");
  CHECK_FALSE(spec_writer(node.meta));
}

TEST_CASE("known managers have a readable name and others keep theirs",
          "[diagnosis][attribution]") {
  CHECK(manager_name("aws-cloud-controller-manager") == "the cloud controller manager");
  CHECK(manager_name("argocd-controller") == "Argo CD");
  CHECK(manager_name("kubectl-rollout") == "kubectl rollout (restart or undo)");
  CHECK(manager_name("my-operator") == "my-operator");
  CHECK(manager_name("") == "an unnamed client");
  CHECK(manager_name(std::string(5000, 'x')).size() == 128);
}

TEST_CASE("the time of a taint comes from the best source", "[diagnosis][attribution]") {
  model::Node node;
  node.taints = {{"a", "", "NoSchedule", at(1)},
                 {"b", "1601646271", "NoSchedule"},
                 {"node.kubernetes.io/unreachable", "", "NoSchedule"},
                 {"node.kubernetes.io/not-ready", "", "NoSchedule"},
                 {"c", "", "NoSchedule"}};
  node.conditions = {{"Ready", "Unknown", "", "", at(3)}};
  CHECK(taint_time(node, 0)->field == "spec.taints[0].timeAdded");
  CHECK(taint_time(node, 1)->time == model::Time(std::chrono::seconds(1601646271)));
  CHECK(taint_time(node, 2)->time == at(3));
  CHECK(taint_time(node, 2)->field == "status.conditions[0].lastTransitionTime");
  // The condition no longer matches the taint, and no manager owns the list.
  CHECK_FALSE(taint_time(node, 3));
  node.meta.managers = {manager("x", "Update", 9)};
  node.meta.managers[0].taints = true;
  REQUIRE(taint_time(node, 4));
  CHECK(taint_time(node, 4)->upper_bound);
  CHECK(taint_time(node, 4)->time == at(9));
  node.meta.managers[0].time.reset();
  CHECK_FALSE(taint_time(node, 4));
}
