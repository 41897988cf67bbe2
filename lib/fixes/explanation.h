// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/index_runs.h"
#include "diagnosis/controller/gate_setting.h"
#include "diagnosis/problems/missing_owners.h"
#include "diagnosis/problems/problem.h"
#include "diagnosis/report/groups.h"
#include "diagnosis/reporter.h"
#include "diagnosis/views/alert_report.h"
#include "diagnosis/views/node_diff.h"
#include "diagnosis/views/node_load.h"
#include "fixes/owners/owner.h"
#include "fixes/toleration_patch.h"
#include "model/cluster.h"

namespace dsdoctor::fixes {

/// The answer about one DaemonSet.
struct DaemonSetAnswer {
  diagnosis::DaemonSetReport report;
  const model::DaemonSet* ds = nullptr;      // the object that was explained; not owned
  std::vector<diagnosis::NodeGroup> groups;  // if Details require them
  std::vector<Suggestion> suggestions;       // if Details require them
  std::vector<Owner> owners = {};            // owners of the template; read with the suggestions
  /// Indexes of the nodes in report.nodes to list, ascending. Absent: all.
  std::optional<base::IndexRuns> listed = {};
  std::optional<diagnosis::AlertReport> alert = {};  // set if an alert was requested
  bool has_problem = false;  // a problem that counts according to the requested attention
};

struct Explanation {
  std::vector<DaemonSetAnswer> daemon_sets;  // in the requested order
  std::size_t nodes = 0;                     // largest number of nodes reported for a DaemonSet
  bool nodes_known = true;                   // false: they could not be read, and `nodes` is 0
  std::size_t pods = 0;                      // all pods that were read, of any owner
  model::Time now = {};                      // time of the answer
  diagnosis::Problems problems = {};         // of all DaemonSets; refer to daemon_sets
  diagnosis::RulesTaken rules = {};
  bool has_other_problem = false;  // that counts, of no DaemonSet that was read
};

/// Each reason with the listed nodes that have it.
[[nodiscard]] std::vector<diagnosis::Cause> causes_of(const DaemonSetAnswer& answer);

/// Whether it has a problem that counts; if an alert was requested, whether the condition holds.
[[nodiscard]] bool is_wrong(const DaemonSetAnswer& answer);
[[nodiscard]] bool is_wrong(const Explanation& explanation);

/// Whether nodes and pods were read, so that "nothing is wrong" is meaningful. An alert only needs
/// the status.
[[nodiscard]] bool is_conclusive(const DaemonSetAnswer& answer);
[[nodiscard]] bool is_conclusive(const Explanation& explanation);

/// Whether something is known about each DaemonSet: it was evaluated, or at least its status and
/// its pods could be read.
[[nodiscard]] bool is_answered(const DaemonSetAnswer& answer);
[[nodiscard]] bool is_answered(const Explanation& explanation);

/// The optional parts of an explanation. They take time in large clusters.
struct Details {
  /// OfProblems: of the first node and DaemonSet of the most important problems.
  enum class Timelines { None, OfDaemonSet, OfWrongNodes, OfEveryNode, OfProblems };

  bool groups = true;
  bool suggestions = true;
  Timelines timelines = Timelines::None;  // of the DaemonSets and their nodes
  /// The pods whose missing DaemonSets are a problem; absent: the question is about some DaemonSets
  /// only.
  std::optional<diagnosis::OwnersSought> missing_owners = std::nullopt;
};

/// The part of an answer to make.
struct Selection {
  enum class Nodes {
    All,
    Unhealthy,  // all but healthy nodes that run the pod or are excluded
    Wrong,
  };
  enum class Problems {
    All,
    OfOneNode,      // problems of the only reported node and of the control plane
    OfDifferences,  // missing and unexpected pods; nodes that wrongly do not get a pod
  };

  /// Selects the nodes to report on; all if empty.
  std::function<bool(const model::Node&)> selects = {};
  /// The nodes to list; groups and fixes are reduced to them. The reports keep the other nodes, so
  /// that they can be counted.
  Nodes nodes = Nodes::All;
  Problems problems = Problems::All;
  /// Evaluated for every DaemonSet. Nodes and problems are those of the alert, regardless of the
  /// rest of the selection.
  std::optional<diagnosis::Alert> alert = {};
};

/// Explains `daemon_sets`, which belong to the reporter's cluster. With any selection, counts and
/// fixes cover the whole cluster. `attention`: which problems count, and which are ignored.
[[nodiscard]] Explanation explain(const diagnosis::Reporter& reporter,
                                  const std::vector<const model::DaemonSet*>& daemon_sets,
                                  const diagnosis::Attention& attention = {},
                                  const Details& details = {}, const Selection& selection = {});

/// The indexes of the nodes in report.nodes to list; absent: all.
[[nodiscard]] std::optional<base::IndexRuns> listed_nodes(const diagnosis::DaemonSetReport& report,
                                                          Selection::Nodes nodes);

/// Missing and unexpected pods, in the order of the DaemonSets.
[[nodiscard]] std::vector<diagnosis::PlacementDiff> placement_diffs(const Explanation& explanation);

/// The part of the explanation about one DaemonSet.
[[nodiscard]] Explanation only(const Explanation& explanation, std::size_t daemon_set);

/// The findings about a DaemonSet as a whole that are worth showing: without those that are shown
/// with its nodes, and without notes, unless `all`.
[[nodiscard]] std::vector<const diagnosis::Finding*> findings_to_say(const DaemonSetAnswer& answer,
                                                                     bool all);

/// The events on a single node, without duplicates, for all DaemonSets; absent if timelines were
/// not requested. REQUIRES: every DaemonSet reports on just that node.
[[nodiscard]] std::optional<diagnosis::Timeline> timeline_of_node(const Explanation& explanation);

/// The resources that `daemon_sets` request on one node. REQUIRES: `explanation` is about them and
/// reports on the node.
[[nodiscard]] diagnosis::NodeLoad load_of_node(
    const Explanation& explanation, const diagnosis::Reporter& reporter,
    const std::vector<const model::DaemonSet*>& daemon_sets, const model::Node& node);

}  // namespace dsdoctor::fixes
