// SPDX-License-Identifier: Apache-2.0
#include "decode/bulk/siblings.h"

#include <catch2/catch.hpp>
#include <utility>

namespace dsdoctor::decode {
namespace {

model::Pod pod_on(const char* node, const char* owner, const char* revision) {
  model::Pod pod;
  pod.meta.name = std::string(owner) + "-" + node;
  pod.meta.controller = model::ControllerRef{"DaemonSet", owner, std::string("uid-") + owner};
  pod.meta.labels = {{"app", owner}, {"controller-revision-hash", revision}};
  pod.node_affinity = model::NodeSelector{{{{}, {{"metadata.name", "In", {node}}}}}};
  model::PodSpec spec;
  spec.containers.emplace_back().image = std::string(owner) + ":1";
  pod.spec = std::move(spec);
  return pod;
}

}  // namespace

TEST_CASE("equal parts of siblings are shared and keep their values", "[siblings]") {
  const model::Pod first = pod_on("n1", "agent", "a");
  const model::Pod second = pod_on("n2", "agent", "a");
  const model::Pod updated = pod_on("n3", "agent", "b");
  const model::Pod other = pod_on("n1", "proxy", "a");
  std::vector<model::Pod> pods = {first, second, updated, other};
  Siblings siblings;
  std::vector<bool> had_all;
  for (model::Pod& pod : pods) had_all.push_back(siblings.unite(pod));
  CHECK(pods == std::vector<model::Pod>{first, second, updated, other});
  CHECK(had_all == std::vector<bool>{false, true, true, false});
  CHECK(pods[0].spec.is_same(pods[2].spec));
  CHECK(pods[0].meta.controller.is_same(pods[1].meta.controller));
  CHECK(pods[0].node_affinity.is_same(pods[3].node_affinity));
  CHECK_FALSE(pods[0].node_affinity.is_same(pods[1].node_affinity));
  CHECK_FALSE(pods[0].spec.is_same(pods[3].spec));
  // A change affects only the changed pod.
  pods[1].meta.controller->name = "renamed";
  CHECK(pods[0] == first);
  CHECK(pods[1].meta.controller->uid == second.meta.controller->uid);
}

TEST_CASE("siblings that share a list keep their own times", "[siblings]") {
  const auto since = [](std::int64_t seconds) {
    return model::Time(std::chrono::seconds(seconds));
  };
  const auto ready_on = [&](const char* node, std::int64_t seconds) {
    model::Pod pod = pod_on(node, "agent", "a");
    pod.conditions = {{"Ready", "True", "", "", since(seconds)}};
    model::ContainerStatus& status = pod.statuses.emplace_back();
    status.name = "main";
    status.running = true;
    status.running_since = since(seconds - 9);
    return pod;
  };
  std::vector<model::Pod> pods = {ready_on("n1", 100), ready_on("n2", 200)};
  const std::vector<model::Pod> before = pods;
  Siblings siblings;
  for (model::Pod& pod : pods) siblings.unite(pod);
  CHECK(pods == before);
  CHECK(pods[0].conditions.shares_with(pods[1].conditions));
  CHECK(pods[0].statuses.shares_with(pods[1].statuses));
  CHECK(std::as_const(pods[1]).statuses.front().running_since == since(191));
}

TEST_CASE("pods without an owner or for several nodes share nothing", "[siblings]") {
  model::Pod bare = pod_on("n1", "agent", "a");
  bare.meta.controller.reset();
  model::Pod twin = bare;
  twin.node_affinity = model::NodeSelector{*std::as_const(bare.node_affinity)};
  Siblings siblings;
  CHECK_FALSE(siblings.unite(bare));
  CHECK_FALSE(siblings.unite(twin));
  CHECK_FALSE(bare.node_affinity.is_same(twin.node_affinity));
  model::Pod wide = pod_on("n1", "agent", "a");
  wide.node_affinity->terms[0].match_fields[0].values = {"n1", "n2"};
  const model::Pod before = wide;
  siblings.unite(wide);
  model::Pod next = pod_on("n1", "agent", "a");
  siblings.unite(next);
  CHECK(wide == before);
  CHECK_FALSE(next.node_affinity.is_same(wide.node_affinity));
}

TEST_CASE("changing a shared value leaves the others unchanged", "[siblings]") {
  model::SharedOptional<model::ControllerRef> one = model::ControllerRef{"DaemonSet", "a", "u"};
  model::SharedOptional<model::ControllerRef> two = one;
  CHECK(one.is_same(two));
  two->name = "b";
  CHECK(std::as_const(one)->name == "a");
  CHECK(one != two);
  two = std::nullopt;
  CHECK_FALSE(two);
  CHECK(two.is_same({}));
  CHECK(two.emplace().name.empty());
  CHECK(std::optional<model::ControllerRef>(one)->uid == "u");
  CHECK_FALSE(std::optional<model::ControllerRef>(model::SharedOptional<model::ControllerRef>()));
}

}  // namespace dsdoctor::decode
