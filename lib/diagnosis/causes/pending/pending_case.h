// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/scheduling.h"
#include "diagnosis/catalogue/object_evidence.h"
#include "diagnosis/report/cases.h"
#include "model/pod.h"
#include "scheduling/fit.h"
#include "scheduling/messages.h"
#include "scheduling/pod_requests.h"
#include "scheduling/surroundings.h"

/// Shared by the parts of pending.cpp only.
namespace dsdoctor::diagnosis {

/// The fit of a pod's requests on its node, and the amounts that other pods on the node use.
struct PreparedFit {
  scheduling::Fit fit;
  std::vector<scheduling::Load> loads;  // of PendingCase::here, in that order
};

/// A pod that waits for a node, or would wait for it. Holds references to its creator's data.
struct PendingCase {
  const NodeCase& of;
  const model::Pod& pod;
  const model::Node& node;
  const Facts& facts;
  bool predicted = false;   // the pod does not exist yet
  bool knows_here = false;  // `here` is complete
  Facts::Pods here;         // other pods on the node that have not finished
  scheduling::Surroundings around;
  /// The scheduler's last message; absent if there is none that can be parsed.
  std::optional<scheduling::SchedulerMessage> said;
  Evidence said_in = {};  // the condition or the event

  const scheduling::PodRequests* requests = nullptr;  // of a predicted pod
  mutable std::optional<PreparedFit> prepared = {};   // by fit()

