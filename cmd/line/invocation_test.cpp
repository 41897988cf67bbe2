// SPDX-License-Identifier: Apache-2.0
#include "line/invocation.h"

#include <catch2/catch.hpp>

#include "base/time.h"
#include "line/help.h"
#include "line/names.h"
#include "process/program_name.h"

using namespace dsdoctor;
using namespace dsdoctor::cmd;

namespace {

template <typename Options>
Options parsed(const std::vector<std::string>& words) {
  auto invocation = parse_invocation(words, "kubectl dsdoctor");
  if (!invocation) FAIL(base::to_string(invocation.error()));
  REQUIRE(std::holds_alternative<Options>(*invocation));
  return std::get<Options>(*invocation);
}

}  // namespace

TEST_CASE("a command line is parsed to a value", "[cmd]") {
  const auto options =
      parsed<ExplainOptions>({"-n", "datadog", "explain", "ds/datadog-agent", "-o", "JSON", "-f",
                              "a.json", "--filename=b", "--node", "n1", "--exit-code"});
  CHECK(options.scope.names == std::vector<ObjectName>{{ObjectType::DaemonSet, "datadog-agent"}});
  CHECK(options.input.source.connection.ns == "datadog");
  CHECK(options.input.source.files == std::vector<std::string>{"a.json", "b"});
  CHECK(options.scope.nodes == std::vector<std::string>{"n1"});
  CHECK(options.print.format == OutputFormat::Json);
  CHECK(options.exit_code);
  CHECK(options.input.source.chunk_size == 500);
}

TEST_CASE("the last value of a repeated flag wins and an empty value unsets it", "[cmd]") {
  CHECK(parsed<ExplainOptions>({"explain", "-n", "a", "-n", "b"}).input.source.connection.ns ==
        "b");
  CHECK(parsed<ExplainOptions>({"explain", "-n", "a", "-n="}).input.source.connection.ns.empty());
  CHECK_FALSE(
      parsed<ExplainOptions>({"explain", "-A", "-A=false"}).input.source.connection.all_namespaces);
  CHECK(parsed<ExplainOptions>({"explain", "-l", "!a"}).input.selector.text == "!a");
  CHECK(parsed<ExplainOptions>({"explain", "-l", "a in (x,y)"}).input.selector.text ==
        "a in (x,y)");
}

TEST_CASE("flags before the command belong to the command", "[cmd]") {
  const auto options = parsed<CheckOptions>(
      {"-n", "a", "--alert", "x", "--node", "n", "check", "--node", "m", "--alert=RolloutStuck"});
  CHECK(options.input.source.connection.ns == "a");
  CHECK(options.scope.nodes == std::vector<std::string>{"n", "m"});
  CHECK(options.alert == diagnosis::Alert::RolloutStuck);
  const auto error = [](const std::vector<std::string>& words) {
    const auto invocation = parse_invocation(words, "x");
    REQUIRE_FALSE(invocation);
    return base::to_string(invocation.error()) + "; " + invocation.error().hints.at(0);
  };
  CHECK(error({"-A", "version"}) ==
        "unknown shorthand flag: 'A' in -A; See 'x version --help' for usage.");
  CHECK(error({"--namespace=a", "findings"}) ==
        "unknown flag: --namespace; See 'x findings --help' for usage.");
  CHECK(error({"--force", "ds/a"}) == "unknown flag: --force; See 'x explain --help' for usage.");
  CHECK(error({"--force", "--bogus", "snapshot"}) ==
        "unknown flag: --force; See 'x explain --help' for usage.");
  CHECK(error({"--bogus", "snapshot"}) ==
        "unknown flag: --bogus; See 'x explain --help' for usage.");
  CHECK(error({"--force", "-n"}) == "unknown flag: --force; See 'x explain --help' for usage.");
}

TEST_CASE("the flag --version prints the version", "[cmd]") {
  CHECK(parsed<VersionOptions>({"--version"}).format == OutputFormat::Table);
  parsed<VersionOptions>({"-A", "--version"});
  CHECK(parse_invocation({"version", "--version"}, "x").error().what == "unknown flag: --version");
}

TEST_CASE("help is found after flags", "[cmd]") {
  const std::string explain = parsed<ShowText>({"explain", "--help"}).text;
  CHECK(parsed<ShowText>({"-h", "explain"}).text == explain);
  CHECK(parsed<ShowText>({"explain", "-Ah", "--color=never"}).text == explain);
  CHECK(parsed<ShowText>({"help", "--bogus", "explain", "--bogus"}).text == explain);
  CHECK(parsed<ShowText>({"help"}).text == parsed<ShowText>({"-n", "a", "--help"}).text);
  CHECK(parsed<ShowText>({"options", "-n", "a"}).text ==
        parsed<ShowText>({"help", "options"}).text);
}

