// SPDX-License-Identifier: Apache-2.0

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "serve/http_server.h"
#include "serve/test_http_client.h"
#include "test_live_cluster.h"

using namespace dsdoctor;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

const std::string cluster_file = std::string(DSDOCTOR_TESTDATA) + "/conventions/cluster.json";

std::string free_address() {
  const auto server =
      cmd::HttpServer::listen({"127.0.0.1", "0"}, [](const auto&, const cmd::SendReply&) {});
  REQUIRE(server);
  return (*server)->address();
}

/// `serve` about a cluster, on a thread of its own, while `use` runs.
template <typename Use>
cmd::Ran while_served(const cmd::LiveCluster& cluster, std::vector<std::string> words,
                      const Use& use) {
  const std::string address = free_address();
  words.insert(words.begin(), {"serve", "--listen", address});
  std::atomic<bool> is_over = false;
  std::thread client([&] {
    use(address);
    is_over = true;
  });
  const auto ran = cluster.run_until(words, [&](const std::string&) { return is_over.load(); });
  client.join();
  return ran;
}

/// The body of the answer, once it has `text`; the last one after ten seconds.
std::string answer_with(const std::string& address, const std::string& path,
                        const std::string& text) {
  std::string answer;
  for (int i = 0; i < 200 && answer.find(text) == answer.npos; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    try {
      answer = cmd::asked(address, cmd::get(path));
    } catch (const std::exception&) {
      continue;  // it does not listen yet
    }
  }
  return answer;
}

std::string body_of(const std::string& reply) { return reply.substr(reply.find("\r\n\r\n") + 4); }

}  // namespace

TEST_CASE("serve answers with metrics, problems, a page and its health", "[cmd][serve]") {
  const cmd::LiveCluster cluster(cluster_file, "mon");
  std::string metrics;
  std::string problems;
  std::string page;
  std::string health;
  std::string other;
  const auto ran = while_served(cluster, {}, [&](const std::string& address) {
    metrics = answer_with(address, "/metrics", "dsdoctor_live 1");
    problems = answer_with(address, "/problems", "Problems");
    page = answer_with(address, "/report", "</html>");
    health = answer_with(address, "/healthz", "live");
    other = cmd::asked(address, cmd::get("/x"));
  });
  CHECK(ran.code == 0);
  CHECK_THAT(ran.err, Contains("serving http://127.0.0.1:"));
  CHECK_THAT(ran.out, Contains("1 problem needs action"));
  CHECK_THAT(metrics, Contains("text/plain; version=0.0.4") && Contains("dsdoctor_complete 1\n") &&
                          Contains("daemonset=\"fluentd\",namespace=\"mon\"} 1\n"));
  const auto document = nlohmann::json::parse(body_of(problems));
  CHECK(document["kind"] == "Problems");
  REQUIRE(document["problems"].size() == 1);
  CHECK_FALSE(document.contains("daemonSets"));
  const std::string id = document["problems"][0]["id"];
  CHECK_THAT(metrics, Contains("dsdoctor_problem{id=\"" + id + "\""));
  CHECK_THAT(page, Contains("text/html; charset=utf-8") && Contains("fluentd"));
  CHECK_THAT(health, StartsWith("HTTP/1.1 200 OK") && Contains("ok: answer of "));
  CHECK_THAT(other, StartsWith("HTTP/1.1 404 ") && Contains("/metrics"));
}

TEST_CASE("serve follows the cluster", "[cmd][serve]") {
  cmd::LiveCluster cluster(cluster_file, "mon");
  std::string before;
  std::string after;
  const auto ran = while_served(cluster, {"--node-labels"}, [&](const std::string& address) {
    before = answer_with(address, "/metrics", "dsdoctor_problem_node{");
    cluster.api().remove("DaemonSet", "mon", "fluentd");
    after = before;
    for (int i = 0; i < 200 && after.find("daemonset=\"fluentd\"") != after.npos; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      after = cmd::asked(address, cmd::get("/metrics"));
    }
  });
  CHECK(ran.code == 0);
  CHECK_THAT(before, Contains("dsdoctor_problem_node{") && Contains("daemonset=\"fluentd\""));
  CHECK_THAT(after, !Contains("daemonset=\"fluentd\""));
}

TEST_CASE("serve says that the last answer is not current", "[cmd][serve]") {
  cmd::LiveCluster cluster(cluster_file, "mon");
  std::string metrics;
  std::string health;
  (void)while_served(cluster, {"--node", "n1"}, [&](const std::string& address) {
    (void)answer_with(address, "/metrics", "dsdoctor_live 1");
    cluster.api().remove("Node", "", "n1");
    metrics = answer_with(address, "/metrics", "dsdoctor_live 0");
    health = answer_with(address, "/healthz", "n1");
  });
  CHECK_THAT(metrics, Contains("dsdoctor_live 0\n") && Contains("dsdoctor_read_timestamp_seconds"));
  CHECK_THAT(health, Contains("ok: answer of ") && Contains("n1"));
}

TEST_CASE("serve refuses what does not fit in one line", "[cmd][serve]") {
  const cmd::LiveCluster cluster(cluster_file, "mon");
  const auto error_of = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "serve");
    const auto ran = cluster.run(words);
    CHECK(ran.code == 2);
    CHECK(ran.out.empty());
    return ran.err;
  };
  for (const char* address : {"8080", "localhost:", "::1:8080", "127.0.0.1:99999", "[]:1"}) {
    CHECK_THAT(error_of({"--listen", address}),
               Contains("must be an address and a port, like 127.0.0.1:8080"));
  }
  CHECK_THAT(error_of({"agent"}), Contains("serve takes no names"));
  CHECK_THAT(error_of({"--listen", "256.0.0.1:1"}), Contains("cannot listen"));
  CHECK_THAT(error_of({"--listen", "127.0.0.1:0", "-s", "https://127.0.0.1:1"}),
             Contains("refused"));
}
