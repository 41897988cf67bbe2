#pragma once

#include "source/cluster_source.h"

namespace dsdoctor::source {

/// The embedded cluster of --demo: a node that cluster-autoscaler is removing while agents run on
/// it, a node that misses a pod, and a pool that one DaemonSet keeps out of. It has a moment
/// of its own, at which it was read.
class DemoSource final : public ClusterSource {
 public:
  [[nodiscard]] base::Result<Snapshot> load(const Query& query) override;
};

}  // namespace dsdoctor::source