TEST_CASE("the default command is explain", "[cmd]") {
  CHECK(parsed<ExplainOptions>({}).scope.names.empty());
  CHECK(parsed<ExplainOptions>({"-A", "--demo"}).input.source.connection.all_namespaces);
}

TEST_CASE("the first word may be an object", "[cmd]") {
  using Names = std::vector<ObjectName>;
  const ObjectName a{ObjectType::DaemonSet, "a"};
  const ObjectName b{ObjectType::DaemonSet, "b"};
  CHECK(parsed<ExplainOptions>({"ds/a", "-n", "x"}).scope.names == Names{a});
  CHECK(parsed<ExplainOptions>({"-n", "x", "ds/a", "ds/b"}).scope.names == Names{a, b});
  CHECK(parsed<ExplainOptions>({"daemonsets", "a", "b"}).scope.names == Names{a, b});
  CHECK(parsed<ExplainOptions>({"ds"}).scope.names.empty());
  CHECK(parsed<ExplainOptions>({"node/n"}).scope.names == Names{{ObjectType::Node, "n"}});
  CHECK_FALSE(parse_invocation({"deploy/a"}, "x"));
  CHECK(parsed<ExplainOptions>({"fluentd"}).scope.names ==
        Names{{ObjectType::DaemonSet, "fluentd"}});
  const auto near = parse_invocation({"tains"}, "kubectl dsdoctor");
  REQUIRE_FALSE(near);
  CHECK(near.error().hints.at(0) == "did you mean: kubectl dsdoctor taints");
  CHECK(near.error().hints.at(1) == "for a DaemonSet: kubectl dsdoctor explain tains");
  CHECK(parsed<CheckOptions>({"KubeDaemonSetRolloutStuck"}).alert ==
        diagnosis::Alert::RolloutStuck);
}

TEST_CASE("defaults of flags are used unless the line has them", "[cmd]") {
  std::vector<std::string> warnings;
  const std::vector<DefaultFlag> defaults = {{"c: defaults[0]", "check", "severity", "error"},
                                             {"c: defaults[1]", "check", "all-namespaces", "true"},
                                             {"c: defaults[2]", "check", "ignore", "node-cordoned"},
                                             {"c: defaults[3]", "check", "kubeconfig", "/x"},
                                             {"c: defaults[4]", "check", "colour", "never"},
                                             {"c: defaults[5]", "chek", "limit", "3"},
                                             {"c: defaults[6]", "explain", "no-healthy", "true"},
                                             {"c: defaults[7]", "explain", "timeline", "perhaps"}};
  const auto check = [&](const std::vector<std::string>& words) {
    warnings.clear();
    auto invocation = parse_invocation(words, "x", defaults, warnings);
    REQUIRE(invocation);
    return std::get<CheckOptions>(*std::move(invocation));
  };
  const CheckOptions options = check({"check"});
  CHECK(options.attention.threshold == diagnosis::Severity::Error);
  CHECK(options.input.source.connection.all_namespaces);
  CHECK(options.attention.ignored.size() == 1);
  CHECK(options.input.source.connection.kubeconfig.empty());
  CHECK(warnings ==
        std::vector<std::string>{"c: defaults[3]: kubeconfig: the kubeconfig has the connection",
                                 "c: defaults[4]: colour: the command has no such flag",
                                 "c: defaults[5]: there is no command chek"});
  // The line wins, wherever the flag is.
  CHECK(check({"check", "--severity", "info"}).attention.threshold == diagnosis::Severity::Info);
  CHECK(check({"--severity=info", "check"}).attention.threshold == diagnosis::Severity::Info);
  CHECK(check({"check", "--ignore", "node-fargate"}).attention.ignored.size() == 1);
  CHECK_FALSE(check({"check", "-n", "mon"}).input.source.connection.all_namespaces);
  CHECK_FALSE(check({"check", "agent"}).input.source.connection.all_namespaces);
  const auto explained = parse_invocation({"agent"}, "x", defaults, warnings);
  REQUIRE(explained);
  CHECK(std::get<ExplainOptions>(*explained).no_healthy);
  CHECK_FALSE(std::get<ExplainOptions>(*explained).timeline);
  CHECK(warnings.back().find("defaults[7]: invalid argument \"perhaps\"") != std::string::npos);
}

