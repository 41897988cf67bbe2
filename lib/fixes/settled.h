#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "diagnosis/report/report.h"
#include "model/cluster.h"
#include "placement/feature_gates.h"

/// What a DaemonSet's counts are once nothing moves any more.
namespace dsdoctor::fixes {

/// One node of the future: what is decided about it then, and the pods that are there today.
struct Place {
  diagnosis::NodeReport today;        // its pods
  const model::Node* node = nullptr;  // as it is then; never null
  placement::Decision decision = placement::Decision::Run;
  bool gained = false;  // becomes eligible
};

struct Settled {
  std::int64_t desired = 0;
  std::int64_t current = 0;
  std::int64_t misscheduled = 0;
  std::size_t replaced = 0;          // pods that the rolling update deletes and creates again
  std::vector<model::Text> deletes;  // nodes whose pod is deleted and not created again
  std::vector<model::Text> ending;   // nodes that are not eligible, whose pod is ending today
  /// Nodes where a deletion is never confirmed, because the kubelet does not report: the pod stays
  /// Terminating, and counts.
  std::vector<model::Text> unconfirmed;
  /// Nodes without an available pod that use up the budget of the rolling update, and what that
  /// is: "maxUnavailable 1". Empty where it goes on.
  std::vector<model::Text> waits_for;
  std::string budget;
};

/// Nobody confirms that a pod has ended: the kubelet does not report. With the taint out-of-service
/// the pod garbage collector does it in the kubelet's place.
[[nodiscard]] bool confirms_no_deletion(const model::Node& node);

/// The taint controller deletes a pod with these tolerations: of each NoExecute taint the first one
/// that matches counts, and one with tolerationSeconds ends.
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
