// SPDX-License-Identifier: Apache-2.0
#include "placement/verdict.h"

#include <catch2/catch.hpp>
#include <random>

using namespace dsdoctor;
using namespace dsdoctor::placement;

namespace {

model::Node node_with(model::Labels labels, std::vector<model::Taint> taints = {}) {
  model::Node node;
  node.meta.name = "n1";
  node.meta.labels = std::move(labels);
  node.taints = std::move(taints);
  return node;
}

model::PodTemplate template_with(std::vector<model::Toleration> tolerations) {
  model::PodTemplate pod;
  pod.tolerations = std::move(tolerations);
  return pod;
}

Verdict judge(const model::PodTemplate& pod, const model::Node& node, FeatureGates gates = {}) {
  return Evaluator(pod, gates).evaluate(node);
}

template <typename T>
const T& only_reason(const Verdict& verdict) {
  REQUIRE(verdict.reasons.size() == 1);
  REQUIRE(std::holds_alternative<T>(verdict.reasons.front()));
  return std::get<T>(verdict.reasons.front());
}

}  // namespace

TEST_CASE("a verdict has all reasons in the order in which they decide", "[placement]") {
  model::PodTemplate pod;
  pod.node_name = "other";
  pod.node_selector = {{"zone", "a"}, {"disk", "ssd"}, {"arch", "arm64"}};
  pod.node_affinity = model::NodeSelector{{{{{"gpu", "Exists", {}}}, {}}}};
  const auto node = node_with(
      {{"zone", "b"}, {"arch", "arm64"}},
      {{"soft", "", "PreferNoSchedule"}, {"a", "", "NoSchedule"}, {"b", "x", "NoExecute"}});
  const Verdict verdict = judge(pod, node);
  CHECK(verdict.decision == Decision::Exclude);
  REQUIRE(verdict.reasons.size() == 6);
  CHECK(std::get<NodeNameMismatch>(verdict.reasons[0]).want == "other");
  CHECK(verdict.reasons[1] == Reason(NodeSelectorMismatch{"disk", "ssd", std::nullopt}));
  CHECK(verdict.reasons[2] == Reason(NodeSelectorMismatch{"zone", "a", model::Text("b")}));
  CHECK(std::get<AffinityTermMismatch>(verdict.reasons[3]).requirement->key == "gpu");
  CHECK(std::get<UntoleratedTaint>(verdict.reasons[4]).taint.effect == "NoExecute");
  CHECK(std::get<UntoleratedTaint>(verdict.reasons[4]).index == 2);
  CHECK(std::get<UntoleratedTaint>(verdict.reasons[5]).taint.effect == "NoSchedule");
}

TEST_CASE("a template with a node name matches only this node", "[placement]") {
  model::PodTemplate pod;
  pod.node_name = "other";
  const auto node = node_with({}, {{"a", "", "NoSchedule"}});
  CHECK(only_reason<NodeNameMismatch>(judge(pod, node_with({}))).want == "other");
  CHECK(judge(pod, node_with({})).decision == Decision::Exclude);
  CHECK(judge(pod, node).decision == Decision::Exclude);
  pod.node_name = "n1";
  CHECK(judge(pod, node_with({})).decision == Decision::Run);
  CHECK(judge(pod, node).decision == Decision::Keep);  // the name overrides no taint
  pod.node_selector = {{"zone", "a"}};
  CHECK(only_reason<NodeSelectorMismatch>(judge(pod, node_with({}))).key == "zone");
  CHECK(judge(pod, node_with({})).decision == Decision::Exclude);
}

TEST_CASE("every failed requirement of every term is a reason", "[placement]") {
  model::PodTemplate pod;
  pod.node_affinity = model::NodeSelector{{
      {{{"a", "In", {"x"}}, {"b", "Exists", {}}}, {}},
      {{{"c", "Gt", {"abc"}}}, {{"metadata.name", "In", {"n2"}}}},
      {},
  }};
  const Verdict verdict = judge(pod, node_with({{"a", "y"}}));
  REQUIRE(verdict.reasons.size() == 4);
  const auto at = [&](std::size_t i) { return std::get<AffinityTermMismatch>(verdict.reasons[i]); };
  CHECK(at(0).term == 0);
  CHECK(at(0).have == model::Text("y"));
  CHECK_FALSE(at(0).fault);
  CHECK(at(1).index == 1);
  CHECK_FALSE(at(1).have);
  CHECK(at(2).fault == RequirementFault::NotAnInteger);
  CHECK(at(3).in_fields);
  CHECK(at(3).have == model::Text("n1"));
}

