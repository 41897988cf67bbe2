// SPDX-License-Identifier: Apache-2.0

// The snippets of docs/integrations.md are run: their kubectl is this program, about the demo.

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <yaml-cpp/yaml.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "process/test_arguments.h"
#include "testing/folder.h"

namespace dsdoctor::cmd {
namespace {

namespace fs = std::filesystem;

std::string text_of_file(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The YAML of each fenced block of the document.
std::vector<YAML::Node> snippets() {
  const std::string text = text_of_file(fs::path(DSDOCTOR_ROOT) / "docs/integrations.md");
  const std::string fence = "```yaml\n";
  std::vector<YAML::Node> result;
  for (std::size_t at = text.find(fence); at != text.npos; at = text.find(fence, at + 1)) {
    const std::size_t begin = at + fence.size();
    result.push_back(YAML::Load(text.substr(begin, text.find("\n```", begin) - begin)));
  }
  return result;
}

/// A folder with a kubectl that runs this program about the demo.
struct Home {
  testing::Folder folder;

  Home() {
    const std::string kubectl = folder.write(
        "bin/kubectl",
        "#!/bin/sh\n[ \"$1\" = dsdoctor ] || exit 99\nshift\ncase \" $* \" in *' -f '*) ;; "
        "*) set -- \"$@\" --demo ;; esac\nexec '" DSDOCTOR_PROGRAM "' \"$@\"\n");
    fs::permissions(kubectl, fs::perms::owner_all);
  }

  /// The exit code of `bash ARGUMENTS`, which runs in the folder; its output is in out.txt.
  [[nodiscard]] int run(std::vector<std::string> arguments,
                        std::vector<std::string> variables) const {
    arguments.insert(arguments.begin(), "bash");
    variables.insert(variables.end(),
                     {"PATH=" + (folder / "bin") + ":/usr/bin:/bin", "LANG=C.UTF-8", "TERM=dumb"});
    const std::vector<char*> words = pointers(arguments);
    const std::vector<char*> environment = pointers(variables);
    const std::string out = folder / "out.txt";
    const pid_t child = ::fork();
    if (child == 0) {
      const int file = ::open(out.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
      if (file < 0 || ::dup2(file, 1) < 0 || ::chdir(folder.path().c_str()) != 0) ::_exit(98);
      ::execve("/bin/bash", words.data(), environment.data());
      ::_exit(97);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  [[nodiscard]] std::string text(const std::string& name) const {
    return text_of_file(folder / name);
  }
};

}  // namespace

TEST_CASE("the plugins for k9s explain the selected object", "[cmd][snippets]") {
  const YAML::Node plugins = snippets().at(0)["plugins"];
  REQUIRE(plugins.size() == 2);
  const std::vector<std::vector<std::string>> objects = {
      {"datadog-agent", "daemonsets", "misscheduled"},
      {"ip-10-0-1-7", "nodes", "DaemonSets request"}};
  std::size_t at = 0;
  for (const auto& entry : plugins) {
    const YAML::Node plugin = entry.second;
    const auto& [name, scope, expected] = std::tie(objects[at][0], objects[at][1], objects[at][2]);
    CAPTURE(name);
    CHECK(plugin["scopes"][0].as<std::string>() == scope);
    CHECK(plugin["command"].as<std::string>() == "bash");
    for (const char* key : {"shortCut", "description", "background"}) CHECK(plugin[key].IsScalar());
    const Home home;
    CHECK(home.run(plugin["args"].as<std::vector<std::string>>(),
                   {"NAME=" + name, "NAMESPACE=datadog", "CONTEXT=prod"}) == 0);
    CHECK(home.text("out.txt").find(expected) != std::string::npos);
    ++at;
  }
}

TEST_CASE("the step for CI fails and leaves a report and a page", "[cmd][snippets]") {
  const YAML::Node step = snippets().at(1)[0];
  const Home home;
  // GitHub runs a step by `bash -e`.
  CHECK(home.run({"-e", "-c", step["run"].as<std::string>()}, {}) == 1);
  CHECK(home.text("dsdoctor.xml").find("<testsuites ") != std::string::npos);
  const std::string page = home.text("dsdoctor.html");
  CHECK(page.find("names are redacted") != std::string::npos);
  CHECK(page.find("FailedCreate") != std::string::npos);
}

TEST_CASE("the steps before a deployment leave reports about the manifest", "[cmd][snippets]") {
  const Home home;
  home.folder.write("rendered.yaml",
                    text_of_file(fs::path(DSDOCTOR_TESTDATA) / "scenarios/what-if/rendered.yaml"));
  home.folder.write("state.json.zst",
                    text_of_file(fs::path(DSDOCTOR_TESTDATA) / "scenarios/suggest/cluster.yaml"));
  const YAML::Node steps = snippets().at(2);
  CHECK(home.run({"-e", "-c", steps[0]["run"].as<std::string>()}, {}) == 1);
  const std::string sarif = home.text(steps[1]["with"]["sarif_file"].as<std::string>());
  CHECK(sarif.find("\"uri\": \"rendered.yaml\"") != std::string::npos);
  const YAML::Node job = snippets().at(3)["daemonsets"];
  CHECK(home.run({"-e", "-c", job["script"][0].as<std::string>()}, {}) == 1);
  const auto report = job["artifacts"]["reports"]["junit"].as<std::string>();
  CHECK(home.text(report).find("<failure type=\"wrong\"") != std::string::npos);
}

}  // namespace dsdoctor::cmd
