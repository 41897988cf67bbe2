// SPDX-License-Identifier: Apache-2.0

// Servers that never end their answers.

#include <fmt/format.h>

#include "kube/client/list.h"
#include "kube/http/curl_transport.h"
#include "kube/test_environment.h"
#include "testing/https_server.h"

namespace dsdoctor::kube {
namespace {

using Catch::Matchers::Contains;
using testing::Fault;

/// Every page has two new nodes and a new token.
class EndlessPages final : public Transport {
 public:
  /// `remaining`: the server's count of remaining objects on each page; empty: none.
  explicit EndlessPages(std::string remaining, std::size_t pages = 100'000)
      : remaining_(std::move(remaining)), pages_(pages) {}

  std::optional<TransportFailure> get(const HttpRequest& /*request*/,
                                      const Receiver& receiver) override {
    const std::size_t n = asked_++;
    if (n >= pages_) return TransportFailure{TransportFault::Lost, {}};
    const std::string body = fmt::format(
        R"({{"kind":"NodeList","apiVersion":"v1","metadata":{{"continue":"t{0}"{1}}},)"
        R"("items":[{{"metadata":{{"name":"a{0}"}}}},{{"metadata":{{"name":"b{0}"}}}}]}})",
        n, remaining_);
    receiver.head({200, {{"Content-Type", "application/json"}}});
    if (!receiver.body(body)) return TransportFailure{TransportFault::Stopped, {}};
    return std::nullopt;
  }
  [[nodiscard]] std::size_t asked() const { return asked_; }

 private:
  std::string remaining_;
  std::size_t pages_;
  std::atomic<std::size_t> asked_ = 0;
};

std::string error_of(Transport& transport, const ListLimits& limits) {
  const Connection connection;
  FakeClock time;
  CredentialSource credentials(connection, {}, time.clock());
  Client client(connection, transport, credentials, time.clock());
  ListRequest request{"/api/v1/nodes", {}, "nodes", decode::Kind::Node, 2};
  request.limits = limits;
  const auto answer = read_list(client, request);
  REQUIRE(answer.failure);
  CHECK(answer.cluster.nodes.empty());
  return base::to_string(answer.failure->error);
}

TEST_CASE("a list with ever-new tokens and objects ends", "[endless]") {
  SECTION("by its number of objects") {
    EndlessPages pages("");
    CHECK(error_of(pages, {.objects = 1000}) ==
          "/api/v1/nodes: the list does not end: it has more than 1000 objects");
    CHECK(pages.asked() <= 503);
  }
  SECTION("by its number of bytes") {
    EndlessPages pages("");
    CHECK(error_of(pages, {.bytes = 50'000}) ==
          "/api/v1/nodes: the list does not end: it has more than 50000 bytes");
  }
  SECTION("by a server's own count that does not fall") {
    EndlessPages pages(R"(,"remainingItemCount":10)");
    CHECK(error_of(pages, {.uncounted = 100}) ==
          "/api/v1/nodes: the list does not end: the server counted 12 objects, and has sent 126");
  }
  SECTION("but a large list with a wrong count does not") {
    EndlessPages pages(R"(,"remainingItemCount":10)", 5000);
    CHECK_THAT(error_of(pages, {}), !Contains("does not end"));
    CHECK(pages.asked() > 5000);
  }
}

TEST_CASE("a list of a million pods is within the limits", "[endless]") {
  CHECK(ListLimits().objects >= 2'000'000);
  CHECK(ListLimits().bytes / 1'000'000 >= 30'000);  // bytes per pod
}

TEST_CASE("an endless stream of warnings is cut", "[endless]") {
  FakeAnswer answer{200, "done"};
  for (int i = 0; i < 500; ++i) {
    answer.headers.push_back(
        {"Warning", fmt::format("299 - \"{} {}\"", i, std::string(5000, 'x'))});
  }
  FakeTransport transport({answer});
  const Connection connection;
  FakeClock time;
  CredentialSource credentials(connection, {}, time.clock());
  Client client(connection, transport, credentials, time.clock());
  std::vector<std::string> warnings;
  client.on_warning([&](const std::string& text) { warnings.push_back(text); });
  std::string body;
  for (int i = 0; i < 3; ++i) CHECK_FALSE(client.get_text({"/x", {}, "x"}, body));
  REQUIRE(warnings.size() == 21);
  CHECK_THAT(warnings[19], Catch::Matchers::StartsWith("19 xxx"));
  CHECK(warnings.back() == "the server has more warnings, which are not shown");
  for (const std::string& warning : warnings) CHECK(warning.size() <= 1010);
}

TEST_CASE("endless answers on the wire end with an error", "[endless]") {
  struct Row {
    Fault fault;
    const char* said;
  };
  const Row row = GENERATE(Row{Fault::EndlessHeads, "the answer's headers are larger than"},
                           Row{Fault::EndlessHeaders, "the answer's headers are larger than"},
                           Row{Fault::EndlessBody, "the answer is larger than"});
  testing::Reply reply{200, std::string(8000, ' ')};
  reply.fault = row.fault;
  const testing::CertificateAuthority ca;
  const testing::HttpsServer server({true, ca.issue_server()},
                                    [&](const testing::ServedRequest&) { return reply; });
  Connection connection;
  connection.server = *parse_server_url(server.url());
  connection.tls.ca_pem = ca.certificate();
  TransportLimits limits;
  limits.body = 3'000'000;
  CurlTransport transport(connection, "t", {}, limits);
  CredentialSource credentials(connection, {}, Clock::system());
  Client client(connection, transport, credentials, Clock::system());
  const auto answer = read_list(client, {"/api/v1/nodes", {}, "nodes", decode::Kind::Node, 2});
  REQUIRE(answer.failure);
  CHECK_THAT(base::to_string(answer.failure->error), Contains(row.said));
  CHECK(server.requests().size() == 1);
  std::string text;
  const auto failure = client.get_text({"/version", {}, "version"}, text);
  REQUIRE(failure);
  CHECK_THAT(base::to_string(failure->error), Contains(row.said));
}

}  // namespace
}  // namespace dsdoctor::kube
