// SPDX-License-Identifier: Apache-2.0
#include "model/timed_list.h"

#include <catch2/catch.hpp>
#include <string>

#include "model/pod.h"
#include "model/rare_list.h"

namespace dsdoctor::model {
namespace {

using namespace std::chrono_literals;

Time at(std::int64_t seconds) { return Time(std::chrono::seconds(seconds)); }

PodConditions conditions(std::int64_t ready_since) {
  return {{"PodScheduled", "True", "", "", at(100)},
          {"Initialized", "True", "", "", {}},
          {"Ready", "True", "", "", at(ready_since)}};
}

}  // namespace

TEST_CASE("packed lists keep their times and share the rest", "[timed-list]") {
  PodConditions one = conditions(200);
  PodConditions two = conditions(300);
  PodConditions::Alike alike;
  one.pack(alike);
  two.pack(alike);
  CHECK(one.shares_with(two));
  CHECK(std::as_const(one) == conditions(200));
  CHECK(std::as_const(two) == conditions(300));
  CHECK(one != two);
  REQUIRE(find_condition(two, "Ready") != nullptr);
  CHECK(find_condition(two, "Ready")->last_transition == at(300));
  CHECK_FALSE(find_condition(two, "Initialized")->last_transition);
  CHECK(find_condition(two, "DiskPressure") == nullptr);
  std::vector<std::string> types;
  for (const Condition& condition : std::as_const(two)) types.push_back(condition.type.str());
  CHECK(types == std::vector<std::string>{"PodScheduled", "Initialized", "Ready"});
}

TEST_CASE("lists that differ in more than times are not shared", "[timed-list]") {
  PodConditions one = conditions(200);
  PodConditions other = conditions(200);
  other[2].status = "False";
  const PodConditions before = other;
  PodConditions::Alike alike;
  one.pack(alike);
  other.pack(alike);
  CHECK_FALSE(one.shares_with(other));
  CHECK(other == before);
  PodConditions next = before;
  next.pack(alike);
  CHECK(next.shares_with(other));
}

TEST_CASE("changing a packed list does not change lists that shared with it", "[timed-list]") {
  PodConditions one = conditions(200);
  PodConditions two = conditions(300);
  PodConditions::Alike alike;
  one.pack(alike);
  two.pack(alike);
  PodConditions copy = two;
  two[2].status = "False";
  two.push_back({"DisruptionTarget", "True", "", "", at(400)});
  CHECK(one == conditions(200));
  CHECK(copy == conditions(300));
  REQUIRE(two.size() == 4);
  CHECK(std::as_const(two)[2] == Condition{"Ready", "False", "", "", at(300)});
  CHECK(std::as_const(two)[3].last_transition == at(400));
  copy.clear();
  CHECK(copy.empty());
  CHECK(std::as_const(copy).begin() == std::as_const(copy).end());
}

TEST_CASE("a list with a time beyond four bytes is not packed", "[timed-list]") {
  const Time odd = GENERATE(at(0), at(-1), at(200) + 5us, at(std::int64_t{1} << 32U));
  const PodConditions before = {{"Ready", "True", "", "", odd}};
  PodConditions list = before;
  PodConditions::Alike alike;
  list.pack(alike);
  CHECK(list == before);
  CHECK_FALSE(list.shares_with(list));
  for (const Time last : {at(1), at((std::int64_t{1} << 32U) - 1)}) {
    PodConditions fits = {{"Ready", "True", "", "", last}};
    fits.pack(alike);
    CHECK(fits.shares_with(fits));
    CHECK(std::as_const(fits)[0].last_transition == last);
  }
}

TEST_CASE("a rare list behaves like a vector", "[timed-list]") {
  RareList<Text> list;
  CHECK(list.empty());
  CHECK(list.begin() == list.end());
  CHECK(list == std::vector<Text>());
  list.push_back("a");
  const RareList<Text> copy = list;
  list.emplace_back() = "b";
  CHECK(list == RareList<Text>{"a", "b"});
  CHECK(copy == RareList<Text>{"a"});
  list.clear();
  CHECK(list == RareList<Text>());
}

}  // namespace dsdoctor::model
