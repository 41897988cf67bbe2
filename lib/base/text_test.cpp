// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <catch2/catch.hpp>

using namespace dsdoctor::base;

TEST_CASE("comparison and conversion change ASCII letters only", "[text]") {
  CHECK(lower_case("Node-\u00c4 1") == "node-\u00c4 1");
  CHECK(upper_case("Node-\u00e4 1") == "NODE-\u00e4 1");
  CHECK(same_ignoring_case("Retry-After", "retry-AFTER"));
  CHECK_FALSE(same_ignoring_case("Retry-After", "Retry"));
  CHECK(is_number("0123456789"));
  CHECK_FALSE(is_number(""));
  CHECK_FALSE(is_number("1.5"));
}

TEST_CASE("a text is a number as a whole, or none", "[text]") {
  CHECK(to_number<int>("-12") == -12);
  CHECK(to_number<std::uint8_t>("007") == std::uint8_t{7});
  CHECK(to_number<std::uint8_t>("fF", 16) == std::uint8_t{255});
  for (const char* bad : {"", "-", "+1", " 1", "1 ", "1.0", "0x1", "2147483648"}) {
    CAPTURE(bad);
    CHECK_FALSE(to_number<int>(bad));
  }
  CHECK_FALSE(to_number<std::uint8_t>("-1"));
  CHECK_FALSE(to_number<std::uint8_t>("256"));
}

TEST_CASE("text is trimmed and split", "[text]") {
  using Parts = std::vector<std::string_view>;
  CHECK(trimmed(" \ta b\r\n") == "a b");
  CHECK(trimmed(" \n").empty());
  CHECK(trimmed("").empty());
  CHECK(trimmed("--a-", "-") == "a");
  CHECK(split("a,b,,c", ",") == Parts{"a", "b", "", "c"});
  CHECK(split("a, b", ", ") == Parts{"a", "b"});
  CHECK(split("", ",") == Parts{""});
  CHECK(split(",", ",") == Parts{"", ""});
}

TEST_CASE("the middle of a long text is left out", "[text]") {
  CHECK(without_middle("short", 5) == "short");
  CHECK(without_middle("", 0).empty());
  CHECK(without_middle("failed to do it: failed to do that: disk full", 30) ==
        "failed to do ... disk full");
  CHECK(without_middle(std::string(50, 'x'), 15) == "xxxxx ... xxxxx");
  CHECK(without_middle("\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4", 13) ==
        "\u00e4\u00e4 ... \u00e4\u00e4");
  CHECK(without_middle("one two three four", 5) == " ... ");
  CHECK(without_middle("0123456789 ", 10) == "01 ... 89 ");
  CHECK(without_middle("it ends: \"what it said at length before the end\"", 30) ==
        "it ends: ... \"the end\"");
  CHECK(without_middle("it said \"one two three four five six\"; then it ended", 36) ==
        "it said \"one ...\" then it ended");
  CHECK(without_middle("it failed (as it said) in so many other words", 36) ==
        "it failed ... many other words");
  CHECK(without_middle("it failed in many words (as it said), and it ended", 40) ==
        "it failed in many ... and it ended");
  CHECK(without_middle("it failed (as it said in so many words that it ended)", 40) ==
        "it failed (as it ... that it ended)");
  CHECK(without_middle("it called https://a.very.long.name/of/a/place?it=sought in vain", 50) ==
        "it called ... in vain");
  for (std::size_t limit = 5; limit < 80; ++limit) {
    CHECK(without_middle("it said \"" + std::string(60, 'c') + " d\" and ended", limit).size() <=
          limit);
    CHECK(
        without_middle(std::string(20, 'a') + " \u20ac b " + std::string(60, 'c'), limit).size() <=
        limit);
  }
}

TEST_CASE("a shortened title has whole words and no half bracket", "[text]") {
  CHECK(without_middle("FailedCreate: failed calling webhook validate.policy.example: dial tcp "
                       "10.0.0.9:443: connect: connection refused (Post "
                       "https://policy.policy.svc:443/validate?timeout=10s); its failurePolicy is "
                       "Fail; last rejected 60s ago, 5 times; 2 nodes without a pod",
                       240) ==
        "FailedCreate: failed calling webhook validate.policy.example: dial tcp 10.0.0.9:443: "
        "connect: connection refused ... its failurePolicy is Fail; last rejected 60s ago, 5 "
        "times; 2 nodes without a pod");
}

TEST_CASE("a quotation mark after a backslash does not end a quotation", "[text]") {
  CHECK(without_middle("failed \"Kill\" with: no \\\"x\\\" or \\\"pciBusID\\\" was found there", 40)
            .find("...\"") == std::string::npos);
}

TEST_CASE("things are counted and listed", "[text]") {
  CHECK(counted(0, "node") == "0 nodes");
  CHECK(counted(1, "node") == "1 node");
  CHECK(counted(2, "entry", "entries") == "2 entries");
  CHECK(listed({}).empty());
  CHECK(listed({"a", "b"}) == "a, b");
  CHECK(listed({"a", "b", "c", "d", "e", "f", "g"}) == "a, b, c, d, e and 2 more");
  CHECK(listed({"a", "b", "c"}, 1) == "a and 2 more");
}
