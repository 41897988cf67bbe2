// SPDX-License-Identifier: Apache-2.0
#include "placement/node_affinity.h"

#include <catch2/catch.hpp>

#include "placement/tolerates.h"
#include "placement/verdict.h"

using namespace dsdoctor;
using namespace dsdoctor::placement;
using Fault = RequirementFault;

namespace {

model::Node node_of(const std::string& name) {
  model::Node node;
  node.meta.name = name;
  node.meta.labels = model::Labels({{"disk", "ssd"}, {"cores", "8"}, {"zone", "a"}});
  return node;
}

struct Case {
  std::vector<model::NodeSelectorRequirement> expressions;
  std::vector<model::NodeSelectorRequirement> fields;
  bool matches;
  std::vector<std::optional<Fault>> faults = {};  // of the failed requirements
};

}  // namespace

TEST_CASE("a term matches nodes as in Kubernetes", "[placement]") {
  const std::optional<Fault> none;
  const Case one = GENERATE_COPY(values<Case>({
      {{{"disk", "In", {"hdd", "ssd"}}}, {}, true},
      {{{"disk", "In", {"hdd"}}}, {}, false, {none}},
      {{{"disk", "In", {"ssd"}}, {"zone", "In", {"b"}}}, {}, false, {none}},
      {{{"disk", "In", {}}}, {}, false, {Fault::NeedsValues}},
      {{{"disk", "NotIn", {"hdd"}}}, {}, true},
      {{{"disk", "NotIn", {"ssd"}}}, {}, false, {none}},
      {{{"other", "NotIn", {"ssd"}}}, {}, true},
      {{{"disk", "Exists", {}}}, {}, true},
      {{{"disk", "Exists", {"ssd"}}}, {}, false, {Fault::TakesNoValues}},
      {{{"disk", "DoesNotExist", {}}}, {}, false, {none}},
      {{{"other", "DoesNotExist", {}}}, {}, true},
      {{{"cores", "Gt", {"7"}}}, {}, true},
      {{{"cores", "Gt", {"8"}}}, {}, false, {none}},
      {{{"cores", "Lt", {"9"}}}, {}, true},
      {{{"cores", "Lt", {"8"}}}, {}, false, {none}},
      {{{"cores", "Gt", {"x"}}}, {}, false, {Fault::NotAnInteger}},
      {{{"cores", "Gt", {"1", "2"}}}, {}, false, {Fault::NeedsOneValue}},
      {{{"disk", "Gt", {"1"}}}, {}, false, {none}},
      {{{"disk", "Lt", {"1"}}}, {}, false, {none}},
      {{{"other", "Lt", {"1"}}}, {}, false, {none}},
      {{{"disk", "in", {"ssd"}}}, {}, false, {Fault::UnknownOperator}},
      {{{"-a", "Exists", {}}}, {}, false, {Fault::IllegalKey}},
      {{{"disk", "NotIn", {"a b"}}}, {}, false, {Fault::IllegalValue}},
      {{}, {{"metadata.name", "In", {"n1"}}}, true},
      {{}, {{"metadata.name", "In", {"n2"}}}, false, {none}},
      {{}, {{"metadata.name", "NotIn", {"n2"}}}, true},
      {{}, {{"metadata.name", "NotIn", {"n1"}}}, false, {none}},
      {{}, {{"metadata.name", "In", {"n1", "n2"}}}, false, {Fault::NeedsOneValue}},
      {{}, {{"metadata.name", "Exists", {}}}, false, {Fault::UnsupportedField}},
      {{}, {{"metadata.namespace", "In", {"n1"}}}, false, {none}},  // Kubernetes takes it as ""
      {{}, {{"metadata.namespace", "In", {""}}}, true},
      {{}, {{"metadata.namespace", "NotIn", {"n1"}}}, true},
      {{{"disk", "In", {"ssd"}}}, {{"metadata.name", "In", {"n2"}}}, false, {none}},
      {{{"disk", "In", {"hdd"}}}, {{"metadata.name", "In", {"n1"}}}, false, {none}},
      {{},
       {{"metadata.name", "In", {"n2"}}, {"metadata.name", "In", {"n1"}}, {"x", "In", {"n1"}}},
       false,
       {none, none}},
      {{{"disk", "In", {"hdd"}}, {"disk", "Exists", {}}, {"gpu", "Exists", {}}},
       {},
       false,
       {none, none}},
      {{}, {}, false},
  }));
  for (const auto& requirement : one.expressions) {
    UNSCOPED_INFO(requirement.key << " " << requirement.op);
  }
  const model::Node node = node_of("n1");
  const NodeAffinity affinity(model::NodeSelector{{{one.expressions, one.fields}}});
  CHECK(affinity.matches(node) == one.matches);
  if (one.matches) return;
  std::vector<std::optional<Fault>> faults;
  for (const auto& failure : affinity.failures(node)) faults.push_back(failure.fault);
  CHECK(faults == one.faults);
}

