#include "advice/check.h"

#include <algorithm>
#include <unordered_set>

namespace dsdoctor::advice {

std::vector<std::size_t> wrong_nodes(const diagnosis::DaemonSetReport& report) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < report.nodes.size(); ++i) {
    if (diagnosis::is_wrong(report.nodes[i])) result.push_back(i);
  }
  return result;
}

void keep_nodes(DaemonSetAnswer& answer, std::vector<std::size_t> nodes) {
  std::unordered_set<std::string_view> names;
  for (const std::size_t index : nodes) names.insert(answer.report.nodes[index].name);
  const auto is_kept = [&](const model::Text& name) { return names.contains(name); };
  for (diagnosis::NodeGroup& group : answer.groups) {
    std::erase_if(group.nodes,
                  [&](std::size_t i) { return !is_kept(answer.report.nodes[i].name); });
  }
  std::erase_if(answer.groups, [](const auto& group) { return group.nodes.empty(); });
  for (diagnosis::Cause& cause : answer.causes) {
    std::erase_if(cause.nodes, [&](const model::Text& name) { return !is_kept(name); });
  }
  std::erase_if(answer.causes, [](const auto& cause) { return cause.nodes.empty(); });
  std::erase_if(answer.suggestions, [&](const Suggestion& suggestion) {
    return std::ranges::none_of(suggestion.effect.gained, is_kept);
  });
  answer.listed = std::move(nodes);
}

}  // namespace dsdoctor::advice
