#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Changes of JSON that leave it JSON: arbitrary bytes seldom do, and end at the parser.
namespace dsdoctor::fuzz {

/// `input` with a value replaced, added, doubled, moved or taken away. Absent: it is no JSON,
/// or is_deep, or the result would be longer than `most` bytes.
[[nodiscard]] std::optional<std::string> mutated_json(std::string_view input, std::size_t most,
                                                      std::uint32_t seed);

/// `input` with a value of `donor` in the place of, or beside, one of its own. Absent as above.
[[nodiscard]] std::optional<std::string> crossed_json(std::string_view input,
                                                      std::string_view donor, std::size_t most,
                                                      std::uint32_t seed);

}  // namespace dsdoctor::fuzz
