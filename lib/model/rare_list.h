// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace dsdoctor::model {

/// A list that is empty in most objects, in the size of a pointer. Has the interface of a
/// std::vector.
template <typename T>
class RareList {
 public:
  using value_type = T;

  RareList() = default;
  // Implicit on purpose: usable wherever a std::vector is.
  RareList(std::vector<T> items) {  // NOLINT(*-explicit-*)
    if (!items.empty()) items_ = std::make_unique<std::vector<T>>(std::move(items));
  }
  RareList(std::initializer_list<T> items) : RareList(std::vector<T>(items)) {}
  RareList(const RareList& other) {
    if (other.items_) items_ = std::make_unique<std::vector<T>>(*other.items_);
  }
  RareList(RareList&& other) noexcept = default;
  RareList& operator=(RareList other) noexcept {
    std::swap(items_, other.items_);
    return *this;
  }
  ~RareList() = default;

  [[nodiscard]] std::size_t size() const { return items_ ? items_->size() : 0; }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] const T* begin() const { return items_ ? items_->data() : nullptr; }
  [[nodiscard]] const T* end() const { return begin() + size(); }
  [[nodiscard]] T* begin() { return items_ ? items_->data() : nullptr; }
  [[nodiscard]] T* end() { return begin() + size(); }
  [[nodiscard]] const T& operator[](std::size_t at) const { return (*items_)[at]; }
  [[nodiscard]] T& operator[](std::size_t at) { return (*items_)[at]; }
  [[nodiscard]] const T& front() const { return items_->front(); }

  T& emplace_back() { return own().emplace_back(); }
  void push_back(T item) { own().push_back(std::move(item)); }
  void clear() { items_.reset(); }

  friend bool operator==(const RareList& a, const RareList& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  std::vector<T>& own() {
    if (!items_) items_ = std::make_unique<std::vector<T>>();
    return *items_;
  }

  std::unique_ptr<std::vector<T>> items_;  // null if empty
};

}  // namespace dsdoctor::model