TEST_CASE("URLs as files are an error", "[cmd]") {
  for (const char* flag : {"-f", "--manifest", "--add-node"}) {
    const auto refused =
        parse_invocation({"explain", flag, "https://x/y.json"}, "kubectl dsdoctor");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().what == "https://x/y.json: URLs are not supported");
    CHECK(refused.error().hints.at(0) ==
          "curl -fsSL https://x/y.json | kubectl dsdoctor explain -f -");
  }
}

TEST_CASE("templates of kubectl are rejected with the command for jq", "[cmd]") {
  const auto refused = [](std::vector<std::string> words) {
    const auto invocation = parse_invocation(words, "kubectl dsdoctor");
    return invocation ? std::string() : invocation.error().what;
  };
  CHECK(refused({"check", "-A", "-n", "a b", "-o", "jsonpath={.daemonSets[*].name}", "x"}) ==
        "-o jsonpath is not offered; the same with jq: kubectl dsdoctor check x --all-namespaces "
        "'--namespace=a b' -o json | jq -r '.daemonSets[].name'");
  CHECK(refused({"-n=", "check", "--demo", "-l", "a=true", "-A=false", "-o=jsonpath={.a}"}) ==
        "-o jsonpath is not offered; the same with jq: kubectl dsdoctor check --namespace= --demo "
        "--selector=a=true --all-namespaces=false -o json | jq -r .a");
  const auto filter = [&](const std::string& path) {
    const std::string what = refused({"check", "-o", "jsonpath=" + path});
    return what.substr(what.find("jq -r ") + 6);
  };
  CHECK(filter("{.a.b[0].c-d}{\"\\n\"}") == "'.a.b[0][\"c-d\"]'");
  CHECK(filter("{$.a['x/y'].*}") == "'.a[\"x/y\"][]'");
  CHECK(filter("{.a.b\\.c/d[-1]}") == "'.a[\"b.c/d\"][-1]'");
  CHECK(filter("{[0]}") == "'.[0]'");
  CHECK(filter(".a") == ".a");
  // More than a path.
  for (const char* path : {"{..name}", "{.a}{.b}", "{range .a[*]}{.b}{end}", "{.a[?(@.b==1)]}",
                           "{.a[0:2]}", "{.a['x\"y']}", "{.a'b}", "", "{.a["}) {
    CAPTURE(path);
    CHECK(filter(path) == "FILTER");
  }
  for (const char* output : {"custom-columns=A:.a", "go-template={{.a}}", "jsonpath-file=x"}) {
    CAPTURE(output);
    CHECK_THAT(refused({"explain", std::string("-o") + output}),
               Catch::Matchers::EndsWith("write it as a filter of jq: kubectl dsdoctor explain -o "
                                         "json | jq -r FILTER"));
  }
}

TEST_CASE("help is wrapped like by kubectl", "[cmd]") {
  const std::string word(30, 'x');
  const std::string long_line = word + " " + word + " " + word;
  const std::string text = long_line + "\n  " + long_line + "\n        " + long_line + "\n";
  CHECK(wrapped_help(text, 0) == text);
  CHECK(wrapped_help(text, 79) == text);
  CHECK(wrapped_help(text, 119) == text);
  CHECK(wrapped_help(text, 80) == word + " " + word + "\n" + word + "\n  " + long_line +
                                      "\n        " + word + " " + word + "\n        " + word +
                                      "\n");
}

TEST_CASE("help about an unknown topic is an error", "[cmd]") {
  const auto what = [](const std::vector<std::string>& words) {
    const auto invocation = parse_invocation(words, "x");
    return invocation ? std::string() : invocation.error().what;
  };
  CHECK(what({"--help", "--bogus"}) == "unknown flag: --bogus");
  CHECK(what({"help", "nosuch"}) == "unknown help topic \"nosuch\"");
  CHECK(what({"options", "foo"}) == "options takes no arguments");
  CHECK(what({"options", "--bogus"}) == "unknown flag: --bogus");
  CHECK(what({"--help", "--version"}).empty());
  CHECK(what({"help", "options"}).empty());
  CHECK(what({"help", "explain"}).empty());
}

TEST_CASE("help shows the defaults", "[cmd]") {
  const std::string explain = parsed<ShowText>({"explain", "-h"}).text;
  CHECK(explain.find("--color='auto':") != std::string::npos);
  CHECK(explain.find("--node=[]:") != std::string::npos);
  const std::string options = parsed<ShowText>({"options"}).text;
  for (const char* flag : {"--chunk-size=500:", "--request-timeout='0':", "-v, --v=0:"}) {
    CAPTURE(flag);
    CHECK(options.find(flag) != std::string::npos);
  }
}

