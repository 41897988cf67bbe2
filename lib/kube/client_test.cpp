#include "kube/client.h"

#include "kube/retry.h"
#include "kube/test_environment.h"

namespace dsdoctor::kube {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using std::chrono::milliseconds;

struct Setting {
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
    auto failure = client.get_text(request, body);
    attempts = transport.requests.size();
    requests = transport.requests;
    warnings = client.take_warnings();
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

TEST_CASE("errors in kubectl's words", "[client]") {
  Setting s;
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
       "credentials go to the configured server only"},
      {{400, "Client sent an HTTP request to an HTTPS server.\n", {{"Content-Type", "text/plain"}}},
       "Error from server (BadRequest): the server rejected our request for an unknown reason (get "
       "nodes)"},
  }));
  s.answers = {answer};
  if (answer.status == 403 && answer.body.find("no\x1b") != std::string::npos) {
    CHECK_THAT(s.error(), StartsWith("Error from server"));  // an ESC is no JSON: the raw body
    CHECK(s.error().find('\x1b') == std::string::npos);
  } else {
    CHECK(s.error() == expected);
  }
  CHECK(s.attempts == 1);
}

TEST_CASE("a megabyte of HTML is cut", "[client]") {
  Setting s;
  s.answers = {{500, "<html>" + std::string(1U << 20U, 'x'), {{"Content-Type", "text/html"}}}};
  const auto failure = s.get();
  REQUIRE(failure);
  CHECK(failure->message.size() < 2300);
  CHECK_THAT(failure->error.hints.at(0), Contains("login page"));
}

TEST_CASE("what is repeated, how often, and after how long", "[client]") {
  Setting s;
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
  if (row.success) CHECK(s.body == "done");  // nothing of an attempt before
}

TEST_CASE("the error of an earlier attempt is mentioned", "[client]") {
  Setting s;
  s.answers = {status(503, "ServiceUnavailable", "first", {{"Retry-After", "0"}}),
               status(403, "Forbidden", "second")};
  CHECK(s.error() ==
        "Error from server (Forbidden): second - error from a previous attempt: Error from server "
        "(ServiceUnavailable): first");
}

TEST_CASE("the request timeout bounds all attempts together", "[client]") {
  Setting s;
  s.connection.request_timeout = milliseconds(90'000);
  s.answers = {status(503, "", "x", {{"Retry-After", "40"}})};
  CHECK(s.get());
  CHECK(s.attempts == 3);
  CHECK(s.requests[0].target == "/api/v1/nodes?timeout=1m30s");
  CHECK(s.requests[0].time_limit == milliseconds(90'000));
  CHECK(s.requests[2].time_limit == milliseconds(10'000));
}

TEST_CASE("401 renews the credential once", "[client]") {
  Setting s;
  TemporaryFolder folder;
  s.connection.identity.token_file = folder.write("t", "CANARY1");
  SECTION("nothing new") {
    s.answers = {status(401, "Unauthorized", "Unauthorized")};
    CHECK(s.error() == "error: You must be logged in to the server (Unauthorized)");
    CHECK(s.attempts == 1);
  }
  SECTION("a new token") {
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

TEST_CASE("requests carry what they should", "[client]") {
  Setting s;
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

TEST_CASE("406 falls back to JSON", "[client]") {
  Setting s;
  s.answers = {status(406, "NotAcceptable", "only the following media types are accepted"),
               {200, "done"}};
  GetRequest request{"/x", {}, "x"};
  request.accept = "application/vnd.kubernetes.protobuf";
  CHECK_FALSE(s.get(request));
  CHECK(header_of(s.requests[1], "Accept") == "application/json");
}

}  // namespace
}  // namespace dsdoctor::kube
