// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/cluster.h"

namespace dsdoctor::testing {

struct TroubledSize {
  std::size_t nodes = 0;
  std::size_t daemon_sets = 0;
  unsigned trouble = 10;  // percentage of pods and nodes that have a fault
};

/// A random cluster with many kinds of faults at the same time: nodes that are not ready, under
/// pressure, tainted, cordoned or being removed; pods that are missing, pending, rejected,
/// crashing, terminating, misscheduled or duplicate; rejections by the API server. The same for the
/// same seed.
[[nodiscard]] model::Cluster troubled_cluster(std::uint64_t seed, const TroubledSize& size);

/// The time at which the cluster is examined.
[[nodiscard]] model::Time troubled_now();

}  // namespace dsdoctor::testing
