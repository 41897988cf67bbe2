#include "diagnosis/causes/template/drift_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/rollout.h"
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

Finding drift_finding(const DaemonSetCase& c, const FindingKind& kind, std::string message,
                      std::vector<Evidence> evidence) {
  Finding finding = make_said_finding(kind, std::move(message), std::move(evidence), names_of(c));
  finding.standing = Standing::Also;
  return finding;
}

bool satisfied(const model::Labels& selector, const model::Labels& labels) {
  return std::ranges::all_of(selector, [&](const auto& pair) {
    const model::Text* value = labels.find(pair.first);
    return value != nullptr && *value == pair.second;
  });
}

std::string selector_text(const model::Labels& selector) {
  std::string text;
  for (const auto& [key, value] : selector) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", key.view(), value.view());
  }
  return text;
}

/// Nodes that should run the pod by the template alone, and lack what `selector` asks for besides.
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

bool carried_by_pods(const DaemonSetCase& c, const model::Labels& selector) {
  return std::ranges::any_of(c.claimed.owned, [&](const model::Pod* pod) {
    return satisfied(selector, pod->node_selector);
  });
}

std::string nodes_text(const std::vector<std::string>& nodes) {
  return fmt::format("{} ({})", wording::counted(static_cast<std::int64_t>(nodes.size()), "node"),
                     wording::listed(nodes));
}

/// Its controller counts the nodes as not eligible, and so do the verdicts.
void note_openshift_selector(const DaemonSetCase& c, const model::Namespace& ns,
                             std::vector<Finding>& findings) {
  const model::Labels& selector = c.ds.pod_template.namespace_selector;
  if (selector.empty()) return;
  const auto nodes = wanted_without(c, selector);
  if (nodes.empty()) return;
  const std::string_view annotation = placement::heeded_annotation(ns);
  Finding finding = drift_finding(
      c, FindingId::DriftOpenshiftNodeSelector,
      fmt::format("{}: the namespace's node selector {} excludes {}, which match the template",
                  annotation, selector_text(selector), nodes_text(nodes)),
      {fmt::format("Namespace/{} metadata.annotations[{}]: {}", ns.meta.name.view(), annotation,
                   wording::cut(*ns.annotations.find(annotation)))});
  finding.severity = Severity::Info;
  finding.standing = Standing::Context;
  finding.basis = Basis::Recomputed;
  finding.group = selector_text(selector);
  findings.push_back(std::move(finding));
}

void check_namespace_selector(const DaemonSetCase& c, const model::Namespace& ns,
                              std::vector<Finding>& findings) {
  const model::Text* text = ns.annotations.find(placement::namespace_selector_annotation);
  const auto selector = text ? parse_equalities(*text) : std::nullopt;
  if (!selector || selector->empty()) return;
  const auto nodes = wanted_without(c, *selector);
  if (nodes.empty()) return;
  const bool active = carried_by_pods(c, *selector);
  Finding finding = drift_finding(
      c, FindingId::DriftNamespaceNodeSelector,
      fmt::format("the namespace adds nodeSelector {} to its pods, which the DaemonSet controller "
                  "ignores: {} {}",
                  selector_text(*selector), nodes_text(nodes),
                  active ? "get a pod that can never be scheduled"
                         : "would get a pod that can never be scheduled, if admission plug-in "
                           "PodNodeSelector is enabled; no pod shows that it is"),
      {fmt::format("Namespace/{} metadata.annotations[{}]: {}", ns.meta.name.view(),
                   placement::namespace_selector_annotation, wording::cut(*text))});
  if (active) {
    finding.evidence.push_back("Pods spec.nodeSelector: " + selector_text(*selector));
  } else {
    finding.severity = Severity::Info;
    finding.standing = Standing::Context;
    finding.basis = Basis::Suspected;
  }
  finding.group = selector_text(*selector);
  findings.push_back(std::move(finding));
}

