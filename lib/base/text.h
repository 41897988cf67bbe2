#pragma once

#include <algorithm>
#include <string>
#include <string_view>

/// ASCII alone, whatever the locale: Kubernetes' names, numbers and units are nothing else.
namespace dsdoctor::base {

[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

[[nodiscard]] constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

[[nodiscard]] constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || is_upper(c); }

[[nodiscard]] constexpr bool is_alphanumeric(char c) { return is_digit(c) || is_letter(c); }

[[nodiscard]] constexpr bool is_hexadecimal(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

[[nodiscard]] constexpr char to_lower(char c) {
  return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}

[[nodiscard]] constexpr char to_upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

[[nodiscard]] inline std::string lower_case(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), to_lower);
  return result;
}

}  // namespace dsdoctor::base
