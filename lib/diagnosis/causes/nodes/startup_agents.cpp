#include "diagnosis/causes/nodes/startup_agents.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnosis/evidence/startup_circle.h"
#include "placement/verdict.h"
namespace dsdoctor::diagnosis {
namespace {

/// A container that failed to start before.
bool waits_to_retry(const model::Pod& pod) {
  const auto retries = [](const model::ContainerStatus& status) {
    return status.restart_count > 0 || (status.waiting && status.waiting->reason.view().find(
                                                              "BackOff") != std::string_view::npos);
  };
  return std::ranges::any_of(pod.statuses, retries) ||
         std::ranges::any_of(pod.init_statuses, retries);
}

/// Empty where the agent's pod is at work, or starting.
std::string hindrance_of(const NodeCase& of, const model::DaemonSet& ds) {
  const Facts& facts = of.of.facts;
  const std::string_view name = ds.meta.name;
  if (!facts.knows_all_pods_on(of.node.meta.name)) return {};
  const model::Pod* pod = pod_of(ds, facts.pods_on(of.node.meta.name));
  if (pod == nullptr) return fmt::format("; no pod of DaemonSet {} runs on the node", name);
  if (is_terminating(*pod))
    return fmt::format("; its pod {} is terminating", pod->meta.name.view());
  const bool starting = pod->meta.created && facts.now() - *pod->meta.created < threshold::creating;
  if (is_ready(*pod) || (starting && !waits_to_retry(*pod))) return {};
  return fmt::format("; its pod {} is not ready", pod->meta.name.view());
}

}  // namespace

const model::Pod* pod_of(const model::DaemonSet& ds, const Facts::Pods& here) {
  const model::Pod* result = nullptr;
  for (const model::Pod* pod : here) {
    const auto& owner = pod->meta.controller;
    const bool is_its = owner && owner->kind == "DaemonSet" && owner->name == ds.meta.name &&
                        pod->meta.ns == ds.meta.ns;
    if (is_its && (result == nullptr || is_terminating(*result))) result = pod;
  }
  return result;
}

std::string hindrance_of_agent(const NodeCase& of, const model::Taint& taint) {
  const model::Cluster& cluster = of.of.facts.cluster();
  if (remover_of(cluster, taint) == nullptr) return {};
  std::string excluded;  // told where the node is eligible for no DaemonSet of the agent
  std::string hindrance;
  for (const model::DaemonSet* ds : possible_removers(cluster, taint)) {
    const placement::Evaluator evaluator(ds->pod_template, of.of.gates);
    if (!placement::should_run(evaluator.decide(of.node))) {
      excluded = fmt::format("; the node is not eligible for DaemonSet {}", ds->meta.name.view());
      continue;
    }
    hindrance = hindrance_of(of, *ds);
    if (hindrance.empty()) return {};
  }
  return hindrance.empty() ? excluded : hindrance;
}

}  // namespace dsdoctor::diagnosis
