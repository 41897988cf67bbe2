// SPDX-License-Identifier: Apache-2.0

// check about several clusters: those of contexts, and those of files.

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "commands/members.h"
#include "kube/os/clock.h"
#include "test_program.h"
#include "testing/fake_api.h"
#include "testing/folder.h"
#include "testing/https_server.h"

using namespace dsdoctor;
using Catch::Matchers::Contains;
using Strings = std::vector<std::string>;

namespace {

const std::string conventions = std::string(DSDOCTOR_TESTDATA) + "/conventions/cluster.json";
const std::string mixed_list = std::string(DSDOCTOR_TESTDATA) + "/clusters/mixed-40-nodes.json";

/// A cluster behind an API server without TLS.
struct Served {
  explicit Served(const std::string& list_file)
      : api(list_file), server({.tls = false}, api.handler()) {}

  testing::FakeApi api;
  testing::HttpsServer server;
};

/// The same objects with other UIDs, as of another cluster.
std::string with_other_uids(const testing::Folder& folder, const std::string& list_file) {
  std::ifstream stream(list_file);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  constexpr std::string_view key = "\"uid\":\"";
  for (std::size_t at = text.find(key); at != text.npos; at = text.find(key, at + 1)) {
    char& digit = text[at + key.size()];
    digit = digit == '0' ? '1' : '0';
  }
  return folder.write("other.json", text);
}

/// A server that does not answer.
class Silent {
 public:
  [[nodiscard]] std::string url() const { return server_.url(); }
  ~Silent() { is_over_ = true; }
  Silent() = default;
  Silent(const Silent&) = delete;
  Silent& operator=(const Silent&) = delete;

 private:
  std::atomic<bool> is_over_ = false;
  testing::HttpsServer server_{{.tls = false}, [this](const testing::ServedRequest&) {
                                 while (!is_over_) {
                                   std::this_thread::sleep_for(std::chrono::milliseconds(10));
                                 }
                                 return testing::Reply{};
                               }};
};

/// A kubeconfig with a cluster and a context for each server.
class Kubeconfig {
 public:
  void add(const std::string& name, const std::string& url, const std::string& user = "u",
           const std::string& more = {}) {
    clusters_ += "- {name: k-" + name + ", cluster: {server: \"" + url + "\"" + more + "}}\n";
    contexts_ += "- {name: " + name + ", context: {cluster: k-" + name + ", user: " + user + "}}\n";
  }
  void add_context(const std::string& name, const std::string& cluster, const std::string& ns) {
    contexts_ +=
        "- {name: " + name + ", context: {cluster: k-" + cluster + ", namespace: " + ns + "}}\n";
  }
  /// A user whose login command is this script of sh.
  void add_login(const std::string& user, const std::string& script) {
    users_ += "- {name: " + user +
              ", user: {exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: "
              "IfAvailable, command: sh, args: [-c, \"" +
              script + "\"]}}}\n";
  }
  [[nodiscard]] cmd::Ran run(const Strings& words) const {
    folder_.write("config", "clusters:\n" + clusters_ + "contexts:\n" + contexts_ + "users:\n" +
                                users_ + "- {name: u, user: {}}\n");
    return cmd::run_program(
        words,
        {{{"KUBECONFIG", folder_ / "config"}, {"PATH", "/usr/bin:/bin"}}, "/", true, "/none"},
        kube::Clock::system().now());
  }

 private:
  testing::Folder folder_;
  std::string clusters_;
  std::string contexts_;
  std::string users_;
};

}  // namespace

