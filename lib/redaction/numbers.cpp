// SPDX-License-Identifier: Apache-2.0
#include "redaction/numbers.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "redaction/well_known.h"

namespace dsdoctor::redaction {

bool is_behind_amount(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const auto ends_in = [&](std::string_view word) { return before.ends_with(word); };
  return std::ranges::any_of(
             std::array<std::string_view, 8>{"requested: ", "used: ", "capacity: ", "available: ",
                                             "quantity: ", "limited: ", "was using ",
                                             "request is "},
             ends_in) ||
         std::ranges::any_of(
             std::array<std::string_view, 4>{"cpu=", "memory=", "storage=", "pods="}, ends_in);
}

std::size_t end_of_grouped_number(std::string_view text, std::size_t at) {
  constexpr std::size_t most_digits = 19;
  const bool is_phone = text[at] == '+';
  const std::string_view between = is_phone ? " -./()" : " -";
  std::size_t end = at + (is_phone ? 1 : 0);
  std::size_t digits = 0;
  std::size_t group = 0;
  std::size_t groups_of_four = 0;
  for (std::size_t i = end; i < text.size(); ++i) {
    if (base::is_digit(text[i])) {
      end = i + 1;
      ++group;
      if (++digits > most_digits) return at;
      groups_of_four += group == 4 ? 1 : 0;
      if (group > 4 && !is_phone) return at;
    } else if (between.find(text[i]) == between.npos || (!is_phone && group != 4)) {
      break;
    } else {
      group = 0;
    }
  }
  if (end < text.size() && base::is_alphanumeric(text[end])) return at;
  const bool is_card = !is_phone && digits == 16 && groups_of_four == 4;
  return is_card || (is_phone && digits >= digits_of_account) ? end : at;
}

bool has_long_number(std::string_view text) {
  constexpr std::size_t longest = 5;  // digits of a port
  std::size_t run = 0;
  return std::ranges::any_of(text, [&](char c) {
    run = base::is_digit(c) ? run + 1 : 0;
    return run > longest;
  });
}

}  // namespace dsdoctor::redaction
