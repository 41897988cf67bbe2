// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "diagnosis/taints/taint_catalogue.h"
#include "model/cluster.h"
#include "placement/verdict.h"

namespace dsdoctor::diagnosis {

class NodeClasses;

/// Classifies the nodes of a cluster: nodes of one kind have the same taints with the same
/// catalogue entries, and the same values of all labels that DaemonSets of the cluster select by.
/// Keeps a reference: the cluster must outlive it unchanged.
class NodeKinds {
 public:
  NodeKinds(const model::Cluster& cluster, const TaintCatalogue& taints, model::Time now);

  [[nodiscard]] std::size_t size() const { return bases_.size(); }
  /// The kind of a node, below size(). `node`: index into Cluster::nodes.
  [[nodiscard]] std::size_t of(std::size_t node) const { return kinds_[node]; }
  /// The nodes as the evaluator distinguishes them; absent if it names a label that no DaemonSet of
  /// the cluster names. Must not outlive this object.
  [[nodiscard]] std::optional<NodeClasses> classes_for(const placement::Evaluator& evaluator) const;

 private:
  /// The kinds of nodes with a label.
  struct Column {
    std::unordered_map<std::string_view, std::uint32_t> values;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> kinds;  // and the value of each

    /// The class of each value, from 1: values of one class have the same effect.
    [[nodiscard]] std::vector<std::uint32_t> classes_for(
        const placement::Evaluator::LabelUse& use) const;
  };

  /// Null if no DaemonSet names the label.
  [[nodiscard]] const Column* column_of(const model::Text& key) const;
  /// The indexes of the nodes with these names, ascending.
  [[nodiscard]] std::vector<std::size_t> places_of(const std::vector<model::Text>& names) const;

  const model::Cluster& cluster_;
  std::vector<model::Text> keys_;  // label keys, sorted
  std::vector<Column> columns_;    // by key
  std::vector<std::uint32_t> kinds_;
  std::vector<std::uint32_t> bases_;  // by kind: a number of its taints and of whether it is quiet
  std::vector<bool> quiet_;           // by base
};

/// Classes of nodes with the same decision of an evaluator, for the same reasons except for the
/// values of the node's labels in them.
class NodeClasses {
 public:
  [[nodiscard]] std::size_t size() const { return quiet_.size(); }
  /// The class of a node, below size(). `node`: index into Cluster::nodes.
  [[nodiscard]] std::size_t of(std::size_t node) const {
    return classes_[by_node_ ? node : kinds_->of(node)];
  }
  /// Whether the nodes of this class are healthy and unchanged for some time, so that findings
  /// about them can only come from a DaemonSet, pods or events.
  [[nodiscard]] bool is_quiet(std::size_t which) const { return quiet_[which]; }

 private:
  friend class NodeKinds;

  const NodeKinds* kinds_ = nullptr;
  bool by_node_ = false;
  std::vector<std::uint32_t> classes_;  // by node if by_node_, else by kind
  std::vector<bool> quiet_;
};

/// Decisions of an evaluator for the nodes of a cluster, evaluated once for each class. Keeps
/// references.
class NodeDecisions {
 public:
  /// `classes`: absent to evaluate each node.
  NodeDecisions(const placement::Evaluator& evaluator, std::optional<NodeClasses> classes)
      : evaluator_(evaluator), classes_(std::move(classes)) {
    if (classes_) of_classes_.resize(classes_->size());
  }

  /// `index`: index of the node in the cluster.
  [[nodiscard]] placement::Decision of(const model::Node& node, std::size_t index) {
    if (!classes_) return evaluator_.decide(node);
    std::optional<placement::Decision>& decided = of_classes_[classes_->of(index)];
    if (!decided) decided = evaluator_.decide(node);
    return *decided;
  }

 private:
  const placement::Evaluator& evaluator_;
  std::optional<NodeClasses> classes_;
  std::vector<std::optional<placement::Decision>> of_classes_;
};

}  // namespace dsdoctor::diagnosis