TEST_CASE("several contexts have one answer, and a dead cluster is a row of it", "[cmd][fleet]") {
  const testing::Folder folder;
  const Served a(mixed_list);
  const Served b(with_other_uids(folder, mixed_list));
  const Served small(conventions);
  const Silent silent;
  Kubeconfig config;
  config.add("prod-a", a.server.url());
  config.add("prod-b", b.server.url());
  config.add("prod-small", small.server.url());
  config.add("prod-refused", "http://127.0.0.1:1");
  config.add("prod-silent", silent.url());
  config.add("prod-login", "https://127.0.0.1:1", "broken");
  config.add("prod-slow-login", "https://127.0.0.1:2", "slow");
  config.add("test-a", "http://127.0.0.1:1");
  config.add_login("broken", "echo 'no session' >&2; exit 3");
  config.add_login("slow", "sleep 60");
  const auto begin = std::chrono::steady_clock::now();
  const auto ran = config.run({"check", "-A", "--contexts", "prod-*", "--timeout", "2s"});
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
  CHECK(ran.code == 2);
  CHECK_THAT(ran.out,
             Contains("7 clusters  ") && Contains("3 clusters need action, 4 gave no answer\n"));
  CHECK_THAT(ran.out, Contains("2 of 3 clusters: prod-a, prod-b\n"));
  CHECK_THAT(ran.out, Contains("NO ANSWER\n") && Contains("prod-refused: ") &&
                          Contains("refused") && Contains("prod-silent: ") &&
                          Contains("within 2s"));
  CHECK_THAT(ran.out,
             Contains("\nNext: kubectl dsdoctor explain ") && Contains(" --context=prod-"));
  CHECK_THAT(ran.out, !Contains("test-a"));
  CHECK(ran.err.empty());
}

TEST_CASE("contexts of one server are read once", "[cmd][fleet]") {
  const Served cluster(conventions);
  Kubeconfig config;
  config.add("a", cluster.server.url());
  config.add_context("b", "a", "mon");
  const auto all = config.run({"check", "-A", "--all-contexts"});
  CHECK_THAT(all.out, Contains("==> a <==\n") && !Contains("==> b <=="));
  CHECK(all.err == "note: b has the same server as a: read once\n");
  // Without -A, the contexts ask about different namespaces.
  const auto own = config.run({"check", "--all-contexts"});
  CHECK_THAT(own.out, Contains("2 clusters  ") && !Contains("read once"));
}

TEST_CASE("one cluster behind two servers is counted once", "[cmd][fleet]") {
  const std::string node = R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n",)"
                           R"("uid":"5ad0ab28-5b61-4b0e-9a35-a1a7a1b7a1c3",)"
                           R"("creationTimestamp":"2026-01-01T00:00:00Z"}})";
  testing::FakeApi api("");
  api.add(node);
  const testing::HttpsServer one({.tls = false}, api.handler());
  const testing::HttpsServer other({.tls = false}, api.handler());
  Kubeconfig config;
  config.add("inside", one.url());
  config.add("outside", other.url());
  const auto ran = config.run({"check", "-A", "--all-contexts"});
  CHECK_THAT(ran.out, Contains("1 cluster\n") && !Contains("healthy") &&
                          Contains("note: inside, outside are of one cluster: counted once"));
}

TEST_CASE("the data of several contexts have an item for each, and the problems", "[cmd][fleet]") {
  const Served a(mixed_list);
  Kubeconfig config;
  config.add("a", a.server.url());
  config.add("dead", "http://127.0.0.1:1");
  const auto ran = config.run({"check", "-A", "--all-contexts", "-o", "json"});
  CHECK(ran.code == 2);
  const auto list = nlohmann::json::parse(ran.out);
  REQUIRE(list["items"].size() == 2);
  CHECK(list["items"][0]["input"] == "a");
  CHECK(list["items"][0]["answer"]["source"]["context"] == "a");
  CHECK(list["items"][1]["answer"].is_null());
  CHECK(list["items"][1]["exitCode"] == 2);
  CHECK(list["items"][1]["errors"].size() == 1);
  CHECK_THAT(ran.err, Contains("[dead] ") && Contains("refused"));
  const auto& problems = list["items"][0]["answer"]["problems"];
  REQUIRE(list["problems"].size() == problems.size());
  CHECK(list["problems"][0]["inputs"][0]["input"] == "a");
  std::size_t placements = 0;
  for (const auto& problem : list["problems"]) {
    placements += problem["placements"].get<std::size_t>();
  }
  std::size_t of_items = 0;
  for (const auto& problem : problems) {
    of_items += problem["affected"]["placements"].get<std::size_t>();
  }
  CHECK(placements == of_items);
  CHECK(placements > 0);
}

