// SPDX-License-Identifier: Apache-2.0
#include "scheduling/capabilities/device_taints.h"

#include <catch2/catch.hpp>
#include <limits>

#include "testing/cluster_story.h"

namespace dsdoctor::scheduling {
namespace {

using testing::at;

constexpr model::Release before = {37, 2};
constexpr model::Release after = {38, 0};

/// Pod agent-1 of node n with a claim of device gpu-0, one of two of the node.
class DeviceStory : public testing::ClusterStory {
 public:
  DeviceStory() {
    add_node("n");
    model::Pod& pod = add_pod("agent-1", "n");
    pod.meta.uid = "uid-pod";
    model::PodSpec spec;
    spec.resource_claims = {{"gpu", "", "gpus"}};
    pod.spec = spec;
    model::ResourceClaim& claim = cluster.resource_claims.emplace_back();
    claim.meta.ns = "x";
    claim.meta.name = "agent-1-gpu-abcde";
    claim.meta.controller = model::ControllerRef{"Pod", "agent-1", "uid-pod"};
    claim.requests = {{"gpu", {}, {}}};
    claim.devices = {{"gpu", "gpu.example.com", "n", "gpu-0", {}}};
    add_slice(1, {{"gpu-0", {}}, {"gpu-1", {}}});
  }

  void add_slice(std::int64_t generation, std::vector<model::Device> devices) {
    model::ResourceSlice& slice = cluster.resource_slices.emplace_back();
    slice.meta.name = "slice-" + std::to_string(cluster.resource_slices.size());
    slice.driver = "gpu.example.com";
    slice.node_name = "n";
    slice.pool = "n";
    slice.generation = generation;
    slice.devices = std::move(devices);
  }
  model::DeviceTaintRule& add_rule(std::string_view effect) {
    model::DeviceTaintRule& rule = cluster.device_taint_rules.emplace_back();
    rule.meta.name = "maintenance";
    rule.selector.emplace();
    rule.taint = {"example.com/broken", "yes", effect, at(100)};
    return rule;
  }
  model::ResourceClaim& claim() { return cluster.resource_claims.front(); }
  std::vector<model::Toleration>& tolerations() { return claim().devices.front().tolerations; }

