#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnosis/report.h"
#include "model/cluster.h"
#include "placement/feature_gates.h"

namespace dsdoctor::advice {

/// How many nodes a DaemonSet wants, and how many have a pod that it does not want.
struct PlacementCounts {
  std::int64_t desired_number_scheduled = 0;
  std::int64_t number_misscheduled = 0;

  friend bool operator==(const PlacementCounts&, const PlacementCounts&) = default;
};

/// Tolerations to add to a DaemonSet's template, with what that changes.
struct Suggestion {
  std::string id;                              // unique within its DaemonSet
  std::vector<model::Toleration> tolerations;  // to add; one for each taint in the way
  std::vector<model::Text> nodes;              // become wanted; by name
  PlacementCounts before;
  PlacementCounts after;  // by evaluating every node again
  /// A pod that stays unwanted is cured by it, and it is no state that passes by itself.
  bool recommended = false;
  /// Whether such a DaemonSet should tolerate these taints, by what is known of them.
  model::Advised advised = model::Advised::Depends;
  std::string purpose;  // one clause: what for
  std::string risk;     // one sentence
  /// Replaced by the rollout; 0 with OnDelete. Absent where no pods were read.
  std::optional<std::size_t> restarted_pods;
  bool on_delete = false;  // the strategy restarts nothing by itself
  /// The template has no tolerations yet, so the list has to be made.
  bool creates_list = false;
};

/// One suggestion for each set of taints that alone keeps the DaemonSet from nodes; none for nodes
/// that its node name, selector or affinity rules out. Recommended ones first, then those that
/// cure more nodes.
/// A toleration is as narrow as can be: key and effect of the taint, and its value unless that is
/// empty or differs from node to node (then `Exists`).
/// `report` is of all nodes, not a selection.
[[nodiscard]] std::vector<Suggestion> suggestions(const model::DaemonSet& ds,
                                                  const diagnosis::DaemonSetReport& report,
                                                  const model::Cluster& cluster,
                                                  placement::FeatureGates gates);

}  // namespace dsdoctor::advice
