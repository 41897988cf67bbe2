// SPDX-License-Identifier: Apache-2.0
#include "testing/line_diff.h"

#include <catch2/catch.hpp>

using dsdoctor::testing::line_diff;

TEST_CASE("equal texts have no difference", "[line_diff]") {
  CHECK(line_diff("", "").empty());
  CHECK(line_diff("a\nb\n", "a\nb\n").empty());
}

TEST_CASE("a difference is printed with the lines around it", "[line_diff]") {
  const std::string expected = "$ one\n1\n2\n3\n4\n$ two\n5\n6\n7\n8\n9\n10\n11\n12\n13\n";
  CHECK(line_diff(expected, "$ one\n1\n2\n3\n4\n$ two\n5\nsix\n7\n8\n9\n10\n11\n12\n13\n", "$ ") ==
        "@@ line 5: $ two\n 4\n $ two\n 5\n-6\n+six\n 7\n 8\n 9\n");
  CHECK(line_diff(expected, "$ one\n2\n3\n4\n$ two\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n", "$ ") ==
        "@@ line 1: $ one\n $ one\n-1\n 2\n 3\n 4\n"
        "@@ line 13: $ two\n 11\n 12\n 13\n+14\n");
}

TEST_CASE("neighbouring differences are one piece", "[line_diff]") {
  CHECK(line_diff("a\nb\nc\nd\n", "A\nb\nc\nD\n", "$") == "@@ line 1\n-a\n+A\n b\n c\n-d\n+D\n");
}

TEST_CASE("texts without common lines and a missing line break are printed", "[line_diff]") {
  CHECK(line_diff("", "a\n") == "@@ line 1\n+a\n");
  CHECK(line_diff("a\n", "a") == "@@ line 1: a\n a\n+\\ no line break at the end\n");
}
