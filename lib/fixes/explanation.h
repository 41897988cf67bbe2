#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/index_runs.h"
#include "diagnosis/problems/problem.h"
#include "diagnosis/report/groups.h"
#include "diagnosis/reporter.h"
#include "diagnosis/views/alert_report.h"
#include "diagnosis/views/node_diff.h"
#include "diagnosis/views/node_load.h"
#include "fixes/owner.h"
#include "fixes/toleration_patch.h"
#include "model/cluster.h"

namespace dsdoctor::fixes {

/// All there is to say about one DaemonSet.
struct DaemonSetAnswer {
  diagnosis::DaemonSetReport report;
  std::vector<diagnosis::NodeGroup> groups;  // as Details say
  std::vector<Suggestion> suggestions;       // as Details say
  std::vector<Owner> owners = {};            // who writes the template; with the suggestions
  /// Of report.nodes: those to be listed, ascending. Absent: all.
  std::optional<base::IndexRuns> listed = {};
  std::optional<diagnosis::AlertReport> alert = {};  // where one was asked about
  bool has_problem = false;  // one that counts, by the attention that was asked for
};

struct Explanation {
  std::vector<DaemonSetAnswer> daemon_sets;  // in the order asked for
  std::size_t nodes = 0;                     // reported on, the largest number of any DaemonSet
  bool nodes_known = true;                   // false: they could not be read, and `nodes` is 0
  std::size_t pods = 0;                      // that were read, of every owner
  model::Time now = {};                      // the moment of the answer
  diagnosis::Problems problems = {};         // of all DaemonSets; refer to daemon_sets
};

/// Each reason with the nodes that are listed and have it.
[[nodiscard]] std::vector<diagnosis::Cause> causes_of(const DaemonSetAnswer& answer);

/// It has a problem that counts; where an alert was asked about, its condition holds.
[[nodiscard]] bool is_wrong(const DaemonSetAnswer& answer);
[[nodiscard]] bool is_wrong(const Explanation& explanation);

/// Nodes and pods were read, so that "nothing is wrong" means something. An alert's condition rests
/// on status alone.
[[nodiscard]] bool is_conclusive(const DaemonSetAnswer& answer);
[[nodiscard]] bool is_conclusive(const Explanation& explanation);

/// Something is known of each DaemonSet: it was judged, or at least its status and its pods could
/// be read.
[[nodiscard]] bool is_answered(const DaemonSetAnswer& answer);
[[nodiscard]] bool is_answered(const Explanation& explanation);

/// What is worked out beside the reports and their problems; large clusters make it worth a choice.
struct Details {
  enum class Timelines { None, OfWrongNodes, OfEveryNode };

  bool groups = true;
  bool suggestions = true;
  Timelines timelines = Timelines::None;  // of the DaemonSets and their nodes
};

/// The part of an answer to make.
struct Selection {
  enum class Nodes {
    All,
    Unhealthy,  // without those that run the pod or are excluded, unless something is wrong there
    Wrong,
  };
  enum class Problems {
    All,
    OfOneNode,      // the only one that is reported on, and those of the control plane
    OfDifferences,  // of nodes where pods are not where they belong
  };

  /// The nodes that are reported on; all when empty.
  std::function<bool(const model::Node&)> selects = {};
  /// Those that are listed, with the groups and fixes of these alone. The reports keep the others,
  /// so that they can still be counted.
  Nodes nodes = Nodes::All;
  Problems problems = Problems::All;
  /// Held against every DaemonSet. Nodes and problems are those that it is about, whatever else is
  /// selected.
  std::optional<diagnosis::Alert> alert = {};
};

/// Explains `daemon_sets`, which are of the reporter's cluster. Whatever is selected, counts and
/// fixes cover the whole cluster. `attention` says which problems count, and which are left out as
/// accepted.
[[nodiscard]] Explanation explain(const diagnosis::Reporter& reporter,
                                  const std::vector<const model::DaemonSet*>& daemon_sets,
                                  const diagnosis::Attention& attention = {},
                                  const Details& details = {}, const Selection& selection = {});

/// Of report.nodes; absent: all.
[[nodiscard]] std::optional<base::IndexRuns> listed_nodes(const diagnosis::DaemonSetReport& report,
                                                          Selection::Nodes nodes);

/// Where pods are not where they belong, in the order of the DaemonSets.
[[nodiscard]] std::vector<diagnosis::PlacementDiff> placement_diffs(const Explanation& explanation);

/// The part of it that is about one DaemonSet.
[[nodiscard]] Explanation only(const Explanation& explanation, std::size_t daemon_set);

/// The findings of the DaemonSet as a whole that are worth saying beside those of its nodes: what
/// is said of the nodes is not repeated, and notes are left out unless `all`.
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

}  // namespace dsdoctor::fixes
