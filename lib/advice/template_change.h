#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "diagnosis/report/report.h"
#include "model/cluster.h"
#include "placement/feature_gates.h"

namespace dsdoctor::advice {

/// What is made different in a DaemonSet's pod template.
struct TemplateChange {
  std::optional<std::size_t> removed;    // into the template's tolerations; taken away first
  std::vector<model::Toleration> added;  // appended to what is left
  /// Of every term of the required node affinity; of a first term where there is no affinity.
  std::vector<model::NodeSelectorRequirement> requirements;
  model::Labels annotations;  // of the pods; set beside those that are there

  friend bool operator==(const TemplateChange&, const TemplateChange&) = default;
};

/// The template with the change made. An entry of the list is lost only where `removed` says so.
[[nodiscard]] model::PodTemplate changed(const model::PodTemplate& before,
                                         const TemplateChange& change);

/// How many nodes a DaemonSet wants, and how many have a pod that it does not want.
struct PlacementCounts {
  std::int64_t desired_number_scheduled = 0;
  std::int64_t number_misscheduled = 0;

  friend bool operator==(const PlacementCounts&, const PlacementCounts&) = default;
};

/// What a change does, by evaluating every node again.
struct Effect {
  PlacementCounts before;
  PlacementCounts after;            // of today's pods: before a controller has acted on the change
  std::vector<model::Text> gained;  // nodes that become wanted; by name
  std::vector<model::Text> lost;    // nodes that are wanted no longer; by name
  /// Nodes whose pod is deleted and not created again, wanted before or not; by name.
  std::vector<model::Text> deletes;
};

/// Both lists are sorted by name: calls `visit(entry, node)` for every node that is in both.
template <typename Visit>
void for_each_node(const diagnosis::DaemonSetReport& report, const model::Cluster& cluster,
                   Visit&& visit) {
  auto at = cluster.nodes.begin();
  for (const diagnosis::NodeReport& entry : report.nodes) {
    while (at != cluster.nodes.end() && at->meta.name.view() < entry.name.view()) ++at;
    if (at == cluster.nodes.end()) return;
    if (at->meta.name == entry.name) visit(entry, *at);
  }
}

/// What becomes of the nodes of `report` under another template. `report` is of all nodes.
[[nodiscard]] Effect effect_of(const model::PodTemplate& after,
                               const diagnosis::DaemonSetReport& report,
                               const model::Cluster& cluster, placement::FeatureGates gates);

/// The same of a change of `ds`. Unless its strategy is OnDelete, the rollout deletes every pod of
/// the old template, those on nodes where it is not wanted for good.
[[nodiscard]] Effect effect_of(const model::DaemonSet& ds, const TemplateChange& change,
                               const diagnosis::DaemonSetReport& report,
                               const model::Cluster& cluster, placement::FeatureGates gates);

/// How many pods are replaced when the template changes with this effect: not those that are
/// deleted for good; 0 with OnDelete. Absent where no pods were read.
[[nodiscard]] std::optional<std::size_t> restarted_pods(const model::DaemonSet& ds,
                                                        const diagnosis::DaemonSetReport& report,
                                                        const Effect& effect);

}  // namespace dsdoctor::advice
