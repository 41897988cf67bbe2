#include "scheduling/inter_pod.h"

#include <algorithm>

#include "placement/label_selector.h"

namespace dsdoctor::scheduling {
namespace {

/// Blocked is to be read as "is meant", Passes as "is not".
constexpr Judgement meant = Judgement::Blocked;
constexpr Judgement not_meant = Judgement::Passes;

Judgement by_namespace_labels(const model::LabelSelector& selector, std::string_view ns,
                              const model::Cluster& cluster) {
  if (placement::selects_everything(selector)) return meant;
  const auto name = [](const model::Namespace& entry) { return entry.meta.name.view(); };
  const auto found = std::ranges::lower_bound(cluster.namespaces, ns, {}, name);
  if (found == cluster.namespaces.end() || found->meta.name != ns) {
    return Judgement::Unknown;  // a pod's namespace exists; it merely was not read
  }
  return placement::matches(selector, found->meta.labels) ? meant : not_meant;
}

const model::Text* label(const model::Node& node, const model::Text& key) {
  return node.meta.labels.find(key);
}

/// The nodes with the same value of `key`, the one in question among them. Empty if it has none.
std::vector<const model::Node*> domain(const Surroundings& around, const model::Text& key) {
  std::vector<const model::Node*> result;
  const model::Text* value = label(around.node, key);
  if (value == nullptr) return result;
  for (const model::Node& node : around.cluster.nodes) {
    const model::Text* other = label(node, key);
    if (other != nullptr && *other == *value) result.push_back(&node);
  }
  return result;
}

/// Passes: no term speaks of the pod. A pod counts for affinity only if all terms mean it.
Judgement all_mean(const std::vector<model::PodAffinityTerm>& terms, std::string_view owner_ns,
                   const model::Pod& pod, const model::Cluster& cluster) {
  Judgement result = meant;
  for (const model::PodAffinityTerm& term : terms) {
    const Judgement one = is_meant(term, owner_ns, pod, cluster);
    if (one == not_meant) return not_meant;
    if (one == Judgement::Unknown) result = Judgement::Unknown;
  }
  return result;
}

/// Whether a pod that all terms mean runs in this node's domain of `key`: Blocked is "yes".
Judgement has_company(const model::Pod& pod, const model::Text& key, const Surroundings& around) {
  Judgement result = not_meant;
  for (const model::Node* node : domain(around, key)) {
    if (!around.knows_pods_on(node->meta.name)) result = Judgement::Unknown;
    for (const model::Pod* other : around.pods_on(node->meta.name)) {
      if (!around.is_there(other)) continue;
      const Judgement one = all_mean(pod.spec->pod_affinity, pod.meta.ns, *other, around.cluster);
      if (one == meant) return meant;
      if (one == Judgement::Unknown) result = Judgement::Unknown;
    }
  }
  return result;
}

/// Whether such a pod runs on any node that has one of the terms' labels: Blocked is "yes".
Judgement has_kin_anywhere(const model::Pod& pod, const Surroundings& around) {
  Judgement result = around.cluster.all_pods_known ? not_meant : Judgement::Unknown;
  const auto& terms = pod.spec->pod_affinity;
  for (const model::Node& node : around.cluster.nodes) {
    const auto has_key = [&](const auto& term) { return label(node, term.topology_key); };
    if (std::ranges::none_of(terms, has_key)) continue;
    for (const model::Pod* other : around.pods_on(node.meta.name)) {
      if (!around.is_there(other)) continue;
      const Judgement one = all_mean(terms, pod.meta.ns, *other, around.cluster);
      if (one == meant) return meant;
      if (one == Judgement::Unknown) result = Judgement::Unknown;
    }
  }
  return result;
}

/// The node's domain of one term of the pod's own anti-affinity.
InterPodResult against(const model::Pod& pod, const model::PodAffinityTerm& term,
                       const Surroundings& around) {
  InterPodResult result{Judgement::Passes, term, false, {}};
  for (const model::Node* node : domain(around, term.topology_key)) {
    if (!around.knows_pods_on(node->meta.name)) result.judgement = Judgement::Unknown;
    for (const model::Pod* other : around.pods_on(node->meta.name)) {
      if (other == &pod || !around.is_there(other)) continue;
      const Judgement one = is_meant(term, pod.meta.ns, *other, around.cluster);
      if (one == meant) result.pods.push_back(other);
      if (one == Judgement::Unknown) result.judgement = Judgement::Unknown;
    }
  }
  if (!result.pods.empty()) result.judgement = Judgement::Blocked;
  return result;
}

/// Whether `other` runs in the node's domain of `key`.
bool shares_domain(const model::Pod& other, const model::Text& key, const Surroundings& around) {
  const model::Text* value = label(around.node, key);
  if (value == nullptr) return false;
  if (other.node_name == around.node.meta.name) return true;
  const model::Node* node = model::find_node(around.cluster, other.node_name);
  const model::Text* theirs = node ? label(*node, key) : nullptr;
  return theirs != nullptr && *theirs == *value;
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
  // The first of its kind may go anywhere.
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
  for (const model::Pod* other : around.anti_affine) {
    if (other == &pod || !around.is_there(other)) continue;
    for (const model::PodAffinityTerm& term : other->spec->pod_anti_affinity) {
      if (is_meant(term, other->meta.ns, pod, around.cluster) != meant) continue;
      if (!shares_domain(*other, term.topology_key, around)) continue;
      if (result.pods.empty()) result.term = term;
      result.judgement = Judgement::Blocked;
      result.pods.push_back(other);
      break;
    }
  }
  return result;
}

}  // namespace dsdoctor::scheduling