TEST_CASE("help does not need valid arguments", "[cmd]") {
  CHECK(parsed<ShowText>({"--help"}).text.find("Available Commands:") != std::string::npos);
  CHECK(parsed<ShowText>({"help"}).text == parsed<ShowText>({"-h"}).text);
  const std::string text = parsed<ShowText>({"explain", "a/b/c", "--help"}).text;
  CHECK(text.find("Examples:\n") != std::string::npos);
  CHECK(text.find("Usage:\n  kubectl dsdoctor explain") != std::string::npos);
  CHECK(parsed<ShowText>({"options"}).text.find("--kubeconfig=''") != std::string::npos);
  CHECK_FALSE(parse_invocation({"explain", "--help", "--nope"}, "x"));
}

TEST_CASE("arguments follow the rules of kubectl's resource builder", "[cmd]") {
  using Names = std::vector<ObjectName>;
  const auto names = [](const std::vector<std::string>& arguments) {
    auto result = parse_names(arguments, "kubectl dsdoctor");
    if (!result) FAIL(base::to_string(result.error()));
    return *result;
  };
  const ObjectName a{ObjectType::DaemonSet, "a"};
  const ObjectName b{ObjectType::DaemonSet, "b"};
  CHECK(names({"a", "b"}) == Names{a, b});
  CHECK(names({"ds", "a", "b"}) == Names{a, b});
  CHECK(names({"ds/a", "daemonsets.v1.apps/b"}) == Names{a, b});
  CHECK(names({"DaemonSet/a"}) == Names{a});
  CHECK(names({"a", "a"}) == Names{a});
  CHECK(names({"ds/ds"}) == Names{{ObjectType::DaemonSet, "ds"}});
  CHECK(names({"node", "n1"}) == Names{{ObjectType::Node, "n1"}});
  CHECK(names({"ds"}).empty());
  for (const std::string bad :
       {"ds/", "/a", "ds,deploy/a", "svc/x", "foo.example.com/x", "a/b/c"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_names({bad}, "kubectl dsdoctor"));
  }
  for (const char* type : {"ds.apps", "daemonset.v1.apps", "daemonsets."}) {
    CAPTURE(type);
    CHECK(names({std::string(type) + "/a"}) == Names{a});
    CHECK(names({type, "a", "b"}) == Names{a, b});
  }
  CHECK(names({"mon/a", "mon/b"}) == Names{{ObjectType::DaemonSet, "a", false, "mon"},
                                           {ObjectType::DaemonSet, "b", false, "mon"}});
  CHECK(names({"pods", "x"}) == Names{{ObjectType::Pod, "x"}});
  CHECK(names({"po/x"}) == Names{{ObjectType::Pod, "x"}});
  CHECK_FALSE(parse_names({"node"}, "kubectl dsdoctor"));
  CHECK_FALSE(parse_names({"pod"}, "kubectl dsdoctor"));
}

TEST_CASE("another type than DaemonSet is an error that names the type", "[cmd]") {
  const auto error = [](const std::string& argument) {
    const auto result = parse_names({argument}, "kubectl dsdoctor");
    REQUIRE_FALSE(result);
    return result.error();
  };
  CHECK(error("sts/a").hints ==
        std::vector<std::string>{"for a DaemonSet of namespace sts write: a -n sts"});
  CHECK(error("x.example.com/a").what ==
        "the server doesn't have a resource type \"x.example.com\"");
  CHECK(error("daemonset.batch/a").what ==
        "the server doesn't have a resource type \"daemonset.batch\"");
  CHECK(error("x.example.com/a").hints.empty());  // a namespace has no dots
  CHECK(error("daemonsets.apps.kruise.io/a").what ==
        "\"daemonsets.apps.kruise.io\" is a custom resource: only DaemonSets of apps/v1 are "
        "supported");
}

TEST_CASE("the program has the name under which the user runs it", "[cmd]") {
  CHECK(program_name("/home/x/.krew/bin/kubectl-dsdoctor") == "kubectl dsdoctor");
  CHECK(program_name("kubectl-daemonset_doctor") == "kubectl daemonset-doctor");
  CHECK(program_name("dsdoctor") == "dsdoctor");
  CHECK(program_name("") == "kubectl dsdoctor");
}

