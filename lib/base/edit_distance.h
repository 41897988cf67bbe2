// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dsdoctor::base {

/// Number of bytes to insert, delete, replace or swap with their neighbour to turn `a` into `b`.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// Reports whether that distance is at most 1. Takes time linear in the shorter text, and no
/// memory.
[[nodiscard]] bool is_within_one_edit(std::string_view a, std::string_view b);

/// Returns the `candidates` that a user who typed `word` may have meant, nearest first, at most
/// `limit`. A candidate that contains the word is near.
[[nodiscard]] std::vector<std::string> near_words(std::string_view word,
                                                  const std::vector<std::string>& candidates,
                                                  std::size_t limit = 3);

}  // namespace dsdoctor::base
