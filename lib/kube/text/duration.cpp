// SPDX-License-Identifier: Apache-2.0
#include "kube/text/duration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>

#include "base/text.h"

namespace dsdoctor::kube {
namespace {

using std::chrono::milliseconds;

// About 31 years: keeps the sum of all parts far from overflow.
constexpr double max_milliseconds = 1e12;

struct Unit {
  std::string_view name;
  double milliseconds;
};
// A longer name precedes its prefix.
constexpr std::array<Unit, 8> units{{{"ns", 1e-6},
                                     {"us", 1e-3},
                                     {"\u00b5s", 1e-3},
                                     {"\u03bcs", 1e-3},
                                     {"ms", 1.0},
                                     {"s", 1e3},
                                     {"m", 60e3},
                                     {"h", 3600e3}}};

std::optional<milliseconds> parse_go_duration(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  double total = 0;
  while (!text.empty()) {
    // from_chars also reads a sign, `inf` and `nan`.
    if (!base::is_digit(text.front()) && text.front() != '.') return std::nullopt;
    double number = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    const auto unit =
        std::ranges::find_if(units, [&](const Unit& u) { return text.starts_with(u.name); });
    if (unit == units.end()) return std::nullopt;
    text.remove_prefix(unit->name.size());
    total += number * unit->milliseconds;
    if (total > max_milliseconds) return std::nullopt;
  }
  // Rounded up, since zero would mean "no limit".
  const auto rounded = static_cast<std::int64_t>(std::ceil(total));
  return milliseconds(negative ? -rounded : rounded);
}

}  // namespace

base::Result<milliseconds> parse_request_timeout(std::string_view text) {
  if (text.empty() || text == "0") return milliseconds(0);
  const std::string_view number = text.starts_with('+') ? text.substr(1) : text;
  if (base::is_number(number)) {
    constexpr auto most = static_cast<std::int64_t>(max_milliseconds / 1000);
    const std::int64_t seconds = base::to_number<std::int64_t>(number).value_or(most);
    return milliseconds(std::min(seconds, most) * 1000);
  }
  if (const auto duration = parse_go_duration(text)) {
    return std::max(*duration, milliseconds(0));
  }
  return base::Error{base::ErrorKind::Usage, "--request-timeout",
                     "Invalid timeout value. Timeout must be a single integer in seconds, or an "
                     "integer followed by a corresponding time unit (e.g. 1s | 2m | 3h)"};
}

std::string to_go_duration(milliseconds duration) {
  const std::int64_t total = duration.count();
  if (total == 0) return "0s";
  if (total < 1000) return fmt::format("{}ms", total);
  const std::int64_t hours = total / 3'600'000;
  const std::int64_t minutes = total / 60'000 % 60;
  std::string seconds = fmt::format("{}.{:03}", total / 1000 % 60, total % 1000);
  seconds.erase(seconds.find_last_not_of('0') + 1);
  if (seconds.back() == '.') seconds.pop_back();
  if (hours > 0) return fmt::format("{}h{}m{}s", hours, minutes, seconds);
  if (minutes > 0) return fmt::format("{}m{}s", minutes, seconds);
  return seconds + "s";
}

}  // namespace dsdoctor::kube
