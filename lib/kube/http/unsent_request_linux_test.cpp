// SPDX-License-Identifier: Apache-2.0

// A request that could not be sent stays in the TLS session of its connection, which would send it
// instead of the next one.

#include <dlfcn.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cerrno>
#include <string>

#include "kube/http/curl_transport.h"
#include "kube/http/headers.h"
#include "testing/https_server.h"

namespace {

std::atomic<bool> next_record_fails = false;  // NOLINT(*-avoid-non-const-global-variables)

}  // namespace

/// Replaces the C library's: libcurl calls it, the test server does not.
extern "C" ssize_t send(int socket, const void* data, size_t size, int flags) {
  static auto* const original = reinterpret_cast<decltype(&send)>(::dlsym(RTLD_NEXT, "send"));
  constexpr char application_data = '\x17';  // a TLS record's type
  if (size > 5 && *static_cast<const char*>(data) == application_data &&
      next_record_fails.exchange(false)) {
    errno = ENOBUFS;  // a temporary error
    return -1;
  }
  return original(socket, data, size, flags);
}

namespace dsdoctor::kube {
namespace {

TEST_CASE("an answer belongs to its request even after an unsent one", "[transport]") {
  testing::CertificateAuthority ca;
  testing::HttpsServer server(
      // the unsolicited data of a TLS 1.3 server makes libcurl close the connection
      {.tls = true, .identity = ca.issue_server(), .max_tls_version = TLS1_2_VERSION},
      [](const testing::ServedRequest& request) {
        return testing::Reply{200, request.target};
      });
  Connection connection;
  connection.server = *parse_server_url(server.url());
  connection.tls.ca_pem = ca.certificate();
  CurlTransport transport(connection, user_agent("1.2.3"));
  const auto body_of = [&](const std::string& target) {
    std::string body;
    const auto failure = transport.get({target, {}}, {[](const ResponseHead&) { return true; },
                                                      [&](std::string_view chunk) {
                                                        body += chunk;
                                                        return true;
                                                      }});
    return failure ? base::to_string(failure->error) : body;
  };
  next_record_fails = true;
  CHECK(body_of("/a") ==
        "Unable to connect to the server: the connection was closed before an answer: EOF");
  REQUIRE_FALSE(next_record_fails);
  CHECK(body_of("/another") == "/another");
  CHECK(body_of("/third") == "/third");
  CHECK(server.requests().size() == 2);
  CHECK(server.connections() == 2);  // one was closed, the other one reused
}

}  // namespace
}  // namespace dsdoctor::kube
