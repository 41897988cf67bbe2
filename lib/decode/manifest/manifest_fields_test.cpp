// SPDX-License-Identifier: Apache-2.0
#include "decode/manifest/manifest_fields.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <set>

#include "decode/cluster/documents.h"

using namespace dsdoctor;
using decode::ManifestFields;

namespace {

using Texts = std::vector<std::string>;

/// The faults of a text that is read as a manifest, as "LINE PATH: message"; with the object's name
/// if `named`.
Texts faults_in(const std::string& text, bool named = false) {
  decode::ClusterBuilder builder;
  std::vector<model::Warning> warnings;
  ManifestFields fields;
  const auto status = decode::read_documents(text, "m", builder, warnings, {.fields = &fields});
  CAPTURE(text);
  if (!status) FAIL(base::to_string(status.error()));
  CHECK(warnings.empty());
  Texts result;
  for (const decode::FieldFault& fault : fields.faults()) {
    const std::size_t object = fault.where.find(": ");
    result.push_back(fmt::format("{} {}", named ? fault.where : fault.where.substr(2, object - 2),
                                 to_string(fault)));
  }
  return result;
}

/// A DaemonSet in YAML. The texts are lines of the template, its pod spec and its container, each
/// with its indentation.
std::string manifest_of(const std::string& in_template, const std::string& in_pod_spec = {},
                        const std::string& in_container = {}) {
  return "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: agent, namespace: ops}\nspec:\n"
         "  selector: {matchLabels: {app: agent}}\n  template:\n"
         "    metadata: {labels: {app: agent}}\n" +
         in_template + "    spec:\n" + in_pod_spec + "      containers:\n      - name: c\n" +
         in_container;
}

struct Row {
  std::string text;
  std::string fault;  // after `unknown field "`
};

}  // namespace

TEST_CASE("a misplaced field is reported with the nearest place that has it",
          "[decode][manifest]") {
  const Row in_template[] = {
      {"affinity: {}", "spec.template.affinity\"; did you mean spec.template.spec.affinity"},
      {"labels: {a: b}", "spec.template.labels\"; did you mean spec.template.metadata.labels"},
      {"containers: []", "spec.template.containers\"; did you mean spec.template.spec.containers"},
      {"image: x", "spec.template.image\"; did you mean spec.template.spec.containers[0].image"},
      {"matchLabels: {}", "spec.template.matchLabels\"; did you mean spec.selector.matchLabels"},
  };
  for (const auto& [text, fault] : in_template) {
    CHECK(faults_in(manifest_of("    " + text + "\n")) == Texts{"8 unknown field \"" + fault});
  }
  const Row in_container[] = {
      {"tolerations: []", "tolerations\"; did you mean spec.template.spec.tolerations"},
      {"nodeSelector: {}", "nodeSelector\"; did you mean spec.template.spec.nodeSelector"},
      {"limits: {cpu: 1}",
       "limits\"; did you mean spec.template.spec.containers[0].resources.limits"},
      {"runAsUser: 1",
       "runAsUser\"; did you mean spec.template.spec.containers[0].securityContext.runAsUser"},
  };
  for (const auto& [text, fault] : in_container) {
    CHECK(faults_in(manifest_of("", "", "        " + text + "\n")) ==
          Texts{"11 unknown field \"spec.template.spec.containers[0]." + fault});
  }
}

TEST_CASE("at most two places are named, and only those in the manifest if there are any",
          "[decode][manifest]") {
  const auto probe = [](const std::string& text) {
    return faults_in(manifest_of("", "", "        livenessProbe: {" + text + "}\n"));
  };
  const std::string field = "spec.template.spec.containers[0].livenessProbe.";
  const std::string unknown = "11 unknown field \"" + field;
  CHECK(probe("path: /x") == Texts{unknown + "path\"; did you mean " + field + "httpGet.path"});
  CHECK(probe("port: 80") == Texts{unknown + "port\"; did you mean " + field + "grpc.port or " +
                                   field + "httpGet.port"});
  CHECK(probe("port: 80, tcpSocket: {}") ==
        Texts{unknown + "port\"; did you mean " + field + "tcpSocket.port"});
  CHECK(faults_in(manifest_of("", "      command: [x]\n      initContainers: []\n")) ==
        Texts{"9 unknown field \"spec.template.spec.command\"; did you mean "
              "spec.template.spec.containers[0].command or "
              "spec.template.spec.initContainers[].command"});
}