TEST_CASE("values of flags are parsed once, where the line is read", "[cmd]") {
  const auto options =
      parsed<ExplainOptions>({"explain", "-l", "app in (a,b)", "--node-selector", "!spot",
                              "--feature-gates", "AllAlpha=true", "--now", "2026-01-02T03:04:05Z",
                              "--color", "never", "--severity", "error", "--limit", "0"});
  REQUIRE(options.input.selector.value.size() == 1);
  CHECK(options.input.selector.value[0].key == "app");
  CHECK(options.input.selector.value[0].values.size() == 2);
  CHECK(options.input.selector.text == "app in (a,b)");  // for the API server
  REQUIRE(options.scope.node_selector.value.size() == 1);
  CHECK(options.scope.node_selector.value[0].op == "DoesNotExist");
  CHECK(options.rules.feature_gates.value.taint_toleration_comparison_operators == true);
  CHECK(options.input.now.value == base::parse_rfc3339("2026-01-02T03:04:05Z"));
  CHECK(options.print.color == ColorMode::Never);
  CHECK(options.attention.threshold == diagnosis::Severity::Error);
  CHECK(options.print.limit == 0U);
  const auto none = parsed<ExplainOptions>({"explain"});
  CHECK(none.input.selector.value.empty());
  CHECK_FALSE(none.input.now.value);
  CHECK_FALSE(none.print.limit);
}

TEST_CASE("what-if flags become edits in the order in which they are applied", "[cmd]") {
  using Kind = fixes::NodeEdit::Kind;
  const WhatIfOptions what_if =
      parsed<CheckOptions>({"check", "--cordon", "n1", "--label", "@pool=a=disk=ssd", "--taint",
                            "gpu-*=x=y:NoExecute", "--tolerate", "a", "--untaint", "n2=x",
                            "--add-node", "node.yaml", "--manifest", "-", "--unlabel", "n3=z"})
          .what_if;
  std::vector<Kind> kinds;
  for (const fixes::NodeEdit& edit : what_if.changes.edits) kinds.push_back(edit.kind);
  CHECK(kinds ==
        std::vector<Kind>{Kind::Taint, Kind::Untaint, Kind::Label, Kind::Unlabel, Kind::Cordon});
  const std::vector<fixes::NodeEdit>& edits = what_if.changes.edits;
  CHECK(edits[0].nodes.glob == "gpu-*");
  CHECK(edits[0].taint == model::Taint{"x", "y", "NoExecute"});
  CHECK(edits[2].nodes.glob.empty());
  CHECK(edits[2].nodes.labels.size() == 1);
  CHECK(edits[2].key == "disk");
  CHECK(edits[2].value == "ssd");
  CHECK(what_if.changes.tolerations ==
        std::vector<model::Toleration>{{"a", "Exists", "", "", std::nullopt}});
  // Files are read later.
  CHECK(what_if.changes.nodes.empty());
  CHECK(what_if.add_node == std::vector<std::string>{"node.yaml"});
  CHECK(what_if.manifest == std::vector<std::string>{"-"});
  CHECK(what_if.flags.size() == 8);
  CHECK(what_if.flags.front() == GivenFlags::value_type("--tolerate", "a"));
  CHECK(what_if.flags.back() == GivenFlags::value_type("--manifest", "-"));
}

TEST_CASE("a wrong value is a usage error that names its flag", "[cmd]") {
  const auto error = [](const std::vector<std::string>& words) {
    const auto invocation = parse_invocation(words, "kubectl dsdoctor");
    REQUIRE_FALSE(invocation);
    CHECK(invocation.error().kind == base::ErrorKind::Usage);
    return base::to_string(invocation.error());
  };
  CHECK(error({"check", "-l", "a in b"}) ==
        "--selector \"a in b\", column 6: found \"b\", expected \"(\"");
  CHECK(error({"taints", "--node-selector", "a>x"}) ==
        "--node-selector \"a>x\": \"x\" is not an integer, which < and > need");
  CHECK(error({"snapshot", "--now", "yesterday"}) ==
        "--now \"yesterday\": expected a time like 2006-01-02T15:04:05Z");
  CHECK(error({"findings", "--color", "loud"}) ==
        "invalid argument \"loud\" for \"--color\" flag: must be auto, always or never");
  CHECK(error({"suggest", "--cordon", ""}) ==
        "invalid argument \"\" for \"--cordon\" flag: the node is missing; the form is NODE");
  // The first of several errors is reported: selectors, gates, what-if.
  CHECK_THAT(error({"check", "--taint", "x", "--feature-gates", "A=b", "-l", "a in b"}),
             Catch::Matchers::StartsWith("--selector"));
  CHECK_THAT(error({"check", "--taint", "x", "--feature-gates", "A=b"}),
             Catch::Matchers::StartsWith("--feature-gates: invalid value of A=b"));
}
