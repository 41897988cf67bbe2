// SPDX-License-Identifier: Apache-2.0

// Behaviour that users of kubectl expect from a plugin, one test each. Not covered, because no
// command has them: ages of objects in tables. --watch is covered in live/watch_test.cpp.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "line/formats.h"
#include "process/program_name.h"
#include "test_live_cluster.h"

using namespace dsdoctor;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using Strings = std::vector<std::string>;

namespace {

const std::string file = std::string(DSDOCTOR_TESTDATA) + "/conventions/cluster.json";

/// The names of the DaemonSets in an answer, in order.
Strings daemon_sets(const cmd::LiveCluster& cluster, Strings words) {
  words.insert(words.begin(), "explain");
  words.insert(words.end(), {"-o", "name"});
  const auto answer = cluster.run(words);
  CHECK(answer.code == 0);
  Strings names;
  std::istringstream lines(answer.out);
  for (std::string line; std::getline(lines, line);) {
    // Without a namespace, the line has the arguments for the next command.
    CHECK((line.starts_with("daemonset.apps/") || line.starts_with("-n ")));
    names.push_back(line.substr(line.find('/') + 1));
  }
  return names;
}

}  // namespace

TEST_CASE("texts name the program as it was called", "[cmd][conventions]") {
  CHECK(cmd::program_name("/x/kubectl-dsdoctor") == "kubectl dsdoctor");
  CHECK(cmd::program_name("kubectl-daemonset_doctor") == "kubectl daemonset-doctor");
  CHECK(cmd::program_name("./dsdoctor") == "dsdoctor");
  CHECK(cmd::is_completion_helper("/usr/bin/kubectl_complete-dsdoctor"));
  CHECK_FALSE(cmd::is_completion_helper("kubectl-dsdoctor"));
}

TEST_CASE("help does not need a cluster", "[cmd][conventions]") {
  const cmd::LiveCluster cluster(file, "mon");
  for (const Strings& words : {Strings{"-h"}, Strings{"explain", "ds/a", "b", "--help"},
                               Strings{"taints", "--help"}, Strings{"version", "-o", "json"}}) {
    const auto answer = cluster.run(words);
    CHECK(answer.code == 0);
    CHECK_FALSE(answer.out.empty());
    CHECK(answer.err.empty());
  }
  CHECK(nlohmann::json::parse(cluster.run({"version", "-o", "json"}).out).is_object());
  CHECK(cluster.requests().empty());
}

TEST_CASE("names of DaemonSets are accepted like in kubectl", "[cmd][conventions]") {
  const cmd::LiveCluster cluster(file, "mon");
  const Strings both = {"fluentd", "node-exporter"};
  CHECK(daemon_sets(cluster, {}) == both);
  CHECK(daemon_sets(cluster, {"node-exporter"}) == Strings{"node-exporter"});
  for (const char* type : {"ds", "daemonset", "daemonsets.apps", "daemonset.v1.apps", "DaemonSet",
                           "ds.apps", "ds.v1.apps", "daemonsets.", "DS.Apps"}) {
    CHECK(daemon_sets(cluster, {std::string(type) + "/node-exporter"}) == Strings{"node-exporter"});
  }
  CHECK(daemon_sets(cluster, {"ds", "node-exporter", "fluentd"}).size() == 2);
  CHECK(daemon_sets(cluster, {"ds/ds", "-n", "default"}) == Strings{"ds"});
  CHECK(daemon_sets(cluster, {"ds", "-n", "default"}) == Strings{"ds"});
  CHECK(daemon_sets(cluster, {"node-exporter", "node-exporter"}) == Strings{"node-exporter"});
  CHECK(daemon_sets(cluster, {"-A", "-n", "mon"}).size() == 3);
  CHECK(daemon_sets(cluster, {"-n", "mon", "-n", "default"}) == Strings{"ds"});
  CHECK(daemon_sets(cluster, {"-l", "tier in (logs)"}) == Strings{"fluentd"});
  CHECK(daemon_sets(cluster, {"nope", "--ignore-not-found"}).empty());
}

