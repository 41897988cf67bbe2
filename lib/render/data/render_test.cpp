// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "base/printable.h"
#include "base/shell_word.h"
#include "render/data/json_parts.h"
#include "render/data/patch.h"
#include "render/data/yaml.h"
#include "render/words/finding_text.h"
#include "render/words/style.h"

using namespace dsdoctor;
using namespace dsdoctor::render;

namespace {

fixes::Suggestion suggestion(bool creates_list) {
  fixes::Suggestion result;
  result.change.added = {{"a", "Exists", "", "NoSchedule", {}}, {"b", "Equal", "it's", "", {}}};
  result.creates_list = creates_list;
  return result;
}

}  // namespace

TEST_CASE("YAML contains no forbidden character and no Unicode line break", "[render]") {
  const nlohmann::ordered_json document = {
      {"a", "x\x7F\u0085\u009B\u2028\uFEFF\uFFFE \u00E9\u2026 \xF0\x9F\x98\x80"}};
  CHECK(yaml_text(document) ==
        "a: \"x\\u007F\\u0085\\u009B\\u2028\\uFEFF\\uFFFE \u00E9\u2026 \xF0\x9F\x98\x80\"\n");
}

TEST_CASE("a patch keeps the existing list of tolerations", "[render]") {
  CHECK(
      json_patch(suggestion(false)).dump() ==
      R"([{"op":"add","path":"/spec/template/spec/tolerations/-","value":{"key":"a","operator":"Exists","effect":"NoSchedule"}},{"op":"add","path":"/spec/template/spec/tolerations/-","value":{"key":"b","operator":"Equal","value":"it's"}}])");
}

TEST_CASE("a patch creates the list only if there is none", "[render]") {
  const Json patch = json_patch(suggestion(true));
  REQUIRE(patch.size() == 2);
  CHECK(patch[0].dump() ==
        R"({"op":"test","path":"/spec/template/spec/tolerations","value":null})");
  CHECK(patch[1]["value"].size() == 2);
}

TEST_CASE("a printed command is one shell command for any names", "[render]") {
  Presentation style;
  style.address.kubectl_flags = {"--context=a b"};
  fixes::Suggestion valid = suggestion(false);
  valid.change.added.back().value = "its";
  const auto command = patch_command("my-ns", "agent", valid, style);
  REQUIRE(command);
  CHECK(command->starts_with(
      R"(kubectl '--context=a b' --namespace my-ns patch daemonset agent --type=json --patch='[)"));
  CHECK_FALSE(
      patch_command("my-ns", "agent", suggestion(false), style));  // a value contains a quote
  for (const char* name : {"x\n", "my ns", "it's", "-x", "--all", "a/b", ""}) {
    CAPTURE(name);
    CHECK_FALSE(patch_command("my-ns", name, valid, style));
    if (*name != '\0') CHECK_FALSE(patch_command(name, "agent", valid, style));
  }
  CHECK(base::shell_word("") == "''");
  CHECK(base::shell_word("$(reboot)") == "'$(reboot)'");
  CHECK(base::shell_word("datadog-agent") == "datadog-agent");
}

TEST_CASE("YAML quotes strings that could be parsed as another type", "[render]") {
  const Json document = {{"a", "true"},
                         {"b", "1e3"},
                         {"c", "plain-text.v1/x"},
                         {"d", ""},
                         {"e", nullptr},
                         {"f", true},
                         {"g", Json::array()},
                         {"h", Json::object()},
                         {"i", {1, {{"j", "k: l"}, {"m", {"x"}}}}},
                         {"No", "~"}};
  CHECK(yaml_text(document) == R"(a: "true"
b: "1e3"
c: plain-text.v1/x
d: ""
e: null
f: true
g: []
h: {}
i:
- 1
- j: "k: l"
  m:
  - x
"No": "~"
)");
}

TEST_CASE("text is wrapped at blanks if the width is known", "[render]") {
  Presentation style;
  CHECK(wrapped(style, 2, "one two three") == "  one two three\n");
  style.width = 24;
  CHECK(wrapped(style, 2, "one two three four five six") == "  one two three four\n    five six\n");
  CHECK(wrapped(style, 2, "a-word-that-is-longer-than-any-line x") ==
        "  a-word-that-is-longer-than-any-line\n    x\n");
}

TEST_CASE("text from a cluster contains no escape sequences for the terminal",
          "[render][row 144]") {
  CHECK(base::printable_line("a\x1b[31mb\nc\td") == "a^[[31mb\\nc\\td");
  CHECK(base::printable_line("x\u202ey") == "xU+202Ey");
  CHECK(base::printable_line("é") == "é");
}

TEST_CASE("colors are only used if the style enables them", "[render]") {
  Presentation style;
  CHECK(paint(style, Color::Red, "x") == "x");
  style.color = true;
  CHECK(paint(style, Color::Red, "x") == "\x1b[31mx\x1b[0m");
}

TEST_CASE("text after a label is wrapped but a command at its end is not", "[render]") {
  Presentation style;
  style.width = 30;
  CHECK("Fix: " + wrapped(style, Layout{.indent = 4, .lead = 6}, "aaaaaaaa bbbbbbbb cccccc dddd") ==
        "Fix: aaaaaaaa bbbbbbbb cccccc\n      dddd\n");
  const std::string text = "look at it: kubectl get pods --all-namespaces";
  const std::size_t solid = text.find("kubectl");
  CHECK(wrapped(style, Layout{.indent = 2, .solid = solid}, text) ==
        "  look at it:\n    kubectl get pods --all-namespaces\n");
  style.width = 0;
  CHECK(wrapped(style, Layout{.indent = 2, .solid = solid}, text) == "  " + text + "\n");
}

TEST_CASE("commands of a fix address the examined cluster", "[render]") {
  Presentation style;
  style.address.program = "dsdoctor";
  style.address.kubectl_flags = {"--context=a b"};
  style.address.own_flags = {"--context=a b", "-f", "x.json"};
  const auto printed = [&](std::string text, std::string_view command) {
    return line_of({std::move(text), base::Command{base::split_words(command)}}, style).text;
  };
  CHECK(printed("", "kubectl get x") == "kubectl '--context=a b' get x");
  CHECK(printed("once", "kubectl -n x delete pod y") ==
        "once: kubectl '--context=a b' -n x delete pod y");
  CHECK(printed("", "oc get x") == "oc get x");
  CHECK(printed("", "kubectl dsdoctor explain x -n y") ==
        "dsdoctor explain x -n y '--context=a b' -f x.json");
  CHECK(addressed({{"as kubectl apply does"}, {"prose"}}, style) == "as kubectl apply does\nprose");
  CHECK_FALSE(line_of({"prose"}, style).is_command());
}

TEST_CASE("unknown counts of an effect are null", "[render]") {
  fixes::Effect effect;
  effect.before.desired_number_scheduled = 1;
  diagnosis::EvaluatedCounts today;
  today.nodes_known = today.pods_known = true;
  CHECK(effect_json(effect, today)["before"].dump() ==
        R"({"desiredNumberScheduled":1,"numberMisscheduled":0})");
  today.pods_known = false;
  CHECK(effect_json(effect, today)["before"].dump() ==
        R"({"desiredNumberScheduled":1,"numberMisscheduled":null})");
  CHECK(effect_json(effect, today)["after"]["numberMisscheduled"].is_null());
}

TEST_CASE("a document names the rules that were taken", "[render]") {
  Envelope envelope;
  const auto rules = [&](model::Release release, model::ReleaseSource source) {
    envelope.rules.release = {release, source};
    return start_document("Explanation", envelope)["source"]["rules"];
  };
  const Json known = rules({36, 3}, model::ReleaseSource::Server);
  CHECK(known["release"] == "1.36.3");
  CHECK(known["source"] == "server");
  CHECK(known["newestKnown"] == "1.37.2");
  CHECK(known["newerThanKnown"] == false);
  CHECK(known["message"] == "those of Kubernetes 1.36.3, the version of the API server");
  CHECK(known["featureGates"].empty());
  const Json newer = rules({99, 0}, model::ReleaseSource::Kubelets);
  CHECK(newer["newerThanKnown"] == true);
  CHECK(newer["message"] ==
        "those of Kubernetes 1.37.2, the newest known release, because 1.99.0 is newer (the newest "
        "kubelet; the version of the API server is unknown)");
  const Json unknown = rules(model::newest_known_release, model::ReleaseSource::Unknown);
  CHECK(unknown["source"] == "assumed");
  CHECK(unknown["message"] ==
        "those of Kubernetes 1.37.2, the newest known release, because the version of the cluster "
        "is unknown");
}

TEST_CASE("a document names the settings of feature gates", "[render]") {
  Envelope envelope;
  diagnosis::GateSetting gate{
      "SomeGate", true, diagnosis::GateSource::StoredObject, diagnosis::gate_by_default(), {}};
  gate.evidence = diagnosis::Evidence({"DaemonSet", "x", "agent"}, "spec.x", "Gt");
  envelope.rules.gates = {gate};
  const Json shown = start_document("Explanation", envelope)["source"]["rules"]["featureGates"];
  REQUIRE(shown.size() == 1);
  CHECK(shown[0]["name"] == "SomeGate");
  CHECK(shown[0]["enabled"] == true);
  CHECK(shown[0]["source"] == "stored-object");
  CHECK(shown[0]["assumed"] == true);
  CHECK(shown[0]["message"] == "assumed off, the default up to Kubernetes 1.37");
  CHECK(shown[0]["evidence"][0]["object"]["name"] == "agent");
}
