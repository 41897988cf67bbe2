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

/// How a DaemonSet takes a taint.
enum class Treatment : std::uint8_t {
  Tolerated,     // by a toleration of the template
  Automatic,     // by one that the DaemonSet controller adds
  NotTolerated,  // keeps pods away if the taint decides at all
  Mixed,         // not each of the values that one row stands for alike; see with_values_folded
};

struct TaintCell {
  Treatment treatment = Treatment::NotTolerated;
  std::size_t index = 0;  // into the template's tolerations; only where Tolerated
  std::optional<model::Toleration> by;
  std::optional<model::Advised> advised;  // for such a DaemonSet; absent: nothing is known
};

struct TaintedNode {
  model::Text name;
  model::Text value;
  model::OptionalTime since;
};

/// A taint with all nodes that have it. Values that merely vary from node to node are one row, as
/// long as every DaemonSet takes them alike.
struct TaintRow {
  model::Taint taint;  // of the first node
  bool value_varies = false;
  bool decides = true;  // false: PreferNoSchedule and the like, which keep no daemon pod away
  const model::KnownTaint* known = nullptr;  // of the catalogue
  /// What is known of each value, where that is not the same of all and `known` is null.
  std::vector<std::pair<model::Text, const model::KnownTaint*>> known_values = {};
  std::vector<TaintedNode> nodes;  // by name
  model::OptionalTime since;       // of the node that has it longest
};

struct DaemonSetRow {
  model::Text ns;
  model::Text name;
  Workload workload;
  std::vector<TaintCell> cells;  // one a taint, in their order
};

/// Every taint of the selected nodes against every DaemonSet asked for.
struct TaintMatrix {
  std::vector<TaintRow> taints;           // by key, effect and value
  std::vector<DaemonSetRow> daemon_sets;  // by namespace and name
  std::size_t nodes = 0;                  // looked at
  std::size_t tainted_nodes = 0;
  bool nodes_known = true;  // false: they could not be read, and nothing is known of taints
};

/// The DaemonSets are of `cluster`. Keeps pointers into `options.taints`. `selects`: the nodes that
/// are looked at; all when empty.
[[nodiscard]] TaintMatrix taint_matrix(const model::Cluster& cluster,
                                       const std::vector<const model::DaemonSet*>& daemon_sets,
                                       const ReportOptions& options,
                                       const std::function<bool(const model::Node&)>& selects = {});

/// A row for each key and effect, whatever the values; what the most nodes have first.
[[nodiscard]] TaintMatrix with_values_folded(const TaintMatrix& matrix);

/// As in JSON: "not-tolerated".
[[nodiscard]] std::string_view to_string(Treatment treatment);

}  // namespace dsdoctor::diagnosis