TEST_CASE("only the first failed requirements are listed and the rest are counted", "[placement]") {
  model::PodTemplate pod;
  model::NodeSelectorTerm term;
  for (std::size_t i = 0; i < most_told_requirements; ++i) {
    term.match_expressions.push_back({"a" + std::to_string(i), "Exists", {}});
  }
  pod.node_affinity = model::NodeSelector{{term}};
  const auto last = [&] {
    const Verdict verdict = judge(pod, node_with({}));
    CHECK(verdict.reasons.size() == most_told_requirements);
    return std::get<AffinityTermMismatch>(verdict.reasons.back());
  };
  CHECK(last().more == 0);
  pod.node_affinity->terms.push_back(term);
  CHECK(last().more == most_told_requirements);
  CHECK(last().term == 0);
  for (auto& each : pod.node_affinity->terms) each.match_expressions.front().op = "unknown";
  CHECK(only_reason<AffinityMatchesNothing>(judge(pod, node_with({}))).faults.size() == 2);
}

TEST_CASE("affinity without a usable term matches nothing and has the faults", "[placement]") {
  model::PodTemplate pod;
  pod.node_affinity = model::NodeSelector{};
  CHECK(only_reason<AffinityMatchesNothing>(judge(pod, node_with({}))).terms == 0);
  pod.node_affinity = model::NodeSelector{{{}, {{{"a", "in", {"x"}}}, {}}}};
  const Verdict verdict = judge(pod, node_with({{"a", "x"}}));
  const auto& nothing = only_reason<AffinityMatchesNothing>(verdict);
  CHECK(nothing.terms == 2);
  REQUIRE(nothing.faults.size() == 1);
  CHECK(nothing.faults.front() ==
        RequirementFailure{1, false, 0, RequirementFault::UnknownOperator});
}

TEST_CASE("a reason has the nearest toleration and the test that it fails", "[placement]") {
  using Row = std::tuple<std::string, model::Toleration, TolerationMiss>;
  const auto [name, toleration, miss] = GENERATE(values<Row>({
      {"another effect", {"a", "Exists", {}, "NoExecute", {}}, TolerationMiss::Effect},
      {"no operator", {"a", {}, {}, {}, {}}, TolerationMiss::Value},
      {"another value", {"a", "Equal", "y", "NoSchedule", {}}, TolerationMiss::Value},
      {"misspelt operator", {"a", "exists", {}, {}, {}}, TolerationMiss::Operator},
      {"gate off, but no integer", {"a", "Gt", "1", {}, {}}, TolerationMiss::Integer},
  }));
  CAPTURE(name);
  const auto pod = template_with({{"b", "Exists", {}, {}, {}}, toleration});
  const Verdict verdict = judge(pod, node_with({}, {{"a", "x", "NoSchedule"}}));
  const auto& open = only_reason<UntoleratedTaint>(verdict);
  REQUIRE(open.near.has_value());
  CHECK(open.near->toleration == 1);
  CHECK(open.near->miss == miss);
}

TEST_CASE("Gt and Lt compare numbers if the gate is on", "[placement]") {
  using Row = std::tuple<model::Toleration, std::string, std::optional<TolerationMiss>>;
  const auto [toleration, value, miss] = GENERATE(values<Row>({
      {{"a", "Gt", "900", {}, {}}, "901", {}},
      {{"a", "Gt", "900", {}, {}}, "900", TolerationMiss::Number},
      {{"a", "Lt", "900", {}, {}}, "899", {}},
      {{"a", "Lt", "900", {}, {}}, "900", TolerationMiss::Number},
      {{"a", "Lt", "-1", {}, {}}, "-2", {}},
      {{"a", "Lt", "0900", {}, {}}, "899", TolerationMiss::Integer},
      {{"a", "Lt", "900", {}, {}}, "many", TolerationMiss::Integer},
      {{"a", "Lt", "900", "NoExecute", {}}, "899", TolerationMiss::Effect},
  }));
  CAPTURE(toleration.op.view(), toleration.value.view(), value);
  const model::Taint taint{"a", value, "NoSchedule"};
  constexpr FeatureGates on{.taint_toleration_comparison_operators = true};
  CHECK(toleration_miss(toleration, taint, on) == miss);
  CHECK(judge(template_with({toleration}), node_with({}, {taint}), on).decision ==
        (miss ? Decision::Keep : Decision::Run));
}

