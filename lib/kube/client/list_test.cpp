// SPDX-License-Identifier: Apache-2.0
#include "kube/client/list.h"

#include <fmt/format.h>

#include <deque>
#include <future>
#include <map>
#include <mutex>

#include "kube/test_environment.h"

namespace dsdoctor::kube {
namespace {

using Catch::Matchers::Contains;

std::string page(const std::vector<std::string>& names, const std::string& token) {
  std::string items;
  for (const auto& name : names) {
    items += (items.empty() ? "" : ",") + std::string(R"({"metadata":{"name":")") + name + "\"}}";
  }
  return R"({"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":")" +
         token + R"("},"items":[)" + items + "]}";
}

const FakeAnswer expired{410,
                         R"({"kind":"Status","status":"Failure","reason":"Expired","code":410,)"
                         R"("message":"The provided continue parameter is too old"})"};

/// Returns each page's answers in order, and repeats the last one. A page is named by its token;
/// the first one by "", a list without limit by "all". Thread-safe: a page is fetched ahead.
class PagedTransport final : public Transport {
 public:
  using Pages = std::map<std::string, std::deque<FakeAnswer>>;
  explicit PagedTransport(Pages pages) : pages_(std::move(pages)) {}

  std::optional<TransportFailure> get(const HttpRequest& request,
                                      const Receiver& receiver) override {
    return FakeTransport({answer_for(request)}).get(request, receiver);
  }

  [[nodiscard]] std::vector<std::string> targets() const {
    const std::lock_guard lock(mutex_);
    return targets_;
  }

 private:
  FakeAnswer answer_for(const HttpRequest& request) {
    const std::lock_guard lock(mutex_);
    targets_.push_back(request.target);
    std::string name = request.target.find("limit=") == std::string::npos ? "all" : "";
    if (const auto at = request.target.find("continue="); at != std::string::npos) {
      name = request.target.substr(at + 9, request.target.find('&', at) - at - 9);
    }
    auto& answers = pages_.at(name);
    FakeAnswer answer = answers.front();
    if (answers.size() > 1) answers.pop_front();
    return answer;
  }

  mutable std::mutex mutex_;
  Pages pages_;
  std::vector<std::string> targets_;
};

struct ListSetting {
  Connection connection;
  std::vector<std::string> targets;
  std::vector<std::size_t> expected = {};  // first expected total at each number of objects

  ListAnswer read(PagedTransport::Pages pages) {
    PagedTransport transport(std::move(pages));
    const Clock clock{[] { return base::Time(); },
                      [](std::chrono::milliseconds, const std::atomic<bool>&) {}};
    CredentialSource credentials(connection, {}, clock);
    Client client(connection, transport, credentials, clock);
    const OnProgress on_progress = [&](const ListProgress& progress) {
      if (progress.objects < expected.size()) return;  // the split into chunks depends on threads
      expected.resize(progress.objects + 1);
      expected[progress.objects] = progress.expected;
    };
    auto answer = read_list(
        client,
        {"/api/v1/nodes", {{"labelSelector", "a=b"}}, "nodes", decode::Kind::Node, 2, on_progress});
    targets = transport.targets();
    return answer;
  }
};

std::vector<std::string> names_of(const ListAnswer& answer) {
  INFO((answer.failure ? base::to_string(answer.failure->error) : ""));
  CHECK_FALSE(answer.failure);
  std::vector<std::string> names;
  for (const auto& node : answer.cluster.nodes) names.push_back(node.meta.name.str());
  return names;
}

using Names = std::vector<std::string>;

TEST_CASE("pages are followed to the end", "[list]") {
  ListSetting s;
  const auto answer = s.read({{"", {{200, page({"a", "b"}, "t1")}}},
                              {"t1", {{200, page({}, "t2")}}},
                              {"t2", {{200, page({"c"}, "")}}}});
  CHECK(names_of(answer) == Names{"a", "b", "c"});
  CHECK(answer.resource_version == "7");
  REQUIRE(s.targets.size() == 3);
  CHECK(s.targets[0] == "/api/v1/nodes?labelSelector=a%3Db&limit=2");
  CHECK(s.targets[1] == "/api/v1/nodes?continue=t1&labelSelector=a%3Db&limit=2");
}

TEST_CASE("progress reports the server's total count", "[list]") {
  const auto counted = [](std::string text, int remaining) {
    const std::string field = R"("continue":)";
    return text.insert(text.find(field), fmt::format(R"("remainingItemCount":{},)", remaining));
  };
  ListSetting s;
  const auto answer = s.read({{"", {{200, counted(page({"a", "b"}, "t1"), 3)}}},
                              {"t1", {{200, counted(page({"c", "d"}, "t2"), 1)}}},
                              {"t2", {{200, page({"e"}, "")}}}});
  CHECK(names_of(answer).size() == 5);
  REQUIRE(s.expected.size() == 6);
  CHECK(s.expected[2] == 0);  // the total comes with the first page
  CHECK(s.expected[4] == 5);
  CHECK(s.expected[5] == 5);
}

TEST_CASE("an empty list is not an error", "[list]") {
  ListSetting s;
  const auto answer = s.read({{"", {{200, page({}, "")}}}});
  CHECK(names_of(answer).empty());
  CHECK(answer.cluster.nodes_known);
  const auto only = [&](const char* body) { return names_of(s.read({{"", {{200, body}}}})); };
  CHECK(only(R"({"kind":"NodeList","items":null,"metadata":{}})").empty());
  CHECK(only(R"({"items":[{"metadata":{"name":"x"}}],"metadata":{}})") == Names{"x"});
}

