// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/evidence/status.h"
#include "diagnosis/evidence/timeline_entry.h"
#include "diagnosis/evidence/workload_kind.h"
#include "diagnosis/report/node_report.h"
#include "diagnosis/report/node_reports.h"
#include "model/cluster.h"

namespace dsdoctor::diagnosis {

/// Whether a finding about the DaemonSet as a whole is reported for a healthy DaemonSet: it is
/// above Info, or explains the nodes in a way that no verdict shows.
[[nodiscard]] bool is_worth_saying(const Finding& finding);

struct DaemonSetReport {
  model::Text ns;
  model::Text name;
  Workload workload;
  model::DaemonSetCounts reported;
  bool observed = false;             // `reported` is of the current generation
  bool deleted = false;              // has a deletionTimestamp: the controller creates no pods
  bool in_ending_namespace = false;  // the namespace accepts no new pods
  std::optional<model::OtherKind> other_kind = {};  // of another project's controller
  bool surges = false;                              // as is_surge()
  EvaluatedCounts evaluated;
  /// The counters in which `reported` and `evaluated` differ; absent if too little was read.
  std::optional<std::vector<CountDifference>> differences;
  bool covered = true;              // the pods of the selected nodes were read
  std::size_t all_nodes = 0;        // number in the cluster, selected or not
  std::size_t nodes_with_pods = 0;  // number with a pod of the DaemonSet, eligible or not
  /// The selected nodes, sorted by name. If no nodes could be read: the nodes that pods name; their
  /// verdict is based only on the pods.
  NodeReports nodes;
  /// Nodes that pods are bound to although they are known not to exist; sorted by name. Empty if
  /// nodes are selected.
  NodeReports vanished_nodes = {};
  std::vector<Finding> findings;
  std::optional<Timeline> timeline = {};  // if requested

  /// Whether all nodes and pods were read, so that the absence of problems is reliable.
  [[nodiscard]] bool is_complete() const {
    return evaluated.nodes_known && evaluated.all_nodes_known && covered;
  }
};

/// Whether maxSurge applies: new pods are created while the old ones run.
[[nodiscard]] bool is_surge(const model::DaemonSet& ds);

}  // namespace dsdoctor::diagnosis
