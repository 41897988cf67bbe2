// SPDX-License-Identifier: Apache-2.0
#include "base/glob.h"

#include <algorithm>

#include "base/text.h"

namespace dsdoctor::base {

// A star matches as few characters as possible; only the last star is retried with more.
bool matches_glob(std::string_view glob, std::string_view text) {
  std::size_t g = 0;
  std::size_t t = 0;
  std::size_t star = glob.npos;
  std::size_t star_end = 0;  // how far into the text the last star reaches
  while (t < text.size()) {
    const bool digit = glob.substr(g).starts_with(glob_digit);
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      star_end = t;
    } else if (digit ? is_digit(text[t]) : g < glob.size() && glob[g] == text[t]) {
      g += digit ? glob_digit.size() : 1;
      ++t;
    } else if (star != glob.npos) {
      g = star + 1;
      t = ++star_end;
    } else {
      return false;
    }
  }
  return glob.find_first_not_of('*', g) == glob.npos;
}

bool is_glob(std::string_view text) {
  return text.find('*') != text.npos || text.find(glob_digit) != text.npos;
}

bool is_foreign_glob(std::string_view text) {
  const auto parts = split(text, glob_digit);
  return std::ranges::any_of(
      parts, [](std::string_view part) { return part.find_first_of("?{}[]\\") != part.npos; });
}

}  // namespace dsdoctor::base
