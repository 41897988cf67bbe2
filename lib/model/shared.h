#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace dsdoctor::model {

/// A value that many objects have alike and none changes: the pods of one DaemonSet share their
/// containers. Compares by content; a default one is a default T. Owns its share.
template <typename T>
class Shared {
 public:
  Shared() = default;
  // Implicit on purpose: a Shared<T> stands wherever a T is meant.
  Shared(T value)  // NOLINT(*-explicit-*)
      : value_(std::make_shared<const T>(std::move(value))) {}

  [[nodiscard]] const T& operator*() const { return value_ ? *value_ : empty(); }
  [[nodiscard]] const T* operator->() const { return &**this; }

  friend bool operator==(const Shared& a, const Shared& b) {
    return a.value_ == b.value_ || *a == *b;
  }

 private:
  static const T& empty() {
    static const T value{};
    return value;
  }
  std::shared_ptr<const T> value_;  // null for the default value; shared by equal objects
};

/// A list that many objects have alike and none changes. Compares by content; a default one is
/// empty.
template <typename T>
class SharedList {
 public:
  SharedList() = default;
  // Implicit on purpose, as of Shared.
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
