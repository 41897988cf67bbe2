// SPDX-License-Identifier: Apache-2.0
#include "complete/complete.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "line/commands_of_line.h"
#include "line/invocation.h"

using namespace dsdoctor::cmd;

namespace {

using Strings = std::vector<std::string>;

/// Two namespaces with a few names.
class FakeNames : public NameSource {
 public:
  Strings daemon_sets(const SourceOptions& source) override {
    const std::string& ns = source.connection.ns;
    return ns == "default" ? Strings{"ds"} : Strings{"fluentd", "node-exporter"};
  }
  Strings nodes(const SourceOptions&) override { return {"gpu-1", "gpu-2"}; }
  Strings pods(const SourceOptions&) override { return {"fluentd-x7k2p"}; }
  Strings taints(const SourceOptions&, const std::string& node) override {
    return node == "gpu-1" ? Strings{"nvidia.com/gpu:NoSchedule", "a:NoExecute"} : Strings{};
  }
  Strings namespaces(const SourceOptions&) override { return {"default", "mon"}; }
  Strings contexts(const SourceOptions& source) override {
    return {"of " + source.connection.kubeconfig};
  }
  Strings clusters(const SourceOptions&) override { return {"c"}; }
  Strings users(const SourceOptions&) override { return {"u"}; }
};

Completion completed(const Strings& words) {
  FakeNames names;
  return complete(words, names);
}

Strings offered(const Strings& words) {
  Strings result;
  for (const Candidate& candidate : completed(words).candidates) result.push_back(candidate.value);
  return result;
}

}  // namespace

TEST_CASE("object names are offered", "[cmd][completion]") {
  struct Row {
    Strings words;  // after `explain`
    Strings offers;
    Directive directive = Directive::NoFileComp;
  };
  const Row rows[] = {
      {{""}, {"fluentd", "node-exporter", "ds/", "node/"}},
      {{"no"}, {"node-exporter"}},
      {{"nod"}, {"node-exporter"}},
      {{"d"}, {"daemonset/", "ds/"}, Directive::NoSpaceNoFiles},
      {{"ds/"}, {"ds/fluentd", "ds/node-exporter"}},
      {{"daemonsets.apps/fl"}, {"daemonsets.apps/fluentd"}},
      {{"ds/fluentd", "ds/"}, {"ds/node-exporter"}},
      {{"ds/fluentd", ""}, {"ds/"}, Directive::NoSpaceNoFiles},
      {{"fluentd", ""}, {"node-exporter"}},
      {{"ds", ""}, {"fluentd", "node-exporter"}},
      {{"node/"}, {"node/gpu-1", "node/gpu-2"}},
      {{"node", "gpu-1", ""}, {"gpu-2"}},
      {{"node/gpu-1", "node/"}, {"node/gpu-2"}},
      {{"node/gpu-1", ""}, {"node/"}, Directive::NoSpaceNoFiles},
      {{"-n", ""}, {"default", "mon"}},
      {{"--namespace=de"}, {"default"}},
      {{"--name_space=de"}, {}},
      {{"-n", "default", ""}, {"ds", "ds/", "node/"}},
      {{"-ndefault", ""}, {"ds", "ds/", "node/"}},
      {{"--context", ""}, {"of "}},
      {{"--kubeconfig", "k", "--context="}, {"of k"}},
      {{"--cluster", ""}, {"c"}},
      {{"--user", ""}, {"u"}},
      {{"--node", "gpu"}, {"gpu-1", "gpu-2"}},
      {{"-A", ""}, {"fluentd", "node-exporter", "ds/", "node/"}},
      {{"pod/"}, {"pod/fluentd-x7k2p"}},
      {{"po", ""}, {"fluentd-x7k2p"}},
      {{"p"}, {"pod/"}, Directive::NoSpaceNoFiles},
      {{"--untaint", "gpu-1="}, {"gpu-1=nvidia.com/gpu:NoSchedule", "gpu-1=a:NoExecute"}},
      {{"--untaint=gpu-1=nv"}, {"gpu-1=nvidia.com/gpu:NoSchedule"}},
      {{"--untaint", "gpu-2="}, {}},
      {{"--sort-by", "MISS"}, {"MISSING", "MISSCHEDULED"}},
      {{"--severity", ""}, {"critical", "error", "warning", "info"}},
      {{"--ignore", "create-quota-e"}, {"create-quota-exceeded"}},
      {{"--drain", "gpu"}, {"gpu-1", "gpu-2"}},
      {{"--reboot", "gpu"}, {"gpu-1", "gpu-2"}},
      {{"--delete-node", "gpu"}, {"gpu-1", "gpu-2"}},
      {{"--taint", "gpu"}, {"gpu-1=", "gpu-2="}, Directive::NoSpaceNoFiles},
      {{"--unlabel=gpu-1"}, {"gpu-1="}, Directive::NoSpaceNoFiles},
      {{"--label", "gpu-1=a"}, {}},
      {{"-oj"}, {"-ojson"}},
      {{"-Anm"}, {"-Anmon"}},
      {{"-n=m"}, {"-n=mon"}},
      {{"-An"}, {"-Andefault", "-Anmon"}},
      {{"-zo"}, {}},
      {{"-A", "f"}, {"fluentd"}},
      {{"--help", ""}, {}},
      {{"--kubeconfig", ""}, {}, Directive::Default},
      {{"--cache-dir", ""}, {}, Directive::FilterDirs},
      {{"--bogus", "x", ""}, {"fluentd", "node-exporter"}},
      {{"-v", "what", "fl"}, {"fluentd"}},
      {{"--", "fl"}, {"fluentd"}},
      {{"--", "--out"}, {}},
      {{"a b\"'$*?["}, {}},
      {{"foo/"}, {}},
  };
  for (const Row& row : rows) {
    Strings words = {"explain"};
    words.insert(words.end(), row.words.begin(), row.words.end());
    CAPTURE(words);
    CHECK(offered(words) == row.offers);
    CHECK(completed(words).directive == row.directive);
  }
}

