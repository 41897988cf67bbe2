// SPDX-License-Identifier: Apache-2.0
#include "kube/config/kubeconfig.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <thread>

#include "kube/test_environment.h"

namespace dsdoctor::kube {
namespace {

using base::ErrorKind;
using Catch::Matchers::Contains;

constexpr const char* minimal = R"(
apiVersion: v1
kind: Config
current-context: c1
clusters: [{name: k1, cluster: {server: "https://127.0.0.1:6443"}}]
users: [{name: u1, user: {token: CANARY}}]
contexts: [{name: c1, context: {cluster: k1, user: u1}}]
)";

Environment with(const TemporaryFolder& folder, const std::string& list) {
  Environment environment;
  environment.working_directory = folder.root();
  environment.variables["HOME"] = folder.root();
  environment.variables["KUBECONFIG"] = list;
  return environment;
}

std::string error_of(const base::Result<Kubeconfig>& result) {
  REQUIRE_FALSE(result);
  const std::string text = base::to_string(result.error());
  CHECK_THAT(text, !Contains("CANARY"));
  return text;
}

TEST_CASE("the flag --kubeconfig overrides KUBECONFIG and the default file",
          "[kubeconfig][row 1][row 2][row 3]") {
  const TemporaryFolder folder;
  const auto file = folder.write("kc", minimal);
  folder.write("broken.yaml", "a: [");
  CHECK(load_kubeconfig(file, with(folder, folder.path("broken.yaml")))->current_context == "c1");
  CHECK(load_kubeconfig("kc", with(folder, ""))->current_context == "c1");
  CHECK(load_kubeconfig("", with(folder, "kc"))->current_context == "c1");
  const auto missing = load_kubeconfig("/nope", with(folder, file));
  CHECK(error_of(missing) == "stat /nope: no such file or directory");
  CHECK(missing.error().kind == ErrorKind::NotFound);
}

TEST_CASE("KUBECONFIG is a list of files",
          "[kubeconfig][row 4][row 5][row 6][row 7][row 8][row 14][row 15]") {
  const TemporaryFolder folder;
  folder.write("kc", minimal);
  folder.write("empty", "");
  folder.write("comment", "# nothing\n");
  folder.write(".kube/config", "current-context: home\n");
  const auto context = [&](const std::string& list) {
    const auto config = load_kubeconfig("", with(folder, list));
    REQUIRE(config);
    return config->current_context;
  };
  CHECK(context("/missing:kc") == "c1");
  CHECK(context("kc::kc") == "c1");
  CHECK(context("empty:kc") == "c1");
  CHECK(context("comment:kc") == "c1");
  CHECK(context("") == "home");
  CHECK(context(":").empty());
  CHECK(context("/m1:/m2").empty());
  const auto missing = load_kubeconfig("", with(folder, "/m1:/m2"));
  CHECK(missing->notes == std::vector<std::string>{"Config not found: /m1, /m2"});
  CHECK(load_kubeconfig("", with(folder, "kc::kc"))->files.size() == 1);
}

TEST_CASE("without HOME there is no default file", "[kubeconfig][row 13]") {
  const TemporaryFolder folder;
  folder.write(".kube/config", minimal);
  Environment environment;
  environment.working_directory = folder.root();
  const auto config = load_kubeconfig("", environment);
  REQUIRE(config);
  CHECK(config->files.empty());
  CHECK(config->notes.size() == 1);
}

TEST_CASE("the legacy file is read in place", "[kubeconfig]") {
  const TemporaryFolder folder;
  folder.write(".kube/.kubeconfig", minimal);
  CHECK(load_kubeconfig("", with(folder, ""))->current_context == "c1");
}

TEST_CASE("every file that cannot be read is named",
          "[kubeconfig][row 9][row 10][row 11][row 12][row 18]") {
  const TemporaryFolder folder;
  folder.write("kc", minimal);
  folder.write("a", "clusters: [");
  folder.write("b", "apiVersion: v2");
  CHECK_THAT(error_of(load_kubeconfig("", with(folder, "a:kc"))),
             Contains("error loading config file \"" + folder.path("a") + "\": yaml: line 1"));
  const auto both = error_of(load_kubeconfig("", with(folder, "a:b")));
  CHECK_THAT(both, Contains("/a\"") && Contains("/b\": apiVersion: is \"v2\", must be \"v1\""));
  const auto is_folder = load_kubeconfig("", with(folder, folder.root()));
  CHECK_THAT(error_of(is_folder), Contains("is a directory"));
  if (::geteuid() != 0) {
    ::chmod(folder.path("kc").c_str(), 0);
    CHECK_THAT(error_of(load_kubeconfig("", with(folder, "kc"))), Contains("permission denied"));
  }
}

/// Runs `check` as a non-root user, in its own process.
bool holds_for_nobody(const std::function<bool()>& check) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(::geteuid() == 0 && ::setuid(65534) != 0 ? 2 : check() ? 0 : 1);
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_CASE("a file without read permission is not a missing file", "[kubeconfig][row 12]") {
  const TemporaryFolder folder;
  folder.write("kc", minimal);
  ::chmod(folder.root().c_str(), 0755);
  ::chmod(folder.path("kc").c_str(), 0);
  CHECK(holds_for_nobody([&] {
    const auto config = load_kubeconfig("", with(folder, "kc"));
    return !config && config.error().kind == ErrorKind::Unreadable &&
           base::to_string(config.error()).find("permission denied") != std::string::npos;
  }));
}

TEST_CASE("a FIFO is read once and to its end", "[kubeconfig][row 29]") {
  const TemporaryFolder folder;
  const std::string fifo = folder.path("fifo");
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  std::thread writer([&] { std::ofstream(fifo) << minimal; });
  const auto config = load_kubeconfig(fifo, with(folder, ""));
  writer.join();
  REQUIRE(config);
  CHECK(config->current_context == "c1");
}

TEST_CASE("credentials that other users can read cause a note", "[kubeconfig]") {
  const TemporaryFolder folder;
  const auto file = folder.write("kc", "users: [{name: u, user: {token: CANARY}}]");
  const auto notes = [&](mode_t mode) {
    ::chmod(file.c_str(), mode);
    return load_kubeconfig("", with(folder, "kc"))->notes;
  };
  CHECK(notes(0600).empty());
  REQUIRE(notes(0640).size() == 1);
  CHECK_THAT(notes(0604)[0], Contains("chmod 600 kc") && !Contains("CANARY"));
  folder.write("kc", "users: [{name: u, user: {client-key: /a/file}}]");
  CHECK(notes(0644).empty());
}

TEST_CASE("files that are not a kubeconfig fail soon and with a hint", "[kubeconfig][row 11]") {
  const TemporaryFolder folder;
  std::string many = "users:\n";
  for (int i = 0; i < 600'000; ++i) many += "- name: u\n";
  folder.write("many", many);
  folder.write("large", std::string((64U << 20U) + 1, 'x'));
  folder.write("deep", std::string(100'000, '['));
  folder.write("binary", std::string("\x7f"
                                     "ELF\0\xff",
                                     6));
  for (const char* name : {"many", "large", "deep", "binary", "."}) {
    CAPTURE(name);
    const auto begin = std::chrono::steady_clock::now();
    const auto config = load_kubeconfig(name, with(folder, ""));
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
    const std::string text = error_of(config);
    CHECK_THAT(text, Contains(name) && Contains("use another file with --kubeconfig"));
    CHECK(text.find('\n') == std::string::npos);
  }
}

TEST_CASE("the first definition of an entry is used without merging",
          "[kubeconfig][row 20][row 21][row 22]") {
  const TemporaryFolder folder;
  folder.write("a", "users: [{name: u1, user: {token: CANARY}}]\ncurrent-context: ''");
  folder.write("b",
               "users: [{name: u1, user: {client-certificate: x}}, {name: u2, user: {}}]\n"
               "current-context: c2");
  const auto config = load_kubeconfig("", with(folder, "a:b"));
  REQUIRE(config);
  CHECK(config->users.at("u1").token == "CANARY");
  CHECK(config->users.at("u1").client_certificate.empty());
  CHECK(config->users.contains("u2"));
  CHECK(config->current_context == "c2");
}

TEST_CASE("paths are relative to the file's own folder", "[kubeconfig][row 23][row 25][row 30]") {
  const TemporaryFolder folder;
  const std::string text = R"(
clusters: [{name: k, cluster: {certificate-authority: pki/ca.crt}}]
users:
- name: u
  user: {client-certificate: ./c.pem, client-key: /abs/k.pem, tokenFile: t, exec: {command: ./bin/login}}
- name: v
  user: {exec: {command: login}}
)";
  folder.write("x/a.yaml", text);
  std::filesystem::create_symlink(folder.path("x/a.yaml"), folder.path("link.yaml"));
  const auto config = load_kubeconfig("x/a.yaml", with(folder, ""));
  REQUIRE(config);
  const auto& user = config->users.at("u");
  CHECK(config->clusters.at("k").certificate_authority == folder.path("x/pki/ca.crt"));
  CHECK(user.client_certificate == folder.path("x/c.pem"));
  CHECK(user.client_key == "/abs/k.pem");
  CHECK(user.token_file == folder.path("x/t"));
  CHECK(user.exec->command == folder.path("x/bin/login"));
  CHECK(config->users.at("v").exec->command == "login");
  const auto linked = load_kubeconfig("link.yaml", with(folder, ""));
  CHECK(linked->clusters.at("k").certificate_authority == folder.path("pki/ca.crt"));
}

TEST_CASE("kubeconfig files are parsed like in client-go",
          "[kubeconfig][row 16][row 17][row 19][row 27][row 28]") {
  const auto parse = [](const std::string& text) { return parse_kubeconfig(text, "/x/kc"); };
  const auto cluster = [&](const std::string& fields) {
    const auto config = parse("clusters: [{name: k, cluster: {" + fields + "}}]");
    INFO(fields);
    REQUIRE(config);
    return config->clusters.at("k");
  };
  CHECK(parse(minimal)->current_context == "c1");
  CHECK(parse("\xEF\xBB\xBF" + std::string(minimal))->current_context == "c1");
  CHECK(parse("{\"current-context\": \"j\"}")->current_context == "j");
  CHECK(parse("current-context: a\n---\ncurrent-context: b\n")->current_context == "a");
  CHECK(parse("current-context: a\ncurrent-context: b\n")->current_context == "b");
  CHECK(parse("current-context: null")->current_context.empty());
  CHECK(parse(" \n")->clusters.empty());
  CHECK(cluster("insecure-skip-tls-verify: yes").insecure_skip_tls_verify);
  CHECK_FALSE(cluster("insecure-skip-tls-verify: Off").insecure_skip_tls_verify);
  CHECK(cluster("server: 0123").server == "0123");
  CHECK(cluster("Server: x").server.empty());
  CHECK(cluster("certificate-authority-data: \"YWJj\\nZA==\"").certificate_authority_data ==
        "abcd");
  CHECK(cluster("extensions: [{name: client.authentication.k8s.io/exec, "
                "extension: {a: [1, yes, \"1\", x]}}]")
            .exec_extension == R"({"a":[1,true,"1","x"]})");
  const auto merged = parse("x: &x {server: s}\nclusters: [{name: k, cluster: {<<: *x}}]");
  CHECK(merged->clusters.at("k").server == "s");
  const auto extra = parse("users: [{name: u, user: {as: x, as-user-extra: {k: [a, b]}}}]");
  CHECK(extra->users.at("u").as_user_extra.at("k") == std::vector<std::string>{"a", "b"});
}

TEST_CASE("errors in a kubeconfig file name the field",
          "[kubeconfig][row 18][row 26][row 27][row 28]") {
  const auto [text, expected] = GENERATE(table<std::string, std::string>({
      {"kind: Pod", "kind: is \"Pod\", must be \"Config\""},
      {"apiVersion: v2", "apiVersion: is \"v2\", must be \"v1\""},
      {"hello", ".: must be a mapping"},
      {"clusters: {}", "clusters: must be a list"},
      {"clusters: [{name: k}, {name: k}]", "clusters[1].name: duplicate name \"k\" in list"},
      {"clusters: [{name: k, cluster: {extensions: [{name: e}, {name: e}]}}]",
       "clusters[0].cluster.extensions[1].name: duplicate name \"e\" in list"},
      {"clusters: [{name: k, cluster: {insecure-skip-tls-verify: \"true\"}}]",
       "clusters[0].cluster.insecure-skip-tls-verify: must be true or false, without quotes"},
      {"clusters: [{name: k, cluster: {certificate-authority-data: \"YW Jj\"}}]",
       "clusters[0].cluster.certificate-authority-data: is not valid base64"},
      {"clusters: [{name: k, cluster: {certificate-authority-data: YW-_}}]",
       "clusters[0].cluster.certificate-authority-data: is not valid base64"},
      {"users: [{name: u, user: {token: {CANARY: CANARY}}}]",
       "users[0].user.token: must be a string"},
      {"users: [{name: u, user: {client-key-data: CANARY}}]; x",
       "yaml: line 1: end of sequence flow not found"},
      {"users: [{name: u, user: {client-key-data: CANARY+}}]",
       "users[0].user.client-key-data: is not valid base64"},
      {std::string("a: \0b", 5), "yaml: it is not valid UTF-8"},
      {"\x7f"
       "ELF\xff\xfe",
       "yaml: it is not valid UTF-8"},
  }));
  const auto config = parse_kubeconfig(text, "/x/kc");
  const auto message = error_of(config);
  CHECK(config.error().where == "error loading config file \"/x/kc\"");
  if (expected.starts_with("yaml: line")) {
    CHECK_THAT(config.error().what, Contains("yaml: line 1"));
  } else {
    CHECK(config.error().what == expected);
  }
}

TEST_CASE("hostile YAML fails soon", "[kubeconfig]") {
  CHECK_THAT(error_of(parse_kubeconfig(std::string(100'000, '['), "/x")), Contains("yaml: line 1"));
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 11; ++i) {
    const auto n = std::to_string(i);
    const auto p = "*a" + std::to_string(i - 1) + ", ";
    bomb += "a" + n + ": &a" + n + " [" + p + p + p + p + p + p + p + p + "x]\n";
  }
  bomb +=
      "clusters: [{name: k, cluster: {extensions: [{name: client.authentication.k8s.io/exec, "
      "extension: *a10}]}}]\n";
  CHECK_THAT(error_of(parse_kubeconfig(bomb, "/x")), Contains("too large or nested too deeply"));
  const auto self =
      parse_kubeconfig("clusters: &c\n- name: k\n  cluster: {extensions: *c}\n", "/x");
  if (self) CHECK(self->clusters.contains("k"));
}

}  // namespace
}  // namespace dsdoctor::kube
