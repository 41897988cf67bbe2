// SPDX-License-Identifier: Apache-2.0
#include "kube/config/kuberc.h"

#include "kube/config/resolve_connection.h"
#include "kube/login/exec_credential.h"
#include "kube/test_environment.h"

namespace dsdoctor::kube {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

constexpr const char* header = "apiVersion: kubectl.config.k8s.io/v1beta1\nkind: Preference\n";

/// A home with a kuberc, a kubeconfig with a login command, and that command.
struct KubercSetting {
  TemporaryFolder folder;
  Environment environment;
  ConfigFlags flags;

  KubercSetting() {
    environment.variables["HOME"] = folder.root();
    environment.variables["PATH"] = folder.path("bin") + ":/usr/bin:/bin";
    environment.working_directory = folder.root();
    folder.write_script("bin/aws",
                        "echo run >> '" + folder.path("runs") +
                            "'\necho '{\"kind\":\"ExecCredential\",\"apiVersion\":"
                            "\"client.authentication.k8s.io/v1\",\"status\":{\"token\":\"T\"}}'\n");
    kubeconfig("aws");
  }
  void kubeconfig(const std::string& command) const {
    folder.write(".kube/config",
                 R"(
current-context: c1
contexts: [{name: c1, context: {cluster: k1, user: u1}}]
clusters: [{name: k1, cluster: {server: "https://127.0.0.1:1"}}]
users:
- name: u1
  user:
    exec: {command: ")" +
                     command +
                     R"(", apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}
)");
  }
  void kuberc(const std::string& text) const { folder.write(".kube/kuberc", header + text); }
  [[nodiscard]] bool ran() const { return !folder.read("runs").empty(); }

