// SPDX-License-Identifier: Apache-2.0
#include "scheduling/quantity.h"

#include <algorithm>
#include <limits>
#include <span>

#include "base/text.h"

namespace dsdoctor::scheduling {
namespace {

constexpr Int128 largest = (((Int128{1} << 126) - 1) << 1) + 1;
constexpr std::int64_t int64_max = std::numeric_limits<std::int64_t>::max();
constexpr int nano_digits = 9;

struct Unit {
  std::string_view suffix;
  int exponent;  // of base 2 or 10
};

constexpr Unit binary_units[] = {{"Ei", 60}, {"Pi", 50}, {"Ti", 40},
                                 {"Gi", 30}, {"Mi", 20}, {"Ki", 10}};
constexpr Unit decimal_units[] = {{"E", 18}, {"P", 15}, {"T", 12}, {"G", 9},  {"M", 6},
                                  {"k", 3},  {"", 0},   {"m", -3}, {"u", -6}, {"n", -9}};

using base::is_digit;

Int128 times(Int128 a, Int128 b) {
  Int128 result = 0;
  return __builtin_mul_overflow(a, b, &result) ? largest : result;
}

Int128 plus(Int128 a, Int128 b) {
  Int128 result = 0;
  if (!__builtin_add_overflow(a, b, &result)) return result;
  return a > 0 ? largest : -largest;
}

Int128 power_of_ten(int exponent) {
  Int128 result = 1;
  for (int i = 0; i < exponent && result != largest; ++i) result = times(result, 10);
  return result;
}

/// An unsigned decimal number: `digits` times ten to the power of `exponent`.
struct Decimal {
  Int128 digits = 0;
  long exponent = 0;
  bool inexact = false;  // digits that did not fit were dropped, and not all of them were zero
};

/// Removes a number such as "12.50" from the front of `text`; digits may be missing on either side
/// of the point.
Decimal take_decimal(std::string_view& text) {
  Decimal result;
  bool fraction = false;
  std::size_t i = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.' && !fraction) {
      fraction = true;
      continue;
    }
    if (!is_digit(c)) break;
    if (result.digits < largest / 10) {
      result.digits = result.digits * 10 + (c - '0');
      result.exponent -= fraction ? 1 : 0;
    } else {
      result.inexact = result.inexact || c != '0';
      result.exponent += fraction ? 0 : 1;
    }
  }
  text.remove_prefix(i);
  return result;
}

struct Suffix {
  Quantity::Format format = Quantity::Format::Decimal;
  long exponent = 0;  // of base 2 for Format::Binary, else of base 10
};

/// Parses an exponent such as "e5", "E-3" or "e+2"; clamps it to a range beyond which the result
/// does not change.
std::optional<long> exponent_of(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  if (text.empty() || !std::ranges::all_of(text, is_digit)) return std::nullopt;
  long result = 0;
  for (const char c : text) result = std::min(result * 10 + (c - '0'), 1000L);
  return negative ? -result : result;
}

std::optional<Suffix> suffix_of(std::string_view text) {
  for (const Unit& unit : decimal_units) {
    if (text == unit.suffix) return Suffix{Quantity::Format::Decimal, unit.exponent};
  }
  for (const Unit& unit : binary_units) {
    if (text == unit.suffix) return Suffix{Quantity::Format::Binary, unit.exponent};
  }
  if (text.size() < 2 || (text.front() != 'e' && text.front() != 'E')) return std::nullopt;
  const auto exponent = exponent_of(text.substr(1));
  if (!exponent) return std::nullopt;
  return Suffix{Quantity::Format::Exponent, *exponent};
}

/// `number` times ten to the power of `exponent`, rounded up.
Int128 scaled(const Decimal& number, long exponent) {
  exponent += number.exponent;
  if (number.digits == 0) return 0;
  if (exponent > 0) return times(number.digits, power_of_ten(static_cast<int>(exponent)));
  // The largest 128-bit number has 39 digits.
  if (exponent < -38) return 1;
  const Int128 divisor = power_of_ten(static_cast<int>(-exponent));
  const bool rest = number.digits % divisor != 0 || number.inexact;
  return plus(number.digits / divisor, rest ? 1 : 0);
}

/// Billionths of a number with a binary suffix, rounded up; digits are dropped so that the product
/// fits.
Int128 binary_nanos(const Decimal& number, long exponent) {
  Decimal product = number;
  while (product.digits > largest >> exponent) {
    product.inexact = product.inexact || product.digits % 10 != 0;
    product.digits /= 10;
    ++product.exponent;
  }
  product.digits <<= exponent;
  return std::min(scaled(product, nano_digits), times(int64_max, power_of_ten(nano_digits)));
}

