// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dsdoctor::scheduling {

__extension__ typedef __int128 Int128;  // NOLINT(modernize-use-using)

/// An amount of a resource, exact to a billionth, as Kubernetes parses "500m", "1.5Gi" or "1e3".
/// Larger amounts are clamped to 128 bits of billionths. Source of truth: apimachinery v0.36.2
/// pkg/api/resource/quantity.go: ParseQuantity.
class Quantity {
 public:
  /// Unit system of the text, which is used for printing, too: Ki, k or e3.
  enum class Format { Binary, Decimal, Exponent };

  constexpr Quantity() = default;
  static constexpr Quantity of_units(std::int64_t units, Format format = Format::Decimal) {
    return {Int128{units} * nanos_in_one, format};
  }
  static constexpr Quantity of_millis(std::int64_t millis, Format format = Format::Decimal) {
    return {Int128{millis} * (nanos_in_one / 1000), format};
  }

  /// Absent if Kubernetes rejects the text. Rounds fractions of a billionth away from zero; clamps
  /// amounts with a binary suffix to 2^63-1.
  [[nodiscard]] static std::optional<Quantity> parse(std::string_view text);

  /// Whole units, rounded away from zero and clamped to int64, where Go would wrap around.
  [[nodiscard]] std::int64_t value() const { return rounded_to(nanos_in_one); }
  /// Thousandths, rounded and clamped in the same way. The scheduler counts cpu in them.
  [[nodiscard]] std::int64_t milli_value() const { return rounded_to(nanos_in_one / 1000); }

  [[nodiscard]] Int128 nanos() const { return nanos_; }
  [[nodiscard]] Format format() const { return format_; }
  [[nodiscard]] bool is_zero() const { return nanos_ == 0; }

  /// Keeps the format of the left side unless that is zero, as Kubernetes does.
  Quantity& operator+=(const Quantity& other);

  /// Compares the amounts and ignores the formats.
  friend bool operator==(const Quantity& a, const Quantity& b) { return a.nanos_ == b.nanos_; }
  friend std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) {
    if (a.nanos_ == b.nanos_) return std::strong_ordering::equal;
    return a.nanos_ < b.nanos_ ? std::strong_ordering::less : std::strong_ordering::greater;
  }

 private:
  static constexpr std::int64_t nanos_in_one = 1'000'000'000;

  constexpr Quantity(Int128 nanos, Format format) : nanos_(nanos), format_(format) {}
  [[nodiscard]] std::int64_t rounded_to(std::int64_t nanos_in_unit) const;

  Int128 nanos_ = 0;
  Format format_ = Format::Decimal;
};

/// The quantity in the largest unit of its format that shows it exactly: "1536Mi", "250m".
[[nodiscard]] std::string to_string(const Quantity& quantity);

enum class Rounding { Down, Up };  // towards and away from zero

/// The quantity in the unit of `like`, with at most two decimals, so that a reader can compare the
/// two: 29.99Gi and 30Gi. Uses a smaller unit if the amount is too small.
[[nodiscard]] std::string to_string_like(const Quantity& quantity, const Quantity& like,
                                         Rounding rounding);

}  // namespace dsdoctor::scheduling
