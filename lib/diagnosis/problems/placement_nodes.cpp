// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/problems/placement_nodes.h"

#include <algorithm>
#include <bit>

namespace dsdoctor::diagnosis {
namespace {

constexpr std::size_t bits = 64;

}  // namespace

model::SharedList<model::Text> PlacementNodes::of(const Placements& placements,
                                                  const Placements& others) {
  // Reports of the same nodes share their list of names, so that duplicates have the same index.
  std::map<const Names*, Bits> met;
  for (const Placements* each : {&placements, &others}) {
    for (const Placements::Part& part : each->parts()) {
      const NodeReports& nodes = reports_[part.daemon_set]->nodes;
      Bits& here = met[&nodes.names()];
      here.resize((nodes.names().size() + bits - 1) / bits);
      for (const std::size_t at : part.nodes) {
        const std::size_t index = nodes.name_index(at);
        here[index / bits] |= std::uint64_t{1} << (index % bits);
      }
    }
  }
  Names result;
  const auto add = [&](const Names& names, const Bits& here) {
    for (std::size_t word = 0; word < here.size(); ++word) {
      for (std::uint64_t left = here[word]; left != 0; left &= left - 1) {
        result.push_back(names[word * bits + static_cast<std::size_t>(std::countr_zero(left))]);
      }
    }
  };
  if (met.size() == 1) {
    auto& [names, here] = *met.begin();
    const auto [at, is_new] = known_.try_emplace({names, here});
    if (!is_new) return at->second;
    add(*names, here);
    if (!std::ranges::is_sorted(result)) std::ranges::sort(result);
    return at->second = std::move(result);
  }
  for (const auto& [names, here] : met) add(*names, here);
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace dsdoctor::diagnosis
