// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <compare>
#include <optional>

namespace dsdoctor::model {

/// UTC. The API writes whole seconds for most times, microseconds for events and leases.
using Time = std::chrono::sys_time<std::chrono::microseconds>;

/// An optional time in the size of a time, because objects have many of them. Has the interface of
/// a std::optional; an absent time is less than all others. Time::min(), which no object can
/// contain, means absent.
class OptionalTime {
 public:
  constexpr OptionalTime() = default;
  // Implicit on purpose, as in std::optional.
  constexpr OptionalTime(std::nullopt_t /*nothing*/) {}  // NOLINT(*-explicit-*)
  constexpr OptionalTime(Time time) : time_(time) {}     // NOLINT(*-explicit-*)
  constexpr OptionalTime(std::optional<Time> time)       // NOLINT(*-explicit-*)
      : time_(time.value_or(Time::min())) {}
  constexpr operator std::optional<Time>() const {  // NOLINT(*-explicit-*)
    return has_value() ? std::optional(time_) : std::nullopt;
  }

  [[nodiscard]] constexpr bool has_value() const { return time_ != Time::min(); }
  constexpr explicit operator bool() const { return has_value(); }
  /// REQUIRES: has_value().
  [[nodiscard]] constexpr const Time& operator*() const { return time_; }
  [[nodiscard]] constexpr const Time* operator->() const { return &time_; }
  [[nodiscard]] constexpr Time value_or(Time other) const { return has_value() ? time_ : other; }

  constexpr void reset() { time_ = Time::min(); }

  friend constexpr bool operator==(const OptionalTime& a, const OptionalTime& b) {
    return a.time_ == b.time_;
  }
  friend constexpr std::strong_ordering operator<=>(const OptionalTime& a, const OptionalTime& b) {
    return a.time_.time_since_epoch().count() <=> b.time_.time_since_epoch().count();
  }

 private:
  Time time_ = Time::min();
};

}  // namespace dsdoctor::model
