// SPDX-License-Identifier: Apache-2.0

// The user's own config.yaml, in-process.

#include "question/user_files.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "test_program.h"
#include "testing/folder.h"

using namespace dsdoctor;
using Catch::Matchers::Contains;

namespace {

const std::string mixed_file = DSDOCTOR_TESTDATA "/clusters/mixed-40-nodes.json";

using Answer = cmd::Ran;

Answer run(const testing::Folder& home, std::vector<std::string> words) {
  words.insert(words.end(), {"-f", mixed_file});
  return cmd::run_program(
      words, {.variables = {{"LANG", "C.UTF-8"}, {"HOME", home.path()}}, .working_directory = {}});
}

}  // namespace

TEST_CASE("the user's own file works like --ignore", "[cmd][config]") {
  const testing::Folder none;
  const testing::Folder all;
  (void)all.write(".config/dsdoctor/config.yaml", "ignore:\n- '*'\n");
  const Answer before = run(none, {"check", "-A"});
  CHECK(before.code == 1);
  CHECK(before.err.empty());
  CHECK_THAT(before.out, !Contains("ignored"));
  for (const char* command : {"check", "explain"}) {
    const Answer flag = run(none, {command, "-A", "--ignore", "*"});
    const Answer own = run(all, {command, "-A"});
    CHECK(own.code == 0);
    CHECK(own.out == flag.out);
    CHECK(own.err.empty());
    CHECK_THAT(own.out, Contains(" ignored"));
  }
  CHECK(run(all, {"diff-nodes", "-A"}).err.empty());
}

TEST_CASE("the user's own file never ends a command", "[cmd][config]") {
  const testing::Folder none;
  const testing::Folder home;
  const std::string name = ".config/dsdoctor/config.yaml";
  const std::string path = home / name;
  const auto said = [&](const std::string& content) {
    (void)home.write(name, content);
    const Answer answer = run(home, {"check", "-A"});
    const Answer without = run(none, {"check", "-A"});
    CHECK(answer.code == without.code);
    CHECK(answer.out == without.out);
    return answer.err;
  };
  CHECK(said("ignore: [create-quota-exceded]\n") ==
        "warning: " + path +
            ":1:10: ignore[0]: \"create-quota-exceded\": no finding is called "
            "\"create-quota-exceded\"; did you "
            "mean create-quota-exceeded?\n");
  CHECK_THAT(said("ignore:\n- node-?\n"),
             Contains(path + ":2:3: ignore[0]: \"node-?\": only * (any characters)"));
  CHECK_THAT(said("ignor: []\n"), Contains(path + ":1:1: ignor: no such field; did you mean"));
  const std::string broken = said("ignore: [\n");
  CHECK_THAT(broken, Contains("warning: " + path + ":") && Contains("; the file is ignored\n"));
  CHECK(std::ranges::count(broken, '\n') == 1);
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  const Answer folder = run(home, {"check", "-A"});
  CHECK(folder.code == 1);
  CHECK_THAT(folder.err, Contains("; the file is ignored\n"));
}

TEST_CASE("an unknown finding after --ignore ends the command", "[cmd][config]") {
  const testing::Folder home;
  const Answer answer = run(home, {"check", "-A", "--ignore", "nope-nope"});
  CHECK(answer.code == 2);
  CHECK(answer.out.empty());
  CHECK_THAT(answer.err, Contains("error: --ignore \"nope-nope\": no finding is called"));
  CHECK(std::ranges::count(answer.err, '\n') == 1);
}
