#include "line/invocation.h"

#include <catch2/catch.hpp>

#include "line/feature_gates.h"
#include "line/help.h"
#include "line/names.h"
#include "line/program_name.h"

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

TEST_CASE("a command line becomes a value", "[cmd]") {
  const auto options =
      parsed<ExplainOptions>({"-n", "datadog", "explain", "ds/datadog-agent", "-o", "JSON", "-f",
                              "a.json", "--filename=b", "--node", "n1", "--exit-code"});
  CHECK(options.names == std::vector<ObjectName>{{ObjectType::DaemonSet, "datadog-agent"}});
  CHECK(options.source.connection.ns == "datadog");
  CHECK(options.source.files == std::vector<std::string>{"a.json", "b"});
  CHECK(options.nodes == std::vector<std::string>{"n1"});
  CHECK(options.format == OutputFormat::Json);
  CHECK(options.exit_code);
  CHECK(options.source.chunk_size == 500);
}

TEST_CASE("the last of a repeated flag wins, an empty value unsets", "[cmd]") {
  CHECK(parsed<ExplainOptions>({"explain", "-n", "a", "-n", "b"}).source.connection.ns == "b");
  CHECK(parsed<ExplainOptions>({"explain", "-n", "a", "-n="}).source.connection.ns.empty());
  CHECK_FALSE(parsed<ExplainOptions>({"explain", "-A", "-A=false"}).all_namespaces);
  CHECK(parsed<ExplainOptions>({"explain", "-l", "!a"}).selector == "!a");
  CHECK(parsed<ExplainOptions>({"explain", "-l", "a in (x,y)"}).selector == "a in (x,y)");
}

TEST_CASE("without a command it explains", "[cmd]") {
  CHECK(parsed<ExplainOptions>({}).names.empty());
  CHECK(parsed<ExplainOptions>({"-A", "--demo"}).all_namespaces);
}

TEST_CASE("what stands first may be what it is asked about", "[cmd]") {
  using Names = std::vector<ObjectName>;
  const ObjectName a{ObjectType::DaemonSet, "a"};
  const ObjectName b{ObjectType::DaemonSet, "b"};
  CHECK(parsed<ExplainOptions>({"ds/a", "-n", "x"}).names == Names{a});
  CHECK(parsed<ExplainOptions>({"-n", "x", "ds/a", "ds/b"}).names == Names{a, b});
  CHECK(parsed<ExplainOptions>({"daemonsets", "a", "b"}).names == Names{a, b});
  CHECK(parsed<ExplainOptions>({"ds"}).names.empty());
  CHECK(parsed<ExplainOptions>({"node/n"}).names == Names{{ObjectType::Node, "n"}});
  CHECK_FALSE(parse_invocation({"deploy/a"}, "x"));
  const auto bare = parse_invocation({"fluentd"}, "kubectl dsdoctor");
  REQUIRE_FALSE(bare);
  CHECK(bare.error().hints.at(0) == "for a DaemonSet: kubectl dsdoctor explain fluentd");
}

TEST_CASE("URLs are not read", "[cmd]") {
  for (const char* flag : {"-f", "--manifest", "--add-node"}) {
    const auto refused =
        parse_invocation({"explain", flag, "https://x/y.json"}, "kubectl dsdoctor");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().what == "https://x/y.json: URLs are not supported");
    CHECK(refused.error().hints.at(0) ==
          "curl -fsSL https://x/y.json | kubectl dsdoctor explain -f -");
  }
}

