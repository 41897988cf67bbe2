// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/report/report.h"
#include "diagnosis/reporter.h"
#include "model/cluster.h"

namespace dsdoctor::fixes {

/// A change of a DaemonSet's pod template.
struct TemplateChange {
  std::optional<std::size_t> removed;    // index of the toleration to remove, before adding others
  std::vector<model::Toleration> added;  // appended to the remaining ones
  std::size_t imagined = 0;              // how many of `added`, from the first, are what-if
  /// Added to every term of the required node affinity, or to a new term if there is no affinity.
  std::vector<model::NodeSelectorRequirement> requirements;
  model::Labels annotations;  // added to those of the pods

  [[nodiscard]] bool touches_tolerations() const { return removed || !added.empty(); }

  friend bool operator==(const TemplateChange&, const TemplateChange&) = default;
};

/// The template with the change made. Tolerations of the list are only dropped by `removed`.
[[nodiscard]] model::PodTemplate changed(const model::PodTemplate& before,
                                         const TemplateChange& change);

/// The number of nodes that are eligible for a DaemonSet, and of nodes with a misscheduled pod.
struct PlacementCounts {
  std::int64_t desired_number_scheduled = 0;
  std::int64_t number_misscheduled = 0;

  friend bool operator==(const PlacementCounts&, const PlacementCounts&) = default;
};

/// The effect of a change, by evaluating every node again.
struct Effect {
  PlacementCounts before;
  PlacementCounts after;            // settled: after rollout, evictions and deletions
  std::vector<model::Text> gained;  // nodes that become eligible; by name
  std::vector<model::Text> lost;    // nodes that are no longer eligible; by name
  /// Nodes whose pod is deleted and not created again, eligible before or not; by name.
  std::vector<model::Text> deletes;
  std::size_t replaced = 0;  // pods that the rollout deletes and creates again
  /// Nodes of `gained` on which the taint controller deletes every pod after the tolerationSeconds
  /// of a NoExecute taint, and the DaemonSet controller creates the next one.
  std::vector<model::Text> evicted = {};
  /// As in Settled.
  std::vector<model::Text> unconfirmed = {};
  std::vector<model::Text> waits_for = {};
  std::string budget = {};

  friend bool operator==(const Effect&, const Effect&) = default;
};

/// Calls `visit(entry, node)` for every node that is in both. `report` is of `cluster`; both are
/// sorted by name.
template <typename Visit>
void for_each_node(const diagnosis::DaemonSetReport& report, const model::Cluster& cluster,
                   Visit&& visit) {
  if (report.nodes.shares_names()) {  // the names of the cluster's nodes
    for (std::size_t i = 0; i < report.nodes.size(); ++i) {
      visit(report.nodes[i], cluster.nodes[report.nodes.name_index(i)]);
    }
    return;
  }
  auto at = cluster.nodes.begin();
  for (const diagnosis::NodeReport& entry : report.nodes) {
    while (at != cluster.nodes.end() && at->meta.name.view() < entry.name.view()) ++at;
    if (at == cluster.nodes.end()) return;
    if (at->meta.name == entry.name) visit(entry, *at);
  }
}

/// Predicts the nodes of `report`, which covers all nodes, after `change` and after all controllers
/// are done. Unless the strategy is OnDelete, the rollout deletes every pod of the old template;
/// pods on nodes that are not eligible are not created again.
/// `report` and `ds` belong to the reporter's cluster.
[[nodiscard]] Effect effect_of(const diagnosis::Reporter& reporter, const model::DaemonSet& ds,
                               const TemplateChange& change,
                               const diagnosis::DaemonSetReport& report);

/// The same for a change of nodes that does not change the template. `changed`: the nodes after the
/// change, sorted by name; the others stay as they are.
[[nodiscard]] Effect effect_of(const diagnosis::Reporter& reporter, const model::DaemonSet& ds,
                               const std::vector<model::Node>& changed,
                               const diagnosis::DaemonSetReport& report);

/// A problem to fix first, before patching the template.
enum class RepairFirst {
  Nothing,
  Revision,  // the newest one fails: a change would create a revision that fails too, and a
             // rollback would lead back to it
  ControllerManager,  // does not report: no rollout would begin
  Creation,           // no pod is created: no rollout would begin
  Surge,              // a new pod does not fit beside an old one: no rollout would make progress
  Nodes,  // pods on some nodes use up the budget of the rollout until somebody acts: it would not
          // end
};
/// The first problem that applies, except for Nodes. With OnDelete only Revision, since a change
/// does not affect running pods. `replaces`: the change replaces pods.
[[nodiscard]] RepairFirst repair_first(const diagnosis::Reporter& reporter,
                                       const model::DaemonSet& ds,
                                       const diagnosis::DaemonSetReport& report, bool replaces);
/// The same for a change with this effect; the last problem to look for is Nodes.
[[nodiscard]] RepairFirst repair_first(const diagnosis::Reporter& reporter,
                                       const model::DaemonSet& ds,
                                       const diagnosis::DaemonSetReport& report,
                                       const Effect& effect);
/// A sentence; absent for Nothing.
[[nodiscard]] std::optional<diagnosis::Message> phrase_of(RepairFirst what);

/// The number of pods that are replaced if the template changes with this effect, without pods that
/// are not created again; 0 with OnDelete. Absent if no pods were read.
[[nodiscard]] std::optional<std::size_t> restarted_pods(const diagnosis::DaemonSetReport& report,
                                                        const Effect& effect);

}  // namespace dsdoctor::fixes
