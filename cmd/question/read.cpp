// SPDX-License-Identifier: Apache-2.0
#include "question/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/printable.h"
#include "diagnosis/gates.h"
#include "diagnosis/needs.h"
#include "diagnosis/problems/placement_cause.h"
#include "placement/namespace_selector.h"
#include "question/named.h"
#include "question/other_pod.h"
#include "question/what_if.h"

namespace dsdoctor::cmd {
namespace {

bool is_one_node(const std::vector<ObjectName>& names) {
  return names.size() == 1 && names.front().type == ObjectType::Node;
}

/// Reports whether the manifest's DaemonSets are selected: with --manifest and no names.
bool asks_about_manifest(const Request& request) {
  return request.asked.scope.names.empty() && request.asked.input.selector.text.empty() &&
         !request.asked.input.source.connection.all_namespaces &&
         !request.changes.daemon_sets.empty();
}

/// The query for `names` in `ns`.
source::Query query_for(const Request& request, const std::vector<ObjectName>& names,
                        const std::string& ns, bool one_node) {
  source::Query query;
  query.ns = ns;
  for (const ObjectName& name : names) {
    if (name.type != ObjectType::Node) query.names.push_back(name.name);
  }
  if (asks_about_manifest(request)) {
    query.ns = common_namespace(request.changes.daemon_sets);
    for (const auto& ds : request.changes.daemon_sets) query.names.push_back(ds.meta.name.str());
  }
  query.selector = request.asked.input.selector.text;
  query.pods = request.reads.pods;
  query.templates = request.templates;
  if (one_node && request.changes.empty()) query.node = names.front().name;
  query.revisions = request.reads.revisions;
  return query;
}

/// A pod that no DaemonSet owns, and the snapshot with which it was found: everything if the source
/// has no more.
struct OtherPod {
  const Meant& meant;
  source::Snapshot loaded;
};

/// Reads the objects that can explain the pod: the DaemonSet that provides something that it waits
/// for, else its node. Sets `query` and the scope of `into`, and prints a note on stderr.
/// Errors: NotFound for a pod that is not bound and waits for nothing that a DaemonSet provides.
base::Result<source::Snapshot> load_for_other_pod(source::ClusterSource& source,
                                                  const Request& request, OtherPod pod,
                                                  Reading& into, source::Query& query,
                                                  Context& ctx) {
  const ObjectName node{ObjectType::Node, pod.meant.node, true};
  query = query_for(request, {node}, "", !pod.meant.node.empty());
  base::Result<source::Snapshot> snapshot = std::move(pod.loaded);
  if (source.has_more()) {
    snapshot = source.load(query);
    if (!snapshot) return snapshot;
    model::DetailQuery events;
    events.pod_event_namespaces.insert(pod.meant.ns);
    source.load_details(*snapshot, events);
  } else {
    query.node.clear();
  }
  auto lead = lead_of(pod.meant, snapshot->cluster);
  if (!lead) return lead.error();
  ctx.err << "note: " << base::shortened_line(lead->note) << "\n";
  into.scope.names = {lead->object};
  if (lead->object.type == ObjectType::Node) {
    into.one_node = true;
    return snapshot;
  }
  query.ns = lead->ns;
  query.names = {lead->object.name};
  if (into.scope.nodes.empty() && !lead->node.empty()) into.scope.nodes = {lead->node};
  return snapshot;
}

/// Reads the selected objects, and sets `query`. If the only name refers to another object, sets
/// that DaemonSet or node in `into` and prints a note on stderr.
base::Result<source::Snapshot> load_asked(source::ClusterSource& source, const Request& request,
                                          Reading& into, source::Query& query, Context& ctx) {
  ScopeOptions& scope = into.scope;
  query = query_for(request, scope.names, request.ns, into.one_node);
  if (!source.has_more()) query.node.clear();  // files are read completely
  const bool follows = request.reads.follows && scope.names.size() == 1 && !query.names.empty();
  if (!follows) return source.load(query);
  const ObjectName name = scope.names.front();
  query.pod_names = name.type == ObjectType::Pod ? source::Query::PodNames::All
                                                 : source::Query::PodNames::Perhaps;
  auto snapshot = source.load(query);
  if (!snapshot) return snapshot;
  const auto meant = meant_by(name, query.ns, snapshot->cluster);
  if (!meant) return meant.error();
  if (meant->note.empty()) return snapshot;
  if (meant->object.type == ObjectType::Pod) {
    return load_for_other_pod(source, request, {*meant, std::move(*snapshot)}, into, query, ctx);
  }
  ctx.err << "note: " << base::shortened_line(meant->note) << "\n";
  scope.names = {meant->object};
  if (meant->object.type == ObjectType::DaemonSet) {
    query.ns = meant->ns;
    query.names = {meant->object.name};
    const bool there = model::find_node(snapshot->cluster, meant->node) != nullptr;
    if (scope.nodes.empty() && there) scope.nodes = {meant->node};
    return snapshot;
  }
  into.one_node = true;
  const SourceOptions& given = request.asked.input.source;
  query = query_for(request, scope.names, looked_at(given, given.connection.ns), true);
  if (source.has_more()) return source.load(query);
  query.node.clear();
  return snapshot;
}

std::optional<bool> given_gate(const Request& request) {
  return request.asked.rules.feature_gates.value.taint_toleration_comparison_operators;
}

diagnosis::ReportOptions report_options(const Request& request, const source::Query& query,
                                        const source::Snapshot& snapshot, const Context& ctx) {
  diagnosis::ReportOptions options;
  options.named = !query.names.empty();
  options.ahead = request.reads.ahead;
  options.pods_of_node = query.node;
  options.taints = &request.taints;
  // A snapshot keeps the time at which it was read, files have their own time, and the demo a fixed
  // one.
  const model::SourceInfo& info = snapshot.info;
  options.now = info.kind == "cluster" && !info.as_of ? ctx.now() : info.moment();
  // The newest time in files without events can be much older than the files.
  options.is_now_earliest = info.kind == "files" && info.as_of && !request.asked.input.now.value &&
                            !snapshot.cluster.known.events && snapshot.cluster.events.empty();
  diagnosis::set_gates(snapshot.cluster, given_gate(request), options);
  return options;
}

DaemonSetChoice choice_of(const Request& request, const source::Query& query) {
  DaemonSetChoice choice{query.ns, query.names, request.asked.input.selector.value};
  if (asks_about_manifest(request)) {  // its names may also exist in other namespaces
    for (const model::DaemonSet& ds : request.changes.daemon_sets) {
      choice.full_names.emplace(ds.meta.ns.str(), ds.meta.name.str());
    }
  }
  choice.ignore_not_found = request.asked.scope.ignore_not_found;
  choice.address = request.address;
  return choice;
}

/// Updates the derived data after each read.
void settle(Reading& reading) {
  source::Snapshot& snapshot = reading.snapshot;
  placement::set_namespace_selectors(snapshot.cluster);
  Picked picked = pick_daemon_sets(snapshot.cluster, reading.choice, snapshot);
  reading.daemon_sets = std::move(picked.daemon_sets);
  reading.not_found = std::move(picked.not_found);
}

/// The error for a namespace that does not exist. Reads the Namespace only if no object of it was
/// read and no name was given.
std::optional<base::Error> missing_namespace(Reading& reading, source::ClusterSource& source) {
  const std::string& ns = reading.choice.ns;
  const bool names_none = std::ranges::all_of(
      reading.scope.names, [](const auto& name) { return name.type == ObjectType::Node; });
  const bool asked_for_all = !ns.empty() && names_none;
  if (!asked_for_all || !reading.daemon_sets.empty() || reading.scope.ignore_not_found) return {};
  source::Snapshot& snapshot = reading.snapshot;
  auto not_found = namespace_not_found(snapshot.cluster, ns);
  if (not_found && source.has_more()) {
    const std::size_t omissions = snapshot.omissions.size();
    model::DetailQuery query;
    query.namespaces.insert(ns);
    source.load_details(snapshot, query);
    for (std::size_t i = omissions; i < snapshot.omissions.size(); ++i) {
      snapshot.omissions[i].consequence = unread_namespace_text(ns);
    }
    reading.ns_unread = !snapshot.cluster.known.namespaces;
    if (reading.ns_unread) return {};
    not_found = namespace_not_found(snapshot.cluster, ns);
  }
  return not_found;
}

/// Reports whether the answer includes resource usage: it does for one node and for added nodes.
bool tells_the_cost(const Reading& reading, const Request& request) {
  return request.reads.pods && (is_one_node(reading.scope.names) || !request.changes.nodes.empty());
}

/// Null: every node.
std::function<bool(const model::Node&)> asked_nodes(const Reading& reading) {
  const std::vector<ObjectName>& names = reading.scope.names;
  if (is_one_node(names)) {
    return [name = names[0].name](const model::Node& node) { return node.meta.name == name; };
  }
  const auto filter = node_filter(reading.scope, reading.snapshot);
  return filter ? *filter : nullptr;  // errors of the filter are reported when the answer is made
}

/// Adds the pods and budgets that decide what kubectl drain does.
void add_needs_of_drains(const model::Cluster& cluster, const fixes::WhatIf& changes,
                         model::DetailQuery& needs) {
  constexpr std::size_t most_nodes = 50;
  for (const fixes::NodeEdit& edit : changes.edits) {
    if (edit.kind != fixes::NodeEdit::Kind::Drain) continue;
    const auto nodes = fixes::picked_nodes(cluster, edit.nodes);
    if (nodes.size() > most_nodes) continue;  // the answer says that it is not known
    for (const std::size_t at : nodes)
      needs.crowded_nodes.insert(cluster.nodes[at].meta.name.str());
    needs.disruption_budgets = true;
  }
}

/// The data that explains the problems; empty if the DaemonSets are healthy.
model::DetailQuery needs_of_answer(const Reading& reading, const Request& request) {
  const model::Cluster& cluster = reading.snapshot.cluster;
  const auto& daemon_sets = reading.daemon_sets;
  const diagnosis::Reporter judge(cluster, reading.judged_by);  // of the data read so far
  std::vector<diagnosis::DaemonSetReport> reports;
  reports.reserve(daemon_sets.size());
  for (const auto* ds : daemon_sets) reports.push_back(judge.verdicts(*ds));
  const diagnosis::NeedOptions options = {reading.judged_by.now, asked_nodes(reading)};
  model::DetailQuery needs = request.reads.everything
                                 ? diagnosis::everything_about(cluster, daemon_sets, reports)
                                 : diagnosis::needs_of(cluster, daemon_sets, reports, options);
  // The cost of pods that do not exist yet includes the defaults that admission adds.
  for (const model::DaemonSet* ds : daemon_sets) {
    if (!tells_the_cost(reading, request)) break;
    const model::Text& runtime_class = ds->pod_template.spec.runtime_class;
    if (!runtime_class.empty()) needs.runtime_classes.insert(runtime_class.str());
    needs.admission_namespaces.insert(ds->meta.ns.str());
  }
  add_needs_of_drains(cluster, request.changes, needs);
  if (request.reads.history) {
    diagnosis::add_history_of(cluster, daemon_sets, reports, options, needs);
    for (const ObjectName& name : reading.scope.names) {
      if (name.type == ObjectType::Node) needs.node_events.insert(name.name);
    }
  }
  return needs;
}

/// Whether an event could explain why a pod is missing on one of the nodes in this state.
bool lacks_cause_of_missing_pod(const diagnosis::NodeReports::Use& use) {
  if (use.nodes == 0 || use.state->verdict != diagnosis::NodeVerdict::Missing) return false;
  const diagnosis::Finding* cause = diagnosis::cause_of(*use.state);
  return cause == nullptr || cause->id == diagnosis::FindingId::CreateSilent ||
         cause->id == diagnosis::FindingId::NodeNewlyEligible;
}

/// Adds the omission for files without events if pods are missing for a reason that is not known.
void add_missing_events(Reading& reading) {
  source::Snapshot& snapshot = reading.snapshot;
  if (snapshot.cluster.known.events || !snapshot.cluster.events.empty()) return;
  const auto is_of_events = [](const auto& omission) { return omission.resource == "events"; };
  if (std::ranges::any_of(snapshot.omissions, is_of_events)) return;
  const diagnosis::Reporter judge(snapshot.cluster, reading.judged_by);
  diagnosis::ReportOptions options = judge.options();
  options.selects = asked_nodes(reading);
  const bool lacks_causes = std::ranges::any_of(reading.daemon_sets, [&](const auto* ds) {
    const auto verdicts = judge.verdicts(*ds, options.selects);
    if (verdicts.nodes.count(diagnosis::NodeVerdict::Missing) == 0) return false;
    const diagnosis::DaemonSetReport report = judge.report(*ds, options);
    return std::ranges::any_of(report.nodes.states(), lacks_cause_of_missing_pod);
  });
  if (!lacks_causes) return;
  snapshot.omissions.insert(snapshot.omissions.begin(),
                            {"events", "", "NotInInput", "the input has no events",
                             "why pods are not created may be unknown; add the output of: kubectl "
                             "get events -A -o json"});
}

}  // namespace

base::Result<Reading> read(source::ClusterSource& source, const Request& request, Context& ctx) {
  Reading result;
  result.scope = request.asked.scope;
  result.one_node = request.reads.follows && is_one_node(request.asked.scope.names);
  source::Query query;
  auto snapshot = load_asked(source, request, result, query, ctx);
  if (!snapshot) return snapshot.error();
  result.snapshot = std::move(*snapshot);
  // Data that the command does not need is not an omission.
  std::erase_if(result.snapshot.omissions, [&](const model::Omission& omission) {
    return (!query.pods && omission.resource == "pods") ||
           (!query.revisions && omission.resource == "controllerrevisions");
  });
  if (request.asked.input.now.value) result.snapshot.info.as_of = request.asked.input.now.value;
  result.judged_by = report_options(request, query, result.snapshot, ctx);
  // Reports refer to the user's own taints, which are read again for each state.
  diagnosis::KeptReports* const kept = request.reads.kept;
  const bool may_keep =
      kept != nullptr && &request.taints == &diagnosis::TaintCatalogue::built_in();
  if (may_keep) {
    kept->advance(result.snapshot.changes, result.judged_by.gates, result.judged_by.now);
    result.judged_by.kept = kept;
  }
  result.choice = choice_of(request, query);
  settle(result);
  const bool as_it_is = request.changes.empty();
  if (auto missing = missing_namespace(result, source); missing && as_it_is) return *missing;
  if (!source.has_more()) {
    if (as_it_is && request.reads.events) add_missing_events(result);
    return result;
  }
  const bool found_none = result.daemon_sets.empty() && !result.not_found.empty();
  if (found_none && as_it_is) return result;
  if (!as_it_is) {  // report invalid changes before more is read
    const auto possible = fixes::with_changes(result.snapshot.cluster, request.changes);
    if (!possible) return possible.error();
  }
  source.load_details(result.snapshot, needs_of_answer(result, request));
  diagnosis::set_gates(result.snapshot.cluster, given_gate(request), result.judged_by);
  if (may_keep) {
    kept->advance({.everything = result.snapshot.changes.everything}, result.judged_by.gates,
                  result.judged_by.now);
  }
  auto not_found = std::move(result.not_found);  // its hints must cover only the selected objects
  settle(result);
  result.not_found = std::move(not_found);
  return result;
}

std::string unread_namespace_text(std::string_view ns) {
  return fmt::format("whether namespace {} exists is unknown", ns);
}

}  // namespace dsdoctor::cmd