TEST_CASE("the toleration that fails the latest test is the nearest", "[placement]") {
  const model::Toleration spelling{"A", "Exists", {}, {}, {}};
  const model::Toleration effect{"a", "Exists", {}, "NoExecute", {}};
  const model::Toleration misspelt{"a", "exists", {}, {}, {}};
  const model::Toleration other{"a", "Equal", "7", {}, {}};
  const model::Toleration number{"a", "Gt", "10", {}, {}};
  constexpr FeatureGates on{.taint_toleration_comparison_operators = true};
  const auto near = [&](std::vector<model::Toleration> of, FeatureGates gates) {
    const Verdict verdict =
        judge(template_with(std::move(of)), node_with({}, {{"a", "5", "NoSchedule"}}), gates);
    return only_reason<UntoleratedTaint>(verdict).near;
  };
  CHECK(near({spelling, effect}, on) == NearMiss{1, TolerationMiss::Effect});
  CHECK(near({effect, misspelt}, on) == NearMiss{1, TolerationMiss::Operator});
  CHECK(near({misspelt, effect}, on) == NearMiss{0, TolerationMiss::Operator});
  CHECK(near({misspelt, other}, on) == NearMiss{1, TolerationMiss::Value});
  CHECK(near({other, number}, on) == NearMiss{1, TolerationMiss::Number});
  CHECK(near({number, other}, on) == NearMiss{0, TolerationMiss::Number});
  const model::Toleration true_number{"a", "Gt", "4", {}, {}};
  CHECK(near({other, true_number}, {}) == NearMiss{1, TolerationMiss::Gate});
  CHECK(near({true_number, number}, {}) == NearMiss{0, TolerationMiss::Gate});
  CHECK(near({other, other}, on) == NearMiss{0, TolerationMiss::Value});
}

TEST_CASE("a toleration with another key is not near", "[placement]") {
  const auto pod = template_with({{"b", "Exists", {}, {}, {}}});
  const Verdict verdict = judge(pod, node_with({}, {{"a", "", "NoSchedule"}}));
  CHECK_FALSE(only_reason<UntoleratedTaint>(verdict).near);
}

TEST_CASE("a toleration with a similar spelling of the key is near", "[placement]") {
  const auto key = GENERATE("Dedicated-GPU", "dedicatedgpu", "dedicated_gpu");
  const auto pod = template_with({{"b", "Exists", {}, {}, {}}, {key, "Exists", {}, {}, {}}});
  const Verdict verdict = judge(pod, node_with({}, {{"dedicated-gpu", "", "NoSchedule"}}));
  const auto& open = only_reason<UntoleratedTaint>(verdict);
  REQUIRE(open.near.has_value());
  CHECK(*open.near == NearMiss{1, TolerationMiss::Key});
}

TEST_CASE("automatic tolerations are merged as the controller merges them", "[placement]") {
  const model::Toleration thirty_seconds{
      "node.kubernetes.io/not-ready", "Exists", {}, "NoExecute", 30};
  const model::Toleration other{"x", "Exists", {}, {}, {}};
  const auto merged = effective_tolerations({thirty_seconds, other, thirty_seconds}, false);
  REQUIRE(merged.size() == 8);
  CHECK_FALSE(merged[0].toleration_seconds);
  CHECK(merged[1] == other);
  CHECK(merged[2] == merged[0]);
  CHECK(merged[3].key == "node.kubernetes.io/unreachable");
  CHECK(effective_tolerations({}, true).back().key == "node.kubernetes.io/network-unavailable");
  CHECK(effective_tolerations({{{}, "Exists", {}, {}, {}}}, false).size() == 7);
}

TEST_CASE("a toleration that is not equal to an automatic one is not replaced", "[placement]") {
  constexpr const char* key = "node.kubernetes.io/not-ready";
  const auto own = GENERATE_COPY(values<model::Toleration>({
      {"other", "Exists", {}, "NoExecute", {}},
      {key, "Equal", {}, "NoExecute", {}},
      {key, "Exists", {}, "NoSchedule", {}},
      {key, "Exists", "x", "NoExecute", {}},
  }));
  const auto merged = effective_tolerations({own}, false);
  CHECK(merged.size() == 7);
  CHECK(merged[0] == own);
}

