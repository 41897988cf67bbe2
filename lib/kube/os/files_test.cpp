// SPDX-License-Identifier: Apache-2.0
#include "kube/os/files.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "kube/os/platform.h"
#include "kube/test_environment.h"

namespace dsdoctor::kube {
namespace {

TEST_CASE("paths are cleaned like with Go's filepath.Clean", "[files]") {
  const auto [given, clean] = GENERATE(table<std::string, std::string>({
      {"", "."},
      {".", "."},
      {"/", "/"},
      {"a/", "a"},
      {"a//b/./c/..", "a/b"},
      {"./a", "a"},
      {"../a/", "../a"},
      {"/a/../", "/"},
  }));
  CAPTURE(given);
  CHECK(clean_path(given) == clean);
}

TEST_CASE("a file is replaced completely or not at all", "[files]") {
  const TemporaryFolder folder;
  folder.write("old", "before");
  CHECK_FALSE(replace_file(folder.path("old"), "after"));
  CHECK(*read_file(folder.path("old"), 100) == "after");
  CHECK(replace_file(folder.path("none/new"), "x") == std::errc::no_such_file_or_directory);
  CHECK(replace_file(folder.root(), "x"));  // a folder
  CHECK(is_file(folder.path("old")));
  CHECK_FALSE(is_file(folder.root()));
  CHECK_FALSE(exists(folder.path("none")));
  const std::filesystem::directory_iterator left(folder.root());
  CHECK(std::distance(begin(left), end(left)) == 1);
}

TEST_CASE("a command with a folder is not looked up in PATH", "[files]") {
  CHECK(has_folder("./login"));
  CHECK(has_folder("/login"));
  CHECK_FALSE(has_folder("login"));
}

TEST_CASE("the home folder is taken from HOME", "[files]") {
  CHECK(home_folder({{{"HOME", "/home/me"}, {"USERPROFILE", "/other"}}, "", false, ""}) ==
        "/home/me");
  CHECK(home_folder({{{"USERPROFILE", "/other"}}, "", false, ""}).empty());
}

}  // namespace
}  // namespace dsdoctor::kube
