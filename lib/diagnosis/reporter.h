// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_set>

#include "diagnosis/bare_states.h"
#include "diagnosis/controller/controller_behaviour.h"
#include "diagnosis/controller/gate_setting.h"
#include "diagnosis/evidence/daemon_pods.h"
#include "diagnosis/evidence/facts.h"
#include "diagnosis/kept_reports.h"
#include "diagnosis/providers/provider.h"
#include "diagnosis/report/node_kinds.h"
#include "diagnosis/report/report.h"
#include "diagnosis/taints/taint_catalogue.h"
#include "model/cluster.h"
#include "placement/feature_gates.h"

namespace dsdoctor::diagnosis {

struct ReportOptions {
  placement::FeatureGates gates;
  model::Time now;  // ages, deadlines and minReadySeconds are relative to it
  /// The nodes to report on; all if empty. Counts always cover the whole cluster.
  std::function<bool(const model::Node&)> selects;
  /// Nodes that the user selected by name or label: they have findings even if nothing is wrong.
  /// None if empty.
  std::function<bool(const model::Node&)> asks = {};
  bool named = false;     // the user named the DaemonSets
  bool ahead = false;     // also report what works only until a later event
  bool diagnoses = true;  // false: only verdicts and counts, no findings
  /// Called with each report before it is returned; may add findings. May be empty.
  std::function<void(DaemonSetReport&)> completes = {};
  /// Never null; must outlive every report.
  const TaintCatalogue* taints = &TaintCatalogue::built_in();
  /// Evaluate nodes of one kind only once. False: evaluate each node, with the same result.
  bool by_kind = true;
  /// Only the pods of this node and unbound pods were read. Empty: pods of all nodes were read.
  model::Text pods_of_node = {};
  /// Why `gates` has this setting of TaintTolerationComparisonOperators; absent: by default.
  std::optional<GateSetting> comparison_gate = {};
  bool is_now_earliest = false;  // the state was saved at `now` or later
  /// Reports of the state before that are used again if they hold; null: none. Must outlive the
  /// reporter.
  KeptReports* kept = nullptr;
};

/// Makes reports about DaemonSets of a cluster. Keeps references: the cluster must outlive it
/// unchanged. Builds its indexes on first use; not thread-safe.
class Reporter {
 public:
  Reporter(const model::Cluster& cluster, ReportOptions options);

  [[nodiscard]] const model::Cluster& cluster() const { return cluster_; }
  [[nodiscard]] const ReportOptions& options() const { return options_; }
  [[nodiscard]] const Facts& facts() const;
  [[nodiscard]] const Providers& providers() const;

  [[nodiscard]] DaemonSetReport report(const model::DaemonSet& ds) const;
  /// The report with other options. REQUIRES: time and taints are those of options().
  [[nodiscard]] DaemonSetReport report(const model::DaemonSet& ds,
                                       const ReportOptions& options) const;
  /// A report with only verdicts and counts, for the nodes that `selects` picks instead of those of
  /// options().
  [[nodiscard]] DaemonSetReport verdicts(
      const model::DaemonSet& ds, std::function<bool(const model::Node&)> selects = {}) const;

  /// The nodes of the cluster as the evaluator distinguishes them; absent if each node is to be
  /// evaluated. Must not outlive this object.
  [[nodiscard]] std::optional<NodeClasses> classes_for(const placement::Evaluator& evaluator) const;

 private:
  [[nodiscard]] DaemonSetReport made(const model::DaemonSet& ds,
                                     const ReportOptions& options) const;
  /// A list without states for the nodes of the cluster.
  [[nodiscard]] NodeReports nodes() const;
  [[nodiscard]] bool is_ending(std::string_view ns) const;
  /// `owned`: the pods of the DaemonSet.
  [[nodiscard]] TemplateRevision revision_of(const model::DaemonSet& ds,
                                             const std::vector<const model::Pod*>& owned) const;

  const model::Cluster& cluster_;
  ReportOptions options_;
  ControllerBehaviour behaviour_;
  mutable std::optional<PodIndex> pods_;
  mutable std::optional<RevisionIndex> revisions_;
  mutable std::optional<NodeKinds> kinds_;
  mutable std::optional<std::pair<NodeNames, NodeLabels>> names_;
  mutable std::optional<std::unordered_set<std::string_view>> ending_namespaces_;
  mutable BareStates bare_states_;
  mutable std::unique_ptr<Facts> facts_;
  mutable std::unique_ptr<Providers> providers_;
};

}  // namespace dsdoctor::diagnosis
