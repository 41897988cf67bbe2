#pragma once

#include <functional>

#include "diagnosis/evidence/controller_behaviour.h"
#include "diagnosis/evidence/daemon_pods.h"
#include "diagnosis/evidence/facts.h"
#include "diagnosis/report/report.h"
#include "diagnosis/taints/taint_catalogue.h"
#include "model/cluster.h"
#include "placement/feature_gates.h"

namespace dsdoctor::diagnosis {

struct ReportOptions {
  placement::FeatureGates gates;
  model::Time now;  // for minReadySeconds
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
};

/// Judges DaemonSets of one cluster. Keeps references: the cluster must outlive it unchanged.
class Reporter {
 public:
  Reporter(const model::Cluster& cluster, ReportOptions options);

  [[nodiscard]] DaemonSetReport report(const model::DaemonSet& ds) const;

 private:
  const model::Cluster& cluster_;
  ReportOptions options_;
  ControllerBehaviour behaviour_;
  PodIndex pods_;
  Facts facts_;
};

}  // namespace dsdoctor::diagnosis