  std::vector<DeviceEviction> evictions(model::Release release = before) {
    return device_evictions(cluster, cluster.pods.front(), release);
  }
  /// "2 of 2 by maintenance"
  std::string tainted() {
    const auto list = tainted_devices(cluster, cluster.nodes.front(), {&claim()});
    if (list.empty()) return {};
    REQUIRE(list.size() == 1);
    const DriverDevices& one = list.front();
    return std::to_string(one.tainted) + " of " + std::to_string(one.count) + " by " +
           (one.first.rule != nullptr ? one.first.rule->meta.name.str()
                                      : one.first.slice->meta.name.str());
  }
};

}  // namespace

TEST_CASE("a rule selects devices by all names that it has", "[devices]") {
  DeviceStory story;
  CHECK(story.evictions().empty());
  model::DeviceTaintRule& rule = story.add_rule("NoExecute");
  REQUIRE(story.evictions().size() == 1);
  CHECK(story.evictions()[0].taint.rule == &rule);
  CHECK(story.evictions()[0].due == at(100));
  rule.selector->device = "gpu-1";
  CHECK(story.evictions().empty());
  rule.selector = model::DeviceSelector{"gpu.example.com", "n", "gpu-0"};
  CHECK(story.evictions().size() == 1);
  rule.selector->driver = "other.example.com";
  CHECK(story.evictions().empty());
  rule.selector.reset();  // without a selector, no device
  CHECK(story.evictions().empty());
}

TEST_CASE("only NoExecute evicts", "[devices]") {
  DeviceStory story;
  for (const char* effect : {"NoSchedule", "None", "", "Unknown"}) {
    CAPTURE(effect);
    story.cluster.device_taint_rules.clear();
    story.add_rule(effect);
    CHECK(story.evictions().empty());
  }
}

TEST_CASE("tolerations of the allocation delay or prevent an eviction", "[devices]") {
  DeviceStory story;
  story.add_rule("NoExecute");
  SECTION("forever") {
    story.tolerations() = {{"example.com/broken", "Exists", "", "NoExecute", {}}};
    CHECK(story.evictions().empty());
  }
  SECTION("another value, effect or operator") {
    story.tolerations() = {{"example.com/broken", "Equal", "no", "NoExecute", {}},
                           {"example.com/broken", "", "", "NoExecute", {}},
                           {"example.com/broken", "Equal", "yes", "NoSchedule", {}},
                           {"example.com/broken", "Gt", "yes", "NoExecute", {}}};
    REQUIRE(story.evictions().size() == 1);
    CHECK_FALSE(story.evictions()[0].toleration_lacks_effect);
  }
  SECTION("the shortest time; a negative one counts as zero") {
    story.tolerations() = {{"", "Exists", "", "NoExecute", 300},
                           {"example.com/broken", "Equal", "yes", "NoExecute", 60}};
    CHECK(story.evictions().at(0).seconds == 60);
    CHECK(story.evictions().at(0).due == at(160));
    story.tolerations()[0].toleration_seconds = -5;
    CHECK(story.evictions().at(0).seconds == 0);
    story.tolerations()[0].toleration_seconds = std::numeric_limits<std::int64_t>::max();
    story.tolerations().pop_back();
    CHECK_FALSE(story.evictions().at(0).due);
  }
  SECTION("without effect it counts from 1.38 on") {
    story.tolerations() = {{"example.com/broken", "Exists", "", "", {}}};
    REQUIRE(story.evictions(before).size() == 1);
    CHECK(story.evictions(before)[0].toleration_lacks_effect);
    CHECK(story.evictions(after).empty());
  }
}

TEST_CASE("the driver's taints count in the newest slices of a pool", "[devices]") {
  DeviceStory story;
  const model::Taint taint = {"gpu.example.com/unhealthy", "", "NoExecute", at(50)};
  story.cluster.resource_slices[0].devices[0].taints = {taint};
  REQUIRE(story.evictions().size() == 1);
  CHECK(story.evictions()[0].taint.slice == story.cluster.resource_slices.data());
  story.add_slice(2, {{"gpu-0", {}}});
  CHECK(story.evictions().empty());
  story.cluster.resource_slices[1].devices[0].taints = {taint};
  CHECK(story.evictions().size() == 1);
}

TEST_CASE("claims belong to a pod by name or by owner", "[devices]") {
  DeviceStory story;
  const model::Pod& pod = story.cluster.pods.front();
  CHECK(claims_of(story.cluster, pod).size() == 1);
  story.claim().meta.controller->uid = "uid-of-an-earlier-pod";
  CHECK(claims_of(story.cluster, pod).empty());
  model::PodSpec spec;
  spec.resource_claims = {{"gpu", "agent-1-gpu-abcde", ""}};
  story.cluster.pods.front().spec = spec;
  CHECK(claims_of(story.cluster, pod).size() == 1);
  story.claim().meta.ns = "other";
  CHECK(claims_of(story.cluster, pod).empty());
}

TEST_CASE("tainted devices of a node are those that no request tolerates", "[devices]") {
  DeviceStory story;
  CHECK(story.tainted().empty());
  model::DeviceTaintRule& rule = story.add_rule("NoSchedule");
  CHECK(story.tainted() == "2 of 2 by maintenance");
  rule.selector->device = "gpu-1";
  CHECK(story.tainted() == "1 of 2 by maintenance");
  SECTION("a request tolerates it") {
    story.claim().requests[0].tolerations = {{"example.com/broken", "Exists", "", "", {}}};
    CHECK(story.tainted().empty());
  }
  SECTION("one of the alternatives tolerates it") {
    story.claim().requests[0].first_available = {
        {"large", {}}, {"small", {{"example.com/broken", "Equal", "yes", "NoSchedule", {}}}}};
    CHECK(story.tainted().empty());
  }
  SECTION("an effect without consequence") {
    rule.taint.effect = "None";
    CHECK(story.tainted().empty());
  }
  SECTION("devices of another node") {
    story.cluster.resource_slices[0].node_name = "other";
    CHECK(story.tainted().empty());
  }
  SECTION("the driver's own taint") {
    story.cluster.device_taint_rules.clear();
    story.cluster.resource_slices[0].devices[0].taints = {{"sick", "", "NoExecute", {}}};
    CHECK(story.tainted() == "1 of 2 by slice-1");
  }
}

}  // namespace dsdoctor::scheduling
