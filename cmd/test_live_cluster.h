// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "kube/os/clock.h"
#include "test_program.h"
#include "testing/certificates.h"
#include "testing/fake_api.h"
#include "testing/https_server.h"

namespace dsdoctor::cmd {

/// For tests: a recorded cluster behind an API server and a kubeconfig, and the program as a
/// process would run it.
class LiveCluster {
 public:
  /// `list_file`: a v1 List in JSON; `ns`: the namespace of the current context, c1.
  LiveCluster(const std::string& list_file, const std::string& ns) : api_(list_file) {
    std::ofstream(kubeconfig_) << "current-context: c1\n"
                                  "clusters: [{name: k1, cluster: {server: \""
                               << server_.url() << "\", insecure-skip-tls-verify: true}}]\n"
                               << "users: [{name: u1, user: {token: CANARY}}]\n"
                                  "contexts: [{name: c1, context: {cluster: k1, user: u1, "
                                  "namespace: "
                               << ns << "}}, {name: c2, context: {cluster: k1}}]\n";
  }
  ~LiveCluster() { std::filesystem::remove(kubeconfig_); }
  LiveCluster(const LiveCluster&) = delete;
  LiveCluster& operator=(const LiveCluster&) = delete;

  using Answer = Ran;
  /// Omits the warning about insecure TLS.
  [[nodiscard]] Answer run(const std::vector<std::string>& words) const {
    Ran ran = run_program(words, {{{"KUBECONFIG", kubeconfig_.string()}}, "/", true, "/none"});
    std::string said;
    std::istringstream lines(ran.err);
    for (std::string line; std::getline(lines, line);) {
      if (line.find("insecure") == line.npos) said += line + "\n";
    }
    return {ran.code, std::move(ran.out), said};
  }
  /// A command that runs until `is_enough` holds for what it has printed, or for 20 seconds.
  [[nodiscard]] Answer run_until(const std::vector<std::string>& words,
                                 const std::function<bool(const std::string&)>& is_enough) const {
    std::ostringstream out;
    std::ostringstream err;
    std::istringstream in;
    const auto begin = std::chrono::steady_clock::now();
    Context ctx{.out = out,
                .err = err,
                .in = in,
                .environment = {{{"KUBECONFIG", kubeconfig_.string()}}, "/", true, "/none"},
                .now = kube::Clock::system().now,
                .is_out_closed = [&] {
                  const auto lasted = std::chrono::steady_clock::now() - begin;
                  return is_enough(out.str()) || lasted > std::chrono::seconds(20);
                }};
    const ExitCode code = cmd::run(words, ctx);
    return {static_cast<int>(code), out.str(), err.str()};
  }
  [[nodiscard]] std::vector<testing::ServedRequest> requests() const { return server_.requests(); }
  testing::FakeApi& api() { return api_; }

 private:
  testing::CertificateAuthority ca_;
  testing::FakeApi api_;
  testing::HttpsServer server_{{true, ca_.issue_server()}, api_.handler()};
  std::filesystem::path kubeconfig_ = std::filesystem::temp_directory_path() /
                                      ("dsdoctor-live-" + std::to_string(server_.port()) + ".yaml");
};

}  // namespace dsdoctor::cmd
