// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "diagnosis/taints/taint_catalogue.h"
#include "model/cluster.h"
#include "placement/verdict.h"

namespace dsdoctor::diagnosis {

/// Classifies the nodes of a cluster: nodes of one kind have the same taints with the same
/// catalogue entries, and the same values of all labels that DaemonSets of the cluster select by.
/// Keeps a reference: the cluster must outlive it unchanged.
class NodeKinds {
 public:
  NodeKinds(const model::Cluster& cluster, const TaintCatalogue& taints, model::Time now);

  [[nodiscard]] std::size_t size() const { return quiet_.size(); }
  /// The kind of a node, below size(). `node`: index into Cluster::nodes.
  [[nodiscard]] std::size_t of(std::size_t node) const { return kinds_[node]; }
  /// Whether the nodes of this kind are healthy and unchanged for some time, so that findings about
  /// them can only come from a DaemonSet, pods or events.
  [[nodiscard]] bool is_quiet(std::size_t kind) const { return quiet_[kind]; }
  /// Whether nodes of one kind have the same decision with equal reasons. False for rules about
  /// other labels or names.
  [[nodiscard]] bool are_alike_to(const placement::Evaluator& evaluator) const;

 private:
  std::vector<model::Text> keys_;  // label keys, sorted
  std::vector<std::uint32_t> kinds_;
  std::vector<bool> quiet_;
};

/// Decisions of an evaluator for the nodes of a cluster, evaluated once for each kind. Keeps
/// references.
class NodeDecisions {
 public:
  /// `kinds`: null to evaluate each node.
  NodeDecisions(const placement::Evaluator& evaluator, const NodeKinds* kinds)
      : evaluator_(evaluator), kinds_(kinds) {
    if (kinds_ != nullptr) of_kinds_.resize(kinds_->size());
  }

  /// `index`: index of the node in the cluster.
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
