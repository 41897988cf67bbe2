#include "advice/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "advice/template_change.h"
#include "base/edit_distance.h"
#include "base/glob.h"
#include "diagnosis/catalogue/catalogue.h"
#include "placement/label_selector.h"
#include "placement/namespace_selector.h"

namespace dsdoctor::advice {
namespace {

using diagnosis::NodeReport;
using diagnosis::NodeVerdict;

bool is_picked(const NodePick& pick, const model::Node& node) {
  if (!pick.glob.empty()) return base::matches_glob(pick.glob, node.meta.name);
  return std::ranges::all_of(pick.labels, [&](const auto& requirement) {
    return placement::satisfies(node.meta.labels, requirement);
  });
}

/// As `kubectl taint --overwrite` does: one taint of a key and effect.
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

/// Says whether anything was there to take away.
bool remove_taint(model::Node& node, const model::Taint& taint) {
  return std::erase_if(node.taints, [&](const model::Taint& other) {
           return other.key == taint.key && (taint.effect.empty() || other.effect == taint.effect);
         }) != 0;
}

bool remove_label(model::Node& node, const model::Text& key) {
  if (node.meta.labels.find(key) == nullptr) return false;
  std::vector<model::Labels::Entry> left;
  std::ranges::copy_if(node.meta.labels, std::back_inserter(left),
                       [&](const auto& entry) { return entry.first != key; });
  node.meta.labels = model::Labels(std::move(left));
  return true;
}

/// False where there was nothing to change.
bool edit_node(model::Node& node, const NodeEdit& edit) {
  switch (edit.kind) {
    case NodeEdit::Kind::Taint: add_taint(node, edit.taint); return true;
    case NodeEdit::Kind::Untaint: return remove_taint(node, edit.taint);
    case NodeEdit::Kind::Label: node.meta.labels.set(edit.key, edit.value); return true;
    case NodeEdit::Kind::Unlabel: return remove_label(node, edit.key);
    case NodeEdit::Kind::Cordon:
    default:
      node.unschedulable = true;
      add_taint(node, {"node.kubernetes.io/unschedulable", {}, model::effect::no_schedule});
      return true;
  }
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

/// As kubectl names it: `label "disk"`, `taint "dedicated:NoSchedule"`.
std::string removed_by(const NodeEdit& edit) {
  if (edit.kind == NodeEdit::Kind::Unlabel) return fmt::format("label \"{}\"", edit.key.view());
  const std::string_view colon = edit.taint.effect.empty() ? "" : ":";
  return fmt::format("taint \"{}{}{}\"", edit.taint.key.view(), colon, edit.taint.effect.view());
}

base::Status apply(model::Cluster& cluster, const NodeEdit& edit) {
  bool picked = false;
  bool changed = false;
  for (model::Node& node : cluster.nodes) {
    if (!is_picked(edit.nodes, node)) continue;
    picked = true;
    changed = edit_node(node, edit) || changed;
  }
  if (!picked) return no_such_node(edit.nodes, cluster);
  if (changed) return std::monostate();
  return base::Error{base::ErrorKind::NotFound, "",
                     fmt::format("{} not found on node {}", removed_by(edit), edit.nodes.text)};
}

auto place_of(model::Cluster& cluster, const model::DaemonSet& ds) {
  return std::ranges::lower_bound(cluster.daemon_sets,
                                  std::tuple(ds.meta.ns.view(), ds.meta.name.view()), {},
                                  [](const model::DaemonSet& other) {
                                    return std::tuple(other.meta.ns.view(), other.meta.name.view());
                                  });
}

/// As `kubectl apply` would: status and identity stay.
void apply(model::Cluster& cluster, model::DaemonSet ds) {
  const auto at = place_of(cluster, ds);
  ds.template_fingerprint = 0;
  const bool exists =
      at != cluster.daemon_sets.end() && at->meta.ns == ds.meta.ns && at->meta.name == ds.meta.name;
  if (!exists) {
    cluster.daemon_sets.insert(at, std::move(ds));
    return;
  }
  ds.reported = at->reported;
  ds.observed_generation = at->observed_generation;
  ds.generation = at->generation;
  model::ObjectMeta meta = at->meta;
  meta.labels = ds.meta.labels;
  ds.meta = std::move(meta);
  *at = std::move(ds);
}

const model::DaemonSet* find_daemon_set(const model::Cluster& cluster, const model::Text& ns,
                                        const model::Text& name) {
  const auto at = std::ranges::find_if(cluster.daemon_sets, [&](const model::DaemonSet& ds) {
    return ds.meta.ns == ns && ds.meta.name == name;
  });
  return at == cluster.daemon_sets.end() ? nullptr : &*at;
}

std::string full_name(const model::Text& ns, const model::Text& name) {
  return fmt::format("{}/{}", ns.view(), name.view());
}

bool differ_in_tolerations_at_most(model::PodTemplate then, const model::PodTemplate& now) {
  then.tolerations = now.tolerations;
  return then == now;
}

bool has_same_counts(const diagnosis::DaemonSetReport& then,
                     const diagnosis::DaemonSetReport& now) {
  const auto counts = [](const diagnosis::DaemonSetReport& report) {
    const model::DaemonSetCounts& of = report.evaluated.counts;
    return std::tuple(report.all_nodes, of.desired_number_scheduled, of.current_number_scheduled,
                      of.number_misscheduled, of.number_ready);
  };
  return counts(then) == counts(now);
}

/// What becomes of a DaemonSet where nothing is different.
Settled settled_without(const Judged& before, placement::FeatureGates gates) {
  std::vector<Place> places;
  places.reserve(before.report->nodes.size());
  for_each_node(*before.report, before.cluster,
                [&](const NodeReport& node, const model::Node& object) {
                  places.push_back({node, &object, node.decision(), false});
                });
  return settle(*before.ds, places, before.cluster, gates, false);
}

/// Nodes whose pod goes `anyway`, and how many; not where the verdict changes, which is to be
/// explained.
std::size_t leave_out(std::vector<model::Text>& nodes, const std::vector<model::Text>& anyway,
                      const std::vector<Flip>& flips) {
  return std::erase_if(nodes, [&](const model::Text& node) {
    return std::ranges::find(anyway, node) != anyway.end() &&
           std::ranges::find(flips, node, &Flip::node) == flips.end();
  });
}

/// What is wrong with the DaemonSet as such, whatever its tolerations are. Remarks on its settings
/// hold them against all nodes, which are others now.
bool rests_on_objects(const diagnosis::Finding& finding) {
  using enum diagnosis::FindingId;
  return finding.severity != diagnosis::Severity::Info &&
         !is_any_of(finding.id, {TolerationComparisonGate, TolerationDead, TolerationOldMasterKey,
                                 TolerationSecondsLoop, TolerationTooBroad});
}

/// How many nodes are eligible or have a pod decides whether it is said, and how.
bool rests_on_counts(diagnosis::FindingId id) {
  using enum diagnosis::FindingId;
  return is_any_of(id, {DaemonsetFewerThanNodes, DaemonsetNoEligibleNode, DaemonsetNoneRunning,
                        DaemonsetStatusInconsistent, RolloutBudget, RolloutStuck, RolloutSurge});
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

/// Nobody has to act for it.
diagnosis::Finding would_be_created() {
  diagnosis::Finding result = diagnosis::make_finding(diagnosis::FindingId::NodeNewlyEligible,
                                                      "a pod would be created", {});
  result.standing = diagnosis::Standing::Primary;
  result.transient = true;
  return result;
}

/// By states of nodes: the same with other findings.
using OtherStates = std::map<std::uint32_t, std::uint32_t>;

/// Of the node at `at`: with these findings.
void say(diagnosis::NodeReports& nodes, std::size_t at, OtherStates& known,
         const std::vector<diagnosis::Finding>& findings) {
  const std::uint32_t before = nodes.state_of(at);
  const auto [entry, is_new] = known.try_emplace(before);
  if (is_new) {
    diagnosis::NodeState state = *nodes.states()[before].state;
    state.findings = findings;
    entry->second = nodes.add_state(std::move(state));
  }
  nodes.set(at, entry->second);
}

/// The node's verdict is as it was, and so is all that it rests on.
bool is_as_it_was(const NodeReport& then, const NodeReport& now) {
  return then.verdict() == now.verdict() && then.decision() == now.decision() &&
         then.reasons() == now.reasons() && then.pods() == now.pods();
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
  for (const model::DaemonSet& ds : what_if.daemon_sets) apply(result, ds);
  placement::set_namespace_selectors(result);
  return result;
}

void tolerate(model::Cluster& cluster, const std::vector<model::Toleration>& tolerations,
              const std::vector<const model::DaemonSet*>& daemon_sets) {
  for (const model::DaemonSet* picked : daemon_sets) {
    model::DaemonSet& ds =
        cluster.daemon_sets[static_cast<std::size_t>(picked - cluster.daemon_sets.data())];
    auto& list = ds.pod_template.tolerations;
    list.insert(list.end(), tolerations.begin(), tolerations.end());
    ds.template_fingerprint = 0;
  }
}

Consequence consequence(Judged before, Judged after, placement::FeatureGates gates) {
  Consequence result;
  result.ns = after.report->ns;
  result.name = after.report->name;
  result.after = after.report->evaluated;
  result.is_new = before.ds == nullptr;
  if (!result.is_new) result.before = before.report->evaluated;
  const bool new_template = !result.is_new && before.ds->pod_template != after.ds->pod_template;
  result.replaces_pods = new_template && after.ds->update_strategy != "OnDelete";
  std::vector<Place> places;
  places.reserve(after.report->nodes.size());
  for_each_node(*after.report, after.cluster, [&](const NodeReport& now, const model::Node& node) {
    const auto at = result.is_new ? std::nullopt : before.report->nodes.find(now.name);
    const auto then = at ? std::optional(at->verdict()) : std::nullopt;
    if (then != now.verdict()) result.flips.push_back({now.name, then, now});
    const bool was_eligible = at && placement::should_run(at->decision());
    const bool gained = !was_eligible && placement::should_run(now.decision());
    places.push_back({now, &node, now.decision(), gained});
  });
  result.settled = settle(*after.ds, places, after.cluster, gates, new_template);
  const Settled anyway = result.is_new ? Settled() : settled_without(before, gates);
  const std::size_t left_out = leave_out(result.settled.deletes, anyway.deletes, result.flips) +
                               leave_out(result.settled.ending, anyway.ending, result.flips);
  model::DaemonSetCounts& counts = result.after.counts;
  counts.current_number_scheduled = result.settled.current;
  counts.number_misscheduled = result.settled.misscheduled + static_cast<std::int64_t>(left_out);
  return result;
}

Today::Today(const model::Cluster& before, const model::Cluster& after,
             std::vector<diagnosis::DaemonSetReport> reports) {
  for (const model::Node& node : after.nodes) {
    const model::Node* then = model::find_node(before, node.meta.name);
    if (then == nullptr) new_nodes_.insert(node.meta.name.str());
    if (then == nullptr || *then != node) changed_nodes_.insert(node.meta.name.str());
  }
  for (const model::DaemonSet& ds : after.daemon_sets) {
    if (find_daemon_set(before, ds.meta.ns, ds.meta.name) == nullptr) {
      new_daemon_sets_.insert(full_name(ds.meta.ns, ds.meta.name));
    }
  }
  for (diagnosis::DaemonSetReport& report : reports) {
    const model::DaemonSet* then = find_daemon_set(before, report.ns, report.name);
    const model::DaemonSet* now = find_daemon_set(after, report.ns, report.name);
    if (then == nullptr || now == nullptr) continue;
    if (!differ_in_tolerations_at_most(then->pod_template, now->pod_template)) {
      without_causes_.push_back(full_name(report.ns, report.name));
    }
    reports_.push_back(std::move(report));
  }
  std::ranges::sort(without_causes_);
}

void Today::complete(diagnosis::DaemonSetReport& report) const {
  const auto then = std::ranges::find_if(reports_, [&](const auto& other) {
    return other.ns == report.ns && other.name == report.name;
  });
  const diagnosis::DaemonSetReport* today = then == reports_.end() ? nullptr : &*then;
  const std::string name = full_name(report.ns, report.name);
  const bool holds_on = today != nullptr && !std::ranges::binary_search(without_causes_, name);
  report.findings.clear();
  keep_causes(report, holds_on ? today : nullptr);
  if (holds_on) keep_findings(report, *today);
  if (today != nullptr || new_daemon_sets_.contains(name)) add_created(report, today);
}

void Today::add_created(diagnosis::DaemonSetReport& report,
                        const diagnosis::DaemonSetReport* today) const {
  OtherStates created;
  const std::vector<diagnosis::Finding> findings = {would_be_created()};
  for (std::size_t i = 0; i < report.nodes.size(); ++i) {
    const NodeReport node = report.nodes[i];
    if (node.verdict() != NodeVerdict::Missing) continue;
    const auto at = today == nullptr ? std::nullopt : today->nodes.find(node.name);
    const bool was_out = at ? !placement::should_run(at->decision())
                            : today == nullptr || new_nodes_.contains(node.name.view());
    if (was_out) say(report.nodes, i, created, findings);
  }
}

void Today::keep_causes(diagnosis::DaemonSetReport& report,
                        const diagnosis::DaemonSetReport* today) const {
  OtherStates silent;
  for (std::size_t i = 0; i < report.nodes.size(); ++i) {
    const NodeReport node = report.nodes[i];
    const auto at = today == nullptr ? std::nullopt : today->nodes.find(node.name);
    const bool same = at && is_as_it_was(*at, node);
    // Why a node is not eligible is in its reasons; what hinders a pod may be what was changed.
    const bool is_judged_anew =
        placement::should_run(node.decision()) && changed_nodes_.contains(node.name.view());
    if (same && !is_judged_anew) {
      report.nodes.set(i, at->state);
    } else if (!same && !(at && node.verdict() == NodeVerdict::Misscheduled)) {
      say(report.nodes, i, silent, {});
    }
  }
}

void Today::keep_findings(diagnosis::DaemonSetReport& report,
                          const diagnosis::DaemonSetReport& today) {
  const bool same_counts = has_same_counts(today, report);
  std::ranges::copy_if(
      today.findings, std::back_inserter(report.findings), [&](const diagnosis::Finding& finding) {
        return rests_on_objects(finding) && (same_counts || !rests_on_counts(finding.id));
      });
}

base::Result<Changed> imagine(const WhatIf& what_if, const Pick& pick, Subject subject) {
  auto& [cluster, daemon_sets, reporter] = subject;
  auto imagined = with_changes(cluster, what_if);
  if (!imagined) return imagined.error();
  std::vector<diagnosis::DaemonSetReport> today;
  today.reserve(daemon_sets.size());
  for (const model::DaemonSet* ds : daemon_sets) today.push_back(reporter->report(*ds));
  daemon_sets = pick(*imagined);
  tolerate(*imagined, what_if.tolerations, daemon_sets);

  struct Was {
    const model::DaemonSet* ds;  // null: not there yet
    diagnosis::DaemonSetReport report;
  };
  std::vector<Was> was;
  was.reserve(daemon_sets.size());
  for (const model::DaemonSet* ds : daemon_sets) {
    const model::DaemonSet* old = find_daemon_set(cluster, ds->meta.ns, ds->meta.name);
    was.push_back({old, old == nullptr ? diagnosis::DaemonSetReport() : reporter->verdicts(*old)});
  }
  // What `was` and `daemon_sets` point to stays where it is.
  const model::Cluster before = std::exchange(cluster, std::move(*imagined));
  diagnosis::ReportOptions options = reporter->options();
  const auto kept = std::make_shared<const Today>(before, cluster, std::move(today));
  options.completes = [kept](diagnosis::DaemonSetReport& report) { kept->complete(report); };
  reporter = std::make_unique<diagnosis::Reporter>(cluster, std::move(options));

  Changed result;
  result.without_causes = kept->without_causes();
  std::vector<diagnosis::DaemonSetReport> reports;
  reports.reserve(daemon_sets.size());
  std::vector<std::pair<const model::DaemonSet*, const diagnosis::DaemonSetReport*>> pairs;
  for (std::size_t i = 0; i < daemon_sets.size(); ++i) {
    const model::DaemonSet& ds = *daemon_sets[i];
    const auto& [old, report] = was[i];
    reports.push_back(reporter->verdicts(ds));
    pairs.emplace_back(&ds, &reports.back());
    result.consequences.push_back(consequence(
        {old, &report, before}, {&ds, &reports.back(), cluster}, reporter->options().gates));
  }
  for (const model::Node& node : what_if.nodes) {
    const model::Node* added = model::find_node(cluster, node.meta.name);
    result.added.push_back(diagnosis::load_of(cluster, *added, pairs));
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
    case NodeVerdict::Missing: return "a pod would be created";
    case NodeVerdict::Removing: return "its pod would be deleted";
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

}  // namespace dsdoctor::advice