/// Taints that exclude nodes, and that one of
/// `tolerations` tolerates; their keys.
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
  const model::Text* text = ns.annotations.find(tolerations_annotation);
  findings.push_back(drift_finding(
      c, FindingId::DriftNamespaceTolerations,
      fmt::format("defaultTolerations: the namespace's default tolerations tolerate {}, which "
                  "excludes nodes; they are "
                  "added to the pods, but the DaemonSet controller ignores them",
                  wording::listed(std::vector<std::string>(keys.begin(), keys.end()))),
      {fmt::format("Namespace/{} metadata.annotations[{}]: {}", ns.meta.name.view(),
                   tolerations_annotation, text ? wording::cut(*text) : std::string())}));
  findings.back().standing = Standing::Context;
}

void check_runtime_class(const DaemonSetCase& c, std::vector<Finding>& findings) {
  const model::Text& name = c.ds.pod_template.spec.runtime_class;
  const model::RuntimeClass* runtime_class = name.empty() ? nullptr : c.facts.runtime_class(name);
  if (runtime_class == nullptr || runtime_class->node_selector.empty()) return;
  const auto nodes = wanted_without(c, runtime_class->node_selector);
  if (nodes.empty()) return;
  const std::string selector = selector_text(runtime_class->node_selector);
  findings.push_back(drift_finding(
      c, finding::DriftRuntimeclass{.name = name},
      fmt::format("RuntimeClass {} adds nodeSelector {} to the pods, which the DaemonSet "
                  "controller ignores: {} get a pod that can never be scheduled",
                  name.view(), selector, nodes_text(nodes)),
      {fmt::format("RuntimeClass/{} scheduling.nodeSelector: {}", name.view(), selector)}));
  findings.back().basis =
      carried_by_pods(c, runtime_class->node_selector) ? Basis::Confirmed : Basis::Recomputed;
  findings.back().group = name.str();
}

void check_pods(const DaemonSetCase& c, std::vector<Finding>& findings) {
  const std::vector<PodDrift> drifts = pod_drifts(c);
  if (drifts.empty()) return;
  std::vector<std::string> parts;
  std::vector<Evidence> evidence;
  Severity severity = Severity::Info;
  for (const PodDrift& drift : drifts) {
    parts.push_back(
        fmt::format("{} of {}: {}", drift.field, wording::counted(drift.pods, "pod"), drift.text));
    evidence.push_back(fmt::format("Pod/{} spec: {}", drift.pod, drift.field));
    if (drift.decides) severity = std::min(severity, Severity::Warning);
    if (drift.unscheduled) severity = Severity::Error;
  }
  Finding finding =
      drift_finding(c, FindingId::DriftPodMutated,
                    fmt::format("pods differ from the template: {}", fmt::join(parts, "; ")),
                    std::move(evidence));
  finding.severity = severity;
  if (severity == Severity::Info) finding.standing = Standing::Context;
  findings.push_back(std::move(finding));
}

std::string edit_text(const model::SpecEdit& edit) {
  if (edit.applied.empty()) return fmt::format("{} added: {}", edit.path, wording::cut(edit.live));
  if (edit.live.empty()) {
    return fmt::format("{} removed: {}", edit.path, wording::cut(edit.applied));
  }
  if (edit.applied == edit.live) return edit.path;  // neither may be shown
  return fmt::format("{} was {}, is {}", edit.path, wording::cut(edit.applied),
                     wording::cut(edit.live));
}

/// "1000m" was applied, and the server writes "1".
bool is_same_amount(const model::SpecEdit& edit) {
  const auto applied = scheduling::Quantity::parse(edit.applied);
  return applied && applied == scheduling::Quantity::parse(edit.live);
}

/// Who wrote the spec last, unless that was the apply itself.
void check_edits(const DaemonSetCase& c, std::vector<Finding>& findings) {
  std::vector<std::string> parts;
  for (const model::SpecEdit& edit : c.ds.edits) {
    if (!is_same_amount(edit)) parts.push_back(edit_text(edit));
  }
  if (parts.empty()) return;
  const auto writer = spec_writer(c.ds.meta);
  Finding finding = drift_finding(
      c, FindingId::DriftSpecEdited,
      fmt::format("the spec was changed after the last kubectl apply{}: {}",
                  writer ? fmt::format("; last written by {}", to_string(*writer)) : std::string(),
                  fmt::join(parts, "; ")),
      {fmt::format("DaemonSet/{} metadata.annotations[kubectl.kubernetes.io/"
                   "last-applied-configuration]",
                   c.ds.meta.name.view())});
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
