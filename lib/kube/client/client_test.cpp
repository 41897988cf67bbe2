// SPDX-License-Identifier: Apache-2.0
#include "kube/client/client.h"

#include <atomic>
#include <future>
#include <thread>

#include "kube/http/redirect.h"
#include "kube/http/retry.h"
#include "kube/test_environment.h"
#include "kube/text/base64.h"

namespace dsdoctor::kube {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using std::chrono::milliseconds;

struct ClientSetting {
  Connection connection;
  FakeClock time;
  std::vector<FakeAnswer> answers;
  std::string body;
  std::size_t attempts = 0;
  std::vector<HttpRequest> requests;
  std::vector<std::string> warnings;

  std::optional<ApiFailure> get(GetRequest request = {"/api/v1/nodes", {}, "nodes"}) {
    FakeTransport transport(answers);
    CredentialSource credentials(connection, {}, time.clock());
    Client client(connection, transport, credentials, time.clock());
    warnings.clear();
    client.on_warning([this](const std::string& warning) { warnings.push_back(warning); });
    auto failure = client.get_text(request, body);
    attempts = transport.requests.size();
    requests = transport.requests;
    return failure;
  }
  std::string error() {
    const auto failure = get();
    REQUIRE(failure);
    CHECK_THAT(kubectl_line(failure->error), !Contains("CANARY"));
    return kubectl_line(failure->error);
  }
};

FakeAnswer status(int code, const std::string& reason, const std::string& message,
                  std::vector<Header> headers = {}) {
  headers.push_back({"Content-Type", "application/json"});
  return {code,
          R"({"kind":"Status","status":"Failure","reason":")" + reason + R"(","message":")" +
              message + R"(","code":)" + std::to_string(code) + "}",
          headers};
}

FakeAnswer recorded(int code, const std::string& name) {
  std::ifstream stream(std::string(DSDOCTOR_TESTDATA) + "/wire/" + name);
  return {code, {std::istreambuf_iterator<char>(stream), {}}};
}

TEST_CASE("errors are reported in kubectl's words", "[client][row 136]") {
  ClientSetting s;
  const auto [answer, expected] = GENERATE(table<FakeAnswer, std::string>({
      {recorded(403, "status-403-nodes.json"),
       "Error from server (Forbidden): nodes is forbidden: User \"viewer\" cannot list resource "
       "\"nodes\" in API group \"\" at the cluster scope"},
      {recorded(401, "status-401.json"),
       "error: You must be logged in to the server (Unauthorized)"},
      {recorded(404, "status-404.json"),
       "Error from server (NotFound): daemonsets.apps \"none\" not found"},
      {{404, "404 page not found\n", {{"Content-Type", "text/plain"}}},
       "Error from server (NotFound): the server could not find the requested resource (get "
       "nodes)"},
      {{401, "", {}},
       "error: You must be logged in to the server (the server has asked for the client to provide "
       "credentials (get nodes))"},
      {status(422, "Invalid", "x is invalid"), "Error from server (Invalid): x is invalid"},
      {status(403, "", "no\x1b[2J"), "Error from server: an error"},
      {{418, "", {}},
       "Error from server: the server responded with the status code 418 but did not return more "
       "information (get nodes)"},
      {{500, "boom\x1b", {{"Content-Type", "text/plain"}}},
       "Error from server (InternalError): an error on the server (\"boom^[\") has prevented the "
       "request from succeeding (get nodes)"},
      {{500, "x", {{"Content-Type", "image/png"}}},
       "Error from server (InternalError): an error on the server (\"unknown\") has prevented the "
       "request from succeeding (get nodes)"},
      {{200, "<html>login", {{"Content-Type", "text/html; charset=utf-8"}}},
       "Error from server: the answer has the content type \"text/html\", expected "
       "application/json"},
      {{302, "", {{"Location", "https://evil/"}}},
       "Error from server: the server answered 302 with a redirect, which is not followed: "
       "only the same resource of the configured server is read"},
      {{400, "Client sent an HTTP request to an HTTPS server.\n", {{"Content-Type", "text/plain"}}},
       "Error from server (BadRequest): the server rejected our request for an unknown reason (get "
       "nodes)"},
  }));
  s.answers = {answer};
  if (answer.status == 403 && answer.body.find("no\x1b") != std::string::npos) {
    CHECK_THAT(s.error(), StartsWith("Error from server"));  // an ESC is not JSON: the raw body
    CHECK(s.error().find('\x1b') == std::string::npos);
  } else {
    CHECK(s.error() == expected);
  }
  CHECK(s.attempts == 1);
}

