#include "diagnosis/report/reach.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "diagnosis/evidence/wording.h"
#include "diagnosis/taints/taint_knowledge.h"

namespace dsdoctor::diagnosis {
namespace {

std::string requirement_text(const model::NodeSelectorRequirement& requirement) {
  std::vector<std::string_view> values(requirement.values.begin(), requirement.values.end());
  return fmt::format("{} {}{}", requirement.key.view(), requirement.op.view(),
                     values.empty() ? "" : fmt::format(" [{}]", fmt::join(values, ", ")));
}

std::string have_text(const std::optional<model::Text>& have) {
  return have ? fmt::format(" (the node has {})", have->empty() ? "\"\"" : have->view())
              : std::string(" (the node has no such label)");
}

struct ClauseWriter {
  std::string operator()(const placement::NodeNameMismatch& r) const {
    return fmt::format("node name {}", r.want.view());
  }
  std::string operator()(const placement::NodeSelectorMismatch& r) const {
    return fmt::format("node selector {}={}{}", r.key.view(), r.want.view(), have_text(r.have));
  }
  std::string operator()(const placement::AffinityTermMismatch& r) const {
    return fmt::format("node affinity {}{}", requirement_text(r.requirement), have_text(r.have));
  }
  std::string operator()(const placement::AffinityMatchesNothing&) const {
    return "a node affinity that matches nothing";
  }
  std::string operator()(const placement::UntoleratedTaint& r) const {
    return fmt::format("taint {}", wording::taint(r.taint));
  }
};

/// The clause without what varies from node to node.
struct KindWriter {
  std::string operator()(const placement::NodeSelectorMismatch& r) const {
    return fmt::format("node selector {}={}", r.key.view(), r.want.view());
  }
  std::string operator()(const placement::AffinityTermMismatch& r) const {
    return fmt::format("node affinity {}", requirement_text(r.requirement));
  }
  std::string operator()(const placement::UntoleratedTaint& r) const {
    const bool number = timestamp_value(r.taint.value).has_value();
    return number ? fmt::format("taint {}:{}", r.taint.key.view(), r.taint.effect.view())
                  : fmt::format("taint {}", wording::taint(r.taint));
  }
  std::string operator()(const auto& r) const { return ClauseWriter()(r); }
};

}  // namespace

std::string clause_text(const placement::Reason& reason) {
  return std::visit(ClauseWriter(), reason);
}

std::vector<std::string> obstacles(const DaemonSetReport& report) {
  std::map<std::string, std::int64_t> counts;
  for (const NodeReport& node : report.nodes) {
    for (const placement::Reason& reason : node.reasons) ++counts[std::visit(KindWriter(), reason)];
  }
  std::vector<std::pair<std::string, std::int64_t>> order(counts.begin(), counts.end());
  std::ranges::stable_sort(order, std::greater(), [](const auto& entry) { return entry.second; });
  std::vector<std::string> result;
  result.reserve(order.size());
  for (const auto& [clause, count] : order)
    result.push_back(fmt::format("{} by {}", count, clause));
  return result;
}

const NodeReport* closest_node(const DaemonSetReport& report) {
  const NodeReport* best = nullptr;
  for (const NodeReport& node : report.nodes) {
    if (node.reasons.empty()) continue;
    if (best == nullptr || node.reasons.size() < best->reasons.size()) best = &node;
  }
  return best;
}

std::optional<std::string> label_of_no_node(const model::DaemonSet& ds,
                                            const model::Cluster& cluster) {
  for (const auto& entry : ds.pod_template.node_selector) {  // Clang 14 captures no bindings
    const model::Text& key = entry.first;
    const model::Text& value = entry.second;
    const bool somewhere = std::ranges::any_of(cluster.nodes, [&](const model::Node& node) {
      const model::Text* have = node.meta.labels.find(key);
      return have != nullptr && *have == value;
    });
    if (!somewhere) return fmt::format("{}={}", key.view(), value.view());
  }
  return std::nullopt;
}

}  // namespace dsdoctor::diagnosis
