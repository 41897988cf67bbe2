#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "diagnosis/taints/taint_catalogue.h"
#include "model/cluster.h"
#include "placement/verdict.h"

namespace dsdoctor::diagnosis {

/// Sorts the nodes of a cluster into kinds: those of one kind have the same taints, which mean the
/// same, and the same values of every label that a DaemonSet of the cluster asks for. Keeps a
/// reference: the cluster must outlive it unchanged.
class NodeKinds {
 public:
  NodeKinds(const model::Cluster& cluster, const TaintCatalogue& taints, model::Time now);

  [[nodiscard]] std::size_t size() const { return quiet_.size(); }
  /// `node`: into Cluster::nodes; below `size`.
  [[nodiscard]] std::size_t of(std::size_t node) const { return kinds_[node]; }
  /// Findings speak of a node of this kind only because of what a DaemonSet wants, of pods, or of
  /// events: its own state is nothing to speak of, and nothing about it is new.
  [[nodiscard]] bool is_quiet(std::size_t kind) const { return quiet_[kind]; }
  /// Nodes of one kind have the same decision for the same reasons, word for word. False for rules
  /// about other labels or names.
  [[nodiscard]] bool are_alike_to(const placement::Evaluator& evaluator) const;

 private:
  std::vector<model::Text> keys_;  // of labels, sorted
  std::vector<std::uint32_t> kinds_;
  std::vector<bool> quiet_;
};

/// What one evaluator decides of the nodes of a cluster: once for each kind. Keeps references.
class NodeDecisions {
 public:
  /// `kinds`: null to decide about each node by itself.
  NodeDecisions(const placement::Evaluator& evaluator, const NodeKinds* kinds)
      : evaluator_(evaluator), kinds_(kinds) {
    if (kinds_ != nullptr) of_kinds_.resize(kinds_->size());
  }

  /// `index`: of the node in the cluster.
  [[nodiscard]] placement::Decision of(const model::Node& node, std::size_t index) {
    if (kinds_ == nullptr) return evaluator_.decide(node);
    std::optional<placement::Decision>& decided = of_kinds_[kinds_->of(index)];
    if (!decided) decided = evaluator_.decide(node);
    return *decided;
  }

 private:
  const placement::Evaluator& evaluator_;
  const NodeKinds* kinds_;
  std::vector<std::optional<placement::Decision>> of_kinds_;
};

}  // namespace dsdoctor::diagnosis
