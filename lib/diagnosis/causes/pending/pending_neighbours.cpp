// Rules between pods: affinity, anti-affinity, topology spread.

#include <fmt/format.h>

#include <algorithm>

#include "diagnosis/causes/pending/pending_case.h"
#include "diagnosis/evidence/wording.h"
#include "scheduling/inter_pod.h"
#include "scheduling/topology_spread.h"

namespace dsdoctor::diagnosis {
namespace {

using scheduling::InterPodResult;
using scheduling::Judgement;
using scheduling::SpreadResult;

std::string selector_text(const std::optional<model::LabelSelector>& selector) {
  if (!selector) return "no pod";
  std::string result;
  const auto add = [&](const std::string& part) {
    result.append(result.empty() ? "" : ", ").append(part);
  };
  for (const auto& [key, value] : selector->match_labels) add(key.str() + "=" + value.str());
  for (const auto& requirement : selector->match_expressions) {
    std::string values;
    for (const model::Text& value : requirement.values) {
      values.append(values.empty() ? "" : " ").append(value.view());
    }
    add(fmt::format("{} {}{}", requirement.key.view(), requirement.op.view(),
                    values.empty() ? "" : " (" + values + ")"));
  }
  return result.empty() ? "every pod" : "pods with " + result;
}

/// "topology.kubernetes.io/zone=eu-1"
std::string domain_text(const PendingCase& c, const model::Text& key) {
  const model::Text* value = c.node.meta.labels.find(key);
  return value ? fmt::format("{}={}", key.view(), value->view()) : key.str();
}

std::string pods_text(const Facts::Pods& pods) {
  return wording::listed(pods.size(), [&](std::size_t i) {
    return fmt::format("{}/{} on {}", pods[i]->meta.ns.view(), pods[i]->meta.name.view(),
                       pods[i]->node_name.view());
  });
}

Blocker blocker_of(const PendingCase& c, const FindingKind& kind, std::string message,
                   const std::string& place, const InterPodResult& result) {
  std::vector<Evidence> evidence = {place};
  for (const model::Pod* pod : result.pods) {
    if (evidence.size() > 5) break;
    evidence.push_back(fmt::format("{} spec.nodeName: {}", pod_place(*pod), pod->node_name.view()));
  }
  Blocker blocker{pending_finding(c, kind, std::move(message), std::move(evidence))};
  blocker.finding.group = fmt::format("{} {}", result.term.topology_key.view(),
                                      selector_text(result.term.label_selector));
  const bool all_leave =
      std::ranges::all_of(result.pods, [](const auto* pod) { return is_terminating(*pod); });
  if (all_leave) blocker.clears_with = result.pods;
  return blocker;
}

void add_pod_affinity(const PendingCase& c, Blockers& into) {
  const InterPodResult result = scheduling::own_affinity(c.pod, c.around);
  if (!result.blocks()) return;
  const std::string message =
      result.lacks_key
          ? fmt::format(
                "{} has no label {}, which is the topologyKey of the pod's required affinity",
                c.node.meta.name.view(), result.term.topology_key.view())
          : fmt::format("pod affinity rules: the pod requires {} in {}, none found",
                        selector_text(result.term.label_selector),
                        domain_text(c, result.term.topology_key));
  Blocker blocker = blocker_of(c, FindingId::SchedPodAffinity, message,
                               pod_place(c.pod) + " spec.affinity.podAffinity", result);
  blocker.unresolvable = true;
  into.push_back(std::move(blocker));
}

void add_anti_affinity(const PendingCase& c, Blockers& into) {
  const InterPodResult own = scheduling::own_anti_affinity(c.pod, c.around);
  if (own.blocks()) {
    into.push_back(
        blocker_of(c, FindingId::SchedPodAntiAffinity,
                   fmt::format("pod anti-affinity rules: the pod excludes {1} in {0}: {2}",
                               domain_text(c, own.term.topology_key),
                               selector_text(own.term.label_selector), pods_text(own.pods)),
                   pod_place(c.pod) + " spec.affinity.podAntiAffinity", own));
  }
  const InterPodResult existing = scheduling::existing_anti_affinity(c.pod, c.around);
  if (!existing.blocks()) return;
  into.push_back(blocker_of(
      c, FindingId::SchedExistingAntiAffinity,
      fmt::format("existing pods' anti-affinity rules: in {}, existing pods exclude {}: {}",
                  domain_text(c, existing.term.topology_key),
                  selector_text(existing.term.label_selector), pods_text(existing.pods)),
      pod_place(*existing.pods.front()) + " spec.affinity.podAntiAffinity", existing));
}

void add_spread(const PendingCase& c, Blockers& into) {
  for (const SpreadResult& result : scheduling::topology_spread(c.pod, c.around, c.of.of.gates)) {
    if (result.judgement != Judgement::Blocked) continue;
    const auto& constraint = c.pod.spec->topology_spread[result.constraint];
    const std::string message =
        result.lacks_label
            ? fmt::format("{} has no label {}, which is the topologyKey of the spread constraint",
                          c.node.meta.name.view(), constraint.topology_key.view())
            : fmt::format(
                  "pod topology spread constraints: {} has {} of these pods; with this pod, the "
                  "skew "
                  "would be {} (least of {}: {}), and maxSkew is {}{}",
                  domain_text(c, constraint.topology_key), result.here,
                  result.here + result.self - result.least,
                  wording::counted(static_cast<std::int64_t>(result.domains), "domain"),
                  result.least, constraint.max_skew,
                  constraint.min_domains ? fmt::format(", minDomains {}", *constraint.min_domains)
                                         : "");
    Blocker blocker{pending_finding(c, FindingId::SchedTopologySpread, message,
                                    {fmt::format("{} spec.topologySpreadConstraints[{}]",
                                                 pod_place(c.pod), result.constraint)}),
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
