// SPDX-License-Identifier: Apache-2.0
#include "base/printable.h"

#include <catch2/catch.hpp>
#include <string>

using namespace dsdoctor::base;

TEST_CASE("invisible characters are escaped", "[base][printable]") {
  CHECK(printable("plain \u00e4\u2192\u4e2d\U0001F600\n\t") ==
        "plain \u00e4\u2192\u4e2d\U0001F600\n\t");
  CHECK(printable("\x1b[31m\r\x07\x7f") == "^[[31m\\rU+0007U+007F");
  CHECK(printable("\u0085\u009b") == "U+0085U+009B");
  CHECK(printable("\u200b\u200d\u200e\u200f\u2060\u00ad") ==
        "U+200BU+200DU+200EU+200FU+2060U+00AD");
  CHECK(printable("\u202e\u2066\u2069\u061c") == "U+202EU+2066U+2069U+061C");
  CHECK(printable("\u2028\u2029\ufeff\ufffe\uffff\ufe0f") ==
        "U+2028U+2029U+FEFFU+FFFEU+FFFFU+FE0F");
  CHECK(printable("\U000E0041\U0001FFFE") == "U+E0041U+1FFFE");
  CHECK(printable(std::string_view("a\0b", 3)) == "aU+0000b");
  CHECK(printable("\xff\xed\xa0\x80\xc0\x80") == "\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd");
  CHECK(printable_line("a\nb\tc") == "a\\nb\\tc");
}

TEST_CASE("each notation has its own escapes for hidden characters", "[base][printable]") {
  CHECK(with_hidden_escaped("\u202ea\x7f\U000E0041", Notation::Json) ==
        "\\u202ea\\u007f\\udb40\\udc41");
  CHECK(with_hidden_escaped("\u202ea\x7f\U000E0041", Notation::Yaml) ==
        "\\u202Ea\\u007F\\U000E0041");
}

TEST_CASE("a text is cut between characters", "[base][printable]") {
  CHECK(printable("abc", 2) == "ab");
  CHECK(printable("abc", 3) == "abc");
  CHECK(printable("a\u2192b", 2) == "a");
  CHECK(printable("a\u2192b", 4) == "a\u2192");
  CHECK(printable("\x80\x80\x80\x80\x80\x80", 5).size() >= 2);
  CHECK(limited("a\u2192b", 2) == "a... (4 bytes more)");
  CHECK(limited("ab", 2) == "ab");
  CHECK(shortened_line("a\nb") == "a\\nb");
  CHECK(shortened_line(std::string(10'000'000, '['), 3) == "[[[... (9999997 bytes more)");
}
