#include "diagnosis/causes/pods/stray_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/evidence/wording.h"
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

/// Empty where that is not known of all.
std::vector<std::string> nodes_of(const Pods& pods) {
  std::vector<std::string> nodes;
  for (const model::Pod* pod : pods) {
    if (!is_bound(*pod)) return {};
    nodes.push_back(pod->node_name.str());
  }
  return nodes;
}

// ---- on nodes that are gone

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
  std::vector<std::string> texts;
  std::vector<std::string> finalizers;
  bool fresh = true;
  for (const model::Pod* pod : ghosts) {
    texts.push_back(fmt::format("{} on {}", pod->meta.name.view(), pod->node_name.view()));
    fresh &= is_fresh_ghost(c.facts, *pod);
    for (const model::Text& name : pod->meta.finalizers) {
      if (std::ranges::find(finalizers, name.view()) == finalizers.end())
        finalizers.push_back(name.str());
    }
  }
  std::string message =
      fmt::format("{} bound to {}: {}; the pod garbage collector deletes such pods within a minute",
                  wording::counted(static_cast<std::int64_t>(ghosts.size()), "pod"),
                  ghosts.size() == 1 ? "a deleted node" : "deleted nodes", wording::listed(texts));
  if (!finalizers.empty())
    message += fmt::format("; waits for finalizer {}", wording::listed(finalizers));
  if (is_surge(c.ds) && !fresh) {
    message += "; rolling updates with maxSurge fail while such an outdated pod exists";
  }
  Finding finding =
      make_said_finding(FindingId::PodOnMissingNode, std::move(message),
                   {pod_field(*ghosts.front(),
                              fmt::format("spec.nodeName: {}", ghosts.front()->node_name.view()))},
                   names_of(c, name_of_only(ghosts)));
  finding.nodes = nodes_of(ghosts);
  if (fresh) {
    finding.severity = Severity::Info;
    finding.transient = finalizers.empty();  // the owner has to remove it
  }
  findings.push_back(std::move(finding));
}

// ---- without a target

std::string terms_text(const model::Pod& pod) {
  if (!pod.node_affinity) return "no node affinity";
  std::vector<std::string> parts;
  for (const model::NodeSelectorTerm& term : pod.node_affinity->terms) {
    for (const auto* list : {&term.match_fields, &term.match_expressions}) {
      for (const model::NodeSelectorRequirement& r : *list) {
        const std::vector<std::string_view> values(r.values.begin(), r.values.end());
        parts.push_back(
            fmt::format("{} {} [{}]", r.key.view(), r.op.view(), fmt::join(values, ", ")));
      }
    }
  }
  return parts.empty() ? "empty node affinity" : excerpt(fmt::format("{}", fmt::join(parts, "; ")));
}

void add_lost(const DaemonSetCase& c, std::vector<Finding>& findings) {
  if (c.lost.empty()) return;
  const model::Pod& first = *c.lost.front();
  findings.push_back(make_said_finding(
      FindingId::PodTargetLost,
      fmt::format("{} with an unknown target node: {}; the controller neither counts nor deletes "
                  "{}; affinity of {}: {}",
                  wording::counted(static_cast<std::int64_t>(c.lost.size()), "pod"),
                  wording::listed(names_of(c.lost)), c.lost.size() == 1 ? "it" : "them",
                  first.meta.name.view(), terms_text(first)),
      {pod_field(first, "spec.affinity.nodeAffinity")}, names_of(c, name_of_only(c.lost))));
}

// ---- of no owner, of another owner

/// The pods of the DaemonSet's namespace; they stand side by side.
std::span<const model::Pod> pods_of_namespace(const DaemonSetCase& c) {
  const auto& pods = c.facts.cluster().pods;
  const auto ns = [](const model::Pod& pod) { return pod.meta.ns.view(); };
  const auto first = std::ranges::lower_bound(pods, c.ds.meta.ns.view(), {}, ns);
  const auto last = std::ranges::upper_bound(pods, c.ds.meta.ns.view(), {}, ns);
  return {first, last};
}

bool is_of_former_self(const DaemonSetCase& c, const model::Pod& pod) {
  const model::ControllerRef& owner = *pod.meta.controller;
  return owner.kind == "DaemonSet" && owner.name == c.ds.meta.name && !owner.uid.empty() &&
         !c.ds.meta.uid.empty() && owner.uid != c.ds.meta.uid;
}

