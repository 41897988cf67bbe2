#include "decode/objects/spec_edits.h"

#include <catch2/catch.hpp>

using namespace dsdoctor;
using dsdoctor::decode::edits_text;
using dsdoctor::decode::parse_edits;
using dsdoctor::decode::spec_edits;
using Edits = std::vector<dsdoctor::model::SpecEdit>;

TEST_CASE("what the applied manifest has of a template", "[spec_edits]") {
  using decode::applied_template;
  CHECK_FALSE(applied_template("{"));
  CHECK_FALSE(applied_template("{}"));
  for (const auto& [pod, tolerations, affinity] :
       {std::tuple("{}", false, false), std::tuple(R"({"tolerations":null})", false, false),
        std::tuple(R"({"tolerations":[]})", true, false),
        std::tuple(R"({"affinity":{"podAntiAffinity":{}}})", false, false),
        std::tuple(R"({"tolerations":[{"operator":"Exists"}],"affinity":{"nodeAffinity":{
            "requiredDuringSchedulingIgnoredDuringExecution":{}}}})",
                   true, true)}) {
    CAPTURE(pod);
    const model::AppliedTemplate expected{tolerations, affinity};
    const auto applied =
        applied_template(R"({"spec":{"template":{"spec":)" + std::string(pod) + "}}}");
    CHECK(applied == expected);
    CHECK(decode::parse_applied(decode::applied_text(expected)) == expected);
  }
}

TEST_CASE("what was changed after the last apply", "[spec_edits]") {
  const char* applied = R"({"kind":"DaemonSet","spec":{"minReadySeconds":0,"template":{
      "metadata":{"creationTimestamp":null,"labels":{"app":"agent"}},"spec":{"hostNetwork":false,
      "containers":[{"name":"a","image":"agent:1","resources":{"limits":{"cpu":1}}},
                    {"name":"b","image":"b:1"}],"nodeSelector":{"pool":"a"}}}}})";
  const auto edits = [&](const char* spec) { return spec_edits(applied, spec); };

  SECTION("what the server fills in or leaves out is none") {
    CHECK(edits(R"({"revisionHistoryLimit":10,"template":{"metadata":{"labels":{"app":"agent"},
        "annotations":{"kubectl.kubernetes.io/restartedAt":"now"}},"spec":{"containers":[
        {"name":"a","image":"agent:1","imagePullPolicy":"Always",
         "resources":{"limits":{"cpu":"1"}}},{"name":"b","image":"b:1"}],
        "nodeSelector":{"pool":"a"},"schedulerName":"default-scheduler"}}})")
              .empty());
  }
  SECTION("values, lists, fields that are gone or new") {
    CHECK(edits(R"({"template":{"metadata":{"labels":{"app":"agent"}},"spec":{"containers":[
        {"name":"b","image":"b:1"},
        {"name":"a","image":"agent:2","resources":{"limits":{"cpu":"1"}}}],
        "tolerations":[{"operator":"Exists"}]}}})") ==
          Edits{{"spec.template.spec.containers[0].image", "agent:1", "agent:2"},
                {"spec.template.spec.nodeSelector", R"({"pool":"a"})", ""},
                {"spec.template.spec.tolerations", "", R"([{"operator":"Exists"}])"}});
    CHECK(edits(R"({"template":{"metadata":{"labels":{"app":"agent"}},"spec":{"containers":[
        {"name":"a","image":"agent:1","resources":{"limits":{"cpu":1}}}],
        "nodeSelector":{"pool":"a"}}}})")
              .at(0) ==
          dsdoctor::model::SpecEdit{"spec.template.spec.containers", "2 entries", "1 entries"});
  }
  SECTION("what may be secret is not shown") {
    const char* before = R"({"spec":{"template":{"spec":{"containers":[{"name":"a","args":["x"],
        "env":[{"name":"TOKEN","value":"CANARY-1"}]}]}}}})";
    const auto found = spec_edits(before, R"({"template":{"spec":{"containers":[{"name":"a",
        "args":["CANARY-2"],"env":[{"name":"TOKEN","value":"CANARY-3"}]}]}}})");
    REQUIRE(found.size() == 2);
    CHECK(found[0].path == "spec.template.spec.containers[0].args[0]");
    CHECK(found[1].path == "spec.template.spec.containers[0].env[0].value");
    for (const auto& edit : found) {
      CHECK(edit.applied == "(not shown)");
      CHECK(edit.live == "(not shown)");
    }
  }
  SECTION("what cannot be read is no difference") {
    CHECK(edits("{").empty());
    CHECK(spec_edits("", "{}").empty());
    CHECK(spec_edits("[]", "{}").empty());
    CHECK(spec_edits(R"({"spec":7})", R"({"a":1})").empty());
  }
  SECTION("ten places are enough") {
    std::string many = R"({"spec":{)";
    for (int i = 0; i < 30; ++i) many += (i ? ",\"f" : "\"f") + std::to_string(i) + "\":1";
    CHECK(spec_edits(many + "}}", "{}").size() == 10);
  }
}

TEST_CASE("edits can be kept as a line", "[decode]") {
  const std::vector<model::SpecEdit> edits = {{"spec.a", "", "\"x\""}, {"spec.b[0]", "1", "2"}};
  CHECK(parse_edits(edits_text(edits)) == edits);
  CHECK(parse_edits(edits_text({})).empty());
  for (const char* text : {"", "{", "{}", "[1]", "[[1,2,3]]", R"([["a","b"]])"}) {
    CAPTURE(text);
    CHECK(parse_edits(text).empty());
  }
}
