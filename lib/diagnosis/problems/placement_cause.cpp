// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/problems/placement_cause.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/evidence/daemon_pods.h"

namespace dsdoctor::diagnosis {
namespace {

bool is_one_of(NodeVerdict verdict, std::initializer_list<NodeVerdict> verdicts) {
  return std::ranges::find(verdicts, verdict) != verdicts.end();
}

/// The labels that are added to the node selector of pods; null if the finding is not about that.
const Argument::Names* added_labels(const Finding& finding) {
  const auto parameters = entry_of(finding.message.id).parameters;
  const auto at = std::ranges::find(parameters, "labels", &ParameterEntry::name);
  if (at == parameters.end()) return nullptr;
  const auto index = static_cast<std::size_t>(at - parameters.begin());
  return std::get_if<Argument::Names>(&finding.message.arguments[index].value);
}

bool adds_label(const Finding& finding, const std::string& label) {
  const Argument::Names* labels = added_labels(finding);
  return labels != nullptr && std::ranges::find(*labels, label) != labels->end();
}

/// The finding that the node lacks labels which are added to the selector of the DaemonSet's pods;
/// null without such a finding, and for a node without a pod.
const Finding* missing_label_of(const NodeReport& node, const DaemonSetReport& report) {
  if (node.pods().empty()) return nullptr;
  const auto at = std::ranges::find_if(report.findings, [&](const Finding& finding) {
    return finding.severity != Severity::Info && added_labels(finding) != nullptr &&
           std::ranges::binary_search(finding.nodes, node.name.view());
  });
  return at == report.findings.end() ? nullptr : &*at;
}

}  // namespace

bool is_misplaced(NodeVerdict verdict) {
  return is_one_of(verdict, {NodeVerdict::Misscheduled, NodeVerdict::Removing});
}

const Finding* cause_of(const NodeState& state) {
  if (state.findings.empty()) return nullptr;
  const Finding& first = state.findings.front();
  if (first.standing == Standing::Primary) return &first;
  const auto gravest = std::ranges::min_element(state.findings, {}, &Finding::severity);
  return gravest->severity == Severity::Info && is_wrong(state.verdict) ? nullptr : &*gravest;
}

const Finding* root_cause_of(const NodeState& state, const DaemonSetReport& report) {
  const Finding* cause = cause_of(state);
  if (cause == nullptr || cause->id != FindingId::SchedNodeSelector) return cause;
  const auto at = std::ranges::find_if(report.findings, [&](const Finding& finding) {
    return finding.severity != Severity::Info && adds_label(finding, cause->group);
  });
  return at == report.findings.end() ? cause : &*at;
}

const Finding* root_cause_of(const NodeReport& node, const DaemonSetReport& report) {
  const Finding* cause = root_cause_of(*node.state, report);
  return cause == nullptr ? missing_label_of(node, report) : cause;
}

Severity severity_of(const NodeReport& node, const Finding* cause) {
  using enum NodeVerdict;
  const Severity own = cause == nullptr ? Severity::Warning : cause->severity;
  const bool lacks_pod = is_one_of(node.verdict(), {Missing, Failed, Pending, NotReady});
  return std::min(own, lacks_pod ? Severity::Error : Severity::Warning);
}

Action action_of(const Finding& finding) {
  if (finding.transient) return Action::None;
  return finding.overdue_since ? Action::Overdue : Action::Needed;
}

Action action_of(const NodeReport& node, const Finding* cause) {
  using enum NodeVerdict;
  if (cause != nullptr) return action_of(*cause);
  return is_one_of(node.verdict(), {Removing, Terminating}) ? Action::None : Action::Needed;
}

model::OptionalTime earlier(model::OptionalTime a, model::OptionalTime b) {
  return a && b ? std::min(a, b) : a ? a : b;
}

namespace {

model::OptionalTime not_ready_by(const auto& conditions) {
  const auto ready = model::find_condition(conditions, "Ready");
  return ready == nullptr || ready->status == "True" ? std::nullopt : ready->last_transition;
}

}  // namespace

model::OptionalTime not_ready_since(const model::Node& node) {
  return not_ready_by(node.conditions);
}

model::OptionalTime end_of(const DaemonSetReport& report, const NodeReport& node,
                           const model::Cluster& cluster) {
  if (node.pods().empty() || !node.pods().front().terminating) return std::nullopt;
  const model::Pod* pod = model::find_pod(cluster, report.ns, node.pods().front().name);
  return pod == nullptr ? std::nullopt : pod->meta.deleted;
}

std::optional<TaintTime> untolerated_since(const NodeReport& report, const model::Node& node,
                                           std::string_view root) {
  std::optional<TaintTime> first;
  bool all = true;
  for (const placement::Reason& reason : report.shared_reasons()) {
    const auto* open = std::get_if<placement::UntoleratedTaint>(&reason);
    if (open == nullptr) return std::nullopt;  // the time of a label change is not known
    if (open->index >= node.taints.size()) continue;
    const bool counts = root.empty() || root == fmt::format("{}:{}", open->taint.key.view(),
                                                            open->taint.effect.view());
    if (!counts) continue;
    const auto added = taint_time(node, open->index);
    all = all && added && !added->upper_bound;
    if (added && (!first || added->time < first->time)) first = added;
  }
  if (first) first->upper_bound = !all;
  return first;
}

model::OptionalTime since_of(const DaemonSetReport& report, const NodeReport& node,
                             const model::Cluster& cluster, const Root& root) {
  if (node.pods().empty()) return std::nullopt;
  const model::Pod* pod = model::find_pod(cluster, report.ns, node.pods().front().name);
  if (pod == nullptr) return std::nullopt;
  if (is_terminating(*pod)) return pod->meta.deleted;
  if (is_misplaced(node.verdict())) {
    const std::string_view taint = root.kind == "Taint" ? root.name : std::string_view();
    const model::Node* known = model::find_node(cluster, node.name);
    const auto first = known == nullptr ? std::nullopt : untolerated_since(node, *known, taint);
    if (!first || first->upper_bound || !pod->meta.created) return std::nullopt;
    return std::max(first->time, *pod->meta.created);
  }
  if (!is_bound(*pod)) return pod->meta.created;
  return not_ready_by(pod->conditions);
}

}  // namespace dsdoctor::diagnosis