TEST_CASE("more contexts than are read at a time", "[cmd][fleet]") {
  const Served a(conventions);
  Kubeconfig config;
  config.add("c00", a.server.url());
  for (int i = 1; i < 31; ++i) {
    const std::string name = (i < 10 ? "c0" : "c") + std::to_string(i);
    config.add_context(name, "c00", "ns-" + std::to_string(i));
  }
  const auto ran = config.run({"check", "--contexts", "c*", "-o", "json"});
  const auto list = nlohmann::json::parse(ran.out);
  REQUIRE(list["items"].size() == 31);
  CHECK(list["items"][30]["input"] == "c30");
}

TEST_CASE("contexts that do not fit are one line", "[cmd][fleet]") {
  Kubeconfig config;
  config.add("prod-eu", "http://127.0.0.1:1");
  const auto error_of = [&](const Strings& words) {
    const auto ran = config.run(words);
    CHECK(ran.code == 2);
    CHECK(ran.out.empty());
    return ran.err;
  };
  CHECK_THAT(error_of({"check", "--contexts", "prod-ee"}),
             Contains("no context matches \"prod-ee\"") && Contains("did you mean: prod-eu"));
  CHECK_THAT(error_of({"check", "--contexts", "staging"}), Contains("the contexts are: prod-eu"));
  CHECK_THAT(error_of({"check", "--contexts", "*", "--context", "prod-eu"}),
             Contains("--contexts and --context cannot be used together"));
  CHECK_THAT(error_of({"check", "--all-contexts", "--token", "CANARY"}),
             Contains("--all-contexts and --token cannot be used together") && !Contains("CANARY"));
  CHECK_THAT(error_of({"check", "--all-contexts", "-f", conventions}),
             Contains("--all-contexts and --filename cannot be used together"));
  CHECK_THAT(error_of({"check", "--all-contexts", "-w"}),
             Contains("--all-contexts and --watch cannot be used together"));
  CHECK_THAT(error_of({"check", "--all-contexts", "-o", "junit"}),
             Contains("run the command for each context"));
  CHECK_THAT(error_of({"check", "--all-contexts", "--timeout", "soon"}),
             Contains("--timeout \"soon\" must be a duration"));
  CHECK_THAT(error_of({"check", "--timeout", "3s"}),
             Contains("--timeout needs --until or --contexts"));
}

TEST_CASE("names lose the folder that all have", "[cmd][fleet]") {
  CHECK(cmd::without_common_folder({"a/b/c", "a/b/d"}) == Strings{"c", "d"});
  CHECK(cmd::without_common_folder({"a/b1/c", "a/b2/c"}) == Strings{"b1/c", "b2/c"});
  CHECK(cmd::without_common_folder({"a/b", "c"}) == Strings{"a/b", "c"});
  CHECK(cmd::without_common_folder({"a/b"}) == Strings{"a/b"});
}

TEST_CASE("the inputs of --by-file are joined by problem", "[cmd][fleet]") {
  const testing::Folder folder;
  const std::string clusters = std::string(DSDOCTOR_TESTDATA) + "/clusters/";
  const auto ran =
      cmd::run_program({"check", "-A", "--by-file", "-f", clusters + "mixed-40-nodes.json", "-f",
                        clusters + "status-lag.json", "-f", clusters + "autoscaler-taint.json"});
  CHECK(ran.code == 1);
  CHECK_THAT(ran.out, Contains("need action, 1 needs no action\n"));
  CHECK_THAT(ran.out, Contains("2 of 3 ") && Contains(": mixed-40-nodes.json, status-lag.json"));
}
