// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Mutations that keep JSON valid: arbitrary bytes seldom are, and get no further than the parser.
namespace dsdoctor::fuzz {

/// `input` with a value replaced, added, doubled, moved or removed. Absent if it is not JSON, or
/// is_deep, or the result would exceed `most` bytes.
[[nodiscard]] std::optional<std::string> mutated_json(std::string_view input, std::size_t most,
                                                      std::uint32_t seed);

/// `input` with a value of `donor` instead of, or beside, one of its own. Absent as above.
[[nodiscard]] std::optional<std::string> crossed_json(std::string_view input,
                                                      std::string_view donor, std::size_t most,
                                                      std::uint32_t seed);

}  // namespace dsdoctor::fuzz
