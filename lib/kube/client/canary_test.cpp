// SPDX-License-Identifier: Apache-2.0

// Row 146: every secret is a canary and every request fails; no output contains a canary.

#include "kube/client/api_error.h"
#include "kube/client/client.h"
#include "kube/config/resolve_connection.h"
#include "kube/http/curl_transport.h"
#include "kube/http/headers.h"
#include "kube/test_environment.h"
#include "testing/https_server.h"
#include "testing/tunnel_proxy.h"

namespace dsdoctor::kube {
namespace {

using testing::Fault;
using testing::HttpsServer;
using testing::Reply;
using testing::ServedRequest;

/// Echoes everything that it received, in headers and body.
Reply echo(const ServedRequest& request, int status) {
  Reply reply{status, "", "text/plain"};
  for (const auto& [name, value] : request.headers) {
    reply.body += name + ": " + value + "\n";
    reply.headers.emplace("X-Echo-" + name, value);
  }
  reply.headers.emplace("Set-Cookie", "session=CANARYcookie");
  reply.headers.emplace("Warning", "299 - \"old: " + request.header("authorization") + "\"");
  return reply;
}

Reply answer(const ServedRequest& request) {
  const std::string& path = request.path;
  if (path == "/redirect") {
    return {302, "", "", {{"Location", "https://u:CANARYredirect@elsewhere.invalid/"}}};
  }
  if (path == "/cut") {
    Reply reply = echo(request, 200);
    reply.fault = Fault::CutBody;
    return reply;
  }
  if (path == "/edge") {  // places the secret where messages are cut
    Reply reply = echo(request, 403);
    reply.body = std::string(2030 - reply.body.find("CANARY"), 'x') + reply.body;
    return reply;
  }
  if (path == "/close") {
    Reply reply;
    reply.fault = Fault::CloseBeforeHead;
    return reply;
  }
  return echo(request, path == "/ok" ? 200 : std::stoi(path.substr(1)));
}

/// All text that a run with -v=10 could print.
struct Output {
  std::string text;

