// SPDX-License-Identifier: Apache-2.0
#include "base/edit_distance.h"

#include <algorithm>
#include <set>
#include <utility>

namespace dsdoctor::base {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Rows of the classic table; swaps need the row before the last one.
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

bool is_within_one_edit(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  if (b.size() - a.size() > 1) return false;
  const auto differs = std::ranges::mismatch(a, b);
  const std::string_view left(differs.in1, a.end());
  const std::string_view right(differs.in2, b.end());
  if (left.empty()) return true;
  if (left.size() != right.size()) return left == right.substr(1);
  if (left.substr(1) == right.substr(1)) return true;
  return left.size() > 1 && left[0] == right[1] && left[1] == right[0] &&
         left.substr(2) == right.substr(2);
}

std::vector<std::string> near_words(std::string_view word,
                                    const std::vector<std::string>& candidates, std::size_t limit) {
  constexpr std::size_t least_tolerance = 2;
  const std::size_t tolerance = std::max(least_tolerance, word.size() / 3);
  std::set<std::pair<std::size_t, std::string>> near;
  for (const std::string& candidate : candidates) {
    const bool contained = word.size() > 2 && candidate.find(word) != std::string::npos;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance <= tolerance) {
      near.emplace(distance, candidate);
    } else if (contained) {
      near.emplace(tolerance + 1, candidate);
    }
  }
  std::vector<std::string> result;
  for (const auto& [distance, candidate] : near) {
    if (result.size() == limit) break;
    result.push_back(candidate);
  }
  return result;
}

}  // namespace dsdoctor::base
