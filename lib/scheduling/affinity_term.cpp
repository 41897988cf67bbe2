// SPDX-License-Identifier: Apache-2.0
#include "scheduling/affinity_term.h"

#include <algorithm>

#include "placement/label_selector.h"

namespace dsdoctor::scheduling {
namespace {

Judgement by_namespace_labels(const model::LabelSelector& selector, std::string_view ns,
                              const model::Cluster& cluster) {
  if (placement::selects_everything(selector)) return meant;
  const auto name = [](const model::Namespace& entry) { return entry.meta.name.view(); };
  const auto found = std::ranges::lower_bound(cluster.namespaces, ns, {}, name);
  if (found == cluster.namespaces.end() || found->meta.name != ns) {
    return Judgement::Unknown;  // the namespace exists, but was not read
  }
  return placement::matches(selector, found->meta.labels) ? meant : not_meant;
}

}  // namespace

Judgement is_meant(const model::PodAffinityTerm& term, std::string_view owner_ns,
                   const model::Pod& pod, const model::Cluster& cluster) {
  if (!term.label_selector || !placement::matches(*term.label_selector, pod.meta.labels)) {
    return not_meant;
  }
  if (std::ranges::find(term.namespaces, pod.meta.ns) != term.namespaces.end()) return meant;
  if (term.namespace_selector) {
    return by_namespace_labels(*term.namespace_selector, pod.meta.ns, cluster);
  }
  return term.namespaces.empty() && pod.meta.ns == owner_ns ? meant : not_meant;
}

Judgement all_mean(std::span<const model::PodAffinityTerm> terms, std::string_view owner_ns,
                   const model::Pod& pod, const model::Cluster& cluster) {
  Judgement result = meant;
  for (const model::PodAffinityTerm& term : terms) {
    const Judgement one = is_meant(term, owner_ns, pod, cluster);
    if (one == not_meant) return not_meant;
    if (one == Judgement::Unknown) result = Judgement::Unknown;
  }
  return result;
}

}  // namespace dsdoctor::scheduling