  void add(const std::string& line) { text += line + "\n"; }
  void add(const base::Error& error) {
    add(kubectl_line(error));
    for (const std::string& hint : error.hints) add(hint);
  }
  void check() const {
    INFO(text);
    CHECK(text.find("CANARY") == std::string::npos);
    CHECK(text.find(encode_base64("CANARY").substr(0, 7)) == std::string::npos);
  }
};

void ask(const Connection& connection, const Environment& environment, Output& output) {
  FakeClock time;
  TransportLimits limits;
  limits.traced_body = traced_bytes(10);
  limits.stall = limits.first_byte = std::chrono::seconds(2);
  CurlTransport transport(
      connection, user_agent("1.2.3"),
      [&](const TraceEvent& event) { output.add(trace_text(event, 10)); }, limits);
  CredentialSource credentials(connection, environment, time.clock());
  Client client(connection, transport, credentials, time.clock());
  client.on_warning([&](const std::string& warning) { output.add(warning); });
  for (const char* path : {"/ok", "/400", "/401", "/403", "/404", "/429", "/500", "/503",
                           "/redirect", "/cut", "/close", "/edge"}) {
    std::string body;
    if (const auto failure = client.get_text({path, {}, "nodes"}, body)) {
      output.add(failure->error);
      output.add(failure->message);
    }
  }
}

/// Resolves the connection, records its notes and decisions, and sends the requests.
void run(const TemporaryFolder& folder, const std::string& cluster, const std::string& user,
         Output& output) {
  folder.write("kc", "current-context: c1\nclusters: [{name: k1, cluster: {" + cluster +
                         "}}]\nusers: [{name: u1, user: {" + user +
                         "}}]\ncontexts: [{name: c1, context: {cluster: k1, user: u1}}]\n");
  Environment environment;
  environment.variables["KUBECONFIG"] = folder.path("kc");
  environment.variables["PATH"] = "/usr/bin:/bin";
  environment.working_directory = folder.root();
  const auto connection = resolve_connection({}, environment);
  if (!connection) return output.add(connection.error());
  for (const auto& lines : {connection->notes, connection->warnings, connection->decisions}) {
    for (const std::string& line : lines) output.add(line);
  }
  ask(*connection, environment, output);
}

TEST_CASE("no output at any verbosity contains a secret", "[secrets][row 55][row 77][row 146]") {
  const testing::CertificateAuthority ca;
  const HttpsServer server({true, ca.issue_server()}, answer);
  const testing::TunnelProxy tunnel(testing::ProxyKind::Http, server.port());
  const HttpsServer refusing({false, {}},
                             [](const ServedRequest& request) { return echo(request, 407); });
  const TemporaryFolder folder;
  const std::string trust = ", certificate-authority-data: " + encode_base64(ca.certificate());
  const std::string here = "server: " + server.url() + trust;
  const auto through = [&](const std::string& proxy) {
    return "server: 'https://localhost:1'" + trust + ", proxy-url: '" + proxy + "'";
  };
  const auto port = [](int number) { return std::to_string(number); };
  const auto login = [&](const std::string& script) {
    return "exec: {command: " + folder.write_script("login", script) +
           ", apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, "
           "args: [CANARYargument], env: [{name: SECRET, value: CANARYenv}]}";
  };
  const std::string token = "token: CANARYtoken";
  const auto credential = [](const std::string& status) {
    return R"(echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":)" +
           status + "}'";
  };
  const std::pair<std::string, std::string> settings[] = {
      {here, token},
      {here, "username: me, password: CANARYpassword"},
      {here, login(credential(R"({"token":"CANARYexec"})"))},
      {"server: https://me:CANARYurl@127.0.0.1:" + port(server.port()) + trust, ""},
      {"server: http://me:CANARYurl@127.0.0.1:1", ""},
      {"server: ftp://me:CANARYurl@127.0.0.1:1", ""},
      {here, "token: \"CANARY\\nbroken\""},
      {here, "token: CANARYtoken, username: me, password: CANARYpassword"},
      {here, "client-certificate-data: " + encode_base64("CANARY") +
                 ", client-key-data: " + encode_base64("CANARY")},
      {here, "client-key-data: CANARY!"},
      {here, "client-certificate-data: " + encode_base64(ca.certificate()) + ", client-key-data: " +
                 encode_base64("-----BEGIN PRIVATE KEY-----\nCANARY\n-----END PRIVATE KEY-----\n")},
      {through("http://pu:CANARYproxy@127.0.0.1:" + port(tunnel.port())), token},
      {through("http://pu:CANARYproxy@127.0.0.1:" + port(refusing.port())), token},
      {through("http://pu:CANARYproxy@127.0.0.1:1"), token},
      {through("http://pu:CANARYproxy@127.0.0.1:x"), token},
      {through("ftp://pu:CANARYproxy@127.0.0.1"), token},
      {"server: " + server.url(), token},  // an untrusted authority
      {"server: https://127.0.0.1:1", token},
      {here, "auth-provider: {name: oidc, config: {id-token: CANARYid, refresh-token: CANARYr}}"},
  };
  Output output;
  for (const auto& [cluster, user] : settings) run(folder, cluster, user, output);
  for (const char* script : {"echo CANARYout; exit 3", "echo CANARYout", "exec yes CANARYout",
                             "echo '{\"kind\": \"CANARYkind\"}'"}) {
    run(folder, here, login(script), output);
  }
  output.check();
  // the canaries were sent
  CHECK(server.requests().size() > 40);
  CHECK_THAT(server.requests().at(0).header("authorization"), Catch::Contains("CANARY"));
  CHECK_THAT(output.text, Catch::Contains("Authorization: Bearer <masked>") &&
                              Catch::Contains("Authorization: Basic <masked>") &&
                              Catch::Contains("failed with exit code 3"));
}

}  // namespace
}  // namespace dsdoctor::kube
