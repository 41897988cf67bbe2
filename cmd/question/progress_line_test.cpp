// SPDX-License-Identifier: Apache-2.0
#include "question/progress_line.h"

#include <catch2/catch.hpp>
#include <sstream>
#include <thread>

using namespace dsdoctor::cmd;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using std::chrono::milliseconds;

TEST_CASE("a quick read shows nothing", "[cmd][progress]") {
  std::ostringstream out;
  ProgressLine line(out, 80, std::chrono::minutes(1));
  line.begin();
  line.update("nodes", 5000, 1'000'000);
  line.end();
  CHECK(out.str().empty());
}

TEST_CASE("a slow read shows its progress and erases it", "[cmd][progress]") {
  std::ostringstream out;
  ProgressLine line(out, 80, milliseconds(0));
  line.begin();
  line.update("nodes", 1500, 12'300'000, 5000);
  line.update("daemonsets.apps", 50, 100'000, 50);
  std::this_thread::sleep_for(milliseconds(300));
  line.end();
  CHECK_THAT(out.str(), Contains("reading daemonsets 50, nodes 1500 of 5000, 12.4 MB"));
  CHECK_THAT(out.str(), EndsWith("   \r"));
  CHECK_THAT(out.str(), !Contains("\033"));
}

TEST_CASE("the line never wraps and makes room for other lines", "[cmd][progress]") {
  std::ostringstream out;
  ProgressLine line(out, 20, milliseconds(0));
  line.begin();
  line.update("nodes", 1500, 12'300'000);
  std::this_thread::sleep_for(milliseconds(300));
  line.say("Warning: deprecated");
  line.end();
  CHECK_THAT(out.str(), Contains("\rreading nodes 1500,"));
  CHECK_THAT(out.str(), !Contains("MB"));
  CHECK_THAT(out.str(), Contains("   \rWarning: deprecated\n"));
}

TEST_CASE("a line can begin again", "[cmd][progress]") {
  std::ostringstream out;
  ProgressLine line(out, 80, milliseconds(0));
  for (int i = 0; i < 2; ++i) {
    line.begin();
    std::this_thread::sleep_for(milliseconds(150));
    line.end();
  }
  CHECK_THAT(out.str(), Contains("waiting for the cluster"));
  CHECK_THAT(out.str(), EndsWith("   \r"));
  CHECK_THAT(out.str(), !Contains("\033"));
}