TEST_CASE("templates of kubectl are refused with the command of jq", "[cmd]") {
  const auto refused = [](std::vector<std::string> words) {
    const auto invocation = parse_invocation(words, "kubectl dsdoctor");
    return invocation ? std::string() : invocation.error().what;
  };
  CHECK(refused({"check", "-A", "-n", "a b", "-o", "jsonpath={.daemonSets[*].name}", "x"}) ==
        "-o jsonpath is not offered; the same with jq: kubectl dsdoctor check x --all-namespaces "
        "'--namespace=a b' -o json | jq -r '.daemonSets[].name'");
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

TEST_CASE("help is broken as kubectl breaks it", "[cmd]") {
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

TEST_CASE("help about what does not exist", "[cmd]") {
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

TEST_CASE("help needs nothing else on the line", "[cmd]") {
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
  for (const std::string bad : {"ds/", "/a", "ds,deploy/a", "svc/x", "foo/x", "a/b/c"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_names({bad}, "kubectl dsdoctor"));
  }
  for (const char* type : {"ds.apps", "daemonset.v1.apps", "daemonsets."}) {
    CAPTURE(type);
    CHECK(names({std::string(type) + "/a"}) == Names{a});
    CHECK(names({type, "a", "b"}) == Names{a, b});
  }
  CHECK(names({"pods", "x"}) == Names{{ObjectType::Pod, "x"}});
  CHECK(names({"po/x"}) == Names{{ObjectType::Pod, "x"}});
  CHECK_FALSE(parse_names({"node"}, "kubectl dsdoctor"));
  CHECK_FALSE(parse_names({"pod"}, "kubectl dsdoctor"));
}

TEST_CASE("what is no DaemonSet is told by its type", "[cmd]") {
  const auto error = [](const std::string& argument) {
    const auto result = parse_names({argument}, "kubectl dsdoctor");
    REQUIRE_FALSE(result);
    return result.error();
  };
  CHECK(error("mon/a").hints ==
        std::vector<std::string>{"for a DaemonSet of namespace mon write: a -n mon"});
  CHECK(error("x.example.com/a").what ==
        "the server doesn't have a resource type \"x.example.com\"");
  CHECK(error("daemonset.batch/a").what ==
        "the server doesn't have a resource type \"daemonset.batch\"");
  CHECK(error("x.example.com/a").hints.empty());  // no namespace has a dot
  CHECK(error("daemonsets.apps.kruise.io/a").what ==
        "\"daemonsets.apps.kruise.io\" is a custom resource: only DaemonSets of apps/v1 are "
        "supported");
}

TEST_CASE("the program is called as its user calls it", "[cmd]") {
  CHECK(program_name("/home/x/.krew/bin/kubectl-dsdoctor") == "kubectl dsdoctor");
  CHECK(program_name("kubectl-daemonset_doctor") == "kubectl daemonset-doctor");
  CHECK(program_name("dsdoctor") == "dsdoctor");
  CHECK(program_name("") == "kubectl dsdoctor");
}

TEST_CASE("feature gates", "[cmd]") {
  const auto gate = [](const std::string& text) {
    auto gates = parse_feature_gates(text);
    if (!gates) FAIL(base::to_string(gates.error()));
    return gates->taint_toleration_comparison_operators;
  };
  CHECK_FALSE(gate(""));
  CHECK(gate("TaintTolerationComparisonOperators=true"));
  CHECK(gate("AllAlpha=true"));
  CHECK_FALSE(gate("AllAlpha=true,TaintTolerationComparisonOperators=false"));
  CHECK_FALSE(gate("TaintTolerationComparisonOperators=false,AllAlpha=true"));
  CHECK_FALSE(parse_feature_gates("Foo=true"));
  CHECK_FALSE(parse_feature_gates("TaintTolerationComparisonOperators"));
  CHECK_FALSE(parse_feature_gates("TaintTolerationComparisonOperators=yes"));
  CHECK_FALSE(
      gates_for({true}, model::ServerVersion{1, 34, 2, ""}).taint_toleration_comparison_operators);
  CHECK(
      gates_for({true}, model::ServerVersion{1, 35, 0, ""}).taint_toleration_comparison_operators);
  CHECK(gates_for({true}, std::nullopt).taint_toleration_comparison_operators);
}
