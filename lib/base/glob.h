// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace dsdoctor::base {

inline constexpr std::string_view glob_digit = "[0-9]";

/// Reports whether `text` matches: `*` matches any characters or none, `[0-9]` one digit, every
/// other character itself. Takes at most time proportional to the product of the lengths.
[[nodiscard]] bool matches_glob(std::string_view glob, std::string_view text);

/// Reports whether `text` contains a wildcard that matches_glob knows.
[[nodiscard]] bool is_glob(std::string_view text);

/// Reports whether `text` contains syntax of other tools' globs that this one lacks: `?`, `{a,b}`,
/// `[a-z]`, `\`.
[[nodiscard]] bool is_foreign_glob(std::string_view text);

}  // namespace dsdoctor::base
