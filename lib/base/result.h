// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <utility>
#include <variant>

#include "base/error.h"

namespace dsdoctor::base {

/// A value or an Error. Has the interface of std::expected, so that replacing it later is
/// mechanical; `[[nodiscard]]`, so that no error is dropped by accident.
template <typename T>
class [[nodiscard]] Result {
 public:
  // Implicit on purpose: allows `return value;` and `return Error{...};`.
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
