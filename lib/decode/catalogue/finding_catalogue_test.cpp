// SPDX-License-Identifier: Apache-2.0
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
    "stage: none\n"
    "entries:\n"
    "- id: pod-lost\n"
    "  severity: error\n"
    "  scope: pod\n"
    "  detected: so\n";
const std::string head = start + "  title: a pod is lost\n";

}  // namespace

TEST_CASE("a valid catalogue is read", "[decode][catalogue]") {
  const auto catalogue = decode::read_finding_catalogue(
      {{"f.yaml",
        head + "  parameters: {port: text, the_node_is_back: condition}\n"
               "  fix:\n"
               "  - when: not the_node_is_back\n"
               "    text: wait for {node}\n"
               "    command: kubectl get -o jsonpath='{.x}' -p '{\"a\":{}}' {pod} {port}\n"}});
  REQUIRE(catalogue);
  const decode::WrittenFinding& entry = catalogue->families.at(0).entries.at(0);
  CHECK(entry.id == "pod-lost");
  CHECK(entry.parameters.at(1).type == "condition");
  CHECK(entry.fix.at(0).when == "the_node_is_back");
  CHECK(entry.fix.at(0).unless);
  CHECK(entry.fix.at(0).text == "wait for {node}");
}

TEST_CASE("errors in the catalogue include their position", "[decode][catalogue]") {
  const std::string fix = head + "  fix:\n";
  CHECK(complaint(head).empty());
  CHECK(complaint(head + "- id: pod-lost\n  severity: info\n  scope: pod\n  title: a\n"
                         "  detected: b\n") == "f.yaml:9:3: duplicate id pod-lost");
  CHECK(complaint(head + "  colour: red\n") ==
        "f.yaml:9:3: unknown key colour; keys are id, severity, scope, root, alias, title, "
        "detected, message, shared, parameters, fix, words, stage, explains, umbrella, implies, "
        "cause-of, "
        "outranks, stops, sums-up, in-what-if, about, quiet, basis, pod-reasons, reads");
  CHECK(complaint(start) == "f.yaml:4:3: title is missing");
  CHECK(complaint(fix + "  - text: look at {pot}\n") ==
        "f.yaml:10:5: {pot} is not a declared text");
  CHECK(complaint(fix + "  - when: it_rains\n    text: wait\n") ==
        "f.yaml:10:5: it_rains is not a declared condition");
  CHECK(complaint(fix + "  - when: it_rains\n") ==
        "f.yaml:10:5: a step must have a text or a command");
  CHECK(complaint(head + "  parameters: {port: text}\n") ==
        "f.yaml:9:16: nothing uses parameter port");
  CHECK(complaint(head + "  parameters: {port: number}\n") ==
        "f.yaml:9:16: the type of a parameter must be one of condition, text, foreign, count, "
        "duration, time, since, due, object, names, phrases");
  CHECK(complaint(head + "  parameters: {ns: text}\n") ==
        "f.yaml:9:16: ns cannot be the name of a parameter");
  CHECK(complaint("family: pods\nparameters: {port: text}\nentries: []\n") ==
        "f.yaml:2:14: nothing uses parameter port");
  CHECK(complaint("family: pods\nentries:\n- id: a\n  severity: grave\n") ==
        "f.yaml:4:3: grave must be one of critical, error, warning, info");
  CHECK_FALSE(complaint(head + "  title: again\n").empty());
}

TEST_CASE("a message is parsed as a template", "[decode][catalogue]") {
  const auto catalogue = decode::read_finding_catalogue(
      {{"f.yaml",
        head + "  parameters: {full: condition, pods: count, why: foreign}\n"
               "  message: 'Failed{:}{pods:pod}<<{if full} of {{all}}>><<: {why}>>'\n"
               "phrases:\n"
               "- {id: node-gone, message: 'node {node} is gone', parameters: {node: text}}\n"}});
  REQUIRE(catalogue);
  using enum decode::WrittenToken::Kind;
  const std::vector<decode::WrittenToken> expected = {{Text, 0, "Failed"},
                                                      {Colon},
                                                      {Value, 1, "pod"},
                                                      {Open},
                                                      {If, 0},
                                                      {Text, 0, " of {all}"},
                                                      {Close},
                                                      {Open},
                                                      {Text, 0, ": "},
                                                      {Value, 2},
                                                      {Close}};
  CHECK(catalogue->families.at(0).entries.at(0).message.tokens == expected);
  CHECK(catalogue->phrases.at(0).id == "node-gone");
  CHECK(catalogue->phrases.at(0).message.tokens.size() == 3);
}

