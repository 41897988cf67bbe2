// SPDX-License-Identifier: Apache-2.0
#include "base/shell_word.h"

#include <catch2/catch.hpp>

using namespace dsdoctor::base;

TEST_CASE("words are quoted for the shells of Windows", "[base][shell]") {
  CHECK(quoted_word(Shell::PowerShell, "plain-1") == "plain-1");
  CHECK(quoted_word(Shell::PowerShell, "[{'op': 'add'}]") == "\"[{'op': 'add'}]\"");
  CHECK(quoted_word(Shell::PowerShell, "a$b`c") == "\"a`$b``c\"");
  CHECK(quoted_word(Shell::PowerShell, "a,b") == "\"a,b\"");
  CHECK_FALSE(quoted_word(Shell::PowerShell, "a\"b"));
  CHECK_FALSE(quoted_word(Shell::PowerShell, "a b\\"));
  for (const char* quote : {"\u2018", "\u2019", "\u201C", "\u201D", "\u201E"}) {
    CHECK_FALSE(quoted_word(Shell::PowerShell, std::string("a ") + quote + "; b"));
    CHECK(quoted_word(Shell::Posix, std::string("a ") + quote + "; b"));
  }
  for (const char* mark : {"\u0085", "\u009B", "\u202E", "\u2066", "\u2028", "\uFEFF", "\xFF"}) {
    for (const Shell shell : {Shell::Posix, Shell::Fish, Shell::PowerShell, Shell::Cmd}) {
      CHECK_FALSE(quoted_word(shell, std::string("a ") + mark + " b"));
    }
  }
  CHECK(quoted_word(Shell::Cmd, "a&b") == "\"a&b\"");
  CHECK(quoted_word(Shell::Cmd, "x", true) == "\"x\"");
  CHECK_FALSE(quoted_word(Shell::Cmd, "%PATH%"));
  CHECK_FALSE(quoted_word(Shell::Cmd, "a\"b"));
}

TEST_CASE("a text with control characters cannot be a word", "[base][shell]") {
  for (const Shell shell : {Shell::Posix, Shell::Fish, Shell::PowerShell, Shell::Cmd}) {
    CHECK_FALSE(quoted_word(shell, "a\nb"));
    CHECK_FALSE(quoted_word(shell, "\x1b[31m"));
  }
}

TEST_CASE("a file name with control characters is a word that shells restore", "[base][shell]") {
  CHECK(shell_word("a\nb.json") == R"w("$(printf 'a\012b.json')")w");
  CHECK(shell_word("\x1b[31m'\\ 100%") == R"w("$(printf '\033[31m\047\134 100\045')")w");
  CHECK(shell_word("\u00e9\u202e\xff") == R"w("$(printf '\303\251\342\200\256\377')")w");
  CHECK(shell_word("it's") == R"('it'\''s')");  // printable
}

TEST_CASE("shells are parsed by name", "[base][shell]") {
  CHECK(parse_shell("bash") == Shell::Posix);
  CHECK(parse_shell("pwsh") == Shell::PowerShell);
  CHECK(parse_shell("cmd") == Shell::Cmd);
  CHECK_FALSE(parse_shell("tcsh"));
  CHECK(comment_mark(Shell::Cmd) == "rem ");
}

TEST_CASE("a shell without comments runs nothing from a comment", "[base]") {
  CHECK(comment_text(Shell::Posix, "Fix: tolerate a/b:NoSchedule, 3 nodes") ==
        "Fix: tolerate a/b:NoSchedule, 3 nodes");
  CHECK(comment_text(Shell::Posix, "  it's $(touch x)") == "  its U+0024, touch x");
  CHECK(comment_text(Shell::Posix, "1 -> 0") == "1 to 0");
  CHECK(comment_text(Shell::Posix, "Replaces 27 pods (rolling update).") ==
        "Replaces 27 pods, rolling update.");
  CHECK(comment_text(Shell::Posix, "a; b (c); \"d\"") == "a, b, c, d");
  CHECK(comment_text(Shell::Posix, "annotations[a.b/c]: x") == "annotations, a.b/c: x");
  CHECK(comment_text(Shell::Posix, "a =b") == "a U+003Db");
  CHECK(comment_text(Shell::Posix, "").empty());
  CHECK(comment_text(Shell::Posix, "desired 0 \u2192 1. No pod") == "desired 0 \u2192 1. No pod");
  CHECK(comment_text(Shell::Posix, "=a") == "U+003Da");
  CHECK(comment_text(Shell::Posix, "a=b") == "a=b");
  CHECK(comment_text(Shell::Fish, "it's") == "it's");
  CHECK(comment_text(Shell::Cmd, "3 nodes, a=b") == "3 nodes, a=b");
  CHECK(comment_text(Shell::Cmd, "  &calc \"%PATH%\"") == "  U+0026calc U+0025PATHU+0025");
  // No shell has a character to interpret, whatever the text.
  for (int c = 1; c < 0x80; ++c) {
    const std::string text = {'a', static_cast<char>(c), 'b'};
    for (const Shell shell : {Shell::Posix, Shell::Cmd}) {
      CAPTURE(c);
      CHECK(comment_text(shell, text).find_first_of("'\"`$&|;<>()[]{}*?!#~^%\\\n\t") ==
            std::string::npos);
    }
  }
}