TEST_CASE("a misspelled field is reported with the names of siblings", "[decode][manifest]") {
  const Row rows[] = {{"tolerationz: []", "tolerations"},      {"toleration: []", "tolerations"},
                      {"Tolerations: []", "tolerations"},      {"nodeselector: {}", "nodeSelector"},
                      {"nodeSelectors: {}", "nodeSelector"},   {"hostnetwork: true", "hostNetwork"},
                      {"container: {}", "containers"},         {"volume: []", "volumes"},
                      {"service_account: x", "serviceAccount"}};
  for (const auto& [text, meant] : rows) {
    const std::string name = text.substr(0, text.find(':'));
    CHECK(faults_in(manifest_of("", "      " + text + "\n")) ==
          Texts{fmt::format("9 unknown field \"spec.template.spec.{}\"; did you mean "
                            "spec.template.spec.{}",
                            name, meant)});
  }
  CHECK(faults_in(manifest_of("", "      foo: {a: 1}\n")) ==
        Texts{"9 unknown field \"spec.template.spec.foo\""});
}

TEST_CASE("a sibling with a nearer name comes before fields in other places",
          "[decode][manifest]") {
  // `port` is a field of probes, `value` one of tolerations.
  CHECK(faults_in(manifest_of("", "", "        port: 80\n")) ==
        Texts{"11 unknown field \"spec.template.spec.containers[0].port\"; did you mean "
              "spec.template.spec.containers[0].ports"});
  CHECK(faults_in(manifest_of("",
                              "      topologySpreadConstraints:\n      - labelSelector:\n"
                              "          matchExpressions: [{key: a, value: b}]\n")) ==
        Texts{"11 unknown field \"spec.template.spec.topologySpreadConstraints[0].labelSelector."
              "matchExpressions[0].value\"; did you mean spec.template.spec."
              "topologySpreadConstraints[0].labelSelector.matchExpressions[0].values"});
}

TEST_CASE("the lines of all fields are known", "[decode][manifest]") {
  const std::string yaml =
      "kind: ConfigMap\napiVersion: v1\nmetadata: {name: c}\n---\n" +
      manifest_of("",
                  "      nodeSelector:\n        disk: ssd\n      tolerations:\n      - key: a\n"
                  "      - key: b\n        effect: NoSchedule\n");
  decode::ClusterBuilder builder;
  std::vector<model::Warning> warnings;
  ManifestFields fields;
  REQUIRE(decode::read_documents(yaml, "m.yaml", builder, warnings, {.fields = &fields}));
  REQUIRE(fields.places().size() == 1);
  const model::ManifestPlace& place = fields.places().front();
  CHECK(place.file == "m.yaml");
  CHECK(place.ns == "ops");
  CHECK(place.name == "agent");
  CHECK(place.line == 5);
  CHECK(place.line_of("spec") == 8);
  CHECK(place.line_of("spec.template.spec.nodeSelector") == 13);
  CHECK(place.line_of("spec.template.spec.nodeSelector.disk") == 14);
  CHECK(place.line_of("spec.template.spec.nodeSelector['disk']") == 13);
  CHECK(place.line_of("spec.template.spec.tolerations[1].effect") == 18);
  CHECK(place.line_of("spec.template.spec.tolerations[7]") == 15);
  CHECK(place.line_of("status.desired") == 5);
  CHECK(place.line_of("") == 5);
}

TEST_CASE("maps accept any key", "[decode][manifest]") {
  CHECK(faults_in(R"({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"a",
    "labels":{"x.y/z":"1"},"annotations":{"any":"x"},"managedFields":[{"fieldsV1":{"f:spec":{}}}]},
    "spec":{"selector":{"matchLabels":{"app":"a"}},"template":{"metadata":{"labels":{"app":"a"}},
    "spec":{"nodeSelector":{"any":"x"},"overhead":{"any":"1"},"containers":[{"name":"c",
    "resources":{"limits":{"example.com/x":1},"requests":{"example.com/x":1}}}],
    "volumes":[{"name":"v","csi":{"driver":"d","volumeAttributes":{"any":"x"}}}]}}},
    "status":{"numberReady":1}})")
            .empty());
}

