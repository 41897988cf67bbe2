// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "model/optional_time.h"
#include "model/shared.h"

namespace dsdoctor::model {

/// The result of a search, which may be empty. Has the interface of a pointer, but owns a value,
/// because a packed list has no complete item to point to.
template <typename T>
class Found {
 public:
  Found() = default;
  // Implicit on purpose, as in std::optional.
  Found(T value) : value_(std::move(value)) {}  // NOLINT(*-explicit-*)

  explicit operator bool() const { return value_.has_value(); }
  /// REQUIRES: something was found.
  [[nodiscard]] const T& operator*() const { return *value_; }
  [[nodiscard]] const T* operator->() const { return &*value_; }

  friend bool operator==(const Found& a, std::nullptr_t) { return !a.value_; }

 private:
  std::optional<T> value_;
};

/// A list of items with a time each, such as the conditions of a pod: those of thousands of pods
/// differ only in the times. A packed list stores the times separately, in four bytes each, and
/// shares the rest. Has the interface of a std::vector; modification first makes an unshared copy.
/// Through a constant reference, items are values that are made on access. Compares by content.
template <typename T, OptionalTime T::*when>
class TimedList {
 public:
  using value_type = T;
  /// The items without their times.
  using Alike = Shared<std::vector<T>>;

  class Iterator {
   public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;
    using reference = T;
    struct Arrow {
      T item;
      const T* operator->() const { return &item; }
    };
    using pointer = Arrow;

    Iterator() = default;
    Iterator(const TimedList& list, std::size_t at) : list_(&list), at_(at) {}

    T operator*() const { return (*list_)[at_]; }
    Arrow operator->() const { return {**this}; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++at_;
      return before;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

   private:
    const TimedList* list_ = nullptr;
    std::size_t at_ = 0;
  };

  TimedList() = default;
  // Implicit on purpose, as in Shared.
  TimedList(std::vector<T> items) {  // NOLINT(*-explicit-*)
    if (!items.empty()) items_ = std::move(items);
  }
  TimedList(std::initializer_list<T> items) : TimedList(std::vector<T>(items)) {}

  TimedList(const TimedList& other) : items_(other.items_) {
    if (!other.times_) return;
    times_ = std::make_unique<Seconds[]>(size());
    std::copy_n(other.times_.get(), size(), times_.get());
  }
  TimedList(TimedList&& other) noexcept = default;
  TimedList& operator=(TimedList other) noexcept {
    std::swap(items_, other.items_);
    std::swap(times_, other.times_);
    return *this;
  }
  ~TimedList() = default;

  [[nodiscard]] std::size_t size() const { return items_->size(); }
  [[nodiscard]] bool empty() const { return items_->empty(); }
  [[nodiscard]] T operator[](std::size_t at) const {
    T item = (*items_)[at];
    if (times_) item.*when = time_of(times_[at]);
    return item;
  }
  [[nodiscard]] T front() const { return (*this)[0]; }
  [[nodiscard]] Iterator begin() const { return {*this, 0}; }
  [[nodiscard]] Iterator end() const { return {*this, size()}; }

  /// The first item for which `is` returns true; `is` sees no time if the list is packed.
  template <typename Is>
  [[nodiscard]] Found<T> find_first(Is&& is) const {
    const auto at = std::ranges::find_if(*items_, is);
    if (at == items_->end()) return {};
    return (*this)[static_cast<std::size_t>(at - items_->begin())];
  }

  // The items for modification; no longer packed or shared.
  [[nodiscard]] std::vector<T>& own() {
    if (times_)
      *this = TimedList(std::vector<T>(std::as_const(*this).begin(), std::as_const(*this).end()));
    return items_.own();
  }
  [[nodiscard]] T& operator[](std::size_t at) { return own()[at]; }
  [[nodiscard]] T& front() { return own().front(); }
  [[nodiscard]] T* begin() { return empty() ? nullptr : own().data(); }
  [[nodiscard]] T* end() { return empty() ? nullptr : own().data() + size(); }
  void push_back(T item) { own().push_back(std::move(item)); }
  T& emplace_back() { return own().emplace_back(); }
  T& emplace_back(T item) { return own().emplace_back(std::move(item)); }
  void resize(std::size_t size) { own().resize(size); }
  void clear() { *this = {}; }

  /// Packs the list, unless a time needs more than four bytes. Shares the items of `last` if they
  /// are equal, else sets `last` to the items of this list.
  void pack(Alike& last) {
    const auto fits = [](const T& item) { return has_seconds(item.*when); };
    if (times_ || empty() || !std::ranges::all_of(*items_, fits)) return;
    std::vector<T>& items = items_.own();
    auto times = std::make_unique<Seconds[]>(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      times[i] = seconds_of(items[i].*when);
      (items[i].*when).reset();
    }
    times_ = std::move(times);
    if (*last == items) {
      items_ = last;
    } else {
      last = items_;
    }
  }
  /// Reports whether both lists are packed and share their items.
  [[nodiscard]] bool shares_with(const TimedList& other) const {
    return times_ && other.times_ && items_.is_same(other.items_);
  }

  friend bool operator==(const TimedList& a, const TimedList& b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
  }

 private:
  using Seconds = std::uint32_t;  // since 1970; 0: absent

  static bool has_seconds(const OptionalTime& time) {
    if (!time) return true;
    const auto since = time->time_since_epoch();
    const auto whole = std::chrono::floor<std::chrono::seconds>(since);
    return whole == since && whole.count() > 0 &&
           whole.count() <= std::int64_t{std::numeric_limits<Seconds>::max()};
  }
  static Seconds seconds_of(const OptionalTime& time) {
    if (!time) return 0;
    return static_cast<Seconds>(
        std::chrono::floor<std::chrono::seconds>(time->time_since_epoch()).count());
  }
  static OptionalTime time_of(Seconds seconds) {
    if (seconds == 0) return {};
    return Time(std::chrono::seconds(seconds));
  }

  Alike items_;
  std::unique_ptr<Seconds[]> times_;  // of each item if packed
};

}  // namespace dsdoctor::model
