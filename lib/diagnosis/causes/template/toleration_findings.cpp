// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/template/toleration_findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/daemonset.h"
#include "diagnosis/catalogue/object_evidence.h"
#include "diagnosis/causes/template/spec_findings.h"
#include "diagnosis/evidence/node_state.h"
#include "diagnosis/evidence/startup_circle.h"
#include "diagnosis/report/departure.h"
#include "diagnosis/taints/taint_catalogue.h"
#include "placement/tolerates.h"
#include "placement/verdict.h"

namespace dsdoctor::diagnosis {
namespace {

constexpr std::string_view old_key = "node-role.kubernetes.io/master";
constexpr std::string_view new_key = "node-role.kubernetes.io/control-plane";
constexpr std::int64_t node_agent_priority = 2'000'000'000;  // of class system-cluster-critical

using Tolerations = std::vector<model::Toleration>;
using Nodes = std::vector<const model::Node*>;

/// Whether the taint shows a temporary state of the node, whatever its purpose.
bool tells_state(const model::Taint& taint) {
  const model::KnownTaint* known = TaintCatalogue::built_in().find(taint, {});
  if (known == nullptr) return false;
  switch (known->lifecycle) {
    case model::TaintLifecycle::Transient:
    case model::TaintLifecycle::Leaving:
    case model::TaintLifecycle::UntilReady:
    case model::TaintLifecycle::Maintenance: return true;
    case model::TaintLifecycle::Unknown:
    case model::TaintLifecycle::Permanent: return false;
  }
  return false;
}

bool is_too_broad(const model::Toleration& toleration) {
  return toleration.key.empty() && toleration.op == "Exists" &&
         toleration.effect != model::effect::prefer_no_schedule;
}

/// Evidence from the toleration's `field` and its value.
Evidence toleration_evidence(const DaemonSetCase& c, std::size_t index, std::string_view field,
                             const model::Text& value) {
  return {ref_of(c.ds), fmt::format("spec.template.spec.tolerations[{}].{}", index, field),
          value.str()};
}

/// REQUIRES: the toleration has a key.
std::string text_of(const model::Toleration& toleration) {
  std::string text = toleration.key.str();
  if (!toleration.value.empty()) text += "=" + toleration.value.str();
  if (!toleration.effect.empty()) text += ":" + toleration.effect.str();
  return text;
}

placement::Evaluator evaluator_without(const DaemonSetCase& c, std::size_t index) {
  model::PodTemplate changed = c.ds.pod_template;
  changed.tolerations.erase(changed.tolerations.begin() + static_cast<std::ptrdiff_t>(index));
  return {changed, c.gates};
}

/// Nodes that are eligible only because of one toleration, ignoring taints that show a temporary
/// state.
Nodes masked_nodes(const DaemonSetCase& c, std::size_t index) {
  const placement::Evaluator with(c.ds.pod_template, c.gates);
  const placement::Evaluator without = evaluator_without(c, index);
  Nodes result;
  for (const model::Node& node : c.facts.cluster().nodes) {
    const bool marked = std::ranges::any_of(node.taints, [](const model::Taint& taint) {
      return placement::is_blocking(taint) && !tells_state(taint);
    });
    if (!marked || !placement::should_run(with.decide(node))) continue;
    if (!placement::should_run(without.decide(node))) result.push_back(&node);
  }
  return result;
}

/// Whether a pod built for Linux hosts cannot work on the node at all.
bool is_foreign(const DaemonSetCase& c, const model::Node& node) {
  const std::string_view os = c.ds.pod_template.spec.os;
  return has_label(node, "type", "virtual-kubelet") ||
         has_label(node, "eks.amazonaws.com/compute-type", "fargate") ||
         (!node.os.empty() && node.os != (os.empty() ? std::string_view("linux") : os));
}

/// Each node's name with the keys of its taints in brackets.
std::vector<std::string> with_taints(const Nodes& nodes) {
  std::vector<std::string> result;
  for (const model::Node* node : nodes) {
    std::string taints;
    for (const model::Taint& taint : node->taints) {
      if (!placement::is_blocking(taint) || tells_state(taint)) continue;
      taints += fmt::format("{}{}", taints.empty() ? "" : ", ", taint.key.view());
    }
    result.push_back(fmt::format("{} ({})", node->meta.name.view(), taints));
  }
  return result;
}

/// `unhealthy`: nodes on which the pod does not work; empty if there is no problem.
Finding too_broad(const DaemonSetCase& c, std::size_t index, const Nodes& unhealthy) {
  const model::Toleration& toleration = c.ds.pod_template.tolerations[index];
  const Nodes masked = masked_nodes(c, index);
  const bool is_node_agent = resolved_priority(c).value_or(0) >= node_agent_priority;
  return make_finding(
      finding::TolerationTooBroad{
          .effect = toleration.effect,
          .it_is_a_node_agent = unhealthy.empty() && is_node_agent,
          .masked = with_taints(masked),
          .masked_count = masked.size(),
          // Such an agent must tolerate the taints of new nodes.
          .nodes_need_it = prepares_nodes(c.ds, c.facts.cluster().nodes, *c.taints),
          .unhealthy = with_taints(unhealthy)},
      {toleration_evidence(c, index, "operator", toleration.op)}, names_of(c));
}

/// The pod is bound to the node and does not work there.
bool fails_there(NodeVerdict verdict) {
  return verdict == NodeVerdict::Failed || verdict == NodeVerdict::NotReady;
}

bool is_unhealthy(NodeVerdict verdict) {
  return fails_there(verdict) || verdict == NodeVerdict::Pending;
}

/// REQUIRES: `nodes` in the order of the cluster, which is the order of their addresses.
bool is_among(const Nodes& nodes, const model::Node* node) {
  return std::ranges::binary_search(nodes, node);
}

/// Whether the pod also fails on many nodes that need no toleration: then the pod itself is the
/// cause.
bool fails_elsewhere(const DaemonSetCase& c, const Nodes& masked) {
  std::size_t all = 0;
  std::size_t unhealthy = 0;
  for (const NodeReport& report : c.report.nodes) {
    if (!placement::should_run(report.decision())) continue;
    if (is_among(masked, model::find_node(c.facts.cluster(), report.name))) continue;
    ++all;
    if (is_unhealthy(report.verdict())) ++unhealthy;
  }
  return 4 * unhealthy >= all;
}

/// The masked nodes on which the pod is unhealthy according to the report and for which the
/// toleration may be the cause. A pod that is not bound proves nothing.
Nodes unhealthy_masked(const DaemonSetCase& c, std::size_t index) {
  Nodes suspects;
  if (std::ranges::none_of(c.report.nodes.states(), [](const NodeReports::Use& use) {
        return use.nodes > 0 && fails_there(use.state->verdict);
      })) {
    return {};
  }
  for (const NodeReport& report : c.report.nodes) {
    if (!fails_there(report.verdict())) continue;
    const model::Node* node = model::find_node(c.facts.cluster(), report.name);
    if (node == nullptr || node->taints.empty()) continue;
    // The toleration is right; another DaemonSet lacks it.
    const auto waits = [](const Finding& f) { return f.id == FindingId::ProviderAbsent; };
    if (std::ranges::any_of(report.findings(), waits)) continue;
    // No pod works on a node whose kubelet is down.
    if (!is_kubelet_out(*node) || is_foreign(c, *node)) suspects.push_back(node);
  }
  if (suspects.empty()) return {};
  const Nodes masked = masked_nodes(c, index);
  const bool own_fault = fails_elsewhere(c, masked);
  std::erase_if(suspects, [&](const model::Node* node) {
    return !is_among(masked, node) || (own_fault && !is_foreign(c, *node));
  });
  return suspects;
}

void check_broad(const DaemonSetCase& c, std::vector<Finding>& findings) {
  const Tolerations& tolerations = c.ds.pod_template.tolerations;
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    if (!is_too_broad(tolerations[i])) continue;
    const Nodes unhealthy = unhealthy_masked(c, i);
    if (unhealthy.empty()) continue;
    Finding finding = too_broad(c, i, unhealthy);
    if (std::ranges::any_of(unhealthy, [&](const auto* node) { return is_foreign(c, *node); })) {
      finding.severity = Severity::Error;
    }
    finding.standing = Standing::Also;
    finding.basis = Basis::Recomputed;
    findings.push_back(std::move(finding));
  }
}

/// Reports control plane nodes that are excluded because the template tolerates only the old key of
/// their taint.
void check_old_master_key(const DaemonSetCase& c, std::vector<Finding>& findings) {
  const Tolerations& tolerations = c.ds.pod_template.tolerations;
  const auto old = std::ranges::find(tolerations, old_key,
                                     [](const auto& toleration) { return toleration.key.view(); });
  if (old == tolerations.end()) return;
  model::PodTemplate changed = c.ds.pod_template;
  for (model::Toleration& toleration : changed.tolerations) {
    if (toleration.key == old_key) toleration.key = new_key;
  }
  const placement::Evaluator as_is(c.ds.pod_template, c.gates);
  const placement::Evaluator with_new_key(changed, c.gates);
  std::vector<std::string> nodes;
  std::vector<Evidence> evidence = {
      toleration_evidence(c, static_cast<std::size_t>(old - tolerations.begin()), "key", old->key)};
  for (const model::Node& node : c.facts.cluster().nodes) {
    const model::Taint* taint = find_taint(node, new_key);
    if (taint == nullptr || find_taint(node, old_key) != nullptr) continue;
    if (placement::should_run(as_is.decide(node))) continue;
    if (!placement::should_run(with_new_key.decide(node))) continue;
    if (nodes.empty()) evidence.push_back(taint_evidence(node, *taint));
    nodes.push_back(node.meta.name.str());
  }
  if (nodes.empty()) return;
  Finding finding =
      make_finding(finding::TolerationOldMasterKey{.node_count = nodes.size(), .nodes = nodes},
                   std::move(evidence), names_of(c));
  finding.standing = Standing::Also;
  finding.basis = Basis::Recomputed;
  findings.push_back(std::move(finding));
}

// ---- Lint ----

void lint_broad(const DaemonSetCase& c, std::vector<Finding>& findings) {
  const Tolerations& tolerations = c.ds.pod_template.tolerations;
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    if (!is_too_broad(tolerations[i]) || !unhealthy_masked(c, i).empty()) continue;
    Finding finding = too_broad(c, i, {});
    finding.severity = Severity::Info;
    findings.push_back(std::move(finding));
  }
}

