// SPDX-License-Identifier: Apache-2.0
#include "base/time.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/text.h"

namespace dsdoctor::base {
namespace {

namespace chrono = std::chrono;

constexpr std::int64_t minute = 60;
constexpr std::int64_t hour = 60 * minute;
constexpr std::int64_t day = 24 * hour;
constexpr std::int64_t year = 365 * day;

/// Reads a text from the front, piece by piece.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool is_at_end() const { return rest_.empty(); }

  /// Consumes the next character if it is one of `any_of`.
  bool take(std::string_view any_of) {
    if (rest_.empty() || any_of.find(rest_.front()) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }
  /// The next `count` digits; -1 when there are fewer.
  int number(std::size_t count) {
    if (rest_.size() < count || !is_number(rest_.substr(0, count))) return -1;
    int value = 0;
    for (const char c : rest_.substr(0, count)) value = value * 10 + (c - '0');
    rest_.remove_prefix(count);
    return value;
  }
  /// ".123456789" as microseconds; 0 without a fraction, -1 for a dot without digits.
  std::int64_t fraction() {
    if (!take(".")) return 0;
    std::int64_t micros = 0;
    std::int64_t unit = 100'000;
    const std::size_t before = rest_.size();
    for (; !rest_.empty() && is_digit(rest_.front()); rest_.remove_prefix(1), unit /= 10) {
      micros += (rest_.front() - '0') * unit;
    }
    return rest_.size() == before ? -1 : micros;
  }
  /// "Z" or "+02:00".
  std::optional<chrono::minutes> offset() {
    if (take("Zz")) return chrono::minutes(0);
    const bool west = rest_.starts_with('-');
    if (!take("+-")) return std::nullopt;
    const int hours = number(2);
    if (!take(":")) return std::nullopt;
    const int minutes = number(2);
    if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return std::nullopt;
    return chrono::minutes((west ? -1 : 1) * (hours * 60 + minutes));
  }

 private:
  std::string_view rest_;
};

bool is_within(int value, int most) { return value >= 0 && value <= most; }

std::int64_t seconds_of(Time::duration span) {
  return std::max<std::int64_t>(0, chrono::floor<chrono::seconds>(span).count());
}

/// `pattern` gets year, month, day, hour, minute and second.
std::string formatted(Time time, fmt::string_view pattern) {
  constexpr Time first = chrono::sys_days(chrono::year(0) / 1 / 1);
  constexpr Time last = chrono::sys_days(chrono::year(9999) / 12 / 31) + chrono::seconds(day - 1);
  time = std::clamp(time, first, last);
  const auto midnight = chrono::floor<chrono::days>(time);
  const chrono::year_month_day date(midnight);
  const chrono::hh_mm_ss clock(chrono::floor<chrono::seconds>(time - midnight));
  return fmt::format(fmt::runtime(pattern), int(date.year()), unsigned(date.month()),
                     unsigned(date.day()), clock.hours().count(), clock.minutes().count(),
                     clock.seconds().count());
}

}  // namespace

std::optional<Time> parse_rfc3339(std::string_view text) {
  Reader reader(text);
  const int years = reader.number(4);
  if (!reader.take("-")) return std::nullopt;
  const int month = reader.number(2);
  if (!reader.take("-")) return std::nullopt;
  const int day_of_month = reader.number(2);
  if (!reader.take("Tt ")) return std::nullopt;
  const int hours = reader.number(2);
  if (!reader.take(":")) return std::nullopt;
  const int minutes = reader.number(2);
  if (!reader.take(":")) return std::nullopt;
  const int seconds = reader.number(2);
  const std::int64_t micros = reader.fraction();
  const auto offset = reader.offset();
  if (years < 0 || month < 1 || day_of_month < 1 || !is_within(hours, 23) ||
      !is_within(minutes, 59) || !is_within(seconds, 60) || micros < 0 || !offset ||
      !reader.is_at_end()) {
    return std::nullopt;
  }
  const chrono::year_month_day date{chrono::year(years), chrono::month(unsigned(month)),
                                    chrono::day(unsigned(day_of_month))};
  if (!date.ok()) return std::nullopt;
  return Time(chrono::sys_days(date)) + chrono::hours(hours) + chrono::minutes(minutes) - *offset +
         chrono::seconds(seconds) + chrono::microseconds(micros);
}

std::string rfc3339_seconds(Time time) {
  return formatted(time, "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z");
}

std::string rfc3339(Time time) {
  const auto micros = (time - chrono::floor<chrono::seconds>(time)).count();
  std::string result = rfc3339_seconds(time);
  if (micros != 0) result.insert(result.size() - 1, fmt::format(".{:06}", micros));
  return result;
}

std::string utc_text(Time time) {
  return formatted(time, "{:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC");
}

std::string compact_time(Time time) { return formatted(time, "{:04}{:02}{:02}T{:02}{:02}{:02}Z"); }

std::string span_text(Time::duration span) {
  const std::int64_t seconds = seconds_of(span);
  const auto two = [](std::int64_t count, char unit, std::int64_t rest, char smaller) {
    return rest == 0 ? fmt::format("{}{}", count, unit)
                     : fmt::format("{}{}{}{}", count, unit, rest, smaller);
  };
  if (seconds < 2 * minute) return fmt::format("{}s", seconds);
  if (seconds < 10 * minute) return two(seconds / minute, 'm', seconds % minute, 's');
  if (seconds < 3 * hour) return fmt::format("{}m", seconds / minute);
  if (seconds < 8 * hour) return two(seconds / hour, 'h', seconds % hour / minute, 'm');
  if (seconds < 2 * day) return fmt::format("{}h", seconds / hour);
  if (seconds < 8 * day) return two(seconds / day, 'd', seconds % day / hour, 'h');
  if (seconds < 2 * year) return fmt::format("{}d", seconds / day);
  if (seconds < 8 * year) return two(seconds / year, 'y', seconds % year / day, 'd');
  return fmt::format("{}y", seconds / year);
}

std::string age_text(Time since, Time now) { return span_text(now - since); }

}  // namespace dsdoctor::base
