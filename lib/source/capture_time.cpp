// SPDX-License-Identifier: Apache-2.0
#include "source/capture_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/text.h"
#include "base/time.h"
#include "decode/listed/object_times.h"

namespace dsdoctor::source {
namespace {

using namespace std::chrono_literals;
using MaybeTime = model::OptionalTime;

constexpr auto clock_skew = 10min;
// Heartbeats arrive every five minutes. Without them, the newest time is that of the last change,
// and the files may be newer.
constexpr auto fresh_by_heartbeat = 10min;
constexpr auto fresh_by_change = 1h;
constexpr auto longest_collection = 24h;

void take(MaybeTime& newest, const MaybeTime& time) {
  if (time && (!newest || *time > *newest)) newest = time;
}

decode::NewestTimes newest_in(const model::Cluster& cluster, model::Time present) {
  decode::NewestTimes found(present + clock_skew);
  found.read_all(cluster);
  if (!found.any()) {  // all times are in the future: our own clock is wrong
    found = decode::NewestTimes(model::Time::max());
    found.read_all(cluster);
  }
  return found;
}

constexpr std::size_t date_and_time = 19;  // 2006-01-02T15:04:05

/// Parses the time at the beginning of a text: "2006-01-02T15:04:05.5+02:00", or followed by "
/// +0200 CEST" as Go prints it; UTC if it has no offset.
MaybeTime time_at(std::string_view text) {
  std::string time(text.substr(0, date_and_time));
  text.remove_prefix(date_and_time);
  if (time[10] == ' ') time[10] = 'T';
  if (text.starts_with('.')) {
    text.remove_prefix(std::min(text.find_first_not_of("0123456789", 1), text.size()));
  }
  if (text.starts_with(' ')) text.remove_prefix(1);
  constexpr std::size_t sign_and_hours = 3;
  const bool offset = text.size() > sign_and_hours + 1 && (text[0] == '+' || text[0] == '-');
  if (!offset) return base::parse_rfc3339(time + "Z");
  const std::string_view minutes = text.substr(text[sign_and_hours] == ':' ? 4 : 3, 2);
  return base::parse_rfc3339(fmt::format("{}{}:{}", time, text.substr(0, sign_and_hours), minutes));
}

}  // namespace

MaybeTime newest_time_in(std::string_view text) {
  MaybeTime newest;
  for (std::size_t at = text.find("20"); at != text.npos; at = text.find("20", at + 2)) {
    if (text.size() - at < date_and_time) break;
    take(newest, time_at(text.substr(at)));
  }
  return newest;
}

MaybeTime newest_time_of(const model::Cluster& cluster, model::Time present) {
  return newest_in(cluster, present).any();
}

MaybeTime capture_time(const model::Cluster& cluster, MaybeTime collector, model::Time present) {
  const decode::NewestTimes found = newest_in(cluster, present);
  MaybeTime newest = found.any();
  if (!newest) return std::nullopt;
  MaybeTime heartbeat = found.heartbeat();
  if (collector && *collector >= *newest && *collector < *newest + longest_collection) {
    newest = heartbeat = collector;
  }
  const auto fresh = heartbeat ? model::Time::duration(fresh_by_heartbeat) : fresh_by_change;
  const bool is_present = *newest + fresh >= present && *newest <= present + clock_skew;
  return is_present ? std::nullopt : newest;
}

}  // namespace dsdoctor::source