bool matches_some_taint(const DaemonSetCase& c, const model::Toleration& toleration) {
  return std::ranges::any_of(c.facts.cluster().nodes, [&](const model::Node& node) {
    return std::ranges::any_of(node.taints, [&](const model::Taint& taint) {
      return placement::tolerates(toleration, taint, c.gates);
    });
  });
}

void lint_dead(const DaemonSetCase& c, std::vector<Finding>& findings) {
  const auto automatic = placement::automatic_tolerations(true);
  std::vector<std::string> dead;
  std::vector<Evidence> evidence;
  const Tolerations& tolerations = c.ds.pod_template.tolerations;
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    const model::Toleration& toleration = tolerations[i];
    // A toleration of every key has its own finding; a toleration of a temporary state may be
    // needed later.
    if (toleration.key.empty()) continue;
    if (tells_state({toleration.key, toleration.value, {}})) continue;
    if (std::ranges::find(automatic, toleration) != automatic.end()) continue;
    if (matches_some_taint(c, toleration)) continue;
    dead.push_back(text_of(toleration));
    evidence.push_back(toleration_evidence(c, i, "key", toleration.key));
  }
  if (dead.empty()) return;
  findings.push_back(
      make_finding(finding::TolerationDead{.tolerations = dead}, std::move(evidence), names_of(c)));
}

void lint_best_effort(const DaemonSetCase& c, std::vector<Finding>& findings) {
  const model::PodSpec& spec = c.ds.pod_template.spec;
  if (spec.containers.empty() || !is_best_effort(spec)) return;
  findings.push_back(make_finding(finding::DaemonsetBestEffort{.evicted = ""},
                                  {requests_evidence(c)}, names_of(c)));
}

}  // namespace

std::vector<Finding> toleration_findings(const DaemonSetCase& c) {
  std::vector<Finding> findings;
  if (!c.facts.cluster().nodes_known || c.ds.meta.deleted) return findings;
  check_broad(c, findings);
  check_old_master_key(c, findings);
  return findings;
}

std::vector<Finding> lint_findings(const DaemonSetCase& c) {
  std::vector<Finding> findings;
  if (c.facts.cluster().nodes_known && !c.facts.cluster().nodes.empty()) {
    lint_broad(c, findings);
    if (c.facts.cluster().all_nodes_known) lint_dead(c, findings);
  }
  lint_best_effort(c, findings);
  return findings;
}

}  // namespace dsdoctor::diagnosis
