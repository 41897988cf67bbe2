// SPDX-License-Identifier: Apache-2.0
#include "render/words/style.h"

#include <catch2/catch.hpp>

#include "base/command.h"

using namespace dsdoctor;
using render::command_text;
using render::name_within;

namespace {

render::Style terminal_of(std::size_t columns) {
  render::Style style;
  style.width = columns;
  style.rows = 24;
  return style;
}

}  // namespace

TEST_CASE("a name is shortened in the middle", "[render][style]") {
  CHECK(name_within("arm-1", 8) == "arm-1");
  CHECK(name_within("ip-10-0-1-3.eu-west-1.compute.internal", 22) == "ip-10-0-1-3.e...ternal");
  for (std::size_t columns = 8; columns < 40; ++columns) {
    const std::string text = name_within("знак-знак-знак-знак-знак-знак-знак", columns);
    CAPTURE(columns, text);
    CHECK(render::columns_of(text) <= columns);
    CHECK(text.find("\xEF\xBF\xBD") == std::string::npos);
  }
}

TEST_CASE("a command continues on the next line so that it can be pasted", "[render][style]") {
  const std::string command =
      "kubectl --namespace mon patch daemonset agent --type=json "
      R"(--patch='[{"op":"test","path":"/spec/x","value":"a,\"b"},{"op":"remove","path":"/y"}]')";
  const auto columns = GENERATE(range<std::size_t>(40, 160, 7));
  const std::string text = command_text(terminal_of(columns), {.indent = 4, .lead = 2}, command);
  CAPTURE(columns, text);
  // As a shell joins them: a backslash removes the line's end; a line break in quotes is in JSON,
  // where blanks between values do not count.
  std::string joined;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "\\\n") == 0) {
      i = text.find_first_not_of(' ', i + 2) - 1;
    } else if (text[i] == '\n') {
      i = text.find_first_not_of(' ', i + 1) - 1;
    } else {
      joined += text[i];
    }
  }
  CHECK(joined == command);
}

TEST_CASE("a command stays on one line if it fits or is not for a terminal", "[render][style]") {
  const std::string command = "kubectl -n mon get daemonset agent -o wide";
  CHECK(command_text(terminal_of(80), {.indent = 4, .lead = 2}, command) == command);
  render::Style pipe;
  pipe.width = 20;
  CHECK(command_text(pipe, {.indent = 4, .lead = 2}, command) == command);
  CHECK(command_text(terminal_of(40), {.indent = 4, .lead = 2}, command, base::Shell::Cmd) ==
        command);
}

TEST_CASE("a word that is too wide is never cut in a command", "[render][style]") {
  const std::string name(60, 'n');
  const std::string text = command_text(terminal_of(40), {.indent = 10, .lead = 10},
                                        "kubectl get node " + name + " -o wide");
  CAPTURE(text);
  CHECK(text.find(name) != std::string::npos);
  CHECK(text.find("kubectl get node \\\n") == 0);
}
