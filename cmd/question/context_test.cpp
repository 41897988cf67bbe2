// SPDX-License-Identifier: Apache-2.0
#include "question/context.h"

#include <catch2/catch.hpp>
#include <sstream>

#include "render/words/finding_text.h"
#include "test_program.h"
#include "testing/folder.h"

using namespace dsdoctor;
using Catch::Matchers::Contains;
using Variables = std::map<std::string, std::string, std::less<>>;

namespace {

struct Output {
  bool terminal = false;
  std::size_t width = 0;
};

render::Presentation style(const Variables& variables, const Output& output = {},
                           const cmd::PrintOptions& options = {}) {
  std::ostringstream stream;
  std::istringstream in;
  const cmd::Context ctx{.out = stream,
                         .err = stream,
                         .in = in,
                         .environment = {.variables = variables, .working_directory = {}},
                         .out_is_terminal = output.terminal,
                         .terminal_width = output.width,
                         .now = [] { return model::Time(); }};
  return cmd::style_for({{options}}, ctx);
}

std::string printed(const std::vector<std::string>& words, const Variables& variables = {}) {
  const cmd::Ran ran = cmd::run_program(words, {.variables = variables, .working_directory = {}});
  return ran.out + ran.err;
}

}  // namespace

TEST_CASE("color depends on flag then NO_COLOR then forcing variables then terminal",
          "[cmd][conventions]") {
  struct Row {
    Variables variables;
    bool terminal;
    bool color;
  };
  const Row rows[] = {
      {{{"TERM", "xterm"}}, true, true},
      {{{"TERM", "dumb"}}, true, false},
      {{}, true, false},
      {{{"TERM", "xterm"}}, false, false},
      {{{"TERM", "xterm"}, {"NO_COLOR", ""}}, true, false},
      {{{"TERM", "xterm"}, {"CLICOLOR", "0"}}, true, false},
      {{{"TERM", "xterm"}, {"CLICOLOR", "1"}}, false, false},
      {{{"CLICOLOR_FORCE", "1"}}, false, true},
      {{{"CLICOLOR_FORCE", "0"}}, false, false},
      {{{"FORCE_COLOR", "3"}}, false, true},
      {{{"TERM", "xterm"}, {"FORCE_COLOR", "0"}}, true, false},
      {{{"CLICOLOR_FORCE", "1"}, {"CLICOLOR", "0"}}, false, true},
      {{{"FORCE_COLOR", "1"}, {"NO_COLOR", "1"}}, false, false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.variables, row.terminal);
    CHECK(style(row.variables, {row.terminal, 80}).color == row.color);
    const auto table = cmd::OutputFormat::Table;
    CHECK(style(row.variables, {row.terminal, 80}, {table, cmd::ColorMode::Always}).color);
    CHECK_FALSE(style(row.variables, {row.terminal, 80}, {table, cmd::ColorMode::Never}).color);
  }
}

TEST_CASE("COLUMNS is the width without a terminal", "[cmd][conventions]") {
  CHECK(style({{"COLUMNS", "72"}}).width == 72);
  CHECK(style({{"COLUMNS", "72"}}, {true, 120}).width == 120);
  for (const char* text : {"", "0", "-1", "many", "80x", "99999999999999999999"}) {
    CAPTURE(text);
    CHECK(style({{"COLUMNS", text}}).width == 0);
  }
  CHECK(style({{"COLUMNS", "72"}}, {}, {cmd::OutputFormat::Markdown}).width == 0);
}

TEST_CASE("every answer is complete at 20 columns", "[cmd][conventions]") {
  const std::string file = DSDOCTOR_TESTDATA "/clusters/mixed-40-nodes.json";
  for (const char* command : {"check", "explain", "diff-nodes", "taints", "suggest"}) {
    CAPTURE(command);
    const std::string narrow = printed({command, "-A", "-f", file}, {{"COLUMNS", "20"}});
    CHECK_THAT("\n" + narrow, !Contains("\nerror: "));
    CHECK(narrow.size() > 100);
  }
}

TEST_CASE("the next command has the same source and changes", "[cmd][conventions]") {
  const std::string text =
      printed({"check", "-A", "--demo", "--severity", "info", "--cordon", "ip-10-0-1-1", "--taint",
               "ip-*=a=b:NoExecute", "--now", "2020-10-03T00:00:00Z"});
  CHECK_THAT(text, Contains("Next: kubectl dsdoctor explain") &&
                       Contains(" --demo --now 2020-10-03T00:00:00Z --taint 'ip-*=a=b:NoExecute' "
                                "--cordon ip-10-0-1-1\n"));
}

TEST_CASE("a printed command reaches the same server as the same user", "[cmd][conventions]") {
  cmd::AnswerOptions options;
  kube::ConfigFlags& given = options.input.source.connection;
  given.server = "https://x:1";
  given.certificate_authority = "ca.crt";
  given.insecure_skip_tls_verify = true;
  given.tls_server_name = "y";
  given.client_certificate = "me.crt";
  given.client_key = "me.key";
  given.as = "alice";
  given.as_uid = "1";
  given.as_groups = {"ops", "dev"};
  given.as_user_extra = {"a=b"};
  given.token = "CANARY";
  std::ostringstream stream;
  std::istringstream in;
  const cmd::Context ctx{.out = stream, .err = stream, .in = in, .environment = {}, .now = {}};
  render::Presentation printed;
  printed.address = cmd::address_for(options, {}, ctx);
  CHECK(printed.address.kubectl_flags ==
        std::vector<std::string>{"--server=https://x:1", "--certificate-authority=ca.crt",
                                 "--insecure-skip-tls-verify=true", "--tls-server-name=y",
                                 "--client-certificate=me.crt", "--client-key=me.key", "--as=alice",
                                 "--as-uid=1", "--as-group=ops", "--as-group=dev",
                                 "--as-user-extra=a=b"});
  CHECK(printed.address.own_flags == printed.address.kubectl_flags);
  // a command's own --as is kept
  const base::Command review{{"kubectl", "auth", "can-i", "list", "pods", "--as=bob"}};
  CHECK(render::addressed(review, printed) ==
        "kubectl --server=https://x:1 --certificate-authority=ca.crt "
        "--insecure-skip-tls-verify=true --tls-server-name=y --client-certificate=me.crt "
        "--client-key=me.key auth can-i list pods --as=bob");
}

TEST_CASE("several problems of a kubeconfig are printed as a list", "[cmd][conventions]") {
  const testing::Folder folder;
  const std::string file = folder.write("config", R"(
apiVersion: v1
kind: Config
current-context: x
contexts: [{name: x, context: {cluster: k1, user: u1}}]
clusters: [{name: k1, cluster: {server: "https://x:1", certificate-authority: /nope.crt}}]
users: [{name: u1, user: {client-certificate-data: eA==}}]
)");
  const cmd::Ran ran = cmd::run_program({"check", "-A", "--kubeconfig", file});
  CHECK_THAT(ran.err, Contains("\n* client-key-data") && Contains("\n* unable to read"));
  CHECK(ran.code == 2);
}
