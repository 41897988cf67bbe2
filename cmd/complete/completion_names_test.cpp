// SPDX-License-Identifier: Apache-2.0
#include "complete/completion_names.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "test_live_cluster.h"

using namespace dsdoctor;
using Catch::Matchers::Contains;

namespace {

const std::string recorded_file = std::string(DSDOCTOR_TESTDATA) + "/clusters/mixed-40-nodes.json";

cmd::LiveCluster::Answer completed(const cmd::LiveCluster& cluster,
                                   std::vector<std::string> words) {
  words.insert(words.begin(), "__complete");
  return cluster.run(words);
}

}  // namespace

TEST_CASE("names are read from the live cluster", "[cmd][completion]") {
  const cmd::LiveCluster cluster(recorded_file, "security");
  CHECK(completed(cluster, {"explain", "fal"}).out == "falco\n:4\n");
  CHECK(completed(cluster, {"explain", "-n", "datadog", "ds/"}).out == "ds/datadog-agent\n:4\n");
  CHECK(completed(cluster, {"explain", "-n", "secu"}).out == "security\n:4\n");
  CHECK(completed(cluster, {"diff-nodes", "node/gpu-1"}).out == "node/gpu-1\n:4\n");
  for (const auto& request : cluster.requests()) {
    CAPTURE(request.target);
    CHECK(request.query.at("limit") == "500");
    CHECK_THAT(request.header("accept"), Contains("PartialObjectMetadataList"));
    CHECK_FALSE(request.query.contains("continue"));
  }
}

TEST_CASE("contexts are read from the kubeconfig without a request", "[cmd][completion]") {
  const cmd::LiveCluster cluster(recorded_file, "security");
  CHECK(completed(cluster, {"explain", "--context", ""}).out == "c1\nc2\n:4\n");
  CHECK(completed(cluster, {"explain", "--user="}).out == "u1\n:4\n");
  CHECK(cluster.requests().empty());
}

TEST_CASE("failures give no names and no error message", "[cmd][completion]") {
  cmd::LiveCluster cluster(recorded_file, "security");
  const std::string note = "Completion ended with directive: ShellCompDirectiveNoFileComp\n";
  const auto check_silent = [&](const std::vector<std::string>& words) {
    const auto answer = completed(cluster, words);
    CHECK(answer.code == 0);
    CHECK(answer.out == ":4\n");
    CHECK(answer.err == note);
  };
  SECTION("forbidden") {
    cluster.api().forbid("/apis/apps/v1/namespaces/security/daemonsets");
    check_silent({"explain", "fa"});
    check_silent({"explain", ""});
    check_silent({"explain", "-n=", ""});
  }
  SECTION("nothing listens") { check_silent({"explain", "-s", "https://127.0.0.1:1", "fa"}); }
  SECTION("unknown context") { check_silent({"explain", "--context", "nope", "fa"}); }
  SECTION("missing file") { check_silent({"explain", "-f", "/nope.yaml", "fa"}); }
  SECTION("no words") { check_silent({}); }
}

TEST_CASE("a server that does not answer does not block the shell", "[cmd][completion]") {
  cmd::LiveCluster cluster(recorded_file, "security");
  const testing::Reply silent{.fault = testing::Fault::StallBeforeHead};
  cluster.api().script("/apis/apps/v1/namespaces/security/daemonsets", {silent, silent, silent});
  const auto begin = std::chrono::steady_clock::now();
  CHECK(completed(cluster, {"explain", "fa"}).out == ":4\n");
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
}

TEST_CASE("names are read from files and the demo", "[cmd][completion]") {
  const cmd::LiveCluster cluster(recorded_file, "security");
  CHECK(completed(cluster, {"explain", "-f", recorded_file, "fal"}).out == "falco\n:4\n");
  CHECK(completed(cluster, {"explain", "-f", recorded_file, "-n", "datadog", "fal"}).out == ":4\n");
  CHECK(completed(cluster, {"explain", "--demo", "--node", ""}).out != ":4\n");
  CHECK(completed(cluster, {"explain", "-f", "-", "fal"}).out == ":4\n");
  CHECK(cluster.requests().empty());
}

TEST_CASE("a name that a shell would execute is not offered", "[cmd][completion]") {
  const cmd::LiveCluster cluster(recorded_file, "security");
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / "dsdoctor-completion-names-test.json";
  std::ofstream(file) << R"({"apiVersion":"v1","kind":"List","items":[)";
  const char* between = "";
  std::ofstream out(file, std::ios::app);
  for (const char* name : {"agent", "agent$(touch x)", "agent;x", "-agent", "agent\\u0060x",
                           "agent@x", "agent:x", "agent/x", "agent\\u202e"}) {
    out << between << R"({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"namespace":"m",)"
        << R"("name":")" << name << R"("},"spec":{"selector":{},"template":{}}})";
    between = ",";
  }
  out << "]}";
  out.close();
  CHECK(completed(cluster, {"explain", "-f", file.string(), "-n", "m", "agent"}).out ==
        "agent\n:4\n");
  CHECK(completed(cluster, {"explain", "-f", file.string(), "-n", "m", "--", "-a"}).out == ":4\n");
  std::filesystem::remove(file);
}