TEST_CASE("field requirements are skipped for a node without a name", "[placement]") {
  const model::NodeSelectorTerm other{{}, {{"metadata.name", "In", {"n2"}}}};
  const model::NodeSelectorTerm unlabelled{{{"gpu", "Exists", {}}},
                                           {{"metadata.name", "In", {"n2"}}}};
  CHECK(NodeAffinity({{other}}).matches(node_of("")));
  CHECK_FALSE(NodeAffinity({{other}}).matches(node_of("n1")));
  CHECK_FALSE(NodeAffinity({{unlabelled}}).matches(node_of("")));
}

TEST_CASE("value_for returns the label's value or the node's name", "[placement]") {
  const model::Node node = node_of("n1");
  CHECK(*value_for({"disk", "In", {"x"}}, false, node) == "ssd");
  CHECK(value_for({"metadata.name", "In", {"x"}}, false, node) == nullptr);  // no such label
  CHECK(*value_for({"metadata.name", "In", {"x"}}, true, node) == "n1");
  CHECK(value_for({"disk", "In", {"x"}}, true, node) == nullptr);
}

TEST_CASE("one matching term is enough", "[placement]") {
  const model::NodeSelectorTerm good{{{"disk", "Exists", {}}}, {}};
  const model::NodeSelectorTerm bad{{{"disk", "DoesNotExist", {}}}, {}};
  CHECK(NodeAffinity({{bad, good}}).matches(node_of("n")));
  CHECK(NodeAffinity({{good, bad}}).matches(node_of("n")));
  CHECK_FALSE(NodeAffinity({{bad, bad}}).matches(node_of("n")));
  CHECK_FALSE(NodeAffinity(model::NodeSelector{}).matches(node_of("n")));
}

TEST_CASE("the reason why a toleration does not match a taint", "[placement]") {
  using Miss = TolerationMiss;
  const model::Taint taint{"dedicated", "gpu", "NoSchedule"};
  const auto miss = [&](const model::Toleration& toleration) {
    return toleration_miss(toleration, taint, {});
  };
  CHECK(miss({"dedicated", "Equal", "gpu", "NoSchedule", {}}) == std::nullopt);
  CHECK(miss({"dedicated", "", "gpu", "", {}}) == std::nullopt);
  CHECK(miss({"dedicated", "Exists", "", "", {}}) == std::nullopt);
  CHECK(miss({"", "Exists", "", "", {}}) == std::nullopt);
  CHECK(miss({"dedicated", "Equal", "cpu", "", {}}) == Miss::Value);
  CHECK(miss({"dedicated", "", "", "", {}}) == Miss::Value);
  CHECK(miss({"other", "Exists", "", "", {}}) == Miss::Key);
  CHECK(miss({"other", "Exists", "", "NoExecute", {}}) == Miss::Effect);
  CHECK(miss({"dedicated", "exists", "", "", {}}) == Miss::Operator);
}

TEST_CASE("a verdict depends on the node's name only with nodeName or matchFields", "[placement]") {
  model::PodTemplate of;
  CHECK(Evaluator(of, {}).node_names().empty());
  of.node_affinity = model::NodeSelector{{{{{"disk", "Exists", {}}}, {}}}};
  CHECK(Evaluator(of, {}).node_names().empty());
  of.node_affinity->terms.push_back({{}, {{"metadata.name", "In", {"n1"}}}});
  CHECK(Evaluator(of, {}).node_names() == std::vector<model::Text>{"n1"});
  of.node_affinity.reset();
  of.node_name = "n1";
  CHECK(Evaluator(of, {}).node_names() == std::vector<model::Text>{"n1"});
}
