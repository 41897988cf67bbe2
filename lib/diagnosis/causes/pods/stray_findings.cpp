// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/pods/stray_findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <span>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/pods.h"
#include "diagnosis/report/departure.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/taints/taint_knowledge.h"
#include "placement/label_selector.h"

namespace dsdoctor::diagnosis {
namespace {

using namespace std::chrono_literals;
using Pods = std::vector<const model::Pod*>;

constexpr auto collection_may_take = 90s;
constexpr auto adoption_may_take = 60s;

std::string_view name_of_only(const Pods& pods) {
  return pods.size() == 1 ? pods.front()->meta.name.view() : std::string_view();
}

std::vector<std::string> names_of(const Pods& pods) {
  std::vector<std::string> names;
  for (const model::Pod* pod : pods) names.push_back(pod->meta.name.str());
  return names;
}

/// The nodes of the pods; empty if one of them is not bound.
std::vector<std::string> nodes_of(const Pods& pods) {
  std::vector<std::string> nodes;
  for (const model::Pod* pod : pods) {
    if (!is_bound(*pod)) return {};
    nodes.push_back(pod->node_name.str());
  }
  return nodes;
}

std::optional<std::int64_t> unless_zero(std::size_t count) {
  if (count == 0) return std::nullopt;
  return static_cast<std::int64_t>(count);
}

/// The pods with their nodes and, with `with_ports`, their host ports.
Message in_places(const Pods& pods, bool with_ports = true) {
  constexpr std::size_t most = 5;
  const std::size_t shown = std::min(pods.size(), most);
  std::vector<Message> places;
  for (const model::Pod* pod : std::span(pods).first(shown)) {
    Argument::Names ports;
    for (const model::Container& container : pod->spec->containers) {
      for (const model::ContainerPort& port : container.ports) {
        if (with_ports && port.host_port > 0) ports.push_back(std::to_string(port.host_port));
      }
    }
    places.push_back(
        phrase::PodInPlace{.host_ports = ports, .name = pod->meta.name, .on_node = pod->node_name});
  }
  return phrase::PodsInPlaces{.more = unless_zero(pods.size() - shown),
                              .places = std::move(places)};
}

// ---- pods on deleted nodes

bool is_fresh_ghost(const Facts& facts, const model::Pod& pod) {
  const auto removed = removal_of(facts, pod.node_name);
  return is_younger(removed, collection_may_take, facts.now()) ||
         is_younger(pod.meta.created, collection_may_take, facts.now());
}

void add_ghosts(const DaemonSetCase& c, std::vector<Finding>& findings) {
  if (!c.facts.cluster().nodes_known) return;
  Pods ghosts;
  for (const auto* pods : {&c.claimed.owned, &c.claimed.adoptable}) {
    std::ranges::copy_if(*pods, std::back_inserter(ghosts), [&](const model::Pod* pod) {
      return is_bound(*pod) && is_deleted_node(c.facts, pod->node_name);
    });
  }
  if (ghosts.empty()) return;
  Argument::Names finalizers;
  bool fresh = true;
  for (const model::Pod* pod : ghosts) {
    fresh &= is_fresh_ghost(c.facts, *pod);
    for (const model::Text& name : pod->meta.finalizers) {
      if (std::ranges::find(finalizers, name.view()) == finalizers.end())
        finalizers.push_back(name.str());
    }
  }
  const model::Pod& first = *ghosts.front();
  Finding finding = make_finding(
      finding::PodOnMissingNode{.count = ghosts.size(),
                                .finalizers = finalizers,
                                .pods = in_places(ghosts, false),
                                .they_stop_surge = is_surge(c.ds) && !fresh},
      {{ref_of(first), "spec.nodeName", first.node_name.str()}}, names_of(c, name_of_only(ghosts)));
  finding.nodes = nodes_of(ghosts);
  if (fresh) {
    finding.severity = Severity::Info;
    finding.transient = finalizers.empty();  // only the owner removes them
  }
  findings.push_back(std::move(finding));
}

// ---- pods without a target

/// The terms of a pod's required node affinity, as clauses and as evidence.
struct AffinityTerms {
  std::vector<Message> clauses;
  std::vector<Evidence> evidence;
};

AffinityTerms affinity_of(const model::Pod& pod) {
  constexpr const char* path =
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution";
  if (!pod.node_affinity) return {{phrase::NoNodeAffinity{}}, {{ref_of(pod), path}}};
  AffinityTerms result;
  for (std::size_t i = 0; i < pod.node_affinity->terms.size(); ++i) {
    const model::NodeSelectorTerm& term = pod.node_affinity->terms[i];
    for (const auto* list : {&term.match_fields, &term.match_expressions}) {
      for (std::size_t k = 0; k < list->size(); ++k) {
        const model::NodeSelectorRequirement& r = (*list)[k];
        Argument::Names values;
        for (const model::Text& value : r.values) values.push_back(value.str());
        result.evidence.emplace_back(
            ref_of(pod),
            fmt::format("{}.nodeSelectorTerms[{}].{}[{}].values", path, i,
                        list == &term.match_fields ? "matchFields" : "matchExpressions", k),
            evidence_value(fmt::format("{}", fmt::join(values, ", "))));
        result.clauses.push_back(
            phrase::AffinityExpression{.key = r.key, .op = r.op, .values = values});
      }
    }
  }
  if (result.clauses.empty()) return {{phrase::EmptyNodeAffinity{}}, {{ref_of(pod), path}}};
  return result;
}

void add_lost(const DaemonSetCase& c, std::vector<Finding>& findings) {
  if (c.lost.empty()) return;
  const model::Pod& first = *c.lost.front();
  AffinityTerms terms = affinity_of(first);
  findings.push_back(make_finding(finding::PodTargetLost{.affinity = std::move(terms.clauses),
                                                         .count = c.lost.size(),
                                                         .first = first.meta.name,
                                                         .is_one = c.lost.size() == 1,
                                                         .names = names_of(c.lost)},
                                  std::move(terms.evidence), names_of(c, name_of_only(c.lost))));
}

// ---- pods without an owner, pods of another owner

/// The pods of the DaemonSet's namespace, which are contiguous.
std::span<const model::Pod> pods_of_namespace(const DaemonSetCase& c) {
  const auto& pods = c.facts.cluster().pods;
  const auto ns = [](const model::Pod& pod) { return pod.meta.ns.view(); };
  const auto first = std::ranges::lower_bound(pods, c.ds.meta.ns.view(), {}, ns);
  const auto last = std::ranges::upper_bound(pods, c.ds.meta.ns.view(), {}, ns);
  return {first, last};
}

bool is_of_former_self(const DaemonSetCase& c, const model::Pod& pod) {
  const model::ControllerRef& owner = *pod.meta.controller;
  return model::is_daemon_set(owner) && owner.name == c.ds.meta.name && !owner.uid.empty() &&
         !c.ds.meta.uid.empty() && owner.uid != c.ds.meta.uid;
}

/// Evidence that the pod has no controller.
Evidence ownerless_evidence(const model::Pod& pod) {
  return {ref_of(pod), "metadata.ownerReferences[?(@.controller==true)].name"};
}

/// Evidence for the selector's labels and the pod's values: those that are equal or those that
/// differ.
std::vector<Evidence> selector_evidence(const model::DaemonSet& ds, const model::Pod& pod,
                                        bool where_alike) {
  std::vector<Evidence> result;
  for (const auto& [key, want] : ds.selector->match_labels) {
    const model::Text* have = pod.meta.labels.find(key);
    if ((have != nullptr && *have == want) != where_alike) continue;
    result.emplace_back(ref_of(pod), fmt::format("metadata.labels['{}']", key.view()),
                        have == nullptr ? "" : have->str());
    result.emplace_back(ref_of(ds), fmt::format("spec.selector.matchLabels['{}']", key.view()),
                        want.str());
  }
  // If no label differs, the expressions decide.
  if (result.empty()) result.emplace_back(ref_of(ds), "spec.selector.matchExpressions");
  return result;
}

void add_ownerless(const DaemonSetCase& c, std::vector<Finding>& findings) {
  const Pods& pods = c.claimed.adoptable;
  if (pods.empty()) return;
  Finding finding =
      make_finding(finding::PodOrphaned{.orphans = phrase::OrphansToAdopt{.count = pods.size(),
                                                                          .pods = in_places(pods)}},
                   {ownerless_evidence(*pods.front())}, names_of(c, name_of_only(pods)));
  finding.nodes = nodes_of(pods);
  const bool fresh = std::ranges::all_of(pods, [&](const model::Pod* pod) {
    return is_younger(pod->meta.created, adoption_may_take, c.facts.now());
  });
  if (fresh) {
    finding.severity = Severity::Info;
    finding.transient = true;
  }
  findings.push_back(std::move(finding));
}

void add_owned_by_others(const DaemonSetCase& c, std::vector<Finding>& findings) {
  if (!c.ds.selector || placement::selects_everything(*c.ds.selector)) return;
  Pods former;
  Pods foreign;
  for (const model::Pod& pod : pods_of_namespace(c)) {
    if (!pod.meta.controller || is_terminal(pod)) continue;
    if (!c.ds.meta.uid.empty() && pod.meta.controller->uid == c.ds.meta.uid) continue;
    if (is_of_former_self(c, pod)) {
      former.push_back(&pod);
    } else if (!placement::matches(*c.ds.selector, pod.meta.labels)) {
      continue;
    } else if (!model::is_daemon_set(*pod.meta.controller) ||
               pod.meta.controller->name != c.ds.meta.name) {
      foreign.push_back(&pod);
    }
  }
  if (!former.empty()) {
    findings.push_back(make_finding(
        finding::PodOrphaned{
            .orphans = phrase::OrphansToCollect{.count = former.size(), .pods = in_places(former)}},
        {{ref_of(*former.front()), "metadata.ownerReferences[?(@.controller==true)].uid",
          former.front()->meta.controller->uid.str()},
         {ref_of(c.ds), "metadata.uid", c.ds.meta.uid.str()}},
        names_of(c, name_of_only(former))));
    findings.back().nodes = nodes_of(former);
  }
  if (foreign.empty()) return;
  const model::ControllerRef& owner = *foreign.front()->meta.controller;
  std::vector<Evidence> evidence = selector_evidence(c.ds, *foreign.front(), true);
  evidence.emplace_back(ref_of(*foreign.front()),
                        "metadata.ownerReferences[?(@.controller==true)].name", owner.name.str());
  Finding finding = make_finding(finding::PodForeign{.count = foreign.size(),
                                                     .names = names_of(foreign),
                                                     .owner_kind = owner.kind,
                                                     .owner_name = owner.name},
                                 std::move(evidence));
  finding.standing = Standing::Context;
  findings.push_back(std::move(finding));
}

/// Reports pods that an earlier DaemonSet of this name left and that the current one does not
/// select: they do the same work and have no owner.
void add_left_behind(const DaemonSetCase& c, std::vector<Finding>& findings) {
  if (!c.ds.selector || placement::selects_everything(*c.ds.selector)) return;
  Pods left;
  std::set<std::string_view> shared;  // node names
  for (const model::Pod& pod : pods_of_namespace(c)) {
    if (pod.meta.controller || !is_live(pod) || !was_made_by(pod, c.ds.meta.name)) continue;
    if (placement::matches(*c.ds.selector, pod.meta.labels)) continue;
    left.push_back(&pod);
    const bool doubled = std::ranges::any_of(c.claimed.owned, [&](const model::Pod* own) {
      return is_bound(pod) && own->node_name == pod.node_name && is_live(*own);
    });
    if (doubled) shared.insert(pod.node_name);
  }
  if (left.empty()) return;
  std::vector<Evidence> evidence = selector_evidence(c.ds, *left.front(), false);
  evidence.push_back(ownerless_evidence(*left.front()));
  findings.push_back(make_finding(
      finding::PodOrphaned{
          .orphans = phrase::OrphansLeftBehind{.count = left.size(),
                                               .nodes_with_both = unless_zero(shared.size()),
                                               .pods = in_places(left)}},
      std::move(evidence), names_of(c, left.front()->meta.name)));
  findings.back().nodes = nodes_of(left);
}

void add_released(const DaemonSetCase& c, std::vector<Finding>& findings) {
  const Pods& pods = c.claimed.released;
  if (pods.empty()) return;
  findings.push_back(
      make_finding(finding::PodReleased{.count = pods.size(), .pods = in_places(pods)},
                   selector_evidence(c.ds, *pods.front(), false), names_of(c, name_of_only(pods))));
  findings.back().nodes = nodes_of(pods);
}

}  // namespace

std::vector<Finding> stray_pod_findings(const DaemonSetCase& c) {
  std::vector<Finding> findings;
  add_ghosts(c, findings);
  add_lost(c, findings);
  add_ownerless(c, findings);
  add_owned_by_others(c, findings);
  add_left_behind(c, findings);
  add_released(c, findings);
  return findings;
}

}  // namespace dsdoctor::diagnosis
