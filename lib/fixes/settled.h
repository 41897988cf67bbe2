// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "diagnosis/report/report.h"
#include "model/cluster.h"
#include "placement/feature_gates.h"

/// The counts of a DaemonSet after all controllers are done.
namespace dsdoctor::fixes {

/// A node after a change: its decision, and the pods that are on it now.
struct Place {
  diagnosis::NodeReport today;        // its pods
  const model::Node* node = nullptr;  // after the change; never null
  placement::Decision decision = placement::Decision::Run;
  bool gained = false;  // becomes eligible
};

struct Settled {
  std::int64_t desired = 0;
  std::int64_t current = 0;
  std::int64_t misscheduled = 0;
  std::size_t replaced = 0;          // pods that the rolling update deletes and creates again
  std::vector<model::Text> deletes;  // nodes whose pod is deleted and not created again
  std::vector<model::Text> ending;   // nodes that are not eligible and whose pod is terminating now
  /// Nodes where a deletion is never confirmed, because the kubelet does not report: the pod stays
  /// Terminating, and counts.
  std::vector<model::Text> unconfirmed;
  /// Nodes without an available pod that use up the budget of the rolling update, and the budget:
  /// "maxUnavailable 1". Empty if the rollout continues.
  std::vector<model::Text> waits_for;
  std::string budget;
};

/// Whether no kubelet confirms that a pod has ended, because it does not report. With the taint
/// out-of-service the pod garbage collector deletes the pod instead.
[[nodiscard]] bool confirms_no_deletion(const model::Node& node);

/// Whether the taint controller deletes a pod with these tolerations: for each NoExecute taint the
/// first matching toleration decides, and one with tolerationSeconds ends.
[[nodiscard]] bool is_evicted(const std::vector<model::Toleration>& tolerations,
                              const model::Node& node, placement::FeatureGates gates);

/// The counts after creations, evictions, deletions and, with `new_template`, the rollout are done.
/// With strategy OnDelete no pod is replaced. A rolling update deletes pods on nodes that are not
/// eligible, too, and does not create them again.
/// Source of truth: podsShouldBeOnNode and rollingUpdate, kubernetes v1.36.2,
/// pkg/controller/daemon; evictions: pkg/controller/tainteviction.
[[nodiscard]] Settled settle(const model::DaemonSet& ds, const std::vector<Place>& places,
                             const model::Cluster& cluster, placement::FeatureGates gates,
                             bool new_template);

}  // namespace dsdoctor::fixes