TEST_CASE("a name may have its namespace, as tables and alerts write it", "[cmd][conventions]") {
  const cmd::LiveCluster cluster(file, "default");
  CHECK(daemon_sets(cluster, {"mon/node-exporter"}) == Strings{"node-exporter"});
  CHECK(daemon_sets(cluster, {"mon/node-exporter", "mon/fluentd"}).size() == 2);
  CHECK(daemon_sets(cluster, {"mon/node-exporter", "-n", "mon"}) == Strings{"node-exporter"});
  CHECK(daemon_sets(cluster, {"mon/node-exporter", "-A"}) == Strings{"node-exporter"});
  // Only this namespace is read.
  (void)cluster.requests();
  CHECK(cluster.run({"check", "mon/node-exporter", "-A"}).code != 2);
  // A type wins.
  CHECK_THAT(cluster.run({"explain", "pod/node-exporter"}).err, Contains("pods \"node-exporter\""));
  // The lines of -o name select the same DaemonSets again.
  const auto all = cluster.run({"explain", "-A", "-o", "name"});
  CHECK(all.out == "-n default ds/ds\n-n mon ds/fluentd\n-n mon ds/node-exporter\n");
  CHECK(cluster.run({"explain", "-n", "mon", "-o", "name"}).out ==
        "daemonset.apps/fluentd\ndaemonset.apps/node-exporter\n");
  CHECK(daemon_sets(cluster, {"-n", "mon", "ds/fluentd"}) == Strings{"fluentd"});
}

TEST_CASE("a mistyped word gets a suggestion", "[cmd][conventions]") {
  const cmd::LiveCluster cluster(file, "mon");
  struct Row {
    Strings words;
    std::string said;
  };
  const Row rows[] = {
      {{"chek"}, "did you mean: kubectl dsdoctor check\n"},
      {{"diffnodes"}, "did you mean: kubectl dsdoctor diff-nodes\n"},
      {{"get", "ds"}, "did you mean: kubectl dsdoctor check\n"},
      {{"get", "ds", "-n", "mon"}, "did you mean: kubectl dsdoctor check -n mon\n"},
      {{"get", "ds", "fluentd"}, "did you mean: kubectl dsdoctor explain fluentd\n"},
      {{"-n", "mon", "describe", "ds", "fluentd"},
       "did you mean: kubectl dsdoctor explain -n mon fluentd\n"},
      {{"describe", "ds/fluentd"}, "did you mean: kubectl dsdoctor explain ds/fluentd\n"},
      {{"patch", "ds", "fluentd"}, "did you mean: kubectl dsdoctor suggest fluentd\n"},
      {{"logs", "x", "-c", "y"}, "kubectl logs x -c y\n"},
      {{"check", "--namespce", "x"}, "did you mean: --namespace\n"},
      {{"check", "--outptu=json"}, "did you mean: --output\n"},
      {{"check", "-o", "jsn"}, "did you mean: -o json\n"},
      {{"explain", "fluentdd"}, "did you mean: fluentd\n"},
      {{"explain", "job/fluentd"}, "for a DaemonSet of namespace job write: fluentd -n job\n"},
      {{"findings", "CrashLopBackOff"}, "did you mean: CrashLoopBackOff\n"},
      {{"findings", "KubeDaemonSetMisScheduled"}, "check --alert KubeDaemonSetMisScheduled\n"},
      {{"check", "--alert", "KubeDeamonSet"}, "must be one of KubeDaemonSetNotScheduled"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.words);
    const auto answer = cluster.run(row.words);
    CHECK(answer.code == 2);
    CHECK(answer.out.empty());
    CHECK_THAT(answer.err, Contains(row.said));
  }
  // A bare word is a DaemonSet, and the name of an alert asks about it.
  CHECK(cluster.run({"fluentd"}).out == cluster.run({"explain", "fluentd"}).out);
  CHECK(cluster.run({"kubedaemonsetmisscheduled", "-A"}).out ==
        cluster.run({"check", "--alert", "KubeDaemonSetMisScheduled", "-A"}).out);
}

