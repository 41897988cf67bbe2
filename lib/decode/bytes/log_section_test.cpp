// SPDX-License-Identifier: Apache-2.0
#include "decode/bytes/log_section.h"

#include <catch2/catch.hpp>
#include <string>

using dsdoctor::decode::LogSection;

TEST_CASE("a log ends at the line with its own name", "[decode][log_section]") {
  const std::string log =
      "==== START logs for container c of pod x/p ====\n"
      "{\"kind\":\"NodeList\"}\n"
      "==== END logs for container c of pod x/other ====\n"
      "==== END logs for container c of pod x/p ====\n";
  const std::string all = log + "{}";
  REQUIRE(LogSection::opens(all));
  for (std::size_t piece = 1; piece <= all.size(); ++piece) {
    LogSection section;
    std::string behind;
    for (std::size_t at = 0; at < all.size(); at += piece) {
      const std::string_view chunk = std::string_view(all).substr(at, piece);
      behind += section.is_over() ? chunk : section.skip(chunk);
    }
    CAPTURE(piece);
    CHECK(section.is_over());
    CHECK(behind == "{}");
  }
}

TEST_CASE("only the line of kubectl begins a log", "[decode][log_section]") {
  CHECK(LogSection::opens("==== START logs for container a of pod b/c ===="));
  CHECK(LogSection::opens("==== STA"));
  CHECK_FALSE(
      LogSection::opens("===="
                        " END logs for container a of pod b/c ===="));
  CHECK_FALSE(LogSection::opens("{}"));
  CHECK_FALSE(LogSection::opens(""));
}

TEST_CASE("a log without end is an error that names the expected line", "[decode][log_section]") {
  LogSection section;
  CHECK(section.skip("==== START logs for container c of pod x/p ====\nline\n").empty());
  CHECK_FALSE(section.is_over());
  CHECK(section.cut_off("dump.txt").where == "dump.txt");
  CHECK(
      section.cut_off("dump.txt").what ==
      "a log does not end; is the file cut off? expected the line \"==== END logs for container c "
      "of pod x/p ====\"");
}
