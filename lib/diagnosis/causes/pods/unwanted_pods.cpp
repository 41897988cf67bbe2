#include "diagnosis/causes/pods/unwanted_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/evidence/attribution.h"
#include "diagnosis/report/departure.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/taints/taint_catalogue.h"
#include "diagnosis/taints/taint_knowledge.h"

namespace dsdoctor::diagnosis {
namespace {

void add_misscheduled(const NodeCase& c, const model::Pod& pod, std::vector<Finding>& findings) {
  std::vector<std::string> texts;
  std::vector<std::string> evidence;
  std::string group;
  bool leaving = c.node.meta.deleted.has_value();
  for (const placement::Reason& reason : c.report.reasons()) {
    const auto* open = std::get_if<placement::UntoleratedTaint>(&reason);
    if (open == nullptr) continue;
    const model::Taint& taint = open->taint;
    texts.push_back(fmt::format("{}:{}{}", taint.key.view(), taint.effect.view(),
                                since_text(tainted_since(taint))));
    evidence.push_back(
        fmt::format("Node/{} spec.taints[{}]", c.node.meta.name.view(), open->index));
    group += fmt::format("|{}:{}", taint.key.view(), taint.effect.view());
    const model::KnownTaint* known = c.of.taints->find(taint, c.node.meta.labels);
    leaving |= known != nullptr && known->lifecycle == model::TaintLifecycle::Leaving;
  }
  if (texts.empty()) return;
  Finding finding = make_finding(
      FindingId::PodMisscheduled,
      is_bound(pod)
          ? fmt::format("misscheduled: pod runs{}, untolerated taint {}; NoSchedule does not evict "
                        "running pods",
                        since_text(pod.start_time ? pod.start_time : pod.meta.created),
                        fmt::join(texts, ", "))
          : fmt::format("misscheduled: pod is Pending{}, untolerated taint {}; the scheduler does "
                        "not bind it, and the controller does not delete it",
                        since_text(pod.meta.created), fmt::join(texts, ", ")),
      std::move(evidence), names_of(c, pod.meta.name));
  finding.group = std::move(group);
  if (leaving && !is_departure_overdue(c.node, c.of.facts)) {
    finding.severity = Severity::Info;
    finding.transient = true;
  }
  findings.push_back(std::move(finding));
}

using MaybeTime = model::OptionalTime;

/// The latest time at which the label got its current value; absent for a label that was removed,
/// because managedFields does not record removals.
MaybeTime labelled_since(const model::Node& node, std::string_view key, bool there) {
  const auto writer = there ? label_writer(node.meta, key) : std::nullopt;
  return writer ? writer->not_later_than : std::nullopt;
}

/// The latest time from which the reason holds; absent if unknown.
MaybeTime holds_since(const NodeCase& c, const placement::Reason& reason) {
  if (const auto* open = std::get_if<placement::UntoleratedTaint>(&reason)) {
    if (open->taint.effect != model::effect::no_execute) return std::nullopt;
    const auto put_on = taint_time(c.node, open->index);
    return put_on ? MaybeTime(put_on->time) : std::nullopt;
  }
  if (const auto* selector = std::get_if<placement::NodeSelectorMismatch>(&reason)) {
    return labelled_since(c.node, selector->key, selector->have.has_value());
  }
  const auto* term = std::get_if<placement::AffinityTermMismatch>(&reason);
  if (term != nullptr && !term->in_fields && !term->fault) {
    return labelled_since(c.node, term->requirement.key, term->have.has_value());
  }
  // No change of the node's can have brought it about.
  const auto writer = spec_writer(c.of.ds.meta);
  return writer ? writer->not_later_than : std::nullopt;
}

/// The latest time from which the node was not eligible, by the oldest known reason; absent if
/// unknown. Each affinity term has to fail, by one of its requirements.
MaybeTime unwanted_since(const NodeCase& c) {
  MaybeTime result;
  std::map<std::size_t, MaybeTime> terms;
  const auto earlier = [](MaybeTime a, MaybeTime b) { return !a ? b : !b ? a : std::min(a, b); };
  for (const placement::Reason& reason : c.report.reasons()) {
    const MaybeTime since = holds_since(c, reason);
    const auto* term = std::get_if<placement::AffinityTermMismatch>(&reason);
    MaybeTime& known = term == nullptr ? result : terms[term->term];
    known = earlier(known, since);
  }
  MaybeTime all_terms = terms.empty() ? std::nullopt : terms.begin()->second;
  for (const auto& [index, since] : terms) {
    all_terms = all_terms && since ? std::max(all_terms, since) : std::nullopt;
  }
  result = earlier(result, all_terms);
  // The template may have come to say so only later.
  const auto writer = spec_writer(c.of.ds.meta);
  return result && writer ? std::max(result, writer->not_later_than) : result;
}

void add_doomed(const NodeCase& c, const model::Pod& pod, std::vector<Finding>& findings) {
  const model::Time now = c.of.facts.now();
  const auto changed = unwanted_since(c);
  const bool fresh = is_younger(changed, threshold::missing, now) ||
                     is_younger(pod.meta.created, threshold::missing, now) ||
                     is_younger(c.node.meta.created, threshold::missing, now);
  Finding finding = make_finding(
      FindingId::PodDoomedNotRemoved,
      fmt::format("the pod should have been deleted: node selector, affinity or a NoExecute taint "
                  "excludes the node, {}",
                  changed ? fmt::format("at the latest since {}", format_utc(*changed))
                          : std::string("start time unknown")),
      {pod_field(pod, "metadata.deletionTimestamp: absent"), "the reasons of the node"},
      names_of(c, pod.meta.name));
  if (fresh) {
    finding.severity = Severity::Info;
    finding.transient = true;
  } else if (changed) {
    finding.overdue_since = *changed + threshold::missing;
  } else {
    finding.severity = Severity::Warning;  // this may be the moment before the controller acts
    finding.basis = Basis::Suspected;
  }
  findings.push_back(std::move(finding));
}

}  // namespace

std::vector<Finding> unwanted_pod_findings(const NodeCase& c, const model::Pod& pod) {
  std::vector<Finding> findings;
  if (c.report.verdict() == NodeVerdict::Misscheduled) add_misscheduled(c, pod, findings);
  if (c.report.verdict() == NodeVerdict::Removing) add_doomed(c, pod, findings);
  return findings;
}

}  // namespace dsdoctor::diagnosis
