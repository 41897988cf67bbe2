// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

namespace dsdoctor::model {

/// An immutable value that many objects have in common, in the size of a pointer: the pods of one
/// DaemonSet share their containers. Reference-counted; compares by content; a default Shared is a
/// default T. Threads may use different Shareds of the same value.
template <typename T>
class Shared {
 public:
  Shared() = default;
  // Implicit on purpose: a Shared<T> is usable wherever a T is.
  Shared(T value) : held_(new Held{std::move(value)}) {}  // NOLINT(*-explicit-*)

  Shared(const Shared& other) noexcept : held_(other.held_) {
    if (held_ != nullptr) held_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  Shared(Shared&& other) noexcept : held_(std::exchange(other.held_, nullptr)) {}
  Shared& operator=(Shared other) noexcept {
    std::swap(held_, other.held_);
    return *this;
  }
  ~Shared() {
    if (held_ != nullptr && held_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      // The analyzer believes that the content of an optional is destroyed twice.
      delete held_;  // NOLINT(clang-analyzer-cplusplus.NewDelete)
    }
  }

  [[nodiscard]] const T& operator*() const { return held_ != nullptr ? held_->value : empty(); }
  [[nodiscard]] const T* operator->() const { return &**this; }
  /// The value for modification; copied first if others share it.
  [[nodiscard]] T& own() {
    if (held_ == nullptr || held_->owners.load(std::memory_order_acquire) != 1) *this = T(**this);
    return held_->value;
  }
  /// Reports whether both share one value, not only equal ones.
  [[nodiscard]] bool is_same(const Shared& other) const { return held_ == other.held_; }

  friend bool operator==(const Shared& a, const Shared& b) { return a.is_same(b) || *a == *b; }

 private:
  struct Held {
    T value;
    std::atomic<std::uint32_t> owners = 1;
  };

  static const T& empty() {
    static const T value{};
    return value;
  }

  Held* held_ = nullptr;  // null for the default value; shared by equal objects
};

/// An optional value that is rare or common to many objects, in the size of a pointer. Has the
/// interface of a std::optional. Copies share the value until one of them is changed. Compares by
/// content. Threads may use different objects that share a value.
template <typename T>
class SharedOptional {
 public:
  SharedOptional() = default;
  // Implicit on purpose, as in std::optional.
  SharedOptional(std::nullopt_t /*nothing*/) {}                           // NOLINT(*-explicit-*)
  SharedOptional(T value) : held_(std::optional<T>(std::move(value))) {}  // NOLINT(*-explicit-*)
  SharedOptional(std::optional<T> value) {                                // NOLINT(*-explicit-*)
    if (value) held_ = std::move(value);
  }
  operator std::optional<T>() const { return *held_; }  // NOLINT(*-explicit-*)

  [[nodiscard]] bool has_value() const { return held_->has_value(); }
  explicit operator bool() const { return has_value(); }
  /// REQUIRES: has_value().
  [[nodiscard]] const T& operator*() const { return **held_; }
  [[nodiscard]] const T* operator->() const { return &**held_; }
  /// The value for modification; copied first if shared. REQUIRES: has_value().
  [[nodiscard]] T& operator*() { return *held_.own(); }
  [[nodiscard]] T* operator->() { return &*held_.own(); }
  [[nodiscard]] T value_or(T other) const { return has_value() ? **this : std::move(other); }
  T& emplace() {
    held_ = std::optional<T>(std::in_place);
    return **this;
  }
  void reset() { held_ = {}; }
  /// Reports whether both share one value, not only equal ones.
  [[nodiscard]] bool is_same(const SharedOptional& other) const {
    return held_.is_same(other.held_);
  }

  friend bool operator==(const SharedOptional&, const SharedOptional&) = default;

 private:
  Shared<std::optional<T>> held_;
};

/// An immutable list that many objects have in common. Compares by content; empty by default.
template <typename T>
class SharedList {
 public:
  SharedList() = default;
  // Implicit on purpose, as in Shared.
  SharedList(std::vector<T> items) {  // NOLINT(*-explicit-*)
    if (!items.empty()) items_ = std::move(items);
  }
  SharedList(std::initializer_list<T> items) : SharedList(std::vector<T>(items)) {}

  [[nodiscard]] auto begin() const { return (*items_).begin(); }
  [[nodiscard]] auto end() const { return (*items_).end(); }
  [[nodiscard]] bool empty() const { return (*items_).empty(); }
  [[nodiscard]] std::size_t size() const { return (*items_).size(); }
  [[nodiscard]] const T& operator[](std::size_t at) const { return (*items_)[at]; }
  [[nodiscard]] const T& front() const { return (*items_).front(); }
  [[nodiscard]] const std::vector<T>& items() const { return *items_; }

  friend bool operator==(const SharedList&, const SharedList&) = default;

 private:
  Shared<std::vector<T>> items_;
};

}  // namespace dsdoctor::model
