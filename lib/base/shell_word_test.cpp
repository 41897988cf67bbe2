#include "base/shell_word.h"

#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <memory>

using namespace dsdoctor::base;

namespace {

/// What a shell of this machine makes of a word.
std::string echoed_by(const std::string& shell, const std::string& word) {
  const std::string line = "printf %s " + word;
  const std::string command = shell + " -c " + single_quoted(line);
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  REQUIRE(pipe);
  std::string result;
  std::array<char, 256> buffer{};
  while (const std::size_t size = fread(buffer.data(), 1, buffer.size(), pipe.get())) {
    result.append(buffer.data(), size);
  }
  return result;
}

const std::vector<std::string> awkward = {"plain",
                                          "",
                                          "two words",
                                          "it's",
                                          R"({"op":"add","value":null})",
                                          "$HOME `id` $(id)",
                                          "a\\b\\",
                                          "100%!",
                                          "~",
                                          "#no",
                                          "a;b|c&d>e<f",
                                          "*?[x]{a,b}",
                                          "\\'",
                                          "ünïcode",
                                          "=x",
                                          "--flag=-1",
                                          "@file"};

}  // namespace

TEST_CASE("a quoted word reaches the program as it was", "[base][shell]") {
  for (const std::string& text : awkward) {
    CAPTURE(text);
    for (const bool always : {false, true}) {
      CHECK(echoed_by("bash", *quoted_word(Shell::Posix, text, always)) == text);
      CHECK(echoed_by("sh", *quoted_word(Shell::Posix, text, always)) == text);
      CHECK(echoed_by("zsh", *quoted_word(Shell::Posix, text, always)) == text);
      CHECK(echoed_by("fish", *quoted_word(Shell::Fish, text, always)) == text);
    }
  }
}

TEST_CASE("words for the shells of Windows", "[base][shell]") {
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

TEST_CASE("control characters are in no word", "[base][shell]") {
  for (const Shell shell : {Shell::Posix, Shell::Fish, Shell::PowerShell, Shell::Cmd}) {
    CHECK_FALSE(quoted_word(shell, "a\nb"));
    CHECK_FALSE(quoted_word(shell, "\x1b[31m"));
  }
}

TEST_CASE("shells by name", "[base][shell]") {
  CHECK(parse_shell("bash") == Shell::Posix);
  CHECK(parse_shell("pwsh") == Shell::PowerShell);
  CHECK(parse_shell("cmd") == Shell::Cmd);
  CHECK_FALSE(parse_shell("tcsh"));
  CHECK(comment_mark(Shell::Cmd) == "rem ");
}

TEST_CASE("comments hold nothing that a shell without comments runs", "[base]") {
  CHECK(comment_text(Shell::Posix, "Fix: tolerate a/b:NoSchedule, 3 nodes") ==
        "Fix: tolerate a/b:NoSchedule, 3 nodes");
  CHECK(comment_text(Shell::Posix, "  it's $(touch x)") == R"(  'it'\''s $(touch x)')");
  CHECK(comment_text(Shell::Posix, "1 -> 0") == "'1 -> 0'");
  CHECK(comment_text(Shell::Posix, "a =b") == "'a =b'");
  CHECK(comment_text(Shell::Posix, "").empty());
  CHECK(comment_text(Shell::Posix, "desired 0 \u2192 1. No pod") == "desired 0 \u2192 1. No pod");
  CHECK(comment_text(Shell::Posix, "=a") == "'=a'");
  CHECK(comment_text(Shell::Posix, "a=b") == "a=b");
  CHECK(comment_text(Shell::Fish, "it's") == "it's");
  CHECK(comment_text(Shell::Cmd, "3 nodes, a=b") == "3 nodes, a=b");
  CHECK(comment_text(Shell::Cmd, "  &calc \"%PATH%\"") == "  \"&calc 'U+0025PATHU+0025'\"");
}
