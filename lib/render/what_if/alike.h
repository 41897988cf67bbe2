// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace dsdoctor::render {

/// Items that share a text, and the text.
template <typename Item>
using Alike = std::pair<std::string, std::vector<const Item*>>;

/// Groups the items that `picks` by the text that `text_of` gives them, in the order of their
/// first. The items must outlive the result.
template <typename Items, typename Picks, typename TextOf>
[[nodiscard]] auto grouped_by_text(const Items& items, Picks&& picks, TextOf&& text_of) {
  std::vector<Alike<typename Items::value_type>> result;
  std::map<std::string, std::size_t> places;
  for (const auto& item : items) {
    if (!picks(item)) continue;
    const auto [at, is_new] = places.try_emplace(text_of(item), result.size());
    if (is_new) result.push_back({at->first, {}});
    result[at->second].second.push_back(&item);
  }
  return result;
}

}  // namespace dsdoctor::render
