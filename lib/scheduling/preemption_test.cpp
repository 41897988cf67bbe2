// SPDX-License-Identifier: Apache-2.0
#include "scheduling/preemption.h"

#include <catch2/catch.hpp>

using namespace dsdoctor;
using namespace dsdoctor::scheduling;

namespace {

std::vector<model::Pod> pods_with(const std::vector<std::int64_t>& priorities) {
  std::vector<model::Pod> pods;
  for (const std::int64_t priority : priorities) {
    model::PodSpec spec;
    spec.priority = priority;
    pods.emplace_back().spec = spec;
    pods.back().meta.name = "p" + std::to_string(priority);
  }
  return pods;
}

Pods pointers(const std::vector<model::Pod>& pods) {
  Pods result;
  for (const model::Pod& pod : pods) result.push_back(&pod);
  return result;
}

FitsBeside at_most(std::size_t count) {
  return [count](const Pods& left) { return left.size() <= count; };
}

}  // namespace

TEST_CASE("as few lower-priority pods as possible are evicted starting with the least important",
          "[preemption]") {
  const auto pods = pods_with({5, 0, 100, 1});
  const auto result = estimate_preemption(50, pointers(pods), at_most(2));
  CHECK(result.candidates == 3);
  CHECK(result.helps);
  REQUIRE(result.victims.size() == 2);
  CHECK(result.victims[0]->meta.name == "p1");
  CHECK(result.victims[1]->meta.name == "p0");
}

TEST_CASE("among equal priorities the youngest pod is evicted", "[preemption]") {
  auto pods = pods_with({0, 0});
  pods[0].start_time = model::Time{std::chrono::seconds(200)};
  pods[1].start_time = model::Time{std::chrono::seconds(100)};
  const auto result = estimate_preemption(1, pointers(pods), at_most(1));
  REQUIRE(result.victims.size() == 1);
  CHECK(result.victims[0] == &pods[0]);
}

TEST_CASE("the lowest priority with which preemption succeeds", "[preemption]") {
  const auto pods = pods_with({0, 0, 100, 1000, 2'000'001'000});
  const auto none = estimate_preemption(0, pointers(pods), at_most(2));
  CHECK(none.candidates == 0);
  CHECK_FALSE(none.helps);
  CHECK(none.needed == 101);
  CHECK(estimate_preemption(1, pointers(pods), at_most(1)).needed == 1001);
  CHECK(estimate_preemption(0, pointers(pods), at_most(0)).needed == 2'000'001'001);
  const auto never = estimate_preemption(7, pointers(pods), [](const Pods&) { return false; });
  CHECK_FALSE(never.helps);
  CHECK_FALSE(never.needed);
  CHECK(never.candidates == 2);
}
