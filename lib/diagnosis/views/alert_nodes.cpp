// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/views/alert_nodes.h"

#include <algorithm>
#include <chrono>

#include "diagnosis/controller/controller_behaviour.h"
#include "diagnosis/evidence/attribution.h"
#include "diagnosis/evidence/daemon_pods.h"
#include "diagnosis/evidence/node_state.h"
#include "diagnosis/problems/placement_cause.h"
#include "diagnosis/report/cases.h"
#include "diagnosis/report/departure.h"
#include "diagnosis/taints/taint_knowledge.h"
#include "model/release.h"

namespace dsdoctor::diagnosis {
namespace {

using MaybeTime = model::OptionalTime;

/// Limit of the Kubernetes API; malformed input may have more.
constexpr std::int64_t longest_seconds = std::int64_t{1} << 31;

MaybeTime latest(MaybeTime a, MaybeTime b) { return !a ? b : !b ? a : std::max(a, b); }

bool is_outdated(const NodeReport& report) {
  return std::ranges::any_of(report.pods(), &PodReport::outdated);
}
bool is_unavailable(const NodeReport& report) {
  return !report.pods().empty() && !report.pods().front().available;
}

/// Whether and how a taint is removed without action. `known` may be null.
Clearing clearing_of(const model::KnownTaint* known, bool node_is_well) {
  if (known == nullptr) return Clearing::Nothing;
  switch (known->lifecycle) {
    case model::TaintLifecycle::Leaving: return Clearing::NodeGone;
    case model::TaintLifecycle::Transient:
    case model::TaintLifecycle::UntilReady:
    case model::TaintLifecycle::Maintenance:
      return node_is_well ? Clearing::TaintGone : Clearing::NodeWell;
    case model::TaintLifecycle::Permanent:
    case model::TaintLifecycle::Unknown: return Clearing::Nothing;
  }
  return Clearing::NotKnown;
}

}  // namespace

IdlePods idle_pods(const model::Cluster& cluster, std::string_view ns) {
  IdlePods result;
  for (const model::Pod& pod : cluster.pods) {
    if (pod.meta.ns != ns || (is_bound(pod) && !is_terminal(pod))) continue;
    result.emplace(pod.meta.name, &pod);
  }
  return result;
}

AlertNode::AlertNode(Alert alert, const model::DaemonSet& ds, const NodeReport& report,
                     const Facts& facts, const IdlePods& idle)
    : alert_(alert),
      ds_(ds),
      report_(report),
      facts_(facts),
      idle_(idle),
      node_(model::find_node(facts.cluster(), report.name)) {}

bool AlertNode::is_misplaced() const {
  return report_.verdict() == NodeVerdict::Misscheduled ||
         report_.verdict() == NodeVerdict::Removing;
}

bool AlertNode::contributes() const {
  const bool missing = report_.verdict() == NodeVerdict::Missing;
  switch (alert_) {
    case Alert::NotScheduled: return missing;
    case Alert::MisScheduled: return is_misplaced();
    case Alert::RolloutStuck:
      if (missing || is_misplaced()) return true;
      return placement::should_run(report_.decision()) &&
             (is_unavailable(report_) || is_outdated(report_));
  }
  return false;
}

MaybeTime AlertNode::since() const {
  if (report_.verdict() == NodeVerdict::Missing) return missing_since();
  if (is_misplaced()) return misplaced_since();
  if (is_unavailable(report_)) return unwell_since();
  return outdated_since();
}

std::vector<const model::Pod*> AlertNode::pods() const {
  std::vector<const model::Pod*> result;
  for (const model::Pod* pod : facts_.pods_on(report_.name)) {
    if (pod->meta.ns != ds_.meta.ns) continue;
    if (std::ranges::find(report_.pods(), pod->meta.name, &PodReport::name) !=
        report_.pods().end()) {
      result.push_back(pod);
    }
  }
  for (const PodReport& each : report_.pods()) {
    const auto pod = idle_.find(each.name);
    if (pod != idle_.end()) result.push_back(pod->second);
  }
  return result;
}

/// An upper bound: the latest time of anything that could have made the node eligible or removed
/// the pod, and not before the oldest events. Absent if the time of the last status write is known:
/// it is the better bound.
MaybeTime AlertNode::missing_since() const {
  if (node_ == nullptr || !facts_.cluster().known.events || status_written(ds_)) {
    return std::nullopt;
  }
  if (!ds_.meta.created || !node_->meta.created) return std::nullopt;
  MaybeTime result = std::max(
      {*ds_.meta.created, *node_->meta.created, model::Time(facts_.now() - threshold::events)});
  const model::Condition* ready = model::find_condition(node_->conditions, "Ready");
  if (ready != nullptr) result = latest(result, ready->last_transition);
  if (const auto writer = spec_writer(ds_.meta)) result = latest(result, writer->not_later_than);
  if (const auto writer = taints_writer(*node_)) result = latest(result, writer->not_later_than);
  // Events do not always name the node of a deleted pod.
  for (const model::Event* event :
       facts_.events_of("DaemonSet", ds_.meta.ns, ds_.meta.name, ds_.meta.uid)) {
    if (event->reason != "FailedCreate") result = latest(result, event->last);
  }
  for (const model::Event* event :
       facts_.events_of_generated_pods(ds_.meta.ns, ds_.meta.name.str() + "-")) {
    if (event->reason == "Killing") result = latest(result, event->last);
  }
  return result;
}

/// The time when the first of the taints was added, or the pod created, if later. Absent since
/// Kubernetes 1.33, whose controller does not update status when a taint is added.
MaybeTime AlertNode::misplaced_since() const {
  const model::ClusterRelease& of = facts_.release();
  if (node_ == nullptr || of.source != model::ReleaseSource::Server ||
      applies(model::ReleaseRule::NodeChangesMayLeaveStatusStale, of.release)) {
    return std::nullopt;
  }
  const auto first = untolerated_since(report_, *node_);
  MaybeTime oldest;
  for (const model::Pod* pod : pods()) {
    if (pod->meta.created && (!oldest || *pod->meta.created < *oldest)) oldest = pod->meta.created;
  }
  return first && oldest ? std::max(MaybeTime(first->time), oldest) : std::nullopt;
}

MaybeTime AlertNode::unwell_since() const {
  const auto on_node = pods();
  if (on_node.empty()) return std::nullopt;
  MaybeTime result;
  for (const model::Pod* pod : on_node) {
    const auto ready = model::find_condition(pod->conditions, "Ready");
    const MaybeTime changed = ready != nullptr ? ready->last_transition : pod->meta.created;
    if (!changed) return std::nullopt;
    result = latest(result, changed);
  }
  return result;
}

/// An upper bound for the creation of the current template: the newest change of the spec.
MaybeTime AlertNode::outdated_since() const {
  const auto writer = spec_writer(ds_.meta);
  return writer ? writer->not_later_than : std::nullopt;
}

NodeClearing AlertNode::clearing() const {
  const Finding* cause = cause_of(report_);
  if (cause != nullptr && action_of(*cause) == Action::Overdue) return {Clearing::Nothing};
  if (is_misplaced()) return clearing_of_misplaced();
  if (ds_.update_strategy == "OnDelete" && is_outdated(report_) && !is_unavailable(report_)) {
    return {Clearing::Nothing};
  }
  return clearing_by_findings();
}

NodeClearing AlertNode::clearing_of_misplaced() const {
  if (node_ != nullptr && node_->meta.deleted) return clearing_of_leaving();
  const auto on_node = pods();
  const bool all_going =
      !report_.pods().empty() && std::ranges::all_of(report_.pods(), &PodReport::terminating);
  if (all_going) {
    NodeClearing result{clearing_of_deletion(on_node)};
    if (result.how != Clearing::PodGone) return result;
    for (const model::Pod* pod : on_node) result.about = latest(result.about, pod->meta.deleted);
    return result;
  }
  if (report_.verdict() == NodeVerdict::Removing) return {clearing_of_deletion({})};
  Clearing result = Clearing::Passing;
  const bool node_is_well = node_ != nullptr && condition_is(*node_, "Ready", "True") != nullptr;
  bool leaving = false;
  for (const model::KnownTaint* known : report_.known()) {
    const Clearing how = clearing_of(known, node_is_well);
    // All taints disappear with the node.
    leaving = leaving || how == Clearing::NodeGone;
    result = std::max(result, how);
  }
  if (leaving) return clearing_of_leaving();
  return {result == Clearing::Passing ? Clearing::NotKnown : result};
}

/// The kubelet has to confirm the end of the pods, and their finalizers have to be removed.
Clearing AlertNode::clearing_of_deletion(const std::vector<const model::Pod*>& deleted) const {
  if (node_ != nullptr && is_kubelet_out(*node_)) return Clearing::NodeWell;
  const bool all_end = std::ranges::all_of(
      deleted, [&](const model::Pod* pod) { return ends_by_itself(*pod, node_, facts_); });
  return all_end ? Clearing::PodGone : Clearing::Nothing;
}

/// A drain waits for the grace periods of all pods, which deletionTimestamp includes.
NodeClearing AlertNode::clearing_of_leaving() const {
  if (node_ != nullptr && is_departure_overdue(*node_, facts_)) return {Clearing::Nothing};
  NodeClearing result{Clearing::NodeGone};
  result.knows_all_pods = facts_.has_every_pod_on(report_.name);
  MaybeTime last_deletion;
  bool all_deleted = true;
  for (const model::Pod* pod : facts_.pods_on(report_.name)) {
    // Static pods do not delay a drain; neither do DaemonSet pods (below).
    if (pod->mirror) continue;
    const std::int64_t grace =
        std::clamp<std::int64_t>(pod->spec->grace_seconds.value_or(30), 0, longest_seconds);
    result.longest_grace = std::max(result.longest_grace, std::optional(grace));
    if (pod->meta.controller && model::is_daemon_set(*pod->meta.controller)) continue;
    last_deletion = latest(last_deletion, pod->meta.deleted);
    all_deleted = all_deleted && pod->meta.deleted.has_value();
  }
  // A time in the past is not an estimate.
  const auto set_about = [&](model::Time time) {
    if (time > facts_.now()) result.about = time;
  };
  if (last_deletion && all_deleted) set_about(*last_deletion);
  if (result.about || (last_deletion && all_deleted) || node_ == nullptr) return result;
  for (std::size_t i = 0; i < node_->taints.size(); ++i) {
    if (node_->taints[i].key != to_be_deleted_key) continue;
    const auto marked = taint_time(*node_, i);
    // A time before the node's creation was copied from another node.
    if (marked && node_->meta.created && marked->time < *node_->meta.created) continue;
    if (marked && result.longest_grace) {
      set_about(marked->time + std::chrono::seconds(*result.longest_grace));
    }
  }
  return result;
}

/// A terminating pod on a node whose kubelet is down is replaced when the node is Ready again. A
/// new node is still starting; otherwise the findings decide.
NodeClearing AlertNode::clearing_by_findings() const {
  if (report_.verdict() == NodeVerdict::Terminating && node_ != nullptr && is_kubelet_out(*node_)) {
    return {Clearing::NodeWell};
  }
  bool grave = false;
  bool passing = false;
  for (const Finding& finding : report_.findings()) {
    passing = passing || finding.transient;
    grave = grave || (!finding.transient && finding.severity != Severity::Info);
  }
  if (grave) return {Clearing::Nothing};
  if (passing) return {Clearing::Passing};
  const bool young = node_ != nullptr && node_->meta.created &&
                     facts_.now() - *node_->meta.created < threshold::new_node;
  return {young ? Clearing::Passing : Clearing::NotKnown};
}

namespace {

/// Possible start times of the current template: the creation of its revision, and the last write
/// of the spec. After a rollback the revision is older than the previous one and does not have the
/// time.
std::vector<model::Time> template_times(const model::DaemonSet& ds, const Facts& facts) {
  std::vector<model::Time> result;
  if (const auto writer = spec_writer(ds.meta); writer && writer->not_later_than) {
    result.push_back(*writer->not_later_than);
  }
  const TemplateRevision revision(ds, facts.cluster());
  MaybeTime current;
  MaybeTime newest;
  for (const model::ControllerRevision& one : facts.cluster().revisions) {
    const auto& owner = one.meta.controller;
    const bool ours = owner && owner->name == ds.meta.name && one.meta.ns == ds.meta.ns;
    if (!ours || !one.meta.created) continue;
    newest = latest(newest, one.meta.created);
    const model::Text* hash = one.meta.labels.find("controller-revision-hash");
    if (hash != nullptr && *hash == revision.hash()) current = one.meta.created;
  }
  if (current && current == newest) result.push_back(*current);
  return result;
}

/// A pod that was created longer than this after the previous step does not belong to the rollout.
constexpr std::chrono::minutes rollout_pause(30);

/// After a node becomes eligible, the controller creates its pod within seconds.
constexpr std::chrono::minutes to_create(5);

struct Creation {
  model::Time at;
  bool is_first = false;  // its node became eligible shortly before, or a rejection ended
};

/// Whether the node was created, or its taints or labels written, shortly before `before`.
bool became_eligible(const model::Node* node, model::Time before) {
  if (node == nullptr) return false;
  const auto is_shortly_before = [&](const MaybeTime& time) {
    return time && *time <= before && before - *time < to_create;
  };
  if (is_shortly_before(node->meta.created)) return true;
  if (const auto writer = taints_writer(*node);
      writer && is_shortly_before(writer->not_later_than)) {
    return true;
  }
  return std::ranges::any_of(node->meta.managers, [&](const model::FieldManager& manager) {
    return !manager.labels.empty() && is_shortly_before(manager.time);
  });
}

/// The creations of pods of the current template on eligible nodes, oldest first.
std::vector<Creation> creations(const model::DaemonSet& ds, const DaemonSetReport& report,
                                const Facts& facts) {
  std::vector<Creation> result;
  MaybeTime refused;
  for (const model::Event* event :
       facts.events_of("DaemonSet", ds.meta.ns, ds.meta.name, ds.meta.uid)) {
    if (event->reason == "FailedCreate") refused = latest(refused, event->last);
  }
  for (const NodeReport& report_of_node : report.nodes) {
    if (report_of_node.pods().empty() || !placement::should_run(report_of_node.decision())) {
      continue;
    }
    const model::Node* node = model::find_node(facts.cluster(), report_of_node.name);
    for (const PodReport& pod : report_of_node.pods()) {
      if (pod.outdated) continue;
      // Includes pods that are not bound yet, by their target node.
      const model::Pod* found = model::find_pod(facts.cluster(), ds.meta.ns, pod.name);
      if (found == nullptr || !found->meta.created) continue;
      const model::Time at = *found->meta.created;
      const bool was_refused = refused && *refused <= at && at - *refused < rollout_pause;
      result.push_back({at, was_refused || became_eligible(node, at)});
    }
  }
  std::ranges::sort(result, {}, &Creation::at);
  return result;
}

}  // namespace

MaybeTime last_progress(const model::DaemonSet& ds, const DaemonSetReport& report,
                        const Facts& facts) {
  if (!report.evaluated.revision_known || !report.evaluated.pods_known) return std::nullopt;
  const std::vector<model::Time> templates = template_times(ds, facts);
  const std::vector<Creation> made = creations(ds, report, facts);
  MaybeTime result;
  const bool goes_on = std::ranges::any_of(report.nodes, is_outdated);
  if (goes_on && !templates.empty()) result = templates.front();
  if (goes_on || templates.empty()) {
    return made.empty() ? result : latest(result, made.back().at);
  }
  // The rollout is complete: pods that replaced pods of the same template did not change the
  // number.
  MaybeTime rolled;  // the last pod of the rollout
  for (const Creation& one : made) {
    const auto precedes = [&](model::Time step) {
      return step <= one.at && one.at - step < rollout_pause;
    };
    const bool follows = std::ranges::any_of(templates, precedes) || (rolled && precedes(*rolled));
    if (follows) rolled = one.at;
    if (follows || one.is_first) result = one.at;
  }
  return result;
}

MaybeTime status_written(const model::DaemonSet& ds) {
  MaybeTime result;
  for (const model::FieldManager& entry : ds.meta.managers) {
    if (entry.subresource == "status") result = latest(result, entry.time);
  }
  return result;
}

}  // namespace dsdoctor::diagnosis
