// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/control/reach_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/daemonset.h"
#include "diagnosis/catalogue/object_evidence.h"
#include "diagnosis/catalogue/role.h"
#include "diagnosis/causes/control/finding_list.h"
#include "diagnosis/causes/control/idle.h"
#include "diagnosis/evidence/attribution.h"
#include "diagnosis/report/reach.h"
#include "diagnosis/rollout/lost_nodes.h"
#include "diagnosis/taints/taint_knowledge.h"

namespace dsdoctor::diagnosis {
namespace {

/// Whether the required node affinity excludes every node, whatever its labels are.
bool matches_nothing(const DaemonSetReport& report) {
  return std::ranges::any_of(report.nodes.states(), [](const NodeReports::Use& use) {
    return use.nodes != 0 &&
           std::ranges::any_of(use.state->reasons, [](const placement::Reason& reason) {
             return std::holds_alternative<placement::AffinityMatchesNothing>(reason);
           });
  });
}

/// Evidence from the node's field that fails a requirement of the template.
struct ReasonEvidence {
  const model::Node& node;
  const model::DaemonSet& ds;

  Evidence operator()(const placement::NodeNameMismatch&) const {
    return {ref_of(node), "metadata.name", node.meta.name.str()};
  }
  Evidence operator()(const placement::NodeSelectorMismatch& r) const {
    return of_label(r.key, r.have);
  }
  Evidence operator()(const placement::AffinityTermMismatch& r) const {
    if (r.in_fields) return {ref_of(node), "metadata.name", node.meta.name.str()};
    return of_label(r.requirement->key, r.have);
  }
  Evidence operator()(const placement::AffinityMatchesNothing&) const {
    return {
        ref_of(ds),
        "spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"};
  }
  Evidence operator()(const placement::UntoleratedTaint& r) const {
    const auto at = std::ranges::find(node.taints, r.taint);
    if (at == node.taints.end()) return {ref_of(node), "spec.taints"};  // another node has it
    return taint_evidence(node, *at);
  }

 private:
  [[nodiscard]] Evidence of_label(std::string_view key,
                                  const std::optional<model::Text>& have) const {
    return {ref_of(node), fmt::format("metadata.labels['{}']", key), have ? have->str() : ""};
  }
};

std::string text_of(const Label& label) {
  return fmt::format("{}={}", label.key.view(), label.value.view());
}

Message message_of(const LabelOfNode& similar) {
  return phrase::LabelIsSimilar{.label = text_of(similar.label), .node = similar.node->meta.name};
}

/// Absent for a count of 1, which has another wording.
std::optional<std::int64_t> several(std::size_t count) {
  return count == 1 ? std::nullopt : std::optional(static_cast<std::int64_t>(count));
}

class ReachFinder {
 public:
  explicit ReachFinder(const DaemonSetCase& of)
      : of_(of), ds_(of.ds), cluster_(of.facts.cluster()), report_(of.report) {}

  std::vector<Finding> find() {
    no_eligible_node();
    nodes_left_out();
    return findings_.take();
  }

  std::vector<Finding> lost() {
    const LostNodes lost = lost_by_template(of_);
    if (lost.revision == nullptr) return {};
    std::vector<std::string> changes;
    for (const TemplateChange& change : lost.changes) changes.push_back(text_of(change));
    const model::ObjectMeta& meta = lost.revision->meta;
    Finding& finding = findings_.add(
        finding::DaemonsetTemplateExcludesNodes{
            .changes = changes,
            .count = lost.nodes.size(),
            .created = meta.created,
            .nodes = lost.nodes,
            .revision = std::to_string(lost.revision->revision)},
        {{{"ControllerRevision", meta.ns.str(), meta.name.str()},
          "revision",
          std::to_string(lost.revision->revision)}});
    finding.nodes = lost.nodes;
    return findings_.take();
  }

