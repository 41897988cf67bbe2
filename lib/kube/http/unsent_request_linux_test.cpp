// A request that could not be sent stays with the TLS session of its connection, which would send
// it in the place of the next one.

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

/// Instead of the C library's: libcurl calls it, the server of the tests does not.
extern "C" ssize_t send(int socket, const void* data, size_t size, int flags) {
  static auto* const original = reinterpret_cast<decltype(&send)>(::dlsym(RTLD_NEXT, "send"));
  constexpr char application_data = '\x17';  // a TLS record's type
  if (size > 5 && *static_cast<const char*>(data) == application_data &&
      next_record_fails.exchange(false)) {
    errno = ENOBUFS;  // which passes
    return -1;
  }
  return original(socket, data, size, flags);
}

namespace dsdoctor::kube {
namespace {

TEST_CASE("an answer belongs to its request, also after one that could not be sent",
          "[transport]") {
  testing::CertificateAuthority ca;
  testing::HttpsServer server(
      // what the server of a newer version sends of itself makes libcurl give the connection up
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
  CHECK(server.connections() == 2);  // one was given up, the other one used again
}

}  // namespace
}  // namespace dsdoctor::kube
