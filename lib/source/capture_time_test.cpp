// SPDX-License-Identifier: Apache-2.0

// Files show the state at the time when they were written.
#include "source/capture_time.h"

#include <catch2/catch.hpp>

#include "base/time.h"

using namespace dsdoctor;
using namespace std::chrono_literals;
using source::capture_time;

namespace {

model::Time at(std::string_view text) { return *base::parse_rfc3339(text); }

const model::Time present = at("2026-11-21T12:00:00Z");

model::Cluster with_heartbeat(model::Time time) {
  model::Cluster cluster;
  model::Node& node = cluster.nodes.emplace_back();
  node.meta.created = at("2020-01-01T00:00:00Z");
  node.conditions = {{"Ready", "True", "", "", at("2020-01-01T00:01:00Z"), time}};
  return cluster;
}

model::Cluster with_event(model::Time time) {
  model::Cluster cluster;
  cluster.events.emplace_back().last = time;
  return cluster;
}

}  // namespace

TEST_CASE("the newest time is the capture time", "[source][clock]") {
  const model::Time then = at("2021-08-05T10:12:31Z");
  model::Cluster cluster = with_heartbeat(then);
  CHECK(capture_time(cluster, {}, present) == then);
  SECTION("the newest object counts") {
    const model::Time later = then + 1s;
    SECTION("a lease") { cluster.leases.emplace_back().renewed = later; }
    SECTION("an event") { cluster.events.emplace_back().last = later; }
    SECTION("a creation") { cluster.pods.emplace_back().meta.created = later; }
    SECTION("a condition") {
      cluster.pods.emplace_back().conditions = {{"Ready", "True", "", "", later}};
    }
    SECTION("a container") {
      cluster.pods.emplace_back().statuses.emplace_back().running_since = later;
    }
    SECTION("a pod's field") { cluster.pods.emplace_back().last_write = later; }
    SECTION("a field") {
      cluster.daemon_sets.emplace_back().meta.managers.emplace_back().time = later;
    }
    CHECK(capture_time(cluster, {}, present) == later);
  }
  SECTION("a future deletion is ignored") {
    cluster.pods.emplace_back().meta.deleted = then + 30s;
    CHECK(capture_time(cluster, {}, present) == then);
  }
  SECTION("a clock that is years ahead is ignored") {
    cluster.events.emplace_back().last = present + 1h;
    CHECK(capture_time(cluster, {}, present) == then);
  }
  SECTION("a collector's later time is used") {
    CHECK(capture_time(cluster, then + 90s, present) == then + 90s);
    CHECK(capture_time(cluster, then - 90s, present) == then);
    CHECK(capture_time(cluster, then + 48h, present) == then);
  }
}

TEST_CASE("recent files have no capture time", "[source][clock]") {
  CHECK_FALSE(capture_time({}, {}, present));
  CHECK_FALSE(capture_time({}, present, present));
  CHECK_FALSE(capture_time(with_heartbeat(present - 10min), {}, present));
  CHECK(capture_time(with_heartbeat(present - 11min), {}, present) == present - 11min);
  CHECK_FALSE(capture_time(with_heartbeat(present + 10min), {}, present));
  // without heartbeats the last change may be older
  CHECK_FALSE(capture_time(with_event(present - 1h), {}, present));
  CHECK(capture_time(with_event(present - 61min), {}, present) == present - 61min);
  // all times are in the future: our own clock is wrong
  CHECK(capture_time(with_event(present + 2h), {}, present) == present + 2h);
}

TEST_CASE("the newest time is found in a text", "[source][clock]") {
  using source::newest_time_in;
  CHECK(newest_time_in("2021-08-03 10:12:00.016988581 +0000 UTC m=+0.38\n"
                       "2021-08-03 10:13:47.364145495 +0000 UTC m=+1.35\n") ==
        at("2021-08-03T10:13:47Z"));
  CHECK(newest_time_in(R"({"msg":"x","time":"2019-07-31T20:56:36Z"}
{"msg":"y","time":"2019-07-31T20:56:27Z"})") == at("2019-07-31T20:56:36Z"));
  CHECK(newest_time_in("2021-08-03 12:14:13.5 +0200 CEST m=+0.1") == at("2021-08-03T10:14:13Z"));
  CHECK(newest_time_in("2021-08-03T12:14:13-01:30") == at("2021-08-03T13:44:13Z"));
  CHECK_FALSE(newest_time_in("20 files of 2021"));
  CHECK_FALSE(newest_time_in(""));
}
