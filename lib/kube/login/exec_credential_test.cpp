// SPDX-License-Identifier: Apache-2.0
#include "kube/login/exec_credential.h"

#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>

#include "kube/client/api_error.h"
#include "kube/client/client.h"
#include "kube/login/credentials.h"
#include "kube/os/process.h"
#include "kube/test_environment.h"
#include "testing/certificates.h"

namespace dsdoctor::kube {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

constexpr const char* v1 = "client.authentication.k8s.io/v1";

struct Setting {
  TemporaryFolder folder;
  Environment environment;
  Connection connection;
  FakeClock time;

  Setting() {
    environment.variables["PATH"] = folder.root() + ":/usr/bin:/bin";
    environment.variables["HOME"] = "/h";
    connection.server = *parse_server_url("https://h:1");
    connection.identity.exec = ExecSpec{};
    exec().command = "login";
    exec().api_version = v1;
    exec().interactive_mode = "IfAvailable";
  }
  ExecSpec& exec() { return *connection.identity.exec; }
  /// Records each run in `runs` and its KUBERNETES_EXEC_INFO, and prints `json`.
  void plugin(const std::string& json, const std::string& more = "") {
    folder.write_script("login", "echo run >> '" + folder.path("runs") + "'\n" +
                                     "printf '%s' \"$KUBERNETES_EXEC_INFO\" > '" +
                                     folder.path("info") + "'\n" + more + "\ncat <<'END'\n" + json +
                                     "\nEND\n");
  }
  static std::string credential(const std::string& status, const std::string& version = v1) {
    return R"({"kind":"ExecCredential","apiVersion":")" + version + R"(","status":)" + status + "}";
  }
  [[nodiscard]] std::size_t runs() const {
    return folder.read("runs").size() / 4;  // "run\n"
  }
  base::Result<ExecCredential> run(std::chrono::milliseconds limit = std::chrono::minutes(1)) {
    return run_exec_plugin(connection, environment, limit);
  }
  std::string error(std::chrono::milliseconds limit = std::chrono::minutes(1)) {
    const auto result = run(limit);
    REQUIRE_FALSE(result);
    CHECK(result.error().kind == base::ErrorKind::Unauthorized);
    CHECK(result.error().where == "Unable to connect to the server: getting credentials");
    CHECK_THAT(result.error().what, !Contains("CANARY"));
    return result.error().what;
  }
};

TEST_CASE("a login command gives a token", "[exec]") {
  Setting s;
  s.plugin(
      Setting::credential(R"({"token":"CANARY","expirationTimestamp":"2027-01-15T08:00:10Z"})"),
      "test \"$1\" = 'a b' && test \"$FOO\" = bar && test \"$HOME\" = /h || exit 9");
  s.exec().args = {"a b"};
  s.exec().env = {{"FOO", "x"}, {"FOO", "bar"}};
  const auto result = s.run();
  REQUIRE(result);
  CHECK(result->token == "CANARY");
  CHECK(result->expires);
  CHECK(s.folder.read("info") ==
        R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",)"
        R"("spec":{"interactive":false}})");
}

TEST_CASE("a login command may print YAML", "[exec]") {
  Setting s;
  s.plugin(
      "kind: ExecCredential\napiVersion: client.authentication.k8s.io/v1\n"
      "status: {token: T}");
  const auto result = s.run();
  REQUIRE(result);
  CHECK(result->token == "T");
}

TEST_CASE("a login command gets cluster information", "[exec][row 84]") {
  Setting s;
  s.plugin(Setting::credential(R"({"token":"T"})"));
  s.exec().provide_cluster_info = true;
  s.connection.tls.ca_given = "PEM";
  s.connection.tls.server_name = "n";
  s.connection.exec_extension = R"({"a":1})";
  REQUIRE(s.run());
  const auto info = nlohmann::json::parse(s.folder.read("info"));
  CHECK(info["spec"]["cluster"] ==
        nlohmann::json::parse(R"({"server":"https://h:1","tls-server-name":"n",
          "certificate-authority-data":"UEVN","config":{"a":1}})"));
}

TEST_CASE("an invalid answer of a login command is an error", "[exec][row 79]") {
  Setting s;
  const auto [output, expected] = GENERATE(table<std::string, std::string>({
      {"CANARY", "decoding stdout: it is not an ExecCredential in JSON"},
      {"", "decoding stdout: it is not an ExecCredential in JSON"},
      {R"({"kind":"Pod","apiVersion":"v1","status":{"token":"CANARY"}})",
       "decoding stdout: its kind is not ExecCredential"},
      {Setting::credential(R"({"token":"CANARY"})", "client.authentication.k8s.io/v1beta1"),
       "exec plugin is configured to use API version client.authentication.k8s.io/v1, plugin "
       "returned version client.authentication.k8s.io/v1beta1"},
      {Setting::credential("null"), "exec plugin didn't return a status field"},
      {Setting::credential("{}"), "exec plugin didn't return a token or cert/key pair"},
      {Setting::credential(R"({"clientKeyData":"CANARY"})"),
       "exec plugin returned only certificate or key, not both"},
      {Setting::credential(R"({"clientKeyData":"CANARY","clientCertificateData":"x"})"),
       "failed parsing client key/certificate: tls: failed to find any PEM data in certificate "
       "input"},
      {Setting::credential(R"({"token":["CANARY"]})"),
       "decoding stdout: a field of status is not a string"},
      {Setting::credential(R"({"token":"CANARY\nx"})"),
       "exec plugin returned a token with a line break or another control character"},
      {Setting::credential(R"({"token":"CANARY","expirationTimestamp":"soon"})"),
       "decoding stdout: status.expirationTimestamp is not an RFC 3339 time"},
  }));
  s.plugin(output);
  CHECK(s.error() == expected);
}

TEST_CASE("a login command that fails is an error", "[exec][row 77][row 78][row 80][row 82]") {
  Setting s;
  SECTION("exit code") {
    s.plugin("", "echo CANARY; exit 3");
    CHECK(s.error() == "exec: executable login failed with exit code 3");
  }
  SECTION("signal") {
    s.plugin("", "kill -9 $$");
    CHECK(s.error() == "exec: executable login failed with exit code 137");
  }
  SECTION("not installed") {
    s.exec().command = "no-such-login";
    s.exec().install_hint = "get it\x1b[31m here";
    const auto result = s.run();
    REQUIRE_FALSE(result);
    CHECK(result.error().what == "exec: executable no-such-login not found");
    CHECK(result.error().hints.back() == "get itU+001B[31m here");
  }
  SECTION("not executable") {
    s.folder.write("plain", "");
    for (const std::string& command : {s.folder.path("plain"), s.folder.root()}) {
      s.exec().command = command;
      s.exec().install_hint = "get it";
      const auto result = s.run();
      REQUIRE_FALSE(result);
      CHECK(result.error().what == "exec: fork/exec " + command + ": permission denied");
      CHECK(result.error().hints.empty());
    }
    s.exec().command = s.folder.path("plain/login");
    CHECK_THAT(s.error(), EndsWith("plain/login not found"));
  }
  SECTION("time limit") {
    s.plugin("", "exec sleep 30");
    CHECK_THAT(s.error(std::chrono::milliseconds(200)), Contains("did not exit within"));
  }
  SECTION("too much output") {
    s.plugin("", "exec yes CANARY");
    CHECK_THAT(s.error(), Contains("printed more than 4194304 bytes"));
  }
  SECTION("version") {
    s.exec().api_version = "client.authentication.k8s.io/v1alpha1";
    CHECK(s.error() == "exec plugin: invalid apiVersion \"client.authentication.k8s.io/v1alpha1\"");
  }
  SECTION("interactiveMode Always without a terminal") {
    s.plugin(Setting::credential(R"({"token":"T"})"));
    s.exec().interactive_mode = "Always";
    CHECK_THAT(s.error(), EndsWith("standard input is not a terminal"));
    CHECK(s.runs() == 0);
  }
}

TEST_CASE("stdin is passed to the command only if it is interactive", "[exec][row 83]") {
  Setting s;
  s.environment.stdin_is_terminal = true;
  s.exec().interactive_mode = "Never";
  s.plugin(Setting::credential(R"({"token":"T"})"), "read line && exit 9");
  CHECK(s.run());
  CHECK_THAT(s.folder.read("info"), Contains(R"("interactive":false)"));
  CHECK_THAT(exec_info(s.connection, true), Contains(R"("interactive":true)"));
}

TEST_CASE("the command is looked up in the absolute folders of PATH", "[exec][row 25]") {
  const TemporaryFolder folder;
  const auto file = folder.write_script("login", "");
  CHECK(*find_executable("login", "/nope:" + folder.root()) == file);
  CHECK(*find_executable("login", folder.root() + "//./") == file);
  CHECK(*find_executable(folder.root() + "/x/../login", "") == file);
  CHECK_FALSE(find_executable("login", ".::relative"));
  CHECK_FALSE(find_executable(folder.path("none"), ""));
  folder.write("plain", "");
  CHECK_FALSE(find_executable("plain", folder.root()));
}

TEST_CASE("the child's PATH does not select the command", "[exec][row 85]") {
  Setting s;
  const TemporaryFolder other;
  other.write_script("login", "exit 5");
  s.exec().env = {{"PATH", other.root() + ":/usr/bin:/bin"}};
  s.plugin(Setting::credential(R"({"token":"T"})"),
           "case \"$PATH\" in '" + other.root() + "'*) ;; *) exit 6;; esac");
  CHECK(s.run());
}

TEST_CASE("a credential is kept until it expires", "[credentials][row 73][row 74][row 75]") {
  Setting s;
  const auto clock = s.time.clock();
  SECTION("without an expiry") {
    s.plugin(Setting::credential(R"({"token":"T"})"));
    CredentialSource source(s.connection, s.environment, clock);
    for (int i = 0; i < 4; ++i) CHECK(source.current()->authorization == "Bearer T");
    CHECK(s.runs() == 1);
  }
  SECTION("expired") {
    s.plugin(Setting::credential(R"({"token":"T","expirationTimestamp":")" +
                                 std::string("2027-01-15T08:00:10Z") + "\"}"));
    CredentialSource source(s.connection, s.environment, clock);
    CHECK(source.current());
    CHECK(source.current());
    CHECK(s.runs() == 1);
    s.time.time += std::chrono::seconds(20);
    CHECK(source.current());
    CHECK(s.runs() == 2);
  }
  SECTION("rejected by the server") {
    s.folder.write_script("login", "echo run >> '" + s.folder.path("runs") +
                                       "'\nprintf '%s' '{\"kind\":\"ExecCredential\","
                                       "\"apiVersion\":\"" +
                                       v1 +
                                       "\",\"status\":{\"token\":\"'\n"
                                       "/usr/bin/wc -l < '" +
                                       s.folder.path("runs") +
                                       "' | /usr/bin/tr -d '\\n'\nprintf '\"}}'\n");
    CredentialSource source(s.connection, s.environment, clock);
    const auto first = *source.current();
    CHECK(first.authorization == "Bearer 1");
    CHECK(*source.renew(first));
    const auto second = *source.current();
    CHECK(second.authorization == "Bearer 2");
    CHECK(*source.renew(first));  // another thread's earlier 401
    CHECK_FALSE(*source.renew(second));
    CHECK(s.runs() == 2);
  }
}

