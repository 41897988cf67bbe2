// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/views/node_diff.h"

#include <algorithm>

#include "diagnosis/reporter.h"

namespace dsdoctor::diagnosis {
namespace {

model::Labels statuses(const std::vector<model::Condition>& conditions) {
  std::vector<model::Labels::Entry> entries;
  entries.reserve(conditions.size());
  for (const model::Condition& condition : conditions) {
    entries.emplace_back(condition.type, condition.status);
  }
  return model::Labels(std::move(entries));
}

}  // namespace

std::vector<model::Taint> taints_without(const std::vector<model::Taint>& taints,
                                         const std::vector<model::Taint>& those) {
  std::vector<model::Taint> result;
  std::ranges::copy_if(taints, std::back_inserter(result), [&](const model::Taint& taint) {
    return std::ranges::find(those, taint) == those.end();
  });
  return result;
}

bool is_difference(NodeVerdict verdict) {
  using enum NodeVerdict;
  return verdict == Missing || verdict == Misscheduled || verdict == Removing ||
         verdict == Duplicate;
}

PlacementDiff placement_diff(const DaemonSetReport& report) {
  PlacementDiff result;
  result.ns = report.ns;
  result.name = report.name;
  for (const auto& [state, nodes] : report.nodes.states()) {
    const bool known =
        state->node_known && (report.covered || state->verdict != NodeVerdict::Excluded);
    if (!known && !is_difference(state->verdict)) {
      result.unknown += nodes;
      continue;
    }
    switch (state->verdict) {
      case NodeVerdict::Missing:
      case NodeVerdict::Misscheduled:
      case NodeVerdict::Removing:
      case NodeVerdict::Duplicate: break;
      case NodeVerdict::Unknown: result.unknown += nodes; break;
      case NodeVerdict::Pending:
        result.unbound += nodes;
        result.agreeing += nodes;
        break;
      case NodeVerdict::Failed:
      case NodeVerdict::NotReady:
        result.unwell += nodes;
        result.agreeing += nodes;
        break;
      case NodeVerdict::Terminating:
        result.ending += nodes;
        result.agreeing += nodes;
        break;
      case NodeVerdict::Excluded:
      case NodeVerdict::Running: result.agreeing += nodes; break;
    }
  }
  const auto is_missing = [](NodeVerdict verdict) { return verdict == NodeVerdict::Missing; };
  const auto missing =
      report.nodes.where([&](const NodeState& state) { return is_missing(state.verdict); });
  const auto unexpected = report.nodes.where([&](const NodeState& state) {
    return is_difference(state.verdict) && !is_missing(state.verdict);
  });
  const auto lost = report.nodes.where([](const NodeState& state) {
    return state.verdict == NodeVerdict::Excluded &&
           std::ranges::find(state.findings, FindingId::NodeLabelChanged, &Finding::id) !=
               state.findings.end();
  });
  result.lost = report.nodes.only(lost);
  result.missing = report.nodes.only(missing);
  if (report.vanished_nodes.empty()) {
    result.unexpected = report.nodes.only(unexpected);
  } else {
    result.unexpected = report.vanished_nodes;
    for (const std::size_t i : unexpected) result.unexpected.push_back(report.nodes[i]);
  }
  return result;
}

MapDiff diff(const model::Labels& first, const model::Labels& second) {
  MapDiff result;
  std::vector<model::Labels::Entry> only_first;
  std::vector<model::Labels::Entry> only_second;
  for (const auto& [key, value] : first) {
    const model::Text* other = second.find(key);
    if (other == nullptr) {
      only_first.emplace_back(key, value);
    } else if (*other != value) {
      result.changed.push_back({key, {value, *other}});
    }
  }
  for (const auto& [key, value] : second) {
    if (first.find(key) == nullptr) only_second.emplace_back(key, value);
  }
  result.only_first = model::Labels(std::move(only_first));
  result.only_second = model::Labels(std::move(only_second));
  return result;
}

NodeComparison compare_nodes(const Reporter& reporter,
                             const std::vector<const model::DaemonSet*>& daemon_sets,
                             const model::Node& first, const model::Node& second) {
  NodeComparison result;
  result.first = first.meta.name;
  result.second = second.meta.name;
  result.labels = diff(first.meta.labels, second.meta.labels);
  result.taints_only_first = taints_without(first.taints, second.taints);
  result.taints_only_second = taints_without(second.taints, first.taints);
  result.allocatable = diff(first.allocatable, second.allocatable);
  result.conditions = diff(statuses(first.conditions), statuses(second.conditions));
  const auto is_compared = [&](const model::Node& node) {
    return node.meta.name == first.meta.name || node.meta.name == second.meta.name;
  };
  for (const model::DaemonSet* ds : daemon_sets) {
    const DaemonSetReport report = reporter.verdicts(*ds, is_compared);
    const NodeReport one = report.nodes.find(first.meta.name).value();
    const NodeReport other = report.nodes.find(second.meta.name).value();
    if (one.verdict() == other.verdict()) {
      ++result.alike;
      continue;
    }
    result.daemon_sets.push_back({report.ns, report.name, one, other});
  }
  return result;
}

}  // namespace dsdoctor::diagnosis
