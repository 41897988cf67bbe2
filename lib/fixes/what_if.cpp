// SPDX-License-Identifier: Apache-2.0
#include "fixes/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "base/edit_distance.h"
#include "base/glob.h"
#include "diagnosis/evidence/api_defaults.h"
#include "diagnosis/evidence/daemon_pods.h"
#include "fixes/effects/template_change.h"
#include "fixes/today.h"
#include "placement/label_selector.h"
#include "placement/namespace_selector.h"

namespace dsdoctor::fixes {
namespace {

using diagnosis::NodeReport;
using diagnosis::NodeVerdict;

/// Replaces a taint of the same key and effect, as `kubectl taint --overwrite` does.
void add_taint(model::Node& node, const model::Taint& taint) {
  const auto same = std::ranges::find_if(node.taints, [&](const model::Taint& other) {
    return other.key == taint.key && other.effect == taint.effect;
  });
  if (same == node.taints.end()) {
    node.taints.push_back(taint);
  } else {
    *same = taint;
  }
}

/// Reports whether a taint was removed.
bool remove_taint(model::Node& node, const model::Taint& taint) {
  return std::erase_if(node.taints, [&](const model::Taint& other) {
           return other.key == taint.key && (taint.effect.empty() || other.effect == taint.effect);
         }) != 0;
}

/// Removes the labels with that key, which may be a glob. Reports whether there were any.
bool remove_labels(model::Node& node, std::string_view key) {
  std::vector<model::Labels::Entry> left;
  std::ranges::copy_if(node.meta.labels, std::back_inserter(left),
                       [&](const auto& entry) { return !base::matches_glob(key, entry.first); });
  if (left.size() == node.meta.labels.size()) return false;
  node.meta.labels = model::Labels(std::move(left));
  return true;
}

/// Reports whether the node had something to change.
bool edit_node(model::Node& node, const NodeEdit& edit) {
  switch (edit.kind) {
    case NodeEdit::Kind::Taint: add_taint(node, edit.taint); return true;
    case NodeEdit::Kind::Untaint: return remove_taint(node, edit.taint);
    case NodeEdit::Kind::Label: node.meta.labels.set(edit.key, edit.value); return true;
    case NodeEdit::Kind::Unlabel: return remove_labels(node, edit.key);
    case NodeEdit::Kind::Cordon:
    case NodeEdit::Kind::Drain:
      node.unschedulable = true;
      add_taint(node, {"node.kubernetes.io/unschedulable", {}, model::effect::no_schedule});
      return true;
    case NodeEdit::Kind::Delete:
    case NodeEdit::Kind::Reboot:
    default: return true;
  }
}

/// An empty operator means Equal.
bool is_same(model::Toleration a, model::Toleration b) {
  for (model::Toleration* each : {&a, &b}) {
    if (each->op.empty()) each->op = "Equal";
  }
  return a == b;
}

/// Removes the nodes with the pods that are bound to them or were created for them, as the pod
/// garbage collector and the DaemonSet controller do.
void remove_nodes(model::Cluster& cluster, const std::vector<std::size_t>& nodes) {
  std::set<std::string_view> names;
  for (const std::size_t at : nodes) names.insert(cluster.nodes[at].meta.name);
  std::erase_if(cluster.pods, [&](const model::Pod& pod) {
    const model::Text* target = diagnosis::target_node(pod);
    return names.contains(pod.node_name.view()) ||
           (target != nullptr && names.contains(target->view()));
  });
  const std::set<std::string> gone(names.begin(), names.end());
  std::erase_if(cluster.nodes,
                [&](const model::Node& node) { return gone.contains(node.meta.name.str()); });
}

base::Error no_such_node(const NodePick& pick, const model::Cluster& cluster) {
  base::Error error{base::ErrorKind::NotFound, "",
                    pick.glob.find('*') == std::string::npos && !pick.glob.empty()
                        ? fmt::format("nodes \"{}\" not found", pick.text)
                        : fmt::format("no node matches \"{}\"", pick.text)};
  std::vector<std::string> names;
  names.reserve(cluster.nodes.size());
  for (const model::Node& node : cluster.nodes) names.push_back(node.meta.name.str());
  for (const std::string& near : base::near_words(pick.text, names)) {
    error.hints.push_back(fmt::format("did you mean: {}", near));
  }
  return error;
}

/// In kubectl's format: `label "disk"`, `taint "dedicated:NoSchedule"`.
std::string removed_by(const NodeEdit& edit) {
  if (edit.kind == NodeEdit::Kind::Unlabel) return fmt::format("label \"{}\"", edit.key.view());
  const std::string_view colon = edit.taint.effect.empty() ? "" : ":";
  return fmt::format("taint \"{}{}{}\"", edit.taint.key.view(), colon, edit.taint.effect.view());
}

base::Status apply(model::Cluster& cluster, const NodeEdit& edit) {
  const std::vector<std::size_t> picked = picked_nodes(cluster, edit.nodes);
  if (picked.empty()) return no_such_node(edit.nodes, cluster);
  bool changed = false;
  for (const std::size_t at : picked) changed = edit_node(cluster.nodes[at], edit) || changed;
  if (edit.kind == NodeEdit::Kind::Delete) remove_nodes(cluster, picked);
  if (changed) return std::monostate();
  return base::Error{base::ErrorKind::NotFound, "",
                     fmt::format("{} not found on node {}", removed_by(edit), edit.nodes.text)};
}

std::tuple<std::string_view, std::string_view> name_of(const model::DaemonSet& ds) {
  return {ds.meta.ns.view(), ds.meta.name.view()};
}

base::Error invalid(const model::DaemonSet& ds, std::string_view path, std::string_view why) {
  return base::usage_error(fmt::format("DaemonSet \"{}/{}\" is invalid: {}: {}", ds.meta.ns.view(),
                                       ds.meta.name.view(), path, why));
}

/// Applies the manifest as `kubectl apply` does: status and identity are kept. A DaemonSet that the
/// cluster does not have is appended to `added`.
/// Errors: the API server's errors about spec.selector.
base::Status apply(model::Cluster& cluster, model::DaemonSet ds,
                   std::vector<model::DaemonSet>& added) {
  const auto at = std::ranges::lower_bound(cluster.daemon_sets, name_of(ds), {}, name_of);
  ds.template_fingerprint = 0;
  if (!ds.selector) return invalid(ds, "spec.selector", "Required value");
  if (ds.selector->match_labels.empty() && ds.selector->match_expressions.empty()) {
    return invalid(ds, "spec.selector", "empty selector is invalid for daemonset");
  }
  if (!placement::matches(*ds.selector, ds.pod_template.labels)) {
    return invalid(ds, "spec.template.metadata.labels",
                   "`selector` does not match template `labels`");
  }
  const bool exists = at != cluster.daemon_sets.end() && name_of(*at) == name_of(ds);
  diagnosis::set_api_defaults(ds.pod_template, exists ? &at->pod_template : nullptr);
  if (!exists) {
    added.push_back(std::move(ds));
    return std::monostate();
  }
  if (at->selector && *ds.selector != *at->selector) {
    return invalid(ds, "spec.selector", "field is immutable");
  }
  diagnosis::adopt_quantities(ds.pod_template, at->pod_template);
  ds.reported = at->reported;
  ds.observed_generation = at->observed_generation;
  ds.generation = at->generation;
  model::ObjectMeta meta = at->meta;
  meta.labels = ds.meta.labels;
  ds.meta = std::move(meta);
  *at = std::move(ds);
  return std::monostate();
}

/// The DaemonSet of the same project, namespace and name; null if the cluster does not have it.
const model::DaemonSet* same_object(const model::Cluster& cluster, const model::DaemonSet& of) {
  auto at = std::ranges::lower_bound(cluster.daemon_sets, name_of(of), {}, name_of);
  while (at != cluster.daemon_sets.end() && name_of(*at) == name_of(of)) {
    if (at->other_kind == of.other_kind) return &*at;
    ++at;
  }
  return nullptr;
}

/// Predicts a DaemonSet without the what-if changes.
Settled settled_without(const Judged& before, placement::FeatureGates gates) {
  std::vector<Place> places;
  places.reserve(before.report->nodes.size());
  for_each_node(*before.report, before.cluster,
                [&](const NodeReport& node, const model::Node& object) {
                  places.push_back({node, &object, node.decision(), false});
                });
  return settle(*before.ds, places, before.cluster, gates, false);
}

/// Removes the nodes whose pod ends `anyway` and returns their number. Keeps nodes whose verdict
/// changes, because the flip needs an explanation.
std::size_t leave_out(std::vector<model::Text>& nodes, const std::vector<model::Text>& anyway,
                      const std::vector<Flip>& flips) {
  return std::erase_if(nodes, [&](const model::Text& node) {
    return std::ranges::find(anyway, node) != anyway.end() &&
           std::ranges::find(flips, node, &Flip::node) == flips.end();
  });
}

base::Status add(model::Cluster& cluster, const model::Node& node) {
  const auto at =
      std::ranges::lower_bound(cluster.nodes, node.meta.name.view(), {},
                               [](const model::Node& other) { return other.meta.name.view(); });
  if (at != cluster.nodes.end() && at->meta.name == node.meta.name) {
    const std::string_view name = node.meta.name;
    return base::usage_error(
        fmt::format("node \"{}\" already exists, so it cannot be added", name));
  }
  cluster.nodes.insert(at, node);
  return std::monostate();
}

}  // namespace

base::Result<model::Cluster> with_changes(const model::Cluster& cluster, const WhatIf& what_if) {
  model::Cluster result = cluster;
  for (const model::Node& node : what_if.nodes) {
    if (auto added = add(result, node); !added) return added.error();
  }
  for (const NodeEdit& edit : what_if.edits) {
    if (auto applied = apply(result, edit); !applied) return applied.error();
  }
  std::vector<model::DaemonSet> added;
  for (const model::DaemonSet& ds : what_if.daemon_sets) {
    if (auto applied = apply(result, ds, added); !applied) return applied.error();
  }
  std::ranges::move(added, std::back_inserter(result.daemon_sets));
  std::ranges::stable_sort(result.daemon_sets, {}, name_of);
  placement::set_namespace_selectors(result);
  return result;
}

std::vector<model::Toleration> tolerate(model::DaemonSet& ds,
                                        const std::vector<model::Toleration>& tolerations) {
  auto& list = ds.pod_template.tolerations;
  const std::size_t before = list.size();
  for (const model::Toleration& each : tolerations) {
    const bool is_there = std::ranges::any_of(
        list, [&](const model::Toleration& other) { return is_same(each, other); });
    if (!is_there) list.push_back(each);
  }
  if (list.size() != before) ds.template_fingerprint = 0;
  return {list.begin() + static_cast<std::ptrdiff_t>(before), list.end()};
}

Consequence consequence(Judged before, Judged after, placement::FeatureGates gates, bool restarts) {
  Consequence result;
  result.ns = after.report->ns;
  result.name = after.report->name;
  result.after = after.report->evaluated;
  result.is_new = before.ds == nullptr;
  result.is_active = !diagnosis::is_inactive(*after.ds);
  if (!result.is_new) result.before = before.report->evaluated;
  const bool new_template =
      !result.is_new && (restarts || before.ds->pod_template != after.ds->pod_template);
  std::vector<Place> places;
  places.reserve(after.report->nodes.size());
  for_each_node(*after.report, after.cluster, [&](const NodeReport& now, const model::Node& node) {
    const auto at = result.is_new ? std::nullopt : before.report->nodes.find(now.name);
    const auto then = at ? std::optional(at->verdict()) : std::nullopt;
    if (then != now.verdict()) result.flips.push_back({now.name, then, now});
    const bool was_eligible = at && placement::should_run(at->decision());
    const bool gained = !was_eligible && result.is_active && placement::should_run(now.decision());
    places.push_back({now, &node, now.decision(), gained});
  });
  result.settled = settle(*after.ds, places, after.cluster, gates, new_template);
  result.rolls = new_template && result.is_active && after.ds->update_strategy != "OnDelete";
  result.replaces_pods =
      result.rolls && (result.settled.replaced > 0 || !before.report->evaluated.nodes_known ||
                       !before.report->evaluated.pods_known);
  const Settled anyway = result.is_new ? Settled() : settled_without(before, gates);
  const std::size_t left_out = leave_out(result.settled.deletes, anyway.deletes, result.flips) +
                               leave_out(result.settled.ending, anyway.ending, result.flips);
  model::DaemonSetCounts& counts = result.after.counts;
  counts.current_number_scheduled = result.settled.current;
  counts.number_misscheduled = result.settled.misscheduled + static_cast<std::int64_t>(left_out);
  return result;
}

base::Result<Imagined> imagine(const WhatIf& what_if, const Pick& pick,
                               const diagnosis::Reporter& today,
                               const std::vector<const model::DaemonSet*>& asked) {
  const model::Cluster& before = today.cluster();
  auto after = with_changes(before, what_if);
  if (!after) return after.error();
  Imagined result{std::move(*after), {}, today.options(), {}};
  model::Cluster& cluster = result.cluster;
  Changed& changed = result.changed;
  std::vector<diagnosis::DaemonSetReport> reports;
  reports.reserve(asked.size());
  for (const model::DaemonSet* ds : asked) reports.push_back(today.report(*ds));
  result.daemon_sets = pick(cluster);
  const auto& daemon_sets = result.daemon_sets;
  std::vector<std::vector<model::Toleration>> tolerated;
  tolerated.reserve(daemon_sets.size());
  for (const model::DaemonSet* ds : daemon_sets) {
    const auto at = static_cast<std::size_t>(ds - cluster.daemon_sets.data());
    tolerated.push_back(tolerate(cluster.daemon_sets[at], what_if.tolerations));
  }
  const auto kept = std::make_shared<const Today>(before, cluster, std::move(reports));
  result.options.completes = [kept](diagnosis::DaemonSetReport& report) { kept->complete(report); };

  for (const model::DaemonSet& ds : what_if.daemon_sets) {
    changed.manifests.emplace_back(ds.meta.ns, ds.meta.name);
  }
  changed.without_causes = kept->without_causes();
  const diagnosis::Reporter then(cluster, result.options);
  std::vector<diagnosis::DaemonSetReport> verdicts;
  verdicts.reserve(daemon_sets.size());
  std::vector<std::pair<const model::DaemonSet*, const diagnosis::DaemonSetReport*>> pairs;
  for (std::size_t i = 0; i < daemon_sets.size(); ++i) {
    const model::DaemonSet& ds = *daemon_sets[i];
    const model::DaemonSet* old = same_object(before, ds);
    const auto was = old == nullptr ? diagnosis::DaemonSetReport() : today.verdicts(*old);
    verdicts.push_back(then.verdicts(ds));
    pairs.emplace_back(&ds, &verdicts.back());
    changed.consequences.push_back(
        consequence({old, &was, before}, {&ds, &verdicts.back(), cluster}, today.options().gates,
                    what_if.restarts && !ds.other_kind));
    changed.consequences.back().tolerated = std::move(tolerated[i]);
  }
  for (const model::Node& node : what_if.nodes) {
    const model::Node* added = model::find_node(cluster, node.meta.name);
    changed.added.push_back(diagnosis::load_of(cluster, *added, pairs));
  }
  for (const NodeEdit& edit : what_if.edits) {
    if (is_event(edit.kind)) changed.events.push_back(forecast_event(today, edit, asked));
  }
  if (what_if.restarts) {
    for (const model::DaemonSet* ds : asked) {
      if (!ds->other_kind) changed.paces.push_back(pace_of(today, *ds));
    }
  }
  const diagnosis::NodesOfPools of_pools(cluster);
  for (const model::NodeTemplate& each : what_if.templates) {
    changed.pools.push_back(
        diagnosis::forecast(cluster, of_pools, each, daemon_sets, today.options().gates));
  }
  return result;
}

std::string_view fate(const Consequence& of, const Flip& flip) {
  const auto is_in = [&](const std::vector<model::Text>& nodes) {
    return std::ranges::find(nodes, flip.node) != nodes.end();
  };
  if (is_in(of.settled.unconfirmed)) {
    return "its pod would be stuck Terminating, because the kubelet does not report";
  }
  if (is_in(of.settled.deletes)) return "its pod would be deleted";
  switch (flip.after.verdict()) {
    case NodeVerdict::Missing:
      return of.is_active ? "a pod would be created" : "the node would be eligible";
    case NodeVerdict::Removing: return of.is_active ? "its pod would be deleted" : "";
    case NodeVerdict::Misscheduled:
      return flip.before == NodeVerdict::Removing ? "its pod would not be evicted"
                                                  : "its pod would be misscheduled";
    case NodeVerdict::Excluded:
      return flip.before == NodeVerdict::Missing ? "the node would not be eligible" : "";
    case NodeVerdict::Running:
    case NodeVerdict::Pending:
    case NodeVerdict::NotReady:
    case NodeVerdict::Failed:
    case NodeVerdict::Duplicate:
    case NodeVerdict::Terminating: return "the node would be eligible";
    case NodeVerdict::Unknown:
    default: return "";
  }
}

}  // namespace dsdoctor::fixes