/// Prints its n-th token on the n-th run.
void counting_plugin(const Setting& s) {
  s.folder.write_script(
      "login", "echo run >> '" + s.folder.path("runs") +
                   "'\nsleep 0.1\nprintf '{\"kind\":\"ExecCredential\",\"apiVersion\":\"" + v1 +
                   "\",\"status\":{\"token\":\"%s\"}}' $(wc -l < '" + s.folder.path("runs") +
                   "')\n");
}

TEST_CASE("four concurrent requests log in once", "[credentials][row 73]") {
  Setting s;
  counting_plugin(s);
  CredentialSource source(s.connection, s.environment, s.time.clock());
  std::vector<std::thread> threads;
  std::atomic<int> good = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { good += source.current()->authorization == "Bearer 1" ? 1 : 0; });
  }
  for (auto& thread : threads) thread.join();
  CHECK(good == 4);
  CHECK(s.runs() == 1);
}

TEST_CASE("a login command that failed does not run again", "[credentials]") {
  Setting s;
  s.plugin("", "exit 3");
  CredentialSource source(s.connection, s.environment, s.time.clock());
  for (int i = 0; i < 3; ++i) CHECK_FALSE(source.current());
  CHECK(s.runs() == 1);
}

TEST_CASE("a 401 runs the login command again", "[credentials][row 75][row 76]") {
  Setting s;
  counting_plugin(s);
  const FakeAnswer refused{401, R"({"kind":"Status","status":"Failure","message":"Unauthorized"})"};
  CredentialSource source(s.connection, s.environment, s.time.clock());
  std::string body;
  SECTION("a new token permits one retry") {
    FakeTransport transport({refused, {200, "done"}});
    Client client(s.connection, transport, source, s.time.clock());
    CHECK_FALSE(client.get_text({"/x", {}, "x"}, body));
    CHECK(header_of(transport.requests.at(1), "Authorization") == "Bearer 2");
  }
  SECTION("it runs twice at most for any number of requests") {
    FakeTransport transport({refused});
    Client client(s.connection, transport, source, s.time.clock());
    for (int i = 0; i < 3; ++i) {
      const auto failure = client.get_text({"/x", {}, "x"}, body);
      REQUIRE(failure);
      CHECK(kubectl_line(failure->error) ==
            "error: You must be logged in to the server (Unauthorized)");
    }
  }
  CHECK(s.runs() == 2);
}

