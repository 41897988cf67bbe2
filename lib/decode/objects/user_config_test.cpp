// SPDX-License-Identifier: Apache-2.0
#include "decode/objects/user_config.h"

#include <catch2/catch.hpp>

using namespace dsdoctor;
using Catch::Matchers::Contains;

namespace {

/// The lines of the list or the error, followed by the warnings.
std::string read_config(const std::string& content) {
  std::vector<model::Warning> warnings;
  const auto config = decode::read_user_config(content, "c.yaml", warnings);
  std::string result = config ? "" : "error " + to_string(config.error()) + "\n";
  if (config) {
    for (const auto& line : config->ignore) result += line.where + " " + line.text + "\n";
  }
  for (const auto& [where, what] : warnings) result += "warning " + where + ": " + what + "\n";
  return result;
}

}  // namespace

TEST_CASE("a user's configuration has a list of ignored problems", "[decode][config]") {
  CHECK(read_config("").empty());
  CHECK(read_config("# nothing\n").empty());
  CHECK(read_config("ignore:\n").empty());
  CHECK(read_config("ignore:\n  - node-*\n  - a=b\n") ==
        "c.yaml:2:5: ignore[0] node-*\nc.yaml:3:5: ignore[1] a=b\n");
  CHECK(read_config("{\n\t\"ignore\": [\"a\"]}\n") == "c.yaml:2:13: ignore[0] a\n");
}

TEST_CASE("a user's configuration has defaults of flags, like kuberc", "[decode][config]") {
  const auto defaults = [](const std::string& content) {
    std::vector<model::Warning> warnings;
    std::string result;
    const auto config = decode::read_user_config(content, "c.yaml", warnings);
    REQUIRE(config);
    for (const auto& each : config->defaults) {
      result += each.where + " " + each.command + " --" + each.flag + "=" + each.value + "\n";
    }
    for (const auto& [where, what] : warnings) result += "warning " + where + ": " + what + "\n";
    return result;
  };
  CHECK(defaults("defaults:\n- command: check\n  options:\n  - name: severity\n    default: error\n"
                 "  - {name: all-namespaces, default: true}\n  - {name: limit, default: 3}\n") ==
        "c.yaml:4:5: defaults[0].options[0] check --severity=error\n"
        "c.yaml:6:5: defaults[0].options[1] check --all-namespaces=true\n"
        "c.yaml:7:5: defaults[0].options[2] check --limit=3\n");
  CHECK(defaults("defaults: {}\n").find("warning c.yaml:1:1: defaults: a list is expected") == 0);
  CHECK(defaults("defaults:\n- check\n- command: check\n- options: []\n") ==
        "warning c.yaml:2:3: defaults[0]: command and a list of options are expected\n"
        "warning c.yaml:3:3: defaults[1]: command and a list of options are expected\n"
        "warning c.yaml:4:3: defaults[2]: command and a list of options are expected\n");
  CHECK(defaults("defaults: [{command: check, options: [{name: a}, {name: b, default: [c]}]}]\n")
            .find("warning c.yaml:1:39: defaults[0].options[0]: the name of a flag") == 0);
  CHECK(defaults("defaults:\n").empty());
}

TEST_CASE("unknown fields of a configuration are warnings", "[decode][config]") {
  CHECK(read_config("ignored: [a]\n") ==
        "warning c.yaml:1:1: ignored: no such field; did you mean ignore?\n");
  CHECK(read_config("ignore: [a]\ncolour: always\n") ==
        "c.yaml:1:10: ignore[0] a\n"
        "warning c.yaml:2:1: colour: no such field; there are: defaults, ignore\n");
  CHECK_THAT(read_config("ignore: a\n"),
             Contains("warning c.yaml:1:1: ignore: a list is expected"));
  CHECK(read_config("ignore:\n- a: b\n- c\n") ==
        "c.yaml:3:3: ignore[1] c\n"
        "warning c.yaml:2:3: ignore[0]: a text is expected, ID or ID=ROOT\n");
}

TEST_CASE("a file that is not a configuration is an error", "[decode][config]") {
  CHECK_THAT(read_config("ignore: [a\n"), Contains("error c.yaml:"));
  CHECK_THAT(read_config("- a\n"), Contains("error c.yaml: a mapping is expected"));
  CHECK_THAT(read_config("a: 1\n---\nb: 2\n"), Contains("one document is expected"));
  CHECK_THAT(read_config("ignore: []\nignore: []\n"),
             Contains("error c.yaml:2: duplicate key \"ignore\" in one mapping"));
}