TEST_CASE("a flag that needs a number takes the next word", "[cmd][completion]") {
  for (const char* flag : {"-v", "--chunk-size"}) {
    CAPTURE(flag);
    CHECK(offered({flag, "6", "expl"}) == Strings{"explain"});
    CHECK(offered({flag, ""}).empty());
    CHECK(offered({"explain", flag, ""}).empty());
    CHECK(offered({"explain", flag, "6", "flu"}) == Strings{"fluentd"});
  }
}

TEST_CASE("a flag's value may be empty", "[cmd][completion]") {
  const Strings names = offered({"explain", ""});
  for (const char* flag : {"-n=", "--context=", "--kubeconfig=", "-l="}) {
    CAPTURE(flag);
    CHECK(offered({"explain", flag, ""}) == names);
    CHECK(offered({flag, "explain", ""}) == names);
  }
  const Strings flags = offered({"explain", "--context=", "--conte"});
  CHECK(flags.empty());  // the flag is already on the line
}

TEST_CASE("a flag with an invalid value does not count", "[cmd][completion]") {
  CHECK(offered({"explain", "--demo", "--demo=maybe", "--dem"}).empty());
  CHECK(offered({"explain", "--demo=maybe", "--dem"}) == Strings{"--demo"});
  CHECK(offered({"check", "--help=maybe", "fl"}) == Strings{"fluentd"});
}

TEST_CASE("type prefixes are not offered if names could not be read", "[cmd][completion]") {
  class NoNames : public FakeNames {
   public:
    Strings daemon_sets(const SourceOptions&) override { return {}; }
    bool has_failed() const override { return true; }
  };
  NoNames names;
  const Completion completion = complete({"explain", ""}, names);
  CHECK(completion.candidates.empty());
  CHECK(completion.directive == Directive::NoFileComp);
}

