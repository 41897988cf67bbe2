// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/rollout/rollout_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/daemonset.h"
#include "diagnosis/catalogue/findings/rollout.h"
#include "diagnosis/causes/creation/new_pods.h"
#include "diagnosis/causes/rollout/adopted_pods.h"
#include "diagnosis/causes/rollout/broken_revision.h"
#include "diagnosis/causes/rollout/revision_counts.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/rollout/rollout_replay.h"
#include "scheduling/host_ports.h"

namespace dsdoctor::diagnosis {
namespace {

using Names = std::vector<std::string>;
using Count = std::optional<std::int64_t>;

Finding finding_of(const DaemonSetCase& c, FindingKind kind, std::vector<Evidence> evidence) {
  Finding finding = make_finding(std::move(kind), std::move(evidence), names_of(c));
  finding.standing = Standing::Also;
  finding.basis = Basis::Recomputed;
  return finding;
}

Evidence field(const DaemonSetCase& c, std::string_view path, std::string value) {
  return {ref_of(c.ds), std::string(path), std::move(value)};
}

/// The limit of the rolling update, as in the spec.
Evidence limit_evidence(const DaemonSetCase& c, const RolloutReplay& replay) {
  const bool surges = replay.max_surge > 0;
  const auto& limit = surges ? c.ds.max_surge : c.ds.max_unavailable;
  return field(
      c,
      fmt::format("spec.updateStrategy.rollingUpdate.{}", surges ? "maxSurge" : "maxUnavailable"),
      limit ? fmt::format("{}{}", limit->value, limit->percent ? "%" : "") : "");
}

// ---- OnDelete ----

Finding on_delete_finding(const DaemonSetCase& c, const RolloutReplay& replay, bool creates_pods) {
  const bool is_silent = c.facts.controller_manager_silence().has_value();
  std::map<std::string, std::string> pods;  // by node
  for (const model::Pod* pod : replay.old) {
    pods.emplace(target_node(*pod)->str(), pod->meta.name.str());
  }
  std::vector<Message> phrases;
  phrases.reserve(pods.size());
  for (const auto& [node, pod] : pods) {
    phrases.push_back(phrase::PodOnNode{.node = node, .pod = pod});
  }
  std::vector<Evidence> evidence = revision_evidence(c);
  evidence.insert(evidence.begin(), field(c, "spec.updateStrategy.type", "OnDelete"));
  const auto parked = parked_pods(c, replay.old, threshold::parked);
  Finding finding = make_finding(
      finding::DaemonsetOndeleteOutdated{.age = parked ? std::optional(parked->age) : std::nullopt,
                                         .at_once = std::to_string(replay.budget()),
                                         .desired = replay.desired,
                                         .new_pods_would_work = creates_pods && !is_silent,
                                         .newer = parked ? Count(parked->newer) : Count(),
                                         .older = parked ? Count(parked->older) : Count(),
                                         .outdated = replay.outdated,
                                         .parked = parked ? Count(parked->pods) : Count(),
                                         .pods = std::move(phrases),
                                         .the_manager_is_silent = is_silent},
      std::move(evidence),
      names_of(c, pods.empty() ? std::string_view() : std::string_view(pods.begin()->second)));
  finding.basis = Basis::Recomputed;
  for (const auto& [node, pod] : pods) finding.nodes.push_back(node);
  return finding;
}

// ---- RollingUpdate ----

/// The last recorded progress of the rollout of the current template. Replacing a finished pod with
/// a similar one is not progress.
model::OptionalTime last_progress(const DaemonSetCase& c, const RolloutReplay& replay) {
  model::OptionalTime latest;
  const auto take = [&](const model::OptionalTime& moment) {
    if (moment && (!latest || *moment > *latest)) latest = moment;
  };
  for (const model::Pod* pod : replay.fresh) {
    if (is_terminal(*pod)) continue;
    take(pod->meta.created);
    const auto ready = model::find_condition(pod->conditions, "Ready");
    if (ready != nullptr && ready->status == "True") take(ready->last_transition);
  }
  for (const model::Pod* pod : c.claimed.owned) {
    if (!is_terminal(*pod)) take(pod->meta.deleted);
  }
  if (const auto* revision = revision_of(c, c.revision.hash())) take(revision->meta.created);
  for (const model::FieldManager& manager : c.ds.meta.managers) {
    if (manager.spec) take(manager.time);
  }
  return latest;
}

bool is_on_dead_node(const DaemonSetCase& c, const BudgetUnit& unit) {
  const model::Node* node = model::find_node(c.facts.cluster(), unit.node);
  return node != nullptr && is_known_not_ready(*node);
}

Message why_used(const DaemonSetCase& c, const BudgetUnit& unit) {
  switch (unit.use) {
    case BudgetUse::NoPod: break;
    case BudgetUse::Excess: return phrase::SeveralPodsOfOneRevision{};
    case BudgetUse::OldAndNew: return phrase::OldAndNewPod{};
    case BudgetUse::NewUnavailable: return unavailability(c, *unit.new_pod);
    case BudgetUse::OldUnavailable: return phrase::OldPod{.pod = unavailability(c, *unit.old_pod)};
  }
  return unit.terminating != nullptr ? unavailability(c, *unit.terminating)
                                     : Message(phrase::NoPod{});
}

std::vector<Message> users_of_budget(const DaemonSetCase& c, const RolloutReplay& replay) {
  std::vector<Message> result;
  for (const BudgetUnit& unit : replay.units) {
    result.push_back(phrase::NodeUsesBudget{
        .it_is_not_ready = is_on_dead_node(c, unit), .node = unit.node, .why = why_used(c, unit)});
  }
  return result;
}

/// Budget units on NotReady nodes, which remain used until someone fixes or removes the node.
std::int64_t dead_units(const DaemonSetCase& c, const RolloutReplay& replay) {
  return std::ranges::count_if(replay.units,
                               [&](const BudgetUnit& unit) { return is_on_dead_node(c, unit); });
}

/// A host port that a surge pod needs and the old pod on its node holds.
struct HeldPort {
  std::string port;  // "9100/TCP"
  Evidence evidence;
};

/// Example: "spec.containers[0].ports[1].hostPort".
std::string path_of_port(const model::PodSpec& spec, std::int64_t host_port) {
  for (std::size_t i = 0; i < spec.containers.size(); ++i) {
    const auto& ports = spec.containers[i].ports;
    const auto at = std::ranges::find(ports, host_port, &model::ContainerPort::host_port);
    if (at == ports.end()) continue;
    return fmt::format("spec.containers[{}].ports[{}].hostPort", i, at - ports.begin());
  }
  return "spec.initContainers";  // a sidecar's
}

std::optional<HeldPort> held_port(const model::Pod& wants, const model::Pod& holds) {
  const auto conflicts = scheduling::port_conflicts(wants, {&holds});
  if (conflicts.empty()) return std::nullopt;
  const scheduling::HostPort& held = conflicts.front().held;
  return HeldPort{fmt::format("{}/{}", held.port, held.protocol.view()),
                  {ref_of(holds), path_of_port(*holds.spec, held.port), std::to_string(held.port)}};
}

/// Evidence that the scheduler found no room for the pod on a node.
std::optional<Evidence> lack_of_room(const model::Pod& pod) {
  std::size_t index = 0;
  for (const model::Condition& condition : pod.conditions) {
    const std::string_view said = condition.message;
    const bool lacks_room =
        condition.type == "PodScheduled" && condition.status == "False" &&
        (said.find("Insufficient ") != said.npos || said.find("Too many pods") != said.npos);
    if (lacks_room) {
      return Evidence{ref_of(pod), fmt::format("status.conditions[{}].message", index),
                      evidence_value(said)};
    }
    ++index;
  }
  return std::nullopt;
}

/// True for a new pod that has to start beside the old one and has not been scheduled in time.
bool waits_beside_old_pod(const DaemonSetCase& c, const BudgetUnit& unit) {
  if (unit.use != BudgetUse::NewUnavailable || !unit.old_pod || is_bound(*unit.new_pod)) {
    return false;
  }
  const auto& created = unit.new_pod->meta.created;
  return !created || *created + threshold::pending <= c.facts.now();
}

/// Reports surge pods that cannot be scheduled because of the old pods on their nodes.
std::vector<Finding> self_blocking(const DaemonSetCase& c, const RolloutReplay& replay) {
  Names port_nodes;
  Names room_nodes;
  std::optional<HeldPort> port;
  std::optional<Evidence> room;
  for (const BudgetUnit& unit : replay.units) {
    if (!waits_beside_old_pod(c, unit)) continue;
    if (auto held = held_port(*unit.new_pod, *unit.old_pod)) {
      port_nodes.emplace_back(unit.node);
      port = std::move(held);
    } else if (auto lack = lack_of_room(*unit.new_pod)) {
      room_nodes.emplace_back(unit.node);
      room = std::move(lack);
    }
  }
  std::vector<Finding> findings;
  if (port) {
    Finding& finding = findings.emplace_back(
        finding_of(c, finding::RolloutSurgePort{.nodes = std::move(port_nodes), .port = port->port},
                   {port->evidence, limit_evidence(c, replay)}));
    finding.basis = Basis::Confirmed;
    finding.group = port->port;
  }
  if (room) {
    findings.push_back(finding_of(c, finding::RolloutSurgeRoom{.nodes = std::move(room_nodes)},
                                  {*room, limit_evidence(c, replay)}));
    findings.back().basis = Basis::Reported;
  }
  return findings;
}

/// Evidence for an old pod on a node that does not exist.
Evidence vanished_evidence(const DaemonSetCase& c, std::string_view node) {
  const auto at = std::ranges::find_if(
      c.claimed.owned, [&](const model::Pod* pod) { return pod->node_name == node; });
  if (at == c.claimed.owned.end()) return {{"Node", "", std::string(node)}, "metadata.name"};
  return {ref_of(**at), "spec.nodeName", std::string(node)};
}

std::optional<Finding> used_budget(const DaemonSetCase& c, const RolloutReplay& replay) {
  if (!replay.aborted_by.empty()) {
    return finding_of(c,
                      finding::RolloutSurge{.limit = Count(),
                                            .missing_node = replay.aborted_by,
                                            .nodes = Count(),
                                            .units = {},
                                            .waiting = Count()},
                      {vanished_evidence(c, replay.aborted_by)});
  }
  if (!replay.blocked()) return std::nullopt;
  const std::vector<Evidence> evidence = {limit_evidence(c, replay)};
  if (replay.max_surge > 0) {
    return finding_of(c,
                      finding::RolloutSurge{.limit = replay.max_surge,
                                            .missing_node = "",
                                            .nodes = replay.units.size(),
                                            .units = users_of_budget(c, replay),
                                            .waiting = replay.waiting},
                      evidence);
  }
  return finding_of(c,
                    finding::RolloutBudget{.limit = replay.max_unavailable,
                                           .nodes = replay.units.size(),
                                           .units = users_of_budget(c, replay),
                                           .waiting = replay.waiting},
                    evidence);
}

/// Number of terminating pods, which are neither up to date nor to be replaced; absent if there are
/// none.
Count terminating(const RolloutReplay& replay) {
  const auto ending = std::ranges::count_if(replay.units, [](const BudgetUnit& unit) {
    return unit.use == BudgetUse::NoPod && unit.terminating != nullptr;
  });
  return ending == 0 ? Count() : Count(ending);
}

/// The applicable limit: with maxSurge only that one.
Count used_surge(const RolloutReplay& replay) {
  return replay.max_surge > 0 ? Count(replay.max_surge) : Count();
}
Count used_unavailable(const RolloutReplay& replay) {
  return replay.max_surge > 0 ? Count() : Count(replay.max_unavailable);
}

Finding stuck(const DaemonSetCase& c, const RolloutReplay& replay,
              const model::OptionalTime& progress, bool explained) {
  const bool has_room = !explained && replay.units.empty();
  Finding finding =
      finding_of(c,
                 finding::RolloutStuck{
                     .desired = replay.desired,
                     .idle = progress ? std::optional(c.facts.now() - *progress) : std::nullopt,
                     .outdated = replay.outdated,
                     .pods_are_unavailable = !replay.units.empty(),
                     .terminating = terminating(replay),
                     .units = explained ? std::vector<Message>() : users_of_budget(c, replay),
                     .unused_surge = has_room ? used_surge(replay) : Count(),
                     .unused_unavailable = has_room ? used_unavailable(replay) : Count()},
                 revision_evidence(c));
  if (!progress) finding.basis = Basis::Suspected;
  return finding;
}

/// The minimum duration of the rolling update because of minReadySeconds.
std::optional<model::Time::duration> least_time(const RolloutReplay& replay, std::int64_t pause) {
  if (pause <= 0 || replay.budget() <= 0) return std::nullopt;
  const std::int64_t steps = (replay.outdated + replay.budget() - 1) / replay.budget();
  return std::chrono::seconds(steps * pause);
}

Finding paced(const DaemonSetCase& c, const RolloutReplay& replay) {
  const std::int64_t pause = std::clamp<std::int64_t>(c.ds.min_ready_seconds, 0, 1'000'000);
  std::vector<Evidence> evidence = {limit_evidence(c, replay)};
  if (pause > 0) evidence.push_back(field(c, "spec.minReadySeconds", std::to_string(pause)));
  Finding finding = finding_of(c,
                               finding::RolloutPaced{.at_a_time = replay.budget(),
                                                     .desired = replay.desired,
                                                     .max_surge = used_surge(replay),
                                                     .max_unavailable = used_unavailable(replay),
                                                     .outdated = replay.outdated,
                                                     .pause = pause,
                                                     .remaining = least_time(replay, pause),
                                                     .terminating = terminating(replay),
                                                     .units = users_of_budget(c, replay)},
                               std::move(evidence));
  finding.standing = Standing::Context;
  finding.transient = true;
  return finding;
}

Finding outdated_pods(const DaemonSetCase& c) {
  Finding finding = finding_of(c, finding::DriftOutdatedPods{.revisions = pods_by_revision(c)},
                               revision_evidence(c));
  finding.standing = Standing::Context;
  finding.transient = true;
  return finding;
}

/// True if the controller only waits for Ready pods to reach minReadySeconds, for others to become
/// Ready within their probe budget, or for pods to terminate.
bool waits_for_pods_on_their_way(const DaemonSetCase& c, const RolloutReplay& replay) {
  const auto is_coming = [&](const BudgetUnit& unit) {
    if (unit.terminating != nullptr) return is_on_its_way(c, *unit.terminating);
    const model::Pod* pod = unit.new_pod != nullptr ? unit.new_pod : unit.old_pod;
    if (pod == nullptr) return false;
    if (!is_ready(*pod)) return is_on_its_way(c, *pod);
    const auto since = model::find_condition(pod->conditions, "Ready")->last_transition;
    const std::int64_t pause = std::clamp<std::int64_t>(c.ds.min_ready_seconds, 0, 1'000'000);
    return since && *since + std::chrono::seconds(pause) > c.facts.now();
  };
  return replay.blocked() && !replay.units.empty() && std::ranges::all_of(replay.units, is_coming);
}

bool is_moving(const DaemonSetCase& c, const RolloutReplay& replay,
               const model::OptionalTime& progress) {
  return (progress && *progress + threshold::rollout > c.facts.now()) ||
         waits_for_pods_on_their_way(c, replay);
}

std::vector<Finding> rolling_findings(const DaemonSetCase& c, const RolloutReplay& replay,
                                      bool creates_pods) {
  const auto progress = last_progress(c, replay);
  const bool moves = is_moving(c, replay, progress);
  std::vector<Finding> findings = self_blocking(c, replay);
  const bool blocks_itself = !findings.empty();
  const auto broken = broken_revision(c, replay);
  if (broken) findings.push_back(*broken);
  if (moves || (!progress && !replay.blocked())) {
    if (replay.blocked() && dead_units(c, replay) >= replay.budget()) {
      if (auto budget = used_budget(c, replay)) findings.push_back(*std::move(budget));
    }
    if (findings.empty()) findings.push_back(paced(c, replay));
    findings.push_back(outdated_pods(c));
    return findings;
  }
  if (!blocks_itself) {
    if (auto budget = used_budget(c, replay)) findings.push_back(*std::move(budget));
  }
  findings.push_back(stuck(c, replay, progress, !findings.empty() || !creates_pods));
  return findings;
}

/// The controller counts eligible nodes only; outdated pods on other nodes are not part of the
/// rollout.
bool is_up_to_date_by_status(const model::DaemonSet& ds) {
  return ds.reported.updated_number_scheduled >= ds.reported.desired_number_scheduled;
}

/// Whether the progress of a template change is known and the controller has observed the change.
bool is_followed(const DaemonSetCase& c) {
  const bool known = c.report.evaluated.pods_known && c.revision.is_known();
  return known && !c.ds.meta.deleted && c.ds.generation <= c.ds.observed_generation &&
         !(c.claimed.owned.empty() && c.claimed.adoptable.empty());
}

}  // namespace

bool neglects_rollout(const DaemonSetCase& c, model::Time::duration silence) {
  if (c.ds.update_strategy == "OnDelete" || !is_followed(c)) return false;
  const RolloutReplay replay = replay_rollout(c);
  if (replay.outdated == 0 || replay.blocked()) return false;
  const auto progress = last_progress(c, replay);
  return progress && !is_moving(c, replay, progress) &&
         *progress + threshold::rollout > c.facts.now() - silence;
}

std::vector<Finding> rollout_findings(const DaemonSetCase& c, bool creates_pods) {
  if (!is_followed(c)) return {};
  const RolloutReplay replay = replay_rollout(c);
  if (!c.report.evaluated.nodes_known && is_up_to_date_by_status(c.ds)) return {};
  std::vector<Finding> findings;
  if (auto adopted = adopted_pod_finding(c)) findings.push_back(*std::move(adopted));
  if (c.ds.update_strategy != "OnDelete" && replay.outdated > 0) {
    std::ranges::move(rolling_findings(c, replay, creates_pods), std::back_inserter(findings));
    return findings;
  }
  if (auto broken = broken_revision(c, replay)) findings.push_back(*std::move(broken));
  if (c.ds.update_strategy == "OnDelete" && replay.outdated > 0) {
    findings.push_back(on_delete_finding(c, replay, creates_pods && new_pods_work(c, replay)));
  }
  return findings;
}

}  // namespace dsdoctor::diagnosis
