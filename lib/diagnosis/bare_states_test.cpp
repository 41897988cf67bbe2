// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/bare_states.h"

#include <catch2/catch.hpp>

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;

namespace {

NodeState state_of(std::vector<placement::Reason> reasons) {
  NodeState state;
  state.decision = placement::Decision::Exclude;
  state.verdict = NodeVerdict::Excluded;
  state.known = std::vector<const model::KnownTaint*>(reasons.size());
  state.reasons = std::move(reasons);
  return state;
}

}  // namespace

TEST_CASE("equal states are shared and different ones are not", "[report]") {
  BareStates states;
  const model::NodeSelectorRequirement gpu{"gpu", "Exists", {}};
  const std::vector<std::vector<placement::Reason>> different = {
      {},
      {placement::NodeNameMismatch{"n1"}},
      {placement::NodeNameMismatch{"n2"}},
      {placement::NodeSelectorMismatch{"a", "x", {}}},
      {placement::NodeSelectorMismatch{"a", "x", model::Text("y")}},
      {placement::NodeSelectorMismatch{"a", "x", {}, true}},
      {placement::AffinityTermMismatch{0, false, 0, gpu, {}, {}}},
      {placement::AffinityTermMismatch{0, true, 0, gpu, {}, {}}},
      {placement::AffinityMatchesNothing{1, {}}},
      {placement::UntoleratedTaint{{"k", "v", "NoSchedule"}, 0, {}}},
      {placement::UntoleratedTaint{{"k", "v", "NoExecute"}, 0, {}}},
      {placement::UntoleratedTaint{{"k", "v", "NoSchedule"}, 0, {}},
       placement::NodeNameMismatch{"n"}},
  };
  std::vector<model::Shared<NodeState>> first;
  for (const auto& reasons : different) first.push_back(states.shared(state_of(reasons)));
  CHECK(states.size() == different.size());
  for (std::size_t i = 0; i < different.size(); ++i) {
    CAPTURE(i);
    CHECK(states.shared(state_of(different[i])).is_same(first[i]));
    CHECK(first[i]->reasons.items() == different[i]);
  }
  NodeState unknown = state_of({});
  unknown.verdict = NodeVerdict::Unknown;
  CHECK_FALSE(states.shared(unknown).is_same(first[0]));
  CHECK(states.size() == different.size() + 1);
}

TEST_CASE("states that are hardly ever equal are not kept", "[report]") {
  const auto of = [](std::size_t i) {
    return state_of({placement::NodeNameMismatch{model::Text(std::to_string(i))}});
  };
  BareStates different;
  for (std::size_t i = 0; i < 30'000; ++i) {
    CHECK(different.shared(of(i))->reasons.items() == of(i).reasons.items());
  }
  CHECK(different.size() == 0);

  BareStates often;
  for (std::size_t i = 0; i < 30'000; ++i) {
    const auto first = often.shared(of(i));
    CHECK(often.shared(of(i)).is_same(first));
  }
  CHECK(often.size() == 30'000);
}
