// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/template/spec_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/daemonset.h"
#include "diagnosis/catalogue/object_evidence.h"
#include "diagnosis/causes/template/label_texts.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/report/ranking.h"
#include "placement/label_selector.h"
#include "scheduling/quantity.h"

namespace dsdoctor::diagnosis {
namespace {

constexpr std::int64_t cluster_critical = 2'000'000'000;
constexpr std::int64_t node_critical = 2'000'001'000;

Finding spec_finding(const DaemonSetCase& c, FindingKind kind, std::vector<Evidence> evidence) {
  Finding finding = make_finding(std::move(kind), std::move(evidence), names_of(c));
  finding.standing = Standing::Also;
  return finding;
}

/// Pods for which a higher priority would make room, according to their nodes' findings.
std::vector<std::string> pods_short_of_priority(const DaemonSetCase& c) {
  std::vector<std::string> result;
  for (const NodeReport& node : c.report.nodes) {
    if (node.findings().empty()) continue;
    const bool helps = std::ranges::any_of(node.findings(), [](const Finding& finding) {
      return finding.id == FindingId::PreemptNoVictims && finding.group == priority_helps;
    });
    if (helps && !node.pods().empty()) result.push_back(node.pods().front().name.str());
  }
  return result;
}

void check_priority(const DaemonSetCase& c, std::vector<Finding>& findings) {
  const auto waiting = pods_short_of_priority(c);
  if (waiting.empty()) return;
  const auto priority = resolved_priority(c);
  if (!priority || *priority > 0) return;
  findings.push_back(spec_finding(
      c,
      finding::DaemonsetNoPriority{.priority = *priority,
                                   // All platforms allow the priority class of node agents only in
                                   // this namespace.
                                   .the_namespace_is_kube_system = c.ds.meta.ns == "kube-system",
                                   .waiting = waiting.size()},
      {Evidence(ref_of(c.ds), "spec.template.spec.priorityClassName",
                c.ds.pod_template.spec.priority_class.str()),
       Evidence(ObjectRef{"Pod", c.ds.meta.ns.str(), waiting.front()}, "spec.nodeName")}));
  findings.back().standing = Standing::Context;  // the node's missing resources are the cause
}

/// True if the pod ran and was evicted because the node was low on memory. If disk is short, or at
/// admission, requests for cpu and memory do not matter.
bool is_evicted_for_memory(const model::Pod* pod) {
  return pod->reason == "Evicted" && mentions(pod->message, "low on resource: memory");
}

void check_evicted(const DaemonSetCase& c, std::vector<Finding>& findings) {
  const model::PodSpec& spec = c.ds.pod_template.spec;
  if (spec.containers.empty() || !is_best_effort(spec)) return;
  const auto evicted = std::ranges::find_if(c.claimed.owned, is_evicted_for_memory);
  if (evicted == c.claimed.owned.end()) return;
  const model::Pod& pod = **evicted;
  findings.push_back(
      spec_finding(c, finding::DaemonsetBestEffort{.evicted = pod.meta.name},
                   {Evidence(ref_of(pod), "status.message", evidence_value(pod.message)),
                    requests_evidence(c)}));
  findings.back().severity = Severity::Warning;
}

/// A quantity of zero counts as not set.
bool asks_for(const model::Text* amount) {
  if (amount == nullptr) return false;
  const auto quantity = scheduling::Quantity::parse(*amount);
  return !quantity || !quantity->is_zero();
}

bool can_share(const model::PersistentVolumeClaim& claim) {
  return std::ranges::any_of(claim.access_modes, [](const model::Text& mode) {
    return mode == "ReadWriteMany" || mode == "ReadOnlyMany";
  });
}

void check_claims(const DaemonSetCase& c, std::vector<Finding>& findings) {
  const auto& counts = c.report.evaluated.counts;
  if (counts.desired_number_scheduled < 2) return;
  for (const model::Volume& volume : c.ds.pod_template.spec.volumes) {
    if (volume.kind != "persistentVolumeClaim") continue;
    const auto* claim = c.facts.claim(c.ds.meta.ns, volume.source);
    if (claim == nullptr || claim->access_modes.empty() || can_share(*claim)) continue;
    std::vector<std::string> modes;
    for (const model::Text& mode : claim->access_modes) modes.push_back(mode.str());
    // Drivers without attachment, such as those of NFS, do not enforce access modes.
    const bool works = counts.number_ready > 1;
    const std::string path =
        fmt::format("spec.template.spec.volumes[?(@.name=='{}')].persistentVolumeClaim.claimName",
                    volume.name.view());
    Finding finding = spec_finding(
        c,
        finding::DaemonsetSharedClaim{.claim = volume.source,
                                      .it_works = works,
                                      .modes = modes,
                                      .pods = counts.desired_number_scheduled},
        {Evidence(ref_of(c.ds), path, volume.source.str()),
         Evidence(ObjectRef{"PersistentVolumeClaim", claim->meta.ns.str(), claim->meta.name.str()},
                  "spec.accessModes", fmt::format("{}", fmt::join(modes, ",")))});
    if (works) finding.severity = Severity::Warning;
    finding.group = volume.source.str();
    findings.push_back(std::move(finding));
  }
}

/// The pods that the DaemonSet's own selector matches.
std::vector<const model::Pod*> matched_pods(const DaemonSetCase& c) {
  std::vector<const model::Pod*> result;
  for (const model::Pod& pod : c.facts.cluster().pods) {
    const bool matched =
        pod.meta.ns == c.ds.meta.ns && placement::matches(*c.ds.selector, pod.meta.labels);
    if (matched) result.push_back(&pod);
  }
  return result;
}

/// DaemonSets that overlap with this one in the same way, by selector and template.
struct Overlap {
  bool ours = false;     // this selector matches the others' templates
  bool theirs = false;   // the others' selectors match this template
  bool harmful = false;  // false: information only
  std::vector<std::string> others;
  const model::Pod* pod = nullptr;  // matched by both selectors
};

/// REQUIRES: the DaemonSet has a selector.
Evidence selector_evidence(const model::DaemonSet& ds) {
  if (ds.selector->match_labels.empty()) return {ref_of(ds), "spec.selector.matchExpressions"};
  return {ref_of(ds), "spec.selector.matchLabels", label_text(ds.selector->match_labels)};
}

/// One finding for all DaemonSets that overlap in the same way. The object to fix is the first of
/// them by name, whichever DaemonSet it is reported for.
Finding overlap_finding(const DaemonSetCase& c, const Overlap& overlap) {
  const std::string own = c.ds.meta.name.str();
  const std::string& first = std::min(own, *std::ranges::min_element(overlap.others));
  const model::DaemonSet& other =
      *model::find_daemon_set(c.facts.cluster(), c.ds.meta.ns, overlap.others.front());
  Finding finding =
      spec_finding(c,
                   finding::DaemonsetSelectorOverlap{.first = first,
                                                     .it_selects = overlap.ours,
                                                     .mutual = overlap.ours && overlap.theirs,
                                                     .others = overlap.others,
                                                     .several = overlap.others.size() > 1},
                   {selector_evidence(c.ds), selector_evidence(other)});
  if (overlap.pod != nullptr) {
    finding.evidence.emplace_back(ref_of(*overlap.pod), "metadata.labels",
                                  label_text(overlap.pod->meta.labels));
  }
  if (!overlap.harmful) {
    finding.severity = Severity::Info;
    finding.standing = Standing::Context;
  }
  finding.group = first;
  return finding;
}

void check_overlap(const DaemonSetCase& c, std::vector<Finding>& findings) {
  if (!c.ds.selector || placement::selects_everything(*c.ds.selector)) return;
  std::optional<std::vector<const model::Pod*>> pods;  // collected at the first overlap
  std::vector<Overlap> overlaps;
  for (const model::DaemonSet* of_namespace : c.facts.daemon_sets_in(c.ds.meta.ns)) {
    const model::DaemonSet& other = *of_namespace;
    if (&other == &c.ds || other.meta.name == c.ds.meta.name) continue;
    if (!other.selector || placement::selects_everything(*other.selector)) continue;
    const bool ours = placement::matches(*c.ds.selector, other.pod_template.labels);
    const bool theirs = placement::matches(*other.selector, c.ds.pod_template.labels);
    if (!ours && !theirs) continue;
    if (!pods) pods = matched_pods(c);
    const auto pod = std::ranges::find_if(*pods, [&](const model::Pod* matched) {
      return placement::matches(*other.selector, matched->meta.labels);
    });
    const bool harmful = pod != pods->end() || (ours && theirs);
    auto at = std::ranges::find_if(overlaps, [&](const Overlap& overlap) {
      return overlap.ours == ours && overlap.theirs == theirs && overlap.harmful == harmful;
    });
    if (at == overlaps.end()) at = overlaps.insert(at, Overlap{ours, theirs, harmful, {}});
    at->others.push_back(other.meta.name.str());
    if (pod != pods->end() && at->pod == nullptr) at->pod = *pod;
  }
  for (const Overlap& overlap : overlaps) findings.push_back(overlap_finding(c, overlap));
}

}  // namespace

std::vector<Finding> spec_findings(const DaemonSetCase& c) {
  std::vector<Finding> findings;
  if (c.ds.meta.deleted) return findings;
  check_priority(c, findings);
  check_evicted(c, findings);
  check_claims(c, findings);
  check_overlap(c, findings);
  return findings;
}

std::vector<Finding> shared_claim_findings(const DaemonSetCase& c) {
  std::vector<Finding> findings;
  check_claims(c, findings);
  return findings;
}

Evidence requests_evidence(const DaemonSetCase& c) {
  return {ref_of(c.ds), "spec.template.spec.containers[*].resources"};
}

bool is_best_effort(const model::PodSpec& spec) {
  const auto asks = [](const model::Labels& resources) {
    return asks_for(resources.find("cpu")) || asks_for(resources.find("memory"));
  };
  if (spec.requests && asks(*spec.requests)) return false;
  if (spec.limits && asks(*spec.limits)) return false;
  const auto asking = [&](const model::Container& container) {
    return asks(container.requests) || asks(container.limits);
  };
  return std::ranges::none_of(spec.containers, asking) &&
         std::ranges::none_of(spec.init_containers, asking);
}

std::optional<std::int64_t> resolved_priority(const DaemonSetCase& c) {
  for (const model::Pod* pod : c.claimed.owned) {
    if (pod->spec->priority && c.revision.is_known() && c.revision.is_current(*pod)) {
      return pod->spec->priority;
    }
  }
  const std::string_view name = c.ds.pod_template.spec.priority_class;
  if (name == "system-cluster-critical") return cluster_critical;
  if (name == "system-node-critical") return node_critical;
  if (!name.empty()) {
    const model::PriorityClass* known = c.facts.priority_class(name);
    return known == nullptr ? std::nullopt : std::optional(known->value);
  }
  const auto& classes = c.facts.cluster().priority_classes;
  const auto by_default = std::ranges::find_if(classes, &model::PriorityClass::global_default);
  if (by_default != classes.end()) return by_default->value;
  return c.facts.cluster().known.priority_classes ? std::optional<std::int64_t>(0) : std::nullopt;
}

}  // namespace dsdoctor::diagnosis