TEST_CASE("an invalid name gets an error of one line and no request", "[cmd][conventions]") {
  const cmd::LiveCluster cluster(file, "mon");
  struct Row {
    Strings words;
    std::string said;
  };
  const Row rows[] = {
      {{"--bogus"}, "error: unknown flag: --bogus\n"},
      {{"-n"}, "error: flag needs an argument: 'n' in -n\n"},
      {{"--help", "--bogus"}, "error: unknown flag: --bogus\n"},
      {{"--color=sometimes"}, "error: invalid argument \"sometimes\" for \"--color\" flag"},
      {{"ds/node-exporter", "fluentd"}, "error: there is no need to specify a resource type"},
      {{"deploy/x"}, "supports DaemonSets"},
      {{"foo.example.com/x"}, "error: the server doesn't have a resource type"},
      {{"ds/a/b"}, "may not have more than one slash"},
      {{"ds/"}, "must have a single resource and name"},
      {{"/a"}, "must have a single resource and name"},
      {{"mon/node-exporter", "-n", "default"}, "mon/node-exporter is not in namespace default"},
      {{"mon/node-exporter", "logging/fluentd"}, "one command answers for one namespace"},
      {{"pod/x", "--node", "y"}, "error: a pod is explained on its node"},
      {{"pod/x", "pod/y"}, "error: explain takes DaemonSets, one node or one pod"},
      {{"--sort-by", "nope"},
       "error: --sort-by \"nope\": no such column; must be one of DAEMONSET, "},
      {{"--limit", "-1"}, "error: --limit \"-1\" must be a number of problems, or 0 for all"},
      {{"node-exporter", "-l", "a=b"}, "error: name cannot be provided when a selector"},
      {{"-l", "a in (b"}, "--selector \"a in (b\""},
      {{"-o", "xml"}, "allowed formats are: html,json,markdown,name,table,wide,yaml"},
  };
  for (const Row& row : rows) {
    Strings words = {"explain"};
    words.insert(words.end(), row.words.begin(), row.words.end());
    CAPTURE(words);
    const auto answer = cluster.run(words);
    CHECK(answer.code == 2);
    CHECK(answer.out.empty());
    CHECK_THAT(answer.err, Contains(row.said));
  }
  const auto named = cluster.run({"check", "node-exporter", "-A"});
  CHECK_THAT(named.err, Contains("error: a resource cannot be retrieved by name across all"));
  const auto pod = cluster.run({"check", "pod/x"});
  CHECK_THAT(pod.err,
             Contains("check works on DaemonSets, not \"pods\"; kubectl dsdoctor explain"));
  CHECK(cluster.requests().empty());
}

TEST_CASE("a name that does not exist is an error", "[cmd][conventions]") {
  const cmd::LiveCluster cluster(file, "mon");
  const auto answer = cluster.run({"explain", "nope", "fluentd"});
  CHECK(answer.code == 2);
  CHECK_THAT(answer.out, Contains("mon/fluentd"));
  CHECK_THAT(answer.err, Contains("daemonsets.apps \"nope\" not found"));
  const auto ignored = cluster.run({"explain", "nope", "--ignore-not-found"});
  CHECK(ignored.code == 0);
  CHECK(ignored.out + ignored.err == "");
  const auto dashed = cluster.run({"explain", "--", "-n"});
  CHECK(dashed.code == 2);
  CHECK_THAT(dashed.err, Contains("\"-n\" not found"));
}

TEST_CASE("a namespace without DaemonSets is a valid answer", "[cmd][conventions]") {
  const cmd::LiveCluster cluster(file, "mon");
  const auto text = cluster.run({"explain", "-n", "empty-ns"});
  CHECK(text.code == 0);
  CHECK(text.out.empty());
  CHECK(text.err == "No resources found in empty-ns namespace.\n");
  const auto json = cluster.run({"explain", "-n", "empty-ns", "-o", "json"});
  CHECK(json.code == 0);
  CHECK(json.err.empty());
  CHECK(nlohmann::json::parse(json.out)["daemonSets"].empty());
}

TEST_CASE("a namespace that does not exist is an error", "[cmd][conventions]") {
  cmd::LiveCluster cluster(file, "mon");
  for (const Strings& source : {Strings{}, Strings{"-f", file}}) {
    for (const char* command : {"check", "explain"}) {
      Strings words = {command, "-n", "emty-ns"};
      words.insert(words.end(), source.begin(), source.end());
      const auto answer = cluster.run(words);
      CHECK(answer.code == 2);
      CHECK(answer.err ==
            (source.empty() ? std::string("error: namespaces \"emty-ns\" not found\n")
                            : "error: namespaces \"emty-ns\" not found\ndid you mean: empty-ns\n"));
    }
  }
  // Without permission to read the namespace its existence is unknown.
  cluster.api().forbid("/api/v1/namespaces/emty-ns");
  const auto unknown = cluster.run({"explain", "-n", "emty-ns"});
  CHECK(unknown.code == 0);
  CHECK_THAT(unknown.err,
             Contains("No resources found in emty-ns namespace.\nNot known: namespaces") &&
                 Contains(": whether namespace emty-ns exists is unknown\n"));
  for (const Strings& words :
       {Strings{"check"}, Strings{"check", "-ojson"}, Strings{"check", "-oname"},
        Strings{"explain", "--exit-code"}, Strings{"diff-nodes"}}) {
    Strings asked = words;
    asked.insert(asked.end(), {"-n", "emty-ns"});
    CHECK(cluster.run(asked).code == 2);
  }
  CHECK_THAT(cluster.run({"check", "-n", "emty-ns", "-ojunit"}).out,
             Contains("whether namespace emty-ns exists is unknown"));
}

