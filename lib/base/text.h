// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

/// ASCII only, in every locale: Kubernetes' names, numbers and units consist of ASCII.
namespace dsdoctor::base {

[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

[[nodiscard]] constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

[[nodiscard]] constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

[[nodiscard]] constexpr bool is_letter(char c) { return is_lower(c) || is_upper(c); }

[[nodiscard]] constexpr bool is_alphanumeric(char c) { return is_digit(c) || is_letter(c); }

[[nodiscard]] constexpr bool is_hexadecimal(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

[[nodiscard]] constexpr char to_lower(char c) {
  return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}

[[nodiscard]] constexpr char to_upper(char c) {
  return is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
}

[[nodiscard]] inline std::string lower_case(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), to_lower);
  return result;
}

[[nodiscard]] inline std::string upper_case(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), to_upper);
  return result;
}

[[nodiscard]] inline bool same_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, to_lower, to_lower);
}

/// Reports whether `text` consists of digits and is not empty.
[[nodiscard]] constexpr bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

/// The whole of `text` as an integer: digits, after a minus if the type is signed. Null if `text`
/// has another form or the number does not fit.
template <std::integral Number>
[[nodiscard]] std::optional<Number> to_number(std::string_view text, int radix = 10) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, radix);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

inline constexpr std::string_view blanks = " \t\r\n";

/// `text` without the characters of `unwanted` at its ends.
[[nodiscard]] constexpr std::string_view trimmed(std::string_view text,
                                                 std::string_view unwanted = blanks) {
  text.remove_prefix(std::min(text.find_first_not_of(unwanted), text.size()));
  return text.substr(0, text.find_last_not_of(unwanted) + 1);  // npos + 1 is 0
}

/// `text` in at most `limit` bytes: " ... " replaces the middle of a longer text. It is cut between
/// words if a blank is near, else between characters. A quotation that opens or closes in the
/// removed part does so at the gap; a short part in a bracket that is open at the gap is removed,
/// too.
[[nodiscard]] std::string without_middle(std::string_view text, std::size_t limit);

/// The parts of `text` between the marks, as views of `text`: one more than there are marks.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, std::string_view mark);

/// "1 node", "3 nodes". The plural of `noun` has an s.
[[nodiscard]] std::string counted(std::int64_t count, std::string_view noun);
/// "1 entry", "3 entries".
[[nodiscard]] std::string counted(std::int64_t count, std::string_view one, std::string_view many);
/// The same for unsigned numbers.
[[nodiscard]] std::string counted(std::unsigned_integral auto count, auto&&... words) {
  return counted(static_cast<std::int64_t>(count), words...);
}

/// The first `shown` names and the number of the others: "a, b, c, d, e and 7 more".
[[nodiscard]] std::string listed(const std::vector<std::string>& names, std::size_t shown = 5);
/// The same for `count` names; `name` is called for the shown ones only.
[[nodiscard]] std::string listed(std::size_t count,
                                 const std::function<std::string(std::size_t)>& name,
                                 std::size_t shown = 5);

}  // namespace dsdoctor::base