std::vector<std::string> places_of(const Pods& pods) {
  std::vector<std::string> result;
  for (const model::Pod* pod : pods) {
    std::string ports;
    for (const model::Container& container : pod->spec->containers) {
      for (const model::ContainerPort& port : container.ports) {
        if (port.host_port > 0) ports += fmt::format(" {}", port.host_port);
      }
    }
    result.push_back(fmt::format("{}{}{}{}", pod->meta.name.view(),
                                 pod->node_name.empty() ? "" : " on ", pod->node_name.view(),
                                 ports.empty() ? "" : " (host port" + ports + ")"));
  }
  return result;
}

void add_ownerless(const DaemonSetCase& c, std::vector<Finding>& findings) {
  const Pods& pods = c.claimed.adoptable;
  if (pods.empty()) return;
  Finding finding = make_said_finding(
      FindingId::PodOrphaned,
      fmt::format("{} with matching labels and without an owner: {}; the controller adopts such "
                  "pods",
                  wording::counted(static_cast<std::int64_t>(pods.size()), "pod"),
                  wording::listed(places_of(pods))),
      {pod_field(*pods.front(), "metadata.ownerReferences: no controller")},
      names_of(c, name_of_only(pods)));
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
    } else if (pod.meta.controller->kind != "DaemonSet" ||
               pod.meta.controller->name != c.ds.meta.name) {
      foreign.push_back(&pod);
    }
  }
  if (!former.empty()) {
    findings.push_back(make_said_finding(
        FindingId::PodOrphaned,
        fmt::format("{} of an earlier DaemonSet of this name: {}; the garbage collector deletes "
                    "such pods",
                    wording::counted(static_cast<std::int64_t>(former.size()), "pod"),
                    wording::listed(places_of(former))),
        {pod_field(*former.front(), fmt::format("metadata.ownerReferences[].uid: {}",
                                                former.front()->meta.controller->uid.view()))},
        names_of(c, name_of_only(former))));
    findings.back().nodes = nodes_of(former);
  }
  if (foreign.empty()) return;
  const model::ControllerRef& owner = *foreign.front()->meta.controller;
  Finding finding = make_said_finding(
      FindingId::PodForeign,
      fmt::format("{} with matching labels and another owner, such as {}/{}: {}",
                  wording::counted(static_cast<std::int64_t>(foreign.size()), "pod"),
                  owner.kind.view(), owner.name.view(), wording::listed(names_of(foreign))),
      {pod_field(*foreign.front(), "metadata.ownerReferences"),
       pod_field(*foreign.front(), "metadata.labels")});
  finding.standing = Standing::Context;
  findings.push_back(std::move(finding));
}

/// Pods that a DaemonSet of this name left behind and that its successor does not select: they do
/// the same work, and nobody owns them.
void add_left_behind(const DaemonSetCase& c, std::vector<Finding>& findings) {
  if (!c.ds.selector || placement::selects_everything(*c.ds.selector)) return;
  Pods left;
  std::set<std::string_view> shared;  // nodes
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
  std::string message = fmt::format(
      "{} of an earlier DaemonSet of this name still {}, without an owner and with labels that do "
      "not match the selector: {}",
      wording::counted(static_cast<std::int64_t>(left.size()), "pod"),
      left.size() == 1 ? "runs" : "run", wording::listed(places_of(left)));
  if (!shared.empty()) {
    message += fmt::format("; {} {} both",
                           wording::counted(static_cast<std::int64_t>(shared.size()), "node"),
                           shared.size() == 1 ? "runs" : "run");
  }
  findings.push_back(
      make_said_finding(FindingId::PodOrphaned, std::move(message),
                   {pod_field(*left.front(), "metadata.ownerReferences: no controller"),
                    pod_field(*left.front(), "metadata.labels"),
                    fmt::format("DaemonSet/{} spec.selector", c.ds.meta.name.view())},
                   names_of(c, left.front()->meta.name)));
  findings.back().nodes = nodes_of(left);
}

void add_released(const DaemonSetCase& c, std::vector<Finding>& findings) {
  const Pods& pods = c.claimed.released;
  if (pods.empty()) return;
  findings.push_back(make_said_finding(
      FindingId::PodReleased,
      fmt::format("{} whose labels no longer match the selector: {}; the controller releases such "
                  "pods and creates new ones",
                  wording::counted(static_cast<std::int64_t>(pods.size()), "pod"),
                  wording::listed(places_of(pods))),
      {pod_field(*pods.front(), "metadata.labels"),
       fmt::format("DaemonSet/{} spec.selector", c.ds.meta.name.view())},
      names_of(c, name_of_only(pods))));
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
