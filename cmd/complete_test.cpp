#include "complete.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "invocation.h"

using namespace dsdoctor::cmd;

namespace {

std::vector<std::string> offered(const std::vector<std::string>& words) {
  std::vector<std::string> result;
  for (const Candidate& candidate : complete(words).candidates) result.push_back(candidate.value);
  return result;
}

using Strings = std::vector<std::string>;

}  // namespace

TEST_CASE("commands, flags and their fixed values are offered", "[cmd][completion]") {
  CHECK(offered({"ex"}) == Strings{"explain"});
  CHECK(offered({""}).size() == command_infos().size());
  CHECK(offered({"explain", "-o", "j"}) == Strings{"json"});
  CHECK(offered({"explain", "--output=w"}) == Strings{"wide"});
  CHECK(offered({"version", "-o", ""}) == Strings{"json", "yaml"});
  CHECK(offered({"explain", "--color", ""}) == Strings{"auto", "always", "never"});
  CHECK(offered({"completion", "z"}) == Strings{"zsh"});
  CHECK(offered({"explain", "--exit"}) == Strings{"--exit-code"});
  CHECK(offered({"diff-nodes", "--exit"}).empty());
  CHECK(offered({"explain", "--demo", "--dem"}).empty());
  CHECK(offered({"explain", "--node", "x", "--node="}).empty());
  CHECK(offered({"explain", "--node", "x", "--node"}) == Strings{"--node", "--node-selector"});
}

TEST_CASE("every flag is offered", "[cmd][completion]") {
  for (const CommandInfo& command : command_infos()) {
    for (const FlagInfo& flag : flag_infos(command.name)) {
      if (flag.shape.name == "help") continue;
      CAPTURE(command.name, flag.shape.name);
      const auto candidates = offered({command.name, "--"});
      CHECK(std::ranges::count(candidates, "--" + flag.shape.name) == 1);
    }
  }
}

TEST_CASE("file names are left to the shell where a file is wanted", "[cmd][completion]") {
  CHECK(complete({"explain", "-f", ""}).directive == Directive::Default);
  CHECK(complete({"explain", "--kubeconfig="}).directive == Directive::Default);
  CHECK(complete({"explain", ""}).directive == Directive::NoFileComp);
}

TEST_CASE("the protocol is Cobra's", "[cmd][completion]") {
  const Completion completion{{{"a", "first"}, {"b", ""}}, Directive::NoFileComp};
  CHECK(completion_lines(completion, true) == "a\tfirst\nb\n:4\n");
  CHECK(completion_lines(completion, false) == "a\nb\n:4\n");
}
