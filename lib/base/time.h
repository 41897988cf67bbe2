// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

/// Times in the formats of Kubernetes and for people; all are UTC.
namespace dsdoctor::base {

using Time = std::chrono::sys_time<std::chrono::microseconds>;

/// Parses RFC 3339: `2026-11-21T02:39:09Z`, with fraction and offset; digits beyond microseconds
/// are ignored. Null if the text is not RFC 3339.
[[nodiscard]] std::optional<Time> parse_rfc3339(std::string_view text);

/// `2026-11-21T02:36:11Z`, with six digits of a fraction unless it is 0. `parse_rfc3339` reads it
/// back. Times outside the years 0 to 9999 are clamped.
[[nodiscard]] std::string rfc3339(Time time);
/// The same without a fraction.
[[nodiscard]] std::string rfc3339_seconds(Time time);
/// `2026-11-21 02:36:11 UTC`, for people.
[[nodiscard]] std::string utc_text(Time time);
/// `20261121T023611Z`, for file names.
[[nodiscard]] std::string compact_time(Time time);

/// A duration as kubectl prints ages: `45s`, `5m30s`, `12m`, `3h5m`, `36h`, `5d2h`, `20d`, `2y40d`.
/// Rounded down, never negative.
/// Source of truth: HumanDuration, k8s.io/apimachinery/pkg/util/duration/duration.go.
[[nodiscard]] std::string span_text(Time::duration span);
/// The time from `since` to `now` in the same format.
[[nodiscard]] std::string age_text(Time since, Time now);

}  // namespace dsdoctor::base
