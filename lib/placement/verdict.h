// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "model/daemon_set.h"
#include "model/node.h"
#include "model/scheduling.h"
#include "model/shared.h"
#include "placement/feature_gates.h"
#include "placement/node_affinity.h"
#include "placement/tolerates.h"

namespace dsdoctor::placement {

/// The DaemonSet controller's decision for a node, best first. Three states instead of two bools:
/// "should run, but must not continue" does not exist.
enum class Decision {
  Run,      // shouldRun, shouldContinueRunning
  Keep,     // only shouldContinueRunning: untolerated NoSchedule taints keep new pods out
  Exclude,  // neither: a present pod is deleted
};

[[nodiscard]] constexpr bool should_run(Decision decision) { return decision == Decision::Run; }
[[nodiscard]] constexpr bool should_continue(Decision decision) {
  return decision != Decision::Exclude;
}

/// The template is pinned to another node.
struct NodeNameMismatch {
  model::Text want;
  friend bool operator==(const NodeNameMismatch&, const NodeNameMismatch&) = default;
};

/// A nodeSelector label that the node does not have, or has with another value.
struct NodeSelectorMismatch {
  model::Text key;
  model::Text want;
  std::optional<model::Text> have;  // absent: the node has no such label
  bool of_namespace = false;        // the selector is that of the namespace (OpenShift)
  friend bool operator==(const NodeSelectorMismatch&, const NodeSelectorMismatch&) = default;
};

/// Maximum number of failed affinity requirements that are listed for a node; the rest are only
/// counted. The number of requirements in a template is not limited, and each node has its own
/// list.
inline constexpr std::size_t most_told_requirements = 20;

/// A requirement of a required node affinity term that fails.
struct AffinityTermMismatch {
  std::size_t term = 0;    // into nodeSelectorTerms
  bool in_fields = false;  // of matchFields, else of matchExpressions
  std::size_t index = 0;
  model::Shared<model::NodeSelectorRequirement> requirement;
  std::optional<model::Text> have;        // absent: the node has no such label
  std::optional<RequirementFault> fault;  // set: it matches no node at all
  std::size_t more = 0;                   // failed, but not listed; in the last listed one
  friend bool operator==(const AffinityTermMismatch&, const AffinityTermMismatch&) = default;
};

/// Required node affinity without a term that can match any node: it has no terms, or each term is
/// empty or cannot be parsed.
struct AffinityMatchesNothing {
  std::size_t terms = 0;
  /// Why the non-empty terms cannot be parsed; at most most_told_requirements.
  std::vector<RequirementFailure> faults;
  friend bool operator==(const AffinityMatchesNothing&, const AffinityMatchesNothing&) = default;
};

/// The toleration of the template that is closest to matching a taint, and the test that it fails.
struct NearMiss {
  std::size_t toleration = 0;  // into the template's list
  TolerationMiss miss = TolerationMiss::Key;
  friend bool operator==(const NearMiss&, const NearMiss&) = default;
};

/// A NoSchedule or NoExecute taint that no toleration matches.
struct UntoleratedTaint {
  model::Taint taint;
  std::size_t index = 0;  // into the node's spec.taints
  /// Absent: no toleration of the template has this key or a similar spelling of it.
  std::optional<NearMiss> near;
  friend bool operator==(const UntoleratedTaint&, const UntoleratedTaint&) = default;
};

using Reason = std::variant<NodeNameMismatch, NodeSelectorMismatch, AffinityTermMismatch,
                            AffinityMatchesNothing, UntoleratedTaint>;

/// Whether the reason has a `have`, the value of one node.
[[nodiscard]] bool has_value_of_node(const Reason& reason);
/// The value that `have` is for a node with this name and these labels; null if absent. Valid as
/// long as name and labels are. REQUIRES: has_value_of_node(reason).
[[nodiscard]] const model::Text* value_of_node(const Reason& reason, const model::Text& name,
                                               const model::Labels& labels);
/// The reason with the `have` of a node with this name and these labels.
[[nodiscard]] Reason of_node(Reason reason, const model::Text& name, const model::Labels& labels);

struct Verdict {
  Decision decision = Decision::Run;
  /// All reasons that apply, in the order in which they decide: node name, nodeSelector, affinity
  /// terms (at most most_told_requirements), NoExecute taints, NoSchedule taints, the namespace's
  /// node selector (OpenShift). Empty if and only if the decision is Run.
  std::vector<Reason> reasons;
};

/// The placement rules of a DaemonSet, prepared once for any number of nodes. Pure and total:
/// malformed input leads to one of the three decisions, as in Kubernetes, never to an error. Source
/// of truth: NodeShouldRunDaemonPod, kubernetes v1.36.2,
/// pkg/controller/daemon/daemon_controller.go. OpenShift's controller also checks the namespace's
/// node selector, for nodes that should run the pod.
class Evaluator {
 public:
  /// Copies what it needs; independent of `of` afterwards.
  Evaluator(const model::PodTemplate& of, FeatureGates gates);

  /// Only the decision; does not allocate.
  [[nodiscard]] Decision decide(const model::Node& node) const;
  /// The decision with all reasons. The verdict owns copies and outlives evaluator and node.
  [[nodiscard]] Verdict evaluate(const model::Node& node) const;

  /// A label that the verdict depends on. Values other than `values` lead to the same decision and,
  /// beside `have`, to the same reasons, unless `compares`.
  struct LabelUse {
    model::Text key;
    std::vector<model::Text> values;
    bool compares = false;  // numbers, by Gt or Lt
  };
  /// The labels that the verdict depends on, sorted by key. Beside these labels it depends on the
  /// node's taints and, if `node_names` is not empty, on whether the node has one of these names.
  [[nodiscard]] const std::vector<LabelUse>& label_uses() const { return label_uses_; }
  [[nodiscard]] const std::vector<model::Text>& node_names() const { return node_names_; }

 private:
  /// The requirements of a nodeSelectorTerm.
  struct SharedTerm {
    std::vector<model::Shared<model::NodeSelectorRequirement>> expressions;
    std::vector<model::Shared<model::NodeSelectorRequirement>> fields;
  };

  void find_uses();
  [[nodiscard]] bool selects(const model::Node& node) const;
  [[nodiscard]] bool tolerated(const model::Taint& taint) const;
  /// REQUIRES: !tolerated(taint).
  [[nodiscard]] std::optional<NearMiss> near_miss(const model::Taint& taint) const;
  void add_affinity_reasons(const model::Node& node, std::vector<Reason>& reasons) const;
  void add_taint_reasons(const model::Node& node, std::string_view effect,
                         std::vector<Reason>& reasons) const;

  model::PodTemplate template_;
  std::vector<model::Toleration> tolerations_;  // including the automatic ones; sorted by key
  std::vector<std::uint32_t> by_key_;           // indexes of the template's, sorted by key
  std::optional<NodeAffinity> affinity_;
  std::vector<SharedTerm> terms_;  // the template's; reasons share their requirements
  std::vector<LabelUse> label_uses_;
  std::vector<model::Text> node_names_;
  FeatureGates gates_;
};

}  // namespace dsdoctor::placement