TEST_CASE("output formats are selected like in kubectl", "[cmd][conventions]") {
  const cmd::LiveCluster cluster(file, "mon");
  const auto json_of = [&](const Strings& flags) {
    Strings words = {"explain", "fluentd"};
    words.insert(words.end(), flags.begin(), flags.end());
    auto parsed = nlohmann::json::parse(cluster.run(words).out);
    parsed["source"].erase("readAt");
    return parsed;
  };
  CHECK(json_of({"-ojson"}) == json_of({"-o=json"}));
  CHECK(json_of({"--output=json"}) == json_of({"-o", "JSON"}));
  const auto text = cluster.run({"explain", "fluentd"}).out;
  CHECK(text.find('\033') == text.npos);
  CHECK(text.find(" \n") == text.npos);
  CHECK_THAT(cluster.run({"explain", "fluentd", "--color=always"}).out, Contains("\033["));
  CHECK_THAT(text, EndsWith("\n"));
}

TEST_CASE("every command writes each of its formats", "[cmd][conventions]") {
  const cmd::LiveCluster cluster(file, "mon");
  const std::string manifest = std::string(DSDOCTOR_TESTDATA) + "/scenarios/what-if/rendered.yaml";
  for (const char* command : {"explain", "diff-nodes", "suggest", "check", "taints", "findings"}) {
    const Strings formats = cmd::output_formats(command);
    CHECK(formats.size() > 3);
    for (const std::string& format : formats) {
      CAPTURE(command, format);
      Strings words = {command, "-o", format};
      if (format == "sarif") words.insert(words.end(), {"--manifest", manifest});
      const auto answer = cluster.run(words);
      CHECK(answer.code != 2);
      CHECK_FALSE((answer.out + answer.err).empty());
    }
  }
}

TEST_CASE("every column for --sort-by is in the table", "[cmd][conventions]") {
  const cmd::LiveCluster cluster(file, "mon");
  const std::string mixed = std::string(DSDOCTOR_TESTDATA) + "/clusters/mixed-40-nodes.json";
  for (const char* command : {"check", "explain", "diff-nodes", "taints", "findings"}) {
    const auto print = [&](const std::string& column, const Strings& more) {
      Strings words = {command, "--sort-by", column};
      words.insert(words.end(), more.begin(), more.end());
      return cluster.run(words);
    };
    const bool offline = command == std::string("findings");
    const Strings all = offline ? Strings{} : Strings{"-A", "-f", mixed};
    for (const std::string& column : cmd::table_columns(command)) {
      CAPTURE(command, column);
      auto answer = print(column, all);
      CHECK(answer.code != 2);
      if (command == std::string("explain")) {
        answer.out += print(column, {"node/gpu-1", "-f", mixed}).out;
      }
      CHECK_THAT(answer.out, Contains(column));
      CHECK_THAT(print(column + "x", all).err, StartsWith("error: --sort-by"));
    }
  }
}

TEST_CASE("explain --exit-code reports findings", "[cmd][conventions]") {
  const cmd::LiveCluster cluster(file, "mon");
  CHECK(cluster.run({"explain", "fluentd"}).code == 0);
  CHECK(cluster.run({"explain", "fluentd", "--exit-code"}).code == 1);
  CHECK(cluster.run({"explain", "node-exporter", "--exit-code"}).code == 0);
  CHECK(cluster.run({"explain", "--exit-code", "-s", "https://127.0.0.1:1"}).code == 2);
}

TEST_CASE("a printed command uses the examined cluster", "[cmd][conventions]") {
  const cmd::LiveCluster cluster(file, "mon");
  const auto text = cluster.run({"explain", "fluentd", "--context", "c1"}).out;
  CHECK_THAT(text, Contains("kubectl --context=c1 --namespace mon patch daemonset fluentd"));
  CHECK_THAT(text, Contains("    context c1\n"));
}

