#include "diagnosis/problems/placement_nodes.h"

#include <algorithm>

namespace dsdoctor::diagnosis {

model::SharedList<model::Text> PlacementNodes::of(const Placements& placements) {
  // Reports of the same nodes share their names: a name of several placements is met once.
  std::map<const Names*, std::vector<bool>> met;
  for (const Placements::Part& part : placements.parts()) {
    const NodeReports& nodes = reports_[part.daemon_set]->nodes;
    std::vector<bool>& here = met[&nodes.names()];
    here.resize(nodes.names().size());
    for (const std::size_t at : part.nodes) here[nodes.name_index(at)] = true;
  }
  Names result;
  const auto add = [&](const Names& names, const std::vector<bool>& here) {
    for (std::size_t i = 0; i < here.size(); ++i) {
      if (here[i]) result.push_back(names[i]);
    }
  };
  if (met.size() == 1) {
    auto& [names, here] = *met.begin();
    const auto [at, is_new] = known_.try_emplace({names, here});
    if (!is_new) return at->second;
    add(*names, here);
    std::ranges::sort(result);
    return at->second = std::move(result);
  }
  for (const auto& [names, here] : met) add(*names, here);
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace dsdoctor::diagnosis
