// SPDX-License-Identifier: Apache-2.0
#include "base/time.h"

#include <catch2/catch.hpp>

using namespace dsdoctor::base;
using namespace std::chrono_literals;

namespace {

constexpr Time moment = std::chrono::sys_days{std::chrono::year{2026} / 11 / 21} + 2h + 39min + 9s;

}  // namespace

TEST_CASE("RFC 3339 is parsed", "[time]") {
  CHECK(parse_rfc3339("2026-11-21T02:39:09Z") == moment);
  CHECK(parse_rfc3339("2026-11-21t02:39:09.5z") == moment + 500ms);
  CHECK(parse_rfc3339("2026-11-21 04:39:09.123456789+02:00") == moment + 123456us);
  CHECK(parse_rfc3339("2026-11-20T22:09:09-04:30") == moment);
  for (const char* bad :
       {"", "2026-11-21", "2026-13-21T02:39:09Z", "2026-02-29T02:39:09Z", "2026-11-21T02:39:09",
        "2026-11-21T02:39:09ZZ", "x026-11-21T02:39:09Z", "2026-11-21T24:39:09Z",
        "2026-11-21T02:60:09Z", "2026-11-21T02:39:61Z", "2026-11-21T02:39:09.Z",
        "2026-11-21T02:39:09+2:00", "2026-11-21T02:39:09+24:00", "-026-11-21T02:39:09Z"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_rfc3339(bad));
  }
}

TEST_CASE("times are written in each format", "[time]") {
  CHECK(rfc3339(moment) == "2026-11-21T02:39:09Z");
  CHECK(rfc3339(moment + 5us) == "2026-11-21T02:39:09.000005Z");
  CHECK(rfc3339_seconds(moment + 999ms) == "2026-11-21T02:39:09Z");
  CHECK(rfc3339(Time::max()).starts_with("9999-12-31T23:59:59"));
  CHECK(rfc3339_seconds(Time::min()) == "0000-01-01T00:00:00Z");
  CHECK(utc_text(moment) == "2026-11-21 02:39:09 UTC");
  CHECK(compact_time(moment) == "20261121T023909Z");
}

TEST_CASE("ages and spans are rounded down", "[time]") {
  CHECK(age_text(moment - 119s, moment) == "119s");
  CHECK(age_text(moment - 2min, moment) == "2m");
  CHECK(age_text(moment - 47h, moment) == "47h");
  CHECK(age_text(moment - 24h * 729, moment) == "729d");
  CHECK(age_text(moment - 24h * 800, moment) == "2y70d");
  CHECK(age_text(moment + 5min, moment) == "0s");
  CHECK(span_text(-1s) == "0s");
  CHECK(span_text(1s) == "1s");
  CHECK(span_text(70s) == "70s");
  CHECK(span_text(190s) == "3m10s");
  CHECK(span_text(70min) == "70m");
  CHECK(span_text(47h) == "47h");
  CHECK(span_text(49h) == "2d1h");
  CHECK(span_text(24h * 8 + 2h) == "8d");
  CHECK(span_text(24h * 367) == "367d");
  CHECK(span_text(24h * (365 * 2 + 25)) == "2y25d");
  CHECK(span_text(24h * (365 * 8 + 2)) == "8y");
  CHECK(span_text(3h) == "3h");
  CHECK(span_text(7h + 5min) == "7h5m");
  CHECK(span_text(119min) == "119m");
}
