// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/nodes/startup_agents.h"

#include <algorithm>

#include "diagnosis/catalogue/findings/node.h"
#include "diagnosis/evidence/node_state.h"
#include "diagnosis/evidence/startup_circle.h"
#include "diagnosis/report/pod_signs.h"
#include "placement/tolerates.h"
#include "placement/verdict.h"

namespace dsdoctor::diagnosis {
namespace {

template <typename Is>
bool any_status(const model::Pod& pod, const Is& is) {
  return std::ranges::any_of(pod.statuses, is) || std::ranges::any_of(pod.init_statuses, is);
}

bool is_backing_off(const model::ContainerStatus& status) {
  return status.waiting && status.waiting->reason.view().find("BackOff") != std::string_view::npos;
}

/// True if a container of the pod has restarted or is backing off.
bool waits_to_retry(const model::Pod& pod) {
  return any_status(pod, [](const model::ContainerStatus& status) {
    return status.restart_count > 0 || is_backing_off(status);
  });
}

/// Absent if the agent's pod is working or starting.
std::optional<Message> hindrance_of(const NodeCase& of, const model::DaemonSet& ds) {
  const Facts& facts = of.of.facts;
  const model::Pod* pod = pod_of(ds, facts.pods_on(of.node.meta.name));
  if (pod == nullptr) return phrase::AgentHasNoPod{.daemon_set = ds.meta.name};
  if (is_terminating(*pod)) return phrase::AgentPodTerminating{.its_pod = pod->meta.name};
  const bool starting = pod->meta.created && facts.now() - *pod->meta.created < threshold::creating;
  if (is_ready(*pod) || (starting && !waits_to_retry(*pod))) return std::nullopt;
  return phrase::AgentPodNotReady{.its_pod = pod->meta.name};
}

/// True if the container restarts repeatedly, each run shorter than a startup taint may last.
bool is_crashing(const model::ContainerStatus& status) {
  const auto& end = status.terminated ? status.terminated : status.last_terminated;
  return status.restart_count > 1 && end && end->started && end->finished &&
         *end->finished - *end->started < threshold::startup_taint;
}

/// An agent removes its taint, or lets it be removed, as soon as it is ready.
constexpr std::chrono::seconds just_ready{120};

/// Whether the container waits because of a failure.
bool is_refused(const model::ContainerStatus& status) {
  return status.waiting &&
         !is_one_of(status.waiting->reason, {"", "ContainerCreating", "PodInitializing"});
}

bool is_starting(const model::Pod& pod, model::Time now) {
  if (any_status(pod, is_refused) || any_status(pod, is_crashing)) return false;
  const auto ready = model::find_condition(pod.conditions, "Ready");
  if (ready == nullptr) return is_younger(pod.meta.created, threshold::startup_taint, now);
  const auto limit = ready->status == "True" ? just_ready : threshold::startup_taint;
  return is_younger(ready->last_transition, limit, now);
}

bool agent_is_starting(const NodeCase& of, const model::Taint& taint) {
  const Facts& facts = of.of.facts;
  auto removers = possible_removers(facts.cluster(), taint);
  if (const auto* sure = remover_of(facts.cluster(), taint)) removers = {sure};
  return std::ranges::any_of(removers, [&](const model::DaemonSet* ds) {
    const model::Pod* pod = pod_of(*ds, facts.pods_on(of.node.meta.name));
    return pod != nullptr && !is_terminating(*pod) && is_starting(*pod, facts.now());
  });
}

/// Creation time of the newest pod that would not have been bound to the node with the taint.
/// Static pods do not count, because the kubelet starts them without the scheduler.
model::OptionalTime newest_without(const NodeCase& of, const model::Taint& taint) {
  model::OptionalTime result;
  for (const model::Pod* pod : of.of.facts.pods_on(of.node.meta.name)) {
    const auto& created = pod->meta.created;
    if (!created || (result && *created <= *result)) continue;
    if (!pod->meta.controller || pod->meta.controller->kind == "Node") continue;
    if (placement::first_tolerating(*pod->tolerations, taint, of.of.gates) == nullptr) {
      result = created;
    }
  }
  return result;
}

/// Adds the taints that exclude the DaemonSet from the node, each once; false if anything else
/// excludes it.
bool add_taints_before(const NodeCase& of, const model::DaemonSet& ds,
                       std::vector<const model::Taint*>& into) {
  const placement::Evaluator agent(ds.pod_template, of.of.gates);
  const placement::Verdict verdict = agent.evaluate(of.node);
  for (const placement::Reason& reason : verdict.reasons) {
    const auto* open = std::get_if<placement::UntoleratedTaint>(&reason);
    if (open == nullptr || open->index >= of.node.taints.size()) return false;
    const model::Taint* taint = &of.node.taints[open->index];
    if (std::ranges::find(into, taint) == into.end()) into.push_back(taint);
  }
  return true;
}

/// True if only taints exclude the agent from the node, and nothing hinders the agents that remove
/// them, nor the agents that those wait for.
bool starts_later(const NodeCase& of, const model::DaemonSet& agent) {
  const Facts& facts = of.of.facts;
  const auto left = taints_left_behind(facts, of.node, of.of.gates);
  std::vector<const model::Taint*> before;
  if (!add_taints_before(of, agent, before)) return false;
  for (std::size_t i = 0; i < std::min(before.size(), most_startup_agents); ++i) {
    if (std::ranges::find(left, before[i]) != left.end()) return false;
    const model::DaemonSet* ds = remover_of(facts.cluster(), *before[i]);
    if (ds == nullptr) return false;
    const placement::Evaluator evaluator(ds->pod_template, of.of.gates);
    const bool is_there = pod_of(*ds, facts.pods_on(of.node.meta.name)) != nullptr;
    if (is_there || placement::should_run(evaluator.decide(of.node))) {
      if (hindrance_of(of, *ds)) return false;
    } else if (!add_taints_before(of, *ds, before)) {
      return false;
    }
  }
  return true;
}

}  // namespace

StartupWait startup_wait(const NodeCase& of, const model::Taint& taint) {
  StartupWait result;
  result.since = added_at(taint, of.node);
  const bool is_dated = result.since.has_value();
  if (!is_dated) result.since = of.node.meta.created;
  if (is_dated || !placement::is_blocking(taint)) return result;
  if (is_younger(of.node.meta.created, threshold::startup_taint, of.of.facts.now())) return result;
  result.agent_is_starting = agent_is_starting(of, taint);
  const auto newest = newest_without(of, taint);
  if (newest && result.since && *newest > *result.since) {
    result.since.reset();
    result.not_before = newest;
  }
  return result;
}

const model::Pod* pod_of(const model::DaemonSet& ds, const Facts::Pods& here) {
  const model::Pod* result = nullptr;
  for (const model::Pod* pod : here) {
    if (is_named_owner(ds, *pod) && (result == nullptr || is_terminating(*result))) result = pod;
  }
  return result;
}

const model::Pod* waiting_initializer(const NodeCase& of) {
  constexpr std::string_view words = "cloud-controller-manager";
  const auto is_of_cloud = [&](const model::Pod& pod) {
    if (mentions(pod.meta.name, words)) return true;
    return std::ranges::any_of(pod.spec->containers, [&](const model::Container& container) {
      return mentions(program_of(container.image), words);
    });
  };
  for (const model::Pod* pod : of.of.facts.pods_on(of.node.meta.name)) {
    const bool waits = pod->phase == "Pending" && !pod->host_network && !is_terminating(*pod);
    if (waits && is_of_cloud(*pod)) return pod;
  }
  return nullptr;
}

const model::Pod* idle_agent(const NodeCase& of, const model::Taint& taint) {
  const Facts& facts = of.of.facts;
  for (const model::DaemonSet* ds : possible_removers(facts.cluster(), taint)) {
    const model::Pod* pod = pod_of(*ds, facts.pods_on(of.node.meta.name));
    if (pod == nullptr || !is_ready(*pod) || is_terminating(*pod)) continue;
    const auto ready = model::find_condition(pod->conditions, "Ready");
    const bool is_long = is_older(ready->last_transition, threshold::startup_taint, facts.now());
    const model::OptionalTime added = added_at(taint, of.node);
    const bool is_old = !added || is_older(added, threshold::startup_taint, facts.now());
    if (is_long && is_old) return pod;
  }
  return nullptr;
}

std::optional<Message> hindrance_of_agent(const NodeCase& of, const model::Taint& taint) {
  const Facts& facts = of.of.facts;
  const model::Cluster& cluster = facts.cluster();
  // Its pod can be one of those that were not read.
  if (!facts.knows_all_pods_on(of.node.meta.name)) return std::nullopt;
  if (remover_of(cluster, taint) == nullptr) return std::nullopt;
  std::optional<Message> excluded;  // used if the node is eligible for no DaemonSet of the agent
  std::optional<Message> hindrance;
  for (const model::DaemonSet* ds : possible_removers(cluster, taint)) {
    const placement::Evaluator evaluator(ds->pod_template, of.of.gates);
    const bool is_there = pod_of(*ds, facts.pods_on(of.node.meta.name)) != nullptr;
    if (!is_there && !placement::should_run(evaluator.decide(of.node))) {
      if (starts_later(of, *ds)) return std::nullopt;
      excluded = phrase::AgentIsNotEligible{.daemon_set = ds->meta.name};
      continue;
    }
    hindrance = hindrance_of(of, *ds);
    if (!hindrance) return std::nullopt;
  }
  return hindrance ? hindrance : excluded;
}

}  // namespace dsdoctor::diagnosis
