// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/views/node_history.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "diagnosis/reporter.h"
#include "diagnosis/views/two_inputs.h"
#include "placement/verdict.h"

namespace dsdoctor::diagnosis {
namespace {

using Names = std::set<std::string_view>;

/// Names of the nodes that are selected on either side.
Names selected_nodes(const model::Cluster& then, const model::Cluster& now,
                     const std::function<bool(const model::Node&)>& selects) {
  Names names;
  for (const model::Cluster* cluster : {&then, &now}) {
    for (const model::Node& node : cluster->nodes) {
      if (!selects || selects(node)) names.insert(node.meta.name);
    }
  }
  return names;
}

/// The node, or an empty one for null: an absent node has neither labels nor taints.
const model::Node& node_or_none(const model::Node* node) {
  static const model::Node none;
  return node == nullptr ? none : *node;
}

NodeChange change_of(const model::Node* first, const model::Node* second) {
  NodeChange change;
  const model::Node& then = node_or_none(first);
  const model::Node& now = node_or_none(second);
  change.name = first == nullptr ? now.meta.name : then.meta.name;
  change.kind = first == nullptr    ? NodeChangeKind::Added
                : second == nullptr ? NodeChangeKind::Removed
                                    : NodeChangeKind::Changed;
  change.labels = diff(then.meta.labels, now.meta.labels);
  change.taints_only_first = taints_without(then.taints, now.taints);
  change.taints_only_second = taints_without(now.taints, then.taints);
  change.recreated =
      !then.meta.uid.empty() && !now.meta.uid.empty() && then.meta.uid != now.meta.uid;
  return change;
}

bool is_empty(const NodeChange& change) {
  return change.kind == NodeChangeKind::Changed && !change.recreated && change.labels.empty() &&
         change.taints_only_first.empty() && change.taints_only_second.empty();
}

/// Whether both reasons are equal, ignoring the index of a taint.
bool is_same(const placement::Reason& a, const placement::Reason& b) {
  const auto* first = std::get_if<placement::UntoleratedTaint>(&a);
  const auto* second = std::get_if<placement::UntoleratedTaint>(&b);
  return first != nullptr && second != nullptr ? first->taint == second->taint : a == b;
}

/// The reasons of `report` that the other does not have.
void only_in(const NodeReport& report, const NodeReport& other,
             std::vector<placement::Reason>& reasons,
             std::vector<const model::KnownTaint*>& known) {
  for (std::size_t i = 0; i < report.reasons().size(); ++i) {
    const bool both = std::ranges::any_of(
        other.reasons(), [&](const auto& reason) { return is_same(reason, report.reasons()[i]); });
    if (both) continue;
    reasons.push_back(report.reasons()[i]);
    known.push_back(report.known()[i]);
  }
}

const model::DaemonSet* same_as(const model::DaemonSet& ds,
                                const std::vector<const model::DaemonSet*>& others) {
  const auto at = std::ranges::find_if(others, [&](const model::DaemonSet* other) {
    return other->meta.ns == ds.meta.ns && other->meta.name == ds.meta.name;
  });
  return at == others.end() ? nullptr : *at;
}

/// Whether the flip is caused by the node: with the earlier template, one of the reasons also
/// appears or disappears.
bool is_of_node(const VerdictFlip& flip, const placement::Evaluator& then, const model::Node& now) {
  const auto reasons = then.evaluate(now).reasons;
  const auto holds = [&](const placement::Reason& reason) {
    return std::ranges::any_of(reasons, [&](const auto& other) { return is_same(reason, other); });
  };
  return std::ranges::any_of(flip.come, holds) || !std::ranges::all_of(flip.gone, holds);
}

void add_flips(const DaemonSetReport& then, const placement::Evaluator& template_then,
               const DaemonSetReport& now, const model::Cluster& cluster, NodeHistory& into) {
  for (const NodeReport& after : now.nodes) {
    const auto before = then.nodes.find(after.name);
    if (!before || before->verdict() == after.verdict()) continue;
    if (before->verdict() == NodeVerdict::Unknown || after.verdict() == NodeVerdict::Unknown) {
      continue;
    }
    VerdictFlip flip;
    only_in(*before, after, flip.gone, flip.known_gone);
    only_in(after, *before, flip.come, flip.known_come);
    if (flip.gone.empty() && flip.come.empty()) {
      into.pod_flips.push_back({now.ns, now.name, after.name, before->verdict(), after.verdict()});
      continue;
    }
    flip.ns = now.ns;
    flip.name = now.name;
    flip.node = after.name;
    flip.before = before->verdict();
    flip.after = after.verdict();
    const model::Node* node = model::find_node(cluster, after.name);
    flip.node_changed = node != nullptr && is_of_node(flip, template_then, *node);
    into.flips.push_back(std::move(flip));
  }
}

/// Whether a node that the input of `side` lacks may have existed at that time.
bool may_be_unread(const model::Node& node, const HistorySide& side) {
  if (side.reporter.cluster().all_nodes_known) return false;
  return !node.meta.created || *node.meta.created <= side.reporter.options().now;
}

void compare_named_nodes(const Names& names, const HistorySide& then, const HistorySide& now,
                         NodeHistory& into) {
  for (const std::string_view name : names) {
    const model::Node* first = model::find_node(then.reporter.cluster(), name);
    const model::Node* second = model::find_node(now.reporter.cluster(), name);
    if (first == nullptr && may_be_unread(*second, then)) {
      into.nodes_only_now.push_back(second->meta.name);
      continue;
    }
    if (second == nullptr && may_be_unread(*first, now)) {
      into.nodes_only_then.push_back(first->meta.name);
      continue;
    }
    if (first != nullptr && second != nullptr) ++into.compared_nodes;
    NodeChange change = change_of(first, second);
    if (!is_empty(change)) into.nodes.push_back(std::move(change));
  }
}

void compare_kinds(const HistorySide& then, const HistorySide& now, NodeHistory& into) {
  const model::Cluster& before = then.reporter.cluster();
  const model::Cluster& after = now.reporter.cluster();
  if (then.read_in_full) into.kinds_only_now = kinds_only_in(after, before);
  if (now.read_in_full) into.kinds_only_then = kinds_only_in(before, after);
  const auto decides = [](std::string_view kind) { return kind == "Pod" || kind == "DaemonSet"; };
  into.verdicts_comparable = std::ranges::none_of(into.kinds_only_then, decides) &&
                             std::ranges::none_of(into.kinds_only_now, decides);
}

}  // namespace

std::string_view to_string(NodeChangeKind kind) {
  switch (kind) {
    case NodeChangeKind::Added: return "added";
    case NodeChangeKind::Removed: return "removed";
    case NodeChangeKind::Changed: return "changed";
  }
  return "";
}

NodeHistory node_history(const HistorySide& then, const HistorySide& now,
                         const std::function<bool(const model::Node&)>& selects) {
  NodeHistory result;
  const model::Cluster& before = then.reporter.cluster();
  const model::Cluster& after = now.reporter.cluster();
  result.comparable = before.nodes_known && after.nodes_known;
  if (!result.comparable) return result;
  const Names names = selected_nodes(before, after, selects);
  compare_named_nodes(names, then, now, result);
  compare_kinds(then, now, result);
  const auto named = [&](const model::Node& node) { return names.contains(node.meta.name); };
  for (const model::DaemonSet* ds : now.daemon_sets) {
    const model::DaemonSet* old = same_as(*ds, then.daemon_sets);
    if (old == nullptr) {
      result.only_now.emplace_back(ds->meta.ns, ds->meta.name);
      continue;
    }
    if (!result.verdicts_comparable) continue;
    add_flips(then.reporter.verdicts(*old, named),
              placement::Evaluator(old->pod_template, then.reporter.options().gates),
              now.reporter.verdicts(*ds, named), after, result);
  }
  for (const model::DaemonSet* old : then.daemon_sets) {
    if (same_as(*old, now.daemon_sets) != nullptr) continue;
    result.only_then.emplace_back(old->meta.ns, old->meta.name);
  }
  const auto place = [](const auto& flip) {
    return std::tuple(flip.ns.view(), flip.name.view(), flip.node.view());
  };
  std::ranges::stable_sort(result.flips, {}, place);
  std::ranges::stable_sort(result.pod_flips, {}, place);
  return result;
}

}  // namespace dsdoctor::diagnosis
