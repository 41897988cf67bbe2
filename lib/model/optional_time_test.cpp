// SPDX-License-Identifier: Apache-2.0
#include "model/optional_time.h"

#include <catch2/catch.hpp>

namespace dsdoctor::model {

TEST_CASE("an optional time has the size of a time", "[model]") {
  static_assert(sizeof(OptionalTime) == sizeof(Time));
  const Time epoch{};
  OptionalTime time;
  CHECK_FALSE(time);
  CHECK(std::optional<Time>(time) == std::nullopt);
  CHECK(time.value_or(epoch) == epoch);
  CHECK(time < OptionalTime(epoch));
  time = epoch;
  REQUIRE(time.has_value());
  CHECK(*time == epoch);
  CHECK(time == OptionalTime(std::optional(epoch)));
  CHECK(time < OptionalTime(epoch + std::chrono::microseconds(1)));
  time.reset();
  CHECK(time == OptionalTime(std::nullopt));
}

}  // namespace dsdoctor::model
