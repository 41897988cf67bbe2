// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

namespace dsdoctor::base {

/// a + b, or on overflow the largest number of 64 bits or its negative.
[[nodiscard]] inline std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::int64_t result = 0;
  if (!__builtin_add_overflow(a, b, &result)) return result;
  return b > 0 ? most : -most;
}

}  // namespace dsdoctor::base
