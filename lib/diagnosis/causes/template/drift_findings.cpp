// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/template/drift_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/rollout.h"
#include "diagnosis/catalogue/object_evidence.h"
#include "diagnosis/causes/template/label_texts.h"
#include "diagnosis/causes/template/pod_drift.h"
#include "diagnosis/evidence/attribution.h"
#include "diagnosis/evidence/wording.h"
#include "placement/namespace_selector.h"
#include "placement/tolerates.h"
#include "placement/verdict.h"
#include "scheduling/quantity.h"

namespace dsdoctor::diagnosis {
namespace {

using placement::parse_equalities;

constexpr std::string_view tolerations_annotation =
    "scheduler.alpha.kubernetes.io/defaultTolerations";

Finding drift_finding(const DaemonSetCase& c, FindingKind kind, std::vector<Evidence> evidence) {
  Finding finding = make_finding(std::move(kind), std::move(evidence), names_of(c));
  finding.standing = Standing::Also;
  return finding;
}

bool satisfied(const model::Labels& selector, const model::Labels& labels) {
  return std::ranges::all_of(selector, [&](const auto& pair) {
    const model::Text* value = labels.find(pair.first);
    return value != nullptr && *value == pair.second;
  });
}

/// Nodes that are eligible by the template alone but do not match the additional `selector`.
std::vector<std::string> wanted_without(const DaemonSetCase& c, const model::Labels& selector) {
  model::PodTemplate bare = c.ds.pod_template;
  bare.namespace_selector = {};
  const placement::Evaluator evaluator(bare, c.gates);
  std::vector<std::string> result;
  for (const model::Node& node : c.facts.cluster().nodes) {
    if (satisfied(selector, node.meta.labels)) continue;
    if (placement::should_run(evaluator.decide(node))) result.push_back(node.meta.name.str());
  }
  return result;
}

/// A pod that has the selector, whatever added it; null if there is none.
const model::Pod* carrier_of(const DaemonSetCase& c, const model::Labels& selector) {
  const auto at = std::ranges::find_if(c.claimed.owned, [&](const model::Pod* pod) {
    return satisfied(selector, pod->node_selector);
  });
  return at == c.claimed.owned.end() ? nullptr : *at;
}

Evidence annotation_evidence(const model::Namespace& ns, std::string_view annotation) {
  const model::Text* value = ns.annotations.find(annotation);
  return {ObjectRef{"Namespace", "", ns.meta.name.str()},
          fmt::format("metadata.annotations['{}']", annotation),
          evidence_value(value == nullptr ? std::string_view() : value->view())};
}

Evidence selector_evidence(const model::Pod& pod) {
  return {ref_of(pod), "spec.nodeSelector", evidence_value(label_text(pod.node_selector))};
}

/// OpenShift's controller counts these nodes as not eligible, and so do the verdicts.
void note_openshift_selector(const DaemonSetCase& c, const model::Namespace& ns,
                             std::vector<Finding>& findings) {
  const model::Labels& selector = c.ds.pod_template.namespace_selector;
  if (selector.empty()) return;
  const auto nodes = wanted_without(c, selector);
  if (nodes.empty()) return;
  const std::string_view annotation = placement::heeded_annotation(ns);
  Finding finding =
      drift_finding(c,
                    finding::DriftOpenshiftNodeSelector{.annotation = annotation,
                                                        .labels = label_texts(selector),
                                                        .node_count = nodes.size(),
                                                        .nodes = nodes},
                    {annotation_evidence(ns, annotation)});
  finding.severity = Severity::Info;
  finding.standing = Standing::Context;
  finding.basis = Basis::Recomputed;
  finding.group = label_text(selector);
  findings.push_back(std::move(finding));
}

void check_namespace_selector(const DaemonSetCase& c, const model::Namespace& ns,
                              std::vector<Finding>& findings) {
  const model::Text* text = ns.annotations.find(placement::namespace_selector_annotation);
  const auto selector = text ? parse_equalities(*text) : std::nullopt;
  if (!selector || selector->empty()) return;
  const auto nodes = wanted_without(c, *selector);
  if (nodes.empty()) return;
  const model::Pod* carrier = carrier_of(c, *selector);
  Finding finding =
      drift_finding(c,
                    finding::DriftNamespaceNodeSelector{.labels = label_texts(*selector),
                                                        .node_count = nodes.size(),
                                                        .nodes = nodes,
                                                        .pods_have_it = carrier != nullptr},
                    {annotation_evidence(ns, placement::namespace_selector_annotation)});
  if (carrier != nullptr) {
    finding.evidence.push_back(selector_evidence(*carrier));
  } else {
    finding.severity = Severity::Info;
    finding.standing = Standing::Context;
    finding.basis = Basis::Suspected;
  }
  finding.group = label_text(*selector);
  finding.nodes = nodes;
  findings.push_back(std::move(finding));
}

/// Keys of the taints that exclude nodes and that one of `tolerations` tolerates.
std::set<std::string> keys_covered_by(const DaemonSetCase& c,
                                      const std::vector<model::Toleration>& tolerations) {
  std::set<std::string> keys;
  for (const auto& [state, nodes] : c.report.nodes.states()) {
    if (nodes == 0) continue;
    for (const placement::Reason& reason : state->reasons) {
      const auto* open = std::get_if<placement::UntoleratedTaint>(&reason);
      if (open == nullptr) continue;
      const bool covered = std::ranges::any_of(tolerations, [&](const model::Toleration& one) {
        return placement::tolerates(one, open->taint, c.gates);
      });
      if (covered) keys.insert(open->taint.key.str());
    }
  }
  return keys;
}

void check_namespace_tolerations(const DaemonSetCase& c, const model::Namespace& ns,
                                 std::vector<Finding>& findings) {
  if (ns.default_tolerations.empty()) return;
  const std::set<std::string> keys = keys_covered_by(c, ns.default_tolerations);
  if (keys.empty()) return;
  findings.push_back(drift_finding(
      c, finding::DriftNamespaceTolerations{.keys = std::vector(keys.begin(), keys.end())},
      {annotation_evidence(ns, tolerations_annotation)}));
  findings.back().standing = Standing::Context;
}

void check_runtime_class(const DaemonSetCase& c, std::vector<Finding>& findings) {
  const model::Text& name = c.ds.pod_template.spec.runtime_class;
  const model::RuntimeClass* runtime_class = name.empty() ? nullptr : c.facts.runtime_class(name);
  if (runtime_class == nullptr || runtime_class->node_selector.empty()) return;
  const auto nodes = wanted_without(c, runtime_class->node_selector);
  if (nodes.empty()) return;
  const model::Pod* carrier = carrier_of(c, runtime_class->node_selector);
  Finding finding =
      drift_finding(c,
                    finding::DriftRuntimeclass{.labels = label_texts(runtime_class->node_selector),
                                               .name = name,
                                               .node_count = nodes.size(),
                                               .nodes = nodes},
                    {Evidence(ObjectRef{"RuntimeClass", "", name.str()}, "scheduling.nodeSelector",
                              evidence_value(label_text(runtime_class->node_selector)))});
  if (carrier != nullptr) finding.evidence.push_back(selector_evidence(*carrier));
  finding.basis = carrier != nullptr ? Basis::Confirmed : Basis::Recomputed;
  finding.group = name.str();
  finding.nodes = nodes;
  findings.push_back(std::move(finding));
}

void check_pods(const DaemonSetCase& c, std::vector<Finding>& findings) {
  const std::vector<PodDrift> drifts = pod_drifts(c);
  if (drifts.empty()) return;
  std::vector<Message> fields;
  std::vector<Evidence> evidence;
  Severity severity = Severity::Info;
  for (const PodDrift& drift : drifts) {
    fields.push_back(phrase::DriftedField{.changes = drift.changes,
                                          .container = drift.container,
                                          .field = drift.field,
                                          .pods = drift.pods});
    evidence.push_back(drift.evidence);
    if (drift.decides) severity = std::min(severity, Severity::Warning);
    if (drift.unscheduled) severity = Severity::Error;
  }
  Finding finding = drift_finding(
      c, finding::DriftPodMutated{.fields = std::move(fields), .only_pods_request_it = false},
      std::move(evidence));
  finding.severity = severity;
  if (severity == Severity::Info) finding.standing = Standing::Context;
  findings.push_back(std::move(finding));
}

/// Whether both values must be hidden.
bool is_hidden(const model::SpecEdit& edit) { return edit.applied == edit.live; }

Message phrase_of(const model::SpecEdit& edit) {
  return phrase::EditedField{.applied = is_hidden(edit) ? "" : wording::cut(edit.applied),
                             .field = edit.path,
                             .live = is_hidden(edit) ? "" : wording::cut(edit.live)};
}

/// True for "1000m" applied and "1" stored by the server.
bool is_same_amount(const model::SpecEdit& edit) {
  const auto applied = scheduling::Quantity::parse(edit.applied);
  return applied && applied == scheduling::Quantity::parse(edit.live);
}

/// Reports fields of the spec that were edited after the last apply, with the spec's last writer.
void check_edits(const DaemonSetCase& c, std::vector<Finding>& findings) {
  std::vector<Message> fields;
  std::vector<Evidence> evidence;
  for (const model::SpecEdit& edit : c.ds.edits) {
    if (is_same_amount(edit)) continue;
    fields.push_back(phrase_of(edit));
    evidence.emplace_back(ref_of(c.ds), edit.path,
                          is_hidden(edit) ? "" : evidence_value(edit.live));
  }
  if (fields.empty()) return;
  std::vector<Message> writers;
  if (const auto writer = spec_writer(c.ds.meta)) {
    writers.push_back(diagnosis::phrase_of(*writer));
    evidence.emplace_back(ref_of(c.ds), writer_path(c.ds.meta, *writer) + ".manager",
                          writer->manager.str());
  }
  Finding finding = drift_finding(
      c, finding::DriftSpecEdited{.fields = std::move(fields), .writer = std::move(writers)},
      std::move(evidence));
  finding.standing = Standing::Context;
  findings.push_back(std::move(finding));
}

}  // namespace

std::vector<Finding> drift_findings(const DaemonSetCase& c) {
  std::vector<Finding> findings;
  if (c.ds.meta.deleted) return findings;
  if (const model::Namespace* ns = c.facts.ns(c.ds.meta.ns); ns && !ns->annotations.empty()) {
    if (placement::is_openshift(*ns)) {
      note_openshift_selector(c, *ns, findings);
    } else {
      check_namespace_selector(c, *ns, findings);
    }
    check_namespace_tolerations(c, *ns, findings);
  }
  check_runtime_class(c, findings);
  check_pods(c, findings);
  check_edits(c, findings);
  return findings;
}

}  // namespace dsdoctor::diagnosis