TEST_CASE("commands of a fix use the same cluster", "[cmd][conventions]") {
  const cmd::LiveCluster cluster(std::string(DSDOCTOR_TESTDATA) + "/clusters/mixed-40-nodes.json",
                                 "mon");
  const auto commands_reach_it = [](const std::string& text) {
    std::size_t commands = 0;
    for (const char* begin : {"do: kubectl ", ": kubectl ", "    kubectl "}) {
      for (std::size_t at = text.find(begin); at != text.npos; at = text.find(begin, at + 1)) {
        ++commands;
        const std::string line = text.substr(at, text.find('\n', at) - at);
        CAPTURE(line);
        CHECK(line.find("--context=c2") != line.npos);
      }
    }
    return commands;
  };
  CHECK(commands_reach_it(cluster.run({"explain", "-A", "--context", "c2"}).out) > 0);
  const auto junit = cluster.run({"check", "-A", "--context", "c2", "-o", "junit"});
  CHECK(commands_reach_it(junit.out) > 0);
  std::size_t commands = 0;
  const auto json =
      nlohmann::json::parse(cluster.run({"explain", "-A", "--context", "c2", "-o", "json"}).out);
  for (const auto& ds : json["daemonSets"]) {
    for (const auto& node : ds["nodes"]) {
      CHECK(node.contains("timeline"));
      for (const auto& finding : node["findings"]) {
        for (const auto& step : finding["fix"]) {
          const auto command = step["command"];
          if (!command.is_string() || !command.get<std::string>().starts_with("kubectl ")) continue;
          ++commands;
          CHECK_THAT(command.get<std::string>(), Contains("kubectl --context=c2 "));
        }
      }
    }
  }
  CHECK(commands > 0);
}

TEST_CASE("without RBAC permission to read nodes nothing is reported as healthy",
          "[cmd][conventions]") {
  cmd::LiveCluster cluster(file, "mon");
  cluster.api().forbid("/api/v1/nodes");
  for (const char* command : {"explain", "suggest", "check", "diff-nodes", "taints"}) {
    for (const char* format : {"table", "json", "yaml", "name", "markdown"}) {
      CAPTURE(command, format);
      const auto answer = cluster.run({command, "-o", format});
      // explain works from status and pods; the other commands need nodes, e.g. to decide whether a
      // misscheduled pod needs action.
      const std::string name = command;
      CHECK(answer.code == (name == "explain" ? 0 : 2));
      if (name != "explain") CHECK_THAT(answer.out, !Contains("✓") && !Contains("runs there"));
      const bool for_people = format == std::string("table") || format == std::string("markdown");
      CHECK((answer.err.find("Not known: nodes") != answer.err.npos) != for_people);
      CHECK((answer.out.find("Not known: nodes") != answer.out.npos) == for_people);
    }
  }
  const auto form = cluster.run({"suggest", "fluentd", "-o", "json-patch"});
  CHECK(form.code == 2);
  CHECK_THAT(form.err, Contains("Not known: nodes") && Contains("error: not answered"));
}

TEST_CASE("flags for a cluster are reported as ignored with files", "[cmd][conventions]") {
  const cmd::LiveCluster cluster(file, "mon");
  CHECK(
      cluster.run({"explain", "-A", "-f", file, "--context", "c1", "-s", "x", "-o", "name"}).err ==
      "warning: --context, --server ignored with -f: no cluster is read\n");
  CHECK(cluster.requests().empty());
  CHECK(cluster.run({"diff-nodes", "-A", "--since", file, "--context", "c1"}).err.empty());
}

TEST_CASE("a manifest gets the namespace that kubectl would use", "[cmd][conventions]") {
  const cmd::LiveCluster cluster(file, "mon");
  const std::string manifest =
      std::string(DSDOCTOR_TESTDATA) + "/scenarios/what-if/without-namespace.yaml";
  const auto namespace_of = [&](Strings words) {
    words.insert(words.begin(), {"explain", "--manifest", manifest, "-o", "json"});
    const auto answer = nlohmann::json::parse(cluster.run(words).out);
    return answer["whatIf"]["daemonSets"].back()["namespace"].get<std::string>();
  };
  CHECK(namespace_of({}) == "mon");
  CHECK(namespace_of({"-n", "other"}) == "other");
  CHECK(namespace_of({"--context", "c2"}) == "default");
}