TEST_CASE("a template that does not match its parameters is rejected", "[decode][catalogue]") {
  const std::string with = head + "  parameters: {full: condition}\n  message: ";
  const std::string at = "f.yaml:10:3: ";
  CHECK(complaint(with + "'{pods} failed'\n") == at + "{pods} is not a declared parameter");
  CHECK(complaint(with + "'{full}'\n") == at + "{full} is a condition, which has no words");
  CHECK(complaint(with + "'{if full}failed'\n") ==
        at + "a condition about full is outside of a clause");
  CHECK(complaint(with + "'<<{if full}failed'\n") == at + "a clause does not end with \">>\"");
  CHECK(complaint(with + "'{if full'\n") == at + "\"{\" is not closed");
  CHECK(complaint(with + "'a >> b'\n") == at + "\">>\" ends no clause");
  CHECK(complaint(with + "'<<{if full}a{:}b>>'\n") == at + "\"{:}\" is in a clause");
  CHECK(complaint(head + "  parameters: {full: condition}\n  message: failed\n") ==
        "f.yaml:9:16: nothing uses parameter full");
  CHECK(complaint("phrases:\n- {id: gone}\n") == "f.yaml:2:3: message is missing");
  CHECK(complaint("phrases:\n- {id: gone, message: gone}\n- {id: gone, message: gone}\n") ==
        "f.yaml:3:4: duplicate id gone");
}

TEST_CASE("an entry has its own role or the role of its family", "[decode][catalogue]") {
  const std::string stages =
      "stages:\n"
      "- {stage: creation, explains: [missing]}\n"
      "- {stage: kubelet, explains: any, informs: true}\n";
  const std::string family =
      "family: kubelet\n"
      "stage: kubelet\n"
      "reads: [events]\n"
      "entries:\n"
      "- {id: a, severity: info, scope: pod, title: a, detected: b}\n"
      "- id: b\n"
      "  severity: info\n"
      "  scope: pod\n"
      "  title: a\n"
      "  detected: b\n";
  const auto catalogue = decode::read_finding_catalogue(
      {{"f.yaml", family + "  stage: creation\n"
                           "  explains: [failed]\n"
                           "  implies: [a]\n"
                           "  about: [room]\n"
                           "  reads: {leases: [missing, pending]}\n"},
       {"s.yaml", stages}});
  REQUIRE(catalogue);
  REQUIRE(catalogue->stages.size() == 2);
  CHECK(catalogue->stages.at(1).informs);
  CHECK(catalogue->stages.at(1).explains.size() == 11);
  const decode::WrittenRole& of_family = catalogue->families.at(0).entries.at(0).role;
  CHECK(of_family.stage == "kubelet");
  CHECK(of_family.reads.at(0).what == "events");
  CHECK(of_family.reads.at(0).verdicts.empty());
  const decode::WrittenRole& own = catalogue->families.at(0).entries.at(1).role;
  CHECK(own.stage == "creation");
  CHECK(own.explains == std::vector<std::string>{"failed"});
  CHECK(own.implies == std::vector<std::string>{"a"});
  CHECK(own.reads.at(0).what == "leases");
  CHECK(own.reads.at(0).verdicts == std::vector<std::string>{"missing", "pending"});

  const auto complaint_with = [&](const std::string& keys) {
    const auto result =
        decode::read_finding_catalogue({{"f.yaml", family + keys}, {"s.yaml", stages}});
    return result ? std::string() : to_string(result.error());
  };
  CHECK(complaint_with("").empty());
  CHECK(complaint_with("  stage: creating\n") == "f.yaml:11:3: there is no stage creating");
  CHECK(complaint_with("  implies: [c]\n") == "f.yaml:11:3: there is no finding c");
  CHECK(complaint_with("  explains: [lost]\n")
            .starts_with("f.yaml:11:3: lost must be one of missing, failed, duplicate"));
  CHECK(
      complaint_with("  about: [rain]\n").starts_with("f.yaml:11:3: rain must be one of leaving"));
  CHECK(complaint_with("  reads: [tea]\n").starts_with("f.yaml:11:3: tea must be one of events"));
  CHECK(complaint_with("  reads: {tea: any}\n").starts_with("f.yaml:11:11: unknown key tea"));
  CHECK(complaint_with("  umbrella: maybe\n") == "f.yaml:11:3: umbrella must be true or false");
  CHECK(complaint("family: pods\nentries:\n- {id: a, severity: info, scope: pod, title: a, "
                  "detected: b}\n") ==
        "f.yaml:3:3: stage is missing; a finding that is never a cause has the stage \"none\"");
  CHECK(complaint("stages:\n- {stage: a}\n") == "f.yaml:2:3: explains is missing");
}
