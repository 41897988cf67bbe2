#pragma once

#include "source/cluster_source.h"
#include "source/file_source.h"

namespace dsdoctor::source {

/// The embedded cluster of --demo: a node that cluster-autoscaler is removing while agents run on
/// it, a node that misses a pod, and a pool that one DaemonSet keeps out of.
class DemoSource final : public ClusterSource {
 public:
  explicit DemoSource(Clock now);

  [[nodiscard]] base::Result<Snapshot> load(const Query& query) override;

 private:
  Clock now_;
};

}  // namespace dsdoctor::source
