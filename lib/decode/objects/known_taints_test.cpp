// SPDX-License-Identifier: Apache-2.0
#include "decode/objects/known_taints.h"

#include <catch2/catch.hpp>

using namespace dsdoctor;
using decode::read_known_taints;

namespace {

std::string taints_error(const std::string& content) {
  const auto read = read_known_taints(content, "t.yaml");
  return read ? "none" : to_string(read.error());
}

}  // namespace

TEST_CASE("a user's entry needs three fields", "[taints]") {
  const std::string yaml = "- key: example.com/batch\n  effects: [NoSchedule]\n  meaning: Batch.\n";
  const auto read = read_known_taints(yaml, "t.yaml");
  REQUIRE(read);
  REQUIRE(read->size() == 1);
  model::KnownTaint expected;
  expected.id = "example.com/batch";
  expected.key = "example.com/batch";
  expected.effects = {"NoSchedule"};
  expected.meaning = "Batch.";
  CHECK(read->front() == expected);
  const std::string json =
      "[\n\t{\"key\": \"example.com/batch\",\t\"effects\": [\"NoSchedule\"],\n\t\"meaning\": "
      "\"Batch.\"}\n]\n";
  const auto of_json = read_known_taints(json, "t.json");
  REQUIRE(of_json);
  CHECK(*of_json == *read);
}

TEST_CASE("a renamed key has its new key, a renamed prefix its new prefix", "[taints]") {
  const auto read = read_known_taints(
      "- {key: old/, match: prefix, renamed_to: new/, effects: [NoSchedule], meaning: m}",
      "t.yaml");
  REQUIRE(read);
  CHECK(read->front().renamed_to == "new/");
  const auto glob = read_known_taints(
      "- {key: a*, match: glob, renamed_to: new, effects: [NoSchedule], meaning: m}", "t.yaml");
  REQUIRE_FALSE(glob);
  CHECK(to_string(glob.error()).ends_with("renamed_to: a glob has no new key"));
}