TEST_CASE("commands and flags and their fixed values are offered", "[cmd][completion]") {
  CHECK(offered({"ex"}) == Strings{"explain"});
  CHECK(offered({""}).size() == command_infos().size());
  CHECK(offered({"ta"}) == Strings{"taints"});
  CHECK(offered({"taints", "fl"}) == Strings{"fluentd"});
  CHECK(offered({"explain", "-o", "j"}) == Strings{"json"});
  CHECK(offered({"explain", "--output=w"}) == Strings{"wide"});
  CHECK(offered({"version", "-o", ""}) == Strings{"json", "yaml"});
  CHECK(offered({"explain", "--color", ""}) == Strings{"auto", "always", "never"});
  CHECK(offered({"completion", "z"}) == Strings{"zsh"});
  CHECK(offered({"completion", ""}) == Strings{"bash", "fish", "kubectl", "zsh"});
  CHECK(offered({"nonsense", ""}).empty());
  CHECK(offered({"help", "ta"}) == Strings{"taints"});
  CHECK(offered({"help", "taints", ""}).empty());
  CHECK(offered({"no"}) == Strings{"node/"});  // node-exporter is not a command
  CHECK(offered({"ds/fl"}) == Strings{"ds/fluentd"});
  CHECK(offered({"ds", "fl"}) == Strings{"fluentd"});
  CHECK(offered({"check", "-A", ""}).empty());
  CHECK(offered({"check", "pod/"}).empty());
  CHECK(offered({"diff-nodes", "--sort-by", "UN"}) == Strings{"UNEXPECTED"});
  CHECK(offered({"findings", "--sort-by", "S"}) == Strings{"SEVERITY", "SCOPE"});
  CHECK(completed({"suggest", "--for", "n"}).directive == Directive::NoSpaceNoFiles);
  CHECK(completed({"suggest", "--for", ""}).directive == Directive::NoFileComp);
  CHECK(offered({"check", "-o", "j"}) == Strings{"json", "junit"});
  CHECK(offered({"check", "--alert=KubeDaemonSetN"}) == Strings{"KubeDaemonSetNotScheduled"});
  CHECK(offered({"check", "--alert", "x", ""}) == Strings{"fluentd", "node-exporter"});
  CHECK(offered({"check", "ds/fl"}) == Strings{"ds/fluentd"});
  CHECK(offered({"check", "node/"}).empty());
  CHECK(offered({"findings", "-o", "m"}) == Strings{"markdown"});
  CHECK(offered({"check", "-o", "j"}) == Strings{"json", "junit"});
  CHECK(offered({"findings", "untolerated-t"}) == Strings{"untolerated-taint"});
  CHECK(offered({"findings", "untolerated-taint", ""}).empty());
  CHECK(offered({"explain", "--exit"}) == Strings{"--exit-code"});
  CHECK(offered({"diff-nodes", "--exit"}).empty());
  CHECK(offered({"explain", "--demo", "--dem"}).empty());
  CHECK(offered({"explain", "--node", "x", "--node="}) == Strings{"gpu-1", "gpu-2"});
  CHECK(offered({"explain", "--node", "x", "--node"}) == Strings{"--node", "--node-selector"});
}

TEST_CASE("every flag is offered", "[cmd][completion]") {
  for (const CommandInfo& command : command_infos()) {
    const Command* found = find_command(command.name);
    if (found == nullptr) continue;  // options
    Raw raw;
    const Flags flags = flags_of(*found, raw);
    for (const CLI::Option* flag : flags.all()) {
      const std::string& name = name_of(*flag);
      if (name == "help") continue;
      CAPTURE(command.name, name);
      const auto candidates = offered({command.name, "--"});
      CHECK(std::ranges::count(candidates, "--" + name) == 1);
    }
  }
}

TEST_CASE("the shell completes file names", "[cmd][completion]") {
  CHECK(completed({"explain", "-f", ""}).directive == Directive::Default);
  CHECK(completed({"taints", "--taints-file", ""}).directive == Directive::Default);
  CHECK(completed({"explain", "--kubeconfig="}).directive == Directive::Default);
  CHECK(completed({"explain", ""}).directive == Directive::NoFileComp);
}

TEST_CASE("the output follows Cobra's protocol", "[cmd][completion]") {
  const Completion completion{{{"a", "first"}, {"b", ""}}, Directive::NoFileComp};
  CHECK(completion_lines(completion, true) == "a\tfirst\nb\n:4\n");
  CHECK(completion_lines(completion, false) == "a\nb\n:4\n");
  CHECK(completion_note(completion) ==
        "Completion ended with directive: ShellCompDirectiveNoFileComp\n");
}