 private:
  /// Nodes that have untolerated taints but meet every other requirement of the template. One node
  /// that returns is enough; a node that is being removed does not return.
  enum class NearNodes { None, OutForNow, OutForGood };
  [[nodiscard]] NearNodes near_nodes() const {
    bool one_leaves = false;
    bool one_is_out_for_good = false;
    for (const NodeReports::Use& use : report_.nodes.states()) {
      const bool only_taints =
          use.nodes != 0 && !use.state->reasons.empty() &&
          std::ranges::all_of(use.state->reasons, [](const placement::Reason& reason) {
            return std::holds_alternative<placement::UntoleratedTaint>(reason);
          });
      if (!only_taints) continue;
      const bool leaves = std::ranges::any_of(use.state->findings, [](const Finding& finding) {
        return is_about(finding.id, About::Leaving);
      });
      const bool passes = is_out_by_state(*use.state) && is_told(*use.state);
      if (passes && !leaves) return NearNodes::OutForNow;
      (passes ? one_leaves : one_is_out_for_good) = true;
    }
    if (one_is_out_for_good) return NearNodes::OutForGood;
    return one_leaves ? NearNodes::OutForNow : NearNodes::None;
  }

  /// Whether the node's findings report a state that ends without action or that needs action.
  [[nodiscard]] static bool is_told(const NodeState& state) {
    return std::ranges::any_of(state.findings, [](const Finding& finding) {
      const bool needs_somebody =
          finding.severity != Severity::Info && !is_about(finding.id, About::Leaving);
      return entry_of(finding.id).family == Family::Node && (finding.transient || needs_somebody);
    });
  }

  void no_eligible_node() {
    const bool none_wanted = report_.all_nodes > 0 && report_.evaluated.nodes_known &&
                             report_.evaluated.all_nodes_known &&
                             report_.evaluated.counts.desired_number_scheduled == 0;
    if (!none_wanted || is_pinned_to_no_node(of_)) return;
    const bool no_affinity = matches_nothing(report_);
    const auto meant = meant_label(ds_, of_.facts);
    const auto label = meant ? std::optional(meant->wanted) : label_of_no_node(ds_, cluster_);
    // Without an affinity that can match, no node is closer than another.
    const auto closest = no_affinity ? std::nullopt : closest_to(meant);
    // The meant label says the same.
    const bool told = closest && meant && closest->name == meant->meant.node->meta.name &&
                      number_of_clauses(*closest) == 1;
    const auto shown = told ? std::nullopt : closest;
    const NearNodes near = near_nodes();
    const bool only_taints = near != NearNodes::None;
    const Obstacles excluding = obstacles(report_, 5);
    Finding& finding = findings_.add(
        finding::DaemonsetNoEligibleNode{
            .clause = shown && !only_lacks(*shown, label)
                          ? std::optional(clause_of(shown->reasons().front()))
                          : std::nullopt,
            .closest = shown ? shown->name.view() : std::string_view(),
            .keeper = keeper(),
            .label = label ? text_of(*label) : "",
            .obstacles = label ? std::vector<Message>() : excluding.most_frequent,
            .only_taints_exclude = only_taints,
            .other_obstacles = label || excluding.others == 0
                                   ? std::optional<std::int64_t>()
                                   : static_cast<std::int64_t>(excluding.others),
            .requirements = several(shown ? number_of_clauses(*shown) : 1),
            .several_nodes = several(report_.all_nodes),
            .similar = meant ? std::optional(message_of(meant->meant)) : std::nullopt,
            .the_affinity_matches_nothing = no_affinity,
            .the_labels_do_not_match = !only_taints && !no_affinity},
        evidence_against(closest, label, meant));
    const Idleness idleness =
        near == NearNodes::OutForNow ? Idleness::Intended : idleness_of(of_, meant);
    if (idleness == Idleness::Misspelled) finding.severity = Severity::Warning;
    if (idleness != Idleness::Intended) return;
    finding.severity = Severity::Info;
    finding.fix.clear();
  }

  /// The closest node; the one with the meant label if no other fails fewer requirements.
  [[nodiscard]] std::optional<NodeReport> closest_to(const std::optional<MeantLabel>& meant) const {
    auto closest = closest_node(report_);
    if (!closest || !meant) return closest;
    const auto has_it = report_.nodes.find(meant->meant.node->meta.name);
    if (!has_it || number_of_clauses(*has_it) > number_of_clauses(*closest)) return closest;
    return has_it;
  }

