// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

/// Numbers in texts: what they count or identify.
namespace dsdoctor::redaction {

/// Reports whether the number at `at` is a quantity, not an account: "used: 123456789012",
/// "limits.memory=123456789012" of a quota.
[[nodiscard]] bool is_behind_amount(std::string_view text, std::size_t at);

/// Returns the end of a number in groups that begins at `at`, written like a card ("4111 1111 1111
/// 1111") or a telephone ("+49 (151) 234-5678"). Returns `at` if no such number begins there.
[[nodiscard]] std::size_t end_of_grouped_number(std::string_view text, std::size_t at);

/// Reports whether a part of the path of a URL looks like the number of something.
[[nodiscard]] bool has_long_number(std::string_view text);

}  // namespace dsdoctor::redaction
