#include "diagnosis/causes/pods/unwanted_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/causes/pods/eviction_loop.h"
#include "diagnosis/evidence/attribution.h"
#include "diagnosis/report/departure.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/report/ranking.h"
#include "diagnosis/taints/taint_catalogue.h"
#include "diagnosis/taints/taint_knowledge.h"

namespace dsdoctor::diagnosis {
namespace {

/// The taints that the pod does not tolerate, as words and as evidence.
struct OpenTaints {
  std::vector<std::string> texts;
  std::vector<Evidence> evidence;
  std::string group;
  bool leaving = false;  // one of them says that the node is being removed
};

OpenTaints open_taints(const NodeCase& c) {
  OpenTaints result;
  for (const placement::Reason& reason : c.report.reasons()) {
    const auto* open = std::get_if<placement::UntoleratedTaint>(&reason);
    if (open == nullptr) continue;
    const model::Taint& taint = open->taint;
    result.texts.push_back(fmt::format("{}:{}{}", taint.key.view(), taint.effect.view(),
                                       since_text(tainted_since(taint))));
    result.evidence.push_back(
        fmt::format("Node/{} spec.taints[{}]", c.node.meta.name.view(), open->index));
    result.group += fmt::format("|{}:{}", taint.key.view(), taint.effect.view());
    const model::KnownTaint* known = c.of.taints->find(taint, c.node.meta.labels);
    result.leaving |= known != nullptr && known->lifecycle == model::TaintLifecycle::Leaving;
  }
  return result;
}

/// What is due within an hour needs nobody.
constexpr std::chrono::hours soon{1};

/// How a misscheduled pod comes to its end, and whether somebody has to act for it.
struct Stay {
  std::string pod;   // "pod runs since …"
  std::string what;  // "NoSchedule does not evict running pods": what becomes of it, and does not
  std::optional<EvictionAhead> eviction = {};
  bool ends = false;
  model::OptionalTime overdue_since = {};
};

/// When a pod that is over ended, as its last container or its conditions tell; absent where
/// nothing does.
model::OptionalTime ended_at(const model::Pod& pod) {
  model::OptionalTime last;
  for (const model::ContainerStatus& status : pod.statuses) {
    if (!status.terminated || !status.terminated->finished) continue;
    if (!last || *last < *status.terminated->finished) last = status.terminated->finished;
  }
  for (const std::string_view type : {"DisruptionTarget", "Ready"}) {
    const auto condition = model::find_condition(pod.conditions, type);
    if (!last && condition != nullptr) last = condition->last_transition;
  }
  return last;
}

/// What kube-controller-manager has to do is done, as far as is known.
bool is_controlled(const NodeCase& c) { return !c.of.facts.controller_manager_silence(); }

Stay stay_of_ended(const NodeCase& c, const model::Pod& pod) {
  Stay stay{fmt::format("pod is {}{}", pod.phase.view(),
                        pod.reason.empty() ? "" : fmt::format(" ({})", pod.reason.view())),
            "the controller deletes it and creates no other on the node"};
  if (pod.phase == "Succeeded" && !c.of.behaviour.replaces_succeeded_pods) {
    stay.what = "the controller of this Kubernetes version does not delete it";
    return stay;
  }
  const auto end = ended_at(pod);
  constexpr auto longest = threshold::failed_pod_backoff + threshold::missing;
  stay.ends = is_controlled(c) && is_younger(end, longest, c.of.facts.now());
  if (is_older(end, longest, c.of.facts.now())) stay.overdue_since = *end + longest;
  return stay;
}

Stay stay_of(const NodeCase& c, const model::Pod& pod) {
  if (is_terminating(pod)) {
    // What holds it is told once it is late.
    return {.pod = "pod is Terminating",
            .what = "no other is created on the node",
            .ends = !is_older(pod.meta.deleted, threshold::terminating, c.of.facts.now())};
  }
  if (is_terminal(pod)) return stay_of_ended(c, pod);
  if (!is_bound(pod)) {
    return {fmt::format("pod is Pending{}", since_text(pod.meta.created)),
            "the scheduler does not bind it, and the controller does not delete it"};
  }
  Stay stay{
      fmt::format("pod runs{}", since_text(pod.start_time ? pod.start_time : pod.meta.created)),
      "NoSchedule does not evict running pods"};
  stay.eviction = eviction_ahead(c, pod);
  if (!stay.eviction) return stay;
  const auto& due = stay.eviction->due;
  const auto now = c.of.facts.now();
  stay.what = fmt::format(
      "{}:NoExecute is tolerated for {}s: the taint controller deletes the pod{}, and it is not "
      "created again{}",
      stay.eviction->taint->key.view(), stay.eviction->seconds,
      due ? " by " + format_utc(*due) : std::string(),
      is_kubelet_out(c.node) ? "; the kubelet does not confirm that" : "");
  stay.ends = due && now < *due + threshold::terminating && *due < now + soon && is_controlled(c) &&
              !is_kubelet_out(c.node);
  if (is_older(due, threshold::terminating, now)) stay.overdue_since = due;
  return stay;
}

void add_misscheduled(const NodeCase& c, const model::Pod& pod, std::vector<Finding>& findings) {
  OpenTaints open = open_taints(c);
  if (open.texts.empty()) return;
  const Stay stay = stay_of(c, pod);
  if (is_terminating(pod) && !stay.ends) return;  // what holds it is told
  Finding finding = make_said_finding(FindingId::PodMisscheduled,
                                 fmt::format("misscheduled: {}, untolerated taint {}; {}", stay.pod,
                                             fmt::join(open.texts, ", "), stay.what),
                                 std::move(open.evidence), names_of(c, pod.meta.name));
  finding.group = std::move(open.group);
  finding.overdue_since = stay.overdue_since;
  const bool leaves = (open.leaving || c.node.meta.deleted) && is_live(pod) &&
                      !is_departure_overdue(c.node, c.of.facts);
  if (stay.ends) finding.group += pod_ends;
  if (leaves || stay.ends) {
    finding.severity = Severity::Info;
    finding.transient = true;
  }
  if (stay.ends) finding.fix.clear();
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
    return labelled_since(c.node, term->requirement->key, term->have.has_value());
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
  const auto writer = spec_writer(c.of.ds.meta);
  const bool fresh = is_younger(changed, threshold::missing, now) ||
                     (writer && is_younger(writer->not_later_than, threshold::missing, now)) ||
                     is_younger(pod.meta.created, threshold::missing, now) ||
                     is_younger(c.node.meta.created, threshold::missing, now);
  Finding finding = make_said_finding(
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
  if (c.report.verdict() == NodeVerdict::Removing && !is_terminating(pod)) {
    add_doomed(c, pod, findings);
  }
  return findings;
}

}  // namespace dsdoctor::diagnosis
