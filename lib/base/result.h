#pragma once

#include <cassert>
#include <utility>
#include <variant>

#include "base/error.h"

namespace dsdoctor::base {

/// A value or an Error. Spelled like std::expected, so that a newer compiler makes the move
/// mechanical; `[[nodiscard]]`, so that an error cannot be dropped unseen.
template <typename T>
class [[nodiscard]] Result {
 public:
  // Implicit on purpose: `return value;` and `return Error{...};` read as what they are.
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT(*-explicit-*)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(*-explicit-*)

  [[nodiscard]] bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  /// REQUIRES: has_value().
  [[nodiscard]] T& operator*() & { return value(); }
  [[nodiscard]] const T& operator*() const& { return value(); }
  [[nodiscard]] T&& operator*() && { return std::move(value()); }
  [[nodiscard]] T* operator->() { return &value(); }
  [[nodiscard]] const T* operator->() const { return &value(); }
  [[nodiscard]] T& value() {
    assert(has_value());
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] const T& value() const {
    assert(has_value());
    return *std::get_if<0>(&state_);
  }

  /// REQUIRES: !has_value().
  [[nodiscard]] const Error& error() const {
    assert(!has_value());
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, Error> state_;
};

/// Success without a value, or an Error.
using Status = Result<std::monostate>;

}  // namespace dsdoctor::base
