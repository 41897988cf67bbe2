// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/bare_states.h"

#include <functional>
#include <string_view>
#include <variant>

namespace dsdoctor::diagnosis {
namespace {

constexpr std::size_t most_states = 200'000;
// If the states of a cluster are different for each pair, looking for equal ones is in vain.
constexpr std::size_t enough_to_judge = 20'000;

/// Hashes the fields that differ between most states.
struct Hash {
  std::size_t value = 0;

  void add(std::size_t number) {
    constexpr std::size_t odd = 0x9e3779b97f4a7c15U;
    value = (value ^ number) * odd;
    value ^= value >> 32U;
  }
  void add(std::string_view text) { add(std::hash<std::string_view>()(text)); }

  void operator()(const placement::NodeNameMismatch& r) { add(r.want.view()); }
  void operator()(const placement::NodeSelectorMismatch& r) {
    add(r.key.view());
    add(r.want.view());
    add(r.have ? r.have->view() : std::string_view());
  }
  void operator()(const placement::AffinityTermMismatch& r) {
    add(r.term);
    add(r.index);
    add(r.requirement->key.view());
    add(r.have ? r.have->view() : std::string_view());
  }
  void operator()(const placement::AffinityMatchesNothing& r) { add(r.terms); }
  void operator()(const placement::UntoleratedTaint& r) {
    add(r.taint.key.view());
    add(r.taint.value.view());
    add(r.index);
  }
};

std::size_t hash_of(const NodeState& state) {
  Hash hash;
  hash.add(static_cast<std::size_t>(state.decision));
  hash.add(static_cast<std::size_t>(state.verdict));
  for (const placement::Reason& reason : state.reasons) {
    hash.add(reason.index());
    std::visit(hash, reason);
  }
  return hash.value;
}

bool is_same(const NodeState& a, const NodeState& b) {
  return a.decision == b.decision && a.verdict == b.verdict && a.node_known == b.node_known &&
         a.known == b.known && a.reasons == b.reasons;
}

}  // namespace

model::Shared<NodeState> BareStates::shared(NodeState state) {
  if (gives_up_) return state;
  const std::size_t hash = hash_of(state);
  const auto [first, last] = states_.equal_range(hash);
  for (auto at = first; at != last; ++at) {
    if (!is_same(*at->second, state)) continue;
    ++found_;
    return at->second;
  }
  if (states_.size() == enough_to_judge && found_ < enough_to_judge) {
    gives_up_ = true;
    states_.clear();
    return state;
  }
  if (states_.size() >= most_states) states_.clear();
  return states_.emplace(hash, std::move(state))->second;
}

}  // namespace dsdoctor::diagnosis