TEST_CASE("a megabyte of HTML is cut", "[client][row 143]") {
  ClientSetting s;
  s.answers = {{500, "<html>" + std::string(1U << 20U, 'x'), {{"Content-Type", "text/html"}}}};
  const auto failure = s.get();
  REQUIRE(failure);
  CHECK(failure->message.size() < 2300);
  CHECK_THAT(failure->error.hints.at(0), Contains("login page"));
}

TEST_CASE("each failure has its number of repetitions and its waits",
          "[client][row 138][row 139][row 140][row 141][row 142]") {
  ClientSetting s;
  const FakeAnswer ok{200, "done"};
  const auto fault = [](TransportFault what) {
    return FakeAnswer{200, "0123456789", {{"Content-Type", "application/json"}}, what};
  };
  struct Row {
    const char* name;
    std::vector<FakeAnswer> answers;
    bool success;
    std::size_t attempts;
    long slept;  // milliseconds
  };
  const auto busy = [](const char* after) {
    return status(429, "TooManyRequests", "busy", {{"Retry-After", after}});
  };
  const Row row = GENERATE_COPY(values<Row>({
      {"429 with Retry-After", {busy("1"), ok}, true, 2, 1000},
      {"429 without", {status(429, "TooManyRequests", "busy"), ok}, true, 2, 1000},
      {"503 for ever, asked to repeat",
       {status(503, "", "x", {{"Retry-After", "0"}})},
       false,
       11,
       0},
      {"503 for ever", {status(503, "", "x")}, false, 3, 3000},
      {"500", {status(500, "", "x")}, false, 1, 0},
      {"500 with a date",
       {status(500, "", "x", {{"Retry-After", "Wed, 21 Oct 2026 07:28:00 GMT"}})},
       false,
       1,
       0},
      {"a wait is capped", {busy("86400"), ok}, true, 2, 60'000},
      {"negative", {busy("-5"), ok}, true, 2, 0},
      {"lost before the head", {fault(TransportFault::Lost), ok}, true, 2, 1000},
      {"lost for ever", {fault(TransportFault::Lost)}, false, 11, 10'000},
      {"cut body", {fault(TransportFault::CutBody), ok}, true, 2, 500},
      {"cut for ever", {fault(TransportFault::CutBody)}, false, 3, 1500},
      {"ended before the head", {fault(TransportFault::Ended), ok}, true, 2, 1000},
      {"ended for ever", {fault(TransportFault::Ended)}, false, 3, 3000},
      {"refused", {fault(TransportFault::Refused)}, false, 1, 0},
      {"setup", {fault(TransportFault::Setup)}, false, 1, 0},
      {"timed out", {fault(TransportFault::TimedOut)}, false, 1, 0},
      {"403", {status(403, "Forbidden", "x")}, false, 1, 0},
      {"410", {status(410, "Expired", "x")}, false, 1, 0},
  }));
  CAPTURE(row.name);
  s.answers = row.answers;
  const auto failure = s.get();
  CHECK(failure.has_value() == !row.success);
  CHECK(s.attempts == row.attempts);
  milliseconds slept(0);
  for (const auto wait : s.time.slept) slept += wait;
  CHECK(slept.count() == row.slept);
  if (row.success) CHECK(s.body == "done");  // no bytes of an earlier attempt
}

TEST_CASE("the error of an earlier attempt is mentioned", "[client]") {
  ClientSetting s;
  s.answers = {status(503, "ServiceUnavailable", "first", {{"Retry-After", "0"}}),
               status(403, "Forbidden", "second")};
  CHECK(s.error() ==
        "Error from server (Forbidden): second - error from a previous attempt: Error from server "
        "(ServiceUnavailable): first");
}

TEST_CASE("the request timeout limits all attempts together", "[client]") {
  ClientSetting s;
  s.connection.request_timeout = milliseconds(90'000);
  s.answers = {status(503, "", "x", {{"Retry-After", "40"}})};
  CHECK(s.get());
  CHECK(s.attempts == 3);
  CHECK(s.requests[0].target == "/api/v1/nodes?timeout=1m30s");
  CHECK(s.requests[0].time_limit == milliseconds(90'000));
  CHECK(s.requests[2].time_limit == milliseconds(10'000));
}

TEST_CASE("401 renews the credential once", "[client][row 75]") {
  ClientSetting s;
  TemporaryFolder folder;
  s.connection.identity.token_file = folder.write("t", "CANARY1");
  SECTION("without a new credential") {
    s.answers = {status(401, "Unauthorized", "Unauthorized")};
    CHECK(s.error() == "error: You must be logged in to the server (Unauthorized)");
    CHECK(s.attempts == 1);
  }
  SECTION("with a new token") {
    struct Rotating final : Transport {
      std::function<void()> rotate;
      std::vector<std::string> seen;
      std::optional<TransportFailure> get(const HttpRequest& request,
                                          const Receiver& receiver) override {
        seen.push_back(header_of(request, "Authorization"));
        rotate();
        receiver.head({seen.size() == 1 ? 401 : 200, {}});
        return std::nullopt;
      }
    } transport;
    transport.rotate = [&] { folder.write("t", "CANARY2"); };
    CredentialSource credentials(s.connection, {}, s.time.clock());
    Client client(s.connection, transport, credentials, s.time.clock());
    std::string body;
    CHECK_FALSE(client.get_text({"/version", {}, "version"}, body));
    CHECK(transport.seen == std::vector<std::string>{"Bearer CANARY1", "Bearer CANARY2"});
  }
}

TEST_CASE("requests carry the credential and impersonation headers", "[client][row 145]") {
  ClientSetting s;
  s.connection.identity.token = "CANARY";
  s.connection.impersonation = {"x", "", {"g"}, {}};
  s.answers = {
      {200,
       "{}",
       {{"Warning", "299 - \"old API\""}, {"warning", "299 - \"old API\", 299 - \"older\""}}}};
  CHECK_FALSE(s.get({"/api/v1/pods", {{"limit", "1"}, {"continue", "a b"}}, "pods"}));
  CHECK(s.requests[0].target == "/api/v1/pods?continue=a+b&limit=1");
  CHECK(header_of(s.requests[0], "Authorization") == "Bearer CANARY");
  CHECK(header_of(s.requests[0], "Impersonate-User") == "x");
  CHECK(header_of(s.requests[0], "Accept") == "application/json");
  CHECK(s.warnings == std::vector<std::string>{"old API", "older"});
}

TEST_CASE("redirects within the server's origin are followed", "[client][row 105]") {
  ClientSetting s;
  s.connection.server = *parse_server_url("https://h:6443/prefix");
  s.connection.identity.token = "CANARY";
  const auto to = [](const std::string& location, int code = 302) {
    return FakeAnswer{code, "", {{"Location", location}}};
  };
  SECTION("to the same resource") {
    const auto [location, target] = GENERATE(table<std::string, std::string>({
        {"/other/api/v1/nodes?x=1#f", "/other/api/v1/nodes?x=1"},
        {"https://h:6443/api/v1/nodes", "/api/v1/nodes"},
        {"HTTPS://H:6443/k8s/clusters/c-1/api/v1/nodes", "/k8s/clusters/c-1/api/v1/nodes"},
        {"//h:6443/z/api/v1/nodes", "/z/api/v1/nodes"},
        {"nodes", "/prefix/api/v1/nodes"},
        {"?limit=1", "/prefix/api/v1/nodes?limit=1"},
    }));
    CAPTURE(location);
    s.answers = {to(location, 308), {200, "done"}};
    CHECK_FALSE(s.get());
    CHECK(s.body == "done");
    CHECK(s.requests.at(0).target == "/prefix/api/v1/nodes");
    CHECK(s.requests.at(1).target == target);
    CHECK(header_of(s.requests.at(1), "Authorization") == "Bearer CANARY");
  }
  SECTION("to no other target") {
    const std::string same = "/api/v1/nodes";
    const auto location = GENERATE_REF(
        // another origin, or none
        "http://h:6443" + same, "https://h" + same, "https://evil:6443" + same, "//evil" + same,
        "https://h:6443@evil" + same, "https://u:p@h:6443" + same, std::string("javascript:x"),
        "/a b" + same, std::string(), std::string("#"),
        // another resource, also if a pod or a service plays the same path
        std::string("/other"), std::string("https://h:6443"), std::string("pods"),
        std::string("/prefix/api/v1/nodes/n1"),
        std::string("/prefix/api/v1/secrets?a=/api/v1/nodes"),
        "/api/v1/namespaces/x/pods/y/proxy" + same, "/apis/evil.example/v1" + same,
        "/%61pi/v1/namespaces/x/services/y/proxy" + same, "/api/../x" + same,
        // other objects
        same + "?labelSelector=a%3Db", same + "?continue=x", same + "?limit=1&fieldSelector=x");
    CAPTURE(location);
    s.answers = {to(location)};
    CHECK_THAT(s.error(), Contains("which is not followed"));
    CHECK(s.attempts == 1);
  }
  SECTION("at most ten times") {
    s.answers = {to("/again/api/v1/nodes")};
    CHECK(s.error() == "Error from server: stopped after 10 redirects");
    CHECK(s.attempts == 11);
  }
}

TEST_CASE("a server's error does not show the credential", "[client][row 146]") {
  ClientSetting s;
  s.connection.identity.token = "CANARY";
  s.answers = {status(403, "Forbidden", "token CANARY may not")};
  CHECK(s.error() == "Error from server (Forbidden): token <masked> may not");
}

TEST_CASE("a long wait is announced once", "[client]") {
  ClientSetting s;
  s.answers = {status(429, "TooManyRequests", "busy", {{"Retry-After", "5"}}),
               status(429, "TooManyRequests", "busy", {{"Retry-After", "6"}}),
               status(429, "TooManyRequests", "busy", {{"Retry-After", "7"}}),
               {200, "done"}};
  FakeTransport transport(s.answers);
  CredentialSource credentials(s.connection, {}, s.time.clock());
  Client client(s.connection, transport, credentials, s.time.clock());
  std::vector<std::string> announced;
  client.on_long_wait([&](milliseconds time, const ApiFailure& why) {
    announced.push_back(std::to_string(time.count()) + " " + why.message);
  });
  CHECK_FALSE(client.get_text({"/x", {}, "x"}, s.body));
  CHECK(announced == std::vector<std::string>{"6000 busy"});
}

TEST_CASE("our own waits are randomized and the server's are not", "[client]") {
  RetryBudget budget([] { return 1.0; });
  CHECK(budget.after_answer({503, {}}) == milliseconds(1250));
  CHECK(budget.after_answer({503, {}}) == milliseconds(2500));
  CHECK(budget.after_answer({503, {{"Retry-After", "3"}}}) == milliseconds(3000));
  CHECK(budget.after_broken_body() == milliseconds(625));
}

TEST_CASE("a wait ends when the request is cancelled", "[client]") {
  const Clock clock = Clock::system();
  const std::atomic<bool> stop = true;
  const auto begin = std::chrono::steady_clock::now();
  clock.sleep(std::chrono::minutes(1), stop);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
  CHECK(clock.random() < 1.0);
}

TEST_CASE("a 400 for a selector is shown in the server's words", "[client][row 130]") {
  ClientSetting s;
  s.answers = {status(400, "BadRequest", "field label not supported: spec.foo")};
  CHECK(s.error() == "Error from server (BadRequest): field label not supported: spec.foo");
}

TEST_CASE("406 falls back to JSON", "[client][row 114]") {
  ClientSetting s;
  s.answers = {status(406, "NotAcceptable", "only the following media types are accepted"),
               {200, "done"}};
  GetRequest request{"/x", {}, "x"};
  request.accept = "application/vnd.kubernetes.protobuf";
  CHECK_FALSE(s.get(request));
  CHECK(header_of(s.requests[1], "Accept") == "application/json");
}

TEST_CASE("a credential with a line break never gets into a header", "[client]") {
  ClientSetting s;
  s.connection.identity.auth_provider =
      AuthProvider{"oidc", {{"id-token", "e30.eyJleHAiOjQwMDAwMDAwMDB9.c\r\nX-Injected: CANARY"}}};
  s.answers = {{}};
  CHECK_THAT(s.error(), Contains("invalid header field value for \"Authorization\""));
  CHECK(s.requests.empty());
}

TEST_CASE("the token is used if the token file cannot be read", "[client]") {
  ClientSetting s;
  s.connection.identity.token = "T1";
  s.connection.identity.token_file = "/nope";
  s.answers = {{}};
  CHECK_FALSE(s.get());
  CHECK(header_of(s.requests.at(0), "Authorization") == "Bearer T1");
}

TEST_CASE("a proxy's credentials are masked when it echoes them", "[client]") {
  ClientSetting s;
  s.connection.proxy = Proxy{*parse_url("http://user:Pr0xyCANARY@p:3128"), "proxy-url"};
  s.answers = {status(500, "InternalError",
                      "seen: Basic " + encode_base64("user:Pr0xyCANARY") + " and Pr0xyCANARY")};
  const std::string text = s.error();
  CHECK_THAT(text, Contains("<masked>"));
  CHECK_THAT(text, !Contains(encode_base64("user:Pr0xyCANARY")));
}

TEST_CASE("a request without retries is sent once", "[client]") {
  ClientSetting s;
  s.answers = {{503, "{}", {{"Retry-After", "60"}}}};
  GetRequest request{"/version", {}, "version"};
  request.repeats = false;
  CHECK(s.get(request));
  CHECK(s.attempts == 1);
  CHECK(s.time.slept.empty());
}

/// Counts concurrent requests.
class CountingTransport final : public Transport {
 public:
  std::optional<TransportFailure> get(const HttpRequest&, const Receiver& receiver) override {
    const int now = ++running_;
    int seen = most;
    while (now > seen && !most.compare_exchange_weak(seen, now)) {
    }
    std::this_thread::sleep_for(milliseconds(20));
    (void)receiver.head({200, {{"Content-Type", "application/json"}}});
    (void)receiver.body("{}");
    --running_;
    return std::nullopt;
  }
  std::atomic<int> most = 0;

 private:
  std::atomic<int> running_ = 0;
};

TEST_CASE("at most four requests run at a time", "[client]") {
  CountingTransport transport;
  FakeClock time;
  const Connection connection;
  CredentialSource credentials(connection, {}, time.clock());
  Client client(connection, transport, credentials, time.clock());
  std::vector<std::future<bool>> all;
  for (int i = 0; i < 12; ++i) {
    all.push_back(std::async(std::launch::async, [&] {
      std::string body;
      return client.get_text({"/x", {}, "x"}, body).has_value();
    }));
  }
  for (auto& each : all) CHECK_FALSE(each.get());
  CHECK(transport.most == 4);
  const auto first = client.try_slot();
  const auto second = client.try_slot();
  const auto third = client.try_slot();
  CHECK(client.try_slot());  // and released immediately
  const auto fourth = client.try_slot();
  CHECK(fourth);
  CHECK_FALSE(client.try_slot());
}

}  // namespace
}  // namespace dsdoctor::kube
