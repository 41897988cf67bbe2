#include "completion_names.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "commands.h"
#include "testing/certificates.h"
#include "testing/fake_api.h"
#include "testing/https_server.h"

using namespace dsdoctor;
using Catch::Matchers::Contains;

namespace {

const std::string recorded = std::string(DSDOCTOR_TESTDATA) + "/clusters/mixed-40-nodes.json";

/// A recorded cluster behind a kubeconfig.
class LiveCluster {
 public:
  LiveCluster() {
    std::ofstream(kubeconfig_) << "current-context: c1\n"
                                  "clusters: [{name: k1, cluster: {server: \""
                               << server_.url() << "\", insecure-skip-tls-verify: true}}]\n"
                               << "users: [{name: u1, user: {token: CANARY}}]\n"
                                  "contexts: [{name: c1, context: {cluster: k1, user: u1, "
                                  "namespace: security}}, {name: c2, context: {cluster: k1}}]\n";
  }
  ~LiveCluster() { std::filesystem::remove(kubeconfig_); }

  struct Answer {
    int code = -1;
    std::string out;
    std::string err;
  };
  Answer run(std::vector<std::string> words) const {
    std::ostringstream out;
    std::ostringstream err;
    std::istringstream in;
    cmd::Context ctx{.out = out,
                     .err = err,
                     .in = in,
                     .environment = {{{"KUBECONFIG", kubeconfig_.string()}}, "/", true, "/none"},
                     .now = [] { return model::Time{}; }};
    words.insert(words.begin(), "__complete");
    const auto code = cmd::run(words, ctx);
    return {static_cast<int>(code), out.str(), err.str()};
  }
  [[nodiscard]] std::vector<testing::ServedRequest> requests() const { return server_.requests(); }
  testing::FakeApi& api() { return api_; }

 private:
  testing::CertificateAuthority ca_;
  testing::FakeApi api_{recorded};
  testing::HttpsServer server_{{true, ca_.issue_server()}, api_.handler()};
  std::filesystem::path kubeconfig_ =
      std::filesystem::temp_directory_path() /
      ("dsdoctor-completion-" + std::to_string(server_.port()) + ".yaml");
};

}  // namespace

TEST_CASE("names come from the live cluster", "[cmd][completion]") {
  const LiveCluster cluster;
  CHECK(cluster.run({"explain", "fal"}).out == "falco\n:4\n");
  CHECK(cluster.run({"explain", "-n", "datadog", "ds/"}).out == "ds/datadog-agent\n:4\n");
  CHECK(cluster.run({"explain", "-n", "secu"}).out == "security\n:4\n");
  CHECK(cluster.run({"diff-nodes", "node/gpu-1"}).out == "node/gpu-1\n:4\n");
  for (const auto& request : cluster.requests()) {
    CAPTURE(request.target);
    CHECK(request.query.at("limit") == "500");
    CHECK_THAT(request.header("accept"), Contains("PartialObjectMetadataList"));
    CHECK_FALSE(request.query.contains("continue"));
  }
}

TEST_CASE("contexts come from the kubeconfig, without a request", "[cmd][completion]") {
  const LiveCluster cluster;
  CHECK(cluster.run({"explain", "--context", ""}).out == "c1\nc2\n:4\n");
  CHECK(cluster.run({"explain", "--user="}).out == "u1\n:4\n");
  CHECK(cluster.requests().empty());
}

TEST_CASE("what cannot be known is not offered, and not complained about", "[cmd][completion]") {
  LiveCluster cluster;
  const std::string note = "Completion ended with directive: ShellCompDirectiveNoFileComp\n";
  const auto check_silent = [&](const std::vector<std::string>& words) {
    const auto answer = cluster.run(words);
    CHECK(answer.code == 0);
    CHECK(answer.out == ":4\n");
    CHECK(answer.err == note);
  };
  SECTION("forbidden") {
    cluster.api().forbid("/apis/apps/v1/namespaces/security/daemonsets");
    check_silent({"explain", "fa"});
  }
  SECTION("nobody listens") { check_silent({"explain", "-s", "https://127.0.0.1:1", "fa"}); }
  SECTION("no such context") { check_silent({"explain", "--context", "nope", "fa"}); }
  SECTION("no such file") { check_silent({"explain", "-f", "/nope.yaml", "fa"}); }
  SECTION("no words at all") { check_silent({}); }
}

TEST_CASE("a server that says nothing does not hold the shell", "[cmd][completion]") {
  LiveCluster cluster;
  const testing::Reply silent{.fault = testing::Fault::StallBeforeHead};
  cluster.api().script("/apis/apps/v1/namespaces/security/daemonsets", {silent, silent, silent});
  const auto begin = std::chrono::steady_clock::now();
  CHECK(cluster.run({"explain", "fa"}).out == ":4\n");
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
}

TEST_CASE("files and the demo have names too", "[cmd][completion]") {
  const LiveCluster cluster;
  CHECK(cluster.run({"explain", "-f", recorded, "fal"}).out == "falco\n:4\n");
  CHECK(cluster.run({"explain", "-f", recorded, "-n", "datadog", "fal"}).out == ":4\n");
  CHECK(cluster.run({"explain", "--demo", "--node", ""}).out != ":4\n");
  CHECK(cluster.run({"explain", "-f", "-", "fal"}).out == ":4\n");
  CHECK(cluster.requests().empty());
}
