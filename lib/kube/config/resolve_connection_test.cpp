// SPDX-License-Identifier: Apache-2.0
#include "kube/config/resolve_connection.h"

#include "kube/test_environment.h"
#include "testing/certificates.h"

namespace dsdoctor::kube {
namespace {

using base::ErrorKind;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

/// A kubeconfig `kc` with context c1, cluster k1 and user u1; tests may add fields.
struct ConnectionSetting {
  TemporaryFolder folder;
  Environment environment;
  ConfigFlags flags;
  std::string cluster = "server: https://127.0.0.1:6443";
  std::string user = "token: CANARY1";
  std::string context = "cluster: k1, user: u1";
  std::string current = "c1";
  std::string ca = testing::CertificateAuthority().certificate();

  ConnectionSetting() {
    environment.working_directory = folder.root();
    environment.service_account_dir = folder.path("sa");
  }

  base::Result<Connection> resolve() {
    folder.write("kc", "current-context: " + current + "\nclusters: [{name: k1, cluster: {" +
                           cluster + "}}]\nusers: [{name: u1, user: {" + user +
                           "}}]\ncontexts: [{name: c1, context: {" + context + "}}]\n");
    environment.variables["KUBECONFIG"] = folder.path("kc");
    return resolve_connection(flags, environment);
  }
  Connection ok() {
    auto connection = resolve();
    INFO((connection ? std::string() : base::to_string(connection.error())));
    REQUIRE(connection);
    return std::move(*connection);
  }
  std::string error() {
    const auto connection = resolve();
    REQUIRE_FALSE(connection);
    const std::string text = base::to_string(connection.error());
    CHECK_THAT(text, !Contains("CANARY"));
    for (const auto& hint : connection.error().hints) CHECK_THAT(hint, !Contains("CANARY"));
    return text;
  }
  void in_pod() {
    environment.variables["KUBERNETES_SERVICE_HOST"] = "10.0.0.1";
    environment.variables["KUBERNETES_SERVICE_PORT"] = "443";
    folder.write("sa/token", "POD\n");
    folder.write("sa/ca.crt", ca);
    folder.write("sa/namespace", "podns\n");
  }
};

TEST_CASE("a context leads to a server and a token", "[connection]") {
  ConnectionSetting s;
  const Connection c = s.ok();
  CHECK(server_text(c) == "https://127.0.0.1:6443");
  CHECK(c.context == "c1");
  CHECK(c.ns == "default");
  CHECK(c.identity.token == "CANARY1");
  CHECK(c.tls.ca_source == "the system's roots");
  CHECK(c.request_timeout.count() == 0);
}

TEST_CASE("a name that is not defined is an error",
          "[connection][row 31][row 32][row 33][row 34][row 35][row 36]") {
  ConnectionSetting s;
  SECTION("context") {
    s.flags.context = "nope";
    CHECK(s.error() == "context \"nope\" does not exist");
  }
  SECTION("current-context") {
    s.current = "nope";
    CHECK(s.error() == "Error in configuration: context was not found for specified context: nope");
  }
  SECTION("cluster") {
    s.flags.cluster = "nope";
    CHECK(s.error() == "cluster \"nope\" does not exist");
  }
  SECTION("the user is checked first") {
    s.flags.user = "nope";
    s.flags.context = "nope2";
    CHECK(s.error() == "auth info \"nope\" does not exist");
  }
  SECTION("the cluster of a context") {
    s.context = "cluster: gone, user: u1";
    CHECK(s.error() == "context \"c1\": refers to cluster \"gone\", which is not defined");
    s.flags.server = "https://h";
    CHECK(server_text(s.ok()) == "https://h");
  }
  SECTION("requests are anonymous if a context's user is missing") {
    s.context = "cluster: k1, user: gone";
    const Connection c = s.ok();
    CHECK(c.identity.token.empty());
    CHECK(c.notes.size() == 1);
    CHECK(c.anonymous_because ==
          "context \"c1\" refers to user \"gone\", which is not defined: requests are anonymous");
  }
  SECTION("names are case-sensitive") {
    s.flags.context = "C1";
    CHECK(s.error() == "context \"C1\" does not exist");
  }
}

TEST_CASE("a default server is used if nothing names a server", "[connection]") {
  ConnectionSetting s;
  s.current = "''";
  CHECK(server_text(s.ok()) == "http://localhost:8080");
  CHECK(s.ok().server_is_default);
  s.environment.variables["KUBERNETES_MASTER"] = "http://master:1";
  CHECK(server_text(s.ok()) == "http://master:1");
}

TEST_CASE("flags override the kubeconfig",
          "[connection][row 24][row 37][row 38][row 39][row 40][row 41][row 42][row 43]"
          "[row 47][row 48][row 49][row 57][row 58]") {
  ConnectionSetting s;
  SECTION("--server drops the kubeconfig's tls-server-name") {
    s.cluster += ", tls-server-name: a";
    CHECK(s.ok().tls.server_name == "a");
    s.flags.server = "https://127.0.0.1:1";
    CHECK(s.ok().tls.server_name.empty());
    s.flags.tls_server_name = "b";
    CHECK(s.ok().tls.server_name == "b");
    CHECK(s.ok().identity.token == "CANARY1");
  }
  SECTION("a CA flag ends insecure-skip-tls-verify") {
    s.cluster += ", insecure-skip-tls-verify: true";
    CHECK(s.ok().tls.insecure);
    CHECK(s.ok().warnings.size() == 1);
    s.folder.write("ca.crt", s.ca);
    s.flags.certificate_authority = "ca.crt";
    CHECK_FALSE(s.ok().tls.insecure);
    CHECK(s.ok().tls.ca_pem == s.ca);
    s.flags.insecure_skip_tls_verify = true;
    CHECK_THAT(s.error(), Contains("root certificates file with the insecure flag"));
  }
  SECTION("--insecure-skip-tls-verify drops the CA") {
    s.cluster += ", certificate-authority-data: " + encode_base64(s.ca);
    CHECK(s.ok().tls.ca_pem == s.ca);
    s.flags.insecure_skip_tls_verify = true;
    CHECK(s.ok().tls.insecure);
    CHECK(s.ok().tls.ca_pem.empty());
  }
  SECTION("--token overrides token and tokenFile and exec") {
    s.flags.token = "CANARY2";
    CHECK(s.ok().identity.token == "CANARY2");
    s.user = "tokenFile: t";
    CHECK(s.ok().identity.token == "CANARY2");
    CHECK(s.ok().identity.token_file.empty());
    s.user = "exec: {command: x, apiVersion: client.authentication.k8s.io/v1beta1}";
    CHECK_FALSE(s.ok().identity.exec);
  }
  SECTION("a certificate flag keeps the kubeconfig's key") {
    const auto pair = testing::CertificateAuthority().issue_client("me");
    s.user = "client-certificate: gone, client-key-data: " + encode_base64(pair.key);
    s.flags.client_certificate = s.folder.write("c.pem", pair.certificate);
    CHECK(s.ok().tls.client_cert_pem == pair.certificate);
    CHECK(s.ok().tls.client_key_pem == pair.key);
  }
  SECTION("impersonation") {
    s.user = "as: a, as-groups: [g], as-user-extra: {k: [v], l: [w]}";
    s.flags.as = "b";
    s.flags.as_user_extra = {"k=1", "k=2", "wrong"};
    const Connection c = s.ok();
    CHECK(c.impersonation.user == "b");
    CHECK(c.impersonation.groups == std::vector<std::string>{"g"});
    CHECK(c.impersonation.extra.at("k") == std::vector<std::string>{"1", "2"});
    CHECK(c.impersonation.extra.at("l") == std::vector<std::string>{"w"});
    CHECK(c.warnings.size() == 1);
    s.flags.as_groups = {"x,y"};
    CHECK(s.ok().impersonation.groups == std::vector<std::string>{"x,y"});
  }
  SECTION("time limits") {
    s.flags.request_timeout = "1m";
    CHECK(s.ok().request_timeout.count() == 60'000);
    s.flags.request_timeout = "abc";
    CHECK_THAT(s.error(), Contains("Invalid timeout value"));
  }
}

TEST_CASE("invalid entries are reported in kubectl's words",
          "[connection][row 44][row 45][row 59][row 80][row 81][row 101][row 150]") {
  ConnectionSetting s;
  const auto [cluster, user, expected] = GENERATE(table<std::string, std::string, std::string>({
      {"proxy-url: ftp://u:CANARY@p", "",
       "invalid 'proxy-url' \"ftp://xxxxx@p\" for cluster \"k1\": unsupported scheme \"ftp\", must "
       "be http, https, or socks5"},
      {"certificate-authority: /nope", "",
       "unable to read certificate-authority /nope for k1 due to open /nope: no such file or "
       "directory"},
      {"certificate-authority: /dev/null, certificate-authority-data: YQ==", "",
       "certificate-authority-data and certificate-authority are both specified for k1. "
       "certificate-authority-data will override."},
      {"", "client-certificate-data: YQ==",
       "client-key-data or client-key must be specified for u1 to use the clientCert "
       "authentication method."},
      {"", "client-certificate-data: YQ==, client-key: /nope",
       "unable to read client-key /nope for u1 due to open /nope: no such file or directory"},
      {"", "client-certificate-data: YQ==, client-key: /dev/null, client-key-data: YQ==",
       "client-key-data and client-key are both specified for u1; client-key-data will override"},
      {"", "token: CANARY, username: x",
       "more than one authentication method found for u1; found [token basicAuth], only one is "
       "allowed"},
      {"", "exec: {apiVersion: client.authentication.k8s.io/v1beta1, env: []}",
       "command must be specified for u1 to use exec authentication plugin"},
      {"", "exec: {command: c, interactiveMode: Never}",
       "apiVersion must be specified for u1 to use exec authentication plugin"},
      {"", "exec: {command: c, apiVersion: a, interactiveMode: Never, env: [{value: CANARY}]}",
       "env variable name must be specified for u1 to use exec authentication plugin"},
      {"", "exec: {command: c, apiVersion: client.authentication.k8s.io/v1}",
       "interactiveMode must be specified for u1 to use exec authentication plugin"},
      {"", "exec: {command: c, apiVersion: a, interactiveMode: never}",
       "invalid interactiveMode for u1: \"never\""},
      {"", "auth-provider: {name: x}, exec: {command: c, apiVersion: a, interactiveMode: Never}",
       "authProvider cannot be provided in combination with an exec plugin for u1"},
      {"", "exec: {command: c}",
       "\n* apiVersion must be specified for u1 to use exec authentication plugin"
       "\n* interactiveMode must be specified for u1 to use exec authentication plugin"},
      {"", "tokenFile: /dev/null, username: x",
       "username/password or bearer token may be set for u1, but not both"},
      {"proxy-url: 'socks5h://u:CANARY@p'", "",
       "invalid 'proxy-url' \"socks5h://xxxxx@p\" for cluster \"k1\": unsupported scheme "
       "\"socks5h\", must be http, https, or socks5"},
      {"proxy-url: 'http://u:x#CANARY@p:1'", "",
       "invalid 'proxy-url' \"http://xxxxx@p:1\" for cluster \"k1\": invalid port after host"},
      {"", "as-uid: x", "requesting uid, groups or user-extra for u1 without impersonating a user"},
  }));
  CAPTURE(cluster, user);
  if (!cluster.empty()) s.cluster += ", " + cluster;
  s.user = user;
  CHECK(s.error() == "Error in configuration: " + expected);
  // plain http makes no difference
  s.cluster.replace(s.cluster.find("https"), 5, "http");
  CHECK(s.error() == "Error in configuration: " + expected);
}

TEST_CASE("several problems are reported together", "[connection][row 50]") {
  ConnectionSetting s;
  s.cluster += ", certificate-authority: /nope";
  s.user = "client-certificate-data: YQ==";
  CHECK(s.error() ==
        "Error in configuration: \n"
        "* client-key-data or client-key must be specified for u1 to use the clientCert "
        "authentication method.\n"
        "* unable to read certificate-authority /nope for k1 due to open /nope: no such file or "
        "directory");
}

TEST_CASE("entries that are not selected may be broken", "[connection][row 51]") {
  ConnectionSetting s;
  s.context = "cluster: k1";
  s.user = "token: CANARY, username: x";
  CHECK(s.ok().identity.token.empty());
}

TEST_CASE("invalid TLS material is an error", "[connection]") {
  ConnectionSetting s;
  SECTION("CA") {
    s.cluster += ", certificate-authority-data: YQ==";
    CHECK(s.error() ==
          "unable to load root certificates: certificate-authority-data contains no readable PEM "
          "certificate");
  }
  SECTION("an empty CA file is an error") {
    s.cluster += ", certificate-authority: empty";
    s.folder.write("empty", "");
    CHECK_THAT(s.error(), StartsWith("unable to load root certificates: "));
  }
  SECTION("client certificate") {
    s.user = "client-certificate-data: YQ==, client-key-data: YQ==";
    CHECK_THAT(s.error(), Contains("failed to find any PEM data in certificate input"));
  }
  SECTION("a key alone is ignored") {
    s.user = "client-key-data: YQ==";
    CHECK(s.ok().tls.client_key_pem.empty());
  }
}

TEST_CASE("credentials are sent only over TLS",
          "[connection][row 46][row 52][row 53][row 54][row 55][row 61]") {
  ConnectionSetting s;
  SECTION("http") {
    s.cluster = "server: 127.0.0.1:80";
    const Connection c = s.ok();
    CHECK(server_text(c) == "http://127.0.0.1:80");
    CHECK(c.identity.token.empty());
  }
  SECTION("impersonation is sent even so") {
    s.cluster = "server: http://h";
    s.user = "token: CANARY, as: me";
    CHECK(s.ok().impersonation.user == "me");
    CHECK(s.ok().identity.token.empty());
  }
  SECTION("userinfo in the URL") {
    s.cluster = "server: https://u:CANARYp@h:1/x/";
    const Connection c = s.ok();
    CHECK(c.identity.username == "u");
    CHECK(c.identity.password == "CANARYp");
    CHECK(c.identity.token.empty());
    CHECK(server_text(c) == "https://h:1/x");
    s.cluster = "server: http://u:CANARYp@h:1";
    CHECK_THAT(s.error(), Contains("is not sent over plain http"));
  }
  SECTION("a token with a line break") {
    s.user = "token: \"CANARY\\n\"";
    CHECK_THAT(s.error(), Contains("invalid header field value"));
  }
  SECTION("a token and a client certificate may be used together") {
    const auto pair = testing::CertificateAuthority().issue_client("me");
    s.user += ", client-certificate-data: " + encode_base64(pair.certificate) +
              ", client-key-data: " + encode_base64(pair.key);
    CHECK(s.ok().identity.token == "CANARY1");
    CHECK(s.ok().tls.client_cert_pem == pair.certificate);
  }
}

TEST_CASE("the namespace comes from flag or context or pod",
          "[connection][row 62][row 64][row 65][row 66][row 67]") {
  ConnectionSetting s;
  SECTION("flag, context, default") {
    CHECK(s.ok().ns == "default");
    s.context += ", namespace: x";
    CHECK(s.ok().ns == "x");
    s.flags.ns = "a";
    CHECK(s.ok().ns == "a");
  }
  SECTION("in a pod") {
    s.in_pod();
    CHECK(s.ok().ns == "podns");
    s.environment.variables["POD_NAMESPACE"] = "p";
    CHECK(s.ok().ns == "p");
    s.context += ", namespace: default";
    CHECK(s.ok().ns == "default");
    CHECK_FALSE(s.ok().in_cluster);
  }
  SECTION("a path is rejected") {
    const std::string ns = GENERATE("../secrets", ".", "..", "a%2f", "a/b");
    s.flags.ns = ns;
    CHECK(s.error() == "invalid namespace \"" + ns + "\"");
  }
}

TEST_CASE("in a pod without a kubeconfig the service account is used",
          "[connection][row 68][row 69][row 70][row 71]") {
  ConnectionSetting s;
  s.in_pod();
  s.current = "''";
  Connection c = s.ok();
  CHECK(c.in_cluster);
  CHECK(server_text(c) == "https://10.0.0.1:443");
  CHECK(c.identity.token_file == s.folder.path("sa/token"));
  CHECK(c.tls.ca_pem == s.ca);
  SECTION("other flags do not matter") {
    s.flags.request_timeout = "5s";
    s.flags.as = "x";
    c = s.ok();
    CHECK(c.in_cluster);
    CHECK(c.request_timeout.count() == 5000);
    CHECK(c.impersonation.user == "x");
  }
  SECTION("--token") {
    s.flags.token = "T";
    CHECK(s.ok().identity.token == "T");
    CHECK(s.ok().identity.token_file.empty());
  }
  SECTION("IPv6") {
    s.environment.variables["KUBERNETES_SERVICE_HOST"] = "fd00::1";
    CHECK(server_text(s.ok()) == "https://[fd00::1]:443");
  }
  SECTION("--server") {
    s.flags.server = "https://h";
    CHECK_FALSE(s.ok().in_cluster);
    CHECK(s.ok().identity.token_file.empty());
  }
  SECTION("no token file") {
    std::filesystem::remove(s.folder.path("sa/token"));
    CHECK_FALSE(s.ok().in_cluster);
  }
  SECTION("no CA file") {
    std::filesystem::remove(s.folder.path("sa/ca.crt"));
    CHECK(s.ok().tls.ca_source == "the system's roots");
    CHECK(s.ok().warnings.size() == 1);
  }
}

TEST_CASE("the environment sets trust anchors and HTTP/2", "[connection][row 93][row 107]") {
  ConnectionSetting s;
  CHECK_FALSE(s.ok().disable_http2);
  CHECK(s.ok().health.idle.count() == 30);
  s.environment.variables = {{"SSL_CERT_FILE", "/x/ca"},
                             {"SSL_CERT_DIR", "/x/certs"},
                             {"DISABLE_HTTP2", "1"},
                             {"HTTP2_READ_IDLE_TIMEOUT_SECONDS", "5"},
                             {"HTTP2_PING_TIMEOUT_SECONDS", "soon"}};
  CHECK(s.ok().tls.ca_pem.empty());  // neither exists, and the default places are ignored
  CHECK(s.ok().disable_http2);
  CHECK(s.ok().health.idle.count() == 5);
  CHECK(s.ok().health.answer.count() == 15);
  s.cluster += ", certificate-authority-data: " + encode_base64(s.ca);
  CHECK_FALSE(s.ok().tls.ca_pem.empty());
}

TEST_CASE("decisions are reported without secrets", "[connection]") {
  ConnectionSetting s;
  const auto decisions = [&] {
    std::string text;
    for (const std::string& line : s.ok().decisions) text += line + "\n";
    CHECK_THAT(text, !Contains("CANARY"));
    return text;
  };
  CHECK(decisions() == "kubeconfig: " + s.folder.path("kc") +
                           "\n"
                           "configuration: context \"c1\", cluster \"k1\", user \"u1\", not "
                           "in-cluster\n"
                           "server: https://127.0.0.1:6443\n"
                           "namespace: default\n"
                           "proxy: none\n"
                           "credentials: token\n"
                           "trust: the system's roots\n");
  s.environment.variables["HTTPS_PROXY"] = "http://u:CANARY@p:3128";
  CHECK_THAT(decisions(),
             Contains("proxy: none, the server is excepted (NO_PROXY, or loopback)\n"));
  s.cluster = "server: https://u:CANARY@api.example.com";
  CHECK_THAT(decisions(), Contains("proxy: http://xxxxx@p:3128 by HTTPS_PROXY\n") &&
                              Contains("credentials: user name and password\n"));
  s.cluster = "server: http://h";
  CHECK_THAT(decisions(), Contains("credentials: none are sent over plain http\n"));
  s.in_pod();
  s.current = "''";
  CHECK_THAT(decisions(), Contains("configuration: in-cluster, by the pod's service account\n"));
}

TEST_CASE("a tls-server-name must be a host name", "[connection]") {
  ConnectionSetting s;
  s.flags.tls_server_name = GENERATE("a/b", "u@evil", "a b", "a\r\nX: y", "a#b", "a?b");
  CHECK_THAT(s.error(), Contains("is not a host name or address"));
}

TEST_CASE("a proxy without a port uses the scheme's default", "[connection][row 102]") {
  ConnectionSetting s;
  s.cluster += ", proxy-url: \"http://proxy\"";
  CHECK(s.ok().proxy->url.effective_port() == 80);
  CHECK_THAT(s.ok().decisions.at(4), Contains("http://proxy:80 by proxy-url"));
  s.cluster = "server: https://h, proxy-url: \"http://[fd00::1]\"";
  CHECK_THAT(s.ok().decisions.at(4), Contains("http://[fd00::1]:80 by proxy-url"));
}

TEST_CASE("proxy-url overrides HTTPS_PROXY and NO_PROXY", "[connection][row 94][row 102]") {
  ConnectionSetting s;
  s.cluster = "server: https://api.example.com";
  s.environment.variables["HTTPS_PROXY"] = "http://env:1";
  CHECK(s.ok().proxy->url.host == "env");
  s.cluster += ", proxy-url: \"socks5://u:p@kc\"";
  s.environment.variables["NO_PROXY"] = "*";
  CHECK(s.ok().proxy->url.host == "kc");
  CHECK(s.ok().proxy->url.effective_port() == 1080);
}

}  // namespace
}  // namespace dsdoctor::kube
