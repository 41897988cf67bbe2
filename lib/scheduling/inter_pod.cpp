// SPDX-License-Identifier: Apache-2.0
#include "scheduling/inter_pod.h"

#include <algorithm>

namespace dsdoctor::scheduling {
namespace {

const model::Text* label(const model::Node& node, const model::Text& key) {
  return node.meta.labels.find(key);
}

/// The node's topology domain for `key`; null if the node does not have the label. Valid as long as
/// `around` is.
const Neighbourhood::Domain* domain(std::span<const model::PodAffinityTerm> terms,
                                    const model::Pod& pod, const model::Text& key,
                                    const Surroundings& around) {
  const model::Text* value = label(around.node, key);
  if (value == nullptr) return nullptr;
  const auto& domains = around.neighbourhood.meant_by(terms, pod.meta.ns, key);
  const auto found = domains.find(*value);
  return found == domains.end() ? nullptr : &found->second;
}

bool any_there(const Pods& pods, const Surroundings& around) {
  return std::ranges::any_of(pods, [&](const model::Pod* pod) { return around.is_there(pod); });
}

/// Whether a pod that matches all affinity terms runs in the node's domain for `key`: Blocked is
/// "yes".
Judgement has_company(const model::Pod& pod, const model::Text& key, const Surroundings& around) {
  const auto* here = domain(pod.spec->pod_affinity, pod, key, around);
  if (here == nullptr) return not_meant;
  if (any_there(here->meant, around)) return meant;
  return here->unread || any_there(here->unsure, around) ? Judgement::Unknown : not_meant;
}

/// Whether a pod that matches all affinity terms runs on any node with one of the terms' labels:
/// Blocked is "yes".
Judgement has_kin_anywhere(const model::Pod& pod, const Surroundings& around) {
  Judgement result = around.cluster.all_pods_known ? not_meant : Judgement::Unknown;
  const auto& terms = pod.spec->pod_affinity;
  for (const model::PodAffinityTerm& term : terms) {
    for (const auto& [value, there] :
         around.neighbourhood.meant_by(terms, pod.meta.ns, term.topology_key)) {
      if (any_there(there.meant, around)) return meant;
      if (any_there(there.unsure, around)) result = Judgement::Unknown;
    }
  }
  return result;
}

/// The result of one term of the pod's own anti-affinity, in the node's domain.
InterPodResult against(const model::Pod& pod, const model::PodAffinityTerm& term,
                       const Surroundings& around) {
  InterPodResult result{Judgement::Passes, term, false, {}};
  const auto* here = domain({&term, 1}, pod, term.topology_key, around);
  if (here == nullptr) return result;
  const auto counts = [&](const auto* other) { return other != &pod && around.is_there(other); };
  std::ranges::copy_if(here->meant, std::back_inserter(result.pods), counts);
  if (here->unread || std::ranges::any_of(here->unsure, counts)) {
    result.judgement = Judgement::Unknown;
  }
  if (!result.pods.empty()) result.judgement = Judgement::Blocked;
  return result;
}

}  // namespace

InterPodResult own_affinity(const model::Pod& pod, const Surroundings& around) {
  const auto& terms = pod.spec->pod_affinity;
  InterPodResult result;
  if (terms.empty()) return result;
  for (const model::PodAffinityTerm& term : terms) {
    if (label(around.node, term.topology_key) == nullptr) {
      return {Judgement::Blocked, term, true, {}};
    }
  }
  for (const model::PodAffinityTerm& term : terms) {
    const Judgement company = has_company(pod, term.topology_key, around);
    if (company == meant) continue;
    if (company == Judgement::Unknown) {
      result = {Judgement::Unknown, term, false, {}};
      continue;
    }
    result = {Judgement::Blocked, term, false, {}};
    break;
  }
  if (!result.blocks()) return result;
  // A pod that matches its own affinity terms may be the first such pod.
  const Judgement first = all_mean(terms, pod.meta.ns, pod, around.cluster);
  if (first == not_meant) return result;
  const Judgement kin = has_kin_anywhere(pod, around);
  if (kin == meant) return result;
  result.judgement = kin == not_meant && first == meant ? Judgement::Passes : Judgement::Unknown;
  return result;
}

InterPodResult own_anti_affinity(const model::Pod& pod, const Surroundings& around) {
  InterPodResult unknown;
  for (const model::PodAffinityTerm& term : pod.spec->pod_anti_affinity) {
    InterPodResult result = against(pod, term, around);
    if (result.blocks()) return result;
    if (result.judgement == Judgement::Unknown) unknown = std::move(result);
  }
  return unknown;
}

InterPodResult existing_anti_affinity(const model::Pod& pod, const Surroundings& around) {
  InterPodResult result;
  if (!around.cluster.all_pods_known) result.judgement = Judgement::Unknown;
  std::vector<Neighbourhood::Bearer> against;
  for (const auto* aversion : around.neighbourhood.aversions_around(around.node)) {
    if (is_meant(*aversion->term, aversion->owner_ns, pod, around.cluster) != meant) continue;
    std::ranges::copy_if(aversion->bearers, std::back_inserter(against), [&](const auto& bearer) {
      return bearer.pod != &pod && around.is_there(bearer.pod);
    });
  }
  if (against.empty()) return result;
  std::ranges::sort(against, {}, [](const auto& b) { return std::pair(b.order, b.index); });
  result.judgement = Judgement::Blocked;
  result.term = against.front().pod->spec->pod_anti_affinity[against.front().index];
  for (const Neighbourhood::Bearer& bearer : against) {
    if (result.pods.empty() || result.pods.back() != bearer.pod) result.pods.push_back(bearer.pod);
  }
  return result;
}

Pods kept_apart(const model::Pod& pod, const Surroundings& around) {
  Pods result = existing_anti_affinity(pod, around).pods;
  for (const model::PodAffinityTerm& term : pod.spec->pod_anti_affinity) {
    const Pods more = against(pod, term, around).pods;
    result.insert(result.end(), more.begin(), more.end());
  }
  return result;
}

}  // namespace dsdoctor::scheduling
