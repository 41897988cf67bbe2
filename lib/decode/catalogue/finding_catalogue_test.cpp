#include "decode/catalogue/finding_catalogue.h"

#include <catch2/catch.hpp>

using namespace dsdoctor;

namespace {

std::string complaint(const std::string& content) {
  const auto result = decode::read_finding_catalogue({{"f.yaml", content}});
  return result ? std::string() : to_string(result.error());
}

const std::string start =
    "family: pods\n"
    "entries:\n"
    "- id: pod-lost\n"
    "  severity: error\n"
    "  scope: pod\n"
    "  detected: so\n";
const std::string head = start + "  title: a pod is lost\n";

}  // namespace

TEST_CASE("a catalogue that is well formed is read", "[decode][catalogue]") {
  const auto families = decode::read_finding_catalogue(
      {{"f.yaml",
        head + "  parameters: {port: text, the_node_is_back: condition}\n"
               "  fix:\n"
               "  - when: not the_node_is_back\n"
               "    text: wait for {node}\n"
               "    command: kubectl get -o jsonpath='{.x}' -p '{\"a\":{}}' {pod} {port}\n"}});
  REQUIRE(families);
  const decode::WrittenFinding& entry = families->at(0).entries.at(0);
  CHECK(entry.id == "pod-lost");
  CHECK(entry.parameters.at(1).is_condition);
  CHECK(entry.fix.at(0).when == "the_node_is_back");
  CHECK(entry.fix.at(0).unless);
  CHECK(entry.fix.at(0).text == "wait for {node}");
}

TEST_CASE("what is wrong with the catalogue is said with its place", "[decode][catalogue]") {
  const std::string fix = head + "  fix:\n";
  CHECK(complaint(head).empty());
  CHECK(complaint(head + "- id: pod-lost\n  severity: info\n  scope: pod\n  title: a\n"
                         "  detected: b\n") == "f.yaml:8:3: duplicate id pod-lost");
  CHECK(complaint(head + "  colour: red\n") ==
        "f.yaml:8:3: unknown key colour; keys are id, severity, scope, root, alias, title, "
        "detected, parameters, fix");
  CHECK(complaint(start) == "f.yaml:3:3: title is missing");
  CHECK(complaint(fix + "  - text: look at {pot}\n") == "f.yaml:9:5: {pot} is not a declared text");
  CHECK(complaint(fix + "  - when: it_rains\n    text: wait\n") ==
        "f.yaml:9:5: it_rains is not a declared condition");
  CHECK(complaint(fix + "  - when: it_rains\n") ==
        "f.yaml:9:5: a step must have a text or a command");
  CHECK(complaint(head + "  parameters: {port: text}\n") ==
        "f.yaml:8:16: no step uses parameter port");
  CHECK(complaint(head + "  parameters: {port: number}\n") ==
        "f.yaml:8:16: a parameter must be text or condition");
  CHECK(complaint(head + "  parameters: {ns: text}\n") ==
        "f.yaml:8:16: ns cannot be the name of a parameter");
  CHECK(complaint("family: pods\nparameters: {port: text}\nentries: []\n") ==
        "f.yaml:2:14: no step uses parameter port");
  CHECK(complaint("family: pods\nentries:\n- id: a\n  severity: grave\n") ==
        "f.yaml:4:3: grave must be one of critical, error, warning, info");
  CHECK_FALSE(complaint(head + "  title: again\n").empty());
}
