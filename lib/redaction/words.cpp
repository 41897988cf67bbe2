// SPDX-License-Identifier: Apache-2.0
#include "redaction/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/text.h"
#include "redaction/near_names.h"
#include "redaction/well_known.h"

namespace dsdoctor::redaction {
namespace {

using base::is_digit;
using base::is_letter;
using base::is_upper;

/// Reports whether a word is the part "22T10" of "2026-11-22T10-00-00Z".
bool is_time(std::string_view word) {
  constexpr std::string_view form = "00T00";
  return word.size() == form.size() && word[2] == 'T' && is_digit(word[0]) && is_digit(word[1]) &&
         is_digit(word[3]) && is_digit(word[4]);
}

/// Reports whether a word consists of digits and units in turn: "100Mi", "1h30m", "00Z".
bool is_amount(std::string_view word) {
  constexpr std::array<std::string_view, 27> units = {
      "m", "k", "K", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei",
      "n", "u", "s", "h", "d", "y", "Z", "B", "ms", "us", "ns", "KB", "MB"};
  constexpr std::size_t longest = 16;
  if (word.size() > longest || !is_digit(word.front()) || is_digit(word.back())) {
    return is_time(word);
  }
  while (!word.empty()) {
    word.remove_prefix(std::min(word.find_first_not_of("0123456789"), word.size()));
    const std::size_t end = std::min(word.find_first_of("0123456789"), word.size());
    if (end > 0 && std::ranges::find(units, word.substr(0, end)) == units.end()) return false;
    word.remove_prefix(end);
  }
  return true;
}

/// Reports whether a word is a well-known one with digits after it: "eth0", "v1".
bool is_numbered(std::string_view word) {
  const std::size_t digits = word.find_last_not_of("0123456789") + 1;
  constexpr std::size_t told_from_names = 3;
  const std::string_view stem = word.substr(0, digits);
  return digits < word.size() && word.size() - digits < told_from_names + 1 &&
         (stem == "v" || (digits >= told_from_names && is_common(stem)));
}

/// The end of the first part in camel case: "Kubelet" of "KubeletNotReady", "CNI" of "CNIConfig".
std::size_t end_of_part(std::string_view word) {
  std::size_t end = 1;
  while (end < word.size() && is_upper(word[end])) ++end;
  if (end == word.size()) return end;
  if (end > 1) return end - 1;
  while (end < word.size() && !is_upper(word[end])) ++end;
  return end;
}

bool is_made_of_known(std::string_view word) {
  if (!std::ranges::all_of(word, is_letter)) return false;
  while (!word.empty()) {
    const std::size_t end = end_of_part(word);
    if (!is_listed(word.substr(0, end))) return false;
    word.remove_prefix(end);
  }
  return true;
}

}  // namespace

bool is_quantity(std::string_view text) {
  constexpr std::array<std::string_view, 16> suffixes = {
      "", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  constexpr std::string_view digits = "0123456789";
  const auto take_sign = [&] {
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  };
  take_sign();
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view number = text.substr(0, end);
  if (number.find_first_of(digits) == number.npos) return false;
  if (std::ranges::count(number, '.') > 1) return false;  // an address or a version
  text.remove_prefix(end);
  const bool exponent = text.size() > 1 && (text.front() == 'e' || text.front() == 'E');
  if (!exponent) return std::ranges::find(suffixes, text) != suffixes.end();
  text.remove_prefix(1);
  take_sign();
  return base::is_number(text);
}

std::string WordReplacer::replace(std::string_view word) {
  if (is_common(word) || is_amount(word) || is_numbered(word) || is_made_of_known(word)) {
    return std::string(word);
  }
  return replace_any(word);
}

std::string WordReplacer::replace_any(std::string_view word) {
  const std::string lower = base::lower_case(word);
  const std::string upper = base::upper_case(word);
  const bool capital =
      is_upper(word.front()) && word.substr(1) == std::string_view(lower).substr(1);
  // Other spellings are other words, because labels distinguish "webApp" from "webapp".
  const bool plain = word == lower || word == upper || capital;
  const std::string key = plain ? lower : "=" + std::string(word);
  const std::size_t number = numbers_.try_emplace(key, numbers_.size() + 1).first->second;
  const std::string_view front = !plain || word == lower ? "anon" : word == upper ? "ANON" : "Anon";
  return fmt::format("{}{}{}", front, number, telling_parts(word));
}

}  // namespace dsdoctor::redaction
