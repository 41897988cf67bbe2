#pragma once

#include <cstdint>
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

}  // namespace dsdoctor::diagnosis