TEST_CASE("every field is read", "[taints]") {
  const auto read = read_known_taints(R"(- id: x
  key: a.*/b
  match: glob
  values: ['', 'true']
  value_decides: true
  node_label: example.com/*
  effects: [NoSchedule, NoExecute]
  set_by: us
  setter: we
  family: ours
  meaning: It is so.
  lifecycle: until-ready
  auto_tolerated_by_daemonset_controller: {value: false, condition: never}
  should_daemonset_tolerate: {node-agents: yes, general: 'no'}
  advice: Do.
  suggested_toleration: {key: <taint-key>, operator: Equal, value: v, effect: NoExecute}
  source: [here]
  confidence: likely
  since: today
  notes: none
)",
                                      "t.yaml");
  REQUIRE(read);
  REQUIRE(read->size() == 1);
  const model::KnownTaint& known = read->front();
  CHECK(known.id == "x");
  CHECK(known.key == "a.*/b");
  CHECK(known.match == model::KeyMatch::Glob);
  CHECK(known.values == std::vector<model::Text>{"", "true"});
  CHECK(known.value_decides);
  CHECK(known.node_label == "example.com/*");
  CHECK(known.effects == std::vector<model::Text>{"NoSchedule", "NoExecute"});
  CHECK(known.set_by == "us");
  CHECK(known.setter == "we");
  CHECK(known.family == "ours");
  CHECK(known.meaning == "It is so.");
  CHECK(known.lifecycle == model::TaintLifecycle::UntilReady);
  CHECK_FALSE(known.auto_tolerated);
  CHECK(known.auto_condition == "never");
  CHECK(known.for_node_agents == model::Advised::Yes);
  CHECK(known.in_general == model::Advised::No);
  CHECK(known.advice == "Do.");
  REQUIRE(known.suggested);
  CHECK(*known.suggested == model::Toleration{"<taint-key>", "Equal", "v", "NoExecute", {}});
  CHECK(known.confidence == "likely");
}

TEST_CASE("a file may have no entries", "[taints]") {
  for (const char* text : {"", "# nothing yet\n", "[]", "---\n"}) {
    CAPTURE(text);
    const auto read = read_known_taints(text, "t.yaml");
    REQUIRE(read);
    CHECK(read->empty());
  }
}

TEST_CASE("errors in an entry include their position", "[taints]") {
  struct Row {
    std::string content;
    std::string said;
  };
  const std::string good = "- key: a\n  effects: [NoSchedule]\n  meaning: m\n";
  const Row rows[] = {
      {"key: a\n", "t.yaml: expected a list of entries, each with key, effects and meaning"},
      {"- a\n", "t.yaml:1:3: entry 1: expected a mapping of fields"},
      {"- effects: [NoSchedule]\n  meaning: m\n",
       "t.yaml:1:3: entry 1, key: missing: which taint is this?"},
      {"- key: a\n  meaning: m\n",
       "t.yaml:1:3: entry 1, effects: missing: at least one of NoSchedule, PreferNoSchedule, "
       "NoExecute"},
      {"- key: a\n  effects: [NoSchedule]\n",
       "t.yaml:1:3: entry 1, meaning: missing: a sentence about the node"},
      {"- id: x\n  key: a\n  effects: [NoScheduel]\n",
       "t.yaml:3:13: entry 1 \"x\", effects[0]: \"NoScheduel\" is not one of NoSchedule, "
       "PreferNoSchedule, NoExecute"},
      {"- key: a\n  effects: NoSchedule\n",
       "t.yaml:2:3: entry 1, effects: expected a list, such as [NoSchedule]"},
      {"- key: [a]\n", "t.yaml:1:3: entry 1, key: expected a string"},
      {"- key: a b\n  effects: [NoSchedule]\n  meaning: m\n",
       "t.yaml:1:3: entry 1, key: \"a b\" is not a taint key"},
      {"- key: a*\n  effects: [NoSchedule]\n  meaning: m\n",
       "t.yaml:1:3: entry 1, key: a * is only for entries with match: glob"},
      {good + "  lifecylce: permanent\n",
       "t.yaml:4:3: entry 1, lifecylce: unknown field; did you mean lifecycle?"},
      {good + "  lifecycle: forever\n",
       "t.yaml:4:3: entry 1, lifecycle: \"forever\" is not one of transient, leaving, "
       "until-ready, maintenance, permanent"},
      {good + "  values: ['true', '^(a|b)$']\n",
       "t.yaml:4:20: entry 1, values[1]: \"^(a|b)$\" is not a taint value; * matches any "
       "characters, [0-9] a digit"},
      {good + "  values: [true]\n", "t.yaml:4:12: entry 1, values[0]: expected a string: quote it"},
      {good + "  values: db\n", "t.yaml:4:3: entry 1, values: expected a list, such as ['true']"},
      {good + "  value_pattern: ^true$\n",
       "t.yaml:4:3: entry 1, value_pattern: regular expressions are not supported; use values, a "
       "list of strings: * matches any characters, [0-9] a digit"},
      {good + "  node_label: 'a b'\n", "t.yaml:4:3: entry 1, node_label: is not a label key"},
      {good + "  renamed_to: 'a b'\n", "t.yaml:4:3: entry 1, renamed_to: is not a taint key"},
      {good + "  should_daemonset_tolerate: {general: perhaps}\n",
       "t.yaml:4:31: entry 1, should_daemonset_tolerate.general: \"perhaps\" is not one of "
       "depends, "
       "yes, no"},
      {good + "  suggested_toleration: {operator: Lt}\n",
       "t.yaml:4:26: entry 1, suggested_toleration.operator: \"Lt\" is not one of Exists, Equal"},
      {"- id: x\n" + good.substr(0, 0) + "  key: a\n  effects: [NoSchedule]\n  meaning: m\n" +
           "- id: x\n  key: b\n  effects: [NoSchedule]\n  meaning: m\n",
       "t.yaml:5:3: entry 2 \"x\", id: entry 1 has the same"},
      {good + "---\n" + good, "t.yaml: one document is expected"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.content);
    CHECK(taints_error(row.content) == row.said);
  }
}

TEST_CASE("invalid YAML and alias bombs are rejected", "[taints]") {
  CHECK(taints_error("- key: 'a\n").starts_with("t.yaml:1:"));
  CHECK(taints_error(std::string(100'000, '[')).starts_with("t.yaml:"));
  CHECK(taints_error("- &a [x,x,x,x,x,x,x,x,x]\n- *a\n").starts_with("t.yaml:1:3: entry 1: "));
  CHECK(taints_error("- key: a\n  key: b\n") != "none");
  CHECK(taints_error(std::string(5 << 20, '#')) == "t.yaml: the file is larger than 4 MiB");
}