TEST_CASE("any output of a login command is handled safely", "[exec]") {
  Setting s;
  SECTION("endless brackets") {
    s.plugin("", "head -c 200000 /dev/zero | tr '\\0' '['; exit 0");
    CHECK_THAT(s.error(), Contains("decoding stdout"));
  }
  SECTION("binary data") {
    s.plugin("", "head -c 100000 /dev/urandom; exit 0");
    CHECK_THAT(s.error(), Contains("decoding stdout"));
  }
}

TEST_CASE("a client certificate comes from the login command", "[credentials]") {
  Setting s;
  const auto pair = testing::CertificateAuthority().issue_client("me");
  const nlohmann::json status{{"clientCertificateData", pair.certificate},
                              {"clientKeyData", pair.key}};
  s.plugin(Setting::credential(status.dump()));
  CredentialSource source(s.connection, s.environment, s.time.clock());
  const auto credential = source.current();
  REQUIRE(credential);
  CHECK(credential->authorization.empty());
  CHECK(credential->client_cert_pem == pair.certificate);
}

TEST_CASE("a token file is read again after a while", "[credentials][row 72]") {
  TemporaryFolder folder;
  FakeClock time;
  Connection connection;
  connection.identity.token_file = folder.write("token", " A \n");
  CredentialSource source(connection, {}, time.clock());
  CHECK(source.current()->authorization == "Bearer A");
  folder.write("token", "B");
  CHECK(source.current()->authorization == "Bearer A");
  time.time += std::chrono::seconds(60);
  CHECK(source.current()->authorization == "Bearer B");
  folder.write("token", "");
  time.time += std::chrono::seconds(60);
  CHECK(source.current()->authorization == "Bearer B");
  folder.write("token", "C");
  CHECK(*source.renew(*source.current()));
  CHECK(source.current()->authorization == "Bearer C");
  CHECK_FALSE(*source.renew(*source.current()));

  connection.identity.token_file = folder.write("empty", "\n");
  const auto empty = CredentialSource(connection, {}, time.clock()).current();
  REQUIRE_FALSE(empty);
  CHECK_THAT(empty.error().what, Contains("read empty token from file"));
}

TEST_CASE("name and password are sent as Basic authorization", "[credentials]") {
  FakeClock time;
  Connection connection;
  connection.identity.username = "u";
  connection.identity.password = "p";
  CHECK(CredentialSource(connection, {}, time.clock()).current()->authorization == "Basic dTpw");
}

}  // namespace
}  // namespace dsdoctor::kube
