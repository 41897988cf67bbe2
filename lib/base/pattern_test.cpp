#include "base/pattern.h"

#include <catch2/catch.hpp>
#include <random>
#include <regex>

using namespace dsdoctor::base;

TEST_CASE("a pattern matches what the standard library's matches", "[pattern]") {
  const char* patterns[] = {"",
                            "^$",
                            "^(true)?$",
                            "^[0-9]{10}$",
                            "^spot$",
                            "^[Ww]indows$",
                            "^[a-z0-9-]+$",
                            "^(true|false)$",
                            "b",
                            "^a*b+$",
                            "(a|ab)(c|bcd)*$",
                            "^(a*)*$",
                            "[^a-c]",
                            "a.c",
                            "^a{2,3}$",
                            "^(ab){0,1}c{2,}$",
                            "a\\.b|\\$",
                            "[]a]b",
                            "x*^a",
                            "^(|a)b"};
  std::vector<std::string> texts = {
      "",   "true",  "1601646271", "spot",  "Windows",   "windows", "false", "a.b", "$",
      "]b", "aaaab", "abcd",       "true ", "160164627", "a-b",     "abccc", "xxa"};
  std::mt19937 random(7);
  for (int i = 0; i < 300; ++i) {
    std::string text;
    while (random() % 6 != 0) text += "abcd.-]"[random() % 7];
    texts.push_back(text);
  }
  for (const char* text : patterns) {
    const auto pattern = Pattern::parse(text);
    REQUIRE(pattern);
    const std::regex reference(text, std::regex::extended);
    for (const std::string& candidate : texts) {
      CAPTURE(text, candidate);
      CHECK(pattern->matches(candidate) == std::regex_search(candidate, reference));
    }
  }
}

TEST_CASE("a pattern that cannot be read says where", "[pattern]") {
  const auto what = [](const char* text) {
    const auto pattern = Pattern::parse(text);
    return pattern ? std::string() : to_string(pattern.error());
  };
  CHECK(what("a)") == "character 2: this ) closes nothing");
  CHECK(what("(a") == "character 3: a ) is missing");
  CHECK(what("[a") == "character 3: a ] is missing");
  CHECK(what("*") == "character 1: nothing to repeat stands before this");
  CHECK(what("\\d") == "character 2: \\d is not known; write a class in brackets, such as [0-9]");
  CHECK(what("a\\") == "character 3: nothing follows the backslash");
  CHECK(what("[[:alpha:]]") == "character 2: named classes are not known; write [a-z]");
  CHECK(what("[z-a]") == "character 5: this range runs backwards");
  CHECK(what("a{2,1}") == "character 7: these counts run backwards");
  CHECK(what("a{200}") == "character 6: a count is at most 100");
  CHECK(what("a{x}") == "character 3: a count is missing");
  CHECK(what("(?:a)") == "character 2: (? is not known; a plain group is (...)");
  CHECK(what(std::string(100, '(').c_str()) == "character 52: groups are nested too deep");
}

TEST_CASE("a pattern takes no time that explodes", "[pattern]") {
  const auto pattern = Pattern::parse("^(a*)*(a|aa)+b$");
  REQUIRE(pattern);
  CHECK_FALSE(pattern->matches(std::string(2000, 'a')));
}