TEST_CASE("duplicate fields are reported once for each name", "[decode][manifest]") {
  const Texts faults = {"8 duplicate field \"metadata.labels.a\"",
                        "11 duplicate field \"spec.template.spec.containers[0].image\""};
  const std::string yaml =
      "apiVersion: apps/v1\nkind: DaemonSet\nmetadata:\n  name: agent\n"
      "  labels:\n    a: 1x\n    b: x\n    a: 2x\n    a: 3x\nspec:\n"
      "  template: {spec: {containers: [{name: c, image: v, image: w}]}}\n";
  CHECK(faults_in(yaml) == faults);
  const std::string json =
      "{\"apiVersion\":\"apps/v1\",\"kind\":\"DaemonSet\",\"metadata\":{\"name\":\"agent\",\n\n\n"
      "\"labels\":{\n\"a\":\"1\",\n\n\n\"a\":\"2\",\"a\":\"3\"}},\n\n\n\"spec\":{\"template\":"
      "{\"spec\":{\"containers\":[{\"image\":\"x\",\"image\":\"y\"}]}}}}";
  CHECK(faults_in(json) == faults);
}

TEST_CASE("unknown fields of a duplicate field are reported once for an object",
          "[decode][manifest]") {
  const std::string twice = manifest_of(
      "", "      affinity: {podAffinity: {x: 1}}\n      affinity: {podAffinity: {x: 1}}\n");
  const Texts once = {"9 unknown field \"spec.template.spec.affinity.podAffinity.x\"",
                      "10 duplicate field \"spec.template.spec.affinity\""};
  CHECK(faults_in(twice) == once);
  CHECK(faults_in(twice + "---\n" + twice).size() == 2 * once.size());
}

TEST_CASE("merged and aliased fields are checked where they are used", "[decode][manifest]") {
  CHECK(faults_in(manifest_of("",
                              "      nodeSelector: &s {<<: {a: x}, a: w}\n"
                              "      <<: {hostNetwork: true, hostPids: true}\n"
                              "      tolerations: [&t {keyy: a}, *t]\n")) ==
        Texts{"11 unknown field \"spec.template.spec.tolerations[0].keyy\"; did you mean "
              "spec.template.spec.tolerations[0].key",
              "11 unknown field \"spec.template.spec.tolerations[1].keyy\"; did you mean "
              "spec.template.spec.tolerations[1].key",
              "10 unknown field \"spec.template.spec.hostPids\"; did you mean "
              "spec.template.spec.hostPID"});
}

