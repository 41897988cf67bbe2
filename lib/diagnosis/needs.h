// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "diagnosis/report/report.h"
#include "model/cluster.h"
#include "model/detail_query.h"

namespace dsdoctor::diagnosis {

struct NeedOptions {
  model::Time now = {};                                        // time of the diagnosis
  std::function<bool(const model::Node&)> is_asked = nullptr;  // null: every node
};

/// The data to read, in addition to `cluster`, to find the causes of problems of these DaemonSets;
/// empty if there are no problems. `reports`: of `daemon_sets`, in the same order.
[[nodiscard]] model::DetailQuery needs_of(const model::Cluster& cluster,
                                          const std::vector<const model::DaemonSet*>& daemon_sets,
                                          const std::vector<DaemonSetReport>& reports,
                                          const NeedOptions& options);

/// Adds the data for timelines, which is needed even without problems: events, and the writers of
/// labels of at most 20 selected nodes that a label excludes. `reports`: of `daemon_sets`.
void add_history_of(const model::Cluster& cluster,
                    const std::vector<const model::DaemonSet*>& daemon_sets,
                    const std::vector<DaemonSetReport>& reports, const NeedOptions& options,
                    model::DetailQuery& query);

/// All data that a later diagnosis of these DaemonSets may need, even without current problems.
/// managedFields need a request for each node, so they are read only for nodes with misplaced pods,
/// at most 200; the list of nodes already has those of tainted nodes.
[[nodiscard]] model::DetailQuery everything_about(
    const model::Cluster& cluster, const std::vector<const model::DaemonSet*>& daemon_sets,
    const std::vector<DaemonSetReport>& reports);

}  // namespace dsdoctor::diagnosis
