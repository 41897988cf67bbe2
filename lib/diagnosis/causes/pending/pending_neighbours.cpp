// SPDX-License-Identifier: Apache-2.0

// Rules between pods: affinity, anti-affinity, topology spread.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "diagnosis/causes/pending/pending_case.h"
#include "scheduling/inter_pod.h"
#include "scheduling/topology_spread.h"

namespace dsdoctor::diagnosis {
namespace {

using scheduling::InterPodResult;
using scheduling::Judgement;
using scheduling::SpreadResult;

/// "app=web", "tier In (a b)"
std::vector<std::string> terms_of(const model::LabelSelector& selector) {
  std::vector<std::string> result;
  for (const auto& [key, value] : selector.match_labels) {
    result.push_back(fmt::format("{}={}", key.view(), value.view()));
  }
  for (const auto& requirement : selector.match_expressions) {
    std::string values;
    for (const model::Text& value : requirement.values) {
      values.append(values.empty() ? " (" : " ").append(value.view());
    }
    if (!values.empty()) values += ")";
    result.push_back(fmt::format("{} {}{}", requirement.key.view(), requirement.op.view(), values));
  }
  return result;
}

/// Phrase for the pods that the selector matches.
Message selected_by(const std::optional<model::LabelSelector>& selector) {
  if (!selector) return phrase::SelectsNoPod{};
  std::vector<std::string> terms = terms_of(*selector);
  if (terms.empty()) return phrase::SelectsEveryPod{};
  return phrase::SelectsPods{.terms = std::move(terms)};
}

/// "topology.kubernetes.io/zone=eu-1"
std::string domain_text(const PendingCase& c, const model::Text& key) {
  const model::Text* value = c.node.meta.labels.find(key);
  return value ? fmt::format("{}={}", key.view(), value->view()) : key.str();
}

Message pods_on_nodes(const Facts::Pods& pods) {
  return first_of(pods, [](const model::Pod* pod) {
    return phrase::ObjectOnNode{.its_pod = ref_of(*pod), .on_node = pod->node_name};
  });
}

Evidence topology_evidence(const PendingCase& c, const model::Text& key) {
  const model::Text* value = c.node.meta.labels.find(key);
  return {ref_of(c.node), entry_path("metadata.labels", key),
          value != nullptr ? value->str() : std::string()};
}

/// "affinity.podAffinity....[0].topologyKey"
std::string term_path(std::string_view affinity, const std::vector<model::PodAffinityTerm>& terms,
                      const model::PodAffinityTerm& term) {
  return fmt::format("affinity.{}.requiredDuringSchedulingIgnoredDuringExecution[{}].topologyKey",
                     affinity, std::ranges::find(terms, term) - terms.begin());
}

/// `rule`: the term that decides.
Blocker blocker_of(const PendingCase& c, FindingId id, Message what, Evidence rule,
                   const InterPodResult& result) {
  std::vector<Evidence> evidence = {std::move(rule)};
  if (result.pods.empty()) evidence.push_back(topology_evidence(c, result.term.topology_key));
  for (const model::Pod* pod : result.pods) {
    if (evidence.size() > 5) break;
    evidence.emplace_back(ref_of(*pod), "spec.nodeName", pod->node_name.str());
  }
  Blocker blocker{pending_finding(c, finding::Scheduling{.id = id, .what = std::move(what)},
                                  std::move(evidence))};
  const auto& selector = result.term.label_selector;
  const auto terms = selector ? terms_of(*selector) : std::vector<std::string>{"-"};
  blocker.finding.group =
      fmt::format("{} {}", result.term.topology_key.view(), fmt::join(terms, ", "));
  const bool all_leave =
      std::ranges::all_of(result.pods, [](const auto* pod) { return is_terminating(*pod); });
  if (all_leave) blocker.clears_with = result.pods;
  return blocker;
}

void add_pod_affinity(const PendingCase& c, Blockers& into) {
  const InterPodResult result = scheduling::own_affinity(c.pod, c.around);
  if (!result.blocks()) return;
  const model::PodAffinityTerm& term = result.term;
  Message what = phrase::AffinityUnmet{.domain = domain_text(c, term.topology_key),
                                       .selected = selected_by(term.label_selector)};
  if (result.lacks_key) {
    what = phrase::AffinityKeyMissing{.key = term.topology_key, .on_node = c.node.meta.name};
  }
  const std::string path = term_path("podAffinity", c.pod.spec->pod_affinity, term);
  Blocker blocker = blocker_of(c, FindingId::SchedPodAffinity, std::move(what),
                               spec_evidence(c, path, term.topology_key), result);
  blocker.unresolvable = true;
  into.push_back(std::move(blocker));
}

void add_anti_affinity(const PendingCase& c, Blockers& into) {
  const InterPodResult own = scheduling::own_anti_affinity(c.pod, c.around);
  if (own.blocks()) {
    const model::PodAffinityTerm& term = own.term;
    const std::string path = term_path("podAntiAffinity", c.pod.spec->pod_anti_affinity, term);
    into.push_back(blocker_of(c, FindingId::SchedPodAntiAffinity,
                              phrase::ExcludedByPod{.domain = domain_text(c, term.topology_key),
                                                    .pods = pods_on_nodes(own.pods),
                                                    .selected = selected_by(term.label_selector)},
                              spec_evidence(c, path, term.topology_key), own));
  }
  const InterPodResult existing = scheduling::existing_anti_affinity(c.pod, c.around);
  if (!existing.blocks()) return;
  const model::PodAffinityTerm& term = existing.term;
  const model::Pod& excluding = *existing.pods.front();
  const std::string path = term_path("podAntiAffinity", excluding.spec->pod_anti_affinity, term);
  into.push_back(blocker_of(c, FindingId::SchedExistingAntiAffinity,
                            phrase::ExcludedByOthers{.domain = domain_text(c, term.topology_key),
                                                     .pods = pods_on_nodes(existing.pods),
                                                     .selected = selected_by(term.label_selector)},
                            {ref_of(excluding), "spec." + path, term.topology_key.str()},
                            existing));
}

Message unevenness(const PendingCase& c, const SpreadResult& result,
                   const model::TopologySpreadConstraint& constraint) {
  if (result.lacks_label) {
    return phrase::SpreadKeyMissing{.key = constraint.topology_key, .on_node = c.node.meta.name};
  }
  return phrase::SpreadTooUneven{.domain = domain_text(c, constraint.topology_key),
                                 .domains = result.domains,
                                 .here = result.here,
                                 .least = result.least,
                                 .max_skew = constraint.max_skew,
                                 .min_domains = constraint.min_domains,
                                 .skew = result.here + result.self - result.least};
}

void add_spread(const PendingCase& c, Blockers& into) {
  for (const SpreadResult& result : scheduling::topology_spread(c.pod, c.around, c.of.of.gates)) {
    if (result.judgement != Judgement::Blocked) continue;
    const auto& constraint = c.pod.spec->topology_spread[result.constraint];
    const std::string path =
        fmt::format("topologySpreadConstraints[{}].topologyKey", result.constraint);
    Blocker blocker{pending_finding(c,
                                    finding::Scheduling{.id = FindingId::SchedTopologySpread,
                                                        .what = unevenness(c, result, constraint)},
                                    {spec_evidence(c, path, constraint.topology_key),
                                     topology_evidence(c, constraint.topology_key)}),
                    result.lacks_label};
    blocker.finding.group =
        fmt::format("{} {}{}", result.constraint, constraint.topology_key.view(),
                    result.lacks_label ? " lacking" : "");
    into.push_back(std::move(blocker));
  }
}

}  // namespace

void add_neighbour_blockers(const PendingCase& c, Blockers& into) {
  add_spread(c, into);
  add_pod_affinity(c, into);
  add_anti_affinity(c, into);
}

}  // namespace dsdoctor::diagnosis
