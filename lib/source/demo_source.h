// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "source/cluster_source.h"

namespace dsdoctor::source {

/// The embedded cluster of --demo: a node that cluster-autoscaler is removing while agents run on
/// it, a node that misses a pod, and a pool from which one DaemonSet is excluded. It has a fixed
/// read time.
class DemoSource final : public ClusterSource {
 public:
  [[nodiscard]] base::Result<Snapshot> load(const Query& query) override;
};

}  // namespace dsdoctor::source
