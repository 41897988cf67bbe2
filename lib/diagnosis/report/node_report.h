// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

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

/// The report about a DaemonSet on a node, without the node's name.
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

/// The report about a node. `Name` and `State`: the values, or references to them.
template <typename Name, typename State>
struct NodeReportOf {
  Name name;
  State state;

  [[nodiscard]] placement::Decision decision() const { return state->decision; }
  [[nodiscard]] NodeVerdict verdict() const { return state->verdict; }
  [[nodiscard]] bool node_known() const { return state->node_known; }
  [[nodiscard]] const std::vector<PodReport>& pods() const { return state->pods; }
  [[nodiscard]] const auto& reasons() const { return state->reasons; }
  [[nodiscard]] const auto& known() const { return state->known; }
  [[nodiscard]] const std::vector<Finding>& findings() const { return state->findings; }
  [[nodiscard]] const model::SharedOptional<Timeline>& timeline() const { return state->timeline; }
};

/// A node of a report, which must outlive it unchanged.
using NodeReport = NodeReportOf<const model::Text&, const model::Shared<NodeState>&>;

/// A node that owns its name and state.
struct OwnNodeReport : NodeReportOf<model::Text, model::Shared<NodeState>> {
  OwnNodeReport() = default;
  OwnNodeReport(model::Text of, model::Shared<NodeState> is) {
    name = std::move(of);  // here, because Clang's analyzer does not see what a base's {} sets
    state = std::move(is);
  }
  // Implicit on purpose: both types are interchangeable.
  OwnNodeReport(const NodeReport& other)  // NOLINT(*-explicit-*)
      : OwnNodeReport(other.name, other.state) {}
  operator NodeReport() const { return {name, state}; }  // NOLINT(*-explicit-*)
};

/// Whether the node needs attention, because of its verdict or of a finding above Info. Never for
/// an excluded node: the DaemonSet has the findings about eligibility.
[[nodiscard]] bool is_wrong(const NodeState& state);
[[nodiscard]] inline bool is_wrong(const NodeReport& node) { return is_wrong(*node.state); }

}  // namespace dsdoctor::diagnosis