TEST_CASE("after a 410 the list restarts and then drops paging", "[list]") {
  ListSetting s;
  CHECK(names_of(s.read({{"", {{200, page({"gone"}, "t")}, {200, page({"a"}, "u")}}},
                         {"t", {expired}},
                         {"u", {{200, page({"b"}, "")}}}})) == Names{"a", "b"});
  CHECK(names_of(s.read({{"", {{200, page({"gone"}, "t")}}},
                         {"t", {expired}},
                         {"all", {{200, page({"a", "b", "c"}, "")}}}})) == Names{"a", "b", "c"});
  CHECK(s.targets.back() == "/api/v1/nodes?labelSelector=a%3Db");
  CHECK(s.read({{"", {{200, page({"gone"}, "t")}}}, {"t", {expired}}, {"all", {expired}}})
            .failure->status == 410);
}

TEST_CASE("a cut page is repeated and half a list is an error", "[list]") {
  ListSetting s;
  const auto cut = [](std::string whole) {
    whole.resize(whole.size() * 6 / 10);
    return FakeAnswer{200, whole, {{"Content-Type", "application/json"}}, TransportFault::CutBody};
  };
  const std::string first = page({"a", "b"}, "t1");
  const FakeAnswer last{200, page({"c"}, "")};
  SECTION("on the first page also dropping the page fetched ahead") {
    CHECK(names_of(s.read({{"", {cut(page({"old", "gone"}, "t0")), {200, first}}},
                           {"t0", {{200, page({"stale"}, "")}}},
                           {"t1", {last}}})) == Names{"a", "b", "c"});
  }
  SECTION("on a later page") {
    CHECK(names_of(s.read({{"", {{200, first}}}, {"t1", {cut(page({"c", "d"}, "")), last}}})) ==
          Names{"a", "b", "c"});
  }
  SECTION("on every attempt") {
    const auto failed = s.read({{"", {{200, first}}}, {"t1", {cut(page({"c", "d"}, ""))}}});
    CHECK(failed.failure);
    CHECK(failed.cluster.nodes.empty());
    // Three attempts per page; three more if some of its bytes were taken before it broke.
    CHECK(s.targets.size() >= 4);
    CHECK(s.targets.size() <= 7);
  }
  SECTION("detected by the JSON alone if close-delimited") {
    CHECK(names_of(s.read({{"", {{200, first.substr(0, first.size() - 2)}, {200, first}}},
                           {"t1", {{200, page({"c"}, "").substr(0, 70)}, last}}})) ==
          Names{"a", "b", "c"});
  }
}

TEST_CASE("a server that repeats its tokens is not queried forever", "[list]") {
  ListSetting s;
  const auto answer = s.read({{"", {{200, page({"a"}, "t")}}},
                              {"t", {{200, page({"b"}, "u")}}},
                              {"u", {{200, page({"c"}, "t")}}}});
  REQUIRE(answer.failure);
  CHECK_THAT(answer.failure->message, Contains("repeats a continue token"));
  CHECK(s.targets.size() == 3);
}

TEST_CASE("the next page is requested while the current one arrives", "[list]") {
  // The first page ends only after the second was requested.
  class Waiting final : public Transport {
   public:
    std::optional<TransportFailure> get(const HttpRequest& request,
                                        const Receiver& receiver) override {
      const bool second = request.target.find("continue=") != std::string::npos;
      const std::string body = second ? page({"c"}, "") : page({"a", "b"}, "t1");
      receiver.head({200, {{"Content-Type", "application/json"}}});
      receiver.body(body.substr(0, body.size() - 1));
      if (second) asked_.set_value();
      if (!second &&
          asked_.get_future().wait_for(std::chrono::seconds(10)) != std::future_status::ready) {
        return TransportFailure{TransportFault::TimedOut, {}};
      }
      receiver.body(body.substr(body.size() - 1));
      return std::nullopt;
    }

   private:
    std::promise<void> asked_;
  };
  Waiting transport;
  const Connection connection;
  CredentialSource credentials(connection, {}, Clock::system());
  Client client(connection, transport, credentials, Clock::system());
  CHECK(names_of(read_list(client, {"/api/v1/nodes", {}, "nodes", decode::Kind::Node, 2})) ==
        Names{"a", "b", "c"});
}

TEST_CASE("a 200 that is not a list is an error", "[list]") {
  ListSetting s;
  const auto error = [&](const FakeAnswer& answer) {
    const auto result = s.read({{"", {answer}}});
    REQUIRE(result.failure);
    return kubectl_line(result.failure->error);
  };
  CHECK(error({200, R"({"kind":"Status","status":"Failure","reason":"Forbidden","code":403,)"
                    R"("message":"no"})"}) == "Error from server (Forbidden): no");
  CHECK(error({200, ""}) == "Error from server: the answer is empty");
  CHECK_THAT(error({200, "<html>", {{"Content-Type", "text/html"}}}), Contains("text/html"));
  CHECK(error({200, "\x1f\x8b\x08"}) ==
        "Error from server: the answer is gzip-compressed data, expected JSON");
  CHECK(error({200, std::string("k8s\0\x0a", 5)}) ==
        "Error from server: the answer is a Kubernetes protobuf message, expected JSON");
  CHECK_THAT(error({200, page({"a"}, "") + R"({"kind":"Status","status":"Failure"})"}),
             Contains("/api/v1/nodes"));
}

}  // namespace
}  // namespace dsdoctor::kube
