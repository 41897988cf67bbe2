#include "advice/explanation.h"

#include <algorithm>
#include <unordered_set>

#include "diagnosis/reporter.h"

namespace dsdoctor::advice {
namespace {

void keep_selected(diagnosis::DaemonSetReport& report, const model::Cluster& cluster,
                   const diagnosis::ReportOptions& options) {
  if (!options.selects) return;
  std::erase_if(report.nodes, [&](const diagnosis::NodeReport& entry) {
    const model::Node* node = model::find_node(cluster, entry.name);
    return node == nullptr || !options.selects(*node);
  });
}

void keep_relevant(std::vector<Suggestion>& suggestions,
                   const diagnosis::DaemonSetReport& selected) {
  std::unordered_set<std::string_view> names;
  for (const auto& node : selected.nodes) names.insert(node.name);
  std::erase_if(suggestions, [&](const Suggestion& suggestion) {
    return std::ranges::none_of(suggestion.effect.gained,
                                [&](const model::Text& name) { return names.contains(name); });
  });
}

}  // namespace

bool is_wrong(const DaemonSetAnswer& answer) {
  return std::ranges::any_of(answer.report.nodes,
                             [](const auto& node) { return diagnosis::is_wrong(node); }) ||
         std::ranges::any_of(answer.report.findings, [](const diagnosis::Finding& finding) {
           return finding.severity != diagnosis::Severity::Info;
         });
}

bool is_conclusive(const DaemonSetAnswer& answer) {
  return answer.report.evaluated.nodes_known && answer.report.evaluated.pods_known;
}

Explanation explain(const model::Cluster& cluster,
                    const std::vector<const model::DaemonSet*>& daemon_sets,
                    const diagnosis::ReportOptions& options) {
  // Cures are predicted over all nodes, so the selection comes last.
  diagnosis::ReportOptions everything = options;
  everything.selects = nullptr;
  if (options.selects) everything.asks = options.selects;
  const diagnosis::Reporter reporter(cluster, everything);
  Explanation result;
  for (const model::DaemonSet* ds : daemon_sets) {
    DaemonSetAnswer& answer = result.daemon_sets.emplace_back();
    answer.report = reporter.report(*ds);
    answer.suggestions = suggestions(*ds, answer.report, cluster, options.gates);
    keep_selected(answer.report, cluster, options);
    if (options.selects) keep_relevant(answer.suggestions, answer.report);
    answer.groups = diagnosis::group_nodes(answer.report, cluster);
    answer.causes = diagnosis::causes(answer.report);
    result.nodes = std::max(result.nodes, answer.report.nodes.size());
  }
  return result;
}

}  // namespace dsdoctor::advice
