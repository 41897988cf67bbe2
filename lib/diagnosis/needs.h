#pragma once

#include <functional>
#include <vector>

#include "diagnosis/report/report.h"
#include "model/cluster.h"
#include "model/detail_query.h"

namespace dsdoctor::diagnosis {

struct NeedOptions {
  model::Time now = {};                                        // the moment of the answer
  std::function<bool(const model::Node&)> is_asked = nullptr;  // null: every node
};

/// What has to be read beyond `cluster` to find the causes of what is wrong with these DaemonSets;
/// nothing where all is well. `reports` are those of `daemon_sets`, in the same order.
[[nodiscard]] model::DetailQuery needs_of(const model::Cluster& cluster,
                                          const std::vector<const model::DaemonSet*>& daemon_sets,
                                          const std::vector<DaemonSetReport>& reports,
                                          const NeedOptions& options);

/// The events of a timeline, which there is whether something is wrong or not.
void add_history_of(const std::vector<const model::DaemonSet*>& daemon_sets,
                    model::DetailQuery& query);

/// What any later question about these DaemonSets could need, whether something is wrong now or
/// not. Who manages a node's fields costs a request a node: that of misplaced pods' nodes and of
/// tainted ones, two hundred at most.
[[nodiscard]] model::DetailQuery everything_about(
    const model::Cluster& cluster, const std::vector<const model::DaemonSet*>& daemon_sets,
    const std::vector<DaemonSetReport>& reports);

}  // namespace dsdoctor::diagnosis
