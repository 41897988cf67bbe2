// SPDX-License-Identifier: Apache-2.0

// The taints command and users' own taints files, in-process.

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "question/user_files.h"
#include "test_live_cluster.h"
#include "test_program.h"

using namespace dsdoctor;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

/// A unique folder that is removed with the object.
class Folder {
 public:
  Folder() {
    static int number = 0;
    path_ = fs::temp_directory_path() /
            ("dsdoctor-taints-" + std::to_string(getpid()) + "-" + std::to_string(++number));
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] std::string write(const std::string& name, const std::string& content) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << content;
    return (path_ / name).string();
  }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

using Answer = cmd::Ran;

Answer run_taints(const std::vector<std::string>& words, kube::Environment environment = {}) {
  environment.variables.emplace("LANG", "C.UTF-8");
  return cmd::run_program(words, std::move(environment), model::Time(std::chrono::hours(500'000)));
}

std::string entry(const std::string& meaning) {
  return "- key: nvidia.com/gpu\n  effects: [NoSchedule]\n  meaning: " + meaning + "\n";
}

}  // namespace

TEST_CASE("a user's own taints are below XDG_CONFIG_HOME or HOME", "[cmd][taints]") {
  const auto file = [](std::map<std::string, std::string, std::less<>> variables) {
    return cmd::user_file({std::move(variables), "/"}, "taints.yaml");
  };
  CHECK(file({{"XDG_CONFIG_HOME", "/x"}, {"HOME", "/h"}}) == "/x/dsdoctor/taints.yaml");
  CHECK(file({{"XDG_CONFIG_HOME", "x"}, {"HOME", "/h"}}) == "/h/.config/dsdoctor/taints.yaml");
  CHECK(file({{"HOME", "/h"}}) == "/h/.config/dsdoctor/taints.yaml");
  CHECK(file({}).empty());
}

TEST_CASE("later taints files override earlier ones and the built-in entries", "[cmd][taints]") {
  const Folder folder;
  const std::string first = folder.write("first.yaml", entry("First."));
  const std::string second = folder.write("second.yaml", entry("Second."));
  (void)folder.write("dsdoctor/taints.yaml", entry("Home."));
  const kube::Environment home{{{"XDG_CONFIG_HOME", folder.path()}}, folder.path()};
  CHECK_THAT(run_taints({"taints", "--demo"}).out, Contains("The node has NVIDIA GPUs"));
  CHECK_THAT(run_taints({"taints", "--demo"}, home).out, Contains("    Home.\n"));
  const auto both =
      run_taints({"taints", "--demo", "--taints-file", first, "--taints-file=second.yaml"}, home);
  CHECK_THAT(both.out, Contains("    Second.\n"));
  CHECK(both.err.empty());
  CHECK_THAT(run_taints({"explain", "node-exporter", "--demo", "--taints-file", first}).out,
             Contains("        First.\n"));
}

TEST_CASE("an unusable taints file ends the command", "[cmd][taints]") {
  const Folder folder;
  const std::string broken = folder.write("broken.yaml", "- key: a\n  effect: NoSchedule\n");
  const auto answer = run_taints({"taints", "--demo", "--taints-file", broken});
  CHECK(answer.code == 2);
  CHECK(answer.out.empty());
  CHECK(answer.err ==
        "error: " + broken + ":2:3: entry 1, effect: unknown field; did you mean effects?\n");
  const auto absent =
      run_taints({"explain", "--demo", "--taints-file", folder.path() + "/none.yaml"});
  CHECK(absent.code == 2);
  CHECK_THAT(absent.err, Contains("none.yaml: no such file or directory"));
}

TEST_CASE("an unusable taints file at home is a warning", "[cmd][taints]") {
  const Folder folder;
  const std::string own = folder.write("dsdoctor/taints.yaml", "{");
  const kube::Environment home{{{"XDG_CONFIG_HOME", folder.path()}}, folder.path()};
  const auto answer = run_taints({"taints", "--demo"}, home);
  const auto without = run_taints({"taints", "--demo"});
  CHECK(answer.code == without.code);
  CHECK(answer.out == without.out);
  CHECK_THAT(answer.err, Contains("warning: " + own) && Contains("; the file is ignored\n"));
  fs::remove(own);
  fs::create_directory(own);  // exists, but cannot be read as a file
  CHECK_THAT(run_taints({"check", "--demo"}, home).err, Contains("warning: ") && Contains(own));
  // A file named by a flag is never ignored.
  CHECK(run_taints({"taints", "--demo", "--taints-file", own}, home).code == 2);
}

TEST_CASE("the built-in file is a valid taints file", "[cmd][taints]") {
  const std::string file = DSDOCTOR_ROOT "/lib/diagnosis/taints/known_taints.yaml";
  CHECK(run_taints({"taints", "--demo", "--taints-file", file}).out ==
        run_taints({"taints", "--demo"}).out);
}

TEST_CASE("taints reads only nodes and DaemonSets", "[cmd][taints]") {
  const cmd::LiveCluster cluster(std::string(DSDOCTOR_TESTDATA) + "/conventions/cluster.json",
                                 "mon");
  const auto answer = cluster.run({"taints", "-A"});
  CHECK(answer.code == 0);
  CHECK(answer.err.empty());
  for (const auto& request : cluster.requests()) {
    CAPTURE(request.target);
    CHECK(request.target.find("/pods") == std::string::npos);
    CHECK(request.target.find("/controllerrevisions") == std::string::npos);
  }
  CHECK_FALSE(cluster.requests().empty());
}

TEST_CASE("the JSON of taints contains every key", "[cmd][taints]") {
  const auto document = nlohmann::json::parse(run_taints({"taints", "--demo", "-o", "json"}).out);
  CHECK(document["kind"].get<std::string>() == "TaintMatrix");
  CHECK(document["summary"]["taints"] == document["taints"].size());
  for (const auto& taint : document["taints"]) {
    for (const char* key : {"key", "value", "effect", "decides", "since", "nodes", "known"}) {
      CAPTURE(key);
      CHECK(taint.contains(key));
    }
  }
  for (const auto& ds : document["daemonSets"]) {
    CHECK(ds["taints"].size() == document["taints"].size());
    for (const auto& cell : ds["taints"]) {
      for (const char* key : {"taint", "treatment", "by", "path", "advised"}) {
        CAPTURE(key);
        CHECK(cell.contains(key));
      }
    }
  }
  const auto none = nlohmann::json::parse(
      run_taints({"taints", "--demo", "--node", "ip-10-0-1-1", "-o", "json"}).out);
  CHECK(none["taints"].empty());
  CHECK(none["summary"]["nodes"] == 1);
}
