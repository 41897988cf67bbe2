#pragma once

#include <string_view>

namespace dsdoctor::base {

inline constexpr std::string_view glob_digit = "[0-9]";

/// `*` stands for any characters, none included, and `[0-9]` for one digit; every other character
/// for itself. In time that grows with the product of the lengths at worst.
[[nodiscard]] bool matches_glob(std::string_view glob, std::string_view text);

/// Something in it stands for other characters.
[[nodiscard]] bool is_glob(std::string_view text);

/// It holds what other tools' globs know and this one does not: `?`, `{a,b}`, `[a-z]`, `\`.
[[nodiscard]] bool is_foreign_glob(std::string_view text);

}  // namespace dsdoctor::base
