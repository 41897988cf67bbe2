// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "diagnosis/pools/pool_labels.h"
#include "model/cluster.h"
#include "placement/feature_gates.h"
#include "placement/verdict.h"
#include "scheduling/pod_requests.h"

namespace dsdoctor::diagnosis {

/// The new nodes of a template that get a pod of a DaemonSet.
enum class PoolReach {
  Each,
  Some,  // it depends on labels that the template leaves open
  None,
};
/// "each", "some", "none"
[[nodiscard]] std::string_view to_string(PoolReach reach);

/// A label on which it depends whether a new node gets a pod.
struct DecidingLabel {
  model::Text key;
  /// The values with which a node gets a pod, and those without; empty if several labels decide.
  std::vector<LabelValue> with = {};
  std::vector<LabelValue> without = {};

  friend bool operator==(const DecidingLabel&, const DecidingLabel&) = default;
};

/// A DaemonSet on the new nodes of a template.
struct PoolDaemon {
  model::Text ns;
  model::Text name;
  PoolReach reach = PoolReach::None;
  std::vector<placement::Reason> reasons;  // None: why, as for a node
  std::vector<DecidingLabel> decides;      // Some; empty if there are too many labels
  std::vector<model::Taint> waits_for;     // startup taints that keep its pod off until removed
  scheduling::Amounts requests;            // the pod requests them
  std::int64_t priority = 0;
  bool selects_os = false;  // its template names the label kubernetes.io/os
};

/// Which of the DaemonSets that get a pod on each new node have none that fits.
struct PoolShortage {
  std::vector<std::size_t> pending;  // indexes of DaemonSets whose pods cannot fit
  /// Pods of equal priority of which some fit, but not all.
  std::vector<std::size_t> contending;
};

/// The DaemonSets on new nodes of a template.
struct PoolForecast {
  model::NodeTemplate of;
  model::Text contradicted;  // a label that no node can have; then the rest is empty
  /// The value that kubernetes.io/os is taken to have, as on all present nodes, because the
  /// template leaves it open and a DaemonSet selects by it; else empty.
  model::Text assumed_os;
  std::vector<PoolDaemon> daemons;    // in the order given
  scheduling::Amounts requests;       // the sum for DaemonSets on each node; has "pods"
  scheduling::Amounts requests_most;  // the sum with DaemonSets on some nodes
  scheduling::Amounts capacity;       // empty: not known
  model::Text capacity_of;  // a present node of this pool, the smallest, whose allocatable it is
  PoolShortage shortage;

  [[nodiscard]] std::size_t count(PoolReach reach) const;
};

/// The nodes of a cluster that NodePools of Karpenter have made, by the name of their pool. Valid
/// as long as the cluster exists unchanged.
class NodesOfPools {
 public:
  explicit NodesOfPools(const model::Cluster& cluster);
  [[nodiscard]] const std::vector<const model::Node*>& of(std::string_view pool) const;
  /// The operating system that all labelled nodes of the cluster have; empty if there are several,
  /// or none.
  [[nodiscard]] const model::Text& common_os() const { return common_os_; }

 private:
  model::Text common_os_;
  std::unordered_map<std::string_view, std::vector<const model::Node*>> nodes_;
};

/// The forecast for the DaemonSets of the cluster. A DaemonSet whose controller is inactive is left
/// out. Startup taints do not count as taints: they are removed.
[[nodiscard]] PoolForecast forecast(const model::Cluster& cluster, const NodesOfPools& nodes,
                                    const model::NodeTemplate& of,
                                    const std::vector<const model::DaemonSet*>& daemon_sets,
                                    placement::FeatureGates gates);

}  // namespace dsdoctor::diagnosis
