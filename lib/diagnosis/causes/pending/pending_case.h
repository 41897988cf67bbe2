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

/// What the parts of pending.cpp share; for them alone.
namespace dsdoctor::diagnosis {

/// A pod that waits for one node, or would. Refers to what its maker holds.
struct PendingCase {
  const NodeCase& of;
  const model::Pod& pod;
  const model::Node& node;
  const Facts& facts;
  bool predicted = false;   // the pod does not exist yet
  bool knows_here = false;  // `here` is complete
  Facts::Pods here;         // on the node and not over, the pod itself left out
  scheduling::Surroundings around;
  /// What the scheduler said last; absent where it said nothing that can be read.
  std::optional<scheduling::SchedulerMessage> said;
  Evidence said_in = {};  // the condition or the event

  const scheduling::PodRequests* requests =
      nullptr;  // of a predicted pod, which is not on the node
  [[nodiscard]] bool says(FindingId id, std::string_view resource = {}) const;
};

[[nodiscard]] PendingCase pending_case(const NodeCase& of, const model::Pod& pod, bool predicted);

/// Something in the way.
struct Blocker {
  Finding finding;
  bool unresolvable = false;     // evicting pods can never help
  Facts::Pods clears_with = {};  // terminating pods whose end alone removes it; empty: none do
  std::string resource = {};     // of which there is too little
};
using Blockers = std::vector<Blocker>;

/// Its requests on its node.
[[nodiscard]] scheduling::Fit fit_of(const PendingCase& the_case);

/// A finding about the pod and its node, with their names filled into the fix.
[[nodiscard]] Finding pending_finding(const PendingCase& the_case, FindingKind kind,
                                      std::vector<Evidence> evidence);

/// The finding that says the same as the scheduler's filter.
[[nodiscard]] FindingId id_of(scheduling::FilterReason reason);

/// Each adds what one group of filters has against the pod.
void add_node_blockers(const PendingCase& the_case, Blockers& into);
/// A pod that stays where it is has a host port that the pod asks for.
[[nodiscard]] bool is_port_held_for_good(const PendingCase& the_case);
void add_port_blockers(const PendingCase& the_case, Blockers& into);
void add_resource_blockers(const PendingCase& the_case, Blockers& into);
void add_neighbour_blockers(const PendingCase& the_case, Blockers& into);
void add_volume_blockers(const PendingCase& the_case, Blockers& into);

/// Tells what the finding rests on: the scheduler's words, our own evaluation, or both.
void mark_basis(const PendingCase& the_case, Blocker& blocker);
/// What the scheduler alone can tell, or what too little was read to recompute.
void add_reported(const PendingCase& the_case, Blockers& into);

/// What evicting pods would do about `blockers`. May add to the message of
/// the first of them.
[[nodiscard]] std::vector<Finding> preemption_findings(const PendingCase& the_case,
                                                       Blockers& blockers);

/// What the scheduler's state says of itself.
[[nodiscard]] std::optional<Finding> scheduler_error(const PendingCase& the_case);
/// A pod that claims devices, of which the scheduler has not said a word: it does not queue a pod
/// before every ResourceClaim of it exists, and leaves neither condition nor event.
[[nodiscard]] std::optional<Finding> unheard_claims(const PendingCase& the_case);
[[nodiscard]] std::optional<Finding> unknown_scheduler(const PendingCase& the_case);
/// Reasons of plugins and extenders that nobody but this cluster's owner knows.
void add_foreign_reasons(const PendingCase& the_case, std::vector<Finding>& into);
/// That nothing is in the way as far as we can see, where `into` is empty.
void add_waiting(const PendingCase& the_case, std::vector<Finding>& into);

/// It is too early to do something about it: information, which resolves without action.
void wait_for(Finding& finding);

/// Amounts of pod and node that no API server accepts; they count as nothing.
[[nodiscard]] std::vector<Evidence> ignored_amounts(const PendingCase& the_case);
/// Since the pod was created; a day where that is not known.
[[nodiscard]] model::Time::duration age_of(const PendingCase& the_case);
/// The newest event FailedScheduling of the pod; null if there is none.
[[nodiscard]] const model::Event* last_refusal(const Facts& facts, const model::Pod& pod);
/// When the scheduler last tried, as far as that was written down.
[[nodiscard]] model::Time last_attempt(const PendingCase& the_case);

/// "PersistentVolumeClaim/data", where the template names the claim; one that each pod has for
/// itself is nobody else's: empty.
[[nodiscard]] std::string claim_object(const PendingCase& the_case, std::string_view claim);

/// A field of the pod's spec; of the template's where the pod does not exist yet.
[[nodiscard]] Evidence spec_evidence(const PendingCase& the_case, std::string_view field,
                                     std::string_view value);
/// A condition of the pod.
[[nodiscard]] Evidence pod_condition_evidence(const model::Pod& pod, std::string_view type,
                                              std::string_view field, std::string_view value);
/// Types of the pod's conditions: PodScheduled is not among them.
[[nodiscard]] Evidence unscheduled_evidence(const model::Pod& pod);
/// "status.allocatable['cpu']": an entry of a map.
[[nodiscard]] std::string entry_path(std::string_view map, std::string_view key);

/// "big/web-7 (priority 0)"
[[nodiscard]] Message ranked_pod(const model::Pod& pod);
/// The first five, and how many more.
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

/// "ReplicaSet big/web-5d9". REQUIRES: the pod has a controller.
[[nodiscard]] phrase::OwnerOfPods owner_of(const model::Pod& pod, bool runs_the_same_image = false);
/// The terminating ones of `pods`.
[[nodiscard]] Facts::Pods terminating_of(const Facts::Pods& pods);

}  // namespace dsdoctor::diagnosis
