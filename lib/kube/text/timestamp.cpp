#include "kube/text/timestamp.h"

#include <fmt/format.h>

#include <charconv>

namespace dsdoctor::kube {
namespace {

/// The next `count` digits; -1 when there are fewer.
int take_digits(std::string_view& text, std::size_t count) {
  if (text.size() < count) return -1;
  int value = 0;
  for (const char c : text.substr(0, count)) {
    if (c < '0' || c > '9') return -1;
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

/// `.123456`; further digits are read past. Microseconds, 0 when absent, -1 when broken.
long take_fraction(std::string_view& text) {
  if (!take(text, '.')) return 0;
  long value = 0;
  int digits = 0;
  for (; !text.empty() && text.front() >= '0' && text.front() <= '9'; text.remove_prefix(1)) {
    if (digits++ < 6) value = value * 10 + (text.front() - '0');
  }
  for (int i = digits; i < 6; ++i) value *= 10;
  return digits == 0 ? -1 : value;
}

std::optional<std::chrono::minutes> take_offset(std::string_view& text) {
  if (take(text, 'Z') || take(text, 'z')) return std::chrono::minutes(0);
  const bool west = !text.empty() && text.front() == '-';
  if (!take(text, '+') && !take(text, '-')) return std::nullopt;
  const int hours = take_digits(text, 2);
  const bool colon = take(text, ':');
  const int minutes = take_digits(text, 2);
  if (hours < 0 || hours > 23 || !colon || minutes < 0 || minutes > 59) return std::nullopt;
  const std::chrono::minutes offset(hours * 60 + minutes);
  return west ? -offset : offset;
}

}  // namespace

std::optional<TimePoint> parse_timestamp(std::string_view text) {
  using namespace std::chrono;
  const int year_number = take_digits(text, 4);
  const bool first = take(text, '-');
  const int month_number = take_digits(text, 2);
  const bool second = take(text, '-');
  const int day_number = take_digits(text, 2);
  if (!first || !second || month_number < 0 || day_number < 0) return std::nullopt;
  const year_month_day date(year(year_number), month(static_cast<unsigned>(month_number)),
                            day(static_cast<unsigned>(day_number)));
  if (!date.ok() || (!take(text, 'T') && !take(text, 't'))) return std::nullopt;
  const int hour_number = take_digits(text, 2);
  const bool third = take(text, ':');
  const int minute_number = take_digits(text, 2);
  const bool fourth = take(text, ':');
  const int second_number = take_digits(text, 2);
  const long fraction = take_fraction(text);
  const auto offset = take_offset(text);
  if (!third || !fourth || hour_number < 0 || hour_number > 23 || minute_number < 0 ||
      minute_number > 59 || second_number < 0 || second_number > 60 || fraction < 0 || !offset ||
      !text.empty()) {
    return std::nullopt;
  }
  return sys_days(date) + hours(hour_number) + minutes(minute_number) + seconds(second_number) +
         microseconds(fraction) - *offset;
}

std::string to_timestamp(TimePoint time) {
  using namespace std::chrono;
  const auto midnight = floor<days>(time);
  const year_month_day date(midnight);
  const hh_mm_ss clock(floor<seconds>(time - midnight));
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

}  // namespace dsdoctor::kube