  /// Returns the error; empty if the command ran and printed its token.
  std::string login() {
    const auto connection = resolve_connection(flags, environment);
    if (!connection) return base::to_string(connection.error());
    const auto credential = run_exec_plugin(*connection, environment, std::chrono::minutes(1));
    if (!credential) return credential.error().what;
    CHECK(credential->token == "T");
    return {};
  }
};

TEST_CASE("DenyAll permits no login command", "[kuberc][row 86]") {
  KubercSetting s;
  s.kuberc("credentialPluginPolicy: DenyAll\n");
  CHECK(s.login() == "plugin \"aws\" not allowed: policy set to \"DenyAll\"");
  CHECK_FALSE(s.ran());
}

TEST_CASE("an allowlist names commands or files", "[kuberc][row 87]") {
  KubercSetting s;
  auto [command, entry, allowed] = GENERATE(table<std::string, std::string, bool>({
      {"aws", "command: aws", true},
      {"aws", "name: aws", true},  // the spelling of 1.35
      {"aws", "{command: aws, name: aws}", true},
      {"FILE", "command: aws", true},  // PATH leads to the same file
      {"aws", "command: FILE", true},
      {"FILE", "command: FILE", true},
      {"/bin/true", "command: aws", false},
      {"aws", "command: /usr/bin/aws", false},  // this file does not exist
      {"aws", "command: gcloud", false},
  }));
  CAPTURE(command, entry);
  for (std::string* text : {&command, &entry}) {
    const auto at = text->find("FILE");
    if (at != std::string::npos) text->replace(at, 4, s.folder.path("bin/aws"));
  }
  s.kubeconfig(command);
  s.kuberc("credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist:\n- " + entry + "\n");
  if (allowed) {
    CHECK(s.login().empty());
  } else {
    CHECK_THAT(s.login(), EndsWith("is not permitted by the credential plugin allowlist"));
    CHECK_FALSE(s.ran());
  }
}

TEST_CASE("another program with an allowed name is not permitted", "[kuberc][row 87]") {
  KubercSetting s;
  s.kubeconfig(s.folder.write_script("evil/aws", "echo run >> '" + s.folder.path("runs") + "'\n"));
  s.kuberc("credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [{command: aws}]\n");
  CHECK_THAT(s.login(), EndsWith("is not permitted by the credential plugin allowlist"));
  CHECK_FALSE(s.ran());
}

TEST_CASE("an inconsistent policy is an error", "[kuberc][row 88]") {
  KubercSetting s;
  const auto [text, problem] = GENERATE(table<std::string, std::string>({
      {"credentialPluginPolicy: Allowlist\n", "credentialPluginAllowlist is missing"},
      {"credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: []\n",
       "credentialPluginAllowlist is empty"},
      {"credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [{command: ''}]\n",
       "credentialPluginAllowlist[0] has no command"},
      {"credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [{command: /a/../b}]\n",
       "must be written \"/b\""},
      {"credentialPluginPolicy: AllowAll\ncredentialPluginAllowlist: [{command: a}]\n",
       "credentialPluginAllowlist is set"},
      {"credentialPluginAllowlist: [{command: a}]\n", "credentialPluginAllowlist is set"},
      {"credentialPluginPolicy: denyall\n", "credentialPluginPolicy is \"denyall\", must be"},
  }));
  s.kuberc(text);
  CHECK_THAT(s.login(), Contains("allowlist misconfiguration: ") && Contains(problem));
  CHECK_FALSE(s.ran());
  s.flags.token = "T";  // the entry is checked even if it is not used, as in kubectl
  CHECK_FALSE(resolve_connection(s.flags, s.environment));
}

TEST_CASE("kuberc is found through flag and environment and HOME", "[kuberc][row 89]") {
  KubercSetting s;
  const std::string deny = std::string(header) + "credentialPluginPolicy: DenyAll\n";
  SECTION("no kuberc is needed") { CHECK(s.login().empty()); }
  SECTION("KUBERC=off") {
    s.kuberc("credentialPluginPolicy: DenyAll\n");
    s.environment.variables["KUBERC"] = "off";
    CHECK(s.login().empty());
    s.flags.kuberc = s.folder.write("other", deny);
    CHECK_THAT(s.login(), Contains("mutually exclusive"));
  }
  SECTION("KUBECTL_KUBERC=false") {
    s.kuberc("credentialPluginPolicy: DenyAll\n");
    s.environment.variables["KUBECTL_KUBERC"] = "False";
    CHECK(s.login().empty());
  }
  SECTION("--kuberc before $KUBERC before the home's") {
    s.kuberc("credentialPluginPolicy: DenyAll\n");
    s.environment.variables["KUBERC"] = s.folder.write("all", header);
    CHECK(s.login().empty());
    s.folder.write("other", deny);
    s.flags.kuberc = "other";  // relative to the working directory
    CHECK_THAT(s.login(), Contains("not allowed"));
  }
  SECTION("an explicitly named file must exist and be valid") {
    s.environment.variables["KUBERC"] = s.folder.path("missing");
    CHECK_THAT(s.login(), Contains("missing: no such file"));
    s.environment.variables["KUBERC"] = s.folder.write("pod", "apiVersion: v1\nkind: Pod\n");
    CHECK_THAT(s.login(), Contains("it is not a Preference"));
  }
  SECTION("HOME unset") {
    s.kuberc("credentialPluginPolicy: DenyAll\n");
    s.flags.kubeconfig = s.folder.path(".kube/config");
    s.environment.variables.erase("HOME");
    CHECK(s.login().empty());
  }
}

TEST_CASE("a kuberc file is parsed like in kubectl", "[kuberc]") {
  KubercSetting s;
  SECTION("the first Preference is used even if later documents are broken") {
    s.folder.write(".kube/kuberc", "a: 1\n---\n" + std::string(header) +
                                       "credentialPluginPolicy: DenyAll\ndefaults: [{}]\n---\n[");
    CHECK_THAT(s.login(), Contains("not allowed"));
  }
  SECTION("v1alpha1") {
    s.folder.write(".kube/kuberc",
                   "apiVersion: kubectl.config.k8s.io/v1alpha1\nkind: Preference\n"
                   "credentialPluginPolicy: DenyAll\n");
    CHECK_THAT(s.login(), Contains("not allowed"));
  }
  SECTION("an unusable default file is a warning") {
    const auto text = GENERATE("[[", "kind: Preference\n", "", "\xff",
                               "apiVersion: kubectl.config.k8s.io/v1beta1\nkind: Preference\n"
                               "credentialPluginAllowlist: 7\n");
    s.folder.write(".kube/kuberc", text);
    const auto kuberc = load_kuberc("", s.environment);
    REQUIRE(kuberc);
    REQUIRE(kuberc->warnings.size() == 1);
    CHECK_THAT(kuberc->warnings[0], Contains(".kube/kuberc"));
    CHECK(s.login().empty());
  }
}

}  // namespace
}  // namespace dsdoctor::kube
