// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iterator>

namespace dsdoctor::base {

/// Iterates over a sequence whose operator[] returns values, not references. Keeps a pointer to it.
template <typename Sequence, typename Item>
class IndexIterator {
 public:
  using value_type = Item;
  using difference_type = std::ptrdiff_t;
  using iterator_category = std::input_iterator_tag;

  /// Result of operator->.
  struct Pointer {
    Item item;
    const Item* operator->() const { return &item; }
  };

  IndexIterator() = default;
  IndexIterator(const Sequence* sequence, std::size_t at) : sequence_(sequence), at_(at) {}

  Item operator*() const { return (*sequence_)[at_]; }
  Pointer operator->() const { return {**this}; }
  IndexIterator& operator++() {
    ++at_;
    return *this;
  }
  IndexIterator operator++(int) { return {sequence_, at_++}; }
  friend bool operator==(const IndexIterator& a, const IndexIterator& b) { return a.at_ == b.at_; }

 private:
  const Sequence* sequence_ = nullptr;
  std::size_t at_ = 0;
};

}  // namespace dsdoctor::base
