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

/// Of a finding about the DaemonSet as a whole: it is more than a remark, or explains the nodes in
/// a way that no verdict shows.
[[nodiscard]] bool is_worth_saying(const Finding& finding);

struct DaemonSetReport {
  model::Text ns;
  model::Text name;
  Workload workload;
  model::DaemonSetCounts reported;
  bool observed = false;             // `reported` is of the present generation
  bool deleted = false;              // it has a deletionTimestamp: the controller creates no pods
  bool in_ending_namespace = false;  // which accepts no new pods
  bool surges = false;               // as is_surge()
  EvaluatedCounts evaluated;
  /// The counters in which the two differ; absent where too little was read to tell.
  std::optional<std::vector<CountDifference>> differences;
  bool covered = true;              // the pods of the nodes that were asked about were read
  std::size_t all_nodes = 0;        // of the cluster, selected or not
  std::size_t nodes_with_pods = 0;  // with a pod of the DaemonSet, eligible or not
  /// By name; only the selected ones. Where no nodes could be read: those that pods name, whose
  /// verdict then tells of the pods alone.
  NodeReports nodes;
  /// By name: pods are bound to them, and it is known that they do not exist. Empty where nodes are
  /// selected.
  NodeReports vanished_nodes = {};
  std::vector<Finding> findings;
  std::optional<Timeline> timeline = {};  // where it was asked for

  /// Nodes and pods were read, so that "nothing is wrong" means something.
  [[nodiscard]] bool is_complete() const {
    return evaluated.nodes_known && evaluated.all_nodes_known && covered;
  }
};

/// maxSurge is in force: a new pod is created beside the old one.
[[nodiscard]] bool is_surge(const model::DaemonSet& ds);

}  // namespace dsdoctor::diagnosis
