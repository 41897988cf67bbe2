#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

/// Times as Kubernetes and people write them; all of them are UTC.
namespace dsdoctor::base {

using Time = std::chrono::sys_time<std::chrono::microseconds>;

/// RFC 3339: `2026-11-21T02:39:09Z`, with fraction and offset; digits beyond microseconds are read
/// past. Null if the text is not RFC 3339.
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

/// A duration as kubectl prints ages: `45s`, `5m30s`, `12m`, `3h5m`, `36h`, `5d2h`, `20d`, `2y40d`.
/// Rounded down, never negative.
/// Source of truth: HumanDuration, k8s.io/apimachinery/pkg/util/duration/duration.go.
[[nodiscard]] std::string span_text(Time::duration span);
/// The age at `now` of what began at `since`, in the same format.
[[nodiscard]] std::string age_text(Time since, Time now);

}  // namespace dsdoctor::base
