#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

/// Times as Kubernetes and people write them; all of them are UTC.
namespace dsdoctor::base {

using Time = std::chrono::sys_time<std::chrono::microseconds>;

/// RFC 3339: `2026-11-21T02:39:09Z`, with fraction and offset; digits beyond microseconds are read
/// past. Null when it is none.
[[nodiscard]] std::optional<Time> parse_rfc3339(std::string_view text);

/// `2026-11-21T02:36:11Z`, with six digits of a fraction where there is one. `parse_rfc3339` reads
/// it back. Years that it has no digits for become the nearest one.
[[nodiscard]] std::string rfc3339(Time time);
/// The same without a fraction.
[[nodiscard]] std::string rfc3339_seconds(Time time);
/// `2026-11-21 02:36:11 UTC`, for people.
[[nodiscard]] std::string utc_text(Time time);
/// `20261121T023611Z`, for names of files.
[[nodiscard]] std::string compact_time(Time time);

/// Two digits of a unit at least, rounded down, never negative, for columns: `45s`, `12m`, `3h`,
/// `5d`, `2y`.
[[nodiscard]] std::string age_text(Time since, Time now);
/// The same for sentences, without years: `45 s`, `12 min`, `3 h`, `5 d`; `days` may be spelled
/// out.
[[nodiscard]] std::string span_text(Time::duration span, std::string_view days = "d");

}  // namespace dsdoctor::base
