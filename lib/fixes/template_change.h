#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/report/report.h"
#include "diagnosis/reporter.h"
#include "model/cluster.h"

namespace dsdoctor::fixes {

/// What is made different in a DaemonSet's pod template.
struct TemplateChange {
  std::optional<std::size_t> removed;    // into the template's tolerations; taken away first
  std::vector<model::Toleration> added;  // appended to what is left
  std::size_t imagined = 0;              // of `added`, the first ones: what if they were there
  /// Of every term of the required node affinity; of a first term where there is no affinity.
  std::vector<model::NodeSelectorRequirement> requirements;
  model::Labels annotations;  // of the pods; set beside those that are there

  [[nodiscard]] bool touches_tolerations() const { return removed || !added.empty(); }

  friend bool operator==(const TemplateChange&, const TemplateChange&) = default;
};

/// The template with the change made. An entry of the list is lost only where `removed` says so.
[[nodiscard]] model::PodTemplate changed(const model::PodTemplate& before,
                                         const TemplateChange& change);

/// How many nodes are eligible for a DaemonSet, and how many have a misscheduled pod.
struct PlacementCounts {
  std::int64_t desired_number_scheduled = 0;
  std::int64_t number_misscheduled = 0;

  friend bool operator==(const PlacementCounts&, const PlacementCounts&) = default;
};

/// What a change does, by evaluating every node again.
struct Effect {
  PlacementCounts before;
  PlacementCounts after;            // settled: once rollout, evictions and deletions are done
  std::vector<model::Text> gained;  // nodes that become eligible; by name
  std::vector<model::Text> lost;    // nodes that are no longer eligible; by name
  /// Nodes whose pod is deleted and not created again, eligible before or not; by name.
  std::vector<model::Text> deletes;
  std::size_t replaced = 0;  // pods that the rollout deletes and creates again
  /// Those of `gained` on which the taint controller deletes every pod after the tolerationSeconds
  /// of a NoExecute taint, and the DaemonSet controller creates the next.
  std::vector<model::Text> evicted = {};
  /// As Settled's.
  std::vector<model::Text> unconfirmed = {};
  std::vector<model::Text> waits_for = {};
  std::string budget = {};
};

/// Calls `visit(entry, node)` for every node that is in both. `report` is of `cluster`; both are
/// sorted by name.
template <typename Visit>
void for_each_node(const diagnosis::DaemonSetReport& report, const model::Cluster& cluster,
                   Visit&& visit) {
  if (report.nodes.shares_names()) {  // those of the cluster's nodes
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

/// What becomes of the nodes of `report`, which is of all nodes, once `change` is made and the
/// controllers are done. Unless the strategy is OnDelete, the rollout deletes every pod of the old
/// template, those on nodes that are not eligible for good.
/// `report` and `ds` are of the reporter's cluster.
[[nodiscard]] Effect effect_of(const diagnosis::Reporter& reporter, const model::DaemonSet& ds,
                               const TemplateChange& change,
                               const diagnosis::DaemonSetReport& report);

/// The same of a change of nodes, which leaves the template as it is. `changed`: gives the node as
/// it becomes.
[[nodiscard]] Effect effect_of(const diagnosis::Reporter& reporter, const model::DaemonSet& ds,
                               const std::function<model::Node(const model::Node&)>& changed,
                               const diagnosis::DaemonSetReport& report);

/// A problem to fix first, before patching the template.
enum class RepairFirst {
  Nothing,
  Revision,           // the newest one fails: a change would be a revision of what fails, and a
                      // rollback would lead back to it
  ControllerManager,  // shows no sign of life: no rollout would begin
  Creation,           // no pod is created: the same
  Surge,              // a new pod does not fit beside an old one: no rollout would get on
};
/// The first that holds. With OnDelete a change does not touch pods that run: of these only the
/// revision. `replaces`: the change replaces pods.
[[nodiscard]] RepairFirst repair_first(const diagnosis::Reporter& reporter,
                                       const model::DaemonSet& ds,
                                       const diagnosis::DaemonSetReport& report, bool replaces);
/// One sentence; absent for Nothing.
[[nodiscard]] std::optional<diagnosis::Message> phrase_of(RepairFirst what);

/// How many pods are replaced when the template changes with this effect: not those that are
/// deleted for good; 0 with OnDelete. Absent where no pods were read.
[[nodiscard]] std::optional<std::size_t> restarted_pods(const diagnosis::DaemonSetReport& report,
                                                        const Effect& effect);

}  // namespace dsdoctor::fixes