TEST_CASE("all DaemonSets of a file are checked and other objects are not", "[decode][manifest]") {
  const auto object = [](const std::string& kind, const std::string& name) {
    return R"("kind":")" + kind + R"(","metadata":{"name":")" + name + R"("},"spec":{"x":{}}})";
  };
  const std::string agent = R"({"apiVersion":"apps/v1",)" + object("DaemonSet", "agent");
  const std::string pod = R"({"apiVersion":"v1",)" + object("Pod", "p");
  const std::string fault = "DaemonSet agent unknown field \"spec.x\"";
  const Texts one = {"m:1: " + fault};
  const std::string deployment = R"({"apiVersion":"apps/v1",)" + object("Deployment", "d");
  CHECK(faults_in(agent, true) == one);
  CHECK(faults_in("[" + agent + "," + pod + "]", true) == one);
  CHECK(faults_in(pod + "\n\n" + agent + deployment, true) == Texts{"m:3: " + fault});
  CHECK(faults_in("---\n" + pod + "\n---\n# comment\n" + agent, true) == Texts{"m:5: " + fault});
  CHECK(faults_in(R"({"apiVersion":"v1","kind":"List","itemz":1,"items":[)" + pod + "," + agent +
                      R"(,{"kind":"List","apiVersion":"v1","items":[)" + agent + "]}]}",
                  true) == Texts{one.front(), one.front()});
  const std::string without_type = agent.substr(agent.find(R"("metadata)"));
  CHECK(faults_in(
            R"({"apiVersion":"apps/v1","kind":"DaemonSetList","items":[{)" + without_type + "]}",
            true) == one);
  CHECK(
      faults_in(R"({"apiVersion":"apps.kruise.io/v1","kind":"DaemonSet","metadata":{"name":"a"}})")
          .empty());
}

TEST_CASE("fields of old API versions are marked as such", "[decode][manifest]") {
  decode::ClusterBuilder builder;
  std::vector<model::Warning> warnings;
  for (const char* version : {"extensions/v1beta1", "apps/v1beta2", "apps/v1"}) {
    ManifestFields fields;
    const std::string text = fmt::format(
        "apiVersion: {}\nkind: DaemonSet\nmetadata: {{name: a}}\n"
        "spec: {{templateGeneration: 1, x: 1}}\n",
        version);
    REQUIRE(decode::read_documents(text, "m", builder, warnings, {.fields = &fields}));
    CAPTURE(version);
    const bool old = std::string_view(version) != "apps/v1";
    REQUIRE(fields.faults().size() == (old ? 1 : 2));
    CHECK(fields.faults().back().path == "spec.x");
    CHECK(fields.faults().back().of_old_api_version == old);
  }
}

TEST_CASE("faults and long names are limited", "[decode][manifest]") {
  std::string extra;
  for (int i = 0; i < 150; ++i) extra += fmt::format("      x{}: 1\n", i);
  extra += "      " + std::string(900, 'y') + ": 1\n";
  decode::ClusterBuilder builder;
  std::vector<model::Warning> warnings;
  ManifestFields fields;
  REQUIRE(
      decode::read_documents(manifest_of("", extra), "m", builder, warnings, {.fields = &fields}));
  CHECK(fields.faults().size() == ManifestFields::most_faults);
  CHECK(fields.further() == 51);
  const Texts one = faults_in(manifest_of("", "      " + std::string(900, 'y') + ": 1\n"));
  REQUIRE(one.size() == 1);
  CHECK(one.front().size() < 400);
}

TEST_CASE("a text that is too large for a manifest is read with a warning", "[decode][manifest]") {
  std::string many = "[";
  for (int i = 0; i < 600'000; ++i) many += "1,";
  const std::string annotation = R"({"apiVersion":"apps/v1","kind":"DaemonSet",)"
                                 R"("metadata":{"name":"a","finalizers":)";
  const std::string comment = "#" + std::string(5U << 20U, 'x') + "\n";
  for (const std::string& text :
       {annotation + "[]},\"x\":" + many + "1]}", comment + manifest_of("    affinity: {}\n")}) {
    decode::ClusterBuilder builder;
    std::vector<model::Warning> warnings;
    ManifestFields fields;
    REQUIRE(decode::read_documents(text, "m", builder, warnings, {.fields = &fields}));
    CHECK(fields.faults().empty());
    REQUIRE(warnings.size() == 1);
    CHECK(warnings.front().what == "is too large for a manifest: its fields are not checked");
  }
}

TEST_CASE("the table of fields is complete and sorted", "[decode][manifest]") {
  const auto& types = decode::daemon_set_types();
  CHECK(decode::daemon_set_type().name == "DaemonSet");
  CHECK(decode::daemon_set_fields_release() == model::newest_known_release);
  std::set<std::string_view> names;
  std::set<std::string_view> used = {"DaemonSet"};
  for (const decode::ObjectType& type : types) {
    CAPTURE(type.name);
    CHECK(names.insert(type.name).second);
    CHECK(std::ranges::is_sorted(type.fields, {}, &decode::TypeField::name));
    for (const decode::TypeField& field : type.fields) {
      CAPTURE(field.name);
      CHECK(field.name.find_first_of("=[]{}") == std::string_view::npos);
      using Shape = decode::FieldShape;
      const bool object = field.shape == Shape::Object || field.shape == Shape::ObjectList;
      CHECK(object == (field.type != nullptr));
      if (field.type != nullptr) used.insert(field.type->name);
      if (field.shape == Shape::Map) {
        CHECK(decode::daemon_set_fields_text().find(std::string(field.name) + "={}") !=
              std::string_view::npos);
      }
    }
  }
  CHECK(used == names);
}