TEST_CASE("reasons are equal if all of their members are", "[placement]") {
  const model::NodeSelectorRequirement a{"a", "Exists", {}};
  const model::Taint taint{"k", "v", "NoSchedule"};
  using Near = NearMiss;
  const std::vector<Reason> reasons = {
      NodeNameMismatch{"n1"},
      NodeNameMismatch{"n2"},
      NodeSelectorMismatch{"a", "x", {}},
      NodeSelectorMismatch{"b", "x", {}},
      NodeSelectorMismatch{"a", "y", {}},
      NodeSelectorMismatch{"a", "x", model::Text("z")},
      AffinityTermMismatch{0, false, 0, a, {}, {}},
      AffinityTermMismatch{1, false, 0, a, {}, {}},
      AffinityTermMismatch{0, true, 0, a, {}, {}},
      AffinityTermMismatch{0, false, 1, a, {}, {}},
      AffinityTermMismatch{0, false, 0, model::NodeSelectorRequirement{"b", "Exists", {}}, {}, {}},
      AffinityTermMismatch{0, false, 0, a, model::Text("z"), {}},
      AffinityTermMismatch{0, false, 0, a, {}, RequirementFault::IllegalKey},
      AffinityTermMismatch{0, false, 0, a, {}, {}, 1},
      AffinityMatchesNothing{0, {}},
      AffinityMatchesNothing{1, {}},
      AffinityMatchesNothing{1, {{0, false, 0, RequirementFault::IllegalKey}}},
      AffinityMatchesNothing{1, {{1, false, 0, RequirementFault::IllegalKey}}},
      AffinityMatchesNothing{1, {{0, true, 0, RequirementFault::IllegalKey}}},
      AffinityMatchesNothing{1, {{0, false, 1, RequirementFault::IllegalKey}}},
      AffinityMatchesNothing{1, {{0, false, 0, RequirementFault::IllegalValue}}},
      UntoleratedTaint{taint, 0, {}},
      UntoleratedTaint{{"k", "w", "NoSchedule"}, 0, {}},
      UntoleratedTaint{taint, 1, {}},
      UntoleratedTaint{taint, 0, Near{0, TolerationMiss::Value}},
      UntoleratedTaint{taint, 0, Near{1, TolerationMiss::Value}},
      UntoleratedTaint{taint, 0, Near{0, TolerationMiss::Effect}},
  };
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    for (std::size_t k = 0; k < reasons.size(); ++k) {
      CAPTURE(i, k);
      CHECK((reasons[i] == Reason(reasons[k])) == (i == k));
    }
  }
}

// Properties over random cases.

namespace {

class RandomCase {
 public:
  explicit RandomCase(unsigned seed) : random_(seed) {
    for (unsigned i = pick(4); i > 0; --i) {
      node.taints.push_back({word("kl"), word("xy"), effect()});
    }
    node.meta.name = "n1";
    node.meta.labels = {{word("kl"), word("xy")}, {word("kl"), word("xy")}};
    for (unsigned i = pick(4); i > 0; --i) pod.tolerations.push_back(toleration());
    if (pick(3) == 0) pod.node_selector = {{word("kl"), word("xy")}};
    if (pick(3) == 0) {
      pod.node_affinity =
          model::NodeSelector{{{{{word("kl"), pick(2) == 0 ? "In" : "NotIn", {word("xy")}}}, {}}}};
    }
  }

  model::Toleration toleration() {
    const char* ops[] = {"", "Equal", "Exists", "exists"};
    return {
        pick(5) == 0 ? "" : word("kl"), ops[pick(4)], word("xy"), pick(3) == 0 ? "" : effect(), {}};
  }

  model::Node node;
  model::PodTemplate pod;

 private:
  unsigned pick(unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(random_); }
  std::string word(std::string_view letters) { return {letters[pick(unsigned(letters.size()))]}; }
  std::string effect() {
    const char* effects[] = {"NoSchedule", "PreferNoSchedule", "NoExecute", "Other"};
    return effects[pick(4)];
  }

  std::mt19937 random_;
};

}  // namespace

TEST_CASE("one more toleration never makes a decision worse", "[placement][property]") {
  for (unsigned seed = 0; seed < 5000; ++seed) {
    CAPTURE(seed);
    RandomCase random(seed);
    const Decision before = Evaluator(random.pod, {}).decide(random.node);
    random.pod.tolerations.push_back(random.toleration());
    CHECK(Evaluator(random.pod, {}).decide(random.node) <= before);
  }
}

TEST_CASE("the order of tolerations and taints does not matter", "[placement][property]") {
  for (unsigned seed = 0; seed < 5000; ++seed) {
    CAPTURE(seed);
    RandomCase random(seed);
    const Decision before = Evaluator(random.pod, {}).decide(random.node);
    std::ranges::reverse(random.pod.tolerations);
    std::ranges::reverse(random.node.taints);
    CHECK(Evaluator(random.pod, {}).decide(random.node) == before);
  }
}

TEST_CASE("a verdict has reasons if and only if the pod should not run", "[placement][property]") {
  for (unsigned seed = 0; seed < 5000; ++seed) {
    CAPTURE(seed);
    const RandomCase random(seed);
    const Evaluator evaluator(random.pod, {});
    const Verdict verdict = evaluator.evaluate(random.node);
    CHECK(verdict.decision == evaluator.decide(random.node));
    CHECK(verdict.reasons.empty() == (verdict.decision == Decision::Run));
  }
}