  /// Whether that label, which no node has, is all that the node lacks.
  [[nodiscard]] static bool only_lacks(const NodeReport& node, const std::optional<Label>& label) {
    if (!label || number_of_clauses(node) != 1) return false;
    const placement::Reason reason = node.reasons().front();
    const auto* selector = std::get_if<placement::NodeSelectorMismatch>(&reason);
    return selector != nullptr && selector->key == label->key && !selector->have;
  }

  /// The writer of a node selector that intentionally matches no node; empty for any other
  /// selector.
  [[nodiscard]] std::string keeper() const {
    const auto writer = is_kept_at_zero(ds_) ? spec_writer(ds_.meta) : std::nullopt;
    return writer ? manager_name(writer->manager) : std::string();
  }

  /// Evidence: the label that no node has, a similar label, and why the closest node is not
  /// eligible.
  [[nodiscard]] std::vector<Evidence> evidence_against(
      const std::optional<NodeReport>& closest, const std::optional<Label>& label,
      const std::optional<MeantLabel>& meant) const {
    std::vector<Evidence> result;
    if (label && ds_.pod_template.node_selector.find(label->key) != nullptr) {
      result.emplace_back(ref_of(ds_),
                          fmt::format("spec.template.spec.nodeSelector['{}']", label->key.view()),
                          label->value.str());
    }
    if (meant) {
      const auto& [node, similar] = meant->meant;
      result.emplace_back(ref_of(*node), fmt::format("metadata.labels['{}']", similar.key.view()),
                          similar.value.str());
    }
    const model::Node* node = closest ? model::find_node(cluster_, closest->name) : nullptr;
    if (node == nullptr) return result;
    constexpr std::size_t most_reasons = 5;  // a selector can have very many labels
    const auto& reasons = closest->reasons();
    for (std::size_t i = 0; i < std::min(reasons.size(), most_reasons); ++i) {
      result.push_back(std::visit(ReasonEvidence{*node, ds_}, reasons[i]));
    }
    return result;
  }

  /// Nodes that are not eligible because of a temporary state.
  void nodes_left_out() {
    std::vector<std::string> nodes;
    std::set<std::string> causes;
    std::optional<Message> circle;  // does not resolve by itself
    std::vector<Evidence> evidence;
    for (const std::size_t i : left_out(report_)) {
      const Finding& state = *temporary_obstacle(report_.nodes[i]);
      nodes.push_back(report_.nodes[i].name.str());
      const bool is_first = causes.emplace(state.name()).second;
      if (is_first && !state.evidence.empty()) evidence.push_back(state.evidence.front());
      if (state.id == FindingId::NodeStartupTaintCircle) circle = state.message;
    }
    const std::int64_t desired = report_.evaluated.counts.desired_number_scheduled;
    const bool none_wanted = desired == 0;
    if (nodes.empty() || (none_wanted && near_nodes() != NearNodes::OutForNow)) return;
    Finding& finding = findings_.add(
        finding::DaemonsetFewerThanNodes{
            .all_nodes = report_.all_nodes,
            .causes = std::vector<std::string>(causes.begin(), causes.end()),
            .circle = circle,
            .eligible = desired,
            .excluded = nodes.size(),
            .nodes = nodes},
        std::move(evidence), nodes.front());
    if (none_wanted) finding.severity = Severity::Error;
  }

  const DaemonSetCase& of_;
  const model::DaemonSet& ds_;
  const model::Cluster& cluster_;
  const DaemonSetReport& report_;
  FindingList findings_{of_};
};

}  // namespace

std::vector<Finding> reach_findings(const DaemonSetCase& of) { return ReachFinder(of).find(); }

std::vector<Finding> lost_node_findings(const DaemonSetCase& of) { return ReachFinder(of).lost(); }

bool is_pinned_to_no_node(const DaemonSetCase& of) {
  const model::Text& name = of.ds.pod_template.node_name;
  const model::Cluster& cluster = of.facts.cluster();
  return !name.empty() && of.report.evaluated.nodes_known && !cluster.nodes.empty() &&
         model::find_node(cluster, name) == nullptr;
}

}  // namespace dsdoctor::diagnosis
