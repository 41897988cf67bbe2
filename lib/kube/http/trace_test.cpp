// SPDX-License-Identifier: Apache-2.0
#include "kube/http/trace.h"

#include "kube/http/secrets.h"
#include "kube/test_environment.h"

namespace dsdoctor::kube {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

TraceEvent event() {
  TraceEvent event{"GET", "https://h:1/api/v1/nodes?limit=500", 200,
                   10,    std::chrono::milliseconds(31),        ""};
  event.request_headers = {{"Accept", "application/json"}, {"Authorization", "Bearer <masked>"}};
  event.response_headers = {{"Content-Type", "application/json"}};
  event.body = "{\"a\": \"\x1b\"}";
  event.times = {std::chrono::microseconds(1000), std::chrono::microseconds(3000),
                 std::chrono::microseconds(6000), std::chrono::microseconds(10'000)};
  return event;
}

TEST_CASE("each verbosity shows the same as kubectl", "[trace]") {
  const std::string line =
      "GET https://h:1/api/v1/nodes?limit=500 200 in 31 milliseconds, 10 bytes\n";
  const std::string headers =
      "Request Headers:\n    Accept: application/json\n    Authorization: Bearer <masked>\n";
  const std::string answer =
      "Response Headers:\n    Content-Type: application/json\nResponse Body: {\"a\": \"^[\"}\n";
  CHECK(trace_text(event(), 5).empty());
  CHECK(trace_text(event(), 6) == line);
  CHECK(trace_text(event(), 7) == line + headers);
  CHECK(trace_text(event(), 8) == line + headers + answer);
  CHECK(
      trace_text(event(), 9) ==
      "curl -v -XGET -H 'Accept: application/json' -H 'Authorization: Bearer <masked>' "
      "'https://h:1/api/v1/nodes?limit=500'\n" +
          line + headers +
          "HTTP Statistics: DNSLookup 1.0 ms Dial 2.0 ms TLSHandshake 3.0 ms ServerProcessing 4.0 "
          "ms Duration 31 ms\n" +
          answer);
  CHECK(trace_text(event(), 10) == trace_text(event(), 9));
}

TEST_CASE("text bodies are truncated and binary ones are dumped", "[trace][row 147]") {
  TraceEvent big = event();
  big.body = std::string(20'000, 'x');
  big.bytes = big.body.size();
  CHECK_THAT(trace_text(big, 8), Contains("x [truncated 18976 bytes]\n"));
  CHECK_THAT(trace_text(big, 9), Contains("x [truncated 9760 bytes]\n"));
  CHECK_THAT(trace_text(big, 10), !Contains("truncated"));
  big.body = std::string("k8s\0", 4) + std::string(2000, '\xff');
  big.bytes = big.body.size();
  const std::string text = trace_text(big, 8);
  CHECK_THAT(text,
             Contains("Response Body:\n00000000  6b 38 73 00 ff ff ff ff  ff ff ff ff ff ff ff "
                      "ff  |k8s.............|\n"));
  CHECK_THAT(text, Contains("\n000003f0  ") && !Contains("\n00000400  "));
  CHECK_THAT(text, EndsWith(" [truncated 980 bytes]\n"));
}

TEST_CASE("a body cut within a character is still text", "[trace]") {
  TraceEvent cut = event();
  cut.body = std::string(1023, 'x') + "\u00e9" + "yz";
  cut.bytes = cut.body.size();
  CHECK_THAT(trace_text(cut, 8), Contains("Response Body: xxx"));
}

TEST_CASE("a 429 names its priority level", "[trace]") {
  TraceEvent busy = event();
  busy.status = 429;
  busy.response_headers = {{"x-kubernetes-pf-flowschema-uid", "F"},
                           {"X-Kubernetes-PF-PriorityLevel-UID", "P"},
                           {"Retry-After", "1"}};
  CHECK_THAT(trace_text(busy, 6),
             EndsWith("X-Kubernetes-PF-FlowSchema-UID=F X-Kubernetes-PF-PriorityLevel-UID=P "
                      "Retry-After=1\n"));
}

TEST_CASE("a trace contains no terminal sequences or forged lines", "[trace][row 144]") {
  TraceEvent hostile = event();
  hostile.url = "https://h/x'\n\x1b]0;x\a";
  hostile.response_headers = {{"X\r", "a\nGET https://forged 200\x1b[2J"}};
  hostile.failure = "bad\nthing";
  hostile.body = "\x1b[2J\xe2\x80\xae";
  const std::string text = trace_text(hostile, 10);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find("\nGET https://forged") == std::string::npos);
  CHECK_THAT(text, StartsWith("curl -v -XGET") && Contains("x'\\'' ^[]0;xU+0007'\n"));
}

TEST_CASE("header values with credentials are masked", "[secrets][row 146]") {
  const auto [name, value, shown] = GENERATE(table<std::string, std::string, std::string>({
      {"Authorization", "Bearer CANARY", "Bearer <masked>"},
      {"authorization", "basic CANARY", "basic <masked>"},
      {"Authorization", "Negotiate CANARY x", "Negotiate <masked>"},
      {"Authorization", "Bearer", "Bearer"},
      {"Authorization", "Digest CANARY", "<masked>"},
      {"Authorization", "CANARY", "<masked>"},
      {"Authorization", "", ""},
      {"Proxy-Authorization", "Basic CANARY", "Basic <masked>"},
      {"Cookie", "CANARY", "<masked>"},
      {"set-cookie", "a=CANARY", "<masked>"},
      {"Location", "https://u:CANARY@h/x", "https://xxxxx@h/x"},
      {"Impersonate-User", "me", "me"},
      {"Accept", "application/json", "application/json"},
  }));
  CHECK(masked_value(name, value) == shown);
  CHECK(masked({{name, value}}).at(0).value == shown);
}

TEST_CASE("secrets that a server echoes are masked as well", "[secrets]") {
  CHECK(secrets_of("Bearer abcdef") == std::vector<std::string>{"abcdef"});
  CHECK(secrets_of("Basic " + encode_base64("me:secret")) ==
        std::vector<std::string>{encode_base64("me:secret"), "secret"});
  CHECK(secrets_of("").empty());
  CHECK(scrubbed("a secret, secretly", {"secret", "a", ""}) == "a <masked>, <masked>ly");
}

}  // namespace
}  // namespace dsdoctor::kube
