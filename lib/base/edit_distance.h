#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dsdoctor::base {

/// Bytes to insert, delete, replace or swap with their neighbour to turn `a` into `b`.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The same distance is 1 or less; takes time by the shorter one's size alone, and no memory.
[[nodiscard]] bool is_within_one_edit(std::string_view a, std::string_view b);

/// Those of `candidates` that somebody who typed `word` may have meant, nearest first, at most
/// `limit`. A candidate that contains the word counts as near.
[[nodiscard]] std::vector<std::string> near_words(std::string_view word,
                                                  const std::vector<std::string>& candidates,
                                                  std::size_t limit = 3);

}  // namespace dsdoctor::base
