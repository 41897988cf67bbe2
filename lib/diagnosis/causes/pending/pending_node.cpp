// SPDX-License-Identifier: Apache-2.0

// The filters that look at the node alone: unschedulable, taints, selector and affinity.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "diagnosis/causes/pending/feature_gap.h"
#include "diagnosis/causes/pending/pending_case.h"
#include "diagnosis/evidence/wording.h"
#include "diagnosis/taints/taint_knowledge.h"
#include "placement/node_affinity.h"
#include "placement/tolerates.h"

namespace dsdoctor::diagnosis {
namespace {

constexpr const char* unschedulable_key = "node.kubernetes.io/unschedulable";
constexpr std::string_view terms_path =
    "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";

using Tolerations = std::vector<model::Toleration>;

bool tolerated(const model::Taint& taint, const Tolerations& tolerations,
               placement::FeatureGates gates) {
  return std::ranges::any_of(tolerations, [&](const model::Toleration& toleration) {
    return placement::tolerates(toleration, taint, gates);
  });
}

/// Whether the DaemonSet's template tolerates the taint.
bool template_tolerates(const PendingCase& c, const model::Taint& taint) {
  const auto& from = c.of.of.ds.pod_template;
  return tolerated(taint, placement::effective_tolerations(from.tolerations, from.host_network),
                   c.of.of.gates);
}

void add_unschedulable(const PendingCase& c, Blockers& into) {
  if (!c.node.unschedulable) return;
  const model::Taint cordon{unschedulable_key, "", model::effect::no_schedule, {}};
  if (tolerated(cordon, *c.pod.tolerations, c.of.of.gates)) return;
  std::vector<std::string> keys;
  for (const model::Toleration& one : *c.pod.tolerations) keys.push_back(one.key.str());
  into.push_back(
      {pending_finding(
           c,
           finding::Scheduling{.id = FindingId::SchedUnschedulable,
                               .what = phrase::CordonedForPod{.on_node = c.node.meta.name}},
           {{ref_of(c.node), "spec.unschedulable", "true"},
            spec_evidence(c, "tolerations[*].key", evidence_value(wording::listed(keys)))}),
       true});
}

void add_taints(const PendingCase& c, Blockers& into) {
  for (const model::Taint& taint : c.node.taints) {
    const bool told_already = c.node.unschedulable && taint.key == unschedulable_key;
    if (!placement::is_blocking(taint) || told_already ||
        tolerated(taint, *c.pod.tolerations, c.of.of.gates)) {
      continue;
    }
    std::optional<model::Time::duration> age;
    if (taint.time_added) age = c.facts.now() - *taint.time_added;
    Blocker blocker{
        pending_finding(
            c,
            finding::SchedTaint{.the_template_tolerates_it = template_tolerates(c, taint),
                                .what = phrase::TaintInTheWay{.age = age,
                                                              .on_node = c.node.meta.name,
                                                              .taint = wording::taint(taint)}},
            {taint_evidence(c.node, taint)}),
        true};
    const bool volatile_value = has_volatile_value(taint, c.node.meta.name);
    blocker.finding.group = fmt::format("{}:{}", taint.key.view(), taint.effect.view()) +
                            (volatile_value ? std::string() : "=" + taint.value.str());
    // The node is not eligible any more: the controller deletes the pod.
    if (!placement::should_run(c.of.report.decision())) {
      blocker.finding.severity = Severity::Warning;
    }
    into.push_back(std::move(blocker));
  }
}

std::string values_text(const std::vector<model::Text>& values) {
  std::string result;
  for (const model::Text& value : values) {
    result.append(result.empty() ? "" : ", ").append(value.view());
  }
  return result;
}

std::string requirement_text(const model::NodeSelectorRequirement& requirement) {
  if (requirement.values.empty()) {
    return fmt::format("{} {}", requirement.key.view(), requirement.op.view());
  }
  return fmt::format("{} {} [{}]", requirement.key.view(), requirement.op.view(),
                     values_text(requirement.values));
}

/// `value`: null if the node has no such label.
Message label_there(const model::Node& node, const model::Text* value) {
  return phrase::NodeLabel{.is_there = value != nullptr,
                           .on_node = node.meta.name,
                           .value = value != nullptr ? value->view() : std::string_view()};
}

Evidence label_evidence(const model::Node& node, std::string_view key, const model::Text* value) {
  return {ref_of(node), entry_path("metadata.labels", key),
          value != nullptr ? value->str() : std::string()};
}

void add_selector(const PendingCase& c, Blockers& into) {
  for (const auto& [key, want] : c.pod.node_selector) {
    const model::Text* have = c.node.meta.labels.find(key);
    if (have != nullptr && *have == want) continue;
    const model::Text* own = c.of.of.ds.pod_template.node_selector.find(key);
    const std::string label = fmt::format("{}={}", key.view(), want.view());
    Blocker blocker{
        pending_finding(
            c,
            finding::Scheduling{
                .id = FindingId::SchedNodeSelector,
                .what = phrase::SelectorRequires{.in_template = own != nullptr && *own == want,
                                                 .label = label,
                                                 .node_label = label_there(c.node, have)}},
            {spec_evidence(c, entry_path("nodeSelector", key), want),
             label_evidence(c.node, key, have)}),
        true};
    blocker.finding.group = label;
    into.push_back(std::move(blocker));
  }
}

/// The failures of the term with the fewest failures.
std::vector<placement::RequirementFailure> nearest_term(
    const std::vector<placement::RequirementFailure>& failures) {
  std::map<std::size_t, std::vector<placement::RequirementFailure>> by_term;
  for (const auto& failure : failures) by_term[failure.term].push_back(failure);
  if (by_term.empty()) return {};
  return std::ranges::min_element(by_term, {}, [](const auto& t) { return t.second.size(); })
      ->second;
}

void add_affinity(const PendingCase& c, Blockers& into) {
  if (!c.pod.node_affinity || c.predicted) return;  // the affinity is generated for this node
  const placement::NodeAffinity affinity(*c.pod.node_affinity);
  if (affinity.matches(c.node)) return;
  std::vector<Message> requirements;
  std::vector<Evidence> evidence;
  for (const auto& failure : nearest_term(affinity.failures(c.node))) {
    const auto& term = c.pod.node_affinity->terms[failure.term];
    const auto& requirement =
        (failure.in_fields ? term.match_fields : term.match_expressions)[failure.index];
    const model::Text* have = placement::value_for(requirement, failure.in_fields, c.node);
    const std::string wants = requirement_text(requirement);
    requirements.push_back(
        phrase::NodeRequirement{.node_label = label_there(c.node, have), .requirement = wants});
    evidence.push_back(spec_evidence(
        c,
        fmt::format("{}[{}].{}[{}]", terms_path, failure.term,
                    failure.in_fields ? "matchFields" : "matchExpressions", failure.index),
        wants));
    if (!failure.in_fields) evidence.push_back(label_evidence(c.node, requirement.key, have));
  }
  const bool is_empty = requirements.empty();
  if (is_empty) evidence.push_back(spec_evidence(c, fmt::format("{}[*]", terms_path), ""));
  Message what = is_empty ? Message(phrase::AffinityRequiresNothing{})
                          : phrase::AffinityRequires{.requirements = std::move(requirements)};
  Blocker blocker{
      pending_finding(
          c, finding::Scheduling{.id = FindingId::SchedNodeSelector, .what = std::move(what)},
          std::move(evidence)),
      true};
  blocker.finding.group = is_empty ? "empty affinity" : "affinity";
  into.push_back(std::move(blocker));
}

/// Whether the scheduler's message shows that it does not require these features: a gate of 1.36
/// can be off, and a newer release may have other rules.
bool may_not_be_required(const PendingCase& c) {
  constexpr int always_since = 37;
  const model::ClusterRelease& of = c.facts.release();
  const bool is_optional = of.release.minor < always_since || is_newer_than_known(of);
  return is_optional && c.said && !c.says(FindingId::SchedNodeFeatures);
}

void add_features(const PendingCase& c, Blockers& into) {
  scheduling::FeatureNeeds lacking =
      scheduling::required_features(*c.pod.spec, c.pod.host_network, c.facts.release().release);
  std::erase_if(lacking, [&](const auto& need) { return declares(c.node, *need.feature); });
  if (lacking.empty() || may_not_be_required(c)) return;
  FeatureGap gap = feature_gap(c.node, c.predicted ? ref_of(c.of.of.ds) : ref_of(c.pod), lacking);
  Blocker blocker{
      pending_finding(c,
                      finding::SchedNodeFeatures{.field = gap.fields,
                                                 .gates = gap.gates,
                                                 .nothing_is_known = false,
                                                 .runtime_may_lack_it = gap.runtime_may_lack_it,
                                                 .upgrade_to = gap.upgrade_to,
                                                 .what = std::move(gap.clauses)},
                      std::move(gap.evidence)),
      true};
  blocker.finding.group = std::move(gap.group);
  into.push_back(std::move(blocker));
}

}  // namespace

void add_node_blockers(const PendingCase& c, Blockers& into) {
  add_unschedulable(c, into);
  add_taints(c, into);
  add_selector(c, into);
  add_affinity(c, into);
  add_features(c, into);
}

}  // namespace dsdoctor::diagnosis
