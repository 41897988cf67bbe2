// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/report/node_reports.h"

#include <algorithm>
#include <numeric>

namespace dsdoctor::diagnosis {

std::size_t NodeReports::count(NodeVerdict verdict) const {
  std::size_t result = 0;
  for (const Use& use : uses_) {
    if (use.state->verdict == verdict) result += use.nodes;
  }
  return result;
}

std::optional<NodeReport> NodeReports::find(std::string_view name) const {
  std::size_t first = 0;
  std::size_t after = size();
  while (first < after) {
    const std::size_t middle = first + (after - first) / 2;
    (*this)[middle].name.view() < name ? first = middle + 1 : after = middle;
  }
  if (first == size() || (*this)[first].name != name) return std::nullopt;
  return (*this)[first];
}

std::uint32_t NodeReports::add_state(model::Shared<NodeState> state) {
  uses_.push_back({std::move(state), 0});
  return static_cast<std::uint32_t>(uses_.size() - 1);
}

void NodeReports::append(std::uint32_t state) {
  states_of_.push_back(state);
  ++uses_[state].nodes;
}

void NodeReports::push_back(const OwnNodeReport& node) {
  own_names_.push_back(node.name);
  append(add_state(node.state));
}

void NodeReports::set(std::size_t at, std::uint32_t state) {
  --uses_[states_of_[at]].nodes;
  states_of_.set(at, state);
  ++uses_[state].nodes;
}

NodeReports NodeReports::only(const base::IndexRuns& nodes) const {
  NodeReports result;
  result.names_ = names_;
  result.labels_ = labels_;
  result.states_of_.reserve(nodes.size());
  if (own_names_.empty()) result.chosen_.emplace();
  constexpr auto none = static_cast<std::uint32_t>(-1);
  std::vector<std::uint32_t> places(uses_.size(), none);  // index in the result
  for (const std::size_t at : nodes) {
    if (own_names_.empty()) {
      result.chosen_->push_back(name_index(at));
    } else {
      result.own_names_.push_back(own_names_[at]);
    }
    std::uint32_t& place = places[states_of_[at]];
    if (place == none) place = result.add_state(uses_[states_of_[at]].state);
    result.append(place);
  }
  return result;
}

void NodeReports::sort_by_name() {
  if (own_names_.empty()) return;
  const auto name_of = [&](std::size_t at) { return name(at).view(); };
  std::vector<std::size_t> order(size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (std::ranges::is_sorted(order, {}, name_of)) return;
  std::ranges::sort(order, {}, name_of);
  std::vector<model::Text> names;
  names.reserve(order.size());
  base::PackedNumbers states;
  for (const std::size_t at : order) {
    names.push_back(std::move(own_names_[at]));
    states.push_back(states_of_[at]);
  }
  own_names_ = std::move(names);
  states_of_ = std::move(states);
}

}  // namespace dsdoctor::diagnosis
