// SPDX-License-Identifier: Apache-2.0
#include "base/glob.h"

#include <catch2/catch.hpp>
#include <random>
#include <regex>

using namespace dsdoctor::base;

namespace {

/// The glob as a regular expression of the standard library.
std::regex expression_of(const std::string& glob) {
  std::string result;
  for (std::size_t i = 0; i < glob.size(); ++i) {
    const bool digit = glob.compare(i, glob_digit.size(), glob_digit) == 0;
    if (digit) i += glob_digit.size() - 1;
    if (digit) {
      result += "[0-9]";
    } else if (glob[i] == '*') {
      result += ".*";
    } else {
      result += (glob[i] == '.' || glob[i] == '[' ? "\\" : "") + std::string(1, glob[i]);
    }
  }
  return std::regex(result + "$", std::regex::extended);  // libc++ rejects an empty one
}

}  // namespace

TEST_CASE("a glob matches what the same regular expression matches", "[glob]") {
  std::vector<std::string> texts = {"", "1", "12", "1601646271", "160164627", "]1", "[0-9]", "*"};
  std::mt19937 random(7);
  for (int i = 0; i < 300; ++i) {
    std::string text;
    while (random() % 6 != 0) text += ".-1[]2."[random() % 7];
    texts.push_back(text);
  }
  for (const char* glob : {"", "*", "**", ".*", "*.", ".*.", "*-*", "[0-9]", "[0-9][0-9]*",
                           "*[0-9]", "*[0-9].", "[[0-9]]", "[", "[0-8]", "*[0-9]*-*",
                           "[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]"}) {
    const std::regex reference = expression_of(glob);
    for (const std::string& text : texts) {
      CAPTURE(glob, text);
      CHECK(matches_glob(glob, text) == std::regex_match(text, reference));
    }
  }
}

TEST_CASE("a glob with many stars takes no exponential time", "[glob]") {
  CHECK_FALSE(matches_glob("*a*a*a*a*a*a*a*b", std::string(20'000, 'a')));
}

TEST_CASE("a glob is distinguished from a name and from globs of other tools", "[base]") {
  using dsdoctor::base::is_foreign_glob;
  using dsdoctor::base::is_glob;
  for (const char* text : {"gpu-*", "*", "ip-[0-9]"}) {
    CAPTURE(text);
    CHECK(is_glob(text));
    CHECK_FALSE(is_foreign_glob(text));
  }
  CHECK_FALSE(is_glob("ip-10-0-1-7.ec2.internal"));
  for (const char* text : {"gpu-?", "gpu-[0-9", "gpu-[a-z]", "{a,b}", "a\\*", "[0-9]]"}) {
    CAPTURE(text);
    CHECK(is_foreign_glob(text));
  }
}
