#pragma once

#include <memory>
#include <utility>

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

}  // namespace dsdoctor::model
