// SPDX-License-Identifier: Apache-2.0
#include "decode/objects/spec_edits.h"

#include <catch2/catch.hpp>

using namespace dsdoctor;
using dsdoctor::decode::edits_text;
using dsdoctor::decode::parse_edits;
using dsdoctor::decode::spec_edits;
using Edits = std::vector<dsdoctor::model::SpecEdit>;

TEST_CASE("parts of the template in the applied manifest are recognized", "[spec_edits]") {
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

TEST_CASE("changes after the last apply are found", "[spec_edits]") {
  const char* applied = R"({"kind":"DaemonSet","spec":{"minReadySeconds":0,"template":{
      "metadata":{"creationTimestamp":null,"labels":{"app":"agent"}},"spec":{"hostNetwork":false,
      "containers":[{"name":"a","image":"agent:1","resources":{"limits":{"cpu":1}}},
                    {"name":"b","image":"b:1"}],"nodeSelector":{"pool":"a"}}}}})";
  const auto edits = [&](const char* spec) { return spec_edits(applied, spec); };

  SECTION("the API server's defaults and omissions are not edits") {
    CHECK(edits(R"({"revisionHistoryLimit":10,"template":{"metadata":{"labels":{"app":"agent"},
        "annotations":{"kubectl.kubernetes.io/restartedAt":"now"}},"spec":{"containers":[
        {"name":"a","image":"agent:1","imagePullPolicy":"Always",
         "resources":{"limits":{"cpu":"1"}}},{"name":"b","image":"b:1"}],
        "nodeSelector":{"pool":"a"},"schedulerName":"default-scheduler"}}})")
              .empty());
  }
  SECTION("changed values and lists and removed or new fields are edits") {
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
  SECTION("values that may be secret are not shown") {
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
  SECTION("for probes and volume drivers only fields without secrets are shown") {
    const char* before = R"({"spec":{"template":{"spec":{"containers":[{"name":"a","image":"i:1",
        "livenessProbe":{"periodSeconds":5,"httpGet":{"path":"/x?token=CANARY-1",
        "httpHeaders":[{"name":"Authorization","value":"Bearer CANARY-2"}]}}}],
        "volumes":[{"name":"v","csi":{"volumeAttributes":{"password":"CANARY-3"}}},
        {"name":"f","flexVolume":{"options":{"image":"CANARY-4"}}}]}}}})";
    std::string after = before;
    for (std::size_t at = 0; (at = after.find("CANARY", at)) != after.npos; ++at) {
      after.replace(at, 6, "OTHERS");
    }
    after.replace(after.find("i:1"), 3, "i:2");
    after.replace(after.find(":5"), 2, ":9");
    const auto found = spec_edits(before, after.substr(8, after.size() - 9));
    REQUIRE(found.size() == 6);
    for (const auto& edit : found) {
      CAPTURE(edit.path);
      const bool harmless = edit.path.ends_with("].image") || edit.path.ends_with("periodSeconds");
      CHECK((edit.live == "(not shown)") == !harmless);
      CHECK((edit.applied == "(not shown)") == !harmless);
    }
  }
  SECTION("a spec that cannot be read has no edits") {
    CHECK(edits("{").empty());
    CHECK(spec_edits("", "{}").empty());
    CHECK(spec_edits("[]", "{}").empty());
    CHECK(spec_edits(R"({"spec":7})", R"({"a":1})").empty());
  }
  SECTION("at most ten edits are found") {
    std::string many = R"({"spec":{)";
    for (int i = 0; i < 30; ++i) many += (i ? ",\"f" : "\"f") + std::to_string(i) + "\":1";
    CHECK(spec_edits(many + "}}", "{}").size() == 10);
  }
}

TEST_CASE("edits can be written as one line and read back", "[decode]") {
  const std::vector<model::SpecEdit> edits = {
      {"spec.minReadySeconds", "", "5"},
      {"spec.template.spec.containers[0].image", "a:1", "a:2"},
      {"spec.template.spec.volumes", "1 entries", "2 entries"}};
  CHECK(parse_edits(edits_text(edits)) == edits);
  // Older releases wrote snapshots with more values.
  CHECK(parse_edits(R"([["spec.a","","CANARY"]])").at(0).live == "(not shown)");
  CHECK(parse_edits(edits_text({})).empty());
  for (const char* text : {"", "{", "{}", "[1]", "[[1,2,3]]", R"([["a","b"]])"}) {
    CAPTURE(text);
    CHECK(parse_edits(text).empty());
  }
}
