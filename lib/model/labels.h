// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "model/shared.h"
#include "model/text.h"

namespace dsdoctor::model {

/// A string map of the API (labels, annotations, allocatable, nodeSelector): sorted by key,
/// each key once, an absent key distinct from an empty value. Copies share their entries.
class Labels {
 public:
  using Entry = std::pair<Text, Text>;

  Labels() = default;
  Labels(std::initializer_list<Entry> entries) : Labels(std::vector<Entry>(entries)) {}
  /// A duplicate key keeps its last value, as in Go's JSON decoder.
  explicit Labels(std::vector<Entry> entries) {
    std::ranges::stable_sort(entries, {}, &Entry::first);
    const auto same_key = [](const Entry& a, const Entry& b) { return a.first == b.first; };
    const auto kept = std::unique(entries.rbegin(), entries.rend(), same_key).base();
    entries.erase(entries.begin(), kept);
    entries_ = SharedList<Entry>(std::move(entries));
  }

  /// Null if the key is absent. Valid until the next assignment to this object.
  [[nodiscard]] const Text* find(std::string_view key) const {
    const auto at = std::ranges::lower_bound(entries_.items(), key, {},
                                             [](const Entry& entry) { return entry.first.view(); });
    return at != entries_.end() && at->first == key ? &at->second : nullptr;
  }
  void set(const Text& key, const Text& value) {
    std::vector<Entry> entries = entries_.items();
    entries.emplace_back(key, value);
    *this = Labels(std::move(entries));
  }

  [[nodiscard]] auto begin() const { return entries_.begin(); }
  [[nodiscard]] auto end() const { return entries_.end(); }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

  friend bool operator==(const Labels&, const Labels&) = default;

 private:
  SharedList<Entry> entries_;
};

}  // namespace dsdoctor::model
