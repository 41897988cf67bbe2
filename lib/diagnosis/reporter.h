#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "diagnosis/bare_states.h"
#include "diagnosis/controller/controller_behaviour.h"
#include "diagnosis/evidence/daemon_pods.h"
#include "diagnosis/evidence/facts.h"
#include "diagnosis/report/node_kinds.h"
#include "diagnosis/report/report.h"
#include "diagnosis/taints/taint_catalogue.h"
#include "model/cluster.h"
#include "placement/feature_gates.h"

namespace dsdoctor::diagnosis {

struct ReportOptions {
  placement::FeatureGates gates;
  model::Time now;  // ages, deadlines and minReadySeconds are relative to it
  /// Which nodes to report on; all when empty. Counts always cover the whole cluster.
  std::function<bool(const model::Node&)> selects;
  /// Nodes that were asked for by name or label: they are described even where nothing is wrong.
  /// None when empty.
  std::function<bool(const model::Node&)> asks = {};
  bool named = false;     // the DaemonSets were asked for by name
  bool diagnoses = true;  // false: verdicts and counts alone, without findings
  /// Called with each report before it is returned; may add findings. None when empty.
  std::function<void(DaemonSetReport&)> completes = {};
  /// Never null; must outlive every report.
  const TaintCatalogue* taints = &TaintCatalogue::built_in();
  /// Nodes of one kind are judged once. False: each by itself, which gives the same reports.
  bool by_kind = true;
  /// Only the pods of this node were read, besides those that are not bound. Empty: of all nodes.
  model::Text pods_of_node = {};
};

/// Judges DaemonSets of one cluster. Keeps references: the cluster must outlive it unchanged. What
/// it needs of the cluster is indexed when it is first asked for; not for several threads.
class Reporter {
 public:
  Reporter(const model::Cluster& cluster, ReportOptions options);

  [[nodiscard]] const model::Cluster& cluster() const { return cluster_; }
  [[nodiscard]] const ReportOptions& options() const { return options_; }
  [[nodiscard]] const Facts& facts() const;

  [[nodiscard]] DaemonSetReport report(const model::DaemonSet& ds) const;
  /// The same by other options, of the same moment and with the same taints.
  [[nodiscard]] DaemonSetReport report(const model::DaemonSet& ds,
                                       const ReportOptions& options) const;
  /// Verdicts and counts alone, of the nodes that `selects` picks, whatever the options say.
  [[nodiscard]] DaemonSetReport verdicts(
      const model::DaemonSet& ds, std::function<bool(const model::Node&)> selects = {}) const;

  /// Null where the rules tell nodes of one kind apart, or each node is to be judged by itself.
  [[nodiscard]] const NodeKinds* kinds_for(const placement::Evaluator& evaluator) const;

 private:
  /// Of the cluster's nodes.
  [[nodiscard]] const NodeNames& names() const;

  const model::Cluster& cluster_;
  ReportOptions options_;
  ControllerBehaviour behaviour_;
  mutable std::optional<PodIndex> pods_;
  mutable std::optional<NodeKinds> kinds_;
  mutable std::optional<NodeNames> names_;
  mutable BareStates bare_states_;
  mutable std::unique_ptr<Facts> facts_;
};

}  // namespace dsdoctor::diagnosis
