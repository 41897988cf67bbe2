// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/pending/pending.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/pods.h"
#include "diagnosis/catalogue/role.h"
#include "diagnosis/causes/pending/pending_case.h"
#include "diagnosis/causes/pending/written_after.h"
#include "diagnosis/evidence/admission.h"
#include "diagnosis/evidence/wording.h"
#include "diagnosis/report/departure.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/taints/taint_knowledge.h"
#include "scheduling/capabilities/required_features.h"
#include "scheduling/host_ports.h"
#include "scheduling/preemption.h"
#include "scheduling/synthetic_pod.h"

namespace dsdoctor::diagnosis {
namespace {

constexpr std::chrono::minutes gated_at_least{5};
constexpr const char* target_path =
    "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]"
    ".matchFields[0].values[0]";

/// In the order of the report.
constexpr std::array ranked_ids = {
    FindingId::SchedulerUnknown,
    FindingId::SchedPodGroup,
    // unresolvable
    FindingId::SchedGated,
    FindingId::SchedTargetGone,
    FindingId::SchedUnschedulable,
    FindingId::SchedTaint,
    FindingId::SchedNodeSelector,
    FindingId::SchedAffinityConflict,
    FindingId::SchedNeverFits,
    FindingId::SchedClaimMissing,
    FindingId::SchedVolumeAffinity,
    FindingId::SchedVolumeBinding,
    FindingId::SchedVolumeZone,
    FindingId::SchedPodAffinity,
    FindingId::SchedResourceClaim,
    FindingId::SchedNodeFeatures,
    // resolvable
    FindingId::SchedHostPort,
    FindingId::SchedTooManyPods,
    FindingId::SchedInsufficientCpu,
    FindingId::SchedInsufficientMemory,
    FindingId::SchedInsufficientEphemeralStorage,
    FindingId::SchedInsufficientHugepages,
    FindingId::SchedInsufficientExtended,
    FindingId::SchedVolumeInUse,
    FindingId::SchedVolumeLimit,
    FindingId::SchedTopologySpread,
    FindingId::SchedPodAntiAffinity,
    FindingId::SchedExistingAntiAffinity,
    FindingId::SchedOther,
    // the scheduler itself
    FindingId::SchedulerError,
    FindingId::SchedulerDisagrees,
    FindingId::SchedulerWaiting,
    // preemption
    FindingId::PreemptInProgress,
    FindingId::PreemptOutranked,
    FindingId::PreemptNever,
    FindingId::PreemptNoVictims,
    FindingId::PreemptUnhelpful,
};

bool too_early(const PendingCase& c, const std::vector<Finding>& found) {
  const model::Time now = c.facts.now();
  if (age_of(c) < threshold::pending) return true;
  if (is_younger(c.node.meta.created, threshold::new_node, now)) return true;
  return is_new(c.node, now) && !found.empty() && is_about(found.front().id, About::YoungNode);
}

Blockers all_blockers(const PendingCase& c) {
  Blockers result;
  add_node_blockers(c, result);
  add_port_blockers(c, result);
  add_resource_blockers(c, result);
  add_volume_blockers(c, result);
  add_neighbour_blockers(c, result);
  if (result.size() > 1) {  // a smaller request is not enough
    for (Blocker& blocker : result) blocker.finding.room.reset();
  }
  return result;
}

void add_gates(const PendingCase& c, Blockers& into) {
  const auto& gates = c.pod.spec->scheduling_gates;
  if (gates.empty()) return;
  std::vector<std::string> names;
  std::vector<Evidence> evidence;
  for (std::size_t i = 0; i < gates.size(); ++i) {
    names.push_back(gates[i].str());
    evidence.push_back(spec_evidence(c, fmt::format("schedulingGates[{}].name", i), gates[i]));
  }
  const LateWriter writer = gate_writer(c);
  const bool is_late = writer != LateWriter::Nobody;
  const phrase::GatesRemain what{.added = is_late ? late_labels(c) : std::vector<std::string>(),
                                 .gates = names,
                                 .they_are_late = is_late};
  Blocker blocker{
      pending_finding(c,
                      finding::SchedGated{.kueue_added_it = writer == LateWriter::Kueue,
                                          .something_else_added_it = writer == LateWriter::Unknown,
                                          .the_template_has_it = !is_late,
                                          .what = what},
                      std::move(evidence)),
      true};
  blocker.finding.basis = Basis::Confirmed;
  blocker.finding.group = wording::listed(names);
  if (age_of(c) < gated_at_least) wait_for(blocker.finding);
  into.push_back(std::move(blocker));
}

/// Whether all nodes that the scheduler counted are others: it counts fewer or more nodes than
/// there are, and none of them matches, but this one does and did.
bool counts_only_others(const PendingCase& c, const Blockers& found, model::Time attempt) {
  return c.said->none_matches && c.said->nodes != std::ssize(c.facts.cluster().nodes) &&
         std::ranges::none_of(
             found, [](FindingId id) { return id == FindingId::SchedNodeSelector; },
             [](const Blocker& blocker) { return blocker.finding.id; }) &&
         !has_changed_since(c, attempt);
}

/// The scheduler knows other nodes, but not this one.
void add_target_gone(const PendingCase& c, Blockers& into) {
  if (!c.said) return;
  const model::Time attempt = last_attempt(c);
  if (!c.said->target_unknown && !counts_only_others(c, into, attempt)) return;
  if (c.node.meta.created && *c.node.meta.created + threshold::pending > attempt) return;
  const std::int64_t existing = std::ssize(c.facts.cluster().nodes);
  const bool counts_more = c.said->nodes > existing;
  const phrase::NodeUnknownToScheduler what{
      .existing = existing, .known = c.said->nodes, .on_node = c.node.meta.name};
  Blocker blocker{
      pending_finding(c,
                      finding::SchedTargetGone{.the_pod_is_left_over = false,
                                               .the_scheduler_is_of_another_cluster = counts_more,
                                               .the_scheduler_lacks_the_node = !counts_more,
                                               .what = what},
                      {c.said_in}),
      true};
  blocker.finding.basis = Basis::Reported;
  into.push_back(std::move(blocker));
}

const model::Node* node_of(const PendingCase& c, const model::Pod& pod) {
  return pod.node_name == c.node.meta.name ? &c.node
                                           : model::find_node(c.facts.cluster(), pod.node_name);
}

bool is_overdue(const PendingCase& c, const model::Pod& pod) {
  return c.facts.now() > *pod.meta.deleted + threshold::terminating;
}

/// The blocking pods should have terminated: the fix is that of the pod that has been overdue the
/// longest.
void blame_stuck(const PendingCase& c, Blocker& blocker, const model::Pod& stuck) {
  const auto others =
      std::ranges::count_if(blocker.clears_with,
                            [&](const model::Pod* pod) { return is_overdue(c, *pod); }) -
      1;
  Finding& finding = blocker.finding;
  finding.message.notes.push_back(
      phrase::PodOverstays{.ended = stuck.meta.deleted,
                           .its_pod = ref_of(stuck),
                           .others = others == 0 ? std::nullopt : std::optional(others)});
  finding.overdue_since = stuck.meta.deleted;
  CaseNames names = names_of(c.of, stuck.meta.name);
  names.ns = stuck.meta.ns;
  names.node = stuck.node_name;
  const model::Node* node = node_of(c, stuck);
  if (node == nullptr && is_deleted_node(c.facts, stuck.node_name)) {
    finding.fix =
        make_finding(
            finding::PodOnMissingNode{
                .count = 1, .finalizers = Argument::Names(), .pods = {}, .they_stop_surge = false},
            {}, names)
            .fix;
    return;
  }
  const bool node_is_out = node != nullptr && is_kubelet_out(*node);
  const bool is_held = !stuck.meta.finalizers.empty();
  finding.fix =
      make_finding(finding::PodTerminatingStuck{.deleted = stuck.meta.deleted,
                                                .grace = 0,
                                                .hold = {},
                                                .is_stuck = true,
                                                .it_waits_for_finalizers = is_held && !node_is_out,
                                                .makes_way = false,
                                                .overdue = c.facts.now() - *stuck.meta.deleted,
                                                .the_kubelet_is_slow = !is_held && !node_is_out,
                                                .the_network_plugin_fails = false,
                                                .the_node_is_out = node_is_out},
                   {}, names)
          .fix;
}

/// Why a terminating pod does not end by itself, although its grace period is not over.
Message hold_on(const PendingCase& c, const model::Pod& pod) {
  if (!pod.meta.finalizers.empty()) return phrase::PodWaitsForFinalizers{.its_pod = ref_of(pod)};
  if (node_of(c, pod) == nullptr) return phrase::ItsNodeNotFound{.on_node = pod.node_name};
  return phrase::KubeletCannotConfirm{.on_node = pod.node_name};
}

/// If only terminating pods block, the blocker resolves without action, unless one of them is
/// stuck.
void mark_clearing(const PendingCase& c, Blocker& blocker) {
  if (blocker.clears_with.empty() || blocker.unresolvable) return;
  const auto deleted = [](const model::Pod* pod) { return *pod->meta.deleted; };
  const auto [first, last] = std::ranges::minmax(blocker.clears_with, {}, deleted);
  if (is_overdue(c, *first)) return blame_stuck(c, blocker, *first);
  auto& notes = blocker.finding.message.notes;
  notes.push_back(phrase::PodsLeave{.ends = deleted(last), .pods = blocker.clears_with.size()});
  const auto held = std::ranges::find_if_not(blocker.clears_with, [&](const model::Pod* pod) {
    return ends_by_itself(*pod, node_of(c, *pod), c.facts);
  });
  if (held != blocker.clears_with.end()) {
    notes.push_back(hold_on(c, **held));
    return;
  }
  blocker.finding.transient = true;
  blocker.finding.fix.clear();
  if (blocker.finding.severity == Severity::Error) blocker.finding.severity = Severity::Warning;
}

/// Whether every node has the volume or the kubelet fetches it: the scheduler ignores such volumes.
bool is_anywhere(const model::Volume& volume) {
  constexpr std::array<std::string_view, 6> kinds = {"configMap", "downwardAPI", "emptyDir",
                                                     "hostPath",  "projected",   "secret"};
  return std::ranges::find(kinds, volume.kind.view()) != kinds.end();
}

/// Whether the pod does not fit until somebody acts. Neither its age nor a new pod changes that.
bool is_obstacle(const Blocker& blocker) {
  return is_about(blocker.finding.id, About::Obstacle) && !blocker.finding.transient &&
         !blocker.ends_soon;
}

/// Whether removing pods does not help.
bool blocks_for_good(FindingId id) {
  return plugin_rank(id) > plugin_rank(FindingId::SchedGated) &&
         plugin_rank(id) < plugin_rank(FindingId::SchedHostPort);
}

void soften(std::vector<Finding>& findings) {
  for (Finding& finding : findings) finding.severity = Severity::Info;
}

std::vector<Finding> taken(Blockers blockers) {
  std::ranges::stable_sort(blockers, {}, [](const Blocker& blocker) {
    return std::pair(!blocker.unresolvable, plugin_rank(blocker.finding.id));
  });
  std::vector<Finding> result;
  for (Blocker& blocker : blockers) result.push_back(std::move(blocker.finding));
  return result;
}

/// Everything that excludes the pod from its node, except gates.
Blockers node_blockers(const PendingCase& c) {
  const bool node_known = c.facts.cluster().nodes_known;
  Blockers blockers = node_known ? all_blockers(c) : Blockers();
  drop_unsaid_amounts(c, blockers);
  add_reported(c, blockers);
  if (node_known) add_target_gone(c, blockers);
  for (Blocker& blocker : blockers) {
    if (blocker.finding.basis != Basis::Reported) mark_basis(c, blocker);
    mark_newer(c, blocker);
    mark_clearing(c, blocker);
  }
  return blockers;
}

}  // namespace

void wait_for(Finding& finding) {
  finding.severity = Severity::Info;
  finding.transient = true;
}

int plugin_rank(FindingId id) {
  return static_cast<int>(std::ranges::find(ranked_ids, id) - ranked_ids.begin());
}

std::vector<Finding> node_findings(const PendingCase& the_case) {
  return taken(node_blockers(the_case));
}

std::vector<Finding> pending_findings(const NodeCase& the_case, const model::Pod& pod) {
  const PendingCase c = pending_case(the_case, pod, false);
  Blockers blockers = node_blockers(c);
  const std::vector<Finding> preemption = preemption_findings(c, blockers);
  const bool is_obstructed = std::ranges::any_of(blockers, is_obstacle);
  add_gates(c, blockers);
  std::vector<Finding> result = taken(std::move(blockers));
  add_pod_group(c, result);
  const std::optional<Finding> unanswered = unknown_scheduler(c);
  if (unanswered) result.insert(result.begin(), *unanswered);
  if (auto finding = unheard_claims(c)) result.push_back(std::move(*finding));
  if (auto finding = scheduler_error(c)) result.push_back(std::move(*finding));
  add_foreign_reasons(c, result);
  if (preemption.empty() && pod.spec->scheduling_gates.empty()) add_waiting(c, result);
  result.insert(result.end(), preemption.begin(), preemption.end());
  if (!too_early(c, result)) return result;
  const bool node_is_new = is_new(c.node, c.facts.now());
  if (!node_is_new && (is_obstructed || unanswered)) return result;
  // A problem that removing pods cannot resolve is reported immediately.
  const bool fits_never = !result.empty() && (blocks_for_good(result.front().id) ||
                                              is_without_pod_group(c, result.front()));
  if (fits_never && !node_is_new) {
    soften(result);
  } else {
    std::ranges::for_each(result, wait_for);
  }
  return result;
}

PodPrediction::PodPrediction(const DaemonSetCase& of)
    : facts_(of.facts),
      pod_(scheduling::synthetic_pod(of.ds, "any", admission_of(of.facts.cluster(), of.ds))),
      requests_(scheduling::pod_requests(pod_, scheduling::CountedBy::Spec)) {
  const model::PodSpec& spec = *pod_.spec;
  asks_for_amounts_only_ =
      std::ranges::all_of(spec.volumes, is_anywhere) && spec.pod_affinity.empty() &&
      spec.pod_anti_affinity.empty() && spec.topology_spread.empty() &&
      scheduling::host_ports(pod_).empty() &&
      pod_.node_selector == of.ds.pod_template.node_selector &&
      scheduling::required_features(spec, pod_.host_network, facts_.release().release).empty() &&
      of.facts.no_pod_excludes_others();
}

bool PodPrediction::has_none(const model::Node& on) {
  const Facts::PlainNode& node = facts_.plain_node(on);
  if (!node.is_sized) return true;
  if (!asks_for_amounts_only_ || node.room == nullptr) return false;
  if (node.room == last_room_) return fits_last_;
  const auto [at, is_new] = fits_.try_emplace(node.room);
  if (is_new)
    at->second = scheduling::fits_in(requests_, *node.room, facts_.cluster().device_classes);
  last_room_ = node.room;
  fits_last_ = at->second;
  return fits_last_;
}

std::vector<Finding> PodPrediction::findings(const NodeCase& the_case) {
  if (the_case.node.allocatable.empty()) return {};  // the node's size is unknown
  pod_.node_affinity->terms.front().match_fields.front().values = {the_case.node.meta.name};
  PendingCase c = pending_case(the_case, pod_, true);
  c.requests = &requests_;
  Blockers blockers = all_blockers(c);
  for (Blocker& blocker : blockers) mark_basis(c, blocker);
  std::vector<Finding> result = taken(std::move(blockers));
  soften(result);
  return result;
}

std::vector<Finding> lost_target_findings(const DaemonSetCase& the_case) {
  const model::Cluster& cluster = the_case.facts.cluster();
  if (!cluster.nodes_known) return {};
  Facts::Pods waiting;
  std::vector<std::string> targets;
  bool fresh = true;
  for (const auto* pods : {&the_case.claimed.owned, &the_case.claimed.adoptable}) {
    for (const model::Pod* pod : *pods) {
      const model::Text* node = target_node(*pod);
      if (is_bound(*pod) || is_terminal(*pod) || node == nullptr) continue;
      if (model::find_node(cluster, *node) != nullptr) continue;
      waiting.push_back(pod);
      targets.push_back(node->str());
      fresh &= pod->meta.created && the_case.facts.now() - *pod->meta.created < threshold::pending;
    }
  }
  if (waiting.empty()) return {};
  const model::Pod& first = *waiting.front();
  const Message pods = first_of(waiting, [](const model::Pod* pod) {
    return phrase::PodForNode{.its_pod = pod->meta.name, .on_node = *target_node(*pod)};
  });
  Finding finding = make_finding(
      finding::SchedTargetGone{
          .the_pod_is_left_over = true,
          .the_scheduler_is_of_another_cluster = false,
          .the_scheduler_lacks_the_node = false,
          .what = phrase::PodsWithoutNode{.pods = waiting.size(), .targets = pods}},
      {{ref_of(first), target_path, targets.front()}},
      {.ns = first.meta.ns.view(),
       .pod = waiting.size() == 1 ? first.meta.name.view() : std::string_view()});
  if (fresh) wait_for(finding);
  finding.nodes = std::move(targets);
  return {std::move(finding)};
}

}  // namespace dsdoctor::diagnosis
