#pragma once

#include <optional>
#include <vector>

#include "advice/toleration_patch.h"
#include "diagnosis/report/groups.h"
#include "diagnosis/reporter.h"
#include "diagnosis/views/alert.h"
#include "diagnosis/views/node_load.h"
#include "model/cluster.h"

namespace dsdoctor::advice {

/// All there is to say about one DaemonSet.
struct DaemonSetAnswer {
  diagnosis::DaemonSetReport report;
  std::vector<diagnosis::NodeGroup> groups;
  std::vector<diagnosis::Cause> causes;
  std::vector<Suggestion> suggestions;
  /// Of report.nodes: those to be listed, ascending. Absent: all.
  std::optional<std::vector<std::size_t>> listed = {};
  std::optional<diagnosis::AlertReport> alert = {};  // where one was asked about
};

struct Explanation {
  std::vector<DaemonSetAnswer> daemon_sets;  // in the order asked for
  std::size_t nodes = 0;                     // reported on, the largest number of any DaemonSet
};

/// Something is wrong on a selected node, or with the DaemonSet as a whole; where an alert was
/// asked about, its condition holds.
[[nodiscard]] bool is_wrong(const DaemonSetAnswer& answer);
[[nodiscard]] bool is_wrong(const Explanation& explanation);

/// Nodes and pods were read, so that "nothing is wrong" means something. An alert's condition rests
/// on status alone.
[[nodiscard]] bool is_conclusive(const DaemonSetAnswer& answer);
[[nodiscard]] bool is_conclusive(const Explanation& explanation);

/// Explains `daemon_sets`, which are of the reporter's cluster. Reported on are the nodes that its
/// options select; counts and cures still cover the whole cluster.
[[nodiscard]] Explanation explain(const diagnosis::Reporter& reporter,
                                  const std::vector<const model::DaemonSet*>& daemon_sets);

/// Fills in what happened when. `explanation` is of `daemon_sets`. `every_node`: not only of nodes
/// on which something is wrong.
void add_timelines(Explanation& explanation, const diagnosis::Reporter& reporter,
                   const std::vector<const model::DaemonSet*>& daemon_sets, bool every_node);

/// Holds `alert` against every DaemonSet, and leaves only the nodes that it is about. `explanation`
/// is of `daemon_sets`.
void restrict_to_alert(Explanation& explanation, const diagnosis::Reporter& reporter,
                       const std::vector<const model::DaemonSet*>& daemon_sets,
                       diagnosis::Alert alert);

/// Leaves only the nodes on which something is wrong.
void restrict_to_wrong_nodes(Explanation& explanation);

/// The findings of the DaemonSet as a whole that are worth saying beside those of its nodes: what
/// is said of the nodes is not repeated, and mere notes are left out unless `all` are wanted.
[[nodiscard]] std::vector<const diagnosis::Finding*> findings_to_say(const DaemonSetAnswer& answer,
                                                                     bool all);

/// What happened on the one node, each once, whichever DaemonSet it concerns; absent where nobody
/// asked. REQUIRES: every DaemonSet reports on just that node.
[[nodiscard]] std::optional<diagnosis::Timeline> timeline_of_node(const Explanation& explanation);

/// What all of `daemon_sets` ask of one node. REQUIRES: `explanation` is of them, and reports on
/// it.
[[nodiscard]] diagnosis::NodeLoad load_of_node(
    const Explanation& explanation, const diagnosis::Reporter& reporter,
    const std::vector<const model::DaemonSet*>& daemon_sets, const model::Node& node);

}  // namespace dsdoctor::advice
