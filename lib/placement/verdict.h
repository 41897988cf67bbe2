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

/// What the DaemonSet controller wants on a node; best first. Three states and not two bools:
/// "should run, but must not continue" does not exist.
enum class Decision {
  Run,      // shouldRun, shouldContinueRunning
  Keep,     // only shouldContinueRunning: untolerated NoSchedule taints turn new pods away
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

/// A nodeSelector key that the node lacks or has with another value.
struct NodeSelectorMismatch {
  model::Text key;
  model::Text want;
  std::optional<model::Text> have;  // absent: the node has no such label
  bool of_namespace = false;        // of the template's namespace, in OpenShift; else its own
  friend bool operator==(const NodeSelectorMismatch&, const NodeSelectorMismatch&) = default;
};

/// Requirements of required node affinity that are told of a node; of any more the number is. A
/// template may have as many as it likes, and each node is told all.
inline constexpr std::size_t most_told_requirements = 20;

/// A requirement of a required node affinity term that fails.
struct AffinityTermMismatch {
  std::size_t term = 0;    // into nodeSelectorTerms
  bool in_fields = false;  // of matchFields, else of matchExpressions
  std::size_t index = 0;
  model::Shared<model::NodeSelectorRequirement> requirement;
  std::optional<model::Text> have;        // absent: the node has no such label
  std::optional<RequirementFault> fault;  // set: it matches no node at all
  std::size_t more = 0;                   // that fail, too: behind the last one that is told
  friend bool operator==(const AffinityTermMismatch&, const AffinityTermMismatch&) = default;
};

/// Required node affinity is there, but no term can match any node: none at all, or each one
/// empty or unparsable.
struct AffinityMatchesNothing {
  std::size_t terms = 0;
  /// Why the terms that are not empty cannot be parsed; the first most_told_requirements.
  std::vector<RequirementFailure> faults;
  friend bool operator==(const AffinityMatchesNothing&, const AffinityMatchesNothing&) = default;
};

/// The toleration of the template that comes closest to a taint, and the test that it fails.
struct NearMiss {
  std::size_t toleration = 0;  // into the template's list
  TolerationMiss miss = TolerationMiss::Key;
  friend bool operator==(const NearMiss&, const NearMiss&) = default;
};

/// A NoSchedule or NoExecute taint that no toleration matches.
struct UntoleratedTaint {
  model::Taint taint;
  std::size_t index = 0;  // into the node's spec.taints
  /// Absent: no toleration of the template names this key, or one that differs in its spelling.
  std::optional<NearMiss> near;
  friend bool operator==(const UntoleratedTaint&, const UntoleratedTaint&) = default;
};

using Reason = std::variant<NodeNameMismatch, NodeSelectorMismatch, AffinityTermMismatch,
                            AffinityMatchesNothing, UntoleratedTaint>;

struct Verdict {
  Decision decision = Decision::Run;
  /// Every one that applies, in the order in which they decide: node name, nodeSelector, affinity
  /// terms (at most most_told_requirements), NoExecute taints, NoSchedule taints, the namespace's
  /// node selector (OpenShift). Empty if and only if the decision is Run.
  std::vector<Reason> reasons;
};

/// One DaemonSet's rules, prepared once for any number of nodes. Pure and total: malformed input
/// has one of the three outcomes, as in Kubernetes, never an error.
/// Source of truth: NodeShouldRunDaemonPod, kubernetes v1.36.2,
/// pkg/controller/daemon/daemon_controller.go. OpenShift's controller asks the namespace's node
/// selector as well, of nodes that should run the pod.
class Evaluator {
 public:
  /// Copies what it needs; independent of `of` afterwards.
  Evaluator(const model::PodTemplate& of, FeatureGates gates);

  /// The decision alone: no allocation.
  [[nodiscard]] Decision decide(const model::Node& node) const;
  /// The decision with all reasons. The verdict owns copies and outlives evaluator and node.
  [[nodiscard]] Verdict evaluate(const model::Node& node) const;

  /// Of a node it looks at its taints, at the labels with these keys, which are sorted, and at its
  /// name only if `names_nodes`.
  [[nodiscard]] const std::vector<model::Text>& label_keys() const { return label_keys_; }
  [[nodiscard]] bool names_nodes() const { return names_nodes_; }

 private:
  /// The requirements of a nodeSelectorTerm.
  struct SharedTerm {
    std::vector<model::Shared<model::NodeSelectorRequirement>> expressions;
    std::vector<model::Shared<model::NodeSelectorRequirement>> fields;
  };

  void find_label_keys();
  [[nodiscard]] bool selects(const model::Node& node) const;
  [[nodiscard]] bool tolerated(const model::Taint& taint) const;
  /// REQUIRES: !tolerated(taint).
  [[nodiscard]] std::optional<NearMiss> near_miss(const model::Taint& taint) const;
  void add_affinity_reasons(const model::Node& node, std::vector<Reason>& reasons) const;
  void add_taint_reasons(const model::Node& node, std::string_view effect,
                         std::vector<Reason>& reasons) const;

  model::PodTemplate template_;
  std::vector<model::Toleration> tolerations_;  // the automatic ones included; sorted by key
  std::vector<std::uint32_t> by_key_;           // the template's tolerations in that order
  std::optional<NodeAffinity> affinity_;
  std::vector<SharedTerm> terms_;  // the template's, for reasons to share
  std::vector<model::Text> label_keys_;
  bool names_nodes_ = false;
  FeatureGates gates_;
};

}  // namespace dsdoctor::placement
