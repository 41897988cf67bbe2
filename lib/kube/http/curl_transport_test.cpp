// SPDX-License-Identifier: Apache-2.0
#include "kube/http/curl_transport.h"

#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <thread>

#include "kube/config/system_roots.h"
#include "kube/http/headers.h"
#include "kube/test_environment.h"
#include "testing/http_text.h"
#include "testing/https_server.h"
#include "testing/local_listener.h"
#include "testing/tunnel_proxy.h"

namespace dsdoctor::kube {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using testing::CertificateAuthority;
using testing::Fault;
using testing::HttpsServer;
using testing::Reply;
using testing::ServerOptions;

struct Got {
  ResponseHead head;
  std::string body;
  std::optional<TransportFailure> failure;
};

struct TransportSetting {
  CertificateAuthority ca;
  ServerOptions options{true, ca.issue_server()};
  Reply reply{200, "hello"};
  Connection connection;
  TransportLimits limits;
  std::vector<TraceEvent> trace;

  std::unique_ptr<HttpsServer> serve() {
    auto server = std::make_unique<HttpsServer>(options, [this](const auto&) { return reply; });
    connection.server = *parse_server_url(server->url());
    connection.tls.ca_pem = ca.certificate();
    connection.tls.ca_source = "test";
    return server;
  }
  Got get(const HttpRequest& request = {"/x", {{"Authorization", "Bearer CANARY"}}}) {
    CurlTransport transport(
        connection, user_agent("1.2.3"),
        [this](const TraceEvent& event) { trace.push_back(event); }, limits);
    return get_over(transport, request);
  }
  static Got get_over(Transport& transport, const HttpRequest& request) {
    Got got;
    got.failure = transport.get(request, {[&](const ResponseHead& head) {
                                            got.head = head;
                                            return true;
                                          },
                                          [&](std::string_view chunk) {
                                            got.body += chunk;
                                            return true;
                                          }});
    return got;
  }
  std::string error() {
    const Got got = get();
    REQUIRE(got.failure);
    for (const auto& event : trace) CHECK_THAT(event.url + event.failure, !Contains("CANARY"));
    CHECK_THAT(base::to_string(got.failure->error), !Contains("CANARY"));
    return base::to_string(got.failure->error);
  }
};

TEST_CASE("a GET over TLS verifies the server and is traced", "[transport]") {
  TransportSetting s;
  const auto server = s.serve();
  const Got got = s.get();
  REQUIRE_FALSE(got.failure);
  CHECK(got.head.status == 200);
  CHECK(got.head.media_type() == "application/json");
  CHECK(got.body == "hello");
  const auto request = server->requests().at(0);
  CHECK(request.header("authorization") == "Bearer CANARY");
  CHECK(request.header("user-agent") == "kubectl-dsdoctor/v1.2.3 (linux/amd64) kubernetes/unknown");
  CHECK(request.header("accept-encoding") == "gzip");
  REQUIRE(s.trace.size() == 1);
  CHECK(s.trace[0].url == server->url() + "/x");
  CHECK(s.trace[0].status == 200);
  CHECK(s.trace[0].bytes == 5);
}

TEST_CASE("the server's name is verified", "[transport][row 38]") {
  TransportSetting s;
  SECTION("tls-server-name is SNI and verified name but not the Host header") {
    s.options.identity = s.ca.issue({"x", {"DNS:b"}});
    const auto server = s.serve();
    s.connection.tls.server_name = "b";
    CHECK_FALSE(s.get().failure);
    CHECK(server->requests().at(0).sni == "b");
    CHECK(server->requests().at(0).header("host") == "127.0.0.1:" + std::to_string(server->port()));
  }
  SECTION("wrong name") {
    s.options.identity = s.ca.issue({"x", {"DNS:b", "DNS:c"}});
    const auto server = s.serve();
    CHECK(s.error() ==
          "Unable to connect to the server: tls: failed to verify certificate: x509: certificate "
          "is valid for b, c, not 127.0.0.1");
    CHECK(server->requests().empty());
  }
}

TEST_CASE("a certificate that is not trusted is an error", "[transport][row 92][row 93]") {
  TransportSetting s;
  SECTION("unknown authority") {
    const auto server = s.serve();
    s.connection.tls.ca_pem = CertificateAuthority().certificate();
    CHECK_THAT(s.error(), Contains("x509: certificate signed by unknown authority"));
    CHECK(server->requests().empty());
    s.connection.tls.ca_pem.clear();
    CHECK_THAT(s.error(), Contains("x509: certificate signed by unknown authority"));
    s.connection.tls.insecure = true;
    CHECK_FALSE(s.get().failure);
  }
  SECTION("SSL_CERT_FILE") {
    const TemporaryFolder folder;
    const auto server = s.serve();
    Environment environment;
    environment.variables["SSL_CERT_FILE"] = folder.write("ca", s.ca.certificate());
    s.connection.tls.ca_pem = system_roots(environment);
    CHECK_FALSE(s.get().failure);
  }
  SECTION("expired") {
    s.options.identity = s.ca.issue({"x", {"IP:127.0.0.1"}, -7200, -3600});
    const auto server = s.serve();
    CHECK_THAT(s.error(), Contains("x509: certificate has expired or is not yet valid: current "
                                   "time 20") &&
                              Contains(" is after "));
  }
  SECTION("not yet valid") {
    s.options.identity = s.ca.issue({"x", {"IP:127.0.0.1"}, 3600, 7200});
    const auto server = s.serve();
    CHECK_THAT(s.error(), Contains(" is before "));
  }
  SECTION("a CA that is not a certificate") {
    const auto server = s.serve();
    s.connection.tls.ca_pem = "-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----\n";
    CHECK_THAT(s.error(), StartsWith("Unable to connect to the server: "));
    CHECK(server->requests().empty());
  }
}

TEST_CASE("TLS below 1.2 is rejected", "[transport][row 90]") {
  TransportSetting s;
  s.options.max_tls_version = TLS1_1_VERSION;
  const auto server = s.serve();
  CHECK_THAT(s.error(), Contains("handshake"));
  CHECK(server->requests().empty());
}

TEST_CASE("client certificates authenticate the user", "[transport][row 43]") {
  TransportSetting s;
  s.options.client_ca = s.ca.certificate();
  s.options.require_client = true;
  const auto server = s.serve();
  const auto me = s.ca.issue_client("me");
  const auto with = [&](const std::string& certificate, const std::string& key) {
    return s.get({"/x", {}, certificate, key});
  };
  CHECK_FALSE(with(me.certificate, me.key).failure);
  CHECK(server->requests().at(0).client_name == "me");
  CHECK_THAT(s.error(), Contains("the server rejected the client certificate"));
  const auto mixed = with(me.certificate, s.ca.issue_client("other").key);
  REQUIRE(mixed.failure);
  CHECK_THAT(mixed.failure->error.what, Contains("cannot be used together"));
  SECTION("a rejected certificate is named with its expiry date") {
    const auto hint_of = [&](const testing::KeyPair& pair) {
      const auto refused = with(pair.certificate, pair.key);
      REQUIRE(refused.failure);
      CHECK_THAT(refused.failure->error.what,
                 Contains("the server rejected the client certificate"));
      return refused.failure->error.hints.at(0);
    };
    CHECK_THAT(hint_of(s.ca.issue({"old", {}, -7200, -3600})),
               StartsWith("the client certificate expired on 20"));
    CHECK_THAT(hint_of(CertificateAuthority().issue_client("me")),
               StartsWith("the client certificate is valid until 20"));
  }
}

TEST_CASE("gzip is accepted unless compression is disabled", "[transport][row 104][row 129]") {
  TransportSetting s;
  s.options.gzip = true;
  s.reply.body = std::string(1'000'000, 'x');
  const auto server = s.serve();
  CHECK(s.get().body == s.reply.body);
  CHECK(server->requests().at(0).header("accept-encoding") == "gzip");
  s.limits.body = 100'000;
  CHECK(s.get().failure->fault == TransportFault::TooLarge);
  s.limits.body = 1U << 30U;
  s.connection.disable_compression = true;
  CHECK(s.get().body == s.reply.body);
  CHECK(server->requests().back().headers.count("accept-encoding") == 0);
}

TEST_CASE("gzip data with several members is an error", "[transport]") {
  TransportSetting s;
  s.reply.body = testing::gzipped("one") + testing::gzipped("two");
  s.reply.headers.emplace("Content-Encoding", "gzip");
  const auto server = s.serve();
  const Got got = s.get();
  REQUIRE(got.failure);
  CHECK(got.failure->fault == TransportFault::CutBody);  // retried
  CHECK_THAT(got.failure->error.what, StartsWith("the answer cannot be decompressed"));
}

TEST_CASE("an answer with a content coding that was not offered names it", "[transport]") {
  TransportSetting s;
  s.reply.body = "anything";
  const auto server = s.serve();
  s.reply.headers = {{"Content-Encoding", "br"}};
  CHECK_THAT(s.error(), Contains("content coding \"br\", only gzip was offered"));
  s.reply.headers = {{"Content-Encoding", "gzip, zstd"}};
  CHECK_THAT(s.error(), Contains("content coding \"zstd\", only gzip was offered"));
  s.connection.disable_compression = true;
  s.reply.headers = {{"Content-Encoding", "gzip"}};
  CHECK_THAT(s.error(), Contains("content coding \"gzip\", none was offered"));
  s.reply.headers = {{"Content-Encoding", "identity"}};
  CHECK(s.get().body == "anything");
}

std::string frame(char type, char flags, int stream, std::string_view payload) {
  const auto size = payload.size();
  std::string result = {static_cast<char>(size >> 16U),
                        static_cast<char>(size >> 8U),
                        static_cast<char>(size),
                        type,
                        flags,
                        0,
                        0,
                        0,
                        static_cast<char>(stream)};
  return result.append(payload);
}

TEST_CASE("an HTTP/2 connection that ends says why", "[transport]") {
  constexpr char data = 0;
  constexpr char headers = 1;
  constexpr char reset = 3;
  constexpr char settings = 4;
  constexpr char goaway = 7;
  constexpr char end_headers = 4;
  const std::string begin = frame(settings, 0, 0, "");
  const std::string ok = frame(headers, end_headers, 1, "\x88");  // :status 200
  const auto code = [](char error) { return std::string{0, 0, 0, error}; };
  struct Row {
    std::string frames;
    std::string says;
  };
  const std::vector<Row> rows = {
      // Debian's libcurl does not pass on the code of a reset that comes before the head.
      {begin + frame(reset, 0, 1, code(2)),
       "before an answer: the server reset the stream or broke the protocol"},
      {begin + frame(goaway, 0, 0, code(0) + code(0)), "before an answer: GOAWAY, NO_ERROR"},
      {begin + frame(goaway, 0, 0, code(1) + code(11) + "x"), "GOAWAY, ENHANCE_YOUR_CALM"},
      {begin + frame(goaway, 0, 0, code(1) + code(99)), "GOAWAY, error 99"},
      {begin + ok + frame(data, 0, 1, "{") + frame(reset, 0, 1, code(2)),
       "HTTP/2 stream 1 was not closed cleanly: INTERNAL_ERROR"},
      {begin + std::string(64, '\xff'),
       "before an answer: the server reset the stream or broke the protocol"},
      {"HTTP/1.1 400 Bad Request\r\n\r\n",
       "before an answer: the server reset the stream or broke the protocol"},
      {begin, "the connection was closed before an answer: EOF"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.says);
    TransportSetting s;
    s.options.frames = [&row] { return row.frames; };
    const auto server = s.serve();
    const Got got = s.get();
    REQUIRE(got.failure);
    CHECK_THAT(got.failure->error.what, Contains(row.says));
  }
}

TEST_CASE("an incomplete answer is an error", "[transport][row 56][row 116]") {
  TransportSetting s;
  const auto server = s.serve();
  SECTION("cut body") {
    s.reply = {200, std::string(100'000, 'x')};
    s.reply.fault = Fault::CutBody;
    const Got got = s.get();
    REQUIRE(got.failure);
    CHECK(got.failure->fault == TransportFault::CutBody);
  }
  SECTION("closed before the head") {
    s.reply.fault = Fault::CloseBeforeHead;
    const Got got = s.get();
    REQUIRE(got.failure);
    CHECK(got.failure->fault == TransportFault::Lost);
  }
  SECTION("request timeout") {
    s.reply.fault = Fault::StallBeforeHead;
    s.connection.request_timeout = std::chrono::milliseconds(300);
    const Got got = s.get({"/x", {}, "", "", std::chrono::milliseconds(300)});
    REQUIRE(got.failure);
    CHECK(got.failure->fault == TransportFault::TimedOut);
    CHECK_THAT(got.failure->error.what, Contains("--request-timeout=300ms"));
  }
  SECTION("stall") {
    s.reply.fault = Fault::StallBeforeHead;
    s.limits.stall = std::chrono::milliseconds(100);  // counts from the first byte
    s.limits.first_byte = std::chrono::seconds(2);
    const auto begin = std::chrono::steady_clock::now();
    CHECK_THAT(s.error(), Contains("no data from 127.0.0.1") && Contains("for 2s"));
    CHECK(std::chrono::steady_clock::now() - begin > std::chrono::seconds(2));
  }
}

TEST_CASE("an unreachable server is reported in kubectl's words", "[transport][row 134][row 135]") {
  TransportSetting s;
  int port = 0;
  {
    const auto server = s.serve();
    port = server->port();
  }
  CHECK(s.error() == "The connection to the server 127.0.0.1:" + std::to_string(port) +
                         " was refused - did you specify the right host or port?");
  s.connection.server = *parse_server_url("https://no-such-host.invalid");
  CHECK(s.error() ==
        "Unable to connect to the server: dial tcp: lookup no-such-host.invalid: no such host");
}

TEST_CASE("http and https are not confused", "[transport]") {
  TransportSetting s;
  SECTION("https to an http server") {
    s.options.tls = false;
    const auto server = s.serve();
    s.connection.server.scheme = "https";
    CHECK_THAT(s.error(), Contains("server gave HTTP response to HTTPS client"));
  }
  SECTION("https to a server that speaks neither") {
    testing::LocalListener listener;
    listener.start([](int socket) {
      constexpr std::string_view greeting = "SSH-2.0-OpenSSH_9.0\r\n";
      (void)::send(socket, greeting.data(), greeting.size(), 0);
      std::array<char, 1024> hello{};
      (void)::recv(socket, hello.data(), hello.size(), 0);
    });
    s.connection.server = *parse_server_url("https://127.0.0.1:" + std::to_string(listener.port()));
    const Got got = s.get();
    REQUIRE(got.failure);
    CHECK_THAT(got.failure->error.what,
               EndsWith("does not speak TLS: first record does not look like a TLS handshake"));
    CHECK(got.failure->error.hints.empty());
  }
  SECTION("plain http works") {
    s.options.tls = false;
    const auto server = s.serve();
    CHECK(s.get({"/x", {}}).body == "hello");
  }
}

TEST_CASE("the transport does not follow redirects", "[transport][row 105]") {
  TransportSetting s;
  HttpsServer other({false, {}}, [](const auto&) { return Reply{}; });
  s.reply = {302, "", "", {{"Location", other.url() + "/y"}}};
  const auto server = s.serve();
  CHECK(s.get().head.status == 302);
  CHECK(other.requests().empty());
}

TEST_CASE("a proxy gets only CONNECT and its own credentials", "[transport][row 103]") {
  TransportSetting s;
  HttpsServer proxy({false, {}}, [](const auto&) { return Reply{407, "", ""}; });
  s.connection.server = *parse_server_url("https://api.test.invalid:6443");
  s.connection.tls.ca_pem = s.ca.certificate();
  s.connection.proxy = Proxy{*parse_proxy_url(proxy.url(), false), "proxy-url"};
  s.connection.proxy->url.user = "u";
  s.connection.proxy->url.password = "CANARYp";
  CHECK(s.error() ==
        "Unable to connect to the server: proxyconnect: Proxy Authentication Required");
  const auto request = proxy.requests().at(0);
  CHECK(request.method == "CONNECT");
  CHECK(request.target == "api.test.invalid:6443");
  CHECK(request.headers.count("authorization") == 0);
  CHECK_THAT(request.header("proxy-authorization"), StartsWith("Basic "));
}

/// Uses a name that only the proxy can resolve.
void use_unresolvable_name(TransportSetting& s, const std::string& proxy_url) {
  s.connection.server = *parse_server_url("https://api.test.invalid:6443");
  s.connection.tls.ca_pem = s.ca.certificate();
  s.connection.proxy = Proxy{*parse_proxy_url(proxy_url, false), "proxy-url"};
}

TEST_CASE("a SOCKS5 proxy resolves the name", "[transport][row 100]") {
  TransportSetting s;
  s.options.identity = s.ca.issue({"x", {"DNS:api.test.invalid"}});
  const auto server = s.serve();
  const testing::TunnelProxy proxy(testing::ProxyKind::Socks5, server->port());
  const std::string address = "127.0.0.1:" + std::to_string(proxy.port());
  SECTION("without a password") {
    use_unresolvable_name(s, "socks5://" + address);
    CHECK(s.get().body == "hello");
    CHECK(proxy.heads().at(0).empty());
  }
  SECTION("with a password") {
    use_unresolvable_name(s, "socks5://u:p%40@" + address);
    CHECK(s.get().body == "hello");
    CHECK(proxy.heads().at(0) == "u:p@");
  }
  CHECK(proxy.targets().at(0) == "api.test.invalid:6443");
  CHECK(server->requests().at(0).sni == "api.test.invalid");
}

TEST_CASE("an https proxy is verified with the cluster's CA", "[transport][row 103]") {
  TransportSetting s;
  s.options.identity = s.ca.issue({"x", {"DNS:api.test.invalid"}});
  const auto server = s.serve();
  const auto through = [&](const testing::KeyPair& identity) {
    const testing::TunnelProxy proxy(testing::ProxyKind::Https, server->port(), identity);
    use_unresolvable_name(s, "https://127.0.0.1:" + std::to_string(proxy.port()));
    const Got got = s.get();
    for (const std::string& head : proxy.heads()) CHECK_THAT(head, !Contains("CANARY"));
    return got;
  };
  CHECK(through(s.ca.issue_server()).body == "hello");
  CHECK(server->requests().at(0).header("authorization") == "Bearer CANARY");
  CHECK(through(CertificateAuthority().issue_server()).failure);
  CHECK(through(s.ca.issue({"127.0.0.1"})).failure);  // only a Common Name
  SECTION("tls-server-name is not used for the proxy") {
    s.options.identity = s.ca.issue({"x", {"DNS:b"}});
    const auto named = s.serve();
    const testing::TunnelProxy proxy(testing::ProxyKind::Https, named->port(), s.ca.issue_server());
    use_unresolvable_name(s, "https://127.0.0.1:" + std::to_string(proxy.port()));
    s.connection.tls.server_name = "b";
    CHECK(s.get().body == "hello");
    CHECK(proxy.targets().at(0) == "api.test.invalid:6443");
  }
}

TEST_CASE("a Common Name is not accepted as a name", "[transport][row 91]") {
  TransportSetting s;
  s.options.identity = s.ca.issue({"127.0.0.1"});
  const auto server = s.serve();
  CHECK_THAT(s.error(), Contains("certificate is not valid for any names, but wanted to match "
                                 "127.0.0.1") &&
                            Contains("Common Name"));
  CHECK(server->requests().empty());
  SECTION("not even for tls-server-name") {
    s.options.identity = s.ca.issue({"b"});
    const auto other = s.serve();
    s.connection.tls.server_name = "b";
    CHECK_THAT(s.error(), Contains("wanted to match b"));
    CHECK(other->requests().empty());
  }
  SECTION("it does not matter without verification") {
    s.connection.tls.ca_pem.clear();
    s.connection.tls.insecure = true;
    CHECK_FALSE(s.get().failure);
  }
}

TEST_CASE("the file .netrc is not read", "[transport][row 106]") {
  TransportSetting s;
  const TemporaryFolder home;
  home.write(".netrc", "machine 127.0.0.1 login netrc password CANARY\n");
  const char* before = std::getenv("HOME");
  const std::string saved = before == nullptr ? "" : before;
  ::setenv("HOME", home.root().c_str(), 1);
  const auto server = s.serve();
  CHECK_FALSE(s.get({"/x", {}}).failure);
  ::setenv("HOME", saved.c_str(), 1);
  CHECK(server->requests().at(0).headers.count("authorization") == 0);
}

TEST_CASE("HTTP/2 is offered unless it is disabled", "[transport][row 107]") {
  TransportSetting s;
  const auto server = s.serve();
  CHECK_FALSE(s.get().failure);
  CHECK(server->requests().at(0).alpn == "h2,http/1.1");
  s.connection.disable_http2 = true;
  CHECK_FALSE(s.get().failure);
  CHECK(server->requests().at(1).alpn == "http/1.1");
}

TEST_CASE("a server that stops sending ends in bounded time", "[transport]") {
  TransportSetting s;
  SECTION("within the body") {
    s.reply = {200, std::string(100'000, 'x')};
    s.reply.fault = Fault::StallWithinBody;
    const auto server = s.serve();
    s.limits.stall = std::chrono::seconds(1);
    CHECK_THAT(s.error(), Contains("no data from 127.0.0.1"));
  }
  SECTION("within the TLS handshake") {
    const int silent = testing::make_socket();
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    REQUIRE(::bind(silent, generic, size) == 0);
    REQUIRE(::listen(silent, 1) == 0);  // the kernel accepts, and nothing reads
    REQUIRE(::getsockname(silent, generic, &size) == 0);
    s.connection.server =
        *parse_server_url("https://127.0.0.1:" + std::to_string(ntohs(address.sin_port)));
    s.limits.handshake = std::chrono::milliseconds(300);  // far less than `connect`
    CHECK_THAT(s.error(), Contains("TLS handshake timeout") && Contains("300ms"));
    s.limits.handshake = std::chrono::seconds(10);
    s.limits.connect = std::chrono::milliseconds(300);
    CHECK_THAT(s.error(), Contains("TLS handshake timeout") && Contains("300ms"));
    ::close(silent);
  }
  SECTION("when the caller cancels") {
    s.reply.fault = Fault::StallBeforeHead;
    const auto server = s.serve();
    CurlTransport transport(s.connection, "t");
    const auto begin = std::chrono::steady_clock::now();
    const auto failure =
        transport.get({"/x"}, {[](const auto&) { return true; },
                               [](std::string_view) { return true; }, [] { return true; }});
    REQUIRE(failure);
    CHECK(failure->fault == TransportFault::Stopped);
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(3));
  }
}

TEST_CASE("endless headers are an error", "[transport]") {
  TransportSetting s;
  for (int i = 0; i < 40; ++i) s.reply.headers.emplace("X-Big", std::string(1000, 'x'));
  const auto server = s.serve();
  CHECK_FALSE(s.get().failure);
  s.limits.head = 20'000;
  CHECK_THAT(s.error(), Contains("the answer's headers are larger than 20000 bytes"));
}

TEST_CASE("a trace contains no credential", "[transport][row 146]") {
  TransportSetting s;
  s.limits.traced_body = 100;
  s.reply = {200, "you sent Bearer CANARY", "text/plain", {{"X-Echo", "CANARY"}}};
  const auto server = s.serve();
  CHECK(s.get().body == s.reply.body);
  REQUIRE(s.trace.size() == 1);
  const std::string text = trace_text(s.trace[0], 10);
  CHECK_THAT(text, !Contains("CANARY") && Contains("Authorization: Bearer <masked>") &&
                       Contains("Response Body: you sent Bearer <masked>") &&
                       Contains("User-Agent: kubectl-dsdoctor/v1.2.3"));
  CHECK(s.trace[0].times.tls > s.trace[0].times.connect);
}

TEST_CASE("a truncated trace contains no part of a credential", "[transport]") {
  TransportSetting s;
  s.limits.traced_body = 20;
  s.reply = {200, "you sent Bearer CANARY to the server", "text/plain", {}};
  const auto server = s.serve();
  CHECK(s.get().body == s.reply.body);
  REQUIRE(s.trace.size() == 1);
  CHECK(s.trace[0].body == "you sent Bearer <mas");
}

TEST_CASE("the receiver can stop the transfer", "[transport]") {
  TransportSetting s;
  s.reply.body = std::string(1'000'000, 'x');
  const auto server = s.serve();
  CurlTransport transport(s.connection, "t");
  const auto failure = transport.get(
      {"/x", {}}, {[](const auto&) { return true; }, [](std::string_view) { return false; }});
  REQUIRE(failure);
  CHECK(failure->fault == TransportFault::Stopped);
  CHECK_FALSE(TransportSetting::get_over(transport, {"/x", {}}).failure);
}

TEST_CASE("concurrent requests reuse connections", "[transport]") {
  TransportSetting s;
  s.reply.body = std::string(300'000, 'x');
  const auto server = s.serve();
  CurlTransport transport(s.connection, "t");
  std::vector<std::thread> threads;
  std::atomic<int> good = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 5; ++j) {
        const Got got = TransportSetting::get_over(transport, {"/x", {}});
        if (!got.failure && got.body == s.reply.body) ++good;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(good == 20);
  CHECK(server->connections() <= 6);
}

}  // namespace
}  // namespace dsdoctor::kube
