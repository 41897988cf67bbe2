#pragma once

#include <optional>
#include <vector>

#include "advice/toleration_patch.h"
#include "diagnosis/report/groups.h"
#include "diagnosis/reporter.h"
#include "diagnosis/views/alert.h"
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

/// Something is wrong on a selected node, or with the DaemonSet as a whole.
[[nodiscard]] bool is_wrong(const DaemonSetAnswer& answer);

/// Nodes and pods were read, so that "nothing is wrong" means something.
[[nodiscard]] bool is_conclusive(const DaemonSetAnswer& answer);

struct Explanation {
  std::vector<DaemonSetAnswer> daemon_sets;  // in the order asked for
  std::size_t nodes = 0;                     // reported on, the largest number of any DaemonSet
};

/// Explains `daemon_sets`, which are of `cluster`. With `options.selects` only those nodes are
/// reported on; counts and cures still cover the whole cluster.
[[nodiscard]] Explanation explain(const model::Cluster& cluster,
                                  const std::vector<const model::DaemonSet*>& daemon_sets,
                                  const diagnosis::ReportOptions& options);

}  // namespace dsdoctor::advice
