// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "diagnosis/evidence/workload_kind.h"
#include "diagnosis/reporter.h"
#include "model/cluster.h"
#include "model/known_taint.h"

namespace dsdoctor::diagnosis {

/// How a DaemonSet treats a taint.
enum class Treatment : std::uint8_t {
  Tolerated,     // by a toleration of the template
  Automatic,     // by one that the DaemonSet controller adds
  NotTolerated,  // excludes the node, if the taint's effect does
  Mixed,         // the values of the row are treated differently; see with_values_folded
};

struct TaintCell {
  Treatment treatment = Treatment::NotTolerated;
  std::size_t index = 0;  // into the template's tolerations; only for Tolerated
  std::optional<model::Toleration> by;
  std::optional<model::Advised> advised;  // for its kind; absent: unknown taint
};

struct TaintedNode {
  model::Text name;
  model::Text value;
  model::OptionalTime since;
};

/// A taint and all nodes that have it. Values that vary from node to node are one row, as long as
/// every DaemonSet treats them in the same way.
struct TaintRow {
  model::Taint taint;  // taint of the first node
  bool value_varies = false;
  bool decides = true;  // false: PreferNoSchedule or an unknown effect; no node is excluded
  const model::KnownTaint* known = nullptr;  // entry of the catalogue
  /// The entry for each known value, if the values have different entries and `known` is null.
  std::vector<std::pair<model::Text, const model::KnownTaint*>> known_values = {};
  std::vector<TaintedNode> nodes;  // sorted by name
  model::OptionalTime since;       // earliest time of the nodes
};

struct DaemonSetRow {
  model::Text ns;
  model::Text name;
  Workload workload;
  std::vector<TaintCell> cells;  // one for each taint, in the same order
};

/// Treatment of every taint of the selected nodes by every requested DaemonSet.
struct TaintMatrix {
  std::vector<TaintRow> taints;           // sorted by key, effect and value
  std::vector<DaemonSetRow> daemon_sets;  // sorted by namespace and name
  std::size_t nodes = 0;                  // number of selected nodes
  std::size_t tainted_nodes = 0;
  bool nodes_known = true;  // false: nodes could not be read, so that taints are unknown
};

/// The matrix for DaemonSets of `cluster`. Has pointers into `options.taints`. `selects`: the nodes
/// to include; all if empty.
[[nodiscard]] TaintMatrix taint_matrix(const model::Cluster& cluster,
                                       const std::vector<const model::DaemonSet*>& daemon_sets,
                                       const ReportOptions& options,
                                       const std::function<bool(const model::Node&)>& selects = {});

/// The matrix with one row for each key and effect, whatever the values; rows with the most nodes
/// first.
[[nodiscard]] TaintMatrix with_values_folded(const TaintMatrix& matrix);

/// As in JSON: "not-tolerated".
[[nodiscard]] std::string_view to_string(Treatment treatment);

}  // namespace dsdoctor::diagnosis
