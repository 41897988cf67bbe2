// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <memory>

#include "base/shell_word.h"

using namespace dsdoctor::base;

namespace {

/// The word as a program receives it from a shell of this machine.
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
