// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/creation/quota.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "diagnosis/catalogue/object_evidence.h"
#include "diagnosis/causes/template/spec_findings.h"
#include "placement/label_selector.h"
#include "scheduling/fit.h"
#include "scheduling/pod_requests.h"

namespace dsdoctor::diagnosis {
namespace {

using scheduling::Amounts;
using scheduling::Quantity;

/// Limits add up like requests; overhead counts only if there is a limit.
Amounts pod_limits(const model::Pod& pod) {
  model::PodSpec spec = *pod.spec;
  const model::Labels overhead = std::move(spec.overhead);
  spec.overhead = {};
  spec.requests = spec.limits;
  for (auto* list : {&spec.containers, &spec.init_containers}) {
    for (model::Container& container : *list) container.requests = container.limits;
  }
  model::Pod limited;
  limited.spec = std::move(spec);
  Amounts sums = scheduling::pod_requests(limited, scheduling::CountedBy::Spec).amounts;
  std::vector<std::string> ignored;
  for (const auto& [name, amount] : scheduling::amounts_of(overhead, "overhead", ignored)) {
    const auto limit = sums.find(name);
    if (limit != sums.end() && !limit->second.is_zero()) limit->second += amount;
  }
  return sums;
}

bool is_compute(std::string_view name) {
  return name == "cpu" || name == "memory" || name == "ephemeral-storage";
}

/// Usage that one pod adds to a quota, under every name that a quota can use for it.
Amounts usage_of(const model::Pod& pod) {
  const Quantity one = Quantity::of_units(1);
  Amounts usage = {{"pods", one}, {"count/pods", one}};
  const auto requests = scheduling::pod_requests(pod, scheduling::CountedBy::Spec);
  for (const auto& [name, amount] : requests.amounts) {
    const bool huge_pages = name.starts_with("hugepages-");
    if (is_compute(name) || huge_pages) usage[name] = amount;
    if (is_compute(name) || huge_pages || scheduling::is_extended_resource(name)) {
      usage["requests." + name] = amount;
    }
  }
  for (const auto& [name, amount] : pod_limits(pod)) {
    if (is_compute(name)) usage["limits." + name] = amount;
  }
  return usage;
}

bool in_scope(const model::Pod& pod, std::string_view priority_class,
              const model::NodeSelectorRequirement& scope) {
  const std::string_view name = scope.key;
  // A DaemonSet's pods have no activeDeadlineSeconds.
  if (name == "Terminating") return false;
  if (name == "NotTerminating") return true;
  if (name == "BestEffort") return is_best_effort(*pod.spec);
  if (name == "NotBestEffort") return !is_best_effort(*pod.spec);
  if (name == "PriorityClass") {
    model::Labels labels;
    if (!priority_class.empty()) labels.set("PriorityClass", priority_class);
    return placement::satisfies(labels, scope);
  }
  if (name != "CrossNamespacePodAffinity") return false;
  const auto crosses = [](const model::PodAffinityTerm& term) {
    return !term.namespaces.empty() || term.namespace_selector.has_value();
  };
  return std::ranges::any_of(pod.spec->pod_affinity, crosses) ||
         std::ranges::any_of(pod.spec->pod_anti_affinity, crosses);
}

bool covers(const model::ResourceQuota& quota, const model::Pod& pod,
            std::string_view priority_class) {
  const auto by_name = [&](const model::Text& scope) {
    return in_scope(pod, priority_class, {scope, "Exists", {}});
  };
  const auto by_selector = [&](const model::NodeSelectorRequirement& scope) {
    return in_scope(pod, priority_class, scope);
  };
  return quota.meta.ns == pod.meta.ns && std::ranges::all_of(quota.scopes, by_name) &&
         std::ranges::all_of(quota.scope_selector, by_selector);
}

/// Number of whole pods that fit into the remaining quota. REQUIRES: `requested` is above 0.
std::int64_t room_for(const Quantity& requested, const Quantity& used, const Quantity& hard) {
  const Quantity counted = std::max(used, Quantity());
  if (hard <= counted) return 0;
  const scheduling::Int128 pods = (hard.nanos() - counted.nanos()) / requested.nanos();
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return pods > most ? most : static_cast<std::int64_t>(pods);
}

/// Values that a quota demands of every container and that a container does not set.
std::vector<UnsetResource> unset_resources(const model::Pod& pod,
                                           const model::ResourceQuota& quota) {
  // With pod-level resources the containers need none.
  if (pod.spec->requests || pod.spec->limits) return {};
  constexpr std::array demanded = {"cpu",    "limits.cpu",   "limits.memory",
                                   "memory", "requests.cpu", "requests.memory"};
  std::vector<UnsetResource> result;
  for (const std::string_view name : demanded) {
    if (!quota.hard.find(name) || !quota.used.find(name)) continue;
    const bool limit = name.starts_with("limits.");
    const std::string_view bare = name.substr(name.find('.') + 1);
    UnsetResource unset{std::string(name), {}};
    for (const auto* list : {&pod.spec->containers, &pod.spec->init_containers}) {
      for (const model::Container& container : *list) {
        const model::Labels& has = limit ? container.limits : container.requests;
        if (!has.find(bare)) unset.containers.push_back(container.name.str());
      }
    }
    if (!unset.containers.empty()) result.push_back(std::move(unset));
  }
  return result;
}

const model::Labels& entries_of(const model::ResourceQuota& quota, QuotaMap map) {
  return map == QuotaMap::Hard ? quota.hard : quota.used;
}

Amounts amounts_of(const model::ResourceQuota& quota, QuotaMap map,
                   std::vector<Evidence>& unusable) {
  Amounts result;
  for (const auto& [resource, text] : entries_of(quota, map)) {
    if (const auto amount = Quantity::parse(text)) {
      result[resource.str()] = *amount;
    } else {
      unusable.push_back(quota_evidence(quota, map, resource));
    }
  }
  return result;
}

QuotaJudgement judge(const model::Pod& pod, const Amounts& usage,
                     const model::ResourceQuota& quota) {
  QuotaJudgement result;
  result.quota = &quota;
  const Amounts hard = amounts_of(quota, QuotaMap::Hard, result.unusable);
  const Amounts used = amounts_of(quota, QuotaMap::Used, result.unusable);
  for (const auto& [resource, limit] : hard) {
    const auto of_pod = usage.find(resource);
    const auto counted = used.find(resource);
    if (of_pod == usage.end() || counted == used.end() || of_pod->second <= Quantity()) continue;
    result.uses.push_back({resource, of_pod->second, counted->second, limit,
                           room_for(of_pod->second, counted->second, limit)});
  }
  std::ranges::stable_sort(result.uses, {}, &QuotaUse::room);
  result.unset = unset_resources(pod, quota);
  return result;
}

}  // namespace

std::vector<QuotaJudgement> judge_quotas(const model::Pod& pod, std::string_view priority_class,
                                         const std::vector<model::ResourceQuota>& quotas) {
  std::vector<QuotaJudgement> result;
  Amounts usage;
  for (const model::ResourceQuota& quota : quotas) {
    if (!covers(quota, pod, priority_class)) continue;
    if (usage.empty()) usage = usage_of(pod);
    result.push_back(judge(pod, usage, quota));
  }
  return result;
}

ObjectRef ref_of(const model::ResourceQuota& quota) {
  return {"ResourceQuota", quota.meta.ns.str(), quota.meta.name.str()};
}

Evidence quota_evidence(const model::ResourceQuota& quota, QuotaMap map,
                        std::string_view resource) {
  const model::Text* amount = entries_of(quota, map).find(resource);
  return {ref_of(quota),
          fmt::format("status.{}['{}']", map == QuotaMap::Hard ? "hard" : "used", resource),
          amount == nullptr ? std::string() : evidence_value(*amount)};
}

bool still_exceeds(const std::vector<QuotaFigure>& asked, const model::ResourceQuota& quota) {
  return std::ranges::any_of(asked, [&](const QuotaFigure& figure) {
    const model::Text* hard = quota.hard.find(figure.resource);
    const model::Text* used = quota.used.find(figure.resource);
    if (hard == nullptr || used == nullptr) return false;
    const auto requested = Quantity::parse(figure.requested);
    const auto limit = Quantity::parse(*hard);
    auto sum = Quantity::parse(*used);
    if (!requested || !limit || !sum) return false;
    return (*sum += *requested) > *limit;
  });
}

}  // namespace dsdoctor::diagnosis
