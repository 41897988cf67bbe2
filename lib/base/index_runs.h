// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <vector>

namespace dsdoctor::base {

/// Ascending unique numbers below 2^32. Consecutive numbers cost nothing: only the start of each
/// run is stored.
class IndexRuns {
 public:
  class Iterator {
   public:
    using value_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;

    Iterator() = default;
    Iterator(const IndexRuns* of, std::size_t run, std::size_t place)
        : of_(of), run_(run), place_(place) {}

    std::size_t operator*() const {
      const Run& run = of_->runs_[run_];
      return run.first + (place_ - run.place);
    }
    Iterator& operator++() {
      ++place_;
      if (run_ + 1 < of_->runs_.size() && of_->runs_[run_ + 1].place == place_) ++run_;
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.place_ == b.place_; }

   private:
    const IndexRuns* of_ = nullptr;
    std::size_t run_ = 0;
    std::size_t place_ = 0;
  };

  IndexRuns() = default;
  IndexRuns(std::initializer_list<std::size_t> indexes) {
    for (const std::size_t index : indexes) push_back(index);
  }

  /// REQUIRES: `index` is larger than all numbers in the list.
  void push_back(std::size_t index) {
    if (runs_.empty() || index != end_) {
      runs_.push_back({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(size_)});
    }
    end_ = index + 1;
    ++size_;
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t front() const { return runs_.front().first; }
  /// The number at `place`, in time logarithmic in the number of runs. REQUIRES: place < size().
  [[nodiscard]] std::size_t operator[](std::size_t place) const {
    const auto after = std::ranges::upper_bound(runs_, place, {}, &Run::place);
    const Run& run = *std::prev(after);
    return run.first + (place - run.place);
  }
  [[nodiscard]] bool contains(std::size_t index) const {
    const auto after = std::ranges::upper_bound(runs_, index, {}, &Run::first);
    if (after == runs_.begin()) return false;
    const std::size_t next = after == runs_.end() ? size_ : after->place;
    const Run& run = *std::prev(after);
    return index - run.first < next - run.place;
  }
  [[nodiscard]] Iterator begin() const { return {this, 0, 0}; }
  [[nodiscard]] Iterator end() const { return {this, 0, size_}; }

  friend bool operator==(const IndexRuns&, const IndexRuns&) = default;

 private:
  struct Run {
    std::uint32_t first;
    std::uint32_t place;  // position of `first` in the list; the run ends where the next one begins

    friend bool operator==(const Run&, const Run&) = default;
  };

  std::vector<Run> runs_;
  std::size_t size_ = 0;
  std::size_t end_ = 0;  // one past the last number
};

}  // namespace dsdoctor::base
