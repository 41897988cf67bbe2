#include "diagnosis/causes/template/spec_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/daemonset.h"
#include "diagnosis/evidence/wording.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/report/ranking.h"
#include "placement/label_selector.h"
#include "scheduling/quantity.h"

namespace dsdoctor::diagnosis {
namespace {

constexpr std::int64_t cluster_critical = 2'000'000'000;
constexpr std::int64_t node_critical = 2'000'001'000;

std::string object(const DaemonSetCase& c, std::string_view field) {
  return fmt::format("DaemonSet/{} {}", c.ds.meta.name.view(), field);
}

Finding spec_finding(const DaemonSetCase& c, const FindingKind& kind, std::string message,
                     std::vector<Evidence> evidence) {
  Finding finding = make_said_finding(kind, std::move(message), std::move(evidence), names_of(c));
  finding.standing = Standing::Also;
  return finding;
}

/// Pods for which a higher priority would make room, by the evaluation of their nodes.
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
      // Only there do all platforms allow the class of node agents.
      finding::DaemonsetNoPriority{.the_namespace_is_kube_system = c.ds.meta.ns == "kube-system"},
      fmt::format(
          "the pods have priority {} and cannot preempt other pods; {} for resources, pod slots or "
          "ports of other pods",
          *priority,
          waiting.size() == 1 ? "1 pod waits" : fmt::format("{} pods wait", waiting.size())),
      {object(c, "spec.template.spec.priorityClassName"),
       fmt::format("Pod/{} status.conditions[PodScheduled]", waiting.front())}));
  findings.back().standing = Standing::Context;  // the cause is what the node lacks
}

/// It ran, and had to give way to the node's need of memory. Where disk is short, or at admission,
/// requests for cpu and memory decide nothing.
bool is_evicted_for_memory(const model::Pod* pod) {
  return pod->reason == "Evicted" && mentions(pod->message, "low on resource: memory");
}

void check_evicted(const DaemonSetCase& c, std::vector<Finding>& findings) {
  const model::PodSpec& spec = c.ds.pod_template.spec;
  if (spec.containers.empty() || !is_best_effort(spec)) return;
  const auto evicted = std::ranges::find_if(c.claimed.owned, is_evicted_for_memory);
  if (evicted == c.claimed.owned.end()) return;
  findings.push_back(
      spec_finding(c, FindingId::DaemonsetBestEffort,
                   fmt::format("BestEffort: pod {} was evicted; no container requests cpu or "
                               "memory, so these pods are evicted first",
                               (*evicted)->meta.name.view()),
                   {fmt::format("Pod/{} status.reason: Evicted", (*evicted)->meta.name.view()),
                    object(c, "spec.template.spec.containers[].resources")}));
  findings.back().severity = Severity::Warning;
}

/// An amount of zero is as good as none.
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
    // Drivers that attach nothing, such as those of NFS, do not enforce what the modes say.
    const bool works = counts.number_ready > 1;
    Finding finding = spec_finding(
        c, FindingId::DaemonsetSharedClaim,
        fmt::format("all {} share claim {} ({}), {}",
                    wording::counted(counts.desired_number_scheduled, "pod"), volume.source.view(),
                    wording::listed(modes),
                    works ? "which is meant for one node; the driver does not enforce that"
                          : "which only one node can mount"),
        {object(c, fmt::format("spec.template.spec.volumes[{}]", volume.name.view())),
         fmt::format("PersistentVolumeClaim/{} spec.accessModes", volume.source.view())});
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

/// DaemonSets whose selectors and templates meet those of the one at hand in the same way.
struct Overlap {
  std::string_view how;
  bool harmful = false;  // else only worth knowing
  std::vector<std::string> others;
  const model::Pod* pod = nullptr;  // that both match
};

/// One finding for all DaemonSets that overlap in the same way: its object to fix is the first of
/// them by name, whichever of them it is told of.
Finding overlap_finding(const DaemonSetCase& c, const Overlap& overlap) {
  const std::string own = c.ds.meta.name.str();
  const std::string& first = std::min(own, *std::ranges::min_element(overlap.others));
  Finding finding =
      spec_finding(c, finding::DaemonsetSelectorOverlap{.first = first},
                   fmt::format("{} of {} {}: the wrong controller may adopt a pod without an owner",
                               overlap.how, overlap.others.size() == 1 ? "DaemonSet" : "DaemonSets",
                               wording::listed(overlap.others)),
                   {object(c, "spec.selector"),
                    fmt::format("DaemonSet/{} spec.selector", overlap.others.front())});
  if (overlap.pod != nullptr) {
    finding.evidence.push_back("matched by both: Pod/" + overlap.pod->meta.name.str());
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
  std::optional<std::vector<const model::Pod*>> pods;  // looked for once anything overlaps
  std::vector<Overlap> overlaps;
  for (const model::DaemonSet& other : c.facts.cluster().daemon_sets) {
    if (&other == &c.ds || other.meta.ns != c.ds.meta.ns || other.meta.name == c.ds.meta.name) {
      continue;
    }
    if (!other.selector || placement::selects_everything(*other.selector)) continue;
    const bool ours = placement::matches(*c.ds.selector, other.pod_template.labels);
    const bool theirs = placement::matches(*other.selector, c.ds.pod_template.labels);
    if (!ours && !theirs) continue;
    if (!pods) pods = matched_pods(c);
    const auto pod = std::ranges::find_if(*pods, [&](const model::Pod* matched) {
      return placement::matches(*other.selector, matched->meta.labels);
    });
    const std::string_view how = ours && theirs ? "selector and template match those"
                                 : ours         ? "the selector also matches the template"
                                                : "the template also matches the selector";
    const bool harmful = pod != pods->end() || (ours && theirs);
    auto at = std::ranges::find_if(overlaps, [&](const Overlap& overlap) {
      return overlap.how == how && overlap.harmful == harmful;
    });
    if (at == overlaps.end()) at = overlaps.insert(overlaps.end(), Overlap{how, harmful, {}});
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