  /// Computed at the first call.
  [[nodiscard]] const PreparedFit& fit() const;
  [[nodiscard]] bool says(FindingId id, std::string_view resource = {}) const;
};

[[nodiscard]] PendingCase pending_case(const NodeCase& of, const model::Pod& pod, bool predicted);

/// A reason why the pod does not fit on the node.
struct Blocker {
  Finding finding;
  bool unresolvable = false;       // evicting pods never helps
  Facts::Pods clears_with = {};    // terminating pods whose end alone removes the blocker, if any
  bool ends_soon = false;          // a controller is about to remove it
  std::string resource = {};       // the resource that is short
  model::OptionalTime since = {};  // when the node got its taint, label or cordon, at the latest
};
using Blockers = std::vector<Blocker>;

/// A finding about the pod and its node, with their names filled into the fix.
[[nodiscard]] Finding pending_finding(const PendingCase& the_case, FindingKind kind,
                                      std::vector<Evidence> evidence);

/// The finding that corresponds to the scheduler's filter.
[[nodiscard]] FindingId id_of(scheduling::FilterReason reason);

/// Each of these adds the blockers that one group of filters finds.
void add_node_blockers(const PendingCase& the_case, Blockers& into);
void add_port_blockers(const PendingCase& the_case, Blockers& into);
void add_resource_blockers(const PendingCase& the_case, Blockers& into);
void add_neighbour_blockers(const PendingCase& the_case, Blockers& into);
void add_volume_blockers(const PendingCase& the_case, Blockers& into);

/// Sets the basis of the finding: the scheduler's message, our own evaluation, or both.
void mark_basis(const PendingCase& the_case, Blocker& blocker);
/// Confirms a taint, label or cordon of the node that the scheduler's message does not name because
/// it is older, and notes that.
void mark_newer(const PendingCase& the_case, Blocker& blocker);
/// Adds reasons that only the scheduler knows, or that cannot be recomputed from the data read.
void add_reported(const PendingCase& the_case, Blockers& into);
/// On a release whose rules are not known, removes shortages that the scheduler does not list.
void drop_unsaid_amounts(const PendingCase& the_case, Blockers& from);

/// Reports the effect of evicting pods on `blockers`. Can extend the message of the first blocker.
[[nodiscard]] std::vector<Finding> preemption_findings(const PendingCase& the_case,
                                                       Blockers& blockers);

/// Whether the pod names a PodGroup or, on 1.35, a Workload.
[[nodiscard]] bool has_pod_group(const model::Pod& pod);

/// Everything that excludes the pod from its node, without the effect of preemption and without
/// gates; first what evicting pods never resolves.
[[nodiscard]] std::vector<Finding> node_findings(const PendingCase& the_case);
/// Adds, in front, that the pod's PodGroup keeps the scheduler from processing or binding it.
void add_pod_group(const PendingCase& the_case, std::vector<Finding>& into);
/// Whether the finding is that the pod's PodGroup does not exist, or was not read: no controller
/// creates PodGroups for DaemonSets.
[[nodiscard]] bool is_without_pod_group(const PendingCase& the_case, const Finding& finding);

/// Reports an error that the scheduler recorded in the pod's condition.
[[nodiscard]] std::optional<Finding> scheduler_error(const PendingCase& the_case);
/// Reports a pod with ResourceClaims that the scheduler has left without a condition or event: it
/// does not queue a pod before all its ResourceClaims exist.
[[nodiscard]] std::optional<Finding> unheard_claims(const PendingCase& the_case);
[[nodiscard]] std::optional<Finding> unknown_scheduler(const PendingCase& the_case);
/// Adds reasons of plugins and extenders that are specific to this cluster.
void add_foreign_reasons(const PendingCase& the_case, std::vector<Finding>& into);
/// Adds, if `into` is empty, that the pod waits for the scheduler or that the scheduler disagrees.
void add_waiting(const PendingCase& the_case, std::vector<Finding>& into);

/// Marks a finding as info and transient, because it is too early to act.
void wait_for(Finding& finding);

/// Evidence for quantities of the pod and its node that no API server accepts; they are ignored.
[[nodiscard]] std::vector<Evidence> ignored_amounts(const PendingCase& the_case);
/// Time since the pod was created; one day if unknown.
[[nodiscard]] model::Time::duration age_of(const PendingCase& the_case);
/// The newest event FailedScheduling of the pod; null if there is none.
[[nodiscard]] const model::Event* last_refusal(const Facts& facts, const model::Pod& pod);
[[nodiscard]] bool is_default_scheduler(const model::Pod& pod);
/// Time of the scheduler's last recorded attempt.
[[nodiscard]] model::Time last_attempt(const PendingCase& the_case);
/// Whether the node or its pods have changed since then, as far as objects show; a deleted pod
/// leaves at most an event.
[[nodiscard]] bool has_changed_since(const PendingCase& the_case, model::Time since);

/// "PersistentVolumeClaim/data" if the template names the claim; empty for a claim that belongs to
/// one pod only.
[[nodiscard]] std::string claim_object(const PendingCase& the_case, std::string_view claim);

/// A field of the pod's spec, or of the template's if the pod does not exist yet.
[[nodiscard]] Evidence spec_evidence(const PendingCase& the_case, std::string_view field,
                                     std::string_view value);
/// A condition of the pod.
[[nodiscard]] Evidence pod_condition_evidence(const model::Pod& pod, std::string_view type,
                                              std::string_view field, std::string_view value);
/// Evidence that PodScheduled is not among the pod's conditions: their types.
[[nodiscard]] Evidence unscheduled_evidence(const model::Pod& pod);
/// "status.allocatable['cpu']": an entry of a map.
[[nodiscard]] std::string entry_path(std::string_view map, std::string_view key);

/// Example: "big/web-7 (priority 0)".
[[nodiscard]] Message ranked_pod(const model::Pod& pod);
/// The first five elements and the number of further ones.
template <typename List, typename PhraseOf>
[[nodiscard]] Message first_of(const List& list, const PhraseOf& phrase_of) {
  constexpr std::size_t shown = 5;
  std::vector<Message> first;
  for (const auto& each : list) {
    if (first.size() == shown) break;
    first.push_back(phrase_of(each));
  }
  std::optional<std::int64_t> more;
  if (list.size() > shown) more = static_cast<std::int64_t>(list.size() - shown);
  return phrase::FirstOf{.first = std::move(first), .more = more};
}
[[nodiscard]] Message ranked_pods(const Facts::Pods& pods);

/// Example: "ReplicaSet big/web-5d9". REQUIRES: the pod has a controller.
[[nodiscard]] phrase::OwnerOfPods owner_of(const model::Pod& pod, bool runs_the_same_image = false);
/// The terminating pods among `pods`.
[[nodiscard]] Facts::Pods terminating_of(const Facts::Pods& pods);

}  // namespace dsdoctor::diagnosis
