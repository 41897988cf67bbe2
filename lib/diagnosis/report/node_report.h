// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/index_iterator.h"
#include "diagnosis/catalogue/finding.h"
#include "diagnosis/catalogue/node_verdict.h"
#include "diagnosis/evidence/timeline_entry.h"
#include "model/cluster.h"
#include "model/known_taint.h"
#include "model/shared.h"
#include "placement/verdict.h"

namespace dsdoctor::diagnosis {

struct PodReport {
  model::Text name;
  model::Text phase;
  model::Text reason;  // status.reason
  bool bound = false;
  bool ready = false;
  bool available = false;
  bool outdated = false;  // older template revision
  bool terminating = false;
  bool adoptable = false;  // no owner yet; the controller will adopt it

  friend bool operator==(const PodReport&, const PodReport&) = default;
};

/// The report about a DaemonSet on a node, without the node's name. Nodes that the DaemonSet does
/// not distinguish share a state; the reasons then have the label values of one of them.
struct NodeState {
  placement::Decision decision = placement::Decision::Run;
  NodeVerdict verdict = NodeVerdict::Running;
  bool node_known = true;       // false: only pods name the node; the decision is meaningless
  std::vector<PodReport> pods;  // the representative pod first
  model::SharedList<placement::Reason> reasons;
  /// For each reason the catalogue entry of its taint; null for other reasons and unknown taints.
  /// The pointers are into ReportOptions::taints.
  model::SharedList<const model::KnownTaint*> known;
  std::vector<Finding> findings;
  model::SharedOptional<Timeline> timeline = {};  // if requested
};

/// The reasons of a state, each with the label value of one node. Keeps references.
class ReasonsOfNode {
 public:
  using List = model::SharedList<placement::Reason>;
  using Iterator = base::IndexIterator<ReasonsOfNode, placement::Reason>;

  /// `labels`: the node's labels; null if `shared` already has its values.
  ReasonsOfNode(const List& shared, const model::Text& name, const model::Labels* labels)
      : shared_(shared), name_(name), labels_(labels) {}

  [[nodiscard]] bool empty() const { return shared_.empty(); }
  [[nodiscard]] std::size_t size() const { return shared_.size(); }
  [[nodiscard]] placement::Reason operator[](std::size_t at) const {
    return labels_ == nullptr ? shared_[at] : placement::of_node(shared_[at], name_, *labels_);
  }
  [[nodiscard]] placement::Reason front() const { return (*this)[0]; }
  [[nodiscard]] Iterator begin() const { return {this, 0}; }
  [[nodiscard]] Iterator end() const { return {this, size()}; }
  /// Whether the reason at `at` has the `have` of a node, and which; null: no such label.
  [[nodiscard]] bool has_value(std::size_t at) const {
    return placement::has_value_of_node(shared_[at]);
  }
  [[nodiscard]] const model::Text* value(std::size_t at) const;

  friend bool operator==(const ReasonsOfNode& a, const ReasonsOfNode& b);

 private:
  const List& shared_;
  const model::Text& name_;
  const model::Labels* labels_;
};

/// The report about a node. `Name` and `State`: the values, or references to them.
template <typename Name, typename State>
struct NodeReportOf {
  Name name;
  State state;
  const model::Labels* labels =
      nullptr;  // the node's labels; null if `state` already has its values

  [[nodiscard]] placement::Decision decision() const { return state->decision; }
  [[nodiscard]] NodeVerdict verdict() const { return state->verdict; }
  [[nodiscard]] bool node_known() const { return state->node_known; }
  [[nodiscard]] const std::vector<PodReport>& pods() const { return state->pods; }
  [[nodiscard]] ReasonsOfNode reasons() const { return {state->reasons, name, labels}; }
  /// The same reasons, in which `have` is the value of some node with the same state. Faster.
  [[nodiscard]] const ReasonsOfNode::List& shared_reasons() const { return state->reasons; }
  [[nodiscard]] const auto& known() const { return state->known; }
  [[nodiscard]] const std::vector<Finding>& findings() const { return state->findings; }
  [[nodiscard]] const model::SharedOptional<Timeline>& timeline() const { return state->timeline; }
};

/// A node of a report, which must outlive it unchanged.
using NodeReport = NodeReportOf<const model::Text&, const model::Shared<NodeState>&>;

/// A node that owns its name and state; depends on no other object.
struct OwnNodeReport : NodeReportOf<model::Text, model::Shared<NodeState>> {
  OwnNodeReport() = default;
  OwnNodeReport(model::Text of, model::Shared<NodeState> is) {
    name = std::move(of);  // here, because Clang's analyzer does not see what a base's {} sets
    state = std::move(is);
  }
  // Implicit on purpose: both types are interchangeable.
  OwnNodeReport(const NodeReport& other);                // NOLINT(*-explicit-*)
  operator NodeReport() const { return {name, state}; }  // NOLINT(*-explicit-*)
};

/// Whether the node needs attention, because of its verdict or of a finding above Info. Never for
/// an excluded node: the DaemonSet has the findings about eligibility.
[[nodiscard]] bool is_wrong(const NodeState& state);
[[nodiscard]] inline bool is_wrong(const NodeReport& node) { return is_wrong(*node.state); }

}  // namespace dsdoctor::diagnosis
