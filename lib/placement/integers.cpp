// SPDX-License-Identifier: Apache-2.0
#include "placement/integers.h"

#include <charconv>
#include <system_error>

namespace dsdoctor::placement {

std::optional<std::int64_t> parse_lenient_integer(std::string_view text) {
  // from_chars does not accept a plus sign. A minus sign after the plus sign is invalid, too.
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_canonical_integer(std::string_view text) {
  std::string_view digits = text;
  if (digits.starts_with('-')) digits.remove_prefix(1);
  if (digits.empty() || digits.front() == '+') return std::nullopt;
  const bool leading_zero = digits.front() == '0' && digits.size() > 1;
  if (leading_zero || text == "-0") return std::nullopt;
  return parse_lenient_integer(text);
}

}  // namespace dsdoctor::placement
