// SPDX-License-Identifier: Apache-2.0
#include "base/misspelling.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/edit_distance.h"
#include "base/text.h"

namespace dsdoctor::base {
namespace {

constexpr std::size_t least_shared_letters = 4;
constexpr std::size_t least_doubled = 2;  // "aa" beside "a" is hardly a typo

/// Words in labels that are one edit apart from each other, or from other common words.
constexpr std::array<std::string_view, 48> common_words = {
    "amd",    "apps",   "arm",    "batch", "build",  "canary",  "core",   "cpu",
    "data",   "date",   "dead",   "dev",   "east",   "edge",    "fast",   "front",
    "gpu",    "green",  "head",   "high",  "infra",  "large",   "lead",   "live",
    "main",   "master", "mem",    "north", "prod",   "public",  "scale",  "small",
    "south",  "spot",   "stable", "stage", "staged", "stale",   "static", "storage",
    "tenant", "test",   "text",   "west",  "worker", "workers", "write",  "writer"};

bool is_common(std::string_view word) { return std::ranges::binary_search(common_words, word); }

/// Two texts without their common prefix and suffix.
struct Difference {
  std::string_view typed;
  std::string_view meant;
  std::string_view prefix;         // the common one
  std::size_t shared_letters = 0;  // in prefix and suffix
  bool at_end = false;             // there is no common suffix
};

Difference difference(std::string_view typed, std::string_view meant) {
  const std::size_t shorter = std::min(typed.size(), meant.size());
  std::size_t front = 0;
  while (front < shorter && typed[front] == meant[front]) ++front;
  std::size_t back = 0;
  while (back < shorter - front &&
         typed[typed.size() - 1 - back] == meant[meant.size() - 1 - back]) {
    ++back;
  }
  Difference result;
  result.prefix = typed.substr(0, front);
  const std::string_view suffix = typed.substr(typed.size() - back);
  result.shared_letters = static_cast<std::size_t>(std::ranges::count_if(result.prefix, is_letter) +
                                                   std::ranges::count_if(suffix, is_letter));
  result.typed = typed.substr(front, typed.size() - front - back);
  result.meant = meant.substr(front, meant.size() - front - back);
  result.at_end = back == 0;
  return result;
}

bool doubles_a_character(const Difference& of, std::string_view meant) {
  return of.meant.empty() && of.typed.size() == 1 && !of.prefix.empty() &&
         of.prefix.back() == of.typed.front() && meant.size() >= least_doubled;
}

}  // namespace

bool is_misspelling(std::string_view typed, std::string_view meant) {
  if (typed == meant || !is_within_one_edit(typed, meant)) return false;
  const Difference of = difference(typed, meant);
  if (doubles_a_character(of, meant)) return true;
  const bool in_digits =
      std::ranges::all_of(of.typed, is_digit) && std::ranges::all_of(of.meant, is_digit);
  if (in_digits || of.shared_letters < least_shared_letters) return false;
  if (of.at_end && of.typed.size() <= 1 && of.meant.size() <= 1) return false;
  return !(is_common(typed) && is_common(meant));
}

}  // namespace dsdoctor::base
