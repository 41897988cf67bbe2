// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

namespace dsdoctor::decode {

/// The number as Go writes it: 1.0 is 1, so that it fits an integer field.
[[nodiscard]] inline nlohmann::json number_json(double value) {
  constexpr double whole_up_to = 9007199254740992.0;  // 2^53
  if (std::abs(value) <= whole_up_to && value == std::trunc(value)) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

}  // namespace dsdoctor::decode