std::span<const Unit> units_of(Quantity::Format format) {
  if (format == Quantity::Format::Binary) return binary_units;
  return decimal_units;
}

/// Billionths in a unit.
Int128 nanos_in(const Unit& unit, Quantity::Format format) {
  if (format != Quantity::Format::Binary) return power_of_ten(unit.exponent + nano_digits);
  return times(Int128{1} << unit.exponent, power_of_ten(nano_digits));
}

std::string digits_of(Int128 number) {
  if (number == 0) return "0";
  std::string result;
  for (; number > 0; number /= 10) result.push_back(static_cast<char>('0' + int(number % 10)));
  return {result.rbegin(), result.rend()};
}

/// Formats a number of hundredths: 150 is "1.5".
std::string hundredths(Int128 number) {
  std::string result = digits_of(number / 100);
  const int rest = static_cast<int>(number % 100);
  if (rest == 0) return result;
  result.append(1, '.').append(1, static_cast<char>('0' + rest / 10));
  if (rest % 10 != 0) result.append(1, static_cast<char>('0' + rest % 10));
  return result;
}

/// Index of the largest unit that shows `nanos` without a fraction; the number of units if there is
/// none.
std::size_t exact_unit(Int128 nanos, Quantity::Format format) {
  const auto units = units_of(format);
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (nanos % nanos_in(units[i], format) == 0) return i;
  }
  return units.size();
}

}  // namespace

std::optional<Quantity> Quantity::parse(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const bool negative = text.front() == '-';
  if (negative || text.front() == '+') text.remove_prefix(1);
  const Decimal number = take_decimal(text);
  const auto suffix = suffix_of(text);
  if (!suffix) return std::nullopt;
  const bool binary = suffix->format == Format::Binary;
  const Int128 nanos = binary ? binary_nanos(number, suffix->exponent)
                              : scaled(number, suffix->exponent + nano_digits);
  const bool below_one = binary && nanos > 0 && nanos < nanos_in_one;
  return Quantity(negative ? -nanos : nanos, below_one ? Format::Decimal : suffix->format);
}

std::int64_t Quantity::rounded_to(std::int64_t nanos_in_unit) const {
  const Int128 magnitude = nanos_ < 0 ? -nanos_ : nanos_;
  const Int128 units = magnitude / nanos_in_unit + (magnitude % nanos_in_unit != 0 ? 1 : 0);
  const Int128 capped = std::min(units, Int128{int64_max});
  return static_cast<std::int64_t>(nanos_ < 0 ? -capped : capped);
}

Quantity& Quantity::operator+=(const Quantity& other) {
  if (is_zero()) format_ = other.format_;
  nanos_ = plus(nanos_, other.nanos_);
  return *this;
}

std::string to_string(const Quantity& quantity) {
  const bool negative = quantity.nanos() < 0;
  const Int128 magnitude = negative ? -quantity.nanos() : quantity.nanos();
  if (magnitude == 0) return "0";
  Quantity::Format format = quantity.format();
  std::size_t at = exact_unit(magnitude, format);
  if (at == units_of(format).size()) {  // a binary amount below 1Ki, or with a fraction
    format = Quantity::Format::Decimal;
    at = exact_unit(magnitude, format);
    // Use no decimal unit above 1: a binary amount that is not a multiple of 1024 is a plain
    // number.
    at = std::max(at, std::size_t{6});
  }
  const Unit& unit = units_of(format)[at];
  return (negative ? "-" : "") + digits_of(magnitude / nanos_in(unit, format)) +
         std::string(unit.suffix);
}

std::string to_string_like(const Quantity& quantity, const Quantity& like, Rounding rounding) {
  const bool negative = quantity.nanos() < 0;
  const Int128 magnitude = negative ? -quantity.nanos() : quantity.nanos();
  if (magnitude == 0) return "0";
  const Quantity::Format format = like.format();
  const auto units = units_of(format);
  const Int128 pattern = like.nanos() < 0 ? -like.nanos() : like.nanos();
  for (std::size_t at = exact_unit(pattern, format); at < units.size(); ++at) {
    const Int128 unit = nanos_in(units[at], format);
    const Int128 scaled_up = times(magnitude, 100);
    if (scaled_up < unit) continue;
    const Int128 rest = rounding == Rounding::Up && scaled_up % unit != 0 ? 1 : 0;
    return (negative ? "-" : "") + hundredths(scaled_up / unit + rest) +
           std::string(units[at].suffix);
  }
  return to_string(quantity);
}

}  // namespace dsdoctor::scheduling
